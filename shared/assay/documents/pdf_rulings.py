"""Ruling lines of PDF pages: the horizontal and vertical lines that paths draw, and the edges of filled areas."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from assay.documents.pdf_hidden import multiply, read_bounds, read_matrix
from assay.documents.pdf_objects import Box, Matrix, PdfPath
from assay.documents.pdfium import pdfium

MOST_PATHS = 2_000  # of a page; one with more is a drawing
MOST_SEGMENTS = 4_000  # of the paths of a page
THICK = 3.0  # points; the maximum width of a line, and the distance of lines that are one
SHORTEST, LONGEST = 5.0, 20_000.0  # points
GAP = 2.5  # points between the parts of one line
RECTANGLE = 5  # segments
DRAWING = 100.0  # points; a smaller path of more segments is a sign or a part of a drawing
LINE, MOVE = 0, 2  # types of segments


type DrawnPath = tuple[PdfPath, Box]


class Ruling(NamedTuple):
    """A line: its place across its direction, its start and its end."""

    place: float
    start: float
    end: float


class Rulings(NamedTuple):
    """The lines of a page, sorted by their places."""

    horizontal: list[Ruling]
    vertical: list[Ruling]


def list_drawn(paths: list[PdfPath]) -> list[DrawnPath]:
    """The paths that are filled or stroked, with their boxes; none if the page has too many for one with tables."""
    api = pdfium()
    return [
        (path, read_bounds(*path))
        for path in (paths if len(paths) <= MOST_PATHS else ())
        if api.Path_GetDrawMode(path.thing, *api.four_ints[:2]) and (api.ints[0] or api.ints[1])
    ]


def read_rulings(drawn: list[DrawnPath]) -> Rulings:
    """Read the lines of a page."""
    horizontal: list[Ruling] = []
    vertical: list[Ruling] = []
    for left, bottom, right, top in _list_strokes(drawn):
        if top - bottom <= THICK and SHORTEST <= right - left <= LONGEST:
            horizontal.append(Ruling((bottom + top) / 2, left, right))
        elif right - left <= THICK and SHORTEST <= top - bottom <= LONGEST:
            vertical.append(Ruling((left + right) / 2, bottom, top))
    return Rulings(_join_rulings(horizontal), _join_rulings(vertical))


def _list_strokes(drawn: list[DrawnPath]) -> Iterator[Box]:
    """The boxes of thin paths, and of the straight parts of others."""
    api = pdfium()
    left_segments = MOST_SEGMENTS
    for path, box in drawn:
        width, height = box[2] - box[0], box[3] - box[1]
        if not SHORTEST <= max(width, height) <= LONGEST:
            continue
        if min(width, height) <= THICK:
            yield box
            continue
        segments = api.Path_CountSegments(path.thing)
        if segments > RECTANGLE and max(width, height) < DRAWING:
            continue
        left_segments -= segments
        if left_segments < 0:
            return
        yield from _list_parts(path)


def _list_parts(path: PdfPath) -> Iterator[Box]:
    """The boxes of the straight segments of a path."""
    api = pdfium()
    own = read_matrix(path.thing)
    matrix = multiply(path.matrix, own) if path.matrix else own
    begin = before = (0.0, 0.0)
    for number in range(api.Path_CountSegments(path.thing)):
        segment = api.Path_GetPathSegment(path.thing, number)
        if not segment or not api.PathSegment_GetPoint(segment, *api.four_floats[:2]):
            return
        point = _transform(matrix, api.floats[0], api.floats[1])
        kind = api.PathSegment_GetType(segment)
        if kind == MOVE:
            begin = point
        elif kind == LINE:
            yield _span(before, point)
        if api.PathSegment_GetClose(segment):
            yield _span(point, begin)
        before = point


def _transform(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _span(one: tuple[float, float], two: tuple[float, float]) -> Box:
    return min(one[0], two[0]), min(one[1], two[1]), max(one[0], two[0]), max(one[1], two[1])


def _join_rulings(rulings: Iterable[Ruling]) -> list[Ruling]:
    """Join lines at one place that touch or overlap: cells are often drawn each with its own edges."""
    found: list[Ruling] = []
    places: dict[float, list[Ruling]] = defaultdict(list)
    place = -math.inf
    for ruling in sorted(rulings):
        if ruling.place - place > THICK:
            place = ruling.place
        places[place].append(ruling)
    for place, group in places.items():
        start, end = math.inf, -math.inf
        for ruling in sorted(group, key=lambda each: each.start):
            if ruling.start > end + GAP:
                if end > start:
                    found.append(Ruling(place, start, end))
                start, end = ruling.start, ruling.end
            end = max(end, ruling.end)
        found.append(Ruling(place, start, end))
    return found
