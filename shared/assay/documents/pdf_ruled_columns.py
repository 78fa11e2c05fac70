"""Columns of tables between horizontal rules: told by the words of all rows, which may be close to each other."""

import re
from collections.abc import Iterator, Sequence

from assay.documents.pdf_ruled_rows import RuledPiece, RuledRow

NARROW, WIDE, WIDER = 0.25, 0.5, 0.55  # minimum space of columns, in font sizes; in all rows; in one if it is narrower
USED = 0.5  # minimum share of the rows with text in columns that are close to each other
NUMBER = re.compile(r"[+−–-]?\d[\d.,]*%?")
PART = re.compile(r"\d{3}(?:[.,]\d+)?")  # of a number whose thousands are apart


def find_columns(rows: Sequence[RuledRow], heads: Sequence[RuledRow]) -> list[tuple[float, float]]:
    """The left and right edges of the columns, between which no row with several cells has words."""
    full = [row for row in rows if len(row.cells) > 1 or _count_figures(row) > 1]
    start = min((row.words[0].left for row in full), default=0.0)
    labels = [row for row in rows if len(row.cells) == 1 and row.words[-1].right < start]  # each beside several rows
    columns: list[tuple[float, float]] = []
    for left, right, _ in sorted(word for row in (*full, *labels) for word in row.words):
        if columns and left < columns[-1][1] + NARROW * full[0].size:
            columns[-1] = columns[-1][0], max(right, columns[-1][1])
        else:
            columns.append((left, right))
    found: list[tuple[float, float]] = []
    for column in columns:
        is_apart = not found or _are_columns(found[-1], column, [*full, *heads])
        if is_apart or _have_figures(found[-1], column, full, heads):
            found.append(column)
        else:
            found[-1] = found[-1][0], column[1]
    return found


def find_edge(start: float, end: float, heads: Sequence[RuledRow]) -> float:
    """The middle between two columns, or between their heads if these are wider."""
    left, right = start, end
    for cell in (piece for row in heads for piece in _list_pieces(row, start, end)):
        if cell.right < end and cell.left - start < end - cell.right:
            left = max(left, cell.right)
        elif cell.left > start:
            right = min(right, cell.left)
    return (left + right) / 2 if left < right else (start + end) / 2


def _list_pieces(row: RuledRow, start: float, end: float) -> Iterator[RuledPiece]:
    """The cells of a row between two columns, and the words of one that is over both."""
    for cell in row.cells:
        if start < cell.right and cell.left < end:
            is_over = cell.left <= start and end <= cell.right
            yield from (word for word in row.words if cell.left <= word.left < cell.right) if is_over else (cell,)


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


def _have_figures(
    one: tuple[float, float], two: tuple[float, float], rows: Sequence[RuledRow], heads: Sequence[RuledRow]
) -> bool:
    """Whether two areas have figures beside each other, which are no parts of one, below words of their own."""
    pairs = [(_find_words(row, one), _find_words(row, two)) for row in rows]
    pairs = [pair for pair in pairs if all(pair)]
    figures = [before[-1].text for before, _ in pairs] + [behind[0].text for _, behind in pairs]
    if len(pairs) < USED * len(rows) or not all(map(NUMBER.fullmatch, figures)):
        return False
    if all(PART.fullmatch(behind[0].text) for _, behind in pairs):
        return False
    above, beside = ({word for row in heads for word in _find_words(row, area)} for area in (one, two))
    return bool(above - beside) and bool(beside - above)


def _find_words(row: RuledRow, area: tuple[float, float]) -> list[RuledPiece]:
    """The words of a row that are above or below an area."""
    return [word for word in row.words if word.left < area[1] and word.right > area[0]]


def _count_figures(row: RuledRow) -> int:
    return sum(NUMBER.fullmatch(word.text) is not None for word in row.words)
