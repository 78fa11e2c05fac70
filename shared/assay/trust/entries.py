"""The references of an audit, wherever they come from."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.errors import InvalidInput
from assay.text import bibliography
from assay.text.bibliography import Format
from assay.text.bibliography.work import identified
from assay.text.people import several
from assay.trust.audit import Entry

MOST = 200  # entries of one audit


class Document(NamedTuple):
    """A bibliography read: `total` counts entries also past those that are looked into."""

    format: str
    entries: list[Entry]
    total: int
    unread: list[str]


def of_parts(given: Sequence[Mapping[str, str]]) -> list[Entry]:
    """References given field by field."""
    made = []
    for index, each in enumerate(given, 1):
        name, url, notes = identified(each["doi"], each["url"])
        authors, year = several(each["author"]), each["date"][:4]
        link, claim = url or each["url"], each["claim"]
        made.append(Entry(index, each["title"], authors, year, each["site"], name, link, claim, notes))
    return made


def of_document(text: str, format: Format | None) -> Document:  # noqa: A002  # the wire's word
    """The first entries of a document. Raises InvalidInput where it has none that can be read."""
    found = bibliography.parse(text, format, most=MOST)
    entries = [
        Entry(
            index,
            work.title,
            tuple(name.straight() for name in work.authors),
            work.date[:4],
            work.container,
            work.doi,
            work.url,
            notes=work.unread,
        )
        for index, work in enumerate(found.entries, 1)
    ]
    if not entries:
        raise InvalidInput("The bibliography has no entry that can be read.", field="bibliography")
    unread = [f"Line {each.line}: {each.reason}" for each in found.unread[:20]]
    return Document(found.format, entries, max(found.total, len(entries)), unread)


def of_sources(sources: Sequence[Mapping[str, Any]]) -> list[Entry]:
    """What a research session has met."""
    return [
        Entry(
            index,
            source.get("title") or "",
            (source["author"],) if source.get("author") else (),
            (source.get("date") or "")[:4],
            "",
            (source.get("doi") or "").lower(),
            source["url"],
        )
        for index, source in enumerate(sources, 1)
    ]
