"""Limits and their use, providers and their circuit breakers, and the settings in force."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from assay.administration.admin_call import AdminCall, UserFilter
from assay.errors import InvalidInput, mask_credentials
from assay.models.common import Input, Output
from assay.settings import Settings
from assay.settings.declaration import list_settings
from assay.settings.parsers import parse_secret
from assay.settings.variables import VARIABLES
from assay.state.budget import MILLION, SUM_TTL
from assay.state.rate_limit import Quota, read_quotas
from assay.statistics.overview import judge_health
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

MASK = "[REDACTED]"
USER_INFO = re.compile(r"(?<=://)[^/@\s]+(?=@)")


class QuotaEntry(Output):
    name: str
    allowed: int
    used: int
    remaining: int
    window_seconds: int
    resets_at: str


class QuotaReport(Output):
    quotas: Annotated[list[QuotaEntry], Field(description="Limits that are set; others do not apply.")]
    spent_today_usd: Annotated[float | None, Field(description="Where a daily budget is set.")] = None
    daily_budget_usd: float | None = None


@tool()
async def read_limits(ask: UserFilter, call: AdminCall) -> QuotaReport:
    """Show the limits of a tenant, or of one user, and how much of them is used."""
    services, now = call.services, call.services.clock()
    quotas = await read_quotas(services.limit_counters, services.settings, ask.tenant, ask.user_id or "", now)
    hidden = set() if ask.user_id else {"user-day"}
    hidden |= set() if call.administrator.is_operator else {"global-second"}  # it counts the calls of other tenants
    budget = services.settings.daily_budget if call.administrator.own is None else None  # the tenant's, not a person's
    spent = None
    if budget is not None:
        day = datetime.fromtimestamp(now, UTC).date().isoformat()
        spent = await services.table.add(f"spent/{ask.tenant}", day, 0, until=now + SUM_TTL)
    return QuotaReport(
        quotas=[_to_entry(quota) for quota in quotas if quota.rule.name not in hidden],
        spent_today_usd=None if spent is None else spent / MILLION,
        daily_budget_usd=None if budget is None else budget / MILLION,
    )


def _to_entry(quota: Quota) -> QuotaEntry:
    return QuotaEntry(
        name=quota.rule.name,
        allowed=quota.rule.allowed,
        used=quota.counted,
        remaining=quota.left,
        window_seconds=quota.rule.seconds,
        resets_at=format_utc(quota.ends),
    )


class NoInput(Input):
    """Nothing to choose."""


class ProviderHealth(Output):
    name: str
    offers: list[str]
    breaker: Literal["closed", "open", "half-open"]
    available: bool


class ProviderReport(Output):
    status: Annotated[
        Literal["healthy", "degraded", "unhealthy"],
        Field(description="healthy: all are available; unhealthy: none is."),
    ]
    providers: list[ProviderHealth]


@tool()
async def list_providers(ask: NoInput, call: AdminCall) -> ProviderReport:  # noqa: ARG001  tools have both
    """List the configured providers with the states of their circuit breakers, which all tenants share."""
    return await read_health(call)


async def read_health(call: AdminCall) -> ProviderReport:
    """The health of all configured providers."""
    providers = [ProviderHealth.model_validate(entry) for entry in await call.services.search.health()]
    return ProviderReport(status=judge_health([each.available for each in providers]), providers=providers)


class BreakerChoice(Input):
    provider: Annotated[str, Field(max_length=100, description="Name of the provider.")]


@tool(read_only=False)
async def close_breaker(ask: BreakerChoice, call: AdminCall) -> ProviderReport:
    """Close the circuit breaker of a provider, so that it is asked again at once."""
    search = call.services.search
    names = [entry["name"] for entry in await search.health()]
    if ask.provider not in names:
        raise InvalidInput(
            f"No configured provider has the name {ask.provider!r}.", field="provider", alternatives=names
        )
    await search.breakers.close(ask.provider)
    return await read_health(call)


class SettingInForce(Output):
    variable: str
    value: Annotated[Any, Field(description="[REDACTED] for a secret that is set.")] = None
    is_set: Annotated[bool, Field(description="Whether the environment sets it; otherwise it is the default.")]
    description: str


class SettingList(Output):
    settings: list[SettingInForce]


@tool()
async def read_settings(ask: NoInput, call: AdminCall) -> SettingList:  # noqa: ARG001  tools have both
    """List the settings in force, secrets masked."""
    settings = call.services.settings
    declared = [
        SettingInForce(
            variable=one.metadata["variable"],
            value=_show(getattr(settings, one.name), is_secret=one.metadata["parse"] is parse_secret),
            is_set=bool(settings.environ.get(one.metadata["variable"], "").strip()),
            description=one.metadata["description"],
        )
        for one in list_settings(Settings)
    ]
    texts = [
        SettingInForce(
            variable=variable.name,
            value=_show(settings.key(variable.name), is_secret=variable.secret),
            is_set=bool(settings.key(variable.name)),
            description=variable.description,
        )
        for variable in VARIABLES
    ]
    return SettingList(settings=declared + texts)


def _show(value: Any, *, is_secret: bool) -> Any:
    if value in (None, ""):
        return None
    if is_secret:
        return MASK
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, frozenset):
        value = sorted(value)
    text = str(dict(value)) if hasattr(value, "items") else ", ".join(value) if isinstance(value, list) else str(value)
    return USER_INFO.sub(MASK, mask_credentials(text))
