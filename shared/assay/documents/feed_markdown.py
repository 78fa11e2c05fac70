"""Parser that converts a feed (RSS, RDF, Atom, JSON Feed) to a Markdown list."""

import time
from dataclasses import dataclass

from assay.documents.document import Document, truncate_text
from assay.documents.feed_parser import FeedItem, parse_feed
from assay.html.reader.markdown_escapes import escape_brackets, escape_heading_end, escape_line_start, escape_markdown
from assay.text.dates import rfc3339
from assay.text.plain_text import to_plain_text
from assay.text.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

ITEMS = 1_000  # maximum number of entries shown
SUMMARY = 600  # characters


@dataclass
class FeedEntry:
    """A feed entry as plain text; `date` is RFC 3339 or ""."""

    title: str = ""
    link: str = ""
    date: str = ""
    summary: str = ""
    author: str = ""


def parse(body: bytes, kind: str) -> Document:
    """List title, link, date and summary of each entry, in the feed's order. Raises UpstreamFailed if not a feed."""
    feed = parse_feed(body)
    head, entries = _to_entry(feed.head), feed.items
    shown = [_to_entry(item) for item in entries[:ITEMS]]
    parts = [
        f"# {escape_heading_end(escape_markdown(head.title))}" if head.title else "",
        escape_line_start(escape_markdown(head.summary)),
        "\n".join(_format_item(entry) for entry in shown),
    ]
    markdown, was_cut = truncate_text("\n\n".join(part for part in parts if part))
    notes = (f"The first {ITEMS:,} of {len(entries):,} entries are shown.",) if len(entries) > ITEMS else ()
    return Document(
        kind, markdown, head.title, head.author, head.date, truncated=was_cut or len(entries) > ITEMS, notes=notes
    )


def _format_item(entry: FeedEntry) -> str:
    title = escape_brackets(escape_markdown(entry.title or entry.link or "Untitled"))
    line = f"- [{title}]({entry.link})" if entry.link else f"- {escape_line_start(title)}"
    line += f" ({entry.date})" if entry.date else ""
    return line + (
        f"\n  {escape_line_start(escape_markdown(entry.summary))}"
        if entry.summary and entry.summary != entry.title
        else ""
    )


def _to_entry(item: FeedItem) -> FeedEntry:
    return FeedEntry(
        to_plain_text(item.title, 500),
        _escape_link(item.link),
        _to_date(item.published) or _to_date(item.updated),
        to_plain_text(item.summary, SUMMARY) or to_plain_text(item.content, SUMMARY),
        to_plain_text(item.author, 200),
    )


def _escape_link(link: str) -> str:
    return link.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")


def _to_date(text: str) -> str:
    return (rfc3339(text, time.time()) if text else None) or ""
