"""The body of a long page, found by where its text lies: quick where there are too many blocks to weigh each."""

import re

from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock

ASIDE = frozenset(("nav", "aside", "footer", "form", "button", "header", "menu", "address"))
ROLES = frozenset(("navigation", "complementary", "contentinfo", "banner", "search", "menu", "dialog"))
NAMED = re.compile(
    r"\b(?:nav(?:bar|igation)?|menu|breadcrumbs?|pagination|pager|sidebar|side-bar|footer|masthead|topbar|banner|cookies?"
    r"|consent|share|sharing|social|related|recommend(?:ed|ations)?|promo|advert(?:isement)?|ads?|sponsor(?:ed)?"
    r"|newsletter|subscribe|popup|modal|comments?|disqus)\b",
    re.IGNORECASE,
)
ARTICLES = frozenset(("article", "main"))
DOWN, DOWN_TO_ARTICLE = 0.8, 0.5  # of a place's words must lie in one part of it, to go down there
LINKED = 0.6  # share of link words from which a block or a list only leads elsewhere


def body(page: BlockPage) -> list[TextBlock]:
    """The blocks of the part that holds most of the page's words, without what stands beside it."""
    beside = _beside(page.frames)
    words = _words(page, beside)
    place = page.frames[0]
    parts: dict[int, list[Frame]] = {}
    for frame in page.frames[1:]:
        if id(frame) not in beside:
            parts.setdefault(id(frame.parent), []).append(frame)
    while found := _part(parts.get(id(place), []), words, words.get(id(place), 0)):
        place = found
    return [
        block
        for block in page.blocks[place.first : place.last]
        if id(block.frame) not in beside and not _leads_elsewhere(block)
    ]


def _beside(frames: list[Frame]) -> set[int]:
    """What is no part of the text, with all it holds; a header, a form or a name inside an article may be."""
    found: set[int] = set()
    within: set[int] = set()
    whole = frames[0].words
    for frame in frames[1:]:
        inside = id(frame.parent) in within
        if id(frame.parent) in found or (frame.words < 0.5 * whole and _is_beside(frame, inside)):
            found.add(id(frame))
        elif frame.tag in ARTICLES or inside:
            within.add(id(frame))
    return found


def _is_beside(frame: Frame, within: bool) -> bool:
    tag, element = frame.tag, frame.element
    if tag in ASIDE:
        return not (within and tag == "header")
    if element.get("role") in ROLES:
        return True
    if tag in ("ul", "ol", "table") and frame.words > 3 and frame.link_words > LINKED * frame.words and not within:
        return True
    name = f"{element.get('class') or ''} {element.get('id') or ''}"
    return len(name) > 1 and NAMED.search(name.replace("_", "-")) is not None


def _words(page: BlockPage, beside: set[int]) -> dict[int, int]:
    """The words that are no links, by the frames around them."""
    found: dict[int, int] = {}
    for block in page.blocks:
        found[id(block.frame)] = found.get(id(block.frame), 0) + block.words - block.link_words
    for frame in reversed(page.frames):  # parents come before what they hold
        if frame.parent is not None and id(frame) not in beside:
            found[id(frame.parent)] = found.get(id(frame.parent), 0) + found.get(id(frame), 0)
    return found


def _part(parts: list[Frame], words: dict[int, int], whole: int) -> Frame | None:
    """The part to go down to, when one of them holds nearly all."""
    best = max(parts, key=lambda part: words.get(id(part), 0), default=None)
    if best is None:
        return None
    share = words.get(id(best), 0) / max(1, whole)
    return best if share >= (DOWN_TO_ARTICLE if best.tag in ARTICLES else DOWN) else None


def _leads_elsewhere(block: TextBlock) -> bool:
    return block.words > 0 and block.link_words > LINKED * block.words and not block.frame.heading
