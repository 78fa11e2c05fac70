"""Shapes on the slides of PowerPoint 97 to 2003 files ([MS-PPT] 2.7, [MS-ODRAW]): their places, texts and groups."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.documents.little_endian import read_number, read_signed
from assay.documents.office_drawings import DrawingRecord, DrawnShape, iter_records, read_shape

DRAWING, DRAWN, GROUP, SHAPE = 0x040C, 0xF002, 0xF003, 0xF004  # kinds of records
IDENTITY, TEXT, INNER_PLACE, PLACE, CLIENT = 0xF00A, 0xF00D, 0xF00F, 0xF010, 0xF011
PLACEHOLDER, LATE_PLACEHOLDER, TAGS, TAG, TAG_NAME, TAG_DATA = 0x0BC3, 0x0420, 0x1388, 0x138A, 0x0FBA, 0x138B
IS_DELETED, IS_BACKGROUND = 0x8, 0x400
DEPTH = 30

type Box = tuple[int, int, int, int]  # left, top, right, bottom


@dataclass
class PptShape:
    """A shape. `flags` are those of its identity; `placeholder` is the kind of one, 0 for none."""

    drawn: DrawnShape
    flags: int = 0
    box: Box | None = None
    placeholder: int = 0
    text: DrawingRecord | None = None
    client: DrawingRecord | None = None
    inner: "list[PptShape]" = field(default_factory=list)  # of a group

    @property
    def is_shown(self) -> bool:
        return not self.drawn.declared.is_hidden and not self.flags & (IS_DELETED | IS_BACKGROUND)


def read_shapes(data: bytes, slide: DrawingRecord) -> list[PptShape]:
    """The shapes of a slide in their order, with those that are hidden."""
    return [
        shape
        for drawing in iter_records(data, slide.start, slide.end)
        if drawing.kind == DRAWING
        for drawn in iter_records(data, drawing.start, drawing.end)
        if drawn.kind == DRAWN
        for record in iter_records(data, drawn.start, drawn.end)
        for shape in _read_drawn(data, record)
    ]


def _read_drawn(data: bytes, record: DrawingRecord) -> list[PptShape]:
    """The shapes of the outermost group, or the background."""
    if record.kind == SHAPE:
        return [_read_shape(data, record)]
    group = _read_group(data, record, 0) if record.kind == GROUP else None
    return group.inner if group else []


def _read_group(data: bytes, record: DrawingRecord, depth: int) -> PptShape | None:
    """A group, which its first shape describes."""
    group: PptShape | None = None
    for inner in iter_records(data, record.start, record.end):
        shape: PptShape | None = None
        if inner.kind == SHAPE:
            shape = _read_shape(data, inner)
        elif inner.kind == GROUP and depth < DEPTH:
            shape = _read_group(data, inner, depth + 1)
        if group is None:
            group = shape
        elif shape is not None:
            group.inner.append(shape)
    return group


def _read_shape(data: bytes, record: DrawingRecord) -> PptShape:
    shape = PptShape(read_shape(data, record))
    for part in iter_records(data, record.start, record.end):
        if part.kind == IDENTITY:
            shape.flags = read_number(data, part.start + 4, 4)
        elif part.kind == TEXT:
            shape.text = part
        elif part.kind == INNER_PLACE:
            left, top, right, bottom = (read_signed(data, part.start + place, 4) for place in range(0, 16, 4))
            shape.box = left, top, right, bottom
        elif part.kind == PLACE:
            size = 4 if part.end - part.start >= 16 else 2
            top, left, right, bottom = (
                read_signed(data, part.start + place, size) for place in range(0, 4 * size, size)
            )
            shape.box = left, top, right, bottom
        elif part.kind == CLIENT:
            shape.client = part
            shape.placeholder = _read_placeholder(data, part)
    return shape


def _read_placeholder(data: bytes, client: DrawingRecord) -> int:
    for record in iter_records(data, client.start, client.end):
        if record.kind == PLACEHOLDER:
            return read_number(data, record.start + 4, 1)
        if record.kind == LATE_PLACEHOLDER:
            return read_number(data, record.start, 1)
    return 0


def iter_tags(data: bytes, start: int, end: int, name: str) -> Iterator[DrawingRecord]:
    """The records in the tags of a later version, which has a name such as `___PPT9`."""
    raw = name.encode("utf-16-le")
    for tags in iter_records(data, start, end):
        for tag in iter_records(data, tags.start, tags.end) if tags.kind == TAGS else ():
            parts = list(iter_records(data, tag.start, tag.end)) if tag.kind == TAG else []
            if any(part.kind == TAG_NAME and data[part.start : part.end] == raw for part in parts):
                for part in parts:
                    if part.kind == TAG_DATA:
                        yield from iter_records(data, part.start, part.end)


def list_shown(shapes: list[PptShape], size: tuple[int, int] = (0, 0)) -> list[PptShape]:
    """The visible shapes in their order, with those in groups; a table remains a group."""
    shown: list[PptShape] = []
    for shape in shapes:
        if not shape.is_shown or _is_off_slide(shape, size):
            continue
        shown += [shape] if shape.drawn.is_table or not shape.inner else list_shown(shape.inner)
    return shown


def _is_off_slide(shape: PptShape, size: tuple[int, int]) -> bool:
    """Whether a shape is entirely outside the slide of this size; zeros if it is unknown."""
    box = shape.box if all(size) else None
    return box is not None and (box[0] >= size[0] or box[1] >= size[1] or box[2] < 0 or box[3] < 0)
