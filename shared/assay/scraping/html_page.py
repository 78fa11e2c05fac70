"""Parses an HTML response into a page: main text, facts, access walls, and what other tiers may add."""

from typing import TYPE_CHECKING, Any

from assay.errors import ToolError
from assay.net.guarded_client import Fetched
from assay.scraping import error_mapping
from assay.scraping.page import CUT, Page, TierReading
from assay.scraping.slow_sites import is_slow

if TYPE_CHECKING:
    from assay.html.metadata.page_metadata import PageFacts
    from assay.html.parser.html_element import HtmlRoot
    from assay.html.reader.main_content import MainContent

MIN_LENGTH = 100  # characters; a shorter result counts as no content
BIG, UNSURE = 100_000, 0.2  # characters of HTML and confidence: a larger page below it hides its content

PAID = "Part of this page is behind a paywall; this is the part that the site shows to everyone."
SHELL = "The page renders its content by JavaScript; this is its content without scripts."
MISSING = (
    "The page says that it does not exist, or that its domain is for sale, although the server sent a success status "
    "(a soft 404)."
)


def parse_html_page(fetched: Fetched, html: str, tier: str, links: bool) -> TierReading:
    """Parse HTML into a page. Raises Blocked or LoginRequired for access walls."""
    from assay.html.parser.html_tree import open_html

    with open_html(html) as tree:
        return _read_tree(tree, fetched, html, tier, links)


def _read_tree(tree: "HtmlRoot", fetched: Fetched, html: str, tier: str, links: bool) -> TierReading:
    from assay.html.metadata.page_metadata import extract_facts
    from assay.html.reader.main_content import find_base_url
    from assay.html.reader.main_content import read_main_content as read_main
    from assay.scraping import iframes
    from assay.scraping.missing_pages import is_missing_page
    from assay.scraping.page_links import extract_links
    from assay.scraping.render_detection import explain_missing_content

    metadata = extract_facts(tree, fetched.url)
    reading = read_main(tree, fetched.url)
    page = build_html_page(fetched, reading, metadata, tier)
    if reading.sections_opened:
        page.extras["collapsedSections"] = reading.sections_opened
    wall = _detect_wall(fetched, html, page.content, metadata.title)
    if (error := _to_refusal(wall, fetched.url)) is not None:
        raise error
    if signals := _extract_forum(tree, fetched.url):
        page.extras["forumSignals"] = signals
    hides = wall == "shell" or (len(html) > BIG and reading.confidence < UNSURE)
    enough = _assess_page(page, hides=hides, paid=wall == "paywall" or metadata.access_free is False)
    if fetched.status < 400 and is_missing_page(tree, page.content):
        page.missing, page.quality, page.access_note, enough = True, "partial", MISSING, True
    is_short = len(page.content) < 5 * MIN_LENGTH
    base = find_base_url(tree, fetched.url) if is_short or links or not enough else ""
    onward = iframes.find_refresh_target(tree, base, fetched.url) if is_short else ""
    inside = () if enough else iframes.list_frame_urls(tree, base, fetched.url)
    lacks = (
        explain_missing_content(tree, html, page.content, rendered=is_slow(fetched.url))
        if enough and tier == "html"
        else ""
    )
    return TierReading(page, enough, inside, onward, extract_links(tree, base) if links else (), lacks)


def _detect_wall(fetched: Fetched, html: str, content: str, title: str) -> str | None:
    """The kind of access wall, by the text; with little text by the HTML too, since forms are not extracted."""
    from assay.scraping.access_walls import detect_wall

    size, status = len(html), fetched.status
    wall = detect_wall(content, html_size=size, status=status, headers=fetched.headers, title=title)
    if len(content) < MIN_LENGTH and wall not in ("bot", "login"):
        wall = detect_wall(html, html_size=size, status=status, title=title) or wall
    return wall


def _assess_page(page: Page, *, hides: bool, paid: bool) -> bool:
    """Set quality and access note; return whether no other tier would yield more."""
    thin = len(page.content) < MIN_LENGTH
    if paid:
        page.quality, page.access_note = "partial", PAID
        return not thin  # other tiers cannot read a paywalled part either
    if hides or thin:
        page.quality = "partial"
        page.access_note = SHELL if hides else f"The page contains only {len(page.content)} characters of text."
        return False
    return True


def _extract_forum(tree: "HtmlRoot", url: str) -> dict[str, Any] | None:
    from assay.html.reader.forum_posts import extract_forum_signals

    found = extract_forum_signals(tree, url)
    return found.wire() if found else None


def _to_refusal(wall: str | None, url: str) -> ToolError | None:
    if wall == "bot":
        return error_mapping.blocked_error(url)
    if wall == "login":
        return error_mapping.login_required(url)
    return None


def build_html_page(fetched: Fetched, reading: "MainContent", metadata: "PageFacts", tier: str) -> Page:
    """Build the page from its main content and metadata."""
    is_cut = fetched.truncated or reading.is_cut
    return Page(
        url=fetched.url,
        content=reading.markdown,
        content_type="html",
        tier=tier,
        title=metadata.title,
        authors=list(metadata.authors),
        site=metadata.site,
        published=metadata.published,
        modified=metadata.modified,
        description=metadata.description,
        canonical=metadata.canonical,
        language=metadata.language,
        doi=metadata.doi or None,
        types=list(metadata.types),
        structured=metadata.structured.wire() if metadata.structured else None,
        truncated=is_cut,
        access_note=CUT if is_cut else None,
    )
