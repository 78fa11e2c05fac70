"""Several pages side by side, each with its own fate, before a common deadline."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from assay.errors import Network, ToolError
from assay.net.urls import canonical

STEP = 200  # characters of what is said of a step


async def pages[T](
    read: Callable[[str], Awaitable[T]],
    urls: Sequence[str],
    *,
    at_once: int,
    seconds: float,
    report_step: Callable[[str], Awaitable[None]] | None = None,
) -> list[T | ToolError]:
    """The page of each URL, in order, or why there is none. What is not finished after `seconds` is left.

    `report_step` hears of each that is finished.
    """
    slots = asyncio.Semaphore(at_once)

    async def one(url: str) -> T:
        try:
            async with slots:
                page = await read(canonical(url))
        except ToolError:
            await report(f"Could not read {url}")
            raise
        await report(f"Read {url}")
        return page

    async def report(text: str) -> None:
        if report_step is not None:
            await report_step(text[:STEP])

    tasks = [asyncio.create_task(one(url)) for url in urls]
    if not tasks:
        return []
    try:
        done, _ = await asyncio.wait(tasks, timeout=max(0.0, seconds))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [_fate(task, task in done) for task in tasks]


def _fate[T](task: "asyncio.Task[T]", done: bool) -> T | ToolError:
    if not done:
        return Network("It was not finished in time. Read it alone with scrape_page, or call again.", retry_after=5)
    try:
        return task.result()
    except ToolError as error:
        return error
