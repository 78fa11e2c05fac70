"""Analytics of calls, the data of the dashboard, recent errors, and metrics for Prometheus.

The figures come from the table, so they count the calls of all instances. What is read is bounded: figures of tenants
are read page by page, and sums over tenants cover `MOST_TENANTS` and say when there are more.
"""

from typing import Annotated, Any

from pydantic import Field

from assay import __version__
from assay.administration.admin_call import AdminCall, Paged, TenantChoice
from assay.administration.prometheus_text import format_metrics
from assay.models.common import Output
from assay.sessions import session_index
from assay.state.concurrent_map import map_concurrently
from assay.statistics.call_statistics import list_tenants, read_tools
from assay.statistics.overview import describe_health
from assay.statistics.recent_errors import read_errors
from assay.statistics.tool_figures import MAX_DAYS, ToolFigures, add_up
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

MOST_TENANTS, AT_ONCE = 200, 16
MOST_ERRORS = 50
TOP = 5


class AnalyticsChoice(TenantChoice, Paged):
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of tenants.")] = 20
    days: Annotated[int, Field(ge=1, le=MAX_DAYS, description="Days of the time series.")] = 14


class DayAnalytics(Output):
    day: Annotated[str, Field(description="UTC, YYYY-MM-DD.")]
    total_calls: int
    error_calls: int
    cache_hits: int
    avg_latency_ms: int
    cost_usd: float


class ToolAnalytics(Output):
    total_calls: int
    error_calls: int
    errors_by_kind: dict[str, int]
    cache_hits: int
    avg_latency_ms: int
    p95_latency_ms: int
    cost_usd: float
    last_called: str


class TenantAnalytics(Output):
    tenant_id: str
    total_calls: int
    error_calls: int
    error_rate: float
    cache_hits: int
    cache_hit_rate: float
    top_providers: Annotated[list[str], Field(description="Those named most often by calls with a cost or an error.")]
    providers: Annotated[dict[str, int], Field(description="Calls by provider, of calls with a cost or an error.")]
    avg_latency_ms: int
    p95_latency_ms: int
    cost_usd: float
    last_called: str | None = None
    tools: dict[str, ToolAnalytics]
    days: Annotated[list[DayAnalytics], Field(description="Days with calls, the oldest first.")]


class Analytics(Output):
    generated_at: str
    tenants: list[TenantAnalytics]
    next: Annotated[str | None, Field(description="Pass it as `after` for more tenants; absent at the end.")] = None


@tool()
async def read_analytics(ask: AnalyticsChoice, call: AdminCall) -> Analytics:
    """Show calls, errors, latency, cache hits and cost of tenants, by tool and day. Figures last 90 days."""
    tenants = [tenant for tenant in await _choose_tenants(ask, call) if ask.after is None or tenant > ask.after]
    page = tenants[: ask.limit]
    figures = await map_concurrently(lambda tenant: read_tools(call.services.table, tenant), page, limit=AT_ONCE)
    return Analytics(
        generated_at=format_utc(call.services.clock()),
        tenants=[_analyze(tenant, tools, ask.days) for tenant, tools in zip(page, figures, strict=True)],
        next=page[-1] if len(tenants) > len(page) else None,
    )


async def _choose_tenants(ask: TenantChoice, call: AdminCall) -> list[str]:
    return [ask.tenant_id] if ask.tenant_id is not None else await list_tenants(call.services.table)


def _analyze(tenant: str, tools: dict[str, ToolFigures], days: int) -> TenantAnalytics:
    total = add_up(tools)
    shown = total.summarize()
    calls = max(1, total.calls)
    return TenantAnalytics(
        tenant_id=tenant,
        total_calls=total.calls,
        error_calls=shown["errorCalls"],
        error_rate=round(shown["errorCalls"] / calls, 4),
        cache_hits=total.cached,
        cache_hit_rate=round(total.cached / calls, 4),
        top_providers=[name for name, _ in total.providers.most_common(TOP)],
        providers=dict(total.providers.most_common()),
        avg_latency_ms=shown["avgLatencyMs"],
        p95_latency_ms=shown["p95LatencyMs"],
        cost_usd=round(total.dollars, 6),
        last_called=shown["lastCalled"],
        tools={name: _analyze_tool(figures) for name, figures in tools.items()},
        days=[
            DayAnalytics(
                day=day,
                total_calls=each.calls,
                error_calls=each.errors,
                cache_hits=each.cached,
                avg_latency_ms=round(each.seconds / max(1, each.calls) * 1000),
                cost_usd=round(each.dollars, 6),
            )
            for day, each in list(total.days.items())[-days:]
        ],
    )


def _analyze_tool(figures: ToolFigures) -> ToolAnalytics:
    shown = figures.summarize()
    return ToolAnalytics(
        total_calls=figures.calls,
        error_calls=shown["errorCalls"],
        errors_by_kind=shown["errorsByKind"],
        cache_hits=figures.cached,
        avg_latency_ms=shown["avgLatencyMs"],
        p95_latency_ms=shown["p95LatencyMs"],
        cost_usd=round(figures.dollars, 6),
        last_called=shown["lastCalled"],
    )


class ErrorList(Output):
    errors: Annotated[list[dict[str, Any]], Field(description="The latest first, without messages.")]
    is_complete: Annotated[bool, Field(description="False if there are tenants whose errors were not read.")]


@tool()
async def list_errors(ask: TenantChoice, call: AdminCall) -> ErrorList:
    """List the last errors of the last day. Their messages are for the person who made the call alone."""
    tenants = await _choose_tenants(ask, call)
    return ErrorList(errors=await collect_errors(tenants, call), is_complete=len(tenants) <= MOST_TENANTS)


async def collect_errors(tenants: list[str], call: AdminCall) -> list[dict[str, Any]]:
    """The last errors of these tenants, the latest first."""

    async def read(tenant: str) -> list[dict[str, Any]]:
        return [{"tenantId": tenant, **error} for error in await read_errors(call.services.table, tenant)]

    found = await map_concurrently(read, tenants[:MOST_TENANTS], limit=AT_ONCE)
    return sorted((error for page in found for error in page), key=lambda error: error["at"], reverse=True)[
        :MOST_ERRORS
    ]


async def sum_tools(tenants: list[str], call: AdminCall) -> dict[str, ToolFigures]:
    """The figures of tools, added up over these tenants."""
    found = await map_concurrently(
        lambda tenant: read_tools(call.services.table, tenant), tenants[:MOST_TENANTS], limit=AT_ONCE
    )
    sums: dict[str, ToolFigures] = {}
    for tools in found:
        for name, figures in tools.items():
            sums[name] = sums.get(name, ToolFigures()) + figures
    return dict(sorted(sums.items()))


async def count_sessions(tenants: list[str], call: AdminCall) -> int:
    """The number of live research sessions of these tenants."""
    counts = await map_concurrently(
        lambda tenant: session_index.count(call.services.table, tenant), tenants[:MOST_TENANTS], limit=AT_ONCE
    )
    return sum(counts)


class MetricsText(Output):
    text: str

    def markdown(self) -> str:
        return self.text


@tool()
async def read_metrics(ask: TenantChoice, call: AdminCall) -> MetricsText:
    """Show metrics of the service or of one tenant in the text format of Prometheus, without names of tenants."""
    tenants = await _choose_tenants(ask, call)
    health = await describe_health(call.services.search)
    return MetricsText(
        text=format_metrics(
            await sum_tools(tenants, call),
            providers={provider["name"]: provider["breaker"] for provider in health["providers"]},
            sessions=await count_sessions(tenants, call),
            is_complete=len(tenants) <= MOST_TENANTS,
            version=__version__,
        )
    )
