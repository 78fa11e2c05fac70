"""What kind of document some bytes are: the bytes decide, whatever the address and the headers say."""

import re

from assay.documents.file_types import OLE, is_binary, name_file_type
from assay.text.url_parts import split_url

HEAD = 1024  # PDF readers look for the header this far in
FEED = re.compile(r"<(?:\w+:)?(rss|feed|RDF)[\s>]")
HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|meta|title|div|p)\b", re.IGNORECASE)
XHTML = re.compile(rb"<html[\s>]", re.IGNORECASE)
MARKED = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
TEXT_TYPES = {
    "application/json": "json",
    "application/ld+json": "json",
    "application/feed+json": "feed",
    "text/csv": "csv",
    "application/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/xml": "xml",
    "text/xml": "xml",
}
SUFFIXES = {
    "json": "json",
    "csv": "csv",
    "tsv": "csv",
    "xml": "xml",
    "rss": "xml",
    "atom": "xml",
    "rdf": "xml",
    "txt": "text",
}
MEMBERS = {b"word/document": "docx", b"ppt/presentation": "pptx", b"xl/workbook": "xlsx"}
MIMETYPES = {  # what the first part of an OpenDocument file or an EPUB says, uncompressed
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/epub+zip": "epub",
}
RTF = b"{\\rtf"
LOCKED = {".pptx": "pptx", ".xlsx": "xlsx"}


def kind_of(body: bytes, content_type: str, url: str) -> str | None:
    """The kind, one of `document.NAMES`; None for HTML and for what is not read."""
    if body.startswith(b"PK\x03\x04"):
        return _detect_zip_kind(body)
    if body.startswith(OLE):
        return _old_office(body, url)
    head = body[:HEAD]
    start = _without_mark(head).lstrip()
    if b"%PDF-" in head and not start.startswith(b"<"):
        return "pdf"
    if start.startswith(RTF):
        return "rtf"
    if HTML.match(start) or is_binary(body):
        return None
    said = content_type.partition(";")[0].strip().lower()
    if said in {"text/html", "application/xhtml+xml"}:
        return _detect_unlabelled(start, body)
    if start.startswith((b"<?xml", b"<rss", b"<feed", b"<rdf:RDF")) or _is_utf16_xml(head):
        return _markup(body)
    return _by_label(said, split_url(url).path, start, body)


def _detect_zip_kind(body: bytes) -> str | None:
    """By its part names; a name can be read without unpacking, and the directory is at the end."""
    if body[30:38] == b"mimetype":
        kind = next((kind for said, kind in MIMETYPES.items() if said == _first_part(body)), None)
        if kind:
            return kind
    tail = body[-262_144:]
    for member, kind in MEMBERS.items():
        if member in tail or member in body[:262_144]:
            return kind
    return None


def _first_part(body: bytes) -> bytes:
    """The first part of a zip file, where it is stored as it is."""
    start, size = 38 + int.from_bytes(body[28:30], "little"), int.from_bytes(body[18:22], "little")
    return body[start : start + size].strip()


def _old_office(body: bytes, url: str) -> str | None:
    """An Office file behind a password is a package in a binary file, whose kind is known by its name alone; of the
    old formats only Excel's is read."""
    if "EncryptedPackage".encode("utf-16-le") in body:
        path = split_url(url).path.lower()
        return next((kind for ending, kind in LOCKED.items() if path.endswith(ending)), "docx")
    return "xls" if "old Excel" in name_file_type(body) else None


def _without_mark(head: bytes) -> bytes:
    return head.removeprefix(MARKED[0])


def _is_utf16_xml(head: bytes) -> bool:
    return any(("<?xml".encode(codec)) in head[:16] for codec in ("utf-16-le", "utf-16-be"))


def _markup(body: bytes) -> str | None:
    """XML that is XHTML is a page; XML with a feed's root is a feed."""
    head = body[:8192]
    if head.startswith(MARKED[1:]) or _is_utf16_xml(head):
        head = head.replace(b"\x00", b"")
    if XHTML.search(head):
        return None
    return "feed" if FEED.search(head.decode("latin-1")) else "xml"


def _detect_unlabelled(start: bytes, body: bytes) -> str | None:
    """What says it is HTML, does not begin like it, and may be a feed or XML that is badly labelled."""
    return _markup(body) if start.startswith((b"<?xml", b"<rss", b"<feed", b"<rdf:RDF")) else None


def _by_label(said: str, path: str, start: bytes, body: bytes) -> str | None:
    kind = TEXT_TYPES.get(said)
    if said.endswith("+json"):
        kind = kind or "json"
    if said.endswith("+xml"):
        kind = "xml"
    if kind is None and said in {"", "text/plain", "application/octet-stream", "binary/octet-stream"}:
        kind = SUFFIXES.get(path.rpartition(".")[2].lower()) or ("text" if said == "text/plain" else None)
    if kind is None and said.startswith("text/"):
        kind = "text"
    return _verify_label(kind, start, body)


def _verify_label(kind: str | None, start: bytes, body: bytes) -> str | None:
    """A label the bytes can bear out: JSON begins with a bracket, XML with an angle."""
    if kind == "json" and b"https://jsonfeed.org/version/" in body[:HEAD]:
        return "feed"
    if kind == "xml":
        return _markup(body) if start.startswith(b"<") else "text"
    return kind
