"""Reading order of a PDF page: columns one after another, tables row by row."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

from assay.documents.pdf_floats import find_place, split_floats
from assay.documents.pdf_text_page import PdfLine, join_cells
from assay.documents.pdf_tilted import take_tilted, unmark_turned_page

COLUMN_LINES = 4  # minimum number of lines of a column
COLUMN_LETTERS = 15  # minimum length of the lines of a column; shorter lines are table cells
LONG_SHARE = 0.7  # minimum share of the letters of a column in lines of that length
MAX_EDGES = 300  # most common left edges of lines that may be those of a column
FEW_RUNS, RUN_SHARE = 8, 0.15  # how often the order of a file may change columns: at most, by number of lines
FEW_RIGHT = 4  # how often it may go to the right column, however often it changes
CROSSING = 0.35  # maximum share of a page's lines that span the columns: titles, wide tables
MARKER_ALONE = re.compile(r"[•◦▪‣●○■□⁃∙·▶►➢➤◆❖✓✔–—−*-]|\d{1,3}[.)]")
CLAUSE_ALONE = re.compile(
    r"\((?:[a-zA-Z]|[ivx]{1,5}|\d{1,2})\)|(?:[a-zA-Z]|[ivx]{1,5})[.)]|\d{1,2}(?:\.\d{1,2}){1,4}\.?"
)
CLAUSE_WORDS = 3  # minimum of the line behind it
SECTION_ALONE = re.compile(r"\d{1,3}(?:\.\d{1,3})*\.?|[IVX]{1,5}\.?|[A-Z]\.?(?:\d{1,3}\.?)*")
EDGE_TEXTS, EDGE_GAP, EDGE_SIZE = 3, 1.7, 0.8  # of a head or foot: texts, distance from others, size relative to them
WIDE = 0.6  # minimum width of a table that spans the columns of its page, relative to the text
MAX_DEPTH = 8  # of columns within columns
BACKWARDS = 2  # more upward steps than this, besides one per column, mean that the file's order is unusable


def order_lines(lines: list[PdfLine], *, has_floats: bool = False) -> list[PdfLine]:
    """Sort the lines of a page into reading order: stamps come first, other tilted text where the file has it.

    `has_floats` is whether the file may have floating boxes before the text that they are beside.
    """
    lines = unmark_turned_page(lines)
    if not any(line.is_tilted for line in lines):
        return _order_floats(lines) if has_floats else _order_tables(lines)
    stamps, upright, following = take_tilted(lines)
    found = stamps
    for line in _order_tables(upright):
        found.append(line)
        for cell in (line, *line.cells):
            found += following.pop(id(cell), [])
    return found + [line for rest in following.values() for line in rest]


def _order_floats(lines: list[PdfLine]) -> list[PdfLine]:
    """Sort lines with floating boxes, each of which is put before the text that it is beside."""
    boxes, flow = split_floats(lines)
    flow = _order_tables(flow)
    places: dict[int, list[PdfLine]] = defaultdict(list)
    for box in boxes:
        places[find_place(box, flow)] += _order_tables(box.lines)
    return [line for place in range(len(flow) + 1) for line in (*places.pop(place, ()), *flow[place : place + 1])]


def _order_tables(lines: list[PdfLine]) -> list[PdfLine]:
    """Sort lines whose tables stay whole; one as wide as the page counts as one line, which spans its columns."""
    tables: dict[int, list[PdfLine]] = defaultdict(list)
    for line in lines:
        if line.table:
            tables[line.table].append(line)
    if not tables:
        return _order_upright(lines)
    width = max(line.right for line in lines) - min(line.left for line in lines)
    wide = {number for number, rows in tables.items() if rows[0].right - rows[0].left > WIDE * width}
    parts = [line for line in lines if line.table not in wide or line is tables[line.table][0]]
    return [row for line in _order_upright(parts) for row in (tables.pop(line.table, ()) if line.table else (line,))]


def _order_upright(lines: list[PdfLine], depth: int = 0) -> list[PdfLine]:
    """Sort the lines into reading order; the order of the file is kept if it is plausible."""
    if not _is_out_of_order(lines):
        return _join_markers(lines)
    if depth == MAX_DEPTH:
        return _group_rows(lines)
    if not depth:
        head, foot = _find_edge_row(lines, max), _find_edge_row(lines, min)
        held = {id(line) for line in (*head, *foot)}
        inner = [line for line in lines if id(line) not in held]
        return [*_group_rows(head), *_order_upright(inner, 1), *_group_rows(foot)]
    edge = _find_column_edge(lines, _is_column)
    runs = _list_runs(lines, edge) if edge is not None else []
    if _follow_columns(runs, len(lines)):  # only formulas and tables in columns are out of order
        return [line for run in _move_titles(runs) for line in _order_upright(run, depth + 1)]
    edge = _find_column_edge(lines, _is_prose)
    return _group_rows(lines) if edge is None else _order_bands(lines, edge, depth)


def _find_edge_row(lines: list[PdfLine], choose: Callable[..., float]) -> list[PdfLine]:
    """The highest or lowest row if it has several texts, smaller than others and apart from them: no row of a table."""
    outer = choose(line.bottom for line in lines)
    distances = sorted((abs(line.bottom - outer), line.size) for line in lines)
    row = [line for line in lines if abs(line.bottom - outer) < line.size / 3]
    if not EDGE_TEXTS <= len(row) < len(lines) or any(line.table for line in row):
        return []
    size = max(line.size for line in row)
    is_apart = distances[len(row)][0] > EDGE_GAP * size
    return row if is_apart and size <= EDGE_SIZE * median(line.size for line in lines) else []


def _order_bands(lines: list[PdfLine], edge: float, depth: int) -> list[PdfLine]:
    """Sort lines that were drawn across the columns: in the order of the columns between the lines that span them."""
    found: list[PdfLine] = []
    for crossing, band in groupby(sorted(lines, key=_to_sort_key), key=lambda line: line.left < edge < line.right):
        part = list(band)
        if crossing:
            found += _group_rows(part)
        else:
            found += _order_upright([line for line in part if line.right <= edge], depth + 1)
            found += _order_upright([line for line in part if line.left >= edge], depth + 1)
    return found


class Run(NamedTuple):
    """Lines that follow each other in the file and are in one column, or all span the columns."""

    is_right: bool
    spans: bool
    lines: list[PdfLine]


def _list_runs(lines: list[PdfLine], edge: float) -> list[Run]:
    """The lines in the order of the file, divided where it changes the column."""
    across = _find_rows_across(lines, edge)

    def find_column(line: PdfLine) -> tuple[bool, bool]:
        """Whether a line is in the right column, and whether it spans both."""
        spans = id(line) in across or line.left < edge < line.right
        return line.left >= edge and not spans, spans

    return [Run(*column, list(run)) for column, run in groupby(lines, key=find_column)]


def _follow_columns(runs: list[Run], count: int) -> bool:
    """Whether the file has the lines, of which there are `count`, column by column, or seldom in the right one.

    Short lines of a page with one column are in the left one.
    """
    few = len(runs) <= max(FEW_RUNS, RUN_SHARE * count) or sum(run.is_right for run in runs) <= FEW_RIGHT
    return len(runs) > 1 and few


def _find_rows_across(lines: list[PdfLine], edge: float) -> set[int]:
    """Ids of the cells of rows that have some on both sides of an edge: the file has them one after another."""
    found: set[int] = set()
    row: list[PdfLine] = []
    for line in lines:
        if row and not _are_beside_each_other(row[-1], line):
            row = []
        row.append(line)
        if row[0].right <= edge <= line.left:
            found.update(map(id, row))
    return found


def _move_titles(runs: list[Run]) -> list[list[PdfLine]]:
    """The lines of each run; lines above or below all columns are moved there, whenever they were drawn."""
    text = [line for run in runs if not run.spans for line in run.lines]
    top, bottom = _find_top(text), _find_bottom(text)
    above = [run.lines for run in runs if run.spans and _find_bottom(run.lines) >= top]
    below = [run.lines for run in runs if run.spans and _find_top(run.lines) <= bottom]
    moved = {id(lines) for lines in above + below}
    between = [run.lines for run in runs if id(run.lines) not in moved]
    return [_sort_down(above), *between, _sort_down(below)]


def _sort_down(runs: list[list[PdfLine]]) -> list[PdfLine]:
    lines = [line for run in runs for line in run]
    climbs = any(two.bottom > one.bottom + one.size for one, two in pairwise(lines))
    return _group_rows(lines) if climbs else lines


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


def _find_column_edge(lines: list[PdfLine], is_text: Callable[[list[PdfLine]], bool]) -> float | None:
    """The right edge of the left column: the position that the fewest lines cross, with enough text on both sides."""
    best, edge = 0, None
    lefts, rights = sorted(line.left for line in lines), sorted(line.right for line in lines)
    usual = Counter(round(line.left) for line in lines).most_common(MAX_EDGES)
    for place in sorted(candidate - 1.5 for candidate, _ in usual):
        before, behind = bisect_right(rights, place), len(lines) - bisect_left(lefts, place)
        if min(before, behind) <= max(best, COLUMN_LINES - 1) or len(lines) - before - behind > CROSSING * len(lines):
            continue
        left = [line for line in lines if line.right <= place]
        right = [line for line in lines if line.left >= place]
        if _are_beside(left, right) and is_text(left) and is_text(right):
            best, edge = min(before, behind), place
    return edge


def _are_beside(left: list[PdfLine], right: list[PdfLine]) -> bool:
    low, high = max(_find_bottom(left), _find_bottom(right)), min(_find_top(left), _find_top(right))
    return high - low >= 0.3 * min(_find_top(left) - _find_bottom(left), _find_top(right) - _find_bottom(right))


def _is_prose(lines: list[PdfLine]) -> bool:
    """Whether the lines are longer than the cells of a table."""
    return sum(len(line.text) for line in lines) >= COLUMN_LETTERS * len(lines)


def _is_column(lines: list[PdfLine]) -> bool:
    """Whether most of the text is in lines that are longer than cells; formulas consist of many short pieces."""
    long = [len(line.text) for line in lines if len(line.text) >= COLUMN_LETTERS]
    return len(long) >= COLUMN_LINES and sum(long) >= LONG_SHARE * sum(len(line.text) for line in lines)


def _find_bottom(lines: list[PdfLine]) -> float:
    return min(line.bottom for line in lines)


def _find_top(lines: list[PdfLine]) -> float:
    return max(line.top for line in lines)


def _group_rows(lines: list[PdfLine]) -> list[PdfLine]:
    """Group the lines from top to bottom; those on one baseline become the cells of a row."""
    rows: list[list[PdfLine]] = []
    for line in sorted(lines, key=_to_sort_key):
        if rows and not (line.table or rows[-1][0].table) and abs(rows[-1][0].bottom - line.bottom) < line.size / 3:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_join_cells(sorted(row, key=lambda line: line.left)) for row in rows]


def _join_cells(cells: list[PdfLine]) -> PdfLine:
    if len(cells) == 1:
        return cells[0]
    cells = [cell for piece in cells for cell in piece.cells or (piece,)]
    first, second = cells[:2]
    if len(cells) == 2 and _is_marker(first, second):  # no row of a table
        return _put_before(first, second)
    return join_cells(cells, hyphen=cells[-1].hyphen)


def _join_markers(lines: list[PdfLine]) -> list[PdfLine]:
    """Join the bullets and numbers that are further from their text than words are."""
    found: list[PdfLine] = []
    for line in lines:
        before = found[-1] if found else None
        if before is not None and _are_beside_each_other(before, line) and _is_marker(before, line):
            found[-1] = _put_before(before, line)
        else:
            found.append(line)
    return found


def _put_before(marker: PdfLine, line: PdfLine) -> PdfLine:
    """The line with a marker before its text, which is that of its first cell if it is a row."""
    cells = (_put_before(marker, line.cells[0]), *line.cells[1:]) if line.cells else ()
    return line._replace(text=f"{marker.text} {line.text}", left=marker.left, cells=cells)


def _are_beside_each_other(one: PdfLine, two: PdfLine) -> bool:
    return abs(one.bottom - two.bottom) < two.size / 3 and two.left > one.right and not (one.table or two.table)


def _is_marker(first: PdfLine, second: PdfLine) -> bool:
    """Whether the first is a bullet, or the number of an item, of a clause or of a bold heading, before its text."""
    if CLAUSE_ALONE.fullmatch(first.text) and not second.cells and len(second.text.split()) >= CLAUSE_WORDS:
        return True
    is_section = first.is_bold and second.is_bold and SECTION_ALONE.fullmatch(first.text) is not None
    return is_section or MARKER_ALONE.fullmatch(first.text) is not None
