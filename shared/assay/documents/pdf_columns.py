"""Tables of PDFs that the file has column by column, as text recognition, layout programs and some reports write them.

The lines of a column follow each other downwards, the next column begins to the right of it, beside its top, and their
lines are beside each other. Columns of prose are like that too, so figures or bold heads must show the table.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import median

from assay.documents.pdf_cells import build_row, replace_lines
from assay.documents.pdf_text_page import PdfLine

MIN_ROWS, MOST_ROWS, MOST_COLUMNS = 3, 200, 30
LEVEL = 0.34  # maximum difference of the baselines of a row, in font sizes
APART = 0.5  # minimum distance of the lines of a column, and of columns, in font sizes
STEP = 8.0  # maximum distance of the lines of a column
SAME_SIZE = 0.3  # maximum difference of sizes in a table
ON_ROWS, FIRST_ON_ROWS = 0.8, 0.5  # minimum share of the lines of a column that have others beside them
CELL_LETTERS = 30  # maximum mean length of the lines; those of prose are longer
WRAPPED_STEP, WRAPPED = 1.4, 0.85  # maximum distance of the lines of a cell: in font sizes, relative to that of rows
FIGURES = 0.6  # minimum share of figures in a column
HEADED_COLUMNS = 3  # minimum without figures: two columns with bold heads are sections beside each other
SIGNED = r"[(<>≤≥~≈±+−–-]*\s?[$€£¥]?\s?\d[\d.,'’\s/:±−–-]{0,30}(?:[^\W\d_]{1,3})?[%‰)*†‡°]*"
FIGURE = re.compile(rf"{SIGNED}|[−–—-]+|n/?a|\.{{2,3}}|…", re.IGNORECASE)  # or what stands for none

type Row = dict[int, list[PdfLine]]  # the lines of its cells, by the number of the column


@dataclass
class Column:
    """Lines below each other."""

    lines: list[PdfLine]

    @property
    def left(self) -> float:
        return min(line.left for line in self.lines)

    @property
    def right(self) -> float:
        return max(line.right for line in self.lines)


def take_columns(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines with rows in place of the lines of tables that the file has column by column."""
    number = max((line.table for line in lines), default=0)
    tables = list(_find_tables(lines))
    return replace_lines(
        lines,
        [
            ([line for column in columns for line in column.lines], _build_rows(columns, place))
            for place, columns in enumerate(tables, number + 1)
        ],
    )


def _find_tables(lines: Sequence[PdfLine]) -> Iterator[list[Column]]:
    done = 0  # lines before are in no column of the next table
    for place, (before, line) in enumerate(pairwise(lines), 1):
        if place <= done or not _begins_column(before, line):
            continue
        columns = _list_columns(lines, done, place)
        ends = list(accumulate((len(column.lines) for column in columns[1:]), initial=place))
        if len(columns) > 1 and _is_table(columns):
            yield columns
            done = ends[-1]
        elif len(columns) > 1:
            done = ends[-2]  # the last column may be the first one of a table


def _begins_column(before: PdfLine, line: PdfLine) -> bool:
    """Whether a line is to the right of its predecessor, and at least a line above it."""
    return line.left > before.right and line.bottom - before.bottom > before.size


def _list_columns(lines: Sequence[PdfLine], done: int, place: int) -> list[Column]:
    """The columns of what may be a table, whose second column begins at `place`."""
    columns = [_take_first(lines, done, place)]
    levels = sorted(line.bottom for line in columns[0].lines)
    while levels and len(columns) < MOST_COLUMNS:
        column = _take_next(lines, place, max(column.right for column in columns))
        if not column.lines or _count_on(column, levels) < ON_ROWS * len(column.lines):
            break
        columns.append(column)
        place += len(column.lines)
        levels = sorted({*levels, *(line.bottom for line in column.lines)})
    return columns


def _count_on(column: Column, levels: Sequence[float]) -> int:
    """The number of the lines of a column that are on one of these baselines, which are sorted."""
    spans = ((line.bottom, LEVEL * line.size) for line in column.lines)
    return sum(bisect_left(levels, level - room) < bisect_right(levels, level + room) for level, room in spans)


def _take_first(lines: Sequence[PdfLine], done: int, place: int) -> Column:
    """The lines of the first column: those before `place` that are not above the second one, nor beside it."""
    second, first = lines[place], place
    while first > max(done, place - MOST_ROWS):
        line = lines[first - 1]
        is_above = first == place or line.bottom - lines[first].bottom > APART * line.size
        if not (_may_be_cell(line, second) and is_above and line.right < second.left):
            break
        if line.bottom > second.bottom + LEVEL * line.size:
            break
        first -= 1
    return Column(list(lines[first:place]))


def _take_next(lines: Sequence[PdfLine], place: int, edge: float) -> Column:
    """The lines from `place` that follow each other downwards, to the right of an edge."""
    found: list[PdfLine] = []
    left = right = 0.0
    for line in lines[place : place + MOST_ROWS]:
        if line.left - edge < APART * line.size or not _may_be_cell(line, lines[place]):
            break
        if found:
            step = found[-1].bottom - line.bottom
            if not APART * line.size < step <= STEP * line.size or line.left >= right or line.right <= left:
                break
        left, right = (min(left, line.left), max(right, line.right)) if found else (line.left, line.right)
        found.append(line)
    return Column(found)


def _may_be_cell(line: PdfLine, other: PdfLine) -> bool:
    return not (line.table or line.cells or line.is_tilted or line.is_fixed or line.is_math) and (
        abs(line.size - other.size) <= SAME_SIZE * other.size
    )


def _is_beside(one: PdfLine, two: PdfLine) -> bool:
    return abs(one.bottom - two.bottom) <= LEVEL * min(one.size, two.size)


def _is_table(columns: Sequence[Column]) -> bool:
    """Whether columns have enough rows, and their text shows that they are no columns of prose."""
    first, *others = columns
    levels = sorted(line.bottom for column in others for line in column.lines)
    if _count_on(first, levels) < max(MIN_ROWS, FIRST_ON_ROWS * len(first.lines)):
        return False
    if any(_measure_letters(column) > CELL_LETTERS for column in columns) or _are_equal(columns):
        return False
    return any(map(_has_figures, others)) or (len(columns) >= HEADED_COLUMNS and _have_heads(columns))


def _are_equal(columns: Sequence[Column]) -> bool:
    """Whether all columns have the same text, as the scales of charts beside each other have."""
    return len({tuple(line.text for line in column.lines) for column in columns}) == 1


def _measure_letters(column: Column) -> float:
    return sum(len(line.text) for line in column.lines) / len(column.lines)


def _has_figures(column: Column) -> bool:
    figures = sum(FIGURE.fullmatch(line.text.strip()) is not None for line in column.lines)
    return figures >= FIGURES * len(column.lines)


def _have_heads(columns: Sequence[Column]) -> bool:
    """Whether the first line of each column, and no other line, is bold, and these lines are beside each other."""
    if any(len(column.lines) < MIN_ROWS for column in columns):
        return False
    heads = [column.lines[0] for column in columns]
    return all(head.is_bold and _is_beside(head, heads[0]) for head in heads) and not any(
        line.is_bold for column in columns for line in column.lines[1:]
    )


def _build_rows(columns: Sequence[Column], number: int) -> list[PdfLine]:
    edges = [(column.left, column.right) for column in columns]
    return [build_row(row, edges, number) for row in _join_wrapped(_list_rows(columns))]


def _list_rows(columns: Sequence[Column]) -> list[Row]:
    """The lines of the columns by their baselines, from top to bottom."""
    rows: list[Row] = []
    cells = [(line, place) for place, column in enumerate(columns) for line in column.lines]
    for line, place in sorted(cells, key=lambda cell: -cell[0].bottom):
        if rows and place not in rows[-1] and _is_beside(next(iter(rows[-1].values()))[0], line):
            rows[-1][place] = [line]
        else:
            rows.append({place: [line]})
    return rows


def _join_wrapped(rows: Sequence[Row]) -> list[Row]:
    """The rows, with a line that is alone and close below another one of its column joined to the cell of that one."""
    levels = [next(iter(row.values()))[0].bottom for row in rows if len(row) > 1]
    usual = median([one - two for one, two in pairwise(levels)] or [0.0])
    found: list[Row] = []
    for row in rows:
        [(place, [line]), *others] = row.items()
        before = found[-1].get(place) if found and not others else None
        if before is not None:
            step = before[-1].bottom - line.bottom
            if step <= WRAPPED_STEP * line.size and step < WRAPPED * usual:
                before.append(line)
                continue
        found.append(row)
    return found
