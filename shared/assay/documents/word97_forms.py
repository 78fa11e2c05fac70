"""Form fields of Word 97 files ([MS-DOC] 2.9.78): the state of a check box or the choice of a list."""

from assay.documents.little_endian import read_number
from assay.documents.office_emphasis import strip_foreign_marks

VERSION = 4  # bytes of that of the description
CHECK_BOX, LIST = 1, 2  # kinds of fields
UNSET = 25  # the state of a field that has its default
TEXTS = 5  # texts between the default and the entries of a list: its format, help, status and two macros
MOST_ENTRIES, MAX_ENTRY = 100, 500


def read_form_field(data: bytes, location: int) -> str:
    """What a form field at a place in the data stream draws without text."""
    start = location + read_number(data, location + 4, 2)
    flags = read_number(data, start + VERSION, 2)
    kind, state = flags & 3, flags >> 2 & 31
    if kind not in (CHECK_BOX, LIST):
        return ""
    place = _skip_text(data, start + VERSION + 6)
    state = read_number(data, place, 2) if state == UNSET else state
    if kind == CHECK_BOX:
        return "☒" if state else "☐"
    place += 2
    for _ in range(TEXTS):
        place = _skip_text(data, place)
    return _read_entry(data, place, state)


def _skip_text(data: bytes, place: int) -> int:
    """The place behind a text, which begins with its length and ends with a zero."""
    return place + 2 + 2 * read_number(data, place, 2) + 2


def _read_entry(data: bytes, place: int, number: int) -> str:
    """The entry of a list by its number (STTB, 2.2.4)."""
    count, place = read_number(data, place + 2, 2), place + 6
    if number >= min(count, MOST_ENTRIES):
        return ""
    for _ in range(number):
        place += 2 + 2 * read_number(data, place, 2)
    length = min(read_number(data, place, 2), MAX_ENTRY)
    return strip_foreign_marks(data[place + 2 : place + 2 + 2 * length].decode("utf-16-le", "replace"))
