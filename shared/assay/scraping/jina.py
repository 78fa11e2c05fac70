"""A page read by Jina Reader, where the operator has it on: Jina learns what is read. https://github.com/jina-ai/reader"""

from urllib.parse import quote

from assay.errors import ContentEmpty
from assay.providers import dug
from assay.scraping import outside
from assay.scraping.page import Page
from assay.scraping.sites import Means
from assay.text.sanitise import sanitise

SECONDS = 30.0


async def read(url: str, means: Means) -> Page:
    """Raises ContentEmpty where Jina has no text of it, and what an upstream raises."""
    key = means.settings.key("JINA_API_KEY")
    base = means.settings.base_url("jina", "https://r.jina.ai")
    headers = {"Accept": "application/json", "X-Return-Format": "markdown"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    escaped = quote(url, safe=":/?&=%@+,;~!$'()*")
    answer = (await means.http.ask("jina", "GET", f"{base}/{escaped}", headers=headers, seconds=SECONDS)).body
    found = outside.record(dug(answer, "data"))
    text = found.get("content")
    content = sanitise(text).strip() if isinstance(text, str) else ""
    if not content:
        raise ContentEmpty(f"Jina Reader has no text of {url}.", provider="jina")
    return Page(
        url=url,
        content=content,
        content_type="text/markdown",
        tier="jina",
        title=outside.line(found.get("title")),
        description=outside.line(found.get("description")),
        published=outside.moment(found.get("publishedTime"), means.clock()),
    )
