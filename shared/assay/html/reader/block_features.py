"""Numeric features of each block of a page: its text, position, neighbours and similar blocks.

The classifier addresses features by position, so the order of PARTS must match `model.json`.
"""

import re
from collections import Counter
from itertools import pairwise
from math import log

from lxml.html import HtmlElement

from assay.html.reader.block_classifier import Row
from assay.html.reader.class_hints import HINT_COUNT, NO_HINTS, TAG_HINTS, find_hints, increment_distances
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock
from assay.text.short_text_cache import cache_short

NAMING_ATTRIBUTES = (
    "id",
    "role",
    "itemprop",
    "data-testid",
)  # attributes that name an element, in addition to its class
NAMING_ATTRIBUTE_SET = frozenset(NAMING_ATTRIBUTES)

NAVIGATION_TAGS = frozenset(("nav", "footer"))

KIND_BY_TAG = {
    "p": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 5, "h5": 5, "h6": 5, "blockquote": 6, "pre": 7, "li": 8, "dd": 9, "dt": 9,
    "td": 10, "th": 10, "figcaption": 11, "caption": 11, "summary": 12, "article": 13, "section": 13, "main": 13,
    "body": 14, "div": 15, "center": 15, "header": 16, "footer": 17, "address": 18, "nav": 19, "aside": 19, "form": 20,
    "fieldset": 20,
    "button": 21, "legend": 21, "figure": 11,
}  # fmt: skip
DIGITS = re.compile(r"\d+")
SENTENCE_ENDS = frozenset(".!?…。:")
NONE: tuple[int, ...] = ()
NO_REGION = (0.0, 0.0, 0.0, 0, -1.0, 0.0)
WORD = re.compile(r"\w+")
TYPE_PATTERNS = [
    re.compile(pattern)
    for pattern in (
        r'"(?:[A-Za-z]*Article|BlogPosting|[A-Za-z]*Report|HowTo|Recipe)"',
        r'"Product(?:Group)?"',
        r'"(?:ItemList|CollectionPage|SearchResultsPage|ProductCollection|Blog)"',
        r'"(?:DiscussionForumPosting|QAPage|Question|Comment)"',
        r'"(?:LocalBusiness|Service|Organization|FAQPage|SoftwareApplication)"',
    )
]


@cache_short(8192)
def strip_digits(names: str) -> str:
    """Return the classes without digits, so that numbered classes compare equal."""
    return DIGITS.sub("", names)


class FrameContext:
    """Features that a frame passes to its blocks: distances to class hints above, and its amount of text."""

    __slots__ = ("depth", "faded", "group", "hints", "inside", "is_navigation", "lineage", "numbers", "region")

    def __init__(self, frame: Frame, above: "FrameContext | None", inside: int) -> None:
        element = frame.element
        name, own = "", NONE
        if given := element.keys():
            name = element.get("class") or ""
            if NAMING_ATTRIBUTE_SET.isdisjoint(given):
                own = find_hints(name[:300])
            else:
                own = find_hints(" ".join([name, *filter(None, map(element.get, NAMING_ATTRIBUTES))])[:300])
        meant = TAG_HINTS.get(frame.tag)
        self.depth: int = 0 if above is None else above.depth + 1
        self.hints: tuple[int, ...] = NO_HINTS if above is None else above.faded
        if own or meant is not None:
            near = list(self.hints)
            for index in own:
                near[index] = 0
            if meant is not None:
                near[meant] = 0
            self.hints = tuple(near)
        self.faded: tuple[int, ...] = increment_distances(self.hints)
        self.inside = inside
        self.is_navigation: bool = frame.tag in NAVIGATION_TAGS or (above is not None and above.is_navigation)
        self.group = f"{frame.tag}.{strip_digits(name)}"
        self.region: tuple[float, ...] = NO_REGION
        words, blocks = frame.words, frame.blocks
        self.numbers = (
            log(1 + words),
            frame.link_words / words if words else 0.0,
            frame.texts / blocks if blocks else 0.0,
        )
        # of the three enclosing frames; the outermost one is repeated if there are fewer
        self.lineage: tuple[float, ...] = self.numbers * 3 if above is None else above.numbers + above.lineage[:6]


def build_contexts(page: BlockPage, core: Frame) -> dict[int, FrameContext]:
    """Return the context of every frame that has a block, by the frame's `id()`."""
    found: dict[int, FrameContext] = {}
    regions = 0
    levels = {id(core): 1}
    for frame in page.frames:
        if not frame.blocks:
            continue
        parent = frame.parent
        inside = levels.get(id(frame), 0)
        above = None
        if parent is not None:
            above = found[id(parent)]
            if above.inside:
                inside = above.inside + 1
        place = found[id(frame)] = FrameContext(frame, above, inside)
        if parent is core:
            regions += 1
            place.region = (*place.numbers, regions, frame.first / len(page.blocks), frame.words / (core.words or 1))
        elif above is not None:
            place.region = above.region
    return found


def find_core(page: BlockPage) -> Frame:
    """Return the smallest frame that has most of the running text."""
    frames = page.frames
    children: dict[int, Frame] = {}
    for frame in frames:
        parent = frame.parent
        if parent is not None and frame.texts:
            best = children.get(id(parent))
            if best is None or frame.texts > best.texts:
                children[id(parent)] = frame
    core = frames[0]
    while True:
        child = children.get(id(core))
        if child is None or child.texts * 10 < core.texts * 6:
            return core
        core = child


def page_features(page: BlockPage, tree: HtmlElement, url: str) -> tuple[float, ...]:
    """Return the features that all blocks of a page share."""
    blocks = page.blocks
    words = sum(block.words for block in blocks) or 1
    linked = sum(block.link_words for block in blocks)
    running = sum(block.words for block in blocks if block.is_running_text)
    tags = Counter(frame.tag for frame in page.frames)
    types = _type_features(tree)
    path = url.split("?", 1)[0].split("/", 3)
    parts = path[3].strip("/") if len(path) > 3 else ""
    return (
        log(words), linked / words, running / words, log(len(blocks) + 1), tags["article"], tags["li"] / len(blocks),
        tags["p"] / len(blocks), tags["h1"], tags["pre"], tags["tr"] / len(blocks),
        *types, parts.count("/") if parts else -1, len(parts), sum(sign.isdigit() for sign in parts), parts.count("-"),
        sum("$" in block.text or "€" in block.text or "£" in block.text for block in blocks) / len(blocks),
    )  # fmt: skip


def _type_features(tree: HtmlElement) -> list[float]:
    """Return the type features of the page: its og:type and the types in its JSON-LD."""
    kind = 0.0
    for meta in tree.iter("meta"):
        if meta.get("property") == "og:type":
            og_type = (meta.get("content") or "").lower()
            kind = (
                1.0 if "article" in og_type else 2.0 if "product" in og_type else 3.0 if og_type == "website" else 4.0
            )
            break
    text = " ".join(
        (script.text or "")[:20_000]
        for script in tree.iter("script")
        if (script.get("type") or "") == "application/ld+json"
    )
    return [kind, *(float(bool(text and pattern.search(text))) for pattern in TYPE_PATTERNS)]


def title_words(tree: HtmlElement) -> set[str]:
    title = tree.find(".//title")
    return set(WORD.findall((title.text or "").lower())) if title is not None else set()


def text_features(block: TextBlock, titled: set[str]) -> tuple[float, ...]:
    """Return the features of a block's own text."""
    text, words = block.text, block.words or 1
    known = WORD.findall(text[:120].lower())
    return (
        log(1 + block.words), block.link_words / words, len(text) / words, (text.count(".") + text.count(",")) / words,
        text[-1:] in SENTENCE_ENDS, len(titled.intersection(known)) / (len(known) or 1),
    )  # fmt: skip


PARTS = [
    ["words", "density", "word_length", "punctuation", "ends", "titled"],
    ["kind", "kind_before", "kind_after", "depth", "inside", "inside_share", "doubles"],
    [f"hint{index}" for index in range(HINT_COUNT)],
    ["words0", "density0", "texts0"],
    [f"{name}{level}" for level in (1, 2, 3) for name in ("words", "density", "texts")],
    ["region_words", "region_density", "region_texts", "region_index", "region_position", "region_share"],
    ["position", "words_before", "since_h1", "since_heading"],
    ["heading_level", "section_words", "section_density"],
    ["group_count", "group_words", "group_density", "group_share"],
    ["window_words", "window_density", "wide_words", "wide_density"],
    [
        "page_words", "page_density", "page_running", "page_blocks", "page_articles", "page_items", "page_paragraphs",
        "page_h1", "page_code", "page_rows", "og_type", "is_article", "is_product", "is_list", "is_forum", "is_service",
        "url_depth", "url_length", "url_digits", "url_hyphens", "page_prices",
    ],
]  # fmt: skip
NAMES = [name for part in PARTS for name in part]


class FrameGroup:
    """The blocks in frames with the same tag and classes."""

    __slots__ = ("count", "linked", "words")

    def __init__(self) -> None:
        self.count = self.words = self.linked = 0

    def add(self, block: TextBlock) -> None:
        self.count += 1
        self.words += block.words
        self.linked += block.link_words

    def numbers(self) -> tuple[float, float, float]:
        return log(self.count), log(1 + self.words / self.count), self.linked / self.words if self.words else 0.0


def build_features(page: BlockPage, tree: HtmlElement, url: str) -> tuple[list[Row | None], tuple[float, ...]]:
    """Return a row for each block, grouped as PARTS, and the last group, which all blocks share.

    Together they have the order of NAMES. Blocks of links in a menu have no row: they are never content.
    """
    blocks = page.blocks
    core = find_core(page)
    found = build_contexts(page, core)
    title = title_words(tree)
    shared = page_features(page, tree, url)
    duplicates = Counter(block.text for block in blocks)
    total = sum(block.words for block in blocks) or 1
    groups: dict[str, FrameGroup] = {}
    names: list[str] = []
    for block in blocks:
        frame = block.frame
        group_key = found[id(frame)].group
        if frame.parent is not None:
            group_key = f"{group_key}<{found[id(frame.parent)].group}"
        names.append(group_key)
        groups.setdefault(group_key, FrameGroup()).add(block)
    group_numbers = {name: (*group.numbers(), group.words / total) for name, group in groups.items()}
    kinds = [KIND_BY_TAG.get(block.frame.tag, 22) for block in blocks]
    core_words = core.words / total
    before = _cumulative_words(blocks)
    sections = _sections(blocks, before)
    first_h1 = next((block.index for block in blocks if block.frame.heading == 1), -1)
    rows: list[Row | None] = []
    for index, block in enumerate(blocks):
        place = found[id(block.frame)]
        if place.is_navigation and block.link_words == block.words:
            rows.append(None)
            continue
        rows.append((
            text_features(block, title),
            (
                kinds[index], kinds[index - 1] if index else 0, kinds[index + 1] if index + 1 < len(blocks) else 0,
                place.depth, place.inside, core_words, duplicates[block.text],
            ),
            place.hints, place.numbers, place.lineage, place.region,
            (
                index / len(blocks), before[index][0] / total, (index - first_h1) if first_h1 >= 0 else -999,
                sections[index][0],
            ),
            sections[index][1:], group_numbers[names[index]],
            (*_window(before, index, 3), *_window(before, index, 10)),
        ))  # fmt: skip
    return rows, shared


def _cumulative_words(blocks: list[TextBlock]) -> list[tuple[int, int]]:
    """Return the words and linked words before each block, and the totals."""
    sums, words, linked = [(0, 0)], 0, 0
    for block in blocks:
        words += block.words
        linked += block.link_words
        sums.append((words, linked))
    return sums


def _window(sums: list[tuple[int, int]], index: int, reach: int) -> tuple[float, float]:
    low, high = max(0, index - reach), min(len(sums) - 1, index + reach + 1)
    words, linked = sums[high][0] - sums[low][0], sums[high][1] - sums[low][1]
    return log(1 + words / (high - low)), linked / words if words else 0.0


def _sections(blocks: list[TextBlock], sums: list[tuple[int, int]]) -> list[tuple[float, float, float, float]]:
    """Return for each block: blocks since its heading, that heading's level, words and link share of its section."""
    starts = [block.index for block in blocks if block.frame.heading]
    rows: list[tuple[float, float, float, float]] = []
    for low, high in pairwise([0, *[start for start in starts if start], len(blocks)]):
        words, linked = sums[high][0] - sums[low][0], sums[high][1] - sums[low][1]
        level = blocks[low].frame.heading if low < len(blocks) else 0
        share = linked / words if words else 0.0
        rows.extend((index - low, level, log(1 + words), share) for index in range(low, high))
    return rows
