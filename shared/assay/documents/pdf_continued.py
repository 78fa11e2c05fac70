"""Tables of PDFs whose last rows are on the next page: too few to show a table, but in the columns of the others."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from assay.documents.pdf_cells import build_row, replace_lines
from assay.documents.pdf_text_page import PdfLine

ALIGNED = 3.0  # points within which cells begin, end, or are centred
ROW_GAP, FAR = 1.45, 3.5  # minimum and maximum distance of the baselines of two rows, in font sizes
LETTERS = 150  # of a cell
MOST_LINES = 60  # at the top of a page

type Edges = list[tuple[float, float]]
type Row = dict[int, list[PdfLine]]


def continue_tables(pages: Sequence[list[PdfLine]]) -> list[list[PdfLine]]:
    """Return the pages with rows in place of the lines at their top that go on with the table of the page before."""
    found: list[list[PdfLine]] = []
    for page in pages:
        goes_on = bool(found and page) and found[-1][-1:] and found[-1][-1].table > 0 and not page[0].table
        found.append(_take_rows(found[-1], page) if goes_on else page)
    return found


def _take_rows(before: Sequence[PdfLine], page: list[PdfLine]) -> list[PdfLine]:
    rows = [line for line in before if line.table == before[-1].table]
    columns: dict[int, list[PdfLine]] = defaultdict(list)
    for line in rows:
        for place, cell in enumerate(line.cells):
            if cell.text:
                columns[place].append(cell)
    edges = [
        (min(cell.left for cell in cells), max(cell.right for cell in cells)) for _, cells in sorted(columns.items())
    ]
    if len(edges) != len(rows[-1].cells) or not _are_apart(rows):
        return page
    number = max((line.table for line in page), default=0) + 1
    held: list[PdfLine] = []
    made: list[PdfLine] = []
    for lines, row in _list_rows(page, edges):
        if 2 * len(row) < max(len(edges), 3) or any(sum(map(_count, cell)) > LETTERS for cell in row.values()):
            break
        held += lines
        made.append(build_row(row, edges, number))
    return replace_lines(page, [(held, made)]) if held else page


def _count(line: PdfLine) -> int:
    return len(line.text)


def _are_apart(rows: Sequence[PdfLine]) -> bool:
    """Whether rows are further apart than the lines of a cell, or all cells have one line."""
    if not any(cell.cells for row in rows for cell in row.cells):
        return True
    lows = [min(part.bottom for cell in row.cells for part in cell.cells or (cell,)) for row in rows]
    return all(low - two.bottom >= ROW_GAP * two.size for low, (_, two) in zip(lows, pairwise(rows), strict=False))


def _list_rows(page: Sequence[PdfLine], edges: Edges) -> list[tuple[list[PdfLine], Row]]:
    """The rows at the top of a page, with the lines that they were, as far as each text is in one column."""
    found: list[tuple[list[PdfLine], Row]] = []
    bottom = page[0].bottom
    for line in page[:MOST_LINES]:
        parts = [(_find_column(part, edges), part) for part in line.cells or (line,)]
        distance = abs(bottom - line.bottom)
        if line.table or distance > FAR * line.size or any(place is None for place, _ in parts):
            break
        if not found or distance >= ROW_GAP * line.size:
            found.append(([], {}))
        bottom = line.bottom
        lines, row = found[-1]
        lines.append(line)
        for place, part in parts:
            row.setdefault(place or 0, []).append(part)
    return found


def _find_column(cell: PdfLine, edges: Edges) -> int | None:
    """The only column that a cell overlaps, if it begins, ends or is centred where the cells of the column do."""
    places = [place for place, (left, right) in enumerate(edges) if cell.left < right and cell.right > left]
    if len(places) != 1:
        return None
    left, right = edges[places[0]]
    is_aligned = (
        abs(cell.left - left) <= ALIGNED
        or abs(cell.right - right) <= ALIGNED
        or abs(cell.left + cell.right - left - right) <= 2 * ALIGNED
    )
    return places[0] if is_aligned else None
