"""Spaces between words of PDFs that are made by positioning or by character spacing, which PDFium does not report.

Ghostscript writes kerned words of troff so.
"""

import re
from itertools import islice

from assay.documents.pdf_text_page import TextPage

JOINED_WORDS = re.compile(r"[.,;:!?)](?<=[^\W\d_]{2}.)(?=[^\W\d_]{2})")  # a sign without the space behind it
MOST_TRIED, LEAST = 8, 2  # of these, which are measured, and which must be a space apart
SPACE, GAP = 0.2, 1.5  # minimum of a space, and maximum, in font sizes
NARROWEST = 0.8  # points; what is surely no space
SPACED = 3  # consecutive gaps from which on letters are spaced
BLANK = frozenset(" \r\n\t\xa0\ufffe\xad")


def find_missing_spaces(page: TextPage) -> list[int]:
    """The places in the text of a page before which a space is missing."""
    apart = 0
    for found in islice(JOINED_WORDS.finditer(page.text), MOST_TRIED):
        place = found.end()
        apart += _are_apart(page, page.box(place - 1), page.box(place), place)
    return _drop_spaced(_find_gaps(page)) if apart >= LEAST else []


def _are_apart(page: TextPage, one: list[float], two: list[float], place: int) -> bool:
    """Whether the boxes of two characters on one line, of which the second is at a place, are a space apart."""
    gap = two[0] - one[2]
    if gap < NARROWEST or not one[3] < two[1] or not two[3] < one[1]:
        return False
    bottom, size = page.level(place)
    base, _ = page.level(place - 1)
    return SPACE * size <= gap <= GAP * size and abs(base - bottom) < SPACE * size


def _find_gaps(page: TextPage) -> list[int]:
    found: list[int] = []
    before: list[float] | None = None
    for place, letter in enumerate(page.text):
        if letter in BLANK:
            before = None
            continue
        box = page.box(place)
        if before is not None and _are_apart(page, before, box, place):
            found.append(place)
        before = box
    return found


def _drop_spaced(places: list[int]) -> list[int]:
    """The places without those between letters that are spaced for emphasis."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return [place for run in runs if len(run) < SPACED for place in run]
