"""What kind of document some bytes are: the bytes decide, whatever the address and the headers say."""

import re
from urllib.parse import urlsplit

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
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MEMBERS = {b"word/document": "docx", b"ppt/presentation": "pptx"}


def kind_of(body: bytes, content_type: str, url: str) -> str | None:
    """ "pdf", "docx", "pptx", "feed", "xml", "json", "csv", "text", or None for HTML and what nobody reads."""
    if body.startswith(b"PK\x03\x04"):
        return _zipped(body)
    if body.startswith(OLE):
        return _locked(body, url)
    head = body[:HEAD]
    start = _without_mark(head).lstrip()
    if b"%PDF-" in head and not start.startswith(b"<"):
        return "pdf"
    if HTML.match(start) or b"\x00" in _without_utf16(head):
        return None
    said = content_type.partition(";")[0].strip().lower()
    if said in {"text/html", "application/xhtml+xml"}:
        return _unlabelled(start, body)
    if start.startswith((b"<?xml", b"<rss", b"<feed", b"<rdf:RDF")) or _is_utf16_xml(head):
        return _markup(body)
    return _by_label(said, urlsplit(url).path, start, body)


def _zipped(body: bytes) -> str | None:
    """By the part names of an Office file; a name can be read without unpacking, and the directory is at the end."""
    tail = body[-262_144:]
    for member, kind in MEMBERS.items():
        if member in tail or member in body[:262_144]:
            return kind
    return None


def _locked(body: bytes, url: str) -> str | None:
    """An Office file behind a password is a package in a binary file; its kind is known by its name alone."""
    if "EncryptedPackage".encode("utf-16-le") not in body:
        return None
    return "pptx" if urlsplit(url).path.lower().endswith(".pptx") else "docx"


def _without_mark(head: bytes) -> bytes:
    return head.removeprefix(MARKED[0])


def _without_utf16(head: bytes) -> bytes:
    """The head in which a zero byte means binary."""
    return b"" if head.startswith(MARKED[1:]) or _is_utf16_xml(head) else head


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


def _unlabelled(start: bytes, body: bytes) -> str | None:
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
    return _checked(kind, start, body)


def _checked(kind: str | None, start: bytes, body: bytes) -> str | None:
    """A label the bytes can bear out: JSON begins with a bracket, XML with an angle."""
    if kind == "json" and b"https://jsonfeed.org/version/" in body[:HEAD]:
        return "feed"
    if kind == "xml":
        return _markup(body) if start.startswith(b"<") else "text"
    return kind
