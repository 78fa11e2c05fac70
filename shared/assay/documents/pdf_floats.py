"""Text beside or between the text of a PDF page that the file has before it: browsers paint floating boxes first."""

import ctypes
from itertools import accumulate, pairwise
from typing import NamedTuple

from assay.documents.pdf_text_page import PdfLine
from assay.documents.pdfium import pdfium

BROWSER = "Skia/PDF"  # the producer of PDFs that Chromium and its relatives print
NAME_BYTES = 256

MOST_LINES, SHARE = 60, 0.5  # of floating text on a page, and their share of its lines
LETTERS = 15  # minimum of a box; shorter ones are labels
MIN_ACROSS = 3  # lines above or below a box and the text beside it
LEVEL = 0.3  # maximum distance of baselines of one row, in font sizes
SAME_STEP, SAME_SIZE = 1.15, 0.12  # maximum ratio of the distances in a paragraph; maximum difference of sizes


class FloatingText(NamedTuple):
    """Lines of a box that floats, and whether other text is beside it."""

    lines: list[PdfLine]
    is_beside: bool


def is_from_browser(file: int) -> bool:
    """Whether a file says that a browser has printed it."""
    name = ctypes.create_string_buffer(NAME_BYTES)
    size = pdfium().GetMetaText(file, b"Producer", ctypes.addressof(name), NAME_BYTES)
    return name.raw[: min(size, NAME_BYTES)].decode("utf-16-le", "replace").startswith(BROWSER)


def split_floats(lines: list[PdfLine]) -> tuple[list[FloatingText], list[PdfLine]]:
    """The floating boxes of a page, and its other lines, both in the order of the file."""
    highest = [*accumulate((line.bottom for line in reversed(lines)), max)][::-1]
    start = next((place for place, (line, top) in enumerate(zip(lines, highest, strict=True)) if line.top < top), 0)
    end = next((place for place in range(start, len(lines)) if lines[place].bottom == highest[start]), 0)
    if not start < end <= start + MOST_LINES or end - start > SHARE * len(lines):
        return [], lines
    flow = lines[:start] + lines[end:]
    found = [_read_box(box, flow) for box in _divide(lines[start:end], flow)]
    boxes = [box for box in found if box is not None]
    return (boxes, flow) if len(boxes) == len(found) else ([], lines)


def _divide(lines: list[PdfLine], flow: list[PdfLine]) -> list[list[PdfLine]]:
    """Divide lines where one is above the line before, or where other text is between them."""
    boxes = [lines[:1]]
    for before, line in pairwise(lines):
        is_above = line.bottom - before.bottom > before.size
        if is_above or any(
            line.bottom < other.bottom < before.bottom
            and _is_over(other, min(line.left, before.left), max(line.right, before.right))
            for other in flow
        ):
            boxes.append([])
        boxes[-1].append(line)
    return boxes


def _is_over(line: PdfLine, left: float, right: float) -> bool:
    return line.left < right and line.right > left


def _read_box(lines: list[PdfLine], flow: list[PdfLine]) -> FloatingText | None:
    """The box of these lines; None if other text is in it, or if too little is across it: that is a column."""
    if sum(len(line.text) for line in lines) < LETTERS:
        return None
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    bottom, top = min(line.bottom for line in lines), max(line.top for line in lines)
    beside = [line for line in flow if line.top > bottom and line.bottom < top]
    across = [line for line in flow if _is_over(line, left, right)]
    if any(_is_over(line, left, right) for line in beside):
        return None
    if not beside:
        return FloatingText(lines, False) if any(line.bottom >= top for line in across) else None
    start, end = min(line.left for line in beside), max(line.right for line in beside)
    wide = sum(_is_over(line, start, end) for line in across)
    return FloatingText(lines, True) if wide >= MIN_ACROSS else None


def find_place(box: FloatingText, flow: list[PdfLine]) -> int:
    """Where a box is read: before the paragraph that is beside its first line, or before the text below it."""
    first = max(box.lines, key=lambda line: line.bottom)
    place = next(
        (place for place, line in enumerate(flow) if line.bottom <= first.bottom + LEVEL * first.size), len(flow)
    )
    if not box.is_beside or not 0 < place < len(flow) - 1:
        return place
    step = SAME_STEP * (flow[place].bottom - flow[place + 1].bottom)
    while place > 0 and _goes_on(flow[place - 1], flow[place], step):
        place -= 1
    return place


def _goes_on(before: PdfLine, line: PdfLine, step: float) -> bool:
    return 0 < before.bottom - line.bottom <= step and abs(before.size - line.size) <= SAME_SIZE * line.size
