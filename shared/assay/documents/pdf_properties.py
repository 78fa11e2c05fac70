"""PDF metadata: the document information dictionary (ISO 32000-1 section 14.3.3), or else the XMP packet."""

import re
from typing import Any

from assay.errors import UpstreamFailed
from assay.text.safe_xml import Element, get_attribute, local_name, parse_xml

DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-]\d\d)'?(\d\d)?|(Z))?")
PLACEHOLDERS = {"untitled", "anonymous", "unspecified", "unknown"}
PACKET = re.compile(rb"<x:xmpmeta\b.{0,200000}?</x:xmpmeta>", re.DOTALL)


def read_properties(file: Any, body: bytes) -> tuple[str, str, str]:
    """Return title, author and creation date (ISO 8601), each "" if not declared."""
    info = file.get_metadata_dict()
    title, author = (_clean_value(info.get(name, "")) for name in ("Title", "Author"))
    created = to_iso_date(info.get("CreationDate", ""))
    if not (title and author and created) and (packet := PACKET.search(body)):
        title_, author_, created_ = _read_xmp(packet[0])
        title, author, created = title or title_, author or author_, created or created_
    return title, author, created


def _clean_value(text: str) -> str:
    """The value on one line; "" for a placeholder such as "untitled"."""
    words = " ".join(text.split())
    return "" if words.lower().strip("()") in PLACEHOLDERS else words


def to_iso_date(text: str) -> str:
    """Convert a PDF date (section 7.9.4), `D:20240131120000+01'00'`, to ISO 8601; missing parts are omitted."""
    match = DATE.match(text.strip())
    if not match:
        return ""
    year, month, day, hour, minute, second, zone, zone_minutes, utc = match.groups()
    date = "-".join(part for part in (year, month, day if month else None) if part)
    if not (day and hour):
        return date
    offset = "Z" if utc else f"{zone}:{zone_minutes or '00'}" if zone else ""
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}{offset}"


def _read_xmp(packet: bytes) -> tuple[str, str, str]:
    try:
        root = parse_xml(packet, "PDF's metadata")
    except UpstreamFailed:  # metadata is optional: a malformed packet must not fail the document
        return "", "", ""
    items = {local_name(item): item for item in root.iter() if local_name(item) in {"title", "creator", "CreateDate"}}
    created = items.get("CreateDate")
    attribute_value = next((match for item in root.iter() if (match := get_attribute(item, "CreateDate"))), "")
    return (
        _join_texts(items.get("title"), ""),
        _join_texts(items.get("creator"), ", "),
        _join_texts(created, "") or attribute_value,
    )


def _join_texts(item: Element, between: str) -> str:
    """Join the texts of an item with `between`; only the first text if `between` is empty."""
    texts = [] if item is None else [" ".join(text.split()) for text in item.itertext() if text.strip()]
    return between.join(texts) if between else "".join(texts[:1])
