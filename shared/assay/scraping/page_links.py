"""Extraction of a page's links."""

from assay.errors import InvalidInput
from assay.html.parser.html_element import HtmlElement
from assay.net.urls import parse_url

MAX_LINKS = 5_000
ELSEWHERE = ("#", "mailto:", "javascript:", "tel:", "data:", "sms:", "about:", "blob:", "ftp:", "file:")


def extract_links(tree: HtmlElement, base: str) -> tuple[str, ...]:
    """Return the canonical http(s) URLs that the page links to, deduplicated, in document order, at most 5,000.

    Links with `rel=nofollow` are omitted.
    """
    found: dict[str, None] = {}
    origin = "/".join([*base.split("/", 3)[:3], ""])  # resolving against the origin is cacheable across pages of a site
    for element in tree.iter("a", "area", "frame"):
        if "nofollow" in (element.get("rel") or "").lower().split():
            continue
        link = (element.get("href") or element.get("src") or "").strip()
        if not link or link[:11].lower().startswith(ELSEWHERE):
            continue
        try:
            found[parse_url(link, origin if link[0] == "/" and link[:2] not in ("//", "/\\") else base).url] = None
        except InvalidInput:
            continue
        if len(found) >= MAX_LINKS:
            break
    return tuple(found)
