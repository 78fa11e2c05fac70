"""Drawings of Word 97 files ([MS-ODRAW], [MS-DOC] 2.9.158): which shape an anchor shows, and what it declares."""

from functools import cached_property

from assay.documents.docx_formatting import PAPER
from assay.documents.little_endian import read_number, read_signed
from assay.documents.office_drawings import DrawingRecord, DrawnShape, iter_records, read_shape
from assay.documents.painted_areas import PaintedAreas
from assay.documents.word97_file import Story, Word97File, Word97Part, read_places

GROUP, SHAPE = 0xF003, 0xF004  # kinds of records
DEPTH, MOST_SHAPES = 30, 20_000
EDGES = ("shpleft", "shptop", "shpright", "shpbottom")
ANCHOR, BOX, BOX_SHAPE = 26, 22, 14  # bytes of an anchor and of a text box; where the latter names its shape
PICTURE_HEADER = 68


class Word97Shapes:
    """The shapes by the characters that they are anchored at, and the places of their texts."""

    def __init__(self, file: Word97File) -> None:
        self.paper = PAPER
        self._groups: dict[int, list[DrawnShape]] = {}  # the shapes of each group by its number, itself first
        self._read_drawings(file.read_part(Word97Part.DRAWINGS))
        self._anchors = self._place_anchors(file.read_part(Word97Part.ANCHORS))
        self._boxes: dict[int, tuple[int, int]] = {}
        first, end = file.find_story(Story.BOXES)
        starts, boxes = read_places(file.read_part(Word97Part.BOXES), BOX)
        for number, box in enumerate(boxes):
            text = first + starts[number], min(first + starts[number + 1], end)
            self._boxes.setdefault(read_number(box, BOX_SHAPE, 4), text)

    def _read_drawings(self, data: bytes) -> None:
        """Read the shapes of the drawings, which follow the description of what they share."""
        common = next(iter_records(data, 0, len(data)), None)
        place = len(data) if common is None else common.end
        left = MOST_SHAPES
        while drawing := next(iter_records(data, place + 1, len(data)), None):
            place = drawing.end
            for outer in iter_records(data, drawing.start, drawing.end):
                for record in iter_records(data, outer.start, outer.end) if outer.kind == GROUP else ():
                    shapes = _list_shapes(data, record, left)
                    left -= len(shapes)
                    if shapes:
                        self._groups[shapes[0].number] = shapes
                if outer.kind == SHAPE and read_shape(data, outer).declared.fill == "paint":
                    self.paper = ""  # the background of the page

    def _place_anchors(self, data: bytes) -> dict[int, int]:
        """The numbers of the shapes by the characters that they are anchored at, each once, and their sizes."""
        anchors: dict[int, int] = {}
        for place, anchor in zip(*read_places(data, ANCHOR), strict=False):
            anchors.setdefault(read_number(anchor, 0, 4), place)
            edges = {name: read_signed(anchor, 4 + 4 * side, 4) for side, name in enumerate(EDGES)}
            for shape in self._groups.get(read_number(anchor, 0, 4), ())[:1]:
                shape.declared.measures = edges
        return {place: number for number, place in anchors.items()}

    def find_shapes(self, place: int) -> list[DrawnShape]:
        """The visible shapes that are anchored at a character."""
        shapes = self._groups.get(self._anchors.get(place, 0), [])
        if not shapes or shapes[0].declared.is_hidden:
            return []
        return [each for each in shapes if not each.declared.is_hidden]

    def find_text(self, shape: DrawnShape) -> tuple[int, int]:
        """The places of the characters in a shape."""
        return self._boxes.get(shape.number, (0, 0))

    def find_ground(self, shape: DrawnShape, background: str) -> str:
        """The colour that the text of a shape stands on, "" if unknown; `background` is that of its paragraph."""
        size = shape.declared.find_size()
        is_filled = background != self.paper
        return "" if self._painted.shows_white(shape.declared.fill, size, is_filled=is_filled) else self.paper

    @cached_property
    def _painted(self) -> PaintedAreas:
        shapes = [shape.declared for group in self._groups.values() for shape in group]
        return PaintedAreas(each.find_size() for each in shapes if each.fill == "paint" and not each.is_hidden)


def read_description(data: bytes, location: int) -> str:
    """The alternative text of the picture at a place in the data stream (PICFAndOfficeArtData, 2.9.192)."""
    size, header = read_number(data, location, 4), read_number(data, location + 4, 2)
    if header < PICTURE_HEADER or size <= header:
        return ""
    picture = next(iter_records(data, location + header, location + size), None)
    return read_shape(data, picture).description if picture is not None and picture.kind == SHAPE else ""


def _list_shapes(data: bytes, record: DrawingRecord, most: int, depth: int = 0) -> list[DrawnShape]:
    """The shape in a record, or those of a group, itself first."""
    if record.kind == SHAPE:
        return [read_shape(data, record)]
    shapes: list[DrawnShape] = []
    for inner in iter_records(data, record.start, record.end) if record.kind == GROUP and depth < DEPTH else ():
        if len(shapes) >= most:
            break
        shapes += _list_shapes(data, inner, most - len(shapes), depth + 1)
    return shapes
