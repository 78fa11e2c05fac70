"""Looks for retracted works among the references of cited works, one step away."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.context import Context
from assay.errors import ToolError
from assay.models.papers import Paper
from assay.providers.openalex import OpenAlex

NOT_CONFIGURED = "OpenAlex was not queried: OPENALEX_EMAIL is not set."


@dataclass
class NeighbourSearch:
    """The outcome of a search. `found` maps the OpenAlex id of a retracted work to it and the works that cite it.

    `works` counts the cited works whose references are known, `neighbours` the references that were looked at, `left`
    those beyond the limit. `problem` is a sentence if the index gave no answer.
    """

    works: int = 0
    neighbours: int = 0
    left: int = 0
    problem: str = ""
    found: dict[str, tuple[Paper, list[str]]] = field(default_factory=dict)


async def find_retracted_neighbours(ctx: Context, dois: Sequence[str], *, limit: int) -> NeighbourSearch:
    """Look at up to `limit` works that the works with these DOIs cite, for retractions that OpenAlex records."""
    search = NeighbourSearch()
    if not OpenAlex.is_configured(ctx.services.settings):
        search.problem = NOT_CONFIGURED
        return search
    openalex = OpenAlex(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    citing: dict[str, list[str]] = defaultdict(list)
    try:
        references = await openalex.readable(openalex.list_references(dois))
        for doi, numbers in references.items():
            for number in dict.fromkeys(numbers):
                citing[number].append(doi)
        chosen = list(citing)[:limit]
        retracted = await openalex.readable(openalex.find_retracted(chosen))
    except ToolError as failure:
        search.problem = f"The references of these works could not be looked up: {failure.sentence()}"
        return search
    search.works, search.neighbours, search.left = len(references), len(chosen), len(citing) - len(chosen)
    search.found = {number: (paper, citing[number]) for number, paper in retracted if number in citing}
    return search
