"""Paragraphs of PDFs: which lines of a page belong together, by their distances, sizes, indents and weights."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from assay.documents.pdf_code import find_code_lines, follows_code
from assay.documents.pdf_item_numbers import follows_number
from assay.documents.pdf_text_page import PdfLine

BULLET = re.compile(r"^[•◦▪‣●○■□⁃∙·▶►➢➤◆❖✓✔–—*-]\s+(?=\S)|^[•◦▪‣●○■□▶►➢➤◆❖✓✔](?=\w)|^−\s+(?=[^\W\d_]{2})")
DASHES = "-–—−*"  # which are between words too
NUMBERED = re.compile(r"^(\d{1,3}[.)]|\(?(?:[a-z]|[ivx]{1,5})\)|\[\d{1,3}\])\s+(?=\S)")
SECTION = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*\.?|[IVX]{1,5}\.|[A-Z]\.(?:\d{1,3}\.?)*)\s")
FORMULA_NUMBER = re.compile(r"\(\w{1,4}(?:[.:-]\w{1,4}){0,2}[′']?\)")
LEADER = re.compile(r"(?:\s?\.){5,}")  # dot leaders in a table of contents
SPACES = re.compile(r" {2,}")
ENDED = (".", "!", "?", ":", ";", "”", '"', "。", "！", "？")
WITHIN = "abcdefghijklmnopqrstuvwxyz,"  # ends of lines within a sentence
SENTENCE = (".", ";", "”", '"', "。")
EDGE_LINES, EDGE_SHARE = 3, 0.15  # minimum number of lines that end at the right edge of text, and their share
EDGE_STEP = 4  # points within which lines end at one edge
NUMBER_WIDTH = 6.0  # maximum width of the number of a heading with the space behind it, in font sizes
NUMBER_SHIFT = 1.5  # maximum distance of the left edges of items, whose numbers may end below each other, likewise
ENTRY_WIDTH = 15.0  # minimum width of the first line of an entry, in font sizes
LONGEST_ENTRY = 50  # lines
MIN_ENTRIES = 3  # with the same hanging indent on a page
INDENT = 0.8  # minimum indent, in font sizes
TITLE_STEP = 1.5  # maximum distance of the lines of one heading, in font sizes
WEIGHT_GAP = 0.15  # minimum space between lines of different weights, above that of lines, in font sizes


@dataclass
class PdfBlock:
    """Lines of one paragraph, of one font size."""

    size: float
    lines: list[PdfLine] = field(default_factory=list)
    is_code: bool = False

    @property
    def is_bold(self) -> bool:
        return all(line.is_bold for line in self.lines)

    @property
    def letters(self) -> int:
        return sum(len(line.text) for line in self.lines)


def build_blocks(lines: list[PdfLine], heading: float, *, has_code: bool) -> list[PdfBlock]:
    """Divide the lines of a page into paragraphs; `heading` is the size from which text is a heading."""
    page = _PageLines(lines, heading)
    blocks: list[PdfBlock] = []
    before: PdfLine | None = None
    are_code = find_code_lines(lines, page.step) if has_code else [False] * len(lines)
    for line, is_code in zip(lines, are_code, strict=True):
        if before is None or is_code != blocks[-1].is_code:
            starts = True
        elif is_code:
            starts = not follows_code(before, line)
        else:
            starts = page.starts_paragraph(before, line, blocks[-1])
        if starts:
            blocks.append(PdfBlock(line.size, is_code=is_code))
        is_typed = line.is_fixed and not is_code
        blocks[-1].lines.append(line._replace(text=SPACES.sub(" ", line.text)) if is_typed else line)
        before = line
    return blocks


class _PageLines:
    """The usual distance of the lines of a page, and where they end."""

    def __init__(self, lines: list[PdfLine], heading: float) -> None:
        self.heading = heading
        self.step = _measure_usual_step(lines)
        self._edges = _measure_right_edges(lines)
        self._steps = Counter(_measure_step(one, two) for one, two in pairwise(lines) if one.bottom > two.bottom)

    def edge(self, line: PdfLine) -> float:
        """The right edge of text that begins where a line does."""
        return self._edges[round(line.left / 10)]

    def starts_paragraph(self, before: PdfLine, line: PdfLine, block: PdfBlock) -> bool:
        """Whether this line begins a new paragraph."""
        height = before.size
        if line.cells or before.cells:
            return not (line.cells and before.cells) or _begins_table(before, line)
        if (
            line.tag
            and before.tag
            and (line.tag.kind or before.tag.kind)
            and not (line.is_formula or before.is_formula)
        ):
            return line.tag.block != before.tag.block
        if line.is_formula or before.is_formula or line.is_tilted or before.is_tilted:
            return True
        if abs(line.size - height) > 0.12 * height:
            return True
        down = before.bottom - line.bottom
        if down < -height / 3:  # upwards: the next column
            return not is_unfinished(before, line)
        if down < height / 3:
            return False
        if self._continues_heading(before, line):
            return False
        return self._is_apart(before, line, block) or self._is_indented(before, line, block) or self._ends(before)

    def _continues_heading(self, before: PdfLine, line: PdfLine) -> bool:
        """Whether both are lines of one heading, with the same left edge or centred."""
        if not self._are_headings(before, line):
            return False
        size = before.size
        centres = (line.left + line.right - before.left - before.right) / 2
        return (
            abs(line.size - size) <= 0.02 * size
            and before.bottom - line.bottom <= TITLE_STEP * size
            and (abs(line.left - before.left) < size or abs(centres) < size or _is_below_number(before, line))
            and not any(marker.match(line.text) for marker in (SECTION, BULLET, NUMBERED))
            and not before.text.endswith(SENTENCE if before.size >= self.heading else ENDED)
            and not has_leaders(before.text)
        )

    def _are_headings(self, before: PdfLine, line: PdfLine) -> bool:
        return before.size >= self.heading or (before.is_bold and line.is_bold)

    def _is_apart(self, before: PdfLine, line: PdfLine, block: PdfBlock) -> bool:
        height, down = before.size, before.bottom - line.bottom
        return (
            down > (self.step + 0.35) * height
            or (BULLET.match(line.text) is not None and not self._wraps_dash(before, line, block))
            or (NUMBERED.match(line.text) is not None and not self._wraps(before, line))
            or _is_next_item(block, line)
            or has_leaders(before.text)
            or (
                SECTION.match(line.text) is not None
                and self._are_headings(before, line)
                and not self._is_within(before)
            )
            or (line.is_bold != before.is_bold and self._changes_weight(before, line))
            or (line.is_italic != before.is_italic and self._changes_slant(before, line, block))
        )

    def _is_within(self, before: PdfLine) -> bool:
        """Whether a line of bold text, such as that of an abstract, is full and ends within a sentence."""
        is_full = before.right > self.edge(before) - before.size
        return before.size < self.heading and is_full and before.text[-1] in WITHIN

    def _changes_weight(self, before: PdfLine, line: PdfLine) -> bool:
        """Whether a bold line is a heading above the next one or below the one before, not a part of its paragraph."""
        gap = before.bottom - line.bottom > (self.step + WEIGHT_GAP) * before.size
        return gap or before.right < max(self.edge(before), line.right) - 4 * before.size

    def _changes_slant(self, before: PdfLine, line: PdfLine, block: PdfBlock) -> bool:
        """Whether one of two lines belongs to a numbered heading in italics, and the other one to text."""
        if line.is_italic:
            return SECTION.match(line.text) is not None
        ends_early = before.right < max(self.edge(before), line.right) - 4 * before.size
        return ends_early and SECTION.match(block.lines[0].text) is not None

    def _is_indented(self, before: PdfLine, line: PdfLine, block: PdfBlock) -> bool:
        """Whether the line is indented, or outdented after a line that ends early."""
        height = before.size
        if line.left - before.left > INDENT * height and not _is_item(block):
            return not self._hangs(before, line, block)
        is_outdented = before.left - line.left > INDENT * height
        return is_outdented and (before.right < self.edge(line) - 4 * height or _has_hanging_indent(block, line))

    def _hangs(self, before: PdfLine, line: PdfLine, block: PdfBlock) -> bool:
        """Whether an indented line continues the first line of an entry, as in a list of references."""
        is_full = before.right >= max(self.edge(before), self.edge(line)) - 4 * before.size
        is_short = before.right - before.left < ENTRY_WIDTH * before.size  # as centred lines are
        if len(block.lines) > 1 or not is_full or is_short or before.text.endswith(ENDED):
            return False
        goes_on = line.text[:1].islower() and before.text[-1] in WITHIN
        return goes_on or self._steps[_measure_step(before, line)] >= MIN_ENTRIES

    def _ends(self, before: PdfLine) -> bool:
        return before.text.endswith(ENDED) and before.right < self.edge(before) - 4 * before.size

    def _wraps_dash(self, before: PdfLine, line: PdfLine, block: PdfBlock) -> bool:
        """Whether a line begins with a dash between words, not with one below that of the item before."""
        first, dash = block.lines[0], line.text[0]
        is_item = first.text.startswith(dash) and abs(first.left - line.left) < line.size
        return dash in DASHES and not is_item and self._wraps(before, line)

    def _wraps(self, before: PdfLine, line: PdfLine) -> bool:
        """Whether a line that begins with a number or a dash continues a sentence that the line before did not end."""
        is_full = before.right > self.edge(before) - 4 * before.size
        return is_full and abs(line.left - before.left) < before.size and before.text[-1:].isalpha()


def _measure_usual_step(lines: list[PdfLine]) -> float:
    """The line spacing within paragraphs, relative to the font size: the lower third of all spacings."""
    steps = sorted(
        (one.bottom - two.bottom) / height
        for one, two in pairwise(lines)
        if (height := one.size) > 0 and 0.5 < (one.bottom - two.bottom) / height < 2.5
    )
    return steps[len(steps) // 3] if steps else 1.2


def _measure_right_edges(lines: list[PdfLine]) -> dict[int, float]:
    """The right edge of text by its left edge, which is rounded to ten points.

    It is the one that many lines share, as a title across the columns begins where the first one does.
    """
    rights: dict[int, list[float]] = defaultdict(list)
    for line in lines:
        rights[round(line.left / 10)].append(line.right)
    return {place: _find_common_edge(found) for place, found in rights.items()}


def _find_common_edge(rights: list[float]) -> float:
    ends = Counter(round(right / EDGE_STEP) for right in rights)
    many = max(EDGE_LINES, EDGE_SHARE * len(rights))
    common = max((end for end, count in ends.items() if count >= many), default=None)
    wider = sum(count for end, count in ends.items() if common is not None and end > common)
    if common is None or wider > EDGE_SHARE * len(rights):
        return max(rights)
    return max(right for right in rights if round(right / EDGE_STEP) == common)


def _begins_table(before: PdfLine, line: PdfLine) -> bool:
    """Whether a row belongs to another table than the row before."""
    return line.table != before.table or (not line.table and has_leaders(before.text))


def has_leaders(text: str) -> bool:
    """Whether the text contains dot leaders, as in a table of contents."""
    return ("..." in text or ". ." in text) and LEADER.search(text) is not None


def _is_below_number(before: PdfLine, line: PdfLine) -> bool:
    """Whether the second line of a numbered heading begins where its text does, behind the number."""
    return 0 < line.left - before.left < NUMBER_WIDTH * line.size and SECTION.match(before.text) is not None


def _measure_step(one: PdfLine, two: PdfLine) -> tuple[int, int]:
    """Where two lines begin, in points."""
    return round(one.left), round(two.left)


def _has_hanging_indent(block: PdfBlock, line: PdfLine) -> bool:
    """Whether all lines of a paragraph but the first one are indented, which begins where this line does."""
    first = block.lines[0]
    if abs(line.left - first.left) >= 0.3 * line.size or not 1 < len(block.lines) <= LONGEST_ENTRY:
        return False
    inner = first.left + INDENT * first.size
    return all(each.left > inner for each in block.lines[1:])


def _is_next_item(block: PdfBlock, line: PdfLine) -> bool:
    """Whether a line begins with the number after that of the paragraph, below it."""
    first = block.lines[0]
    return abs(line.left - first.left) < NUMBER_SHIFT * line.size and follows_number(first.text, line.text)


def _is_item(block: PdfBlock) -> bool:
    return bool(BULLET.match(block.lines[0].text) or NUMBERED.match(block.lines[0].text))


def is_unfinished(before: PdfLine, line: PdfLine) -> bool:
    """Whether a line ends within a sentence that the next one continues."""
    return before.hyphen or (not before.text.endswith(ENDED) and line.text[:1].islower())
