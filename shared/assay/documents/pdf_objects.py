"""Geometry, colours and text objects of a PDF page, as used to detect hidden text."""

from typing import NamedTuple

type Box = tuple[float, float, float, float]  # left, bottom, right, top, in points
type Color = tuple[int, int, int, int]  # red, green, blue, alpha, each 0 to 255
type Matrix = tuple[float, float, float, float, float, float]


def overlaps(one: Box, other: Box) -> bool:
    """Whether two boxes have an area in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class PdfTextObject(NamedTuple):
    """One text object; `owner` is the handle of the form that contains it, 0 for the page itself."""

    thing: int
    owner: int
    box: Box
    order: int
    mode: int
    color: Color


class Ground(NamedTuple):
    """An area that text may be painted on; `color` is None for an image."""

    order: int
    box: Box
    color: Color | None


class PdfPath(NamedTuple):
    """A path object; `matrix` is that of the forms that contain it, None for one of the page itself."""

    thing: int
    matrix: Matrix | None
