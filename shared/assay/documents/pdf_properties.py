"""What a PDF says of itself: its information dictionary, else its XMP packet."""

import re
from typing import Any

from assay.documents.safe_xml import Element, attribute, local, root_of
from assay.errors import UpstreamFailed

DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-]\d\d)'?(\d\d)?|(Z))?")
PLACEHOLDERS = {"untitled", "anonymous", "unspecified", "unknown"}
PACKET = re.compile(rb"<x:xmpmeta\b.{0,200000}?</x:xmpmeta>", re.DOTALL)


def properties(file: Any, body: bytes) -> tuple[str, str, str]:
    """title, author, created (ISO 8601), each "" where the file is silent."""
    told = file.get_metadata_dict()
    title, author = (_clean_value(told.get(name, "")) for name in ("Title", "Author"))
    created = iso_date(told.get("CreationDate", ""))
    if not (title and author and created) and (packet := PACKET.search(body)):
        title_, author_, created_ = _xmp(packet[0])
        title, author, created = title or title_, author or author_, created or created_
    return title, author, created


def _clean_value(text: str) -> str:
    """The words on one line; "" for what a program writes when nobody has said anything."""
    words = " ".join(text.split())
    return "" if words.lower().strip("()") in PLACEHOLDERS else words


def iso_date(text: str) -> str:
    """`D:20240131120000+01'00'` as 2024-01-31T12:00:00+01:00; as much of it as there is."""
    found = DATE.match(text.strip())
    if not found:
        return ""
    year, month, day, hour, minute, second, zone, zone_minutes, utc = found.groups()
    date = "-".join(part for part in (year, month, day if month else None) if part)
    if not (day and hour):
        return date
    offset = "Z" if utc else f"{zone}:{zone_minutes or '00'}" if zone else ""
    return f"{date}T{hour}:{minute or '00'}:{second or '00'}{offset}"


def _xmp(packet: bytes) -> tuple[str, str, str]:
    try:
        root = root_of(packet, "PDF's metadata")
    except UpstreamFailed:  # the text is what was asked for; its packet is a courtesy
        return "", "", ""
    met = {local(item): item for item in root.iter() if local(item) in {"title", "creator", "CreateDate"}}
    created = met.get("CreateDate")
    held = next((found for item in root.iter() if (found := attribute(item, "CreateDate"))), "")
    return _words(met.get("title"), ""), _words(met.get("creator"), ", "), _words(created, "") or held


def _words(item: Element, between: str) -> str:
    """The item's texts: all of a list of creators, the first of a title's languages."""
    texts = [] if item is None else [" ".join(text.split()) for text in item.itertext() if text.strip()]
    return between.join(texts) if between else "".join(texts[:1])
