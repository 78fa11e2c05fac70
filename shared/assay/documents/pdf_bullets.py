"""Bullets of lists that a PDF has as drawings, as browsers paint them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from assay.documents.pdf_objects import Box
from assay.documents.pdf_paragraphs import BULLET, NUMBERED
from assay.documents.pdf_text_page import PdfLine

BULLET_SIGN = "•"
SMALLEST, LARGEST = 1.5, 10.0  # points
SQUARE = 0.15  # maximum difference of width and height, relative to the larger one
SIZES = 0.15, 0.6  # of a bullet, relative to the size of the text beside it
LOWEST, HIGHEST = 0.1, 0.6  # of its middle above the baseline
NEAREST, FARTHEST = 0.1, 1.6  # distance from the text
NUMBER = re.compile(r"[\x03]?(\d{1,2})[\x04]? +(?=\S)")  # between the marks of a raised one
MOST = 300  # of a page; one with more is a drawing
ALIGNED = 3.0  # points within which the bullets of a list begin


def add_bullets(lines: list[PdfLine], boxes: Iterable[Box]) -> list[PdfLine]:
    """Return the lines with a bullet before those that have one drawn before them."""
    shapes = [box for box in boxes if _is_bullet(box)]
    if not 0 < len(shapes) <= MOST:
        return lines
    order = sorted(range(len(lines)), key=lambda number: lines[number].bottom)
    levels = [lines[number].bottom for number in order]
    found: dict[int, float] = {}
    numbered: set[int] = set()
    for shape in shapes:
        middle = (shape[1] + shape[3]) / 2
        farthest = LARGEST / SIZES[0] * HIGHEST
        for place in range(bisect_left(levels, middle - farthest), bisect_right(levels, middle)):
            if _is_before(shape, lines[order[place]]):
                found[order[place]] = shape[0]
            elif _is_behind_number(shape, lines[order[place]]):
                numbered.add(order[place])
    return [
        _put_before(line, found[number]) if number in found else _end_number(line) if number in numbered else line
        for number, line in enumerate(lines)
    ]


def _is_bullet(box: Box) -> bool:
    width, height = box[2] - box[0], box[3] - box[1]
    larger = max(width, height)
    return SMALLEST <= larger <= LARGEST and abs(width - height) <= SQUARE * larger


def _is_before(shape: Box, line: PdfLine) -> bool:
    """Whether a shape is at the height of small letters before the beginning of a line."""
    _, bottom, right, top = shape
    size = line.size
    return (
        not line.is_tilted
        and SIZES[0] * size <= top - bottom <= SIZES[1] * size
        and LOWEST * size <= (bottom + top) / 2 - line.bottom <= HIGHEST * size
        and NEAREST * size <= line.left - right <= FARTHEST * size
        and not (BULLET.match(line.text) or NUMBERED.match(line.text))
    )


def _is_behind_number(shape: Box, line: PdfLine) -> bool:
    """Whether a shape is around the number with which a line begins."""
    left, bottom, right, top = shape
    return (
        left <= line.left <= right < line.left + line.size
        and bottom <= line.bottom + LOWEST * line.size < top
        and NUMBER.match(line.text) is not None
    )


def _end_number(line: PdfLine) -> PdfLine:
    """The line with a point behind its number."""
    return line._replace(text=NUMBER.sub(r"\1. ", line.text))


def _put_before(line: PdfLine, left: float) -> PdfLine:
    return line._replace(text=f"{BULLET_SIGN} {line.text}", left=left)
