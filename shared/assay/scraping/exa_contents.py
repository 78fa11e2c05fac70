"""Tier that reads a page through Exa (paid per page). https://docs.exa.ai/reference/get-contents"""

from typing import Any

from assay.errors import ContentEmpty, NotFound
from assay.provider_base.results import get_path
from assay.providers.exa import Exa
from assay.scraping import untrusted_json
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext
from assay.text.sanitize import sanitise

SECONDS = 30.0


async def read(url: str, context: SiteContext) -> Page:
    """Read the page. Raises NotFound or ContentEmpty if Exa cannot read it, and the errors of the upstream."""
    source = Exa(context.http, context.settings)
    source.seconds = SECONDS
    answer = await source.post("/contents", {"urls": [url], "text": True}, price=source.prices["contents"])
    status = untrusted_json.as_object(get_path(answer, "statuses", 0))
    if status.get("status") == "error":
        raise _to_error(url, get_path(status, "error", "tag"))
    found = untrusted_json.as_object(get_path(answer, "results", 0))
    text = found.get("text")
    content = sanitise(text).strip() if isinstance(text, str) else ""
    if not content:
        raise _to_error(url, None)
    author = untrusted_json.clean_line(found.get("author"))
    return Page(
        url=url,
        content=content,
        content_type="text/plain",
        tier=f"exa:{'crawled' if status.get('source') == 'crawled' else 'cached'}",
        title=untrusted_json.clean_line(found.get("title")),
        authors=[author] if author else [],
        published=untrusted_json.parse_date(found.get("publishedDate"), context.clock()),
    )


def _to_error(url: str, tag: Any) -> NotFound | ContentEmpty:
    if tag == "CRAWL_NOT_FOUND":
        return NotFound(f"Exa cannot find {url} either.", provider="exa")
    return ContentEmpty(f"Exa has no text of {url}.", provider="exa")
