"""What compound files of old Office programs declare about themselves ([MS-OLEPS], the summary information)."""

from datetime import datetime, timedelta
from io import BytesIO
from typing import Any, NamedTuple

from assay.documents.little_endian import read_number

SUMMARY = "\x05SummaryInformation"
CODE_PAGE, TITLE, AUTHOR, CREATED, PAGE_COUNT = 1, 2, 4, 12, 14
SECTION = 44  # where the offset of the properties stands
MOST, MAX_TEXT = 100, 1_000  # properties that are read, and bytes of a text
UTF_8 = 65001
EPOCH = datetime(1601, 1, 1)  # noqa: DTZ001 - the zone is written behind it
FIRST_YEARS, LAST_YEARS = (10_000_000 * int((datetime(year, 1, 1) - EPOCH).total_seconds()) for year in (1900, 2200))  # noqa: DTZ001
# What readers of damaged compound files raise; the own errors of olefile are OSErrors.
DAMAGE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, OSError, RecursionError)


class OleProperties(NamedTuple):
    """Title, author, date (ISO 8601) and number of pages, empty where the file does not say."""

    title: str = ""
    author: str = ""
    created: str = ""
    page_count: int | None = None


def read_file_properties(body: bytes) -> OleProperties:
    """The properties of a file; none for a damaged one."""
    import olefile

    try:
        with olefile.OleFileIO(BytesIO(body)) as container:
            return read_ole_properties(container)
    except DAMAGE:
        return OleProperties()


def read_stream(container: Any, name: str) -> bytes:
    """The content of a stream of a compound file; b"" if it is missing."""
    found: bytes = container.openstream(name).read() if container.exists(name) else b""
    return found


def read_ole_properties(container: Any) -> OleProperties:
    """The properties of an open compound file. olefile's own reader follows any count that a file declares."""
    data = read_stream(container, SUMMARY)
    start = read_number(data, SECTION, 4)
    found = {}
    for place in range(start + 8, start + 8 + 8 * min(read_number(data, start + 4, 4), MOST), 8):
        found[read_number(data, place, 4)] = start + read_number(data, place + 4, 4)
    page = read_number(data, found[CODE_PAGE] + 4, 2) if CODE_PAGE in found else 1252
    title, author = (_read_text(data, found[name], page) if name in found else "" for name in (TITLE, AUTHOR))
    pages = read_number(data, found[PAGE_COUNT] + 4, 4) if PAGE_COUNT in found else 0
    return OleProperties(title, author, _read_date(data, found.get(CREATED, len(data))), pages or None)


def _read_date(data: bytes, place: int) -> str:
    """A date, which counts tenths of microseconds since 1601; "" for none."""
    ticks = read_number(data, place + 4, 8)
    if not FIRST_YEARS < ticks < LAST_YEARS:
        return ""
    return f"{(EPOCH + timedelta(microseconds=ticks // 10)).isoformat(timespec='seconds')}Z"


def _read_text(data: bytes, place: int, page: int) -> str:
    raw = data[place + 8 : place + 8 + min(read_number(data, place + 4, 4), MAX_TEXT)]
    try:
        text = raw.decode("utf-8" if page == UTF_8 else f"cp{page}", "replace")
    except (LookupError, OSError):  # in the sandbox, a codec that is not yet imported cannot be loaded
        text = raw.decode("cp1252", "replace")
    return " ".join(text.replace("\0", "").split())
