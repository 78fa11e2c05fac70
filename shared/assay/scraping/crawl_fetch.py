"""A page met on a walk through a site: what its own server answered, whatever that is."""

from typing import NamedTuple

from assay.errors import ToolError
from assay.net.guarded_client import Fetched
from assay.net.transport import REDIRECTS
from assay.net.urls import parse_url
from assay.scraping import response_parser
from assay.scraping.page import Page
from assay.scraping.parse_executor import Readers
from assay.settings import Settings


class CrawlVisit(NamedTuple):
    """`url` is where the answer came from. `leads` is where a redirect goes that was not followed. `retry_after` is in
    seconds.
    """

    url: str
    status: int
    page: Page | None = None
    links: tuple[str, ...] = ()
    error: str = ""
    leads: str = ""
    retry_after: int | None = None


async def read(fetched: Fetched, tier: str, settings: Settings, readers: Readers) -> CrawlVisit:
    """What the answer holds. Only an answer that is well (below 400) is read; why it cannot be is told in `error`."""
    url, status = fetched.url, fetched.status
    if status in REDIRECTS and (location := fetched.headers.get("location")):
        return CrawlVisit(url, status, leads=_leads(location, url))
    if status >= 400 or status < 200:
        return CrawlVisit(url, status, error=f"HTTP {status}", retry_after=response_parser.retry_after(fetched))
    try:
        found = await response_parser.read(fetched, tier, settings, readers, links=True)
    except ToolError as failure:
        return CrawlVisit(url, status, error=failure.sentence())
    onward = (found.onward,) if found.onward else ()
    return CrawlVisit(url, status, found.page, onward + found.links)


def _leads(location: str, url: str) -> str:
    try:
        return parse_url(location, url).url
    except ToolError:
        return "an address that is none"
