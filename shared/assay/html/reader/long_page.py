"""The body of a long page, found from the distribution of its words; used when classifying each block is too slow."""

import re

from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock

MARGIN_TAGS = frozenset(("nav", "aside", "footer", "form", "button", "header", "menu", "address"))
MARGIN_ROLES = frozenset(("navigation", "complementary", "contentinfo", "banner", "search", "menu", "dialog"))
MARGIN_NAMES = re.compile(
    r"\b(?:nav(?:bar|igation)?|menu|breadcrumbs?|pagination|pager|sidebar|side-bar|footer|masthead|topbar|banner|cookies?"
    r"|consent|share|sharing|social|related|recommend(?:ed|ations)?|promo|advert(?:isement)?|ads?|sponsor(?:ed)?"
    r"|newsletter|subscribe|popup|modal|comments?|disqus)\b",
    re.IGNORECASE,
)
ARTICLE_TAGS = frozenset(("article", "main"))
MIN_SHARE, MIN_ARTICLE_SHARE = (
    0.8,
    0.5,
)  # share of a frame's words that one part must have for the search to descend to it
NAVIGATION_SHARE = 0.6  # share of link words from which a block or list is navigation


def find_body_blocks(page: BlockPage) -> list[TextBlock]:
    """Return the blocks of the part that has most of the page's words, without navigation and margins."""
    beside = _margin_frames(page.frames)
    words = _words(page, beside)
    place = page.frames[0]
    parts: dict[int, list[Frame]] = {}
    for frame in page.frames[1:]:
        if id(frame) not in beside:
            parts.setdefault(id(frame.parent), []).append(frame)
    while found := _dominant_part(parts.get(id(place), []), words, words.get(id(place), 0)):
        place = found
    return [
        block
        for block in page.blocks[place.first : place.last]
        if id(block.frame) not in beside and not _is_navigation(block)
    ]


def _margin_frames(frames: list[Frame]) -> set[int]:
    """Return the `id()` of the frames that are not content; headers and forms inside an article may be."""
    found: set[int] = set()
    within: set[int] = set()
    whole = frames[0].words
    for frame in frames[1:]:
        inside = id(frame.parent) in within
        if id(frame.parent) in found or (frame.words < 0.5 * whole and _is_margin(frame, inside)):
            found.add(id(frame))
        elif frame.tag in ARTICLE_TAGS or inside:
            within.add(id(frame))
    return found


def _is_margin(frame: Frame, within: bool) -> bool:
    tag, element = frame.tag, frame.element
    if tag in MARGIN_TAGS:
        return not (within and tag == "header")
    if element.get("role") in MARGIN_ROLES:
        return True
    if (
        tag in ("ul", "ol", "table")
        and frame.words > 3
        and frame.link_words > NAVIGATION_SHARE * frame.words
        and not within
    ):
        return True
    name = f"{element.get('class') or ''} {element.get('id') or ''}"
    return len(name) > 1 and MARGIN_NAMES.search(name.replace("_", "-")) is not None


def _words(page: BlockPage, beside: set[int]) -> dict[int, int]:
    """Return the words outside links by enclosing frame."""
    found: dict[int, int] = {}
    for block in page.blocks:
        found[id(block.frame)] = found.get(id(block.frame), 0) + block.words - block.link_words
    for frame in reversed(page.frames):  # parents precede their children
        if frame.parent is not None and id(frame) not in beside:
            found[id(frame.parent)] = found.get(id(frame.parent), 0) + found.get(id(frame), 0)
    return found


def _dominant_part(parts: list[Frame], words: dict[int, int], whole: int) -> Frame | None:
    """Return the part to descend to, if one has nearly all words."""
    best = max(parts, key=lambda part: words.get(id(part), 0), default=None)
    if best is None:
        return None
    share = words.get(id(best), 0) / max(1, whole)
    return best if share >= (MIN_ARTICLE_SHARE if best.tag in ARTICLE_TAGS else MIN_SHARE) else None


def _is_navigation(block: TextBlock) -> bool:
    return block.words > 0 and block.link_words > NAVIGATION_SHARE * block.words and not block.frame.heading
