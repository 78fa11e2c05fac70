"""Feeds as lists: RSS 0.9 to 2.0, RDF, Atom, JSON Feed."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.documents.document import Document, cut
from assay.documents.markup import Element, local, root_of
from assay.documents.markup import prepare as prepare  # noqa: PLC0414 - the jail asks each reader for it
from assay.errors import UpstreamFailed
from assay.text.dates import rfc3339
from assay.text.plain import plain

ITEMS = 1_000
SUMMARY = 600  # letters
DATES = ("published", "pubDate", "date", "updated", "modified", "issued")
SUMMARIES = ("summary", "description", "encoded", "content")


@dataclass
class Entry:
    title: str = ""
    link: str = ""
    date: str = ""
    summary: str = ""
    author: str = ""


def parse(body: bytes, kind: str) -> Document:
    """Title, link, date and summary of each entry, in the feed's order. UpstreamFailed when it is no feed."""
    head, entries = _json_feed(body) if body.lstrip()[:1] in {b"{", b""} else _xml_feed(body)
    shown = entries[:ITEMS]
    parts = [f"# {head.title}" if head.title else "", head.summary, "\n".join(_item(entry) for entry in shown)]
    markdown, was_cut = cut("\n\n".join(part for part in parts if part))
    notes = (f"The first {ITEMS:,} of {len(entries):,} entries are shown.",) if len(entries) > ITEMS else ()
    return Document(
        kind, markdown, head.title, head.author, head.date, truncated=was_cut or len(entries) > ITEMS, notes=notes
    )


def _item(entry: Entry) -> str:
    title = (entry.title or entry.link or "Untitled").replace("[", "\\[").replace("]", "\\]")
    line = f"- [{title}]({entry.link})" if entry.link else f"- {title}"
    line += f" ({entry.date})" if entry.date else ""
    return line + (f"\n  {entry.summary}" if entry.summary and entry.summary != entry.title else "")


def _xml_feed(body: bytes) -> tuple[Entry, list[Entry]]:
    root = root_of(body, "feed", lenient=True)
    channel = next((part for part in root if local(part) == "channel"), root)
    items = [part for part in root.iter() if local(part) in {"item", "entry"}]
    if local(root) not in {"rss", "RDF", "feed"}:
        raise UpstreamFailed(f"The feed's root is {local(root)!r}, which is no feed.")
    return _entry(channel), [_entry(item) for item in items]


def _entry(element: Element) -> Entry:
    """An item, or the feed itself."""
    found: dict[str, Element] = {}
    for part in element:
        found.setdefault(local(part), part)
    author = found.get("author", found.get("creator"))
    summary = next((_text(found[name]) for name in SUMMARIES if name in found and _text(found[name])), "")
    return Entry(
        plain(_text(found.get("title")), 500),
        _link(element),
        next((date for name in DATES if name in found and (date := _date(_text(found[name])))), ""),
        plain(summary, SUMMARY),
        "" if author is None else plain(_text(next((part for part in author if local(part) == "name"), author)), 200),
    )


def _text(element: Element) -> str:
    return "" if element is None else "".join(element.itertext()).strip()


def _link(element: Element) -> str:
    """The page an entry is about: Atom's alternate link, RSS's link, else a guid that is an address."""
    for part in element:
        if local(part) == "link" and part.get("rel", "alternate") == "alternate":
            link = _address(part.get("href") or part.text or "")
            if link:
                return link
    guid = next((part for part in element if local(part) == "guid" and part.get("isPermaLink") != "false"), None)
    return "" if guid is None else _address(guid.text or "")


def _address(text: str) -> str:
    """An address that may stand in a markdown link, "" for any other scheme."""
    text = "".join(text.split())
    if not text.lower().startswith(("http://", "https://")):
        return ""
    return text.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")


def _date(text: str) -> str:
    return (rfc3339(text, time.time()) if text else None) or ""


def _json_feed(body: bytes) -> tuple[Entry, list[Entry]]:
    try:
        told = json.loads(body)
    except (ValueError, RecursionError) as wrong:
        raise UpstreamFailed(f"The feed is not valid JSON: {wrong}") from wrong
    if not isinstance(told, dict) or not isinstance(told.get("items"), list):
        raise UpstreamFailed("The JSON feed has no list of items.")
    return _json_entry(told), [_json_entry(item) for item in told["items"] if isinstance(item, dict)]


def _json_entry(item: dict[str, Any]) -> Entry:
    def first(*names: str) -> str:
        return next((str(item[name]) for name in names if isinstance(item.get(name), str) and item[name]), "")

    return Entry(
        plain(first("title"), 500),
        _address(first("url", "external_url", "home_page_url")),
        _date(first("date_published", "date_modified")),
        plain(first("summary", "content_text", "content_html", "description"), SUMMARY),
        plain(", ".join(_authors(item)), 200),
    )


def _authors(item: dict[str, Any]) -> Iterator[str]:
    authors = item.get("authors") or [item.get("author")]
    for author in authors if isinstance(authors, list) else []:
        if isinstance(author, dict) and isinstance(author.get("name"), str):
            yield author["name"]
