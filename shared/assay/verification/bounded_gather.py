"""Runs look-ups concurrently, within time limits, and reports their progress."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Iterable
from typing import Any

from assay.context import Context
from assay.errors import Network
from assay.state.concurrent_map import Unfinished, map_until

SECONDS, TIME_SHARE = 12.0, 0.5  # for one answer; share of the remaining time that one answer may take


async def bounded_gather[Item: Hashable, Result](
    items: Iterable[Item],
    work: Callable[[Item], Coroutine[Any, Any, Result]],
    *,
    at_once: int,
    seconds: float,
    group_by: Callable[[Item], str] | None = None,
    at_once_per_group: int = 1,
    ctx: Context | None = None,
    step: str = "",
) -> dict[Item, Result]:
    """Apply `work` to each distinct item (see `map_until`); return the results that are ready after `seconds`.

    Each finished item is reported as a progress `step` of `ctx`.
    """

    async def run(item: Item) -> Result:
        result = await work(item)
        if ctx is not None:
            await ctx.report_step(step)
        return result

    distinct = list(dict.fromkeys(items))
    if ctx is not None:
        ctx.plan_steps(len(distinct))
    results = await map_until(
        run, distinct, seconds=seconds, limit=at_once, group_by=group_by, limit_per_group=at_once_per_group
    )
    pairs = zip(distinct, results, strict=True)
    return {item: result for item, result in pairs if not isinstance(result, Unfinished)}


async def with_deadline[Result](ctx: Context, answer: Coroutine[Any, Any, Result]) -> Result:
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
