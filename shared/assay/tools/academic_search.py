"""Search scholarly works."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from assay.context import Context
from assay.models.common import (
    TRUST,
    DetailLevel,
    Output,
    ProviderName,
    SessionId,
    Source,
    Trust,
    ZeroResultHints,
)
from assay.models.papers import Paper, PaperQuery
from assay.toolkit.tool import tool

if TYPE_CHECKING:  # imported by the call, to keep cold starts short
    from assay.search.fallback import SearchResult


class AcademicSearchInput(PaperQuery):
    num_results: Annotated[int, Field(ge=1, le=10, description="Maximum number of results to return.")] = 5
    pdf_only: Annotated[bool, Field(description="Only works with a free PDF.")] = False
    provider: ProviderName = None
    detail: DetailLevel = "full"
    session_id: SessionId = None


class AcademicSearchOutput(Output):
    papers: list[Paper]
    query: str
    total_results: Annotated[int, Field(description="Number of matches in the provider's index.")]
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    source: Annotated[str, Field(description="Provider that answered; web_search if no index of works did.")]
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        from assay.scholarship import formatting
        from assay.search.zero_result_hints import format_listing

        head = f"{self.result_count} works for: {self.query} (from {self.source})"
        return format_listing([head, *formatting.format_papers(self.papers)], self)

    def sources(self) -> list[Source]:
        from assay.scholarship import formatting

        return formatting.to_sources(self.papers)

    def is_empty(self) -> bool:
        return not self.papers


@tool(cache=timedelta(hours=1), toolsets=("core", "research", "scholar"))
async def academic_search(ask: AcademicSearchInput, ctx: Context) -> AcademicSearchOutput:
    """Search scholarly works. A DOI, arXiv id, PMID or PMCID as query returns that work. Results have authors,
    citation counts, open PDFs and recorded retractions. Untrusted data."""
    from assay.bibliography.identifiers import identify
    from assay.scholarship.paper_lookup import look_up
    from assay.scholarship.paper_search import Library

    name, settings = identify(ask.query, in_search=True), ctx.services.settings
    library = Library(ctx.search, settings)
    if name and _names_works(ask.provider):
        found = await look_up(ctx.search, settings, name, provider=ask.provider)
    else:
        found = await library.search(ask, provider=ask.provider, pdf_only=ask.pdf_only)
    ctx.meta |= found.meta()
    return await build_output(ask, found, library.totals.get(found.provider), ctx)


def _names_works(provider: str | None) -> bool:
    """Whether the provider can look up a work by its identifier; others are searched by words."""
    from assay.scholarship.paper_lookup import LOOKUP_PROVIDERS

    return not provider or any(
        kind.name == provider.strip().lower() for kinds in LOOKUP_PROVIDERS.values() for kind in kinds
    )


async def build_output(
    ask: AcademicSearchInput, found: "SearchResult[Paper]", total: int | None, ctx: Context
) -> AcademicSearchOutput:
    from assay.provider_base.provider_manifest import describe_provider
    from assay.scholarship import formatting
    from assay.search.zero_result_hints import find_hints

    papers = [formatting.shorten_authors(paper) for paper in found.hits]
    filters: dict[str, Any] = {
        "year_from": ask.year_from,
        "year_to": ask.year_to,
        "source": None if ask.source == "all" else ask.source,
        "open_access": ask.open_access,
        "pdf_only": ask.pdf_only,
    }
    return AcademicSearchOutput(
        papers=papers,
        query=ask.query,
        total_results=max(total or 0, len(papers)),
        result_count=len(papers),
        source=found.provider if describe_provider(found.provider).supports("academic") else "web_search",
        hints=None if papers else await find_hints(ctx.search, "academic", found, filters),
        warnings=found.warnings or None,
    )
