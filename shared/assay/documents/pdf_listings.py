"""Listings of LaTeX in a proportional font, whose characters are in columns: PDFium puts spaces between them.

The package listings writes so by default, with columns of .6 em, and divides the room that a word leaves in its
columns between its letters. So the gap between two words is a column or more wider than those within the words.
"""

import re
from itertools import groupby, pairwise

from assay.documents.pdf_text_page import TextPage

LINE = re.compile(r"[^\r\n\ufffe]+")
SPACES = re.compile(r"(?<=\S) +(?=\S)")
LETTERS = re.compile(r"\w \w \w")
COLUMN = 0.6  # width of a column, relative to the size of the font
LEAST, WIDEST = 0.58, 0.66  # mean width of columns; an em of small fonts is more than their size
# What a gap has more than those within the words beside it: at most between letters, at least between words.
WITHIN, BETWEEN = 0.21, 0.4
MIN_SPREAD, MANY = 2, 24  # lines of a listing with such words, and distances of characters that are surely measured
LONGEST, MOST = 200, 300  # characters of a line, and lines of a page


def join_listings(page: TextPage) -> None:
    """Take the spaces within words of listings from the text of a page, and note where these listings are."""
    if LETTERS.search(page.text) is None:
        return
    lines = [line.span() for line in LINE.finditer(page.text) if line[0].strip()]
    if len(lines) > MOST:
        return
    gaps = {line: _measure_gaps(page, *line) for line in lines}
    changes: dict[int, str] = {}
    found: list[tuple[int, int]] = []
    for may_be, group in groupby(lines, key=lambda line: _may_be_listed(gaps[line])):
        block = _trim(list(group), gaps) if may_be else []
        is_spread = sum(_is_spread(page, gaps[line]) for line in block) >= MIN_SPREAD
        if is_spread and _has_columns(page, block, gaps):
            found += [(page.index(start), page.index(end - 1)) for start, end in block]
            changes |= {place: "" for line in block for place, gap in gaps[line].items() if gap <= WITHIN}
    if found:
        page.listings = found
        page.change(changes)


def _measure_gaps(page: TextPage, start: int, end: int) -> dict[int, float]:
    """What the gaps at the spaces of a line have more than those within the words beside them, by their places.

    They are relative to the size of the font, and end with the first that is none of a listing. A long line is none.
    """
    size = page.level(end - 1)[1]  # the number of a line may be smaller
    if size <= 0 or end - start > LONGEST:
        return {start: (WITHIN + BETWEEN) / 2}
    found: dict[int, float] = {}
    for space in SPACES.finditer(page.text, start, end):
        one, two = space.start() - 1, space.end()
        rooms = _find_room(page, one, -1, size, start, end), _find_room(page, two, 1, size, start, end)
        found[one + 1] = gap = _measure_gap(page, one, two) / size - sum(rooms) / 2
        if WITHIN < gap < BETWEEN:
            break
    return found


def _measure_gap(page: TextPage, one: int, two: int) -> float:
    return page.box(two)[0] - page.box(one)[2]


def _find_room(page: TextPage, place: int, side: int, size: float, start: int, end: int) -> float:
    """The gap between a character and the one beside it in its word, or the room that it leaves in its column."""
    beside = place + side
    while start <= beside < end and page.text[beside] == " ":
        beside += side
    gap = COLUMN
    if start <= beside < end:
        gap = _measure_gap(page, min(place, beside), max(place, beside)) / size
    if gap < COLUMN / 2:
        return gap
    left, _, right, _ = page.box(place)
    return COLUMN - (right - left) / size


def _may_be_listed(gaps: dict[int, float]) -> bool:
    """Whether all gaps of a line are between letters of words or between words of a listing."""
    return all(gap <= WITHIN or gap >= BETWEEN for gap in gaps.values())


def _trim(block: list[tuple[int, int]], gaps: dict[tuple[int, int], dict[int, float]]) -> list[tuple[int, int]]:
    """Return the lines from the first to the last that has spaces."""
    with_gaps = [place for place, line in enumerate(block) if gaps[line]]
    return block[with_gaps[0] : with_gaps[-1] + 1] if with_gaps else []


def _is_spread(page: TextPage, gaps: dict[int, float]) -> bool:
    """Whether letters of a word of the line are set apart."""
    return any(
        gap <= WITHIN and gaps.get(place + 2, BETWEEN) <= WITHIN and LETTERS.match(page.text, place - 1) is not None
        for place, gap in gaps.items()
    )


def _has_columns(page: TextPage, block: list[tuple[int, int]], gaps: dict[tuple[int, int], dict[int, float]]) -> bool:
    """Whether the characters of words take as much room as columns, and some words are apart or there are many."""
    room, count, apart = 0.0, 0, 0
    for start, end in block:
        size = page.level(end - 1)[1]
        apart += sum(gap >= BETWEEN for gap in gaps[start, end].values())
        places = [place for place in range(start, end) if page.text[place] != " "]
        for one, two in pairwise(places):
            if gaps[start, end].get(one + 1, 0.0) <= WITHIN:
                room += (page.box(two)[0] - page.box(one)[0]) / size
                count += 1
    return (apart >= MIN_SPREAD or count >= MANY) and LEAST * count <= room <= WIDEST * count
