"""Properties of Word 97 files: lists of modifiers ([MS-DOC] 2.2.5), each a code and an operand."""

from collections.abc import Iterator

from assay.documents.docx_formatting import HIGHLIGHTS
from assay.documents.little_endian import read_number

SIZES = (1, 1, 2, 4, 2, 2, 0, 3)  # bytes of the operand by the last three bits of the code; 0 for one that says
TABLE_DEFINITION, TAB_CHANGES = 0xD608, 0xC615
COLORS = ("", *HIGHLIGHTS.values())  # by number (Ico, 2.9.119)
AUTOMATIC = 0xFF
CLEAR, SOLID = 0, 1  # patterns of a shading


def iter_sprms(properties: bytes) -> Iterator[tuple[int, bytes]]:
    """The codes and operands of a list of modifiers."""
    for code, start, end in _iter_places(properties):
        yield code, properties[start:end]


def strip_padding(properties: bytes) -> bytes:
    """A list of modifiers without the byte behind it that fills its place, so that others can follow."""
    return properties[: max((end for _, _, end in _iter_places(properties)), default=0)]


def _iter_places(properties: bytes) -> Iterator[tuple[int, int, int]]:
    """The codes of a list of modifiers, and where their operands begin and end."""
    place, end = 0, len(properties)
    while place + 2 < end:
        code = properties[place] | properties[place + 1] << 8
        place += 2
        size = SIZES[code >> 13]
        if not size:
            size = properties[place]
            place += 1
            if code == TABLE_DEFINITION:
                size = max(0, (size | read_number(properties, place, 1) << 8) - 1)
                place += 1
            elif code == TAB_CHANGES and size == 255:
                size = _measure_tabs(properties, place)
        yield code, place, place + size
        place += size


def _measure_tabs(properties: bytes, place: int) -> int:
    """The size of an operand that changes more tabs than its first byte could say (2.9.182)."""
    deleted = 1 + 4 * read_number(properties, place, 1)
    return deleted + 1 + 3 * read_number(properties, place + deleted, 1)


def read_color(operand: bytes) -> str:
    """A colour (COLORREF, 2.9.43) as RRGGBB; "" for the automatic one."""
    return "" if len(operand) < 4 or operand[3] == AUTOMATIC else operand[:3].hex().upper()


def read_shading(operand: bytes) -> str | None:
    """The fill of a shading (Shd, 2.9.249, or Shd80, 2.9.250); None if it is transparent, "" if it is a pattern."""
    if len(operand) >= 10:
        pattern = read_number(operand, 8, 2)
        front, back = read_color(operand[:4]), read_color(operand[4:8])
    else:
        value = read_number(operand, 0, 2)
        pattern = value >> 10
        front, back = (find_color(number) for number in (value & 31, value >> 5 & 31))
    if pattern == SOLID:
        return front or "000000"
    return back or None if pattern == CLEAR else None if pattern == 0x3F or pattern == 0xFFFF else ""


def find_color(number: int) -> str:
    """The colour of a number as RRGGBB; "" for the automatic one."""
    return COLORS[number] if number < len(COLORS) else ""
