"""Tables of PDFs without ruling lines, whose cells may have several lines: found by the order of the text in the file.

Files have such tables row by row, and each row cell by cell: the lines of a cell follow each other downwards, and the
next cell is to the right, beside them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from assay.documents.pdf_cells import build_row, replace_lines
from assay.documents.pdf_contents import MOST_CELLS, PAGE
from assay.documents.pdf_paragraphs import BULLET, FORMULA_NUMBER, has_leaders
from assay.documents.pdf_text_page import PdfLine

STEP = 1.6  # maximum distance of the lines of a cell, in font sizes
ROW_GAP = 2.5  # maximum distance of rows
HEAD_GAP = 1.5  # maximum distance of the first row, relative to the largest one of the others
CELL_GAP = 0.5  # minimum distance of cells beside each other
SAME_SIZE, SIMILAR = 0.12, 0.3  # maximum difference of sizes in a cell, and in a table
ASCENT, DESCENT = 0.7, 0.2  # of text, in font sizes
ALIGNED = 2.0  # points within which the lines of a cell begin, end, or are centred
MIN_ROWS = 3  # with several cells
MOST_COLUMNS, MOST_LINES = 30, 30  # of a table, and of a cell
LETTERS, LINE_LETTERS = (
    3,
    5,
)  # minimum mean length of cells, and of the lines of cells with several: others are formulas
PROSE = 150  # mean length of the cells of columns of text
TEXT_LINES = 3  # of other text that begins where a column does
TEXT_LETTERS = 50  # mean length of the lines of text
MARKER = re.compile(r"[•◦▪‣●○■□⁃∙·▶►➢➤◆❖✓✔–—−*-]|[\[(]?[\w.+-]{1,8}[\])]|(?:\d{1,3}\.?){1,4}|[IVX]{1,5}\.?|[A-Za-z]\.")


@dataclass
class Cell:
    """Lines below each other."""

    lines: list[PdfLine]
    left: float
    right: float

    @property
    def top(self) -> float:
        return self.lines[0].bottom + ASCENT * self.lines[0].size

    @property
    def bottom(self) -> float:
        return self.lines[-1].bottom - DESCENT * self.lines[-1].size

    @property
    def size(self) -> float:
        return self.lines[0].size

    @property
    def letters(self) -> int:
        return sum(len(line.text) for line in self.lines)


@dataclass
class Rows:
    """Rows of cells by their columns, and the left and the right edge of each column."""

    rows: list[dict[int, Cell]] = field(default_factory=list)
    columns: dict[int, tuple[float, float]] = field(default_factory=dict)


def take_wrapped(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines with rows in place of the lines of tables."""
    beside = sum(two.left > one.right and two.bottom + two.size > one.bottom for one, two in pairwise(lines))
    if beside < MIN_ROWS:
        return lines
    tables = [(table, _list_lines(table)) for table in _find_tables(lines)]
    if not tables:
        return lines
    taken = {id(line) for _, held in tables for line in held}
    number = max(line.table for line in lines)
    lefts = Counter(round(line.left) for line in lines if id(line) not in taken)
    return replace_lines(
        lines,
        [
            (held, _build_rows(table, place))
            for place, (table, held) in enumerate(tables, number + 1)
            if len(table.columns) != 2 or not _is_beside_text(table, lefts)
        ],
    )


def _list_lines(table: Rows) -> list[PdfLine]:
    return [line for row in table.rows for cell in row.values() for line in cell.lines]


def _build_rows(table: Rows, number: int) -> list[PdfLine]:
    edges = list(table.columns.values())
    return [build_row({place: cell.lines for place, cell in row.items()}, edges, number) for row in table.rows]


def _find_tables(lines: list[PdfLine]) -> Iterator[Rows]:
    table = Rows()
    before: list[Cell] = []
    for row in _list_rows(lines):
        if table.rows and not (row and _is_below(before, row) and _add_row(table, row)):
            yield from _finish(table)
            table = Rows()
        if not table.rows and len(row) > 1:
            _add_row(table, row)
        before = row
    yield from _finish(table)


def _list_rows(lines: list[PdfLine]) -> Iterator[list[Cell]]:
    """The rows of cells beside each other; an empty one where no table goes on."""
    row: list[Cell] = []
    for cell in _list_cells(lines):
        if cell is None:
            yield from (row, []) if row else ([],)
            row = []
            continue
        if len(row) == 1 and _is_beside_end(row[0], cell):  # the line above a row is no part of its first cell
            yield [_build_cell(row[0].lines[:-1])]
            row = [_build_cell(row[0].lines[-1:])]
        if row and len(row) < MOST_COLUMNS and _is_beside(row, cell):
            row.append(cell)
        else:
            yield from (row,) if row else ()
            row = [cell]
    if row:
        yield row


def _build_cell(lines: list[PdfLine]) -> Cell:
    return Cell(lines, min(line.left for line in lines), max(line.right for line in lines))


def _is_beside_end(before: Cell, cell: Cell) -> bool:
    """Whether a cell is beside the last line of another one whose other lines reach above it."""
    last, first = before.lines[-1], cell.lines[0]
    return (
        len(before.lines) > 1
        and before.right > cell.left >= last.right + CELL_GAP * last.size
        and abs(last.bottom - first.bottom) < last.size / 2
    )


def _list_cells(lines: list[PdfLine]) -> Iterator[Cell | None]:
    """What may be cells, in the order of the file; None for what is no part of a table."""
    cell: Cell | None = None
    for line in lines:
        if line.table or line.cells or line.is_tilted or line.right < line.left:
            if cell is not None:
                yield cell
            cell = None
            yield None
        elif cell is not None and len(cell.lines) < MOST_LINES and _follows(cell, line):
            cell.lines.append(line)
            cell.left, cell.right = min(cell.left, line.left), max(cell.right, line.right)
        else:
            if cell is not None:
                yield cell
            cell = Cell([line], line.left, line.right)
    if cell is not None:
        yield cell


def _follows(cell: Cell, line: PdfLine) -> bool:
    before = cell.lines[-1]
    size, left = before.size, line.left
    return (
        0.5 * size < before.bottom - line.bottom <= STEP * size
        and abs(line.size - size) <= SAME_SIZE * size
        and line.right > cell.left
        and left < cell.right
        and (
            abs(left - cell.left) <= ALIGNED
            or (cell.left < left < cell.left + 3 * size and before.right > cell.right - 6 * size)
            or abs(line.right - cell.right) <= ALIGNED
            or abs(left + line.right - cell.left - cell.right) <= 2 * ALIGNED
        )
    )


def _is_beside(row: list[Cell], cell: Cell) -> bool:
    """Whether a cell is to the right of the last one of a row, and beside at least one of it."""
    return (
        cell.left - row[-1].right >= CELL_GAP * cell.size
        and abs(cell.size - row[0].size) <= SIMILAR * row[0].size
        and min(cell.top, max(each.top for each in row)) > max(cell.bottom, min(each.bottom for each in row))
    )


def _measure_gap(before: Iterable[Cell], row: Iterable[Cell]) -> float:
    return min(cell.bottom for cell in before) - max(cell.top for cell in row)


def _is_below(before: list[Cell], row: list[Cell]) -> bool:
    size = before[0].size
    gap = _measure_gap(before, row)
    return -0.3 * size < gap <= ROW_GAP * size and abs(row[0].size - size) <= SIMILAR * size


def _add_row(table: Rows, row: list[Cell]) -> bool:
    """Add a row if each of its cells is in one column; a row of several cells may begin other columns."""
    if (len(row) == 1 and row[0].lines[0].is_bold) or any(_is_code(cell) for cell in row[len(row) > 1 :]):
        return False
    places: dict[int, Cell] = {}
    columns = dict(table.columns)
    for cell in row:
        found = [place for place, (left, right) in columns.items() if cell.left < right and cell.right > left]
        if len(found) > 1 or (not found and len(row) == 1) or (found and found[0] in places):
            return False
        place = found[0] if found else len(columns)
        left, right = columns.get(place, (cell.left, cell.right))
        columns[place] = min(left, cell.left), max(right, cell.right)
        places[place] = cell
    if len(columns) > MOST_COLUMNS or any(one[1] > two[0] for one, two in pairwise(sorted(columns.values()))):
        return False
    table.columns = columns
    table.rows.append(places)
    return True


def _is_code(cell: Cell) -> bool:
    """Whether a cell is in a font of a fixed pitch, or has several lines in it that follow each other."""
    fixed = [line.is_fixed for line in cell.lines]
    return all(fixed) or any(one and two for one, two in pairwise(fixed))


def _finish(table: Rows) -> Iterator[Rows]:
    """The table with its columns from left to right, if it is one."""
    if len(table.rows) < MIN_ROWS:
        return
    while len(table.rows[-1]) == 1:
        table.rows.pop()
    gaps = [_measure_gap(one.values(), two.values()) for one, two in pairwise(table.rows)]
    if len(gaps) > 1 and gaps[0] > HEAD_GAP * max(gaps[1:]) + next(iter(table.rows[0].values())).size / 2:
        del table.rows[0]  # a running head
    if not _is_table(table):
        return
    _join_heads(table)
    used = {place for row in table.rows for place in row}
    order = sorted(used, key=lambda place: table.columns[place])
    yield Rows(
        [{order.index(place): cell for place, cell in row.items()} for row in table.rows],
        {number: table.columns[place] for number, place in enumerate(order)},
    )


def _join_heads(table: Rows) -> None:
    """Join each column that is only a head with one beside it without a head: figures end where others begin."""
    first, *others = table.rows
    for one, two in pairwise(sorted(table.columns, key=lambda place: table.columns[place])):
        for head, place in ((one, two), (two, one)):
            if head in first and place not in first and not any(head in row for row in others):
                first[place] = first.pop(head)
                left, right = table.columns.pop(head)
                table.columns[place] = min(left, table.columns[place][0]), max(right, table.columns[place][1])


def _is_table(table: Rows) -> bool:
    """Whether rows are those of a table with cells of several lines: not code, formulas, or columns of text."""
    cells = [cell for row in table.rows for cell in row.values()]
    wrapped = [line for cell in cells if len(cell.lines) > 1 for line in cell.lines]
    if sum(len(row) > 1 for row in table.rows) < MIN_ROWS or not wrapped:
        return False
    letters = sum(cell.letters for cell in cells)
    fixed = sum(len(line.text) for line in _list_lines(table) if line.is_fixed)
    return (
        LETTERS * len(cells) <= letters <= PROSE * len(cells)
        and sum(len(line.text) for line in wrapped) >= LINE_LETTERS * len(wrapped)
        and 2 * fixed <= letters
        and not (len(table.columns) == 2 and (_is_list(table) or _are_formulas(table)))
        and not (len(table.columns) <= MOST_CELLS and _is_contents(table))
    )


def _list_column(table: Rows, *, is_last: bool) -> list[PdfLine]:
    """The lines of the first or the last column."""
    place = (max if is_last else min)(table.columns, key=lambda place: table.columns[place])
    return [line for row in table.rows if place in row for line in row[place].lines]


def _is_list(table: Rows) -> bool:
    """Whether the first of two columns has bullets or numbers of items, or is text beside notes in the margin."""
    first = _list_column(table, is_last=False)
    markers = sum(bool(MARKER.fullmatch(line.text) or BULLET.match(line.text)) for line in first)
    return 2 * markers > len(first) or sum(len(line.text) for line in first) > TEXT_LETTERS * len(first)


def _are_formulas(table: Rows) -> bool:
    """Whether the last column has only numbers of formulas."""
    return all(FORMULA_NUMBER.fullmatch(line.text) for line in _list_column(table, is_last=True))


def _is_beside_text(table: Rows, lefts: Counter[int]) -> bool:
    """Whether the second column is text with notes in the margin before it: other text of the page begins there."""
    left = round(table.columns[1][0])
    alone = sum(len(row) == 1 for row in table.rows)
    return sum(lefts[place] for place in (left - 1, left, left + 1)) >= TEXT_LINES or 3 * alone >= len(table.rows)


def _is_contents(table: Rows) -> bool:
    """Whether the rows are the entries of a table of contents, of which some have leaders."""
    return all(PAGE.fullmatch(line.text) for line in _list_column(table, is_last=True)) and any(
        has_leaders(line.text) for line in _list_lines(table)
    )
