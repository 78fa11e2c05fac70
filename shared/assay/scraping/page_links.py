"""Where a page leads: the addresses behind its links."""

from lxml.html import HtmlElement

from assay.errors import InvalidInput
from assay.net.urls import parse_url

MOST = 5_000  # a page that holds more is no page for readers
ELSEWHERE = ("#", "mailto:", "javascript:", "tel:", "data:", "sms:", "about:", "blob:", "ftp:", "file:")


def links_of(tree: HtmlElement, base: str) -> tuple[str, ...]:
    """The canonical http(s) URLs that the page links, in its order, each once; of many the first 5,000.

    Links that the page asks robots not to follow (`rel=nofollow`) are left out.
    """
    found: dict[str, None] = {}
    origin = "/".join([*base.split("/", 3)[:3], ""])  # from which most links start: the same on every page of a site
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
        if len(found) >= MOST:
            break
    return tuple(found)
