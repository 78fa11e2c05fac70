"""The references of an audit, wherever they come from."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.bibliography import notation
from assay.bibliography.notation import Format
from assay.bibliography.person_names import several
from assay.bibliography.work import normalize_identifiers
from assay.errors import InvalidInput
from assay.verification.bibliography_audit import AuditEntry

MOST = 200  # entries of one audit


class ParsedBibliography(NamedTuple):
    """A bibliography read: `total` counts entries also past those that are looked into."""

    format: str
    entries: list[AuditEntry]
    total: int
    unread: list[str]


def of_parts(given: Sequence[Mapping[str, str]]) -> list[AuditEntry]:
    """References given field by field."""
    made = []
    for index, each in enumerate(given, 1):
        name, url, notes = normalize_identifiers(each["doi"], each["url"])
        authors, year = several(each["author"]), each["date"][:4]
        link, claim = url or each["url"], each["claim"]
        made.append(AuditEntry(index, each["title"], authors, year, each["site"], name, link, claim, notes))
    return made


def of_document(text: str, format: Format | None) -> ParsedBibliography:  # noqa: A002  # the wire's word
    """The first entries of a document. Raises InvalidInput where it has none that can be read."""
    found = notation.parse(text, format, most=MOST)
    entries = [
        AuditEntry(
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
    return ParsedBibliography(found.format, entries, max(found.total, len(entries)), unread)


def of_sources(sources: Sequence[Mapping[str, Any]]) -> list[AuditEntry]:
    """What a research session has met."""
    return [
        AuditEntry(
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
