"""Checks watched queries and pages, stores new results, and sends them to sessions and webhooks."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from assay.context import Context
from assay.errors import ConfigError, InvalidInput, NotFound, RateLimited, UpstreamFailed
from assay.models.common import TRUST
from assay.monitoring.novelty import WatchResult, merge_results
from assay.monitoring.page_changes import merge_missing_page, merge_page, split_passages
from assay.monitoring.watch_records import FoundItem, PageState, Watch, WatchState
from assay.monitoring.watch_store import WatchMissing
from assay.monitoring.watch_views import build_new_result
from assay.net.urls import canonicalize_url
from assay.sessions.watchlist import is_live
from assay.state.event_loop import run_blocking
from assay.state.ports import Conflict
from assay.text.tokenize import extract_terms
from assay.toolkit.tool_registry import find_tool
from assay.toolkit.tool_scopes import require_scope
from assay.webhooks.webhook_endpoints import load_endpoint
from assay.webhooks.webhook_outbox import queue_delivery

log = logging.getLogger("assay")
EVENT = "watch.new_results"
RESERVED_FILTERS = ("query", "num_results", "provider", "sessionId", "session_id")
MISSING = "The page says that it does not exist."
PARTIAL = "The page could be read in part only, which does not show a change. The check is repeated later."


class SearchKind(NamedTuple):
    """The tool of a kind of watch, how many results a check asks for, and further arguments.

    `by_text`: results with similar texts are the same story; records such as filings differ in few words.
    """

    tool: str
    results: int
    by_text: bool = False
    arguments: Mapping[str, str] = {}


NEWEST = {"sort_by": "date"}
KINDS = {
    "web": SearchKind("web_search", 10, by_text=True),
    "news": SearchKind("news_search", 20, by_text=True, arguments=NEWEST),
    "academic": SearchKind("academic_search", 10, arguments=NEWEST),
    "author": SearchKind("academic_search", 10, arguments=NEWEST),
    "patent": SearchKind("patent_search", 10),
    "filing": SearchKind("filing_search", 10),
    "case": SearchKind("legal_search", 20),
    "trial": SearchKind("clinical_search", 20),
}


class CheckResult(NamedTuple):
    """What a check read: the results of a search, or a page. `missing` says that the page is missing, or that what was
    read in its place says so.
    """

    began: float
    results: list[WatchResult]
    page: PageState | None = None
    missing: NotFound | None = None


def validate_watch(watch: Watch, ctx: Context) -> None:
    """Raises InvalidInput for a search that its tool refuses, InsufficientScope where the caller may not use it."""
    if watch.kind == "page":
        canonicalize_url(watch.query)
        if watch.filters or watch.provider:
            raise InvalidInput("A watched page takes no filters and no provider; leave them out.", field="filters")
        require_scope(find_tool("scrape_page"), ctx.caller.scopes)
        return
    tool = find_tool(KINDS[watch.kind].tool)
    require_scope(tool, ctx.caller.scopes)
    if wrong := [name for name in RESERVED_FILTERS if name in watch.filters]:
        raise InvalidInput(f"filters must not have {wrong[0]}; leave it out.", field="filters")
    tool.parse(_build_arguments(watch))


def _build_arguments(watch: Watch) -> dict[str, Any]:
    kind = KINDS[watch.kind]
    chosen = {"query": watch.query, "num_results": kind.results}
    return {**kind.arguments, **watch.filters, **chosen, **({"provider": watch.provider} if watch.provider else {})}


async def read_now(watch: Watch, ctx: Context) -> CheckResult:
    """Search or read the page now, past all caches. Raises the errors of the tool; an outage is never a result."""
    began = ctx.services.clock()
    if watch.kind == "page":
        return await _read_page(watch.query, began, ctx)
    tool = find_tool(KINDS[watch.kind].tool)
    answer = await tool.run(tool.parse(_build_arguments(watch)), ctx)
    snippets = dict(_iter_snippets(answer.wire()))
    results = [
        WatchResult(
            source.url, source.title or "", snippets.get(source.url, ""), source.author or "", source.date or ""
        )
        for source in answer.sources()
        if source.url
    ]
    if watch.kind == "author":
        results = [result for result in results if _is_by(watch.query, result.author)]
    return CheckResult(began, results)


async def _read_page(url: str, began: float, ctx: Context) -> CheckResult:
    try:
        page = await ctx.scrape.read(url, "read", seconds=ctx.time_left())
    except NotFound as missing:
        return CheckResult(began, [], missing=missing)
    passages = await run_blocking(split_passages, page.content)
    state = PageState(read=began, url=page.url, title=page.title[:300], quality=page.quality, passages=passages)
    return CheckResult(began, [], state, NotFound(page.access_note or MISSING) if page.missing else None)


def _iter_snippets(wire: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield URL and short text of each result in the answer."""
    for entries in wire.values():
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(url := entry.get("url"), str):
                text = entry.get("snippet") or entry.get("abstract") or ""
                yield url, text if isinstance(text, str) else ""


def _is_by(name: str, authors: str) -> bool:
    """Whether the listed authors include the family name, which is the last word or the one before a comma."""
    family = extract_terms(name.partition(",")[0])[-1:]
    return bool(family) and family[0] in extract_terms(authors)


def merge_check(watch: Watch, state: WatchState, found: CheckResult, now: float) -> WatchState:
    """Return the state with what the check read.

    Raises UpstreamFailed for a page of which less was read, NotFound for one that was missing from the start.
    """
    was_whole = state.page is not None and state.page.quality == "complete"
    if found.page is not None and not (was_whole and found.missing):
        if was_whole and found.page.quality != "complete":
            raise UpstreamFailed(PARTIAL)
        return merge_page(state, watch.query, found.page, now)
    if found.missing is None:
        return merge_results(state, found.results, now, by_text=watch.kind in KINDS and KINDS[watch.kind].by_text)
    if state.page is None:
        raise found.missing
    return merge_missing_page(state, state.page, found.missing.sentence(), found.began, now)


async def check_watch(watch: Watch, ctx: Context, *, take_unread: bool = False) -> tuple[WatchState, list[FoundItem]]:
    """Check now and store what is new. Return the state, and the new items: of this check, or with `take_unread` all
    that no call has returned before, which then are read.

    Checks at the same time store each new item once, and one call returns it. Raises WatchMissing, and NotFound for a
    page that is missing for the first time.
    """
    found = await read_now(watch, ctx)

    def edit(state: WatchState) -> WatchState:
        merged = merge_check(watch, state, found, ctx.services.clock())
        if not take_unread or _is_unsure(found, merged):
            return merged
        items = [item.model_copy(update={"is_unread": False}) for item in merged.items]
        return merged.model_copy(update={"items": items, "dropped": 0})

    try:
        before, after = await ctx.own.watches.update_state(watch.id, edit, watch.until)
    except WatchMissing:
        return await begin_anew(watch, found, ctx), []
    known = {item.id for item in before.items if not (take_unread and item.is_unread)}
    new = [item for item in after.items if item.id not in known]
    if any(item.is_pending for item in after.items):
        await pass_on(watch, after, ctx)
    if found.missing is not None and _is_unsure(found, after):
        raise found.missing
    if take_unread:
        return after.model_copy(update={"dropped": before.dropped}), new
    return after, new


def _is_unsure(found: CheckResult, state: WatchState) -> bool:
    """Whether the check found the page missing, which a later one has to confirm."""
    return found.missing is not None and state.missing_since > 0 and not state.is_missing


async def begin_anew(watch: Watch, found: CheckResult, ctx: Context) -> WatchState:
    """Store what a check read as the first state of a watch: a call that deleted it took its state away, while another
    saved it again. Raises WatchMissing if the watch was deleted.
    """
    if await ctx.own.watches.load(watch.id) is None:
        raise WatchMissing(watch.id)
    state = merge_check(watch, WatchState(), found, ctx.services.clock()).drop_oldest()
    with suppress(Conflict):  # another check was faster
        await ctx.own.watches.put_state(watch, state)
    return state


async def pass_on(watch: Watch, state: WatchState, ctx: Context) -> None:
    """Give the pending items to the session and the webhook of the watch; a repetition has no further effect."""
    pending = [item for item in state.items if item.is_pending]
    caller, table = ctx.caller, ctx.services.table
    if watch.session and await is_live(table, caller.tenant, caller.user, watch.session):
        await ctx.own.sessions.note(watch.session, [build_source(item) for item in pending if item.change != "missing"])
    ids = await queue_webhook_messages(watch, pending, ctx)

    def edit(known: WatchState) -> WatchState:
        items = [item.model_copy(update={"is_pending": False}) if item.id in ids else item for item in known.items]
        return known.model_copy(update={"items": items})

    await ctx.own.watches.update_state(watch.id, edit, watch.until)


async def queue_webhook_messages(watch: Watch, pending: list[FoundItem], ctx: Context) -> set[str]:
    """Queue one message for the items of each check; return the ids of the items that need no further attempt."""
    everything = {item.id for item in pending}
    if not watch.webhook:
        return everything
    try:
        endpoint = await load_endpoint(ctx.services.table, ctx.caller.tenant, ctx.caller.user, watch.webhook)
    except NotFound:  # its address was removed
        return everything
    done: set[str] = set()
    for batch in dict.fromkeys(item.batch for item in pending):
        items = [item for item in pending if item.batch == batch]
        results = [build_new_result(item).wire() for item in items]
        data = {"watchId": watch.id, "kind": watch.kind, "query": watch.query, "newResults": results, "trust": TRUST}
        name = f"{EVENT}:{watch.id}:{watch.created}:{batch}"
        try:
            await queue_delivery(ctx.services, ctx.caller, endpoint, EVENT, data, name=name)
        except (RateLimited, ConfigError):  # the next check tries again
            break
        except InvalidInput:  # too large for a message; checks and the feed have the items
            log.warning("the new results of a watch exceed a webhook message")
        done |= {item.id for item in items}
    return done


def build_source(item: FoundItem) -> dict[str, str]:
    fields = {"url": item.url, "title": item.title, "author": item.author, "date": item.date, "relevance": "watch"}
    return {name: value for name, value in fields.items() if value}
