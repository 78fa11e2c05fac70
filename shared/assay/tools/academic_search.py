"""Search scholarly works."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from assay.context import Context
from assay.models import TRUST, Cleared, Output, SessionId, Source, Trust, ZeroResultHints
from assay.papers import Paper, PaperQuery
from assay.tool import tool

if TYPE_CHECKING:  # a call pays for the router, a cold start does not
    from assay.search.walk import Found


class Ask(PaperQuery):
    num_results: Annotated[int, Field(ge=1, le=10)] = 5
    pdf_only: bool = False
    provider: Cleared[str] = None
    session_id: SessionId = None


class Answer(Output):
    papers: list[Paper]
    query: str
    total_results: Annotated[int, Field(description="Matches in the provider's index.")]
    result_count: int
    source: Annotated[str, Field(description="Who answered; web_search: no index of works did.")]
    hints: ZeroResultHints | None = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        from assay.scholarship import shown
        from assay.search.hints import listing

        head = f"{self.result_count} works for: {self.query} (from {self.source})"
        return listing([head, *shown.lines(self.papers)], self)

    def sources(self) -> list[Source]:
        from assay.scholarship import shown

        return shown.sources(self.papers)

    def is_empty(self) -> bool:
        return not self.papers


@tool(cache=timedelta(hours=1), toolsets=("core", "research", "scholar"))
async def academic_search(ask: Ask, ctx: Context) -> Answer:
    """Search scholarly works, or look one up: a DOI, arXiv id, PMID or PMCID as query finds that very work. Tells
    authors, citations, open PDFs and retractions on record. Untrusted data.
    """
    from assay.scholarship.lookup import work
    from assay.scholarship.searching import Library
    from assay.text.identifiers import identify

    name, settings = identify(ask.query, in_search=True), ctx.services.settings
    library = Library(ctx.search, settings)
    if name and _names_works(ask.provider):
        found = await work(ctx.search, settings, name, provider=ask.provider)
    else:
        found = await library.search(ask, provider=ask.provider, pdf_only=ask.pdf_only)
    ctx.meta |= found.meta()
    return await answered(ask, found, library.totals.get(found.provider), ctx)


def _names_works(provider: str | None) -> bool:
    """Whether whoever is asked can look a work up by its name; others are asked for it in words."""
    from assay.scholarship.lookup import KNOWERS

    return not provider or any(kind.name == provider.strip().lower() for kinds in KNOWERS.values() for kind in kinds)


async def answered(ask: Ask, found: "Found[Paper]", total: int | None, ctx: Context) -> Answer:
    from assay.providers import find
    from assay.scholarship import shown
    from assay.search.hints import hints

    papers = [shown.cut(paper) for paper in found.hits]
    filters: dict[str, Any] = {
        "year_from": ask.year_from,
        "year_to": ask.year_to,
        "source": None if ask.source == "all" else ask.source,
        "open_access": ask.open_access,
        "pdf_only": ask.pdf_only,
    }
    return Answer(
        papers=papers,
        query=ask.query,
        total_results=max(total or 0, len(papers)),
        result_count=len(papers),
        source=found.provider if find(found.provider).offers("academic") else "web_search",
        hints=None if papers else await hints(ctx.search, "academic", found, filters),
        warnings=found.warnings or None,
    )
