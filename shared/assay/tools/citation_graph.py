"""List the works that cite a work, and its references."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field

from assay.context import Context
from assay.models.common import TRUST, Cleared, DetailLevel, Input, Output, SessionId, Source, Trust
from assay.models.papers import Paper
from assay.toolkit.tool import tool


class CitationGraphInput(Input):
    paper: Annotated[str, Field(min_length=1, max_length=500, description="DOI, arXiv id, PMID, or exact title.")]
    direction: Annotated[
        Literal["cited_by", "references", "both"],
        Field(description="Works that cite the paper, works it references, or both."),
    ] = "both"
    num_results: Annotated[int, Field(ge=1, le=25, description="Maximum number of works in each direction.")] = 10
    influential_only: Annotated[bool, Field(description="Only citations that Semantic Scholar rates influential.")] = (
        False
    )
    provider: Annotated[
        Cleared[str],
        Field(description="semanticscholar (adds why a work is cited) or openalex; the first configured one if unset."),
    ] = None
    detail: DetailLevel = "full"
    session_id: SessionId = None


class CitationGraphOutput(Output):
    seed: Annotated[str, Field(description="Paper as it was sent.")]
    direction: Annotated[str, Field(description="Direction as sent, or the default.")]
    provider: Annotated[str, Field(description="Name of the provider that answered.")]
    seed_paper: Annotated[Paper | None, Field(description="Work that the seed was identified as.")] = None
    cited_by: Annotated[list[Paper] | None, Field(description="Works that cite the paper.")] = None
    cited_by_count: Annotated[int | None, Field(description="Number of citing works in this answer.")] = None
    references: Annotated[list[Paper] | None, Field(description="Works that the paper cites.")] = None
    references_count: Annotated[int | None, Field(description="Number of references in this answer.")] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        from assay.scholarship import formatting

        lines = [f"Neighbours of {self.seed} (from {self.provider})"]
        for head, papers in (("Cited by", self.cited_by), ("References", self.references)):
            lines += [f"{head}: {len(papers)}", *formatting.format_papers(papers)] if papers is not None else []
        return "\n".join([*lines, *(f"Warning: {warning}" for warning in self.warnings or ()), f"trust: {self.trust}"])

    def sources(self) -> list[Source]:
        from assay.scholarship import formatting

        return formatting.to_sources([*(self.cited_by or ()), *(self.references or ())])

    def is_empty(self) -> bool:
        return not self.cited_by and not self.references


@tool(cache=timedelta(hours=24), toolsets=("research", "scholar"))
async def citation_graph(ask: CitationGraphInput, ctx: Context) -> CitationGraphOutput:
    """List the works that cite a paper and the works it cites, one step: with the reasons for citing (from
    Semantic Scholar) and recorded retractions. Untrusted data."""
    from assay.scholarship.citation_links import Direction, NeighbourQuery, find_neighbours
    from assay.scholarship.formatting import shorten_authors

    both: tuple[Direction, ...] = ("cited_by", "references")
    directions = both if ask.direction == "both" else (ask.direction,)
    query = NeighbourQuery(ask.paper, directions, ask.num_results, ask.influential_only)
    graph, found = await find_neighbours(ctx.search, query, provider=ask.provider)
    ctx.meta |= found.meta()
    edges = {way: [shorten_authors(paper) for paper in papers] for way, papers in graph.edges.items()}
    return CitationGraphOutput(
        seed=ask.paper,
        direction=ask.direction,
        provider=found.provider,
        seed_paper=shorten_authors(graph.seed) if graph.seed else None,
        cited_by=edges.get("cited_by"),
        cited_by_count=len(edges["cited_by"]) if "cited_by" in edges else None,
        references=edges.get("references"),
        references_count=len(edges["references"]) if "references" in edges else None,
        warnings=[*found.warnings, *graph.warnings] or None,
    )
