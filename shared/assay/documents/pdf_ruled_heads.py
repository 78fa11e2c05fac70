"""Heads of tables between horizontal rules: those of several rows, and those that span columns above short rules."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from assay.documents.pdf_columns import FIGURE
from assay.documents.pdf_grids import MIDDLE, Area
from assay.documents.pdf_ruled_rows import EDGE, RuledPart, RuledPiece, RuledRow, are_apart, divide_words
from assay.documents.pdf_rulings import THICK, Ruling

MOST_LINES, MOST_SHORT = 4, 100  # of a head: lines of text, and short rules
MIN_PAIRS = 2  # of columns
FIGURES = 0.5  # minimum share of figures in a row that is none of a head


def find_heads(
    rows: Sequence[RuledRow], edges: Sequence[float], short: Sequence[Ruling], body: int
) -> RuledPart | None:
    """The rows of a head that is above a `body` of that many rows; None if it is unclear which columns they belong to.

    Without short rules, lines above each other are the lines of one cell, unless those of the first are each in the
    middle of two columns.
    """
    if len(rows) > min(MOST_LINES, max(1, body)) or len(short) > MOST_SHORT:
        return None
    places = _list_places(short)
    if not places:
        if spans_of_first := _find_pairs(rows, edges):
            between = (rows[0].bottom + rows[1].bottom) / 2 + EDGE * rows[1].size
            return RuledPart([between], list(_merge([spans_of_first], len(edges) - 1)))
        return (
            RuledPart([], [])
            if len(rows) == 1 or (not _are_figures(rows, edges) and _are_stacked(rows, edges))
            else None
        )
    spans: list[list[tuple[int, int]]] = []
    for above, place in pairwise([math.inf, *places]):
        held = [_find_columns(rule, edges) for rule in short if abs(rule.place - place) <= THICK]
        if not all(one < two and _is_one(rows, edges[one], edges[two], place, above) for one, two in held):
            return None
        spans.append(held)
    return RuledPart(places, list(_merge(spans, len(edges) - 1)))


def _find_pairs(rows: Sequence[RuledRow], edges: Sequence[float]) -> list[tuple[int, int]]:
    """The pairs of columns, side by side, in the middle of which the texts of the first of two rows are; none if any is
    elsewhere. The second row has a text in each of them.
    """
    if len(rows) != 2 or len(rows[0].cells) < MIN_PAIRS or _are_figures(rows, edges):
        return []
    lower = divide_words(rows[1], edges)
    pairs: list[tuple[int, int]] = []
    for cell in rows[0].cells:
        middle = (cell.left + cell.right) / 2
        column = sum(edge < middle for edge in edges[1:-1])
        found = [
            (start, start + 2)
            for start in (column - 1, column)
            if 0 <= start < len(lower) - 1 and _is_between(middle, lower[start], lower[start + 1], rows[0].size)
        ]
        if len(found) != 1 or (pairs and found[0][0] != pairs[-1][1]):
            return []
        pairs += found
    return pairs


def _is_between(middle: float, left: Sequence[RuledPiece], right: Sequence[RuledPiece], size: float) -> bool:
    """Whether a text is in the middle of two others, and not of one of them."""
    if not left or not right:
        return False
    centres = [(words[0].left + words[-1].right) / 2 for words in (left, right)]
    is_above_one = any(abs(centre - middle) < size for centre in centres)
    is_above_space = left[-1].right < middle < right[0].left
    return (is_above_space or not is_above_one) and abs((left[0].left + right[-1].right) / 2 - middle) < size


def _is_one(rows: Sequence[RuledRow], left: float, right: float, bottom: float, top: float) -> bool:
    """Whether there is one text in an area of a head."""
    lines = [row for row in rows if bottom < row.bottom + MIDDLE * row.size < top]
    return all(sum(left < (cell.left + cell.right) / 2 < right for cell in row.cells) <= 1 for row in lines)


def _list_places(short: Sequence[Ruling]) -> list[float]:
    """The heights of short rules, from top to bottom."""
    places: list[float] = []
    for rule in sorted(short, reverse=True):
        if not places or places[-1] - rule.place > THICK:
            places.append(rule.place)
    return places


def _find_columns(rule: Ruling, edges: Sequence[float]) -> tuple[int, int]:
    """The first column that a rule is above, and the one behind the last."""
    middles = [(left + right) / 2 for left, right in pairwise(edges)]
    return sum(middle < rule.start for middle in middles), sum(middle <= rule.end for middle in middles)


def _merge(spans: Sequence[Sequence[tuple[int, int]]], width: int) -> Iterator[Area]:
    """The cells that span columns, and those that span rows because no rule is below them."""
    for row, level in enumerate(spans):
        yield from ((row, row + 1, start, end) for start, end in level)
    for column in range(width):
        under = [any(start <= column < end for start, end in level) for level in spans]
        start = 0
        for row, is_under in enumerate([*under, True], 1):
            if is_under:
                if row - start > 1:
                    yield start, row, column, column + 1
                start = row


def _are_figures(rows: Sequence[RuledRow], edges: Sequence[float]) -> bool:
    """Whether a row below the first has figures: it is no head."""
    for row in rows[1:]:
        firsts = [words[0].text for words in divide_words(row, edges)[1:] if words]
        if sum(map(bool, map(FIGURE.fullmatch, firsts))) > FIGURES * len(firsts):
            return True
    return False


def _are_stacked(rows: Sequence[RuledRow], edges: Sequence[float]) -> bool:
    """Whether each column has its own lines: no text crosses edges, or may belong to columns without text beside it."""
    filled = [[bool(words) for words in divide_words(row, edges)] for row in rows]
    if any(word.left < edge < word.right for row in rows for word in row.words for edge in edges):
        return False
    for place, (row, has) in enumerate(zip(rows, filled, strict=True)):
        for other, behind in zip(rows[place + 1 :], filled[place + 1 :], strict=True):
            if are_apart([row, other]) and any(
                behind[column] and not has[column] and any(has[max(0, column - 1) : column + 2])
                for column in range(len(has))
            ):
                return False
    columns = zip(*filled, strict=True)
    return all(are_apart([row for row, has in zip(rows, column, strict=True) if has]) for column in columns)
