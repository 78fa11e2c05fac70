"""Numeric features of each block of a page: its text, position, neighbours and similar blocks.

The classifier addresses features by position, so the order of PARTS must match `model.json`.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import log

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.block_classifier import Row
from assay.html.reader.block_shape import (
    SINCE,
    UNDER,
    UNTIL,
    find_declared,
    measure_markers,
    measure_surroundings,
)
from assay.html.reader.class_hints import HINT_COUNT
from assay.html.reader.container_names import NO_SHARES
from assay.html.reader.frame_contexts import FrameContext, build_contexts, find_core
from assay.html.reader.metadata_body import find_embedded_body
from assay.html.reader.page_features import build_page_features
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock

KIND_BY_TAG = {
    "p": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 5, "h5": 5, "h6": 5, "blockquote": 6, "pre": 7, "li": 8, "dd": 9, "dt": 9,
    "td": 10, "th": 10, "figcaption": 11, "caption": 11, "summary": 12, "article": 13, "section": 13, "main": 13,
    "body": 14, "div": 15, "center": 15, "header": 16, "footer": 17, "address": 18, "nav": 19, "aside": 19, "form": 20,
    "fieldset": 20,
    "button": 21, "legend": 21, "figure": 11,
}  # fmt: skip
OTHER_KIND = 22
SENTENCE_ENDS = frozenset(".!?…。:")
WORD = re.compile(r"\w+")

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


def build_features(page: BlockPage, tree: HtmlElement, url: str) -> tuple[list[Row | None], tuple[float, ...]]:
    """Return a row for each block, grouped as PARTS, and the last group, which all blocks share.

    Together they have the order of NAMES. Blocks of links in a menu have no row: they are never content.
    """
    core = find_core(page)
    contexts = build_contexts(page, core)
    surroundings, core_share = measure_surroundings(page.blocks)
    declared = find_declared(page.blocks, find_embedded_body(tree))
    rows = list(_build_rows(page, _find_title_words(tree), core, contexts, surroundings, declared))
    return rows, (*build_page_features(page, tree, url), core_share)


def _build_rows(
    page: BlockPage,
    title_words: set[str],
    core: Frame,
    contexts: dict[int, FrameContext],
    surroundings: list[tuple[float, ...]],
    declared: list[tuple[int]],
) -> Iterator[Row | None]:
    blocks = page.blocks
    duplicates = Counter(block.text for block in blocks)
    sums = _cumulative_words(blocks)
    total = sums[-1][0] or 1
    groups = _build_group_features(blocks, contexts, total)
    sections = _build_section_features(blocks, sums)
    marks = measure_markers(blocks)
    kinds = [0, *(KIND_BY_TAG.get(block.frame.element.tag, OTHER_KIND) for block in blocks), 0]
    first_h1 = next((block.index for block in blocks if block.frame.heading == 1), -1)
    for index, block in enumerate(blocks):
        context = contexts[id(block.frame)]
        if context.is_navigation and block.link_words == block.words:
            yield None
            continue
        since_h1 = index - first_h1 if first_h1 >= 0 else -999
        since_heading, *section = sections[index]
        yield (
            _build_text_features(block, title_words),
            (
                kinds[index + 1], kinds[index], kinds[index + 2],
                context.depth, context.inside, core.words / total, duplicates[block.text],
            ),
            context.hints, context.numbers, context.lineage, context.region,
            (index / len(blocks), sums[index][0] / total, since_h1, since_heading),
            tuple(section), groups[index], (*_measure_window(sums, index, 3), *_measure_window(sums, index, 10)),
            marks[index], surroundings[index], declared[index], context.shares,
        )  # fmt: skip


def _find_title_words(tree: HtmlElement) -> set[str]:
    title = next(tree.iter("title"), None)
    return set(WORD.findall((title.text or "").lower())) if title is not None else set()


def _build_text_features(block: TextBlock, title_words: set[str]) -> tuple[float, ...]:
    """Return the features of a block's own text."""
    text, words = block.text, block.words or 1
    first_words = WORD.findall(text[:120].lower())
    return (
        log(1 + block.words), block.link_words / words, len(text) / words, (text.count(".") + text.count(",")) / words,
        text[-1:] in SENTENCE_ENDS, len(title_words.intersection(first_words)) / (len(first_words) or 1),
    )  # fmt: skip


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


def _build_group_features(
    blocks: list[TextBlock], contexts: dict[int, FrameContext], total: int
) -> list[tuple[float, ...]]:
    """Return for each block the numbers of the blocks whose frames, and the frames around them, look alike."""
    groups: dict[str, FrameGroup] = {}
    names: list[str] = []
    for block in blocks:
        frame = block.frame
        name = contexts[id(frame)].group
        if frame.parent is not None:
            name = f"{name}<{contexts[id(frame.parent)].group}"
        names.append(name)
        groups.setdefault(name, FrameGroup()).add(block)
    numbers = {name: (*group.numbers(), group.words / total) for name, group in groups.items()}
    return [numbers[name] for name in names]


def _cumulative_words(blocks: list[TextBlock]) -> list[tuple[int, int]]:
    """Return the words and linked words before each block, and the totals."""
    sums, words, linked = [(0, 0)], 0, 0
    for block in blocks:
        words += block.words
        linked += block.link_words
        sums.append((words, linked))
    return sums


def _measure_window(sums: list[tuple[int, int]], index: int, reach: int) -> tuple[float, float]:
    low, high = max(0, index - reach), min(len(sums) - 1, index + reach + 1)
    words, linked = sums[high][0] - sums[low][0], sums[high][1] - sums[low][1]
    return log(1 + words / (high - low)), linked / words if words else 0.0


def _build_section_features(
    blocks: list[TextBlock], sums: list[tuple[int, int]]
) -> list[tuple[float, float, float, float]]:
    """Return for each block: blocks since its heading, that heading's level, words and link share of its section."""
    starts = [block.index for block in blocks if block.frame.heading]
    rows: list[tuple[float, float, float, float]] = []
    for low, high in pairwise([0, *[start for start in starts if start], len(blocks)]):
        words, linked = sums[high][0] - sums[low][0], sums[high][1] - sums[low][1]
        level = blocks[low].frame.heading if low < len(blocks) else 0
        share = linked / words if words else 0.0
        rows.extend((index - low, level, log(1 + words), share) for index in range(low, high))
    return rows
