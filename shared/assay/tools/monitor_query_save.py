"""Watch a query or a page, or change how it is watched."""

from typing import Annotated, Literal

from pydantic import Field

from assay.consent.consent_views import ConsentNeeded
from assay.context import Context
from assay.errors import InvalidInput
from assay.jobs.query_watch import schedule
from assay.jobs.watch_looks import check_watch, merge_look, read_now
from assay.models.common import Cleared, Input, Output
from assay.monitoring.watch_records import Watch, WatchState, build_watch_id
from assay.monitoring.watch_store import WatchLimit
from assay.monitoring.watch_views import (
    HOUR,
    FeedAddresses,
    Filters,
    Kind,
    Provider,
    Reason,
    WatchQuery,
    WatchStatus,
    build_feed_addresses,
    count_hours,
)
from assay.net.urls import canonicalize_url
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

DAY = 24 * HOUR
MAX_DAYS, MAX_HOURS = 90, 90 * 24


class MonitorQuerySaveInput(Input):
    query: WatchQuery
    kind: Kind = "web"
    provider: Provider = None
    filters: Filters = None
    every_hours: Annotated[
        int | None, Field(alias="everyHours", ge=1, le=MAX_HOURS, description="Hours between two looks; 24 if unset.")
    ] = None
    ttl_days: Annotated[
        int | None, Field(alias="ttlDays", ge=1, le=MAX_DAYS, description="Days until the watch ends; 30 if unset.")
    ] = None
    feed: Annotated[
        Cleared[Literal["new", "none"]],
        Field(description="new: a secret feed address, which ends a former one; none: end it; unset: leave it."),
    ] = None
    session: Annotated[
        Cleared[Annotated[str, Field(max_length=128)]],
        Field(alias="sessionId", description="Research session that receives new results as sources."),
    ] = None


class MonitorQuerySaveOutput(Output):
    status: WatchStatus
    reason: Reason = None
    consent: ConsentNeeded = None
    id: str | None = None
    kind: Annotated[str | None, Field(description="What is watched.")] = None
    query: Annotated[str | None, Field(description="Search words, author or URL.")] = None
    provider: Annotated[str | None, Field(description="The one provider that is used.")] = None
    seen_count: Annotated[int | None, Field(description="Results that count as seen; only others are new.")] = None
    saved_at: Annotated[str | None, Field(description="RFC 3339, UTC.")] = None
    expires_at: Annotated[str | None, Field(description="When the watch ends.")] = None
    ttl_days: Annotated[int | None, Field(description="Days until then.")] = None
    every_hours: Annotated[int | None, Field(description="Hours between two looks.")] = None
    feed: Annotated[
        FeedAddresses | None, Field(description="Secret addresses of the feed; they are shown this once.")
    ] = None


@tool(read_only=False, destructive=True, idempotent=False, flag="MONITORING_ENABLED")
async def monitor_query_save(ask: MonitorQuerySaveInput, ctx: Context) -> MonitorQuerySaveOutput:
    """Watch a query, an author or a page on a schedule: what it finds now counts as seen, and later results are new.
    monitor_query_check returns them; a feed and a research session can receive them. Saving it again renews it."""
    store = ctx.watches
    if refusal := await ctx.refuse_without_consent("monitoring"):
        return MonitorQuerySaveOutput(status=refusal.status, reason=refusal.reason, consent=refusal.request)
    draft = build_watch(ask, ctx)
    check_watch(draft, ctx)
    if ask.session is not None:
        await ctx.sessions.read(ask.session)  # raises if the session does not exist
    known = await store.load(draft.id)
    watch = draft if known is None else renew_watch(known, draft, ask)
    try:
        await store.reserve(watch.id, watch.until)
    except WatchLimit:
        most = ctx.services.settings.monitoring_most
        reason = f"You have {most} watches, the most that are allowed. Delete some with monitor_delete."
        return MonitorQuerySaveOutput(status="limit_reached", reason=reason)
    token = ""
    if ask.feed == "new":
        watch, token = await store.create_feed(watch)
    elif ask.feed == "none":
        watch = watch.model_copy(update={"feed": ""})
    else:
        await store.renew_feed(watch)
    state = await store_watch(watch, known, ctx)
    if known is not None and known.feed != watch.feed:
        await store.revoke_feed(known.feed)
    await schedule(watch, ctx)
    return build_answer(watch, state, token, ctx)


def build_watch(ask: MonitorQuerySaveInput, ctx: Context) -> Watch:
    filters, provider = ask.filters or {}, (ask.provider or "").strip().lower()
    query = canonicalize_url(ask.query) if ask.kind == "page" else " ".join(ask.query.split())
    if not query:
        raise InvalidInput("query has no words.", field="query")
    now = ctx.services.clock()
    days = ask.ttl_days or min(MAX_DAYS, max(1, ctx.services.settings.monitoring_seconds // DAY))
    return Watch(
        id=build_watch_id(ask.kind, query, provider, filters),
        kind=ask.kind,
        query=query,
        provider=provider,
        filters=filters,
        every=(ask.every_hours or 24) * HOUR,
        created=now,
        until=now + days * DAY,
        days=days,
        session=ask.session or "",
    )


def renew_watch(known: Watch, draft: Watch, ask: MonitorQuerySaveInput) -> Watch:
    """Return the known watch, renewed from now; what the caller did not set stays."""
    changes: dict[str, float | int | str] = {"until": draft.until, "days": draft.days}
    if ask.every_hours is not None:
        changes["every"] = draft.every
    if ask.session is not None:
        changes["session"] = draft.session
    return known.model_copy(update=changes)


async def store_watch(watch: Watch, known: Watch | None, ctx: Context) -> WatchState:
    """Store the watch. What a first look finds counts as seen; if it fails, nothing is stored."""
    store = ctx.watches
    state = await store.load_state(watch.id) if known else None
    if state is not None:
        _, state = await store.update_state(watch.id, lambda found: found, watch.until)
        await store.put_definition(watch)
        return state
    try:
        state = merge_look(watch, WatchState(), await read_now(watch, ctx), ctx.services.clock()).drop_oldest()
    except BaseException:
        if known is None:
            await store.revoke_feed(watch.feed)
            await store.release(watch.id)
        raise
    await store.put(watch, state)
    return state


def build_answer(watch: Watch, state: WatchState, token: str, ctx: Context) -> MonitorQuerySaveOutput:
    return MonitorQuerySaveOutput(
        status="ok",
        id=watch.id,
        kind=watch.kind,
        query=watch.query,
        provider=watch.provider or None,
        seen_count=len(state.seen) or int(state.page is not None),
        saved_at=format_utc(ctx.services.clock()),
        expires_at=format_utc(watch.until),
        ttl_days=watch.days,
        every_hours=count_hours(watch),
        feed=build_feed_addresses(ctx.services.settings.public_url, token) if token else None,
    )
