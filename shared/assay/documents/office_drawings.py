"""Drawings of Office files of 1997 to 2003 ([MS-ODRAW]): their records, and what a shape declares."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.documents.little_endian import read_number
from assay.documents.rtf_shapes import RtfShape

IDENTITY, OPTIONS = 0xF00A, (0xF00B, 0xF122)  # kinds of records
HEADER = struct.Struct("<HHI")  # of a record: its number with the version, kind and size
IS_COMPLEX = 0x8000  # of a property whose value stands behind all of them
TEXTS = {0xC0: "words", 0x381: "description"}
TABLE = 0x39F
GROUP_FLAGS, FILL_FLAGS = 0x3BF, 0x1BF
NUMBERS = {0x104: "pib", 0x180: "fillType", 0x181: "fillColor", 0x182: "fillOpacity"}
FLAGS = {GROUP_FLAGS: ("fHidden", 2), FILL_FLAGS: ("fFilled", 0x10)}  # each is valid if that 16 bits above is set


class DrawingRecord(NamedTuple):
    """A record of a drawing: its kind and number, and where its content is."""

    kind: int
    number: int
    start: int
    end: int


@dataclass
class DrawnShape:
    """A shape: what it declares, with the names that RTF has for the same, and its alternative text."""

    number: int = 0
    declared: RtfShape = field(default_factory=lambda: RtfShape(is_shape=True))
    description: str = ""
    words: str = ""  # drawn as an ornament (WordArt)
    is_table: bool = False


def iter_records(data: bytes, start: int, end: int) -> Iterator[DrawingRecord]:
    """The records that follow each other between two places."""
    end = min(end, len(data))
    while start + HEADER.size <= end:
        number, kind, size = HEADER.unpack_from(data, start)
        content = start + HEADER.size
        start = min(content + size, end)
        yield DrawingRecord(kind, number >> 4, content, start)


def read_shape(data: bytes, record: DrawingRecord) -> DrawnShape:
    """The shape in a record."""
    shape = DrawnShape()
    for part in iter_records(data, record.start, record.end):
        if part.kind == IDENTITY:
            shape.number = read_number(data, part.start, 4)
        elif part.kind in OPTIONS:
            _read_options(data, part, shape)
    return shape


def _read_options(data: bytes, part: DrawingRecord, shape: DrawnShape) -> None:
    """Read the properties of a shape (OfficeArtFOPT), of which long values stand behind all of them."""
    count = min(part.number, (part.end - part.start) // 6)
    place = part.start + 6 * count
    properties = shape.declared.properties
    for start in range(part.start, place, 6):
        code, value = read_number(data, start, 2), read_number(data, start + 2, 4)
        name = code & 0x3FFF
        if name in NUMBERS:
            properties[NUMBERS[name]] = str(value)
        elif name in FLAGS:
            flag, bit = FLAGS[name]
            properties |= {flag: str(int(bool(value & bit)))} if value & bit << 16 else {}
        elif name == TABLE:
            shape.is_table = bool(value & 1)
        if code & IS_COMPLEX:
            if name in TEXTS:
                text = data[place : min(place + value, part.end)].decode("utf-16-le", "replace")
                setattr(shape, TEXTS[name], text.rstrip("\0"))
            place += value
