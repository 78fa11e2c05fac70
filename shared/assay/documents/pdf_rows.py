"""Rows of tables without ruling lines, where each row is one piece of text in the PDF with gaps between the cells.

LaTeX writes a row so. Rows are told from prose by their gaps, which are above each other in at least three lines.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from assay.documents.gfm_table import COLUMNS
from assay.documents.pdf_gaps import CELL_GAP, overlaps_gap, split_spans
from assay.documents.pdf_grids import MIDDLE, Grid, find_grid
from assay.documents.pdf_justified import has_even_gaps
from assay.documents.pdf_paragraphs import FORMULA_NUMBER, has_leaders
from assay.documents.pdf_text_page import PdfLine, Place, TextPage

MIN_ROWS = 3
AROUND = 2  # lines beside wide ones that may be rows too
SAME_SIZE = 0.12  # maximum difference of the sizes of rows
ALIGNED, CELL_LETTERS = 2.0, 20  # points within which justified lines end; mean length of cells that may be prose
CONTENTS_CELLS = 3  # maximum of an entry of a table of contents
PAGE_DIGITS = 9  # of the number of a page
LONG = 40  # letters of a line whose letters have the usual width
USUAL, WIDER = 0.5, 1.05  # width of letters in text sizes where no line is long, and what is wider by gaps

MARKER = re.compile(r"[•◦▪‣●○■□⁃∙·▶►➢➤◆❖✓✔–—−*-]|[\[(]?\w{1,3}[\]).]")

type Span = tuple[int, int]


def find_rows(
    page: TextPage, places: Sequence[Place], lines: Sequence[PdfLine], grids: list[Grid]
) -> dict[int, list[Span]]:
    """The cells of each line that is a row of a table, by its number; ruling lines give those in `grids`."""
    widths = [_measure_letters(line, grids) for line in lines]
    long = [width for width, line in zip(widths, lines, strict=True) if width and len(line.text) >= LONG]
    least = WIDER * (median(long) if long else USUAL)
    found: dict[int, list[Span]] = {}
    wide = [width > least for width in widths]
    for run in _list_runs(wide, [width > 0 for width in widths]):
        cells = {number: split_cells(page, *places[number][:2]) for number in run if wide[number]}
        if sum(len(spans) > 1 for spans in cells.values()) >= MIN_ROWS:
            cells |= {number: split_cells(page, *places[number][:2]) for number in run if not wide[number]}
            found |= _find_aligned(page, cells, lines, run)
    return found


def _list_runs(wide: Sequence[bool], may_be: Sequence[bool]) -> Iterator[list[int]]:
    """The numbers of lines that follow each other, of which some are wide, with a few others around them."""
    near = [any(wide[max(0, number - AROUND) : number + AROUND + 1]) for number in range(len(wide))]
    run: list[int] = []
    for number, is_near in enumerate([*near, False]):
        if is_near and may_be[number]:
            run.append(number)
            continue
        if sum(wide[each] for each in run) >= MIN_ROWS:
            yield run
        run = []


def _measure_letters(line: PdfLine, grids: list[Grid]) -> float:
    """The mean width of the letters of a line, in text sizes; 0 for code, and where ruling lines make the cells."""
    left, right, size = line.left, line.right, line.size
    if " " not in line.text or line.is_fixed or line.is_tilted or size <= 0 or has_leaders(line.text):
        return 0.0
    if grids and find_grid(grids, (left + right) / 2, line.bottom + MIDDLE * size) is not None:
        return 0.0
    return (right - left) / (len(line.text) * size)


def _find_aligned(
    page: TextPage, cells: dict[int, list[Span]], lines: Sequence[PdfLine], run: list[int]
) -> dict[int, list[Span]]:
    """The cells of lines in a row that have gaps where the line before or the next one has them."""
    gaps = {number: _list_gaps(page, spans) if len(spans) <= COLUMNS else [] for number, spans in cells.items()}
    found: dict[int, list[Span]] = {}
    group: list[int] = []
    for number, after in pairwise([*run, run[-1]]):
        group.append(number)
        if (
            number != after
            and any(overlaps_gap(gap, gaps[after]) for gap in gaps[number])
            and _are_alike(lines[number], lines[after])
        ):
            continue
        rows = [cells[each] for each in group]
        if (
            len(group) >= MIN_ROWS
            and not _is_contents(page, rows)
            and not _are_formulas(page, rows)
            and not _is_prose([lines[each] for each in group], rows)
        ):
            found |= {each: cells[each] for each in group}
        group = []
    return found


def _are_alike(one: PdfLine, two: PdfLine) -> bool:
    return abs(one.size - two.size) <= SAME_SIZE * one.size


def _is_prose(lines: Sequence[PdfLine], rows: list[list[Span]]) -> bool:
    """Whether lines with long cells end at one edge, as justified text does."""
    right = max(line.right for line in lines)
    ends = sum(right - line.right <= ALIGNED for line in lines)
    return 2 * ends >= len(lines) and sum(len(line.text) for line in lines) > CELL_LETTERS * sum(map(len, rows))


def split_cells(page: TextPage, start: int, end: int) -> list[Span]:
    """The cells of a line; the bullet or number of an item belongs to its text."""
    first, *others = split_spans(page, start, end, CELL_GAP)
    if others and has_even_gaps(page, start, end):
        return [(start, end)]
    if others and MARKER.fullmatch(page.text, *first):
        return [(first[0], others[0][1]), *others[1:]]
    return [first, *others]


def _is_contents(page: TextPage, rows: list[list[Span]]) -> bool:
    """Whether the rows are titles with the numbers of their pages."""
    ends = [page.text[slice(*row[-1])] for row in rows]
    if max(map(len, rows)) > CONTENTS_CELLS or not all(end.isdecimal() and len(end) <= PAGE_DIGITS for end in ends):
        return False
    return all(int(one) <= int(two) for one, two in pairwise(ends))


def _are_formulas(page: TextPage, rows: list[list[Span]]) -> bool:
    """Whether the rows are formulas with their numbers behind them, maybe with text between."""
    ends = [page.text[slice(*row[-1])] for row in rows if len(row) > 1]
    return len(ends) >= 2 and all(FORMULA_NUMBER.fullmatch(end) for end in ends)


def _list_gaps(page: TextPage, cells: list[Span]) -> list[tuple[float, float]]:
    return [(page.box(one[1] - 1)[2], page.box(two[0])[0]) for one, two in pairwise(cells)]
