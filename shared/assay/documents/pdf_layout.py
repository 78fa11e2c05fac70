"""Reading order of a PDF page: columns one after another, tables row by row."""

import re
from itertools import groupby, pairwise

from assay.documents.pdf_text_page import PdfLine

COLUMN_LINES = 4  # minimum number of lines of a column
COLUMN_LETTERS = 15  # minimum mean line length of a column; shorter lines are table cells
CROSSING = 0.35  # maximum share of a page's lines that span the columns: titles, wide tables
MARKER_ALONE = re.compile(r"[•◦▪‣●○■□⁃∙·–—*-]|\d{1,3}[.)]")
BACKWARDS = 2  # more upward steps than this, besides one per column, mean that the file's order is unusable


def order_lines(lines: list[PdfLine]) -> list[PdfLine]:
    """Sort the lines into reading order; the order of the file is kept if it is plausible."""
    if not _is_out_of_order(lines):
        return lines
    edge = _find_column_edge(lines)
    if edge is None:
        return _group_rows(lines)
    found: list[PdfLine] = []
    for crossing, band in groupby(sorted(lines, key=_to_sort_key), key=lambda line: line.left < edge < line.right):
        part = list(band)
        if crossing:
            found += _group_rows(part)
        else:
            found += order_lines([line for line in part if line.right <= edge])
            found += order_lines([line for line in part if line.left >= edge])
    return found


def _to_sort_key(line: PdfLine) -> tuple[float, float]:
    return -line.bottom, line.left


def _is_out_of_order(lines: list[PdfLine]) -> bool:
    """Whether lines are beside their predecessor, or above it without being in a column to the right."""
    odd = 0
    for before, line in pairwise(lines):
        height = max(1.0, before.size)
        climb = line.bottom - before.bottom
        beside = abs(climb) < height / 3
        odd += beside or (climb > height and line.left < before.right - height)
    return odd > BACKWARDS


def _find_column_edge(lines: list[PdfLine]) -> float | None:
    """The right edge of the left column: the position that the fewest lines cross, with enough text on both sides."""
    best, edge = 0, None
    for candidate in sorted({round(line.left) for line in lines}):
        place = candidate - 1.5
        left = [line for line in lines if line.right <= place]
        right = [line for line in lines if line.left >= place]
        crossing = len(lines) - len(left) - len(right)
        fewer = min(len(left), len(right))
        if fewer > max(best, COLUMN_LINES - 1) and crossing <= CROSSING * len(lines) and _is_prose(left, right):
            best, edge = fewer, place
    return edge


def _is_prose(left: list[PdfLine], right: list[PdfLine]) -> bool:
    """Whether both sides are running text and are beside each other."""
    low, high = max(_find_bottom(left), _find_bottom(right)), min(_find_top(left), _find_top(right))
    if high - low < 0.3 * min(_find_top(left) - _find_bottom(left), _find_top(right) - _find_bottom(right)):
        return False
    return all(sum(len(line.text) for line in side) >= COLUMN_LETTERS * len(side) for side in (left, right))


def _find_bottom(lines: list[PdfLine]) -> float:
    return min(line.bottom for line in lines)


def _find_top(lines: list[PdfLine]) -> float:
    return max(line.top for line in lines)


def _group_rows(lines: list[PdfLine]) -> list[PdfLine]:
    """Group the lines from top to bottom; those on one baseline become the cells of a row."""
    rows: list[list[PdfLine]] = []
    for line in sorted(lines, key=_to_sort_key):
        if rows and abs(rows[-1][0].bottom - line.bottom) < line.size / 3:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_join_cells(sorted(row, key=lambda line: line.left)) for row in rows]


def _join_cells(cells: list[PdfLine]) -> PdfLine:
    if len(cells) == 1:
        return cells[0]
    text = " ".join(cell.text for cell in cells)
    if len(cells) == 2 and MARKER_ALONE.fullmatch(cells[0].text):  # an item of a list
        return PdfLine(text, cells[0].left, cells[1].right, cells[0].bottom, cells[1].size, cells[1].hyphen)
    return PdfLine(text, cells[0].left, cells[-1].right, cells[0].bottom, cells[0].size, False, tuple(cells))
