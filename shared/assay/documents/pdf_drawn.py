"""Detection of PDF text that is not drawn, by rendering the page with and without the suspected text objects.

One test covers layers that are switched off, clip paths, and text that is painted over: no pixel changes.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from assay.documents.pdf_objects import Box, Ground, PdfTextObject, overlaps
from assay.documents.pdfium import pdfium

PIXELS = 2_000_000  # maximum of a rendering; a larger page is scaled down
SINGLE = 40  # maximum number of text objects per page that are tested individually
COVERS = 200  # maximum number of covering areas per page, the largest first
THIN = 3.0  # points; a thinner area does not cover a line of text
RECTANGLE = 5  # path segments
BGRX, BYTES, WHITE = 3, 4, 0xFFFFFFFF
LAYER = "OC"

type Suspicion = Callable[["PdfTextObject"], bool]


def find_undrawn(page: int, words: Sequence["PdfTextObject"], grounds: Sequence["Ground"]) -> "list[PdfTextObject]":
    """Return the text objects whose removal changes no pixel of the page."""
    is_covered = _find_covered(words, grounds)
    suspects = [
        each for each in words if each.owner or is_covered(each) or _is_clipped(each) or has_mark(each.thing, LAYER)
    ]
    return _find_unchanged(page, suspects) if suspects else []


def _find_covered(words: Sequence["PdfTextObject"], grounds: Sequence["Ground"]) -> Suspicion:
    """Build a predicate: whether an opaque area is painted later over the middle of a text object."""
    first = words[0].order if words else 0
    later = [each for each in grounds if each.order > first and min(_measure_sides(each.box)) >= THIN]
    later = sorted(later, key=lambda each: -_measure_sides(each.box)[0] * _measure_sides(each.box)[1])[:COVERS]

    def is_covered(each: "PdfTextObject") -> bool:
        x, y = (each.box[0] + each.box[2]) / 2, (each.box[1] + each.box[3]) / 2
        return any(
            ground.order > each.order and ground.box[0] <= x <= ground.box[2] and ground.box[1] <= y <= ground.box[3]
            for ground in later
        )

    return is_covered if later else lambda _: False


def _measure_sides(box: "Box") -> tuple[float, float]:
    return box[2] - box[0], box[3] - box[1]


def _is_clipped(words: "PdfTextObject") -> bool:
    """Whether a clip path may exclude a part of the text object."""
    api = pdfium()
    clip = api.PageObj_GetClipPath(words.thing)
    count = api.ClipPath_CountPaths(clip) if clip else 0
    return any(_excludes(clip, path, words.box) for path in range(count))


def _excludes(clip: int, path: int, box: "Box") -> bool:
    api = pdfium()
    if api.ClipPath_CountPathSegments(clip, path) > RECTANGLE:
        return True
    points = []
    for number in range(4):
        segment = api.ClipPath_GetPathSegment(clip, path, number)
        if not segment or not api.PathSegment_GetPoint(segment, *api.four_floats[:2]):
            return True
        points.append((api.floats[0], api.floats[1]))
    if any((one[0] == other[0]) == (one[1] == other[1]) for one, other in pairwise(points)):
        return True  # a side that is not horizontal or vertical, or has no length
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return not (min(xs) <= box[0] and box[2] <= max(xs) and min(ys) <= box[1] and box[3] <= max(ys))


def has_mark(thing: int, name: str) -> bool:
    """Whether an object is in marked content of this name."""
    api, encoded = pdfium(), f"{name}\0".encode("utf-16-le")
    for number in range(max(0, api.PageObj_CountMarks(thing))):
        mark = api.PageObj_GetMark(thing, number)
        known = mark and api.PageObjMark_GetName(mark, api.name_place, api.NAME_BYTES, api.four_ints[0])
        if known and api.name.raw.startswith(encoded):
            return True
    return False


def _find_unchanged(page: int, suspects: "list[PdfTextObject]") -> "list[PdfTextObject]":
    canvas = Canvas(page)
    before = canvas.draw()
    with _deactivate(suspects):
        without = canvas.draw()
    unchanged, unsure = [], []
    for each in suspects:
        if not canvas.differ(before, without, each.box):
            unchanged.append(each)
        elif any(other is not each and overlaps(each.box, other.box) for other in suspects[: SINGLE * 10]):
            unsure.append(each)
    for each in unsure[:SINGLE]:  # an overlapping suspect may have caused the change
        with _deactivate([each]):
            if not canvas.differ(before, canvas.draw(), each.box):
                unchanged.append(each)
    return unchanged


@contextmanager
def _deactivate(words: "list[PdfTextObject]") -> "Iterator[None]":
    """Deactivate the text objects for the duration of the context."""
    api = pdfium()
    for each in words:
        api.PageObj_SetIsActive(each.thing, 0)
    try:
        yield
    finally:
        for each in words:
            api.PageObj_SetIsActive(each.thing, 1)


class Canvas:
    """Renders a page, and compares areas of two renderings."""

    def __init__(self, page: int) -> None:
        api = pdfium()
        self._page = page
        width, height = api.GetPageWidthF(page), api.GetPageHeightF(page)
        scale = min(1.0, (PIXELS / max(1.0, width * height)) ** 0.5)
        self._width, self._height = max(1, round(width * scale)), max(1, round(height * scale))

    def draw(self) -> bytes:
        import ctypes

        api = pdfium()
        bitmap = api.Bitmap_CreateEx(self._width, self._height, BGRX, None, 0)
        if not bitmap:
            raise MemoryError
        try:
            api.Bitmap_FillRect(bitmap, 0, 0, self._width, self._height, WHITE)
            api.RenderPageBitmap(bitmap, self._page, 0, 0, self._width, self._height, 0, 0)
            self._stride = api.Bitmap_GetStride(bitmap)
            return ctypes.string_at(api.Bitmap_GetBuffer(bitmap), self._stride * self._height)
        finally:
            api.Bitmap_Destroy(bitmap)

    def differ(self, one: bytes, other: bytes, box: "Box") -> bool:
        left, top, right, bottom = self._pixel_box(box)
        for row in range(top, bottom):
            start, end = row * self._stride + left * BYTES, row * self._stride + right * BYTES
            if one[start:end] != other[start:end]:
                return True
        return False

    def _pixel_box(self, box: "Box") -> tuple[int, int, int, int]:
        """The box in pixels, enlarged by one pixel on each side, within the page."""
        api = pdfium()
        xs, ys = [], []
        for x, y in ((box[0], box[1]), (box[2], box[3])):
            api.PageToDevice(self._page, 0, 0, self._width, self._height, 0, x, y, *api.four_ints[:2])
            across, down = api.signed[0], api.signed[1]
            xs.append(across)
            ys.append(down)
        return max(0, min(xs) - 1), max(0, min(ys) - 1), min(self._width, max(xs) + 2), min(self._height, max(ys) + 2)
