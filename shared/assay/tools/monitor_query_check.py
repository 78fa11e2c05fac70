"""Check a watched query or page now."""

from typing import Annotated

from pydantic import Field

from assay.consent.consent_views import ConsentNeeded
from assay.context import Context
from assay.errors import InvalidInput
from assay.jobs.query_watch import schedule
from assay.jobs.watch_checks import check_watch, validate_watch
from assay.models.common import TRUST, Cleared, Input, Output, Trust
from assay.monitoring.watch_records import build_watch_id
from assay.monitoring.watch_store import WatchMissing
from assay.monitoring.watch_views import (
    MAX_QUERY,
    NO_WATCH,
    Filters,
    Kind,
    NewResult,
    Provider,
    Reason,
    WatchId,
    WatchStatus,
    build_new_result,
)
from assay.net.urls import canonicalize_url
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool


class MonitorQueryCheckInput(Input):
    id: Annotated[Cleared[WatchId], Field(description="Id of the watch; or give its query.")] = None
    query: Annotated[
        Cleared[Annotated[str, Field(max_length=MAX_QUERY)]], Field(description="Query, author or URL as it was saved.")
    ] = None
    kind: Kind = "web"
    provider: Provider = None
    filters: Filters = None


class MonitorQueryCheckOutput(Output):
    status: WatchStatus
    reason: Reason = None
    consent: ConsentNeeded = None
    id: str | None = None
    kind: Annotated[str | None, Field(description="What is watched.")] = None
    query: Annotated[str | None, Field(description="Search words, author or URL.")] = None
    new_count: Annotated[int | None, Field(description="Number of new results in this answer.")] = None
    new_results: Annotated[
        list[NewResult] | None,
        Field(description="Not seen by an earlier check; each is returned once. They may be older than the watch."),
    ] = None
    near_duplicate_count: Annotated[
        int | None, Field(description="Results, since the start, that repeat a seen story under another URL.")
    ] = None
    dropped_count: Annotated[
        int | None, Field(description="New results that were dropped because nobody checked for long.")
    ] = None
    last_run_at: Annotated[str | None, Field(description="End of this check; RFC 3339, UTC.")] = None
    trust: Trust = TRUST


@tool(read_only=False, destructive=True, idempotent=False, flag="MONITORING_ENABLED")
async def monitor_query_check(ask: MonitorQueryCheckInput, ctx: Context) -> MonitorQueryCheckOutput:
    """Check a watch now and return the new results, also those of scheduled checks. Each result is returned once. A
    failed check is an error, and new results stay for the next call. Untrusted data."""
    store = ctx.own.watches
    if refusal := await ctx.refuse_without_consent("monitoring"):
        return MonitorQueryCheckOutput(status=refusal.status, reason=refusal.reason, consent=refusal.request)
    watch = await store.load(ask.id or find_id(ask))
    if watch is None:
        return MonitorQueryCheckOutput(status="not_found", reason=NO_WATCH)
    validate_watch(watch, ctx)  # it may have been saved with a key that reaches further
    await schedule(watch, ctx, last=ctx.services.clock())
    try:
        state, new = await check_watch(watch, ctx, take_unread=True)
    except WatchMissing:
        return MonitorQueryCheckOutput(status="not_found", reason=NO_WATCH)
    return MonitorQueryCheckOutput(
        status="ok",
        id=watch.id,
        kind=watch.kind,
        query=watch.query,
        new_count=len(new),
        new_results=[build_new_result(item) for item in new],
        near_duplicate_count=state.near_duplicates,
        dropped_count=state.dropped or None,
        last_run_at=format_utc(state.last),
    )


def find_id(ask: MonitorQueryCheckInput) -> str:
    if ask.query is None:
        raise InvalidInput("Say which watch: give id or query.", field="id")
    query = canonicalize_url(ask.query) if ask.kind == "page" else ask.query
    return build_watch_id(ask.kind, query, (ask.provider or "").strip().lower(), ask.filters or {})
