"""Queries for scholarly works, and their records."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, field_validator

from assay.models.common import Cleared, Input, LongField, Output, Query, RecordedRetraction
from assay.models.search_queries import validate_order
from assay.models.work_record import WorkRecord

type Year = Annotated[int, Field(ge=1900, le=2100)]
type Origin = Literal["all", "arxiv", "pubmed", "ieee", "nature", "springer"]


class PaperQuery(Input):
    """A search for scholarly works. Years are inclusive; `source` is the archive or publisher."""

    query: Annotated[Query, Field(description="Search words or title, or a DOI, arXiv id, PMID or PMCID.")]
    num_results: Annotated[int, Field(ge=1, le=25, description="Maximum number of results to return.")] = 5
    year_from: Annotated[Cleared[Year], Field(description="First year of publication, inclusive.")] = None
    year_to: Annotated[
        Cleared[Year], Field(validate_default=True, description="Last year of publication, inclusive.")
    ] = None
    source: Annotated[
        Origin,
        BeforeValidator(lambda given: given or "all"),
        Field(description="Archive or publisher to limit results to."),
    ] = "all"
    open_access: Annotated[bool, Field(description="Only works that are free to read.")] = False
    sort_by: Annotated[
        Literal["relevance", "date"],
        BeforeValidator(lambda given: given or "relevance"),
        Field(description="Order of results; date lists the newest first."),
    ] = "relevance"

    _ordered = field_validator("year_to")(validate_order)


class Paper(Output):
    """A scholarly work. `source` is the provider that found it; `fact_sources` names the providers of other fields."""

    title: str
    url: str
    source: Annotated[str, Field(description="Provider that found the work.")]
    doi: Annotated[str | None, Field(description="Lower case, without https://doi.org/.")] = None
    authors: list[str] | None = None
    author_count: Annotated[
        int | None, Field(description="Number of authors; at least this many if not all are listed.")
    ] = None
    journal: str | None = None
    year: int | None = None
    publication_date: Annotated[str | None, Field(description="YYYY-MM-DD or YYYY-MM.")] = None
    abstract: Annotated[str | None, LongField()] = None
    citation_count: Annotated[int | None, Field(description="Number of works that cite it.")] = None
    open_access: Annotated[bool | None, Field(description="Whether a free copy exists.")] = None
    pdf_url: Annotated[str | None, Field(description="URL of a free PDF.")] = None
    tldr: Annotated[str | None, LongField(), Field(description="Written by a machine.")] = None
    is_influential: Annotated[
        bool | None, Field(description="Whether Semantic Scholar rates this citation influential.")
    ] = None
    citation_intents: Annotated[
        list[str] | None, Field(description="Why it is cited: background, methodology or result.")
    ] = None
    is_in_doaj: Annotated[
        bool | None, Field(description="Whether the journal is in the Directory of Open Access Journals.")
    ] = None
    retraction_status: RecordedRetraction = None
    low_confidence_domain: Annotated[
        bool | None, Field(description="true if another host has a work of the same title that is cited far more.")
    ] = None
    arxiv_id: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    publisher: str | None = None
    fact_sources: Annotated[
        dict[str, str] | None,
        LongField(),
        Field(description="Field name to the provider that supplied it, where that is not source."),
    ] = None
    _read_records: Callable[[], tuple[WorkRecord, ...]] | None = PrivateAttr(default=None)

    @property
    def records(self) -> tuple[WorkRecord, ...]:
        """What each source has of the work, for comparison with citations; not part of answers."""
        return self._read_records() if self._read_records else (self._to_record(),)

    def with_records(self, read: Callable[[], tuple[WorkRecord, ...]]) -> "Paper":
        """Return the work with a function that reads its sources' records, which searches do not need."""
        copy = self.model_copy()
        copy._read_records = cache(read)  # noqa: SLF001
        return copy

    def _to_record(self) -> WorkRecord:
        authors = self.authors or []
        return WorkRecord(
            source=self.source,
            titles=(self.title,),
            authors=tuple(authors),
            authors_are_partial=(self.author_count or 0) > len(authors),
            venues=(self.journal,) if self.journal else (),
            years=frozenset({self.year} if self.year else ()),
            volume=self.volume or "",
            issue=self.issue or "",
            pages=(self.pages,) if self.pages else (),
            publishers=(self.publisher,) if self.publisher else (),
            dois=frozenset({self.doi} if self.doi else ()),
            arxiv_ids=frozenset({self.arxiv_id} if self.arxiv_id else ()),
        )
