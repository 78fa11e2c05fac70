"""Much of the same work side by side, as far as the time reaches: what is done by then counts."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Hashable, Iterable
from typing import Any


async def abreast[Item: Hashable, Found](
    items: Iterable[Item],
    work: Callable[[Item], Coroutine[Any, Any, Found]],
    *,
    at_once: int,
    seconds: float,
    turn: Callable[[Item], str] | None = None,
    per_turn: int = 1,
) -> dict[Item, Found]:
    """What `work` finds for each item, each asked once; items that are not done after `seconds` are left out.

    Items with the same `turn` (a host, say) have no more than `per_turn` at work at a time.
    """
    slots = asyncio.Semaphore(at_once)
    turns: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(per_turn))

    async def one(item: Item) -> Found:
        if turn is None:
            async with slots:
                return await work(item)
        async with turns[turn(item)], slots:
            return await work(item)

    tasks = {asyncio.create_task(one(item)): item for item in dict.fromkeys(items)}
    if not tasks:
        return {}
    try:
        done, late = await asyncio.wait(tasks, timeout=max(seconds, 0))
    except asyncio.CancelledError:
        await _ended(tasks)
        raise
    await _ended(late)
    return {tasks[task]: task.result() for task in tasks if task in done}


async def _ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    stopped = list(tasks)
    for task in stopped:
        task.cancel()
    await asyncio.gather(*stopped, return_exceptions=True)
