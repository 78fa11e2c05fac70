"""Citation links of a work: the works that cite it, and the works it cites."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from assay.bibliography.identifiers import Identifier, identify
from assay.models.papers import Paper
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits
from assay.providers.openalex import OpenAlex
from assay.providers.semanticscholar import SemanticScholar
from assay.scholarship import deduplication, enrichment
from assay.search.fallback import SearchResult
from assay.search.router import Router
from assay.state.concurrent_map import map_concurrently

type Direction = Literal["cited_by", "references"]

INFLUENTIAL_POOL = 200  # links fetched to select the influential ones from


@dataclass
class Graph:
    """The neighbours of a work by direction. `seed` is the work that was matched, if the query was a title."""

    edges: Mapping[Direction, list[Paper]]
    seed: Paper | None = None
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class NeighbourQuery:
    """The work, given by identifier or title, and which of its neighbours to return."""

    paper: str
    directions: tuple[Direction, ...]
    count: int
    influential_only: bool = False


async def find_neighbours(
    router: Router, query: NeighbourQuery, *, provider: str | None = None
) -> tuple[Graph, SearchResult[Paper]]:
    """The graph, and the search that found it. Raises NotFound if no provider has the work, and as the router does."""
    from assay.models.common import Question

    graphs: dict[str, Graph] = {}

    async def fetch(source: Provider, _: Question) -> Hits[Paper]:
        await source.wait_for_slot()
        graph = graphs[source.name] = await source.readable(_fetch_graph(source, query))
        return Hits([paper for papers in graph.edges.values() for paper in papers])

    found: SearchResult[Paper] = await router.run_with(
        "citations", Question(query=query.paper), fetch, provider=provider
    )
    graph = graphs[found.provider]
    graph.warnings += await enrichment.add_retractions(router, found.hits)
    return graph, found


async def _fetch_graph(source: Provider, query: NeighbourQuery) -> Graph:
    if isinstance(source, SemanticScholar):
        return await _fetch_from_semanticscholar(source, query)
    assert isinstance(source, OpenAlex)
    return await _fetch_from_openalex(source, query)


async def _fetch_from_semanticscholar(source: SemanticScholar, query: NeighbourQuery) -> Graph:
    name, seed = identify(query.paper), None
    if name is None:
        number, seed = await source.find_by_title(query.paper)
        name = Identifier("s2", number)
    count = INFLUENTIAL_POOL if query.influential_only else query.count
    known = name

    def fetch(direction: Direction) -> Awaitable[Hits[Paper]]:
        return source.edges(known, "citations" if direction == "cited_by" else "references", count=count)

    graph = await _fetch_directions(query, fetch)
    if query.influential_only:
        graph.edges = {
            direction: [paper for paper in papers if paper.is_influential] for direction, papers in graph.edges.items()
        }
    return _filter_graph(graph, query, seed)


async def _fetch_from_openalex(source: OpenAlex, query: NeighbourQuery) -> Graph:
    name = identify(query.paper)
    number, seed = await (source.numbered_title(query.paper) if name is None else source.get_with_id(name))

    def fetch(direction: Direction) -> Awaitable[Hits[Paper]]:
        method = source.citing if direction == "cited_by" else source.list_cited_works
        return method(number, count=query.count)

    graph = await _fetch_directions(query, fetch)
    if query.influential_only:
        graph.warnings.append("openalex does not mark influential citations; all citations are shown.")
    return _filter_graph(graph, query, seed)


async def _fetch_directions(query: NeighbourQuery, fetch: Callable[[Direction], Awaitable[Hits[Paper]]]) -> Graph:
    answers = await map_concurrently(fetch, query.directions)
    warnings = [warning for hits in answers for warning in hits.warnings]
    return Graph(
        {
            direction: deduplication.merge_papers(hits)
            for direction, hits in zip(query.directions, answers, strict=True)
        },
        None,
        warnings,
    )


def _filter_graph(graph: Graph, query: NeighbourQuery, seed: Paper | None) -> Graph:
    graph.edges = {direction: papers[: query.count] for direction, papers in graph.edges.items()}
    graph.seed = seed
    if (
        seed
        and identify(query.paper) is None
        and deduplication.build_title_key(seed.title) != deduplication.build_title_key(query.paper)
    ):
        graph.warnings.append(f"No work has exactly this title; the closest match, “{seed.title}”, was used.")
    return graph
