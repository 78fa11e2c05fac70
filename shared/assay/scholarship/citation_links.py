"""What cites a work, and what it cites: one step in either direction."""

import asyncio
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

type Direction = Literal["cited_by", "references"]

READ_ANYHOW = 200  # edges to choose the influential ones from


@dataclass
class Graph:
    """The neighbours of a work by direction. `seed`: the work that a title was taken for, where it was a title."""

    edges: Mapping[Direction, list[Paper]]
    seed: Paper | None = None
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class NeighbourQuery:
    """Which neighbours of which work."""

    paper: str
    directions: tuple[Direction, ...]
    count: int
    influential_only: bool = False


async def neighbours(
    router: Router, wish: NeighbourQuery, *, provider: str | None = None
) -> tuple[Graph, SearchResult[Paper]]:
    """The graph, and how it was found. Raises NotFound where no provider knows the work, and as the router does."""
    from assay.models.common import Question

    graphs: dict[str, Graph] = {}

    async def asking(source: Provider, _: Question) -> Hits[Paper]:
        await source.wait_for_slot()
        graph = graphs[source.name] = await source.readable(_graph(source, wish))
        return Hits([paper for papers in graph.edges.values() for paper in papers])

    found: SearchResult[Paper] = await router.by("citations", Question(query=wish.paper), asking, provider=provider)
    graph = graphs[found.provider]
    graph.warnings += await enrichment.with_integrity(router, found.hits)
    return graph, found


async def _graph(source: Provider, wish: NeighbourQuery) -> Graph:
    if isinstance(source, SemanticScholar):
        return await _by_semanticscholar(source, wish)
    assert isinstance(source, OpenAlex)
    return await _by_openalex(source, wish)


async def _by_semanticscholar(source: SemanticScholar, wish: NeighbourQuery) -> Graph:
    name, seed = identify(wish.paper), None
    if name is None:
        number, seed = await source.find_by_title(wish.paper)
        name = Identifier("s2", number)
    count = READ_ANYHOW if wish.influential_only else wish.count
    known = name

    def ask(direction: Direction) -> Awaitable[Hits[Paper]]:
        return source.edges(known, "citations" if direction == "cited_by" else "references", count=count)

    graph = await _both(wish, ask)
    if wish.influential_only:
        graph.edges = {way: [one for one in papers if one.is_influential] for way, papers in graph.edges.items()}
    return _filter_graph(graph, wish, seed)


async def _by_openalex(source: OpenAlex, wish: NeighbourQuery) -> Graph:
    name = identify(wish.paper)
    number, seed = await (source.numbered_title(wish.paper) if name is None else source.get_with_id(name))

    def ask(direction: Direction) -> Awaitable[Hits[Paper]]:
        question = source.citing if direction == "cited_by" else source.list_cited_works
        return question(number, count=wish.count)

    graph = await _both(wish, ask)
    if wish.influential_only:
        graph.warnings.append("openalex does not tell influential citations from others; all are shown.")
    return _filter_graph(graph, wish, seed)


async def _both(wish: NeighbourQuery, ask: Callable[[Direction], Awaitable[Hits[Paper]]]) -> Graph:
    answers = await asyncio.gather(*map(ask, wish.directions))
    warnings = [warning for hits in answers for warning in hits.warnings]
    return Graph(
        {way: deduplication.merge_papers(hits) for way, hits in zip(wish.directions, answers, strict=True)},
        None,
        warnings,
    )


def _filter_graph(graph: Graph, wish: NeighbourQuery, seed: Paper | None) -> Graph:
    graph.edges = {way: papers[: wish.count] for way, papers in graph.edges.items()}
    graph.seed = seed
    if (
        seed
        and identify(wish.paper) is None
        and deduplication.title_key(seed.title) != deduplication.title_key(wish.paper)
    ):
        graph.warnings.append(f"No work has just this title; the closest, “{seed.title}”, was taken.")
    return graph
