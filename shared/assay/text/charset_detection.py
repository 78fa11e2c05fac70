"""Detection of legacy encodings by uchardet, the detector of Firefox."""

import re

from assay.text.charset_labels import resolve_label

NON_ASCII = re.compile(rb"[\x80-\xff]")
MAX_INSPECTED = 400_000  # bytes of a page
CONTEXT = 1_000  # ASCII bytes before the first other byte that are inspected too
DEFAULT = "cp1252"
WEB_ENCODINGS = {  # detected encodings, and the supersets of their letters that pages are written in
    "iso8859-13": "cp1257",
    "iso8859-16": "cp1250",
    "koi8-r": "koi8-u",
    "utf-8": DEFAULT,  # only bodies that are not UTF-8 are inspected
}


def detect_encoding(body: bytes) -> str:
    """Return Python's name of the most likely encoding of a page that is not UTF-8."""
    import cchardet  # few pages need it

    found = NON_ASCII.search(body)
    start = max(0, found.start() - CONTEXT) if found else 0
    name = cchardet.detect(body[start : start + MAX_INSPECTED])["encoding"]
    encoding = resolve_label("euc-kr" if name == "UHC" else name) or DEFAULT
    return WEB_ENCODINGS.get(encoding, encoding)
