"""Gaps between cells of PDF tables that are narrower than usual, but above or below wider ones of other rows.

The cells may even touch: "−3.21,234.50" are two figures where other rows have a gap between them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, compress, pairwise

from assay.documents.pdf_gaps import overlaps_gap
from assay.documents.pdf_text_page import TextPage

# Minimum gap, relative to the size of the text: where words have a space, in typewriter fonts too, and elsewhere.
NARROW, NARROW_FIXED, TOUCHING = 0.36, 0.8, 0.04
WIDER = 1.5  # than the narrowest space between words of the same cell
BETWEEN = re.compile(r" +|(?<=[\w.,%)])(?=[-+−–(\d])|(?<=[a-z\d.,%)])(?=[A-Z])")
FIGURE = frozenset("0123456789+-−–%)(")
MIN_ROWS = 3
MIN_WIDE = 2  # rows that have a wider gap there
AROUND = 10  # rows above and below that are compared
SHARE = 0.5  # minimum share of these that have a gap at the same place

type Span = tuple[int, int]
type Gap = tuple[float, float]


def split_at_narrow_gaps(page: TextPage, split: list[list[Span]], are_rows: Sequence[bool]) -> None:
    """Split lines that have fewer cells than other rows near them at narrow gaps, where others have gaps.

    A gap of another row counts for one gap only, the widest: behind a short cell it is above several of a line.
    """
    for run in _list_runs(are_rows):
        counts = Counter(len(split[number]) for number in run)
        most = max((count for count, times in counts.items() if times >= MIN_WIDE), default=0)
        few = [number for number in run if len(split[number]) < most]
        if not few:
            continue
        gaps = {number: _list_gaps(page, split[number]) for number in run}
        pieces = {number: [_split_cell(page, *span) for span in split[number]] for number in few}
        narrow = gaps | {
            number: _list_gaps(page, [each for spans in pieces[number] for each in spans]) for number in few
        }
        for number in few:
            if len(narrow[number]) == len(gaps[number]):
                continue
            near = [other for other in range(number - AROUND, number + AROUND + 1) if other in run and other != number]
            sure, others = (
                [[gap for gap in rows[other] if not overlaps_gap(gap, gaps[number])] for other in near]
                for rows in (gaps, narrow)
            )
            split[number] = [each for spans in pieces[number] for each in _keep_columns(page, spans, others, sure)]


def _list_runs(are_rows: Sequence[bool]) -> Iterator[range]:
    start = 0
    for number, is_row in enumerate([*are_rows, False]):
        if not is_row:
            if number - start >= MIN_ROWS:
                yield range(start, number)
            start = number + 1


def _split_cell(page: TextPage, start: int, end: int) -> list[Span]:
    """Split a cell wherever another one may begin."""
    spans: list[Span] = []
    size, is_fixed = page.span(start, end)[3], page.style(start).is_fixed
    found = [(each.start(), each.end()) for each in BETWEEN.finditer(page.text, start + 1, end - 1)]
    widths = [page.box(begin)[0] - page.box(last - 1)[2] for last, begin in found]
    are_words = [begin > last and not {page.text[last - 1], page.text[begin]} <= FIGURE for last, begin in found]
    spaces = list(compress(widths, are_words))
    least = max((NARROW_FIXED if is_fixed else NARROW) * size, WIDER * min(spaces) if len(spaces) > 1 else 0.0)
    for (last, begin), width, is_word in zip(found, widths, are_words, strict=True):
        if width >= (least if is_word else TOUCHING * size):
            spans.append((start, last))
            start = begin
    return [*spans, (start, end)]


def _list_gaps(page: TextPage, spans: Sequence[Span]) -> list[Gap]:
    return [(page.box(one[1] - 1)[2], page.box(two[0])[0]) for one, two in pairwise(spans)]


def _keep_columns(
    page: TextPage, spans: Sequence[Span], others: Sequence[Sequence[Gap]], sure: Sequence[Sequence[Gap]]
) -> list[Span]:
    """The parts of a cell; those are joined again between which too few other rows have a gap."""
    found, own = [spans[0]], _list_gaps(page, spans)
    wide = _count_wide(own, sure)
    for place, (gap, span) in enumerate(zip(own, spans[1:], strict=True)):
        if wide[place] >= MIN_WIDE and sum(overlaps_gap(gap, gaps) for gaps in others) >= SHARE * len(others):
            found.append(span)
        else:
            found[-1] = found[-1][0], span[1]
    return found


def _count_wide(own: Sequence[Gap], sure: Sequence[Sequence[Gap]]) -> Counter[int]:
    """How many gaps of other rows are above or below each gap; each counts for the widest one that it is beside."""
    counts: Counter[int] = Counter()
    for wide in chain.from_iterable(sure):
        beside = [place for place, gap in enumerate(own) if overlaps_gap(gap, [wide])]
        if beside:
            counts[max(beside, key=lambda place: own[place][1] - own[place][0])] += 1
    return counts
