"""Gaps within the lines of a PDF page, which are wider than the spaces between words."""

from collections.abc import Iterable

from assay.documents.pdf_text_page import TextPage

CELL_GAP = 0.7  # between cells of a table, in text heights
JOINED = "\u00ad"  # in place of a line break that is none; no text of a line keeps it


def split_spans(page: TextPage, start: int, end: int, gutter: float) -> list[tuple[int, int]]:
    """Split a line at gaps that are wider than a space; return (start, end) pairs.

    The words of recognised text are as wide as those of the picture with the space behind them.
    """
    text, spans, begin, place = page.text, [], start, start
    while (place := text.find(" ", place, end)) > 0:
        before = place
        while place < end and text[place] in (" ", JOINED):
            place += 1
        if place == end:  # a soft hyphen of the file itself
            break
        one, two = page.box(place - 1 if page.is_recognised else before - 1), page.box(place)
        if two[0] - one[2] > gutter * max(4.0, one[1] - one[3], two[1] - two[3]):  # a raised number is low
            spans.append((begin, before))
            begin = place
    return [*spans, (begin, end)]


def overlaps_gap(gap: tuple[float, float], others: Iterable[tuple[float, float]]) -> bool:
    """Whether a gap, by its left and right edge, is above or below one of the others."""
    return any(min(gap[1], right) > max(gap[0], left) for left, right in others)
