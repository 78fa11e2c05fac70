"""Report how often the caller called which tool."""

from typing import Annotated, Literal

from pydantic import Field

from assay.consent.consent_views import ConsentNeeded
from assay.context import Context
from assay.models.common import Input, Output
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

RECENT = 10  # tools

type AnalyticsStatus = Annotated[
    Literal["ok", "empty", "no_consent", "unavailable"],
    Field(description="ok; empty: no call was counted yet; no_consent: nothing is counted; unavailable: unknown user."),
]


class GetMyAnalyticsInput(Input):
    pass


class UserAnalytics(Output):
    tenant_id: Annotated[str, Field(description="Tenant of the caller.")]
    user_id: Annotated[str, Field(description="The caller.")]
    total_calls: Annotated[int, Field(description="Number of calls, failed ones included.")]
    tool_counts: Annotated[dict[str, int], Field(description="Number of calls by tool.")]
    first_seen: Annotated[str, Field(description="First counted call, RFC 3339, UTC.")]
    last_seen: Annotated[str, Field(description="Last counted call, RFC 3339, UTC.")]
    recent_tools: Annotated[list[str], Field(description="The ten tools used last, the latest first.")]


class GetMyAnalyticsOutput(Output):
    status: AnalyticsStatus
    reason: Annotated[str | None, Field(description="Why there are no numbers, and how to change that.")] = None
    consent: ConsentNeeded = None
    analytics: Annotated[UserAnalytics | None, Field(description="The caller's own numbers.")] = None


@tool(open_world=False, flag="USER_ANALYTICS_ENABLED")
async def get_my_analytics(ask: GetMyAnalyticsInput, ctx: Context) -> GetMyAnalyticsOutput:  # noqa: ARG001  no inputs
    """Report the caller's own usage: calls by tool, first and last use. Counted only since the person consented to
    analytics; nobody sees the numbers of others."""
    usage = ctx.own.usage
    if refusal := await ctx.refuse_without_consent("analytics"):
        return GetMyAnalyticsOutput(status=refusal.status, reason=refusal.reason, consent=refusal.request)
    counted = await usage.read()
    if not counted:
        return GetMyAnalyticsOutput(status="empty", reason="No call was counted yet; calls are counted from now on.")
    return GetMyAnalyticsOutput(
        status="ok",
        analytics=UserAnalytics(
            tenant_id=ctx.caller.tenant,
            user_id=ctx.caller.user,
            total_calls=sum(each.count for each in counted),
            tool_counts={each.tool: each.count for each in counted},
            first_seen=format_utc(min(each.first for each in counted)),
            last_seen=format_utc(max(each.last for each in counted)),
            recent_tools=[each.tool for each in counted[:RECENT]],
        ),
    )
