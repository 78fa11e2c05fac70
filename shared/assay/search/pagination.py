"""Results as one stream: positions in it stay what they are, however many pages of a provider stand behind them."""

import asyncio
import hashlib
import math
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any, Protocol

from pydantic import Field

from assay.errors import Network, ToolError
from assay.models.common import Output
from assay.search.result_page import PageFetcher, QueryVariant
from assay.state.json_documents import Document
from assay.text.url_text import place, same

KEPT, KEPT_IN_PART = timedelta(minutes=10), timedelta(minutes=1)
SECONDS = {"fast": 2.0, "balanced": 5.0, "deep": 15.0}
AT_ONCE = 5  # rounds
FULL = 5  # results of a round from which several are asked for at once: where pages are thin the next may be the last
FALL = 10  # ranks in which the relevance of an unscored stream halves


class Keep(Protocol):
    """Context.kept_or_fresh."""

    async def __call__(
        self,
        name: str,
        ttl: timedelta | Callable[[Document], timedelta],
        make: Callable[[], Coroutine[Any, Any, Document]],
        keep: Callable[[Document], bool],
    ) -> Document: ...


class Result(Output):
    """A result. `id` is the page's, wherever it is found; `relevance` is 0 to 1 and never rises down the stream."""

    id: Annotated[str, Field(description="Stable identifier of the page.")]
    title: str
    url: str
    domain: Annotated[str, Field(description="Host of the page.")]
    summary: Annotated[str, Field(description="Passage of the page that the search engine shows.")]
    relevance: Annotated[float, Field(description="Rank score from 0 to 1; never rises down the list.")]
    published_date: Annotated[str | None, Field(description="ISO 8601.")] = None


@dataclass
class Stream:
    """As much of a stream as was asked for. `partial`: time or a provider ended it before its end was known."""

    results: list[Result] = field(default_factory=list)
    partial: bool = False
    warnings: list[str] = field(default_factory=list)
    routing: Document = field(default_factory=dict)

    def part(self, offset: int, count: int) -> tuple[list[Result], bool]:
        """`count` results from `offset` on, and whether there is one behind them."""
        return self.results[offset : offset + count], len(self.results) > offset + count


async def stream(rounds: PageFetcher, keep: Keep, need: int, seconds: float) -> Stream:
    """The first `need` results, or all there are, or what is there after `seconds`.

    Raises Network where nothing is there by then, and what the router raises where nobody could be asked.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    voices = rounds.voices()
    try:
        async with asyncio.timeout_at(until):
            documents = [await _load_or_fetch_page(rounds, keep, 0, voices)]
    except TimeoutError:
        raise Network(f"No search provider answered within {seconds:.1f} seconds.", retry_after=5) from None
    told = Stream(routing=documents[0]["routing"])
    while (missing := need - len(_distinct(documents))) > 0 and _goes_on(documents):
        trouble = await _further(rounds, keep, documents, missing, until)
        if trouble:
            told.warnings.append(f"What lies behind these results could not be asked for ({trouble}).")
            break
    told.results = _results(_distinct(documents), _best(documents[0]))
    told.partial = bool(told.warnings) or not all(document["whole"] for document in documents)
    told.warnings += dict.fromkeys(warning for document in documents for warning in document["warnings"])
    return told


def _goes_on(documents: list[Document]) -> bool:
    """Whether the provider may have more: it does not say otherwise, and its last page was not one it gave before."""
    *before, last = documents
    met = {digest for document in before for digest in document["met"]}
    return bool(last["voices"]) and not met.issuperset(last["met"])


async def _further(rounds: PageFetcher, keep: Keep, documents: list[Document], missing: int, until: float) -> str:
    """Add the rounds that should hold what is missing, asked for side by side, up to the stream's end or the first
    that fails or is late; why it was, or "".
    """
    voices = tuple(QueryVariant(*voice) for voice in documents[-1]["voices"])
    each = len(_distinct(documents)) / len(documents)
    count = min(AT_ONCE, math.ceil(missing / each)) if each >= FULL else 1
    pages = range(len(documents), len(documents) + count)
    tasks = [asyncio.create_task(_load_or_fetch_page(rounds, keep, page, voices)) for page in pages]
    try:
        await asyncio.wait(tasks, timeout=max(0.0, until - asyncio.get_running_loop().time()))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if task.cancelled():
            return "out of time"
        try:
            documents.append(task.result())
        except ToolError as failure:
            return failure.kind
        if not _goes_on(documents):  # what was asked beyond the provider's end is no part of the stream
            break
    return ""


async def _load_or_fetch_page(rounds: PageFetcher, keep: Keep, page: int, voices: tuple[QueryVariant, ...]) -> Document:
    return await keep(
        rounds.name(page, voices),
        lambda document: KEPT if document["whole"] else KEPT_IN_PART,
        lambda: rounds.ask(page, voices),
        lambda document: bool(document["hits"] or page),
    )


def _distinct(documents: list[Document]) -> list[Document]:
    """The hits of all rounds in their order, each page once."""
    found: dict[str, Document] = {}
    for document in documents:
        for hit in document["hits"]:
            found.setdefault(same(hit["url"]), hit)
    return list(found.values())


def _best(first: Document) -> float | None:
    """The highest score of the first round: later ones must not change what has been told of it."""
    return max((hit["score"] for hit in first["hits"] if "score" in hit), default=None)


def _results(hits: list[Document], best: float | None) -> list[Result]:
    told, relevance = [], 1.0
    for rank, hit in enumerate(hits):
        if best is None:
            relevance = 1 / (1 + rank / FALL)
        elif own := hit.get("score"):
            relevance = min(relevance, own / best)
        told.append(_result(hit, round(relevance, 4)))
    return told


def _result(hit: Document, relevance: float) -> Result:
    at = place(hit["url"])
    return Result(
        id=identity(hit["url"]),
        title=hit["title"],
        url=hit["url"],
        domain=at.host.removeprefix("www.") if at else "",
        summary=hit["snippet"],
        relevance=relevance,
        published_date=hit["published"],
    )


def identity(url: str) -> str:
    """The same for every address of the same page."""
    return hashlib.sha256(same(url).encode()).hexdigest()[:16]
