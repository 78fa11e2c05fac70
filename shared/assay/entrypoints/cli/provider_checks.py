"""Each provider as the doctor finds it: configured, what its requests cost, and, when asked for, whether it answers."""

import asyncio
import time
from typing import Any, NamedTuple

from assay.context import Caller, Context, Services
from assay.errors import ToolError
from assay.models.common import DomainQuery, Input, NameQuery, WebQuery
from assay.models.filings import Sought
from assay.models.papers import PaperQuery
from assay.models.patents import PatentQuery
from assay.models.public_records import CaseQuery, SeriesQuery, TrialQuery
from assay.provider_base.provider import Provider
from assay.provider_base.provider_manifest import ProviderInfo, describe_providers
from assay.settings import Settings
from assay.state.budget import dollars

# The cheapest that can be asked of each kind of provider, in this order.
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
    """`answers` is None where it was not asked."""

    name: str
    configured: bool
    detail: str
    answers: bool | None = None


def list_providers(settings: Settings) -> list[Upstream]:
    """Every provider: what it costs where it can be asked, and what to set where it cannot."""
    return [_of(source, settings) for source in describe_providers()]


def _of(source: ProviderInfo, settings: Settings) -> Upstream:
    if not source.is_configured(settings):
        return Upstream(source.name, False, f"set {source.required_setting(settings)} to use it; {cost(source)}")
    return Upstream(source.name, True, f"configured; {cost(source)}")


def cost(source: ProviderInfo) -> str:
    """`about $7.00 for 1000 requests (answer $5.00)`"""
    if not source.price:
        return "no charge by the request"
    others = ", ".join(f"{name} {dollars(price * 1000)}" for name, price in source.prices.items())
    return f"about {dollars(source.price * 1000)} for 1000 requests" + (f" ({others})" if others else "")


def limits(settings: Settings) -> str:
    """What may be spent."""
    day, call = settings.daily_budget, settings.max_call_cost
    return "; ".join(
        (
            f"a tenant may spend {dollars(day)} a day"
            if day is not None
            else "no daily budget (ASSAY_DAILY_BUDGET_USD)",
            f"a call {dollars(call)}" if call is not None else "no limit for a call (ASSAY_MAX_CALL_COST_USD)",
        )
    )


async def check_providers(services: Services) -> list[Upstream]:
    """Every provider, those that are configured after one real request each, paid like any other."""
    ctx = Context(services, Caller())
    with ctx.budget.open():
        return list(await asyncio.gather(*(_reach(one, services) for one in list_providers(services.settings))))


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
    """An operation and what to ask of it; Brandfetch's two keys open one operation each."""
    for operation, question in CHEAPEST.items():
        if source.supports(operation) and not (operation == "brand" and not settings.key(source.key_name)):
            return operation, question
    return None
