"""Runs many coroutines with bounded concurrency and a time limit."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Hashable, Iterable
from contextlib import nullcontext
from typing import Any

from assay.context import Context
from assay.errors import Network

SECONDS, TIME_SHARE = 12.0, 0.5  # for one answer; share of the remaining time that one answer may take


async def bounded_gather[Item: Hashable, Found](
    items: Iterable[Item],
    work: Callable[[Item], Coroutine[Any, Any, Found]],
    *,
    at_once: int,
    seconds: float,
    turn: Callable[[Item], str] | None = None,
    per_turn: int = 1,
    ctx: Context | None = None,
    step: str = "",
) -> dict[Item, Found]:
    """Apply `work` to each distinct item; return the results that are done after `seconds`.

    At most `at_once` run concurrently, and at most `per_turn` of those with the same `turn` value (a host, for
    example). Each finished item is reported as a progress `step` of `ctx`.
    """
    slots = asyncio.Semaphore(at_once)
    turns: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(per_turn))

    async def run(item: Item) -> Found:
        async with nullcontext() if turn is None else turns[turn(item)], slots:
            found = await work(item)
        if ctx is not None:
            await ctx.report_step(step)
        return found

    tasks = {asyncio.create_task(run(item)): item for item in dict.fromkeys(items)}
    if not tasks:
        return {}
    if ctx is not None:
        ctx.plan_steps(len(tasks))
    try:
        done, pending = await asyncio.wait(tasks, timeout=max(seconds, 0))
    except asyncio.CancelledError:
        await _cancel_tasks(tasks)
        raise
    await _cancel_tasks(pending)
    return {tasks[task]: task.result() for task in tasks if task in done}


async def with_deadline[Told](ctx: Context, answer: Coroutine[Any, Any, Told]) -> Told:
    """Await the answer for at most `SECONDS` and half of the call's remaining time. Raises Network on a time-out."""
    try:
        seconds = min(SECONDS, ctx.time_left() * TIME_SHARE)
    except Network:
        answer.close()
        raise
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except TimeoutError:
        raise Network("The request timed out.", retry_after=5) from None


async def _cancel_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    cancelled = list(tasks)
    for task in cancelled:
        task.cancel()
    await asyncio.gather(*cancelled, return_exceptions=True)
