"""Applies a coroutine function to many items with bounded concurrency and a time limit."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable
from contextlib import nullcontext
from typing import Any


async def map_concurrently[Item, Result](
    work: Callable[[Item], Awaitable[Result]], items: Iterable[Item], *, limit: int | None = None
) -> list[Result]:
    """The results of `work` in the order of the items, at most `limit` at once.

    The first exception cancels the other calls and is raised when they have ended.
    """
    results = await map_until(work, items, seconds=None, limit=limit)
    return [result for result in results if not isinstance(result, Unfinished)]


class Unfinished:
    """Takes the place of a result that was not ready in time."""


async def map_until[Item, Result](
    work: Callable[[Item], Awaitable[Result]],
    items: Iterable[Item],
    *,
    seconds: float | None,
    limit: int | None = None,
    group_by: Callable[[Item], Hashable] | None = None,
    limit_per_group: int = 1,
) -> list[Result | Unfinished]:
    """Like `map_concurrently`, but calls that have not ended after `seconds` are cancelled: they are `Unfinished`.

    At most `limit_per_group` calls run at once for the items to which `group_by` gives the same value, such as a host.
    """
    items = list(items)
    if len(items) == 1 and seconds is None:  # nothing to run beside it
        return [await work(items[0])]
    slots = asyncio.Semaphore(limit) if limit else nullcontext()
    groups: dict[Hashable, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(limit_per_group))

    async def run(item: Item) -> Result:
        async with groups[group_by(item)] if group_by else nullcontext(), slots:
            return await work(item)

    try:
        async with asyncio.TaskGroup() as calls:
            tasks = [calls.create_task(run(item)) for item in items]
            if tasks:
                _, late = await asyncio.wait(tasks, timeout=None if seconds is None else max(0.0, seconds))
                for task in late:
                    task.cancel()
    except BaseExceptionGroup as failures:
        failure = failures.exceptions[0]
    else:
        return [Unfinished() if task.cancelled() else task.result() for task in tasks]
    raise failure


async def gather_all(*calls: Coroutine[Any, Any, Any]) -> list[Any]:
    """The results of different calls that run concurrently; the first exception cancels the others and is raised."""
    return await map_concurrently(lambda call: call, calls)
