"""Watch a query or a page, or change how it is watched."""

from contextlib import suppress
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from assay.consent.consent_views import ConsentNeeded
from assay.context import Context
from assay.errors import InvalidInput, Network
from assay.jobs.query_watch import schedule
from assay.jobs.watch_checks import merge_check, read_now, validate_watch
from assay.models.common import Cleared, Input, Output
from assay.monitoring.watch_records import Watch, WatchState, build_watch_id
from assay.monitoring.watch_store import ATTEMPTS, WatchLimit, WatchMissing, pause
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
from assay.state.ports import Conflict
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool
from assay.webhooks.webhook_endpoints import register_endpoint, rotate_secret

DAY = 24 * HOUR
MAX_DAYS, MAX_HOURS = 90, 90 * 24


class MonitorQuerySaveInput(Input):
    query: WatchQuery
    kind: Kind = "web"
    provider: Provider = None
    filters: Filters = None
    every_hours: Annotated[
        int | None, Field(alias="everyHours", ge=1, le=MAX_HOURS, description="Hours between two checks; 24 if unset.")
    ] = None
    ttl_days: Annotated[
        int | None, Field(alias="ttlDays", ge=1, le=MAX_DAYS, description="Days until the watch ends; 30 if unset.")
    ] = None
    feed: Annotated[
        Cleared[Literal["new", "none"]],
        Field(description="new: a new secret feed address; none: end it; unset: leave it."),
    ] = None
    webhook: Annotated[
        Cleared[Annotated[str, Field(max_length=2_000)]],
        Field(description="https URL that receives new results, signed; none: end it."),
    ] = None
    new_secret: Annotated[bool, Field(alias="newWebhookSecret", description="Replace the secret of the webhook.")] = (
        False
    )
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
    every_hours: Annotated[int | None, Field(description="Hours between two checks.")] = None
    feed: Annotated[
        FeedAddresses | None, Field(description="Secret addresses of the feed; they are shown this once.")
    ] = None

    webhook_secret: Annotated[
        str | None, Field(description="Signs messages to a new webhook (Standard Webhooks); it is shown this once.")
    ] = None


@tool(read_only=False, destructive=True, idempotent=False, flag="MONITORING_ENABLED")
async def monitor_query_save(ask: MonitorQuerySaveInput, ctx: Context) -> MonitorQuerySaveOutput:
    """Watch a query, an author or a page on a schedule: what it finds now counts as seen, and later results are new.
    monitor_query_check returns them; a feed, a webhook and a research session can receive them. Saving it again renews
    it."""
    store = ctx.own.watches
    if refusal := await ctx.refuse_without_consent("monitoring"):
        return MonitorQuerySaveOutput(status=refusal.status, reason=refusal.reason, consent=refusal.request)
    draft = build_watch(ask, ctx)
    validate_watch(draft, ctx)
    if ask.session is not None:
        await ctx.own.sessions.read(ask.session)  # raises if the session does not exist
    try:
        await store.reserve(draft.id, draft.until)
    except WatchLimit:
        most = ctx.services.settings.monitoring_most
        reason = f"You have {most} watches, the most that are allowed. Delete some with monitor_delete."
        return MonitorQuerySaveOutput(status="limit_reached", reason=reason)
    state = await load_or_create_state(draft, ctx)
    for attempt in range(ATTEMPTS):
        try:
            watch, secrets = await store_watch(ask, draft, ctx)
        except Conflict:  # another call stored the watch meanwhile
            await pause(attempt)
            continue
        await schedule(watch, ctx, last=state.last)
        return build_answer(watch, state, secrets, ctx)
    raise Network("Other calls are changing this watch. Call again.", retry_after=1)


def build_watch(ask: MonitorQuerySaveInput, ctx: Context) -> Watch:
    filters, provider = ask.filters or {}, (ask.provider or "").strip().lower()
    query = canonicalize_url(ask.query) if ask.kind == "page" else " ".join(ask.query.split())
    if not query:
        raise InvalidInput("query has no words; write what to search for.", field="query")
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


async def load_or_create_state(draft: Watch, ctx: Context) -> WatchState:
    """Return what was seen; for a new watch that is what a first check finds. If it fails, nothing is stored."""
    store = ctx.own.watches
    while True:
        with suppress(WatchMissing):
            return (await store.update_state(draft.id, lambda found: found, draft.until))[1]
        try:
            found = await read_now(draft, ctx)
            state = merge_check(draft, WatchState(), found, ctx.services.clock()).drop_oldest()
        except BaseException:
            if await store.load(draft.id) is None:
                await store.release(draft.id)
            raise
        with suppress(Conflict):  # another call saved the same watch
            await store.put_state(draft, state)
            return state


class NewSecrets(NamedTuple):
    """Secrets that were made for a watch, "" where none was."""

    feed_token: str = ""
    webhook: str = ""


async def store_watch(ask: MonitorQuerySaveInput, draft: Watch, ctx: Context) -> tuple[Watch, NewSecrets]:
    """Store the watch with those who receive its results; return it with new secrets. Raises Conflict."""
    store = ctx.own.watches
    known, version = await store.load_version(draft.id)
    watch = draft if known is None else renew_watch(known, draft, ask)
    token = ""
    if ask.feed == "new":
        watch, token = await store.create_feed(watch)
    elif ask.feed == "none":
        watch = watch.model_copy(update={"feed": ""})
    watch, secret = await set_webhook(ask, watch, ctx)
    try:
        await store.put(watch, version)
    except Conflict:
        if token:
            await store.revoke_feed(watch.feed)
        raise
    if not token:
        await store.renew_feed(watch)
    if known is not None and known.feed != watch.feed:
        await store.revoke_feed(known.feed)
    return watch, NewSecrets(token, secret)


async def set_webhook(ask: MonitorQuerySaveInput, watch: Watch, ctx: Context) -> tuple[Watch, str]:
    """Return the watch with the webhook that the caller named, and the secret of a new webhook."""
    if ask.webhook is None:
        return watch, ""
    if ask.webhook == "none":
        return watch.model_copy(update={"webhook": ""}), ""
    try:
        endpoint, is_new = await register_endpoint(ctx.services, ctx.caller, ask.webhook)
    except InvalidInput as wrong:
        raise InvalidInput(wrong.message, field="webhook") from None
    if ask.new_secret and not is_new:
        endpoint, is_new = await rotate_secret(ctx.services, ctx.caller, endpoint.id), True
    return watch.model_copy(update={"webhook": endpoint.id}), endpoint.secret if is_new else ""


def build_answer(watch: Watch, state: WatchState, secrets: NewSecrets, ctx: Context) -> MonitorQuerySaveOutput:
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
        feed=build_feed_addresses(ctx.services.settings.public_url, secrets.feed_token) if secrets.feed_token else None,
        webhook_secret=secrets.webhook or None,
    )
