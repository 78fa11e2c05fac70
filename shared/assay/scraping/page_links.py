"""Extraction of a page's links."""

from assay.errors import InvalidInput
from assay.html.parser.html_element import HtmlElement
from assay.net.urls import parse_url

MAX_LINKS = 5_000
ROBOTS = ("robots", "assay")  # meta elements and X-Robots-Tag headers that concern this program
VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")  # directives with a colon
ELSEWHERE = ("#", "mailto:", "javascript:", "tel:", "data:", "sms:", "about:", "blob:", "ftp:", "file:")


def extract_links(tree: HtmlElement, base: str) -> tuple[str, ...] | None:
    """Return the canonical http(s) URLs that the page links to, deduplicated, in document order, at most 5,000.

    Links with `rel=nofollow` are omitted; the result is None if a meta element says `nofollow`.
    """
    if any(_is_for_robots(meta) and _says_nofollow(meta.get("content") or "") for meta in tree.iter("meta")):
        return None
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


def forbids_links(header: str) -> bool:
    """Whether an X-Robots-Tag header says `nofollow`, to all robots or to this one.

    A directive with a robot's name before a colon, and those after it, concern that robot.
    """
    robot = ROBOTS[0]
    for directive in header.lower().split(","):
        name, colon, rest = directive.partition(":")
        is_named = bool(colon) and name.strip() not in VALUED
        robot = name.strip() if is_named else robot
        if robot in ROBOTS and _says_nofollow(rest if is_named else directive):
            return True
    return False


def _is_for_robots(meta: HtmlElement) -> bool:
    return (meta.get("name") or "").strip().lower() in ROBOTS


def _says_nofollow(directives: str) -> bool:
    return not {"nofollow", "none"}.isdisjoint(directives.lower().replace(",", " ").split())
