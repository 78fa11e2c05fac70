"""Everything that a dashboard shows, in one answer."""

from typing import Annotated, Any

from pydantic import Field

from assay import __version__
from assay.administration.admin_call import AdminCall, TenantChoice
from assay.administration.call_analytics import MOST_TENANTS, collect_errors, count_sessions, sum_tools
from assay.models.common import Output
from assay.state.rate_limit import read_quotas
from assay.statistics.call_statistics import list_tenants
from assay.statistics.overview import describe_health
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

DEFAULT_TENANT = "default"  # of callers without a tenant of their own


class DashboardData(Output):
    generated_at: str
    version: str
    tools: Annotated[dict[str, dict[str, Any]], Field(description="Figures of the last 90 days by tool.")]
    active_sessions: int
    rate_limit: Annotated[dict[str, Any], Field(description="Limits that are set; 0 is no limit.")]
    health: Annotated[dict[str, Any], Field(description="Providers with the states of their circuit breakers.")]
    recent_errors: Annotated[list[dict[str, Any]], Field(description="The latest first, without messages.")]
    is_complete: Annotated[bool, Field(description="False if there are more tenants than were read.")]


@tool()
async def read_dashboard(ask: TenantChoice, call: AdminCall) -> DashboardData:
    """Show calls by tool, sessions, limits, the health of providers and recent errors, of one tenant or of all."""
    services = call.services
    tenants = [ask.tenant_id] if ask.tenant_id is not None else await list_tenants(services.table)
    tools = await sum_tools(tenants, call)
    return DashboardData(
        generated_at=format_utc(services.clock()),
        version=__version__,
        tools={name: figures.summarize() for name, figures in tools.items()},
        active_sessions=await count_sessions(tenants, call),
        rate_limit=await _read_limits(ask.tenant_id or DEFAULT_TENANT, call),
        health=await describe_health(services.search),
        recent_errors=await collect_errors(tenants, call),
        is_complete=len(tenants) <= MOST_TENANTS,
    )


async def _read_limits(tenant: str, call: AdminCall) -> dict[str, Any]:
    settings = call.services.settings
    quotas = await read_quotas(call.services.limit_counters, settings, tenant, "", call.services.clock())
    day = next((quota for quota in quotas if quota.rule.name == "tenant-day"), None)
    return {
        "perMinutePerTenant": settings.rate_limit_per_tenant,
        "globalPerSecond": settings.rate_limit_global,
        "dailyPerTenant": settings.daily_quota_per_tenant,
        "defaultTenant": {
            "tenantId": tenant,
            "perMinuteLimit": settings.rate_limit_per_tenant,
            "dailyLimit": settings.daily_quota_per_tenant,
            "dailyUsed": day.counted if day else 0,
            "dailyRemaining": day.left if day else 0,
            **({"dailyResetsAt": format_utc(day.ends)} if day else {}),
        },
    }
