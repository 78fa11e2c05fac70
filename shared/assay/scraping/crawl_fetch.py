"""Parsing of a crawled response of any status into a page, links, a redirect or an error."""

from typing import NamedTuple

from assay.errors import ToolError
from assay.net.guarded_client import Fetched
from assay.net.transport import REDIRECTS
from assay.net.urls import parse_url
from assay.scraping import response_parser
from assay.scraping.page import Page
from assay.scraping.page_links import forbids_links
from assay.scraping.parse_executor import ParseExecutor
from assay.settings import Settings


class CrawlVisit(NamedTuple):
    """The result of one crawl request.

    `url` is the final URL, `leads` the target of a redirect that was not followed, `retry_after` in seconds. With
    `nofollow`, the page tells robots not to follow its links, which are omitted.
    """

    url: str
    status: int
    page: Page | None = None
    links: tuple[str, ...] = ()
    error: str = ""
    leads: str = ""
    retry_after: int | None = None
    nofollow: bool = False


async def read(fetched: Fetched, tier: str, settings: Settings, readers: ParseExecutor) -> CrawlVisit:
    """Parse the response if its status is below 400; `error` holds the reason if it cannot be parsed."""
    url, status = fetched.url, fetched.status
    if status in REDIRECTS and (location := fetched.headers.get("location")):
        return CrawlVisit(url, status, leads=_leads(location, url))
    if status >= 400 or status < 200:
        return CrawlVisit(url, status, error=f"HTTP {status}", retry_after=response_parser.get_retry_after(fetched))
    try:
        found = await response_parser.read(fetched, tier, settings, readers, links=True)
    except ToolError as failure:
        return CrawlVisit(url, status, error=failure.sentence())
    onward = (found.onward,) if found.onward else ()
    # Joined, a header for all robots would belong to the robot that the one before it names. A browser joins them.
    headers = fetched.items or fetched.headers.items()
    tags = [value for name, value in headers if name == "x-robots-tag"]
    nofollow = found.links is None or any(map(forbids_links, tags))
    links = () if nofollow else found.links or ()
    return CrawlVisit(url, status, found.page, onward + links, nofollow=nofollow)


def _leads(location: str, url: str) -> str:
    try:
        return parse_url(location, url).url
    except ToolError:
        return "an invalid URL"
