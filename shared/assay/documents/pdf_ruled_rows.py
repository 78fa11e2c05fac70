"""Rows of tables between horizontal rules: which lines of text begin a row, and which go on with its cells."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.documents.pdf_columns import FIGURE
from assay.documents.pdf_grids import MIDDLE, Area

CLOSEST = 0.95  # minimum distance of the baselines of two rows, in font sizes
CLOSER = 1.2  # minimum ratio of the distance of rows to that of the lines of one
LEVEL = 0.4  # maximum difference of the baselines of a row, in font sizes
FILLED = 0.5  # share of the columns with words, above which a line is not the title of rows
EDGE = 0.25  # of the size of text, by which the edge of a row is above the middle between two baselines
SENTENCE = 3  # words of a line, which may go on with a word that is no small one
SPACE = 0.2  # minimum width of the space between words, in font sizes


class RuledPiece(NamedTuple):
    """A cell or a word, from its left to its right edge."""

    left: float
    right: float
    text: str


class RuledRow(NamedTuple):
    """The cells with one baseline, and their words."""

    bottom: float
    size: float
    cells: list[RuledPiece]
    words: list[RuledPiece]


class RuledPart(NamedTuple):
    """The edges between the rows of a part of a table, from top to bottom, and the cells that span rows or columns."""

    edges: list[float]
    spans: list[Area]


type Words = list[list[RuledPiece]]  # of a row, by columns


def divide_part(band: Sequence[RuledRow], edges: Sequence[float], *, is_head: bool, are_rows: bool) -> RuledPart | None:
    """The rows between two rules, of which there is one unless `are_rows`; None if they are unclear."""
    rows = _drop_labels_between(band, edges)
    are_titles = [False] * len(rows) if is_head else _list_titles(rows, edges)
    starts = _list_starts(rows, edges, are_titles)
    if starts is None or not are_apart(rows):
        return None
    between = _list_edges(rows, starts) if are_rows else []
    if _has_label(band, edges):
        return RuledPart(between, [(0, len(between) + 1, 0, 1)])
    return RuledPart(between, list(_list_spans(rows, are_titles, between, len(edges) - 1)))


def _list_edges(rows: Sequence[RuledRow], starts: Sequence[bool]) -> list[float]:
    """The edges between rows, by whether each line begins one."""
    return [
        (above.bottom + below.bottom) / 2 + EDGE * below.size
        for (above, below), begins in zip(pairwise(rows), starts[1:], strict=True)
        if begins
    ]


def _list_spans(
    rows: Sequence[RuledRow], are_titles: Sequence[bool], edges: Sequence[float], width: int
) -> Iterator[Area]:
    """The places of the titles of rows, which span all columns."""
    for row, is_title in zip(rows, are_titles, strict=True):
        if is_title:
            place = sum(edge > row.bottom + MIDDLE * row.size for edge in edges)
            yield place, place + 1, 0, width


def divide_words(row: RuledRow, edges: Sequence[float]) -> Words:
    """The words of a row in each of the columns between the edges."""
    return [
        [word for word in row.words if left < (word.left + word.right) / 2 <= right] for left, right in pairwise(edges)
    ]


def are_apart(rows: Sequence[RuledRow]) -> bool:
    """Whether lines are further from each other than they are high: those of formulas and centred cells are not."""
    return all(above.bottom - below.bottom >= CLOSEST * max(above.size, below.size) for above, below in pairwise(rows))


def _drop_labels_between(rows: Sequence[RuledRow], edges: Sequence[float]) -> list[RuledRow]:
    """Return the rows without lines of the first column alone that are between two rows: their cell spans these."""
    return [
        row
        for place, row in enumerate(rows)
        if are_apart(rows[max(0, place - 1) : place + 2]) or any(divide_words(row, edges)[1:])
    ]


def _has_label(rows: Sequence[RuledRow], edges: Sequence[float]) -> bool:
    """Whether the first column has one line, which is in the middle of the rows: a cell that spans all of them."""
    first = [row for row in rows if divide_words(row, edges)[0]]
    if len(rows) < 2 or len(first) != 1 or len(first[0].cells) == 1 == len(rows) - 1:
        return False
    return abs(first[0].bottom - (rows[0].bottom + rows[-1].bottom) / 2) <= LEVEL * first[0].size


def _list_starts(rows: Sequence[RuledRow], edges: Sequence[float], are_titles: Sequence[bool]) -> list[bool] | None:
    """For each line whether it begins a row, or goes on with cells of the line above; None if that is unclear.

    Rows may be further apart than the lines of their cells. Titles of rows are rows.
    """
    words = [divide_words(row, edges) for row in rows]
    ends = [max((word.right for row in words for word in row[column]), default=0.0) for column in range(len(edges) - 1)]
    steps = [
        math.inf if one or two else above.bottom - below.bottom
        for (above, below), (one, two) in zip(pairwise(rows), pairwise(are_titles), strict=True)
    ]
    far = CLOSER * min((step for step in steps if step < math.inf), default=0.0)
    has_gaps = any(far < step < math.inf for step in steps)
    starts = [
        step > far or not _goes_on(above, below, ends, rows[0].size, is_close=has_gaps)
        for (above, below), step in zip(pairwise(words), steps, strict=True)
    ]
    are_cut = (
        far < step < math.inf and (_is_cut(above) or _is_cut(below))
        for (above, below), step in zip(pairwise(words), steps, strict=True)
    )
    is_clear = sum(starts) == sum(step > far for step in steps) or not any(are_cut)
    return [True, *starts] if is_clear else None


def _list_titles(rows: Sequence[RuledRow], edges: Sequence[float]) -> list[bool]:
    """For each line between two rules whether it is a title of the rows below: one text, which is across columns, or
    the only one, or the first one and beside the first column, in which all others have text.
    """
    firsts = [bool(divide_words(row, edges)[0]) for row in rows]
    is_beside = len(rows) > 1 and len(rows[0].cells) == 1 and firsts == [False] + [True] * (len(rows) - 1)
    return [
        (is_beside and not place) or len(rows) == len(row.cells) == 1 or _is_across(row, edges)
        for place, row in enumerate(rows)
    ]


def _is_across(row: RuledRow, edges: Sequence[float]) -> bool:
    """Whether a line is one text across columns, which has no words of its own in most of them."""
    if any(word.left < edge < word.right for word in row.words for edge in edges):
        return True
    if len(row.cells) > 1 or not any(row.cells[0].left < edge < row.cells[0].right for edge in edges):
        return False
    return sum(map(bool, divide_words(row, edges))) <= FILLED * (len(edges) - 1)


def _is_cut(words: Words) -> bool:
    """Whether a line may be a part of a row: it has no text in some columns, and none of its cells is a figure."""
    return not all(words) and not any(
        column and all(FIGURE.fullmatch(word.text) for word in column) for column in words[1:]
    )


def _goes_on(above: Words, below: Words, ends: Sequence[float], size: float, *, is_close: bool) -> bool:
    """Whether a line has only text for which the cells of the line above had no room; `ends` are those of columns."""
    pairs = [(one, two, end) for one, two, end in zip(above, below, ends, strict=True) if two]
    return (
        0 < len(pairs) < len(ends)
        and (
            not below[0] or (len(pairs) == 1 and len(above[0]) > 1) or any(len(one) >= SENTENCE for one, _, _ in pairs)
        )
        and all(_has_no_room(one, two, end, size) for one, two, end in pairs)
        and (is_close or all(two[0].text[0].islower() or len(one) >= SENTENCE for one, two, _ in pairs))
        and (is_close or any(two[0].text[0].islower() for _, two, _ in pairs))
    )


def _has_no_room(above: Sequence[RuledPiece], below: Sequence[RuledPiece], end: float, size: float) -> bool:
    """Whether the first word of a line did not fit behind the line above it, and both are words, not figures."""
    if not above or FIGURE.fullmatch(below[0].text) or all(FIGURE.fullmatch(word.text) for word in above):
        return False
    return above[-1].right + SPACE * size + below[0].right - below[0].left > end
