"""List the caller's watches."""

from typing import Annotated

from pydantic import Field

from assay.consent.consent_views import ConsentNeeded
from assay.context import Context
from assay.jobs.query_watch import load_schedule
from assay.jobs.task import Task
from assay.models.common import Input, Output
from assay.monitoring.watch_records import Watch, WatchState
from assay.monitoring.watch_views import Reason, WatchEntry, WatchStatus, count_hours
from assay.state.concurrent_map import map_concurrently
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

AT_ONCE = 16


class MonitorListInput(Input):
    limit: Annotated[int, Field(ge=1, le=100, description="Most watches to return.")] = 20
    offset: Annotated[int, Field(ge=0, le=1_000, description="Number of watches to skip.")] = 0


class MonitorListOutput(Output):
    status: WatchStatus
    reason: Reason = None
    consent: ConsentNeeded = None
    total: Annotated[int | None, Field(description="Number of watches on all pages.")] = None
    watches: Annotated[list[WatchEntry] | None, Field(description="The oldest first.")] = None
    next_offset: Annotated[int | None, Field(description="Pass it as offset for the next page.")] = None


@tool(open_world=False, flag="MONITORING_ENABLED")
async def monitor_list(ask: MonitorListInput, ctx: Context) -> MonitorListOutput:
    """List the caller's watches with the time of the last and the next check, the reason of a failed check, and
    how many new results were not returned yet."""
    store = ctx.own.watches
    if refusal := await ctx.refuse_without_consent("monitoring"):
        return MonitorListOutput(status=refusal.status, reason=refusal.reason, consent=refusal.request)
    watches, tasks = await store.list_all(), await load_schedule(ctx)
    page = watches[ask.offset : ask.offset + ask.limit]
    states = await map_concurrently(lambda watch: store.load_state(watch.id), page, limit=AT_ONCE)
    end = ask.offset + len(page)
    return MonitorListOutput(
        status="ok",
        total=len(watches),
        watches=[build_entry(watch, state, tasks.get(watch.id)) for watch, state in zip(page, states, strict=True)],
        next_offset=end if page and end < len(watches) else None,
    )


def build_entry(watch: Watch, state: WatchState | None, task: Task | None) -> WatchEntry:
    has_failed = task is not None and task.tries > 0
    return WatchEntry(
        id=watch.id,
        kind=watch.kind,
        query=watch.query,
        provider=watch.provider or None,
        saved_at=format_utc(watch.created),
        expires_at=format_utc(watch.until),
        every_hours=count_hours(watch),
        state="stopped" if task is None else "parked" if task.state == "parked" else "due",
        last_run_at=format_utc(state.last) if state and state.last else None,
        next_run_at=format_utc(task.due) if task and task.due is not None else None,
        failure=task.reason if task and has_failed else None,
        missing_since=format_utc(state.missing_since) if state and state.is_missing else None,
        unread_count=sum(item.is_unread for item in state.items) if state else 0,
        has_feed=bool(watch.feed),
        has_webhook=bool(watch.webhook),
        session_id=watch.session or None,
    )
