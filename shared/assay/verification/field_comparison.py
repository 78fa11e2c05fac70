"""Compares the fields of a citation with the records of the work that it means.

A field is a mismatch only where every record that has the field disagrees. The answer shows both values and the
record's source; it is evidence for a reader, who decides. The codes are those of the CiteTracer taxonomy
(R1-R4 matching, P1-P3 unclear, H1-H6 one for each kind of field that differs).
"""

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.models.work_record import WorkRecord
from assay.verification.author_lists import ET_AL, compare_author_lists
from assay.verification.number_comparison import compare_numbers, compare_pages
from assay.verification.title_comparison import compare_title_words
from assay.verification.venue_comparison import (
    FieldMatch,
    compare_places,
    compare_publishers,
    compare_venues,
    is_preprint_server,
    is_publisher_seat,
)

type ComparedField = Literal[
    "title", "authors", "venue", "year", "volume", "issue", "pages", "publisher", "place", "doi", "arxiv_id"
]
type Outcome = Literal["match", "variant", "mismatch", "unverified"]

CODES: dict[ComparedField, str] = {
    "title": "H1", "authors": "H2", "venue": "H3", "year": "H4", "doi": "H5", "arxiv_id": "H5",
    "volume": "H6", "issue": "H6", "pages": "H6", "publisher": "H6", "place": "H6",
}  # fmt: skip
YEAR_TOLERANCE = 1  # years between publication online, in print and at the event


@dataclass(frozen=True)
class CitedFields:
    """What a citation says of a work. Absent fields are empty."""

    title: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    place: str = ""
    doi: str = ""
    arxiv_id: str = ""


@dataclass(frozen=True)
class FieldFinding:
    """The outcome for one field: the cited value, the recorded one, and which source has it."""

    field: ComparedField
    outcome: Outcome
    cited: str
    recorded: str = ""
    source: str = ""
    reason: str = ""


@dataclass(frozen=True)
class FieldReport:
    """The findings on all fields that the citation has."""

    findings: tuple[FieldFinding, ...] = ()
    abbreviated: bool = False  # the author list ends in "et al."

    @property
    def mismatches(self) -> tuple[FieldFinding, ...]:
        return tuple(each for each in self.findings if each.outcome == "mismatch")

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the CiteTracer taxonomy that describe the findings."""
        if wrong := sorted({CODES[each.field] for each in self.mismatches}):
            return tuple(wrong)
        by_outcome = {each.outcome for each in self.findings}
        unclear = [code for code, outcome in (("P1", "variant"), ("P3", "unverified")) if outcome in by_outcome]
        if unclear or not self.findings:
            return tuple(unclear)
        if self.abbreviated:
            return ("R3",)
        sources = [{each.source} for each in self.findings if each.source]
        if len({next(iter(each)) for each in sources}) > 1:
            return ("R4",)
        return ("R1",) if all(_is_literal(each) for each in self.findings) else ("R2",)


@dataclass
class _Comparison:
    """Collects what each record says of one field."""

    field: ComparedField
    cited: str
    agreeing: list[tuple[str, str]] = dataclasses.field(default_factory=list)  # recorded value, source
    near: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)  # recorded value, source, reason
    opposing: list[tuple[str, str, str]] = dataclasses.field(default_factory=list)

    def to_finding(self) -> FieldFinding:
        if self.agreeing:
            return FieldFinding(self.field, "match", self.cited, *self.agreeing[0])
        if self.near:
            return FieldFinding(self.field, "variant", self.cited, *self.near[0])
        if self.opposing:
            return FieldFinding(self.field, "mismatch", self.cited, *self.opposing[0])
        return FieldFinding(self.field, "unverified", self.cited, reason="No record has this field.")


def compare_fields(cited: CitedFields, records: Sequence[WorkRecord]) -> FieldReport:
    """Compare each field of the citation with the records of the same work; fields that it lacks are skipped."""
    if not records:
        return FieldReport()
    comparisons: Iterable[FieldFinding | None] = (
        _compare_titles(cited, records),
        _compare_authors(cited, records),
        _compare_venue(cited, records),
        _compare_year(cited, records),
        _compare_simple("volume", cited.volume, records, lambda r: (r.volume,) if r.volume else (), compare_numbers),
        _compare_simple("issue", cited.issue, records, lambda r: (r.issue,) if r.issue else (), compare_numbers),
        _compare_simple("pages", cited.pages, records, lambda r: r.pages, compare_pages),
        _compare_simple("publisher", cited.publisher, records, lambda r: r.publishers, compare_publishers),
        _compare_place(cited, records),
        _compare_simple("doi", cited.doi, records, lambda r: r.dois, _compare_exactly),
        _compare_simple("arxiv_id", cited.arxiv_id, records, lambda r: r.arxiv_ids, _compare_exactly),
    )
    findings = tuple(each for each in comparisons if each is not None)
    return FieldReport(findings, abbreviated=any(ET_AL.search(author) for author in cited.authors))


def report_other_work(cited: CitedFields, records: Sequence[WorkRecord]) -> FieldReport:
    """Report that the record of the cited DOI is another work's: the other fields say nothing then.

    Where only the title can be compared, it is a mismatch; where the authors differ too, so is the DOI.
    """
    title, authors = _compare_titles(cited, records), _compare_authors(cited, records)
    findings = [title] if title and title.outcome == "mismatch" else []
    if authors and authors.outcome == "mismatch":
        recorded = next((title for record in records for title in record.titles), "")
        reason = f"The DOI is that of another work: {recorded}"
        findings.append(FieldFinding("doi", "mismatch", cited.doi, "", authors.source, reason))
    return FieldReport(tuple(findings))


def _compare_titles(cited: CitedFields, records: Sequence[WorkRecord]) -> FieldFinding | None:
    if not cited.title:
        return None
    found = _Comparison("title", cited.title)
    for record in records:
        for title in record.titles:
            comparison = compare_title_words(cited.title, title)
            if comparison.relation in ("same", "shortened"):
                found.agreeing.append((title, record.source))
            elif comparison.relation != "unknown":
                found.opposing.append((title, record.source, _describe_words(comparison.cited, comparison.recorded)))
    return found.to_finding()


def _describe_words(cited: Sequence[str], recorded: Sequence[str]) -> str:
    ours, theirs = (", ".join(words[:6]) or "nothing" for words in (cited, recorded))
    return f"The words that differ: {ours}; on record: {theirs}."


def _compare_authors(cited: CitedFields, records: Sequence[WorkRecord]) -> FieldFinding | None:
    if not cited.authors:
        return None
    found = _Comparison("authors", _join(cited.authors))
    for record in records:
        comparison = compare_author_lists(cited.authors, record.authors, recorded_is_partial=record.authors_are_partial)
        recorded = _join(record.authors)
        if comparison.match in ("same", "truncated"):
            found.agreeing.append((recorded, record.source))
        elif comparison.match == "variant":
            found.near.append((recorded, record.source, comparison.reason))
        elif comparison.match == "different":
            found.opposing.append((recorded, record.source, comparison.reason))
    return found.to_finding()


def _join(authors: Sequence[str]) -> str:
    shown = "; ".join(authors[:12])
    return f"{shown}; … ({len(authors)} authors)" if len(authors) > 12 else shown


def _compare_venue(cited: CitedFields, records: Sequence[WorkRecord]) -> FieldFinding | None:
    """Compare the venue. A cited preprint of a work that was published later is no mismatch."""
    if not cited.venue:
        return None
    found = _Comparison("venue", cited.venue)
    preprint = is_preprint_server(cited.venue)
    for record in records:
        for venue in record.venues:
            match = compare_venues(cited.venue, venue)
            if match == "same" or (match == "different" and preprint and (record.arxiv_ids or cited.arxiv_id)):
                found.agreeing.append((venue, record.source))
            elif match == "different":
                found.opposing.append((venue, record.source, "The record names another venue."))
            else:
                found.near.append((venue, record.source, "It is not clear whether the names denote one venue."))
    return found.to_finding()


def _compare_year(cited: CitedFields, records: Sequence[WorkRecord]) -> FieldFinding | None:
    year = re.search(r"\b(1[4-9]\d\d|20\d\d)(?=[a-z]?\b)", cited.year)
    if year is None:
        return None
    found, said = _Comparison("year", year[0]), int(year[0])
    for record in records:
        if not record.years:
            continue
        posted = {each for arxiv_id in record.arxiv_ids if (each := find_arxiv_year(arxiv_id))}
        known = ", ".join(map(str, sorted(record.years | posted)))
        distance = min(abs(said - each) for each in record.years)
        if distance == 0 or said in posted:
            found.agreeing.append((known, record.source))
        elif distance <= YEAR_TOLERANCE:
            found.near.append((known, record.source, "A year apart: online and print publication often are."))
        else:
            found.opposing.append((known, record.source, "The record gives another year."))
    return found.to_finding()


def find_arxiv_year(arxiv_id: str) -> int | None:
    """Return the year in which a preprint was posted, which its arXiv id begins with: 2105.00001, hep-th/9901001."""
    found = re.search(r"(?:^|/)(\d\d)(?:0[1-9]|1[0-2])", arxiv_id)
    return (1900 if int(found[1]) > 90 else 2000) + int(found[1]) if found else None


def _compare_place(cited: CitedFields, records: Sequence[WorkRecord]) -> FieldFinding | None:
    """Compare the place of the event; a place that may be the publisher's seat is left open."""
    finding = _compare_simple("place", cited.place, records, lambda r: r.places, compare_places)
    if finding and finding.outcome == "mismatch" and is_publisher_seat(cited.place, cited.publisher):
        return FieldFinding("place", "unverified", cited.place, reason="It may be the seat of the publisher.")
    return finding


def _compare_exactly(cited: str, recorded: str) -> FieldMatch:
    def bare(text: str) -> str:
        return re.sub(r"v\d+$", "", text.casefold().strip())

    return "same" if bare(cited) == bare(recorded) else "different"


def _compare_simple(
    name: ComparedField,
    cited: str,
    records: Sequence[WorkRecord],
    read: Callable[[WorkRecord], Iterable[str]],
    compare: Callable[[str, str], FieldMatch],
) -> FieldFinding | None:
    if not cited.strip():
        return None
    found = _Comparison(name, cited)
    for record in records:
        for value in read(record):
            match = compare(cited, value)
            if match == "same":
                found.agreeing.append((value, record.source))
            elif match == "different":
                found.opposing.append((value, record.source, f"The record gives another value for {name}."))
    return found.to_finding()


def _is_literal(finding: FieldFinding) -> bool:
    return finding.cited.casefold() == finding.recorded.casefold()
