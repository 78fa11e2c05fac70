"""Concurrent scraping of several pages with a common deadline and one result or error per page."""

from collections.abc import Awaitable, Callable, Sequence

from assay.errors import Network, ToolError
from assay.net.urls import canonicalize_url
from assay.state.concurrent_map import Unfinished, map_until

MESSAGE_LENGTH = 200  # maximum length of a progress message


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

    async def scrape(url: str) -> T | ToolError:
        page: T | ToolError
        try:
            page, message = await read(canonicalize_url(url)), f"Read {url}"
        except ToolError as error:
            page, message = error, f"Could not read {url}"
        if report_step is not None:
            await report_step(message[:MESSAGE_LENGTH])
        return page

    pages = await map_until(scrape, urls, seconds=seconds, limit=at_once)
    return [_build_timeout_error() if isinstance(page, Unfinished) else page for page in pages]


def _build_timeout_error() -> Network:
    return Network("The page was not finished in time. Read it with scrape_page, or call again.", retry_after=5)
