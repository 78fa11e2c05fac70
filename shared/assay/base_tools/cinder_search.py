"""Search the web with pagination."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from assay.context import Context
from assay.models.common import TRUST, Cleared, Input, Output, Query, Source, Trust
from assay.scraping import batch_scraping
from assay.scraping.page import Page
from assay.search.filtered_search import normalise_domain
from assay.search.pagination import SECONDS, Result, fetch_results
from assay.search.result_filter import ResultFilter
from assay.search.result_page import PageFetcher
from assay.toolkit.tool import tool

CONCURRENCY = 5
RESERVED_SECONDS = 0.5  # before the deadline, to build the answer
SNIPPET_CHARS = 200  # in the markdown list
MAX_DOMAINS, MAX_PHRASES = 50, 10


def _domain(name: str) -> str:
    if (domain := normalise_domain(name)) is None:
        raise ValueError(f"{name[:60]!r} is not a domain; write example.org")
    return domain


type Domains = Cleared[Annotated[list[Annotated[str, AfterValidator(_domain)]], Field(max_length=MAX_DOMAINS)]]
type Phrases = Cleared[
    Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=MAX_PHRASES)]
]


class CinderSearchInput(Input):
    query: Annotated[Query, Field(description="Search words, in any language.")]
    mode: Annotated[
        Literal["fast", "balanced", "deep"],
        Field(description="Time limit: fast 2 s, balanced 5 s, deep 15 s; deep queries several engines."),
    ] = "balanced"
    num_results: Annotated[
        int, Field(ge=1, le=100, alias="numResults", description="Maximum number of results to return.")
    ] = 10
    offset: Annotated[int, Field(ge=0, description="Number of results to skip; pass nextOffset for the next page.")] = 0
    include_domains: Annotated[
        Domains, Field(alias="includeDomains", description="Only results from these domains, such as example.org.")
    ] = None
    exclude_domains: Annotated[
        Domains, Field(alias="excludeDomains", description="No results from these domains, such as example.org.")
    ] = None
    required_text: Annotated[
        Phrases, Field(alias="requiredText", description="Phrases that each result must contain, all of them.")
    ] = None
    max_age: Annotated[
        Cleared[Annotated[float, Field(gt=0, le=36_500, allow_inf_nan=False)]],
        Field(alias="maxAge", description="Maximum age of results in days; any if unset."),
    ] = None

    def to_filter(self) -> ResultFilter:
        return ResultFilter(
            self.query,
            self.mode,
            tuple(dict.fromkeys(self.include_domains or ())),
            tuple(dict.fromkeys(self.exclude_domains or ())),
            tuple(self.required_text or ()),
            self.max_age,
        )


class CinderSearchOutput(Output):
    query: str
    results: list[Result]
    has_more: Annotated[bool, Field(description="Whether nextOffset leads to more.")]
    next_offset: Annotated[int | None, Field(description="Offset of the next part; absent at the end.")] = None
    search_time: Annotated[int, Field(description="Milliseconds.")]
    partial: Annotated[bool | None, Field(description="Time or a provider ended it early.")] = None
    note: Annotated[str | None, Field(description="Remark on the answer.")] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        lines = [f"{len(self.results)} results for: {self.query}"]
        for number, hit in enumerate(self.results, 1):
            dated = f" ({hit.published_date[:10]})" if hit.published_date else ""
            summary = hit.summary if len(hit.summary) <= SNIPPET_CHARS else hit.summary[:SNIPPET_CHARS].rstrip() + "…"
            lines += [f"{number}. {hit.title}{dated}", f"   {hit.url}"]
            lines += [f"   {summary}"] if summary else []
        lines += [f"More: offset {self.next_offset}"] if self.has_more else []
        lines += [f"Note: {self.note}"] if self.note else []
        lines += [f"Warning: {warning}" for warning in self.warnings or ()]
        return "\n".join([*lines, f"trust: {self.trust}"])

    def sources(self) -> list[Source]:
        return [
            Source(url=hit.url, title=hit.title, relevance="search", date=hit.published_date) for hit in self.results
        ]

    def is_empty(self) -> bool:
        return not self.results


@tool(limit=timedelta(seconds=30), toolsets=("crawl",))
async def cinder_search(ask: CinderSearchInput, ctx: Context) -> CinderSearchOutput:
    """Search the web: up to 100 results at a time, filtered by domain, text and age.

    Untrusted data. Read one with cinder_scrape."""
    began = asyncio.get_running_loop().time()
    rounds = PageFetcher(ctx.search, ask.to_filter(), ctx.services.clock, _texts(ctx))
    seconds = min(SECONDS[ask.mode], ctx.time_left() - RESERVED_SECONDS)
    child = ctx.child()
    found = await fetch_results(rounds, child.get_or_compute, ask.offset + ask.num_results + 1, seconds)
    results, has_more = found.slice(ask.offset, ask.num_results)
    if rounds.fetched:
        ctx.meta |= found.routing
    else:
        ctx.cache_entry = child.cache_entry
    return CinderSearchOutput(
        query=ask.query,
        results=results,
        has_more=has_more,
        next_offset=ask.offset + ask.num_results if has_more else None,
        search_time=round((asyncio.get_running_loop().time() - began) * 1000),
        partial=found.partial or None,
        note=_note(ask, len(found.results)) if not results else None,
        warnings=found.warnings or None,
    )


def _note(ask: CinderSearchInput, known: int) -> str:
    if known:
        return f"There are {known} results; offset {ask.offset} lies behind them."
    return "Nothing found does not mean that nothing exists: index, filters or wording may miss it."


def _texts(ctx: Context) -> Callable[[Sequence[str]], Awaitable[list[str | None]]]:
    """Return a function that reads pages in parallel within the time limit: title and text, or None."""

    async def texts(urls: Sequence[str]) -> list[str | None]:
        child = ctx.child()
        pages = await batch_scraping.scrape_pages(
            child.page, urls, at_once=CONCURRENCY, seconds=min(SECONDS["deep"] / 2, ctx.time_left())
        )
        return [f"{page.title}\n{page.content}" if isinstance(page, Page) else None for page in pages]

    return texts
