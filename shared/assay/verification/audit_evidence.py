"""A reference to audit, and the evidence that an audit collects on it."""

from dataclasses import dataclass, field
from functools import cached_property

from assay.bibliography import doi as dois
from assay.bibliography.identifiers import ARXIV_DOI
from assay.evaluation import source_type
from assay.models.papers import Paper
from assay.models.work_record import WorkRecord
from assay.text.mixed_scripts import find_mixed_words, spell_mixed_words
from assay.verification import identify, linked_titles, title_matching
from assay.verification.claim_sources import ClaimCheck
from assay.verification.field_comparison import CitedFields, FieldReport
from assay.verification.link_status import Link
from assay.verification.preprint_versions import WorkVersion
from assay.verification.reference_matching import Match, Matches, Reference
from assay.verification.registry_records import NO_DOI, Integrity, Record

MAX_SHOWN = 200  # characters of a value in a sentence


@dataclass(frozen=True)
class AuditEntry:
    """A reference to audit. An empty string means the field is absent; `doi` is bare and lower case."""

    index: int
    title: str = ""
    authors: tuple[str, ...] = ()
    year: str = ""
    container: str = ""
    doi: str = ""
    url: str = ""
    claim: str = ""
    notes: tuple[str, ...] = ()  # sentences about parts of the entry that could not be parsed
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    place: str = ""
    arxiv_id: str = ""
    pmid: str = ""
    printed: str = ""  # the reference as printed, if its fields come from the parser of references

    @property
    def cited(self) -> CitedFields:
        """The fields that are compared with the records."""
        return CitedFields(
            title=self.title,
            authors=self.authors,
            venue=self.container,
            year=self.year,
            volume=self.volume,
            issue=self.issue,
            pages=self.pages,
            publisher=self.publisher,
            place=self.place,
            doi=self.doi,
            arxiv_id=self.arxiv_id,
        )

    @property
    def name(self) -> str:
        """The entry's DOI, taken from the URL if that is a resolver's or a journal's address."""
        if self.doi or not self.url:
            return self.doi
        known = identify.host_of(self.url) in identify.RESOLVERS or source_type.is_journal(self.url)
        return (dois.find_in_url(self.url) if known else None) or ""

    @property
    def is_searchable(self) -> bool:
        """Whether there is something to search for: a title, or a reference in which none was recognized."""
        return bool(self.title or self.printed)

    @property
    def reference(self) -> Reference:
        if self.printed:
            return Reference.of_text(spell_mixed_words(self.printed))
        authors = tuple(map(spell_mixed_words, self.authors))
        return Reference.of_parts(spell_mixed_words(self.title), authors, self.year, self.container)

    @property
    def mixed_words(self) -> tuple[str, ...]:
        """Words of title and authors that mix Latin letters with look-alike letters of another script."""
        return find_mixed_words(" ".join((self.title, *self.authors, self.container)))


@dataclass
class EntryEvidence:
    """The evidence on one entry; None means unknown, never "no"."""

    entry: AuditEntry
    record: Record | None = None
    link: Link | None = None
    matches: Matches | None = None
    archived: str | None = None
    claim: ClaimCheck | None = None
    title_match: title_matching.TitleMatch = "not_checked"
    fields: FieldReport = field(default_factory=FieldReport)
    versions: list[WorkVersion] = field(default_factory=list)
    similar_retracted: list[Paper] = field(default_factory=list)  # if no candidate is surely meant

    @property
    def match(self) -> Match | None:
        best = self.matches.best if self.matches else None
        return best if best and best.confidence == "high" else None

    @property
    def exists(self) -> bool | None:
        """Whether the work exists: by its DOI if it has one, else by its title in an index or on the page it links.

        A live link shows that there is a page, which is all that an entry without a title names.
        """
        if self.entry.name:
            return self.record.exists if self.record else None
        if self.match or self.page_match == "match":
            return True
        return True if self.link and self.link.is_live and not self.entry.is_searchable else None

    @cached_property
    def page_match(self) -> title_matching.TitleMatch:
        """Whether the title of the entry is that of the page it links."""
        page = self.link.title if self.link else None
        if not page or not self.entry.is_searchable:
            return "not_checked"
        if not self.entry.title:
            return "match" if linked_titles.names_cited_work(page, self.entry.printed) else "not_checked"
        known = (*self.entry.authors, self.entry.container, self.entry.publisher)
        return linked_titles.compare_page_title(self.entry.title, page, known)

    def describe_page(self) -> str:
        """Say what the page of a live link tells about an entry with a title; "" if that is its own title."""
        if not (self.link and self.link.is_live and self.entry.is_searchable) or self.page_match == "match":
            return ""
        if self.link.title is None:
            return "Its link answers, but the title of its page could not be read."
        if not self.link.title:
            return "Its link answers, but its page shows no title to compare."
        shown = repr(self.link.title[:MAX_SHOWN])
        if self.page_match == "mismatch":
            return f"Its link answers, but the title of its page is another one: {shown}."
        return f"Its link answers, but the title of its page, {shown}, does not identify the entry."

    @property
    def is_lost(self) -> bool:
        """Whether the DOI is not registered, so that only its title can lead to the work."""
        return bool(self.entry.name) and self.exists is False

    @property
    def doi(self) -> str:
        """The DOI of the reference or of the work that its title led to; "" if there is none."""
        found = self.match.paper.doi if self.match else None
        return self.entry.name or found or (ARXIV_DOI + self.entry.arxiv_id.lower() if self.entry.arxiv_id else "")

    @property
    def records(self) -> tuple[WorkRecord, ...]:
        """All records of the reference's DOI and of the work that its title led to."""
        registered = self.record.paper if self.record and self.record.exists else None
        papers = [paper for paper in (registered, self.match.paper if self.match else None) if paper]
        return tuple(dict.fromkeys(record for paper in papers for record in paper.records))

    @property
    def integrity(self) -> Integrity:
        if self.record:
            return self.record.integrity
        return NO_DOI
