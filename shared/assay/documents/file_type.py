"""Detection of a document's kind from its content; URL and headers only decide between text formats."""

import re

from assay.documents.file_types import OLE, is_binary, name_file_type
from assay.text.url_parts import split_url

HEAD = 1024  # bytes; PDF readers accept the header within them
FEED = re.compile(r"<(?:\w+:)?(rss|feed|RDF)[\s>]")
HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|meta|title|div|p)\b", re.IGNORECASE)
XHTML = re.compile(rb"<html[\s>]", re.IGNORECASE)
BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
UTF16_SIGNS = b"\xff\xfe\x00"  # before the first character of text in UTF-16
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
    "ipynb": "json",
    "csv": "csv",
    "tsv": "csv",
    "xml": "xml",
    "rss": "xml",
    "atom": "xml",
    "rdf": "xml",
    "txt": "text",
}
MEMBERS = {b"word/document": "docx", b"ppt/presentation": "pptx", b"xl/workbook": "xlsx"}
MIMETYPES = {  # content of the first, uncompressed member `mimetype` of OpenDocument files and EPUBs
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/vnd.oasis.opendocument.presentation": "odp",
    b"application/epub+zip": "epub",
}
RTF = b"{\\rtf"
OLD = {
    "old Excel workbook (.xls)": "xls",
    "old Word document (.doc)": "doc",
    "old PowerPoint presentation (.ppt)": "ppt",
}
LOCKED = {".pptx": "pptx", ".xlsx": "xlsx"}


def detect_kind(body: bytes, content_type: str, url: str) -> str | None:
    """Return the kind, a key of `document.NAMES`; None for HTML and unsupported formats."""
    if body.startswith(b"PK\x03\x04"):
        return _detect_zip_kind(body)
    if body.startswith(OLE):
        return _detect_ole_kind(body, url)
    head = body[:HEAD]
    start = _strip_utf8_bom(head).lstrip()
    if b"%PDF-" in head and not start.startswith(b"<"):
        return "pdf"
    if start.startswith(RTF):
        return "rtf"
    if HTML.match(start) or is_binary(body):
        return None
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in {"text/html", "application/xhtml+xml"}:
        return _detect_unlabelled(start, body)
    if start.startswith((b"<?xml", b"<rss", b"<feed", b"<rdf:RDF")) or _is_utf16_xml(head):
        return _classify_markup(body)
    return _detect_by_label(media_type, split_url(url).path, start, body)


def _detect_zip_kind(body: bytes) -> str | None:
    """Detect an Office file by its member names, which local headers and the central directory hold uncompressed."""
    if body[30:38] == b"mimetype":
        kind = next((kind for media_type, kind in MIMETYPES.items() if media_type == _stored_mimetype(body)), None)
        if kind:
            return kind
    tail = body[-262_144:]
    for member, kind in MEMBERS.items():
        if member in tail or member in body[:262_144]:
            return kind
    return None


def _stored_mimetype(body: bytes) -> bytes:
    """The content of the first member of a zip file, if stored uncompressed."""
    start, size = 38 + int.from_bytes(body[28:30], "little"), int.from_bytes(body[18:22], "little")
    return body[start : start + size].strip()


def _detect_ole_kind(body: bytes, url: str) -> str | None:
    """Detect the kind in an OLE compound file: an encrypted package (MS-OFFCRYPTO), judged by the URL's suffix, XLS,
    DOC or PPT. Other old formats are not supported.
    """
    if "EncryptedPackage".encode("utf-16-le") in body:
        path = split_url(url).path.lower()
        return next((kind for ending, kind in LOCKED.items() if path.endswith(ending)), "docx")
    return OLD.get(name_file_type(body))


def _strip_utf8_bom(head: bytes) -> bytes:
    return head.removeprefix(BYTE_ORDER_MARKS[0])


def _is_utf16_xml(head: bytes) -> bool:
    return any(("<?xml".encode(codec)) in head[:16] for codec in ("utf-16-le", "utf-16-be"))


def _classify_markup(body: bytes) -> str | None:
    """Classify markup: None for XHTML, "feed" for a feed's root element, otherwise "xml"."""
    head = body[:8192]
    if head.startswith(BYTE_ORDER_MARKS[1:]) or _is_utf16_xml(head):
        head = head.replace(b"\x00", b"")
    if XHTML.search(head):
        return None
    return "feed" if FEED.search(head.decode("latin-1")) else "xml"


def _detect_unlabelled(start: bytes, body: bytes) -> str | None:
    """Detect a feed or XML that is mislabelled as HTML."""
    return _classify_markup(body) if start.startswith((b"<?xml", b"<rss", b"<feed", b"<rdf:RDF")) else None


def _detect_by_label(media_type: str, path: str, start: bytes, body: bytes) -> str | None:
    kind = TEXT_TYPES.get(media_type)
    if media_type.endswith("+json"):
        kind = kind or "json"
    if media_type.endswith("+xml"):
        kind = "xml"
    if kind is None and media_type in {"", "text/plain", "application/octet-stream", "binary/octet-stream"}:
        kind = SUFFIXES.get(path.rpartition(".")[2].lower()) or ("text" if media_type == "text/plain" else None)
    if kind is None and media_type and (media_type.startswith("text/") or start.lstrip(UTF16_SIGNS)[:1] not in b"<"):
        kind = "text"  # as YAML and scripts, whose lines a reader of HTML would join
    return _verify_label(kind, start, body)


def _verify_label(kind: str | None, start: bytes, body: bytes) -> str | None:
    """Correct the labelled kind by the content: JSON Feed, and XML that does not begin with markup."""
    if kind == "json" and b"https://jsonfeed.org/version/" in body[:HEAD]:
        return "feed"
    if kind == "xml":
        return _classify_markup(body) if start.startswith(b"<") else "text"
    return kind
