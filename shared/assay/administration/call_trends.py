"""Calls, errors, latency, cache hits and estimated costs over time, by tool, provider and tenant.

One partition of the table is read, whatever the number of calls, tools and tenants.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field

from assay.administration.admin_call import AdminCall, TenantChoice
from assay.errors import InvalidInput
from assay.models.common import Output
from assay.settings import Settings
from assay.state.budget import MILLION
from assay.statistics.call_figures import OTHERS, CallFigures, PeriodFigures, add_periods
from assay.statistics.call_history import MOST_PERIODS, read_history
from assay.statistics.provider_prices import estimate_cost, find_price
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

SHOWN_OTHERS = "(others)"
COST_BASIS = (
    "Costs are estimated: what the provider's answer stated, else its list price or PROVIDER_PRICES for each request. "
    "A cost that is absent is unknown, not zero."
)


class CallHistoryChoice(TenantChoice):
    grain: Annotated[Literal["hour", "day"], Field(description="Sum by hour or by day (UTC).")] = "day"
    periods: Annotated[int, Field(ge=1, le=92, description="Number of days, or of hours: 72 at most.")] = 14
    until: Annotated[
        str | None, Field(max_length=40, description="The last hour or day has this moment (RFC 3339); else it is now.")
    ] = None
    tool: Annotated[str | None, Field(max_length=100, description="The time series of this tool alone.")] = None
    provider: Annotated[str | None, Field(max_length=100, description="The time series of this provider alone.")] = None


class CallSum(Output):
    total_calls: Annotated[int, Field(description="Calls; of a provider the requests.")]
    error_calls: int
    cache_hits: int
    avg_latency_ms: Annotated[int | None, Field(description="Absent without calls.")] = None
    p50_latency_ms: Annotated[int | None, Field(description="Estimated from classes of durations.")] = None
    p95_latency_ms: Annotated[int | None, Field(description="Estimated from classes of durations.")] = None
    estimated_cost_usd: Annotated[float | None, Field(description="Absent where it is unknown.")] = None
    is_cost_complete: Annotated[bool, Field(description="False if providers of unknown price were asked, too.")] = True


class PeriodSum(CallSum):
    began_at: Annotated[str, Field(description="RFC 3339, UTC.")]


class ProviderSum(CallSum):
    price_kind: Annotated[
        Literal["list", "free", "setting", "unknown"],
        Field(description="list: the provider's list price; setting: the operator's; unknown: depends on a plan."),
    ]
    price_usd: Annotated[float | None, Field(description="Dollars a request, if it is known and fixed.")] = None
    price_source: str = ""
    price_note: str = ""


class CallHistoryReport(Output):
    generated_at: str
    grain: Literal["hour", "day"]
    tenant_id: Annotated[str | None, Field(description="Absent for all tenants together.")] = None
    total: CallSum
    periods: Annotated[list[PeriodSum], Field(description="Hours or days, the oldest first, also those without calls.")]
    tools: Annotated[dict[str, CallSum], Field(description="The most called first.")]
    providers: Annotated[dict[str, ProviderSum], Field(description="Requests by provider, the most asked first.")]
    tenants: Annotated[dict[str, CallSum], Field(description="For all tenants together; the most calls first.")]
    unknown_prices: Annotated[list[str], Field(description="Providers that were asked and whose price is unknown.")]
    cost_basis: str = COST_BASIS


@tool()
async def read_call_history(ask: CallHistoryChoice, call: AdminCall) -> CallHistoryReport:
    """Show calls, errors, latency, cache hits and estimated cost by hour or day, tool, provider and tenant."""
    services, settings = call.services, call.services.settings
    if ask.tool is not None and ask.provider is not None:
        raise InvalidInput("Choose a tool or a provider, not both.", field="provider")
    periods = min(ask.periods, MOST_PERIODS[ask.grain])
    until = services.clock() if ask.until is None else parse_moment(ask.until)
    await services.call_history.flush()  # the calls of this process that wait
    history = await read_history(services.table, ask.tenant_id, ask.grain, until, periods)
    total = add_periods(history.values())
    sums = {begin: _sum_up(_choose(figures, ask), settings, ask.provider) for begin, figures in history.items()}
    return CallHistoryReport(
        generated_at=format_utc(services.clock()),
        grain=ask.grain,
        tenant_id=ask.tenant_id,
        total=_sum_up(total.add_up(), settings),
        periods=[PeriodSum(began_at=format_utc(begin), **dict(each)) for begin, each in sums.items()],
        tools={name: _sum_up(each, settings) for name, each in _sort(total.tools)},
        providers={name: _describe_provider(name, each, settings) for name, each in _sort(total.providers)},
        tenants={name: _sum_up(each, settings) for name, each in _sort(total.tenants)},
        unknown_prices=[name for name in sorted(total.providers) if find_price(name, settings).kind == "unknown"],
    )


def parse_moment(text: str) -> float:
    """The moment in epoch seconds. Raises InvalidInput."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = moment.timestamp()
    except (ValueError, OverflowError):
        seconds = -1.0
    if not 0 < seconds < 32_503_680_000:  # the year 3000
        raise InvalidInput(f"{text!r} is not a time; use a form such as 2026-11-23T09:00:00Z.", field="until")
    return seconds


def _choose(figures: PeriodFigures, ask: CallHistoryChoice) -> CallFigures:
    if ask.provider is not None:
        return figures.providers.get(ask.provider, CallFigures())
    return figures.add_up() if ask.tool is None else figures.tools.get(ask.tool, CallFigures())


def _sort(figures: Mapping[str, CallFigures]) -> list[tuple[str, CallFigures]]:
    shown = ((SHOWN_OTHERS if name == OTHERS else name, each) for name, each in figures.items())
    return sorted(shown, key=lambda pair: (-pair[1].calls, pair[0]))


def _sum_up(figures: CallFigures, settings: Settings, provider: str | None = None) -> CallSum:
    """The figures as administrators see them; those of a `provider` have no calls that asked others."""
    asked = {provider: [figures.calls, figures.cost]} if provider and figures.calls else figures.asked
    unknown = [name for name, (_, cost) in asked.items() if estimate_cost(name, cost, settings) is None]
    is_known = bool(figures.cost) or not unknown
    return CallSum(
        total_calls=figures.calls,
        error_calls=figures.errors,
        cache_hits=figures.cached,
        avg_latency_ms=round(figures.seconds / figures.calls * 1000) if figures.calls else None,
        p50_latency_ms=round(figures.estimate_percentile(0.5) * 1000) if figures.calls else None,
        p95_latency_ms=round(figures.estimate_percentile(0.95) * 1000) if figures.calls else None,
        estimated_cost_usd=figures.cost / MILLION if is_known else None,
        is_cost_complete=not unknown,
    )


def _describe_provider(name: str, figures: CallFigures, settings: Settings) -> ProviderSum:
    price = find_price(name, settings)
    return ProviderSum(
        **dict(_sum_up(figures, settings, name)),
        price_kind=price.kind,
        price_usd=None if price.amount is None else price.amount / MILLION,
        price_source=price.source,
        price_note=price.note,
    )
