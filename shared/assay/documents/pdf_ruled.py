"""Tables between horizontal ruling lines without vertical ones, as in books and papers: rules above and below the heads
and at the end, all of one width.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.documents.pdf_gaps import split_spans
from assay.documents.pdf_grids import MIDDLE, Grid, build_grid
from assay.documents.pdf_rows import split_cells
from assay.documents.pdf_rulings import Ruling
from assay.documents.pdf_text_page import Place, TextPage

SAME = 1.5  # points by which the ends of the rules of a table may differ
MIN_RULES, MOST_RULES = 3, 200
ABOVE = 2.5  # distance of heads above a rule, in font sizes: the rules of such a table are between all rows
OVER = 3.0  # points by which text may go over the ends of the rules
MIN_SHARE = 0.6  # of the rows of a part of a table that have several cells
MOST_LETTERS = 30  # mean length of cells; those of text in columns are longer
LEVEL = 0.4  # maximum difference of the baselines of a row, in font sizes
WRAPPED = 12  # minimum letters of a line of a cell that goes on below
NARROW, WIDE, WIDER = 0.25, 0.5, 0.55  # minimum space of columns, in font sizes; in all rows; in one if it is narrower
FEW_BANDS, FULL = 3, 0.8  # parts of a table, of which more are rows; minimum share of the cells with text if not
CLOSEST = 0.95  # minimum distance of lines, in font sizes
CLOSER = 1.2  # minimum ratio of the distance of rows to that of the lines of one
USED = 0.5  # minimum share of the rows with text in columns that are close to each other


class RuledPiece(NamedTuple):
    """A cell or a word, from its left to its right edge."""

    left: float
    right: float
    letters: int


class RuledRow(NamedTuple):
    """The cells with one baseline, and their words."""

    bottom: float
    size: float
    cells: list[RuledPiece]
    words: list[RuledPiece]


def find_ruled_tables(page: TextPage, places: list[Place], rules: list[Ruling], grids: list[Grid]) -> list[Grid]:
    """The tables between rules, beside the grids that have vertical lines too."""
    groups = [group for group in _group_rules(rules) if not any(_is_in_grid(rule, grids) for rule in group)]
    if not groups:
        return []
    spans = [(start, end, *page.span(start, end)) for start, end, _ in places]
    found = []
    for group in groups:
        bands = [_read_band(page, spans, above, below) for above, below in pairwise(group)]
        for first, last in _list_runs([_is_part(band) for band in bands]):
            grid = _build_grid(group[first : last + 1], bands[first:last])
            top = group[first]
            edge = top._replace(place=top.place + ABOVE * bands[first][0].size)
            beside = [_read_band(page, spans, edge, top), *bands[max(0, first - 1) : first], *bands[last : last + 1]]
            if grid is not None and not any(map(_has_cells, beside)):
                found.append(grid)
    return found


def _group_rules(rules: list[Ruling]) -> list[list[Ruling]]:
    """The rules of one width, from top to bottom, if there are enough for a table."""
    groups: list[list[Ruling]] = []
    for rule in sorted(rules, reverse=True)[:MOST_RULES]:
        for group in groups:
            if abs(rule.start - group[0].start) <= SAME and abs(rule.end - group[0].end) <= SAME:
                group.append(rule)
                break
        else:
            groups.append([rule])
    return [group for group in groups if len(group) >= MIN_RULES]


def _is_in_grid(rule: Ruling, grids: list[Grid]) -> bool:
    middle = (rule.start + rule.end) / 2
    return any(
        grid.xs[0] <= middle <= grid.xs[-1] and grid.ys[-1] - OVER <= rule.place <= grid.ys[0] + OVER for grid in grids
    )


def _read_band(
    page: TextPage, spans: Sequence[tuple[int, int, float, float, float, float]], above: Ruling, below: Ruling
) -> list[RuledRow]:
    """The rows between two rules."""
    rows: list[RuledRow] = []
    lines = [
        (bottom, size, start, end)
        for start, end, left, right, bottom, size in spans
        if below.place < bottom + MIDDLE * size < above.place
        and below.start - OVER <= left
        and right <= below.end + OVER
    ]
    for bottom, size, start, end in sorted(lines, reverse=True):
        if not rows or rows[-1].bottom - bottom >= LEVEL * size:
            rows.append(RuledRow(bottom, size, [], []))
        rows[-1].cells.extend(_measure(page, split_cells(page, start, end)))
        rows[-1].words.extend(_measure(page, split_spans(page, start, end, 0.0)))
    return [row._replace(cells=sorted(row.cells), words=sorted(row.words)) for row in rows]


def _measure(page: TextPage, spans: Sequence[tuple[int, int]]) -> list[RuledPiece]:
    return [RuledPiece(page.box(start)[0], page.box(end - 1)[2], end - start) for start, end in spans]


def _is_part(rows: list[RuledRow]) -> bool:
    """Whether the rows between two rules are a part of a table: most have several cells, which are short."""
    cells = [cell for row in rows for cell in row.cells]
    has_rows = sum(len(row.cells) > 1 for row in rows) >= MIN_SHARE * len(rows) > 0
    return has_rows and sum(cell.letters for cell in cells) <= MOST_LETTERS * len(cells)


def _has_cells(rows: list[RuledRow]) -> bool:
    """Whether pieces of text are beside each other, maybe on different baselines, as cells are and prose is not."""
    return any(len(row.cells) > 1 for row in rows) or any(
        above.bottom - below.bottom < below.size
        and (above.cells[0].left > below.cells[0].right or below.cells[0].left > above.cells[0].right)
        for above, below in pairwise(rows)
    )


def _list_runs(are_parts: list[bool]) -> Iterator[tuple[int, int]]:
    """The first and the last rule of at least two parts below each other."""
    begin = 0
    for place, is_part in enumerate([*are_parts, False]):
        if not is_part:
            if place - begin > 1:
                yield begin, place
            begin = place + 1


def _build_grid(rules: Sequence[Ruling], bands: Sequence[Sequence[RuledRow]]) -> Grid | None:
    """The grid with a cell for each column in each row; None if columns or rows are unclear."""
    columns = _find_columns([row for band in bands[1:] for row in band], bands[0])
    if len(columns) < 2 or any(_has_wrapped_rows(band, columns) or _overlap(band) for band in bands):
        return None
    inner = [_find_edge(one[1], two[0], bands[0]) for one, two in pairwise(columns)]
    xs = [min(rules[0].start, columns[0][0]) - OVER, *inner, max(rules[0].end, columns[-1][1]) + OVER]
    ys = [rules[0].place]
    for band, rule in zip(bands, rules[1:], strict=True):
        if len(bands) <= FEW_BANDS or _are_filled(band, columns):
            ys += [
                (above.bottom + below.bottom) / 2 + MIDDLE * below.size
                for above, below in pairwise(band)
                if not _goes_on(above, below, columns)
            ]
        ys.append(rule.place)
    return build_grid(xs, ys)


def _find_columns(rows: Sequence[RuledRow], heads: Sequence[RuledRow]) -> list[tuple[float, float]]:
    """The left and right edges of the columns, between which no row with several cells has words."""
    full = [row for row in rows if len(row.cells) > 1]
    columns: list[tuple[float, float]] = []
    for left, right, _ in sorted(word for row in full for word in row.words):
        if columns and left < columns[-1][1] + NARROW * full[0].size:
            columns[-1] = columns[-1][0], max(right, columns[-1][1])
        else:
            columns.append((left, right))
    found: list[tuple[float, float]] = []
    for column in columns:
        if found and not _are_columns(found[-1], column, [*full, *heads]):
            found[-1] = found[-1][0], column[1]
        else:
            found.append(column)
    return found


def _find_edge(start: float, end: float, heads: Sequence[RuledRow]) -> float:
    """The middle between two columns, or between their heads if these are wider."""
    words = [word for row in heads for word in row.words]
    left = max([start, *(word.right for word in words if start < word.right < end)])
    right = min([end, *(word.left for word in words if start < word.left < end)])
    return (left + right) / 2 if left < right else (start + end) / 2


def _are_columns(one: tuple[float, float], two: tuple[float, float], rows: Sequence[RuledRow]) -> bool:
    """Whether two areas are columns, not words of one that are below each other by chance."""
    size = rows[0].size
    if two[0] - one[1] >= WIDE * size:
        return True
    gaps = []
    for row in rows:
        before = [word.right for word in row.words if one[0] <= word.left < one[1]]
        behind = [word.left for word in row.words if two[0] <= word.left < two[1]]
        gaps += [behind[0] - before[-1]] if before and behind else []
    return len(gaps) >= USED * len(rows) and max(gaps) >= WIDER * size


def _overlap(rows: Sequence[RuledRow]) -> bool:
    """Whether lines are closer to each other than they are high, as in formulas and beside cells that are centred."""
    return any(above.bottom - below.bottom < CLOSEST * max(above.size, below.size) for above, below in pairwise(rows))


def _has_wrapped_rows(rows: Sequence[RuledRow], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether some lines are closer than rows, which begin or end with lines that have text in some columns only."""
    steps = [above.bottom - below.bottom for above, below in pairwise(rows)]
    return any(
        step > CLOSER * before and not (all(_count_letters(above, columns)) and all(_count_letters(below, columns)))
        for above, below, before, step in zip(rows[1:], rows[2:], steps, steps[1:], strict=False)
    )


def _are_filled(rows: Sequence[RuledRow], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether the lines between two rules are rows, which have text in most columns, not those of one row."""
    counts = [_count_letters(row, columns) for row in rows]
    return sum(count > 0 for row in counts for count in row) >= FULL * len(rows) * len(columns)


def _goes_on(above: RuledRow, below: RuledRow, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a row has only further lines of cells of the row above, which are long and not in the first column."""
    before, behind = _count_letters(above, columns), _count_letters(below, columns)
    return not behind[0] and all(count >= WRAPPED for count, more in zip(before, behind, strict=True) if more)


def _count_letters(row: RuledRow, columns: Sequence[tuple[float, float]]) -> list[int]:
    """The letters of a row in each column."""
    return [sum(word.letters for word in row.words if left <= word.left < right) for left, right in columns]
