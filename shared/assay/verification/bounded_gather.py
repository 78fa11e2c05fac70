"""Much of the same work side by side, as far as the time reaches: what is done by then counts."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Hashable, Iterable
from contextlib import nullcontext
from typing import Any

from assay.context import Context
from assay.errors import Network

SECONDS, PATIENCE = 12.0, 0.5  # for one answer, and the part of the time left that one may take


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
    """What `work` finds for each item, each asked once; items that are not done after `seconds` are left out.

    Items with the same `turn` (a host, say) have no more than `per_turn` at work at a time. Each is a `step` of the
    progress of `ctx`.
    """
    slots = asyncio.Semaphore(at_once)
    turns: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(per_turn))

    async def one(item: Item) -> Found:
        async with nullcontext() if turn is None else turns[turn(item)], slots:
            found = await work(item)
        if ctx is not None:
            await ctx.report_step(step)
        return found

    tasks = {asyncio.create_task(one(item)): item for item in dict.fromkeys(items)}
    if not tasks:
        return {}
    if ctx is not None:
        ctx.plan_steps(len(tasks))
    try:
        done, late = await asyncio.wait(tasks, timeout=max(seconds, 0))
    except asyncio.CancelledError:
        await _cancel_tasks(tasks)
        raise
    await _cancel_tasks(late)
    return {tasks[task]: task.result() for task in tasks if task in done}


async def with_deadline[Told](ctx: Context, answer: Coroutine[Any, Any, Told]) -> Told:
    """The answer, while there is time left to say something without it; else raises Network."""
    try:
        seconds = min(SECONDS, ctx.time_left() * PATIENCE)
    except Network:
        answer.close()
        raise
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except TimeoutError:
        raise Network("It took too long.", retry_after=5) from None


async def _cancel_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    stopped = list(tasks)
    for task in stopped:
        task.cancel()
    await asyncio.gather(*stopped, return_exceptions=True)
