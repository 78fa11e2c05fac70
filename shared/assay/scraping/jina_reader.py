"""Tier that reads a page through Jina Reader, if enabled. https://github.com/jina-ai/reader"""

from urllib.parse import quote

from assay.errors import ContentEmpty
from assay.provider_base.results import get_path
from assay.scraping import untrusted_json
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext
from assay.text.sanitize import sanitise
from assay.text.user_info import remove_link_user_info

SECONDS = 30.0


async def read(url: str, context: SiteContext) -> Page:
    """Read the page. Raises ContentEmpty if Jina has no text of it, and the errors of the upstream."""
    key = context.settings.key("JINA_API_KEY")
    base = context.settings.base_url("jina", "https://r.jina.ai")
    headers = {"Accept": "application/json", "X-Return-Format": "markdown"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    escaped = quote(url, safe=":/?&=%@+,;~!$'()*")
    answer = (await context.http.request("jina", "GET", f"{base}/{escaped}", headers=headers, seconds=SECONDS)).body
    found = untrusted_json.as_object(get_path(answer, "data"))
    text = found.get("content")
    content = remove_link_user_info(sanitise(text)).strip() if isinstance(text, str) else ""
    if not content:
        raise ContentEmpty(f"Jina Reader has no text of {url}.", provider="jina")
    return Page(
        url=url,
        content=content,
        content_type="text/markdown",
        tier="jina",
        title=untrusted_json.clean_line(found.get("title")),
        description=untrusted_json.clean_line(found.get("description")),
        published=untrusted_json.parse_date(found.get("publishedTime"), context.clock()),
    )
