"""Search the web and read given fields off each result."""

import json
from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from assay.context import Context
from assay.models.common import (
    TRUST,
    Cleared,
    DetailLevel,
    JsonObject,
    Output,
    ProviderName,
    SessionId,
    Source,
    StructuredItem,
    StructuredQuery,
    Trust,
)
from assay.search import paid_provider
from assay.toolkit.tool import tool

HIGHLIGHT_CHARS = 300  # in the markdown list


class StructuredSearchInput(StructuredQuery):
    category: Annotated[
        Cleared[str],
        Field(description="Kind of page: company, people, research paper, news, pdf, github; any if unset."),
    ] = None
    fields_schema: Annotated[
        dict[str, Any] | None,
        JsonObject(),
        Field(
            alias="schema",
            description="Flat JSON Schema with 1 to 10 properties, as JSON: the fields to read off each result.",
        ),
    ] = None
    detail: DetailLevel = "full"
    provider: ProviderName = None
    session_id: SessionId = None


class StructuredSearchOutput(Output):
    query: str
    category: Annotated[str, Field(description="Category that was searched; empty for any.")]
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    results: list[StructuredItem]
    provider: Annotated[str, Field(description="Name of the provider that answered.")]
    cost_usd: Annotated[float | None, Field(description="Estimate.")] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        lines = [f"{self.result_count} results for: {self.query}"]
        for number, item in enumerate(self.results, 1):
            lines += [f"{number}. {item.title or item.url}", f"   {item.url}", *_details(item)]
        if not self.results:
            lines.append("Nothing found does not mean that nothing exists; try fewer conditions or web_search.")
        lines += [f"Warning: {warning}" for warning in self.warnings or ()]
        cost = f" · cost: ${self.cost_usd:g}" if self.cost_usd else ""
        return "\n".join([*lines, f"provider: {self.provider}{cost} · trust: {self.trust}"])

    def sources(self) -> list[Source]:
        return [
            Source(url=item.url, title=item.title, author=item.author, date=item.published_date, relevance="search")
            for item in self.results
        ]

    def is_empty(self) -> bool:
        return not self.results


@tool(operation="structured", cache=timedelta(hours=1), limit=timedelta(seconds=60), toolsets=("research",))
async def structured_search(ask: StructuredSearchInput, ctx: Context) -> StructuredSearchOutput:
    """Search the web with a paid provider (Exa) and extract fields from each result by a JSON schema.

    `highlights` are the page's own words; `summary` is derived and may hold null for what the page does say."""
    question = StructuredQuery.model_validate(ask.model_dump(by_alias=True, include=set(StructuredQuery.model_fields)))
    found = await paid_provider.run_query(ctx.search, ctx.services.settings, "structured", question, ask.provider)
    shown = found.hits[: ask.num_results]
    return StructuredSearchOutput(
        query=ask.query,
        category=ask.category or "",
        result_count=len(shown),
        results=shown,
        provider=found.provider,
        cost_usd=ctx.budget.dollars,
        warnings=found.warnings or None,
    )


def _details(item: StructuredItem) -> list[str]:
    summary = item.summary if isinstance(item.summary, str) or item.summary is None else _json(item.summary)
    lines = [f"   {summary}"] if summary else []
    lines += [f"   {_json(item.entities)}"] if item.entities else []
    return lines + [f"   “{text[:HIGHLIGHT_CHARS]}”" for text in (item.highlights or [])[:2]]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
