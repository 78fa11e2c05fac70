"""Headings of PDFs: lines in larger letters than the text, or in bold letters of its size, and their levels."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby, pairwise

from assay.documents.pdf_numbered_headings import find_decimal_headings, find_roman_headings
from assay.documents.pdf_paragraphs import BULLET, PdfBlock, has_leaders

LARGER = 1.12  # minimum size of a heading relative to the body text
SAME = 0.88  # minimum size of a bold heading relative to the body text
HEADING_LETTERS, BOLD_LETTERS = 200, 120  # maximum length of a heading
BOLD_SHARE = 0.3  # maximum share of bold letters in a document of which bold lines are headings
TEXT_SHARE = 0.02  # minimum share of the letters of a document in a size of its text
LEVELS = 6
MOST_IN_A_ROW = 3  # more bold lines than this without text between them are a list
NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,3})*)\.?\s")
PAGE_NUMBER = re.compile(r"\s+(?:\d{1,4}|[ivxlc]{1,6})$")
CAPTION = re.compile(r"(?:\w+\.?\s)?(?:fig|tab|abb|listing|scheme|plate|box|algorithm)\w*\.?\s*\d", re.IGNORECASE)
RUN_IN = re.compile(r"(?:abstract|index terms|key ?words)\s?[—–:.-]\s?\S", re.IGNORECASE)  # before text
OPENING = "“\"‘'«„¿¡(["  # signs with which a heading may begin
MIN_TERMS = 3  # of one left edge
USUAL = 0.1  # minimum share of the letters of a document in lines with one left edge
SENTENCE = (".", ",", ";", ":")  # ends of bold lines that are no headings

type Style = tuple[float, bool]  # size, rounded to half a point; whether only the weight tells the heading


class Headings:
    """The levels of the headings of a document, by their sizes; bold lines of the size of text are headings too."""

    def __init__(self, blocks: Sequence[PdfBlock], body: float) -> None:
        self._body = body
        self._are_tagged = any(block.lines[0].tag and block.lines[0].tag.kind == "heading" for block in blocks)
        self._text_sizes = _find_text_sizes(blocks)
        self._has_bold = _measure_bold_share(blocks) <= BOLD_SHARE
        self._roman = find_roman_headings(blocks)
        styles = {id(block): style for block in blocks if (style := self._find_style(block)) is not None}
        numbered = find_decimal_headings(blocks, lambda block: id(block) in styles)
        styles |= dict.fromkeys(numbered, (round(body * 2) / 2, True))
        found = [(block, styles[id(block)]) for block in blocks if id(block) in styles]
        bold = {id(block) for block, (_, is_bold) in found if is_bold}
        others = _find_lists(blocks, bold) | _find_terms(blocks, bold)
        texts = {_read_text(block) for block, _ in found}
        self._levels = _assign_levels(
            [
                (block, style)
                for block, style in found
                if id(block) not in others and not _is_entry(_read_text(block), texts, is_bold=id(block) in bold)
            ]
        )

    def level(self, block: PdfBlock) -> int:
        """The level of a paragraph that is a heading, from 1; 0 for others."""
        tag = block.lines[0].tag
        if tag and tag.kind == "heading":
            return tag.level
        return self._levels.get(id(block), 0)

    def _find_style(self, block: PdfBlock) -> Style | None:
        first = block.lines[0]
        if (
            block.is_code
            or (self._are_tagged and first.tag)
            or first.cells
            or first.is_tilted
            or first.is_formula
            or BULLET.match(first.text)
            or not any(letter.isalpha() for letter in first.text)
            or has_leaders(block.lines[-1].text)
        ):
            return None
        if id(block) in self._roman:
            return round(self._body * 2) / 2, self._roman[id(block)] > 1
        size = round(block.size * 2) / 2
        if block.size >= LARGER * self._body and size not in self._text_sizes:
            return (size, False) if block.letters <= HEADING_LETTERS else None
        return (size, True) if self._has_bold and self._is_bold_heading(block) else None

    def _is_bold_heading(self, block: PdfBlock) -> bool:
        first, last = block.lines[0].text, block.lines[-1].text
        return (
            block.size >= SAME * self._body
            and block.is_bold
            and block.letters <= BOLD_LETTERS
            and (first[0].isalnum() or first[0] in OPENING)
            and not first[0].islower()
            and sum(letter.isalpha() for letter in first) > 1
            and not last.endswith(SENTENCE)
            and not CAPTION.match(first)
            and not RUN_IN.match(first)
        )


def _measure_bold_share(blocks: Sequence[PdfBlock]) -> float:
    bold = sum(len(line.text) for block in blocks for line in block.lines if line.is_bold)
    return bold / max(1, sum(block.letters for block in blocks))


def _find_text_sizes(blocks: Sequence[PdfBlock]) -> set[float]:
    """The sizes, rounded to half a point, of which most letters are in long paragraphs."""
    letters: Counter[float] = Counter()
    for block in blocks:
        if not block.is_code:
            letters[round(block.size * 2) / 2] += block.letters * (1 if block.letters > HEADING_LETTERS else -1)
    least = TEXT_SHARE * sum(block.letters for block in blocks)
    return {size for size, surplus in letters.items() if surplus > least}


def _find_lists(blocks: Sequence[PdfBlock], bold: set[int]) -> set[int]:
    """Ids of bold paragraphs that are in a row of so many that they are a list or a table."""
    found: set[int] = set()
    for is_bold, run in groupby((id(block) for block in blocks), key=lambda block: block in bold):
        ids = list(run)
        if is_bold and len(ids) > MOST_IN_A_ROW:
            found.update(ids)
    return found


def _read_text(block: PdfBlock) -> str:
    return " ".join(line.text for line in block.lines)


def _find_terms(blocks: Sequence[PdfBlock], bold: set[int]) -> set[int]:
    """Ids of bold paragraphs above one that is indented as little other text: terms with their definitions.

    Those at the same height of each page are titles of slides.
    """
    letters: Counter[int] = Counter()
    for block in blocks:
        for line in block.lines:
            letters[round(line.left)] += len(line.text)
    usual = {left for left, count in letters.items() if count >= USUAL * letters.total()}
    places: dict[int, list[tuple[PdfBlock, bool]]] = defaultdict(list)
    for block, following in pairwise(blocks):
        if id(block) in bold:
            left, inner = block.lines[0].left, min(line.left for line in following.lines)
            is_term = inner > left + block.size and round(inner) not in usual and not following.is_code
            places[round(left)].append((block, is_term))
    found: set[int] = set()
    for terms in places.values():
        ids = {id(block) for block, is_term in terms if is_term}
        heights = {round(block.lines[0].bottom) for block, is_term in terms if is_term}
        found |= ids if len(ids) >= max(MIN_TERMS, len(terms) / 2) and len(heights) > 1 else set()
    return found


def _is_entry(text: str, texts: set[str], *, is_bold: bool) -> bool:
    """Whether a heading is an entry of a table of contents: the text of another one, or a number, before a page's."""
    page = PAGE_NUMBER.search(text)
    return page is not None and (text[: page.start()] in texts or (is_bold and NUMBER.match(text) is not None))


def _assign_levels(headings: list[tuple[PdfBlock, Style]]) -> dict[int, int]:
    """The level of each heading: the larger the higher; of headings of one size, by the parts of their numbers.

    A size that only one heading has, such as the name of an author, takes no level, unless it is the largest.
    """
    by_style: dict[Style, list[PdfBlock]] = defaultdict(list)
    for block, style in headings:
        by_style[style].append(block)
    levels: dict[int, int] = {}
    level = 1
    for style in sorted(by_style, key=lambda style: (-style[0], style[1])):
        parts = {id(block): _count_parts(block) for block in by_style[style]}
        depths = sorted({count for count in parts.values() if count}) or [0]
        for place, count in parts.items():
            levels[place] = min(LEVELS, level + (depths.index(count) if count else 0))
        level += len(depths) if len(parts) > 1 or not levels.keys() - parts.keys() else 0
    return levels


def _count_parts(block: PdfBlock) -> int:
    """How many parts the number of a heading has; 0 without a number."""
    number = NUMBER.match(block.lines[0].text)
    return number[1].count(".") + 1 if number else 0
