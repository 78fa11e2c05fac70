"""Pagination over provider pages: a result keeps its position, however many provider pages are fetched."""

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
from assay.state.concurrent_map import Unfinished, map_until
from assay.state.json_documents import Document
from assay.text.url_text import parse_http_url, url_key

CACHE_TTL, PARTIAL_CACHE_TTL = timedelta(minutes=10), timedelta(minutes=1)
SECONDS = {"fast": 2.0, "balanced": 5.0, "deep": 15.0}
MAX_CONCURRENT_PAGES = 5
MIN_HITS_FOR_CONCURRENCY = 5  # average hits of a page; after pages with fewer, the next one may be the last
RANK_HALF_LIFE = 10  # ranks in which the relevance of unscored results halves


class GetOrCompute(Protocol):
    """The signature of `Context.get_or_compute`."""

    async def __call__(
        self,
        name: str,
        ttl: timedelta | Callable[[Document], timedelta],
        make: Callable[[], Coroutine[Any, Any, Document]],
        keep: Callable[[Document], bool],
    ) -> Document: ...


class Result(Output):
    """A result. `id` depends on the page only; `relevance` is 0 to 1 and never increases from one rank to the next."""

    id: Annotated[str, Field(description="Stable identifier of the page.")]
    title: str
    url: str
    domain: Annotated[str, Field(description="Host of the page.")]
    summary: Annotated[str, Field(description="Passage of the page that the search engine shows.")]
    relevance: Annotated[float, Field(description="Rank score from 0 to 1; never rises down the list.")]
    published_date: Annotated[str | None, Field(description="ISO 8601.")] = None


@dataclass
class ResultList:
    """The results up to the requested count. `partial`: a timeout or a failed provider cut the list short."""

    results: list[Result] = field(default_factory=list)
    partial: bool = False
    warnings: list[str] = field(default_factory=list)
    routing: Document = field(default_factory=dict)

    def slice(self, offset: int, count: int) -> tuple[list[Result], bool]:
        """`count` results from `offset` on, and whether more follow."""
        return self.results[offset : offset + count], len(self.results) > offset + count


async def fetch_results(fetcher: PageFetcher, cache: GetOrCompute, count: int, seconds: float) -> ResultList:
    """The first `count` results, or all there are, or those that arrive within `seconds`.

    Raises Network if the first page takes longer, and what the router raises if every provider fails.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    variants = fetcher.query_variants()
    try:
        async with asyncio.timeout_at(deadline):
            pages = [await _load_or_fetch_page(fetcher, cache, 0, variants)]
    except TimeoutError:
        raise Network(f"No search provider answered within {seconds:.1f} seconds.", retry_after=5) from None
    found = ResultList(routing=pages[0]["routing"])
    while (missing := count - len(_deduplicate(pages))) > 0 and _may_continue(pages):
        failure = await _fetch_more(fetcher, cache, pages, missing, deadline)
        if failure:
            found.warnings.append(f"Further results could not be fetched ({failure}).")
            break
    found.results = _to_results(_deduplicate(pages), _find_top_score(pages[0]))
    found.partial = bool(found.warnings) or not all(page["whole"] for page in pages)
    found.warnings += dict.fromkeys(warning for page in pages for warning in page["warnings"])
    return found


def _may_continue(pages: list[Document]) -> bool:
    """Whether there may be more: a provider may have another page, and its last page did not only repeat results."""
    *before, last = pages
    seen = {digest for page in before for digest in page["met"]}
    return bool(last["voices"]) and not seen.issuperset(last["met"])


async def _fetch_more(
    fetcher: PageFetcher, cache: GetOrCompute, pages: list[Document], missing: int, deadline: float
) -> str:
    """Append the pages that should contain the missing results, fetched concurrently.

    Stops at the provider's last page and at the first page that fails or is late; returns the reason for that, or "".
    """
    variants = tuple(QueryVariant(*variant) for variant in pages[-1]["voices"])
    average = len(_deduplicate(pages)) / len(pages)
    count = min(MAX_CONCURRENT_PAGES, math.ceil(missing / average)) if average >= MIN_HITS_FOR_CONCURRENCY else 1
    numbers = range(len(pages), len(pages) + count)

    async def load(number: int) -> Document | ToolError:
        try:
            return await _load_or_fetch_page(fetcher, cache, number, variants)
        except ToolError as failure:
            return failure

    seconds = deadline - asyncio.get_running_loop().time()
    for page in await map_until(load, numbers, seconds=seconds):
        if isinstance(page, Unfinished):
            return "out of time"
        if isinstance(page, ToolError):
            return page.kind
        pages.append(page)
        if not _may_continue(pages):  # pages beyond the provider's last one only repeat it
            break
    return ""


async def _load_or_fetch_page(
    fetcher: PageFetcher, cache: GetOrCompute, number: int, variants: tuple[QueryVariant, ...]
) -> Document:
    return await cache(
        fetcher.cache_key(number, variants),
        lambda page: CACHE_TTL if page["whole"] else PARTIAL_CACHE_TTL,
        lambda: fetcher.fetch(number, variants),
        lambda page: bool(page["hits"] or number),
    )


def _deduplicate(pages: list[Document]) -> list[Document]:
    """The hits of all pages in order, without duplicate URLs."""
    found: dict[str, Document] = {}
    for page in pages:
        for hit in page["hits"]:
            found.setdefault(url_key(hit["url"]), hit)
    return list(found.values())


def _find_top_score(first: Document) -> float | None:
    """The highest score of the first page only, so that later pages do not change relevances already returned."""
    return max((hit["score"] for hit in first["hits"] if "score" in hit), default=None)


def _to_results(hits: list[Document], top_score: float | None) -> list[Result]:
    results, relevance = [], 1.0
    for rank, hit in enumerate(hits):
        if top_score is None:
            relevance = 1 / (1 + rank / RANK_HALF_LIFE)
        elif score := hit.get("score"):
            relevance = min(relevance, score / top_score)
        results.append(_to_result(hit, round(relevance, 4)))
    return results


def _to_result(hit: Document, relevance: float) -> Result:
    at = parse_http_url(hit["url"])
    return Result(
        id=build_result_id(hit["url"]),
        title=hit["title"],
        url=hit["url"],
        domain=at.host.removeprefix("www.") if at else "",
        summary=hit["snippet"],
        relevance=relevance,
        published_date=hit["published"],
    )


def build_result_id(url: str) -> str:
    """A stable id, the same for all URLs of one page (hex, 16 digits of SHA-256)."""
    return hashlib.sha256(url_key(url).encode()).hexdigest()[:16]
