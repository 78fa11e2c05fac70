"""Overviews of limits, providers and their health, as JSON for resources, the dashboard and administrators."""

import math
from collections.abc import Iterable
from typing import Any, Literal

from assay.provider_base.provider_manifest import describe_providers
from assay.search.lenses import Lenses
from assay.search.router import Router
from assay.sessions import session_index
from assay.settings import Settings
from assay.state.ports import TableStore
from assay.state.rate_limit import Quota
from assay.statistics.call_statistics import read_tools
from assay.text.timestamps import format_utc

GUIDANCE = (
    "A refused call names the limit and how many seconds to wait; repeat it after that time, not before. "
    "A limit of 0 is no limit."
)


async def describe_tools(table: TableStore, tenant: str) -> dict[str, Any]:
    """The calls of the tenant by tool. Tools without calls in 90 days are left out."""
    return {"tools": {name: figures.summarize() for name, figures in (await read_tools(table, tenant)).items()}}


async def describe_sessions(table: TableStore, tenant: str) -> dict[str, Any]:
    """The number of the tenant's research sessions that have not expired."""
    return {"activeSessions": await session_index.count(table, tenant)}


def describe_limits(settings: Settings, tenant: str, quotas: Iterable[Quota]) -> dict[str, Any]:
    """The limits on calls, and the state of those that apply to a caller (see `read_quotas`)."""
    return {
        "config": {
            "perMinutePerTenant": settings.rate_limit_per_tenant,
            "globalPerSecond": settings.rate_limit_global,
            "dailyPerTenant": settings.daily_quota_per_tenant,
            "dailyPerUser": settings.max_calls_per_day,
        },
        "tenant": {"tenantId": tenant, "limits": [_describe_quota(quota) for quota in quotas]},
        "guidance": GUIDANCE,
    }


def _describe_quota(quota: Quota) -> dict[str, Any]:
    return {
        "name": quota.rule.name,
        "limit": quota.rule.allowed,
        "used": min(quota.counted, quota.rule.allowed),
        "remaining": quota.left,
        "windowSeconds": quota.rule.seconds,
        "resetsAt": format_utc(math.ceil(quota.ends)),
    }


def describe_configured(settings: Settings) -> dict[str, Any]:
    """The configured providers with what each can search. Reads no state."""
    return {
        "providers": [
            {"name": info.name, "type": choose_type(info.supported_filters), "offers": sorted(info.supported_filters)}
            for info in describe_providers()
            if info.is_configured(settings) and info.supported_filters
        ]
    }


def choose_type(operations: Iterable[str]) -> str:
    """The main operation of a provider: web search where it offers that, else the first one by name."""
    return "web" if "web" in operations else min(operations, default="other")


async def describe_health(router: Router) -> dict[str, Any]:
    """The state of every configured provider's circuit breaker, and the status of all together."""
    providers = [
        {name: one[name] for name in ("name", "breaker", "available")} | {"type": choose_type(one["offers"])}
        for one in await router.health()
    ]
    return {"status": judge_health([one["available"] for one in providers]), "providers": providers}


def judge_health(available: list[bool]) -> Literal["healthy", "degraded", "unhealthy"]:
    """The status of providers: healthy if each is available (or there are none), unhealthy if none is."""
    if all(available):
        return "healthy"
    return "degraded" if any(available) else "unhealthy"


def describe_lenses(lenses: Lenses) -> dict[str, Any]:
    """Every lens with the number of its sites."""
    return {
        "lenses": [
            {
                "name": lens.name,
                "description": lens.description,
                "domainCount": len(lens.domains),
                "hasCX": bool(lens.cx),
            }
            for _, lens in sorted(lenses.all.items())
        ]
    }
