"""Whether words of a PDF are drawn at all: suspected ones are taken away, and the page is drawn with and without them.

Layers that are switched off, clip paths and what is painted over the words all end in the same: no pixel changes.
"""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.documents.pdfium import pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.documents.pdf_hidden import Box, Ground, PdfTextObject

PIXELS = 2_000_000  # of a drawing; a larger page is drawn smaller
SINGLE = 40  # words of a page that are looked at one by one
COVERS = 200  # areas of a page that may cover words: the largest
THIN = 3.0  # points; what is thinner covers no line of text
RECTANGLE = 5  # segments
BGRX, BYTES, WHITE = 3, 4, 0xFFFFFFFF
LAYER = "OC\0".encode("utf-16-le")

type Suspicion = Callable[["PdfTextObject"], bool]


def find_undrawn(page: int, words: Sequence["PdfTextObject"], grounds: Sequence["Ground"]) -> "list[PdfTextObject]":
    """Those of the words that change nothing on the page."""
    is_covered = _find_covered(words, grounds)
    suspects = [each for each in words if each.owner or is_covered(each) or _is_clipped(each) or _in_layer(each.thing)]
    return _undrawn(page, suspects) if suspects else []


def _find_covered(words: Sequence["PdfTextObject"], grounds: Sequence["Ground"]) -> Suspicion:
    """Whether something opaque is painted over the middle of words later."""
    first = words[0].order if words else 0
    later = [each for each in grounds if each.order > first and min(_sides(each.box)) >= THIN]
    later = sorted(later, key=lambda each: -_sides(each.box)[0] * _sides(each.box)[1])[:COVERS]

    def is_covered(each: "PdfTextObject") -> bool:
        x, y = (each.box[0] + each.box[2]) / 2, (each.box[1] + each.box[3]) / 2
        return any(
            ground.order > each.order and ground.box[0] <= x <= ground.box[2] and ground.box[1] <= y <= ground.box[3]
            for ground in later
        )

    return is_covered if later else lambda _: False


def _sides(box: "Box") -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _is_clipped(words: "PdfTextObject") -> bool:
    """Whether a clip path may keep a part of the words from being drawn."""
    ask = pdfium()
    clip = ask.PageObj_GetClipPath(words.thing)
    count = ask.ClipPath_CountPaths(clip) if clip else 0
    return any(_leaves_out(clip, path, words.box) for path in range(count))


def _leaves_out(clip: int, path: int, box: "Box") -> bool:
    ask = pdfium()
    if ask.ClipPath_CountPathSegments(clip, path) > RECTANGLE:
        return True
    points = []
    for number in range(4):
        segment = ask.ClipPath_GetPathSegment(clip, path, number)
        if not segment or not ask.PathSegment_GetPoint(segment, *ask.four_floats[:2]):
            return True
        points.append((ask.floats[0], ask.floats[1]))
    if any((one[0] == other[0]) == (one[1] == other[1]) for one, other in pairwise(points)):
        return True  # a side that is not level or upright, or has no length
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return not (min(xs) <= box[0] and box[2] <= max(xs) and min(ys) <= box[1] and box[3] <= max(ys))


def _in_layer(thing: int) -> bool:
    ask = pdfium()
    for number in range(max(0, ask.PageObj_CountMarks(thing))):
        mark = ask.PageObj_GetMark(thing, number)
        known = mark and ask.PageObjMark_GetName(mark, ask.name_place, ask.NAME_BYTES, ask.four_ints[0])
        if known and ask.name.raw.startswith(LAYER):
            return True
    return False


def _undrawn(page: int, suspects: "list[PdfTextObject]") -> "list[PdfTextObject]":
    canvas = Canvas(page)
    before = canvas.draw()
    with _away(suspects):
        without = canvas.draw()
    found, unsure = [], []
    for each in suspects:
        if not canvas.differ(before, without, each.box):
            found.append(each)
        elif any(other is not each and _overlap(each.box, other.box) for other in suspects[: SINGLE * 10]):
            unsure.append(each)
    for each in unsure[:SINGLE]:  # what changed there may have been the other one
        with _away([each]):
            if not canvas.differ(before, canvas.draw(), each.box):
                found.append(each)
    return found


def _overlap(one: "Box", other: "Box") -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@contextmanager
def _away(words: "list[PdfTextObject]") -> "Iterator[None]":
    """The page without these words."""
    ask = pdfium()
    for each in words:
        ask.PageObj_SetIsActive(each.thing, 0)
    try:
        yield
    finally:
        for each in words:
            ask.PageObj_SetIsActive(each.thing, 1)


class Canvas:
    """Draws a page, and compares parts of two drawings."""

    def __init__(self, page: int) -> None:
        ask = pdfium()
        self._page = page
        width, height = ask.GetPageWidthF(page), ask.GetPageHeightF(page)
        scale = min(1.0, (PIXELS / max(1.0, width * height)) ** 0.5)
        self._width, self._height = max(1, round(width * scale)), max(1, round(height * scale))

    def draw(self) -> bytes:
        import ctypes

        ask = pdfium()
        bitmap = ask.Bitmap_CreateEx(self._width, self._height, BGRX, None, 0)
        if not bitmap:
            raise MemoryError
        try:
            ask.Bitmap_FillRect(bitmap, 0, 0, self._width, self._height, WHITE)
            ask.RenderPageBitmap(bitmap, self._page, 0, 0, self._width, self._height, 0, 0)
            self._stride = ask.Bitmap_GetStride(bitmap)
            return ctypes.string_at(ask.Bitmap_GetBuffer(bitmap), self._stride * self._height)
        finally:
            ask.Bitmap_Destroy(bitmap)

    def differ(self, one: bytes, other: bytes, box: "Box") -> bool:
        left, top, right, bottom = self._place(box)
        for row in range(top, bottom):
            start, end = row * self._stride + left * BYTES, row * self._stride + right * BYTES
            if one[start:end] != other[start:end]:
                return True
        return False

    def _place(self, box: "Box") -> tuple[int, int, int, int]:
        """The box in pixels, with one pixel around it, within the page."""
        ask = pdfium()
        xs, ys = [], []
        for x, y in ((box[0], box[1]), (box[2], box[3])):
            ask.PageToDevice(self._page, 0, 0, self._width, self._height, 0, x, y, *ask.four_ints[:2])
            across, down = ask.signed[0], ask.signed[1]
            xs.append(across)
            ys.append(down)
        return max(0, min(xs) - 1), max(0, min(ys) - 1), min(self._width, max(xs) + 2), min(self._height, max(ys) + 2)
