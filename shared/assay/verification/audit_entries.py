"""Builds audit entries from structured fields, a bibliography document or a research session."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.bibliography import notation
from assay.bibliography.notation import Format
from assay.bibliography.person_names import split_names
from assay.bibliography.work import ET_AL, CitedWork, normalize_identifiers
from assay.errors import InvalidInput
from assay.text.sanitize import sanitise
from assay.verification.audit_evidence import AuditEntry
from assay.verification.court_decisions import parse_name

MAX_ENTRIES = 200  # entries per audit


class ParsedBibliography(NamedTuple):
    """A parsed bibliography; `total` also counts entries beyond the audited ones."""

    format: str
    entries: list[AuditEntry]
    total: int
    unread: list[str]


def from_fields(references: Sequence[Mapping[str, str]]) -> list[AuditEntry]:
    """Build entries from structured references."""
    entries = []
    for index, sent in enumerate(references, 1):
        each = {field: sanitise(text) for field, text in sent.items()}
        name, url, notes = normalize_identifiers(each["doi"], each["url"])
        authors, year = _complete(split_names(each["author"])), each["date"][:4]
        link, claim = url or each["url"], each["claim"]
        entries.append(AuditEntry(index, each["title"], authors, year, each["site"], name, link, claim, notes))
    return entries


def from_document(text: str, format: Format | None) -> ParsedBibliography:  # noqa: A002  # the wire's word
    """Build entries from the first works of a document. Raises InvalidInput if none can be parsed."""
    parsed = notation.parse_bibliography(sanitise(text), format, limit=MAX_ENTRIES)
    entries = [build_entry(index, work) for index, work in enumerate(parsed.entries, 1)]
    if not entries:
        raise InvalidInput("The bibliography has no readable entry; check its format.", field="bibliography")
    unread = [f"Line {each.line}: {each.reason}" for each in parsed.unread[:20]]
    return ParsedBibliography(parsed.format, entries, max(parsed.total, len(entries)), unread)


def build_entry(index: int, work: CitedWork) -> AuditEntry:
    """Build the entry of a parsed reference; the title of a court decision is its name."""
    if name := parse_name(work.printed):
        return AuditEntry(index, name, year=work.date[:4], url=work.url, notes=work.unread, printed=work.printed)
    return AuditEntry(
        index,
        work.title,
        work.printed_authors,
        work.date[:4],
        work.container,
        work.doi,
        work.url,
        notes=work.unread,
        volume=work.volume,
        issue=work.issue,
        pages=work.pages,
        publisher=work.publisher,
        place=work.place,
        arxiv_id=work.arxiv_id,
        pmid=work.pmid,
        printed=work.printed,
    )


def from_sources(sources: Sequence[Mapping[str, Any]]) -> list[AuditEntry]:
    """Build entries from the sources of a research session."""
    return [
        AuditEntry(
            index,
            source.get("title") or "",
            _complete((source["author"],)) if source.get("author") else (),
            (source.get("date") or "")[:4],
            "",
            (source.get("doi") or "").lower(),
            source["url"],
        )
        for index, source in enumerate(sources, 1)
    ]


def _complete(authors: tuple[str, ...]) -> tuple[str, ...]:
    """Add "et al." to a single name: such fields often hold the first author or the site only."""
    return (*authors, ET_AL) if len(authors) == 1 else authors
