"""Algorithms between horizontal rules, below a caption: their steps are lines with indents, as those of code."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.documents.pdf_gaps import split_spans
from assay.documents.pdf_grids import MIDDLE
from assay.documents.pdf_objects import Box
from assay.documents.pdf_rulings import Ruling
from assay.documents.pdf_text_page import PdfLine, Place, TextPage

CAPTION = re.compile(r"(?:algorithm|algorithmus|algorithme|procedure)\s\d+\b", re.IGNORECASE)
SAME = 1.5  # points by which the ends of the rules may differ
NEAR = 2.5  # maximum distance of the caption from the rules above and below it, in font sizes
OVER = 3.0  # points by which text may go over the ends of the rules
LEVEL = 0.4  # maximum difference of the baselines of a line, in font sizes
WIDE = 0.8  # minimum gap of several spaces, in text heights
PITCH, MOST_SPACES = 0.5, 40  # the width of a space, in font sizes


class Algorithm(NamedTuple):
    """The area of the steps, and the size of their text."""

    box: Box
    size: float

    def has(self, page: TextPage, place: Place) -> bool:
        """Whether a line is one of the steps."""
        left, right, bottom, size = page.span(*place[:2])
        return self.box[0] <= left and right <= self.box[2] and self.box[1] < bottom + MIDDLE * size < self.box[3]


def find_algorithms(page: TextPage, places: Sequence[Place], rules: Sequence[Ruling]) -> list[Algorithm]:
    """The algorithms of a page: between two rules of one width, of which the first is below the caption and a rule."""
    captions = [page.span(start, end) for start, end, _ in places if CAPTION.match(page.text, start, end)]
    ordered = sorted(rules, reverse=True) if captions else []
    found: list[Algorithm] = []
    for left, right, bottom, size in captions:
        around = [rule for rule in ordered if rule.start - OVER <= left and right <= rule.end + OVER]
        for (above, top), (_, end) in pairwise(pairwise(around)):
            is_near = bottom < above.place < bottom + NEAR * size and bottom - NEAR * size < top.place < bottom
            if is_near and all(abs(top.start - rule.start) + abs(top.end - rule.end) <= SAME for rule in (above, end)):
                found.append(Algorithm((top.start - OVER, end.place, top.end + OVER, top.place), size))
    return found


def build_steps(page: TextPage, places: Sequence[Place], size: float, lines: Sequence[PdfLine]) -> list[PdfLine]:
    """The steps as lines of code of that size; `lines` are those at the places."""
    found: list[PdfLine] = []
    for (start, end, _), line in zip(places, lines, strict=True):
        step = line._replace(text=_read_step(page, start, end, size), size=size, is_fixed=True)
        if found and abs(found[-1].bottom - step.bottom) < LEVEL * size and step.left > found[-1].right:
            spaces = _count_spaces(found[-1].right, step.left, size)
            found[-1] = found[-1]._replace(text=found[-1].text + " " * spaces + step.text, right=step.right)
        else:
            found.append(step)
    return found


def _read_step(page: TextPage, start: int, end: int, size: float) -> str:
    """The text of a step, with as many spaces between its parts as they are apart."""
    spans = split_spans(page, start, end, WIDE)
    text = page.read(*spans[0])
    for (_, before), (after, last) in pairwise(spans):
        spaces = _count_spaces(page.box(before - 1)[2], page.box(after)[0], size)
        text += " " * spaces + page.read(after, last)
    return text


def _count_spaces(left: float, right: float, size: float) -> int:
    return max(1, min(MOST_SPACES, round((right - left) / (PITCH * size))))
