"""Concurrent scraping of several pages with a common deadline and one result or error per page."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from assay.errors import Network, ToolError
from assay.net.urls import canonical

STEP = 200  # maximum length of a progress message


async def scrape_pages[T](
    read: Callable[[str], Awaitable[T]],
    urls: Sequence[str],
    *,
    at_once: int,
    seconds: float,
    report_step: Callable[[str], Awaitable[None]] | None = None,
) -> list[T | ToolError]:
    """Read each URL with `read`; return pages or errors in the order of `urls`.

    Pages that are not finished after `seconds` are cancelled. `report_step` receives a message per finished page.
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
    return [_result(task, task in done) for task in tasks]


def _result[T](task: "asyncio.Task[T]", done: bool) -> T | ToolError:
    if not done:
        return Network("The page was not finished in time. Read it with scrape_page, or call again.", retry_after=5)
    try:
        return task.result()
    except ToolError as error:
        return error
