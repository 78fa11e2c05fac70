"""Search the news."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.evaluation.reputation import find_reputation
from assay.evaluation.source_type import classify
from assay.models.common import (
    TRUST,
    Output,
    ProviderName,
    SessionId,
    Source,
    SuggestedAction,
    Trust,
    ZeroResultHints,
)
from assay.models.search_queries import NewsHit, NewsQuery
from assay.search.zero_result_hints import find_hints, format_listing
from assay.toolkit.tool import tool

SNIPPET_CHARS = 200  # in the markdown list
SOCIAL = ("social_media", "forum")


class NewsSearchInput(NewsQuery):
    provider: ProviderName = None
    session_id: SessionId = None


class NewsSearchOutput(Output):
    articles: list[NewsHit]
    query: str
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        lines = [f"{self.result_count} articles for: {self.query}"]
        for number, hit in enumerate(self.articles, 1):
            dated = f", {hit.published_at[:16].replace('T', ' ')}" if hit.published_at else ""
            snippet = hit.snippet if len(hit.snippet) <= SNIPPET_CHARS else hit.snippet[:SNIPPET_CHARS].rstrip() + "…"
            lines += [f"{number}. {hit.title} ({hit.source}{dated})", f"   {hit.url}"]
            lines += [f"   {snippet}"] if snippet else []
        return format_listing(lines, self)

    def sources(self) -> list[Source]:
        return [
            Source(url=hit.url, title=hit.title, relevance="search", date=hit.published_at) for hit in self.articles
        ]

    def is_empty(self) -> bool:
        return not self.articles


@tool(operation="news", cache=timedelta(minutes=15))
async def news_search(ask: NewsSearchInput, ctx: Context) -> NewsSearchOutput:
    """Search the news, by default of the last week: outlets, dates, snippets. Untrusted data."""
    found = await ctx.search.news(ask, provider=ask.provider)
    ctx.meta |= found.meta()
    articles = [_annotate(hit) for hit in found.hits]
    return NewsSearchOutput(
        articles=articles,
        query=ask.query,
        result_count=len(articles),
        hints=None
        if articles
        else await find_hints(
            ctx.search,
            "news",
            found,
            {"freshness": ask.time_range, "news_source": ask.news_source},
            instead={"freshness": None if ask.time_range == "year" else WIDER},
        ),
        warnings=found.warnings or None,
    )


WIDER = SuggestedAction(action="remove_filter", parameter="time_range", value="year", detail="A wider window of time.")


def _annotate(hit: NewsHit) -> NewsHit:
    """Add source type and reputation of the host."""
    kind = classify(hit.url).source_type
    known = None if kind == "unknown" else kind
    return hit.model_copy(
        update={
            "source_type": known,
            "is_social_media": kind in SOCIAL or None,
            "source_reputation": find_reputation(hit.url),
        }
    )
