"""Numeric features of each block of a page: its text, position, neighbours and similar blocks.

The classifier addresses features by position, so the order of PARTS must match `model.json`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import accumulate, pairwise
from math import log
from operator import sub

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.block_classifier import Row
from assay.html.reader.block_shape import (
    SINCE,
    UNDER,
    UNTIL,
    count_beginnings,
    find_declared,
    measure_markers,
    measure_surroundings,
)
from assay.html.reader.class_hints import HINT_COUNT, NAME_INDEX, NO_HINTS
from assay.html.reader.container_names import NO_SHARES
from assay.html.reader.frame_contexts import (
    NO_REGION,
    FrameContext,
    build_contexts,
    find_core,
    find_traits,
)
from assay.html.reader.lexical_markers import find_markers
from assay.html.reader.metadata_body import find_embedded_body
from assay.html.reader.page_features import build_page_features
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock
from assay.html.reader.title_words import TitleWords
from assay.text.short_text_cache import cache_short

try:
    from assay.html.reader._block_features import measure_blocks as compiled_measures
except ImportError:  # the extension module is not built
    compiled_measures = None  # type: ignore[assignment]

KIND_BY_TAG = {
    "p": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 5, "h5": 5, "h6": 5, "blockquote": 6, "pre": 7, "li": 8, "dd": 9, "dt": 9,
    "td": 10, "th": 10, "figcaption": 11, "caption": 11, "summary": 12, "article": 13, "section": 13, "main": 13,
    "body": 14, "div": 15, "center": 15, "header": 16, "footer": 17, "address": 18, "nav": 19, "aside": 19, "form": 20,
    "fieldset": 20,
    "button": 21, "legend": 21, "figure": 11,
}  # fmt: skip
OTHER_KIND = 22
SENTENCE_ENDS = ".!?…。:！？．：؟।۔"
OTHER_MARKS = "。，、．؛،।۔"  # full stops and commas beyond ASCII
USUAL_WORD_LENGTH = 6.0  # characters with the space, of the words of a text in a script without spaces
TYPOGRAPHIC_MARKS = "’‘“”–—…•·|»«›©®™\xa0"  # common ones beyond ASCII, which are in no word
DIGITS = re.compile(r"\d+")
NOTHING_AROUND = HtmlElement("")
NO_H1 = -999
WINDOWS = (3, 10)  # blocks before and after

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
    [f"marker{index}" for index in range(len(SINCE) + len(UNTIL) + len(UNDER))],
    ["core_after", "same_beginnings", "parent_running", "parent_share"],
    ["is_declared"],
    [f"share{index}" for index in range(len(NO_SHARES))],
    [
        "page_words", "page_density", "page_running", "page_blocks", "page_articles", "page_items", "page_paragraphs",
        "page_h1", "page_code", "page_rows", "og_type", "is_article", "is_product", "is_list", "is_forum", "is_service",
        "url_depth", "url_length", "url_digits", "url_hyphens", "page_prices",
        "page_core_share",
    ],
]  # fmt: skip
NAMES = [name for part in PARTS for name in part]

# By block: blocks with the same text, those that begin alike, whether it is in a declared text.
type Columns = tuple[list[int], list[int], list[tuple[int]]]


@cache_short(8192)
def strip_digits(names: str) -> str:
    """Return the classes without digits, so that numbered classes compare equal."""
    return DIGITS.sub("", names)


AROUND_PAGE = (NO_HINTS, NO_REGION, NO_SHARES)
KNOWLEDGE = (
    find_markers,
    NAME_INDEX.find_in_word,
    find_traits,
    strip_digits,
    KIND_BY_TAG,
    OTHER_KIND,
    OTHER_MARKS,
    SENTENCE_ENDS,
    TYPOGRAPHIC_MARKS,
    USUAL_WORD_LENGTH,
)


def build_features(page: BlockPage, tree: HtmlElement, url: str) -> tuple[list[Row | None], tuple[float, ...]]:
    """Return a row for each block, grouped as PARTS, and the last group, which all blocks share.

    Together they have the order of NAMES. Blocks of links in a menu have no row: they are never content.
    """
    blocks = page.blocks
    texts = [block.text for block in blocks]
    title = TitleWords(tree)
    columns: Columns = (
        list(map(Counter(texts).__getitem__, texts)), count_beginnings(texts),
        find_declared(blocks, find_embedded_body(tree)),
    )  # fmt: skip
    if compiled_measures is None:
        rows, running, most = _measure_blocks(page, title, columns)
    else:
        words = list(title.words), title.measure_share
        rows, running, most = compiled_measures(page.frames, blocks, words, columns, AROUND_PAGE, KNOWLEDGE)
    return rows, (*build_page_features(page, texts, running, tree, url), most / (running or 1))


def _measure_blocks(page: BlockPage, title: TitleWords, columns: Columns) -> tuple[list[Row | None], int, int]:
    """Return the rows of a page, its running words and those of its core, where no extension module does."""
    surroundings, running, most = measure_surroundings(page.blocks, columns[1])
    return list(_build_rows(page, title, columns, surroundings)), running, most


def _build_rows(
    page: BlockPage, title: TitleWords, columns: Columns, surroundings: list[tuple[float, ...]]
) -> Iterator[Row | None]:
    blocks = page.blocks
    all_doubles, _, declared = columns
    core = find_core(page)
    contexts = build_contexts(page, core)
    words_before = [0, *accumulate([block.words for block in blocks])]
    links_before = [0, *accumulate([block.link_words for block in blocks])]
    total = words_before[-1] or 1
    core_share = core.words / total
    since_heading, sections = _build_section_features(blocks, words_before, links_before)
    rows = zip(
        [_find_context(block, contexts) for block in blocks], blocks, _build_kinds(blocks),
        _build_positions(blocks, words_before, since_heading), sections,
        _build_group_features(blocks, total), _build_window_features(words_before, links_before),
        all_doubles, measure_markers(blocks), surroundings, declared, strict=True,
    )  # fmt: skip
    for own, block, kinds, position, section, group, window, doubles, *others in rows:
        if own is None:
            yield None
            continue
        yield (
            _build_text_features(block, title), (*kinds, own.depth, own.inside, core_share, doubles),
            own.distances.distances, own.numbers, own.lineage, own.region, position, section, group, window, *others,
            own.shares,
        )  # fmt: skip


def _find_context(block: TextBlock, contexts: dict[Frame | None, FrameContext | None]) -> FrameContext | None:
    """Return the context of the block's frame; None for links in a menu."""
    context = contexts[block.frame]
    if context is None or (context.is_navigation and block.link_words == block.words):
        return None
    return context


def _build_kinds(blocks: list[TextBlock]) -> Iterator[tuple[int, int, int]]:
    """Return for each block the kind of its element, and those of the blocks before and after it."""
    kinds = [0, *[KIND_BY_TAG.get(block.frame.element.tag, OTHER_KIND) for block in blocks], 0]
    return zip(kinds[1:-1], kinds[:-2], kinds[2:], strict=True)


def _build_text_features(block: TextBlock, title: TitleWords) -> tuple[float, ...]:
    """Return the features of a block's own text."""
    text, words = block.text, block.words or 1
    length = len(text) / words
    marks = text.count(".") + text.count(",")
    if not text.isascii():
        marks += sum(map(text.count, OTHER_MARKS))
        if words > text.count(" ") + 1:  # letters that form words without spaces
            length = USUAL_WORD_LENGTH
    return (
        log(1 + block.words), block.link_words / words, length, marks / words,
        text != "" and text[-1] in SENTENCE_ENDS, title.measure_share(text),
    )  # fmt: skip


def _build_positions(
    blocks: list[TextBlock], words_before: list[int], since_heading: list[int]
) -> list[tuple[float, ...]]:
    """Return for each block its place among the blocks and words, and the blocks since the first h1 and a heading."""
    count, total = len(blocks), words_before[-1] or 1
    first_h1 = next((block.index for block in blocks if block.frame.heading == 1), -1)
    since_h1 = range(-first_h1, count - first_h1) if first_h1 >= 0 else [NO_H1] * count
    columns = zip(range(count), words_before[:-1], since_h1, since_heading, strict=True)
    return [(index / count, words / total, h1, heading) for index, words, h1, heading in columns]


class FrameGroup:
    """The blocks in frames with the same tag and classes."""

    __slots__ = ("count", "linked", "words")

    def __init__(self) -> None:
        self.count = self.words = self.linked = 0

    def numbers(self, total: int) -> tuple[float, float, float, float]:
        density = self.linked / self.words if self.words else 0.0
        return log(self.count), log(1 + self.words / self.count), density, self.words / total


def _build_group_features(blocks: list[TextBlock], total: int) -> list[tuple[float, ...]]:
    """Return for each block the numbers of the blocks whose frames, and the frames around them, look alike."""
    groups: defaultdict[tuple[str, str, str, str], FrameGroup] = defaultdict(FrameGroup)
    known: dict[tuple[str, str | None, str, str | None], FrameGroup] = {}  # by the classes as they are
    own: list[FrameGroup] = []
    for block in blocks:
        frame = block.frame
        element, parent = frame.element, frame.parent
        around = NOTHING_AROUND if parent is None else parent.element
        key = (element.tag, element.attributes.get("class"), around.tag, around.attributes.get("class"))
        group = known.get(key)
        if group is None:
            tag, names, outer_tag, outer_names = key
            group = groups[tag, strip_digits(names or ""), outer_tag, strip_digits(outer_names or "")]
            known[key] = group
        group.count += 1
        group.words += block.words
        group.linked += block.link_words
        own.append(group)
    numbers = {group: group.numbers(total) for group in groups.values()}
    return [numbers[group] for group in own]


def _build_window_features(words_before: list[int], links_before: list[int]) -> list[tuple[float, ...]]:
    """Return for each block the words and link shares of the blocks up to 3 and up to 10 places away."""
    columns: list[list[float]] = []
    count = len(words_before) - 1
    for reach in WINDOWS:
        beside = min(reach, count)
        words, linked, sizes = (
            list(map(sub, [*sums[beside + 1 :], *[sums[-1]] * beside], [*[0] * beside, *sums[:-1]]))
            for sums in (words_before, links_before, range(count + 1))
        )
        columns.append([log(1 + number / size) for number, size in zip(words, sizes, strict=True)])
        columns.append([link / number if number else 0.0 for link, number in zip(linked, words, strict=True)])
    return list(zip(*columns, strict=True))


def _build_section_features(
    blocks: list[TextBlock], words_before: list[int], links_before: list[int]
) -> tuple[list[int], list[tuple[float, float, float]]]:
    """Return for each block the blocks since its heading; and that heading's level, words and link share of its
    section.
    """
    starts = [block.index for block in blocks if block.frame.heading]
    since: list[int] = []
    sections: list[tuple[float, float, float]] = []
    for low, high in pairwise([0, *[start for start in starts if start], len(blocks)]):
        words, linked = words_before[high] - words_before[low], links_before[high] - links_before[low]
        section = (blocks[low].frame.heading, log(1 + words), linked / words if words else 0.0)
        since += range(high - low)
        sections += [section] * (high - low)
    return since, sections
