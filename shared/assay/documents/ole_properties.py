"""What compound files of old Office programs declare about themselves ([MS-OLEPS], the summary information)."""

from datetime import datetime
from io import BytesIO
from typing import Any, NamedTuple

SUMMARY = "\x05SummaryInformation"
CODE_PAGE, TITLE, AUTHOR, CREATED, PAGE_COUNT = 1, 2, 4, 12, 14
# What olefile raises for damaged files beside its own errors, which are OSErrors.
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


def read_ole_properties(container: Any) -> OleProperties:
    """The properties of an open compound file; those that are damaged count as missing."""
    try:
        found = container.getproperties(SUMMARY, convert_time=True) if container.exists(SUMMARY) else {}
    except DAMAGE:
        found = {}
    pages, created, page = found.get(PAGE_COUNT), found.get(CREATED), found.get(CODE_PAGE, 1252)
    title, author = (_decode(found.get(name, b""), page) for name in (TITLE, AUTHOR))
    date = f"{created.isoformat(timespec='seconds')}Z" if isinstance(created, datetime) and created.year > 1900 else ""
    return OleProperties(title, author, date, pages if isinstance(pages, int) and pages > 0 else None)


def _decode(value: object, page: object) -> str:
    if not isinstance(value, bytes):
        return " ".join(value.split()) if isinstance(value, str) else ""
    codec = f"cp{int(page) % 0x10000}" if isinstance(page, int) else "cp1252"
    try:
        text = value.decode("utf-8" if codec == "cp65001" else codec, "replace")
    except (LookupError, OSError):  # in the sandbox, a codec that is not yet imported cannot be loaded
        text = value.decode("cp1252", "replace")
    return " ".join(text.replace("\0", "").split())
