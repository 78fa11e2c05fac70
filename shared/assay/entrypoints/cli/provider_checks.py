"""Provider checks of `assay doctor`: configuration, price per request and, on request, reachability."""

import time
from typing import Any, NamedTuple

from assay.caller import Caller
from assay.context import Context
from assay.errors import ToolError
from assay.models.common import DomainQuery, Input, NameQuery, WebQuery
from assay.models.filings import Sought
from assay.models.papers import PaperQuery
from assay.models.patents import PatentQuery
from assay.models.public_records import CaseQuery, SeriesQuery, TrialQuery
from assay.provider_base.provider import Provider
from assay.provider_base.provider_manifest import ProviderInfo, describe_providers
from assay.services import Services
from assay.settings import Settings
from assay.state.budget import format_dollars
from assay.state.concurrent_map import map_concurrently

# The least expensive query for each kind of provider, in order of preference.
CHEAPEST: dict[str, Input] = {
    "web": WebQuery(query="otter", num_results=1),
    "academic": PaperQuery(query="otter", num_results=1),
    "brand": DomainQuery(domain="example.com"),
    "domains": NameQuery(name="Example"),
    "patents": PatentQuery(query="otter", num_results=1),
    "filings": Sought(cik="0000320193", num_results=1),
    "series": SeriesQuery(query="otter", num_results=1),
    "trials": TrialQuery(query="otter", num_results=1),
    "cases": CaseQuery(query="otter", num_results=1),
}


class Upstream(NamedTuple):
    """The state of one provider. `answers` is None if no request was sent."""

    name: str
    configured: bool
    detail: str
    answers: bool | None = None


def list_providers(settings: Settings) -> list[Upstream]:
    """All providers, each with its price and, if it is not configured, the setting to add."""
    return [_of(source, settings) for source in describe_providers()]


def _of(source: ProviderInfo, settings: Settings) -> Upstream:
    if not source.is_configured(settings):
        return Upstream(source.name, False, f"set {source.required_setting(settings)} to use it; {cost(source)}")
    return Upstream(source.name, True, f"configured; {cost(source)}")


def cost(source: ProviderInfo) -> str:
    """Format the price, for example `about $7.00 for 1000 requests (answer $5.00)`."""
    if not source.price:
        return "no charge per request"
    others = ", ".join(f"{name} {format_dollars(price * 1000)}" for name, price in source.prices.items())
    return f"about {format_dollars(source.price * 1000)} for 1000 requests" + (f" ({others})" if others else "")


def limits(settings: Settings) -> str:
    """Format the spending limits of a tenant and of a call."""
    day, call = settings.daily_budget, settings.max_call_cost
    return "; ".join(
        (
            f"a tenant may spend {format_dollars(day)} a day"
            if day is not None
            else "no daily budget (ASSAY_DAILY_BUDGET_USD)",
            f"a call {format_dollars(call)}" if call is not None else "no limit for a call (ASSAY_MAX_CALL_COST_USD)",
        )
    )


async def check_providers(services: Services) -> list[Upstream]:
    """Check all providers with one real request to each configured one. These requests cost the usual price."""
    ctx = Context(services, Caller())
    with ctx.budget.open():
        return await map_concurrently(lambda one: _reach(one, services), list_providers(services.settings))


async def _reach(one: Upstream, services: Services) -> Upstream:
    source = services.search.source(one.name)
    question = _question(source, services.settings)
    if not one.configured or question is None:
        return one
    began = time.perf_counter()
    try:
        await source.ask(*question)
    except ToolError as failure:
        return one._replace(answers=False, detail=f"{one.detail}; does not answer: {failure.sentence()}")
    return one._replace(answers=True, detail=f"{one.detail}; answered in {time.perf_counter() - began:.1f} s")


def _question(source: Provider, settings: Settings) -> tuple[str, Any] | None:
    """An operation of the provider and a query for it. Each of Brandfetch's two keys enables only one operation."""
    for operation, question in CHEAPEST.items():
        if source.supports(operation) and not (operation == "brand" and not settings.key(source.key_name)):
            return operation, question
    return None
