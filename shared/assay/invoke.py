"""Runs a tool: scopes, quota, validation, cache, time limit, budget and audit, for every entry point."""

import hashlib
import logging
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.context import Context
from assay.errors import CallContinues, InvalidInput, Network, ToolError
from assay.state import artifacts
from assay.state.audit import Call
from assay.state.best_effort_writes import attempt_to_store, collect_unsaved
from assay.state.cache import build_fresh_meta
from assay.state.call_memo import open_memo
from assay.state.event_loop import is_running
from assay.state.json_documents import Document
from assay.state.spans import open_call_span
from assay.state.tenant import working_for
from assay.state.trace_context import ensure_trace
from assay.text.json_encoding import encode_json
from assay.tool_calls.call_answer import build_answer, read_short
from assay.toolkit import tool_registry
from assay.toolkit.person_form import FormRequired

if TYPE_CHECKING:  # importing pydantic would slow down cold starts
    from assay.toolkit.tool import Tool

log = logging.getLogger("assay")
HANDOVER_SECONDS = 2.0  # of an entry point's deadline, to store a call for a worker
MIN_TEXT_BYTES = 16_000  # with less room for the text than this, a link to the answer is more useful

SESSION_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SERVERS = frozenset({"mcp", "https", "console", "schedule"})  # entry points whose calls are counted for statistics


@dataclass
class Reply:
    """The result of a call, or its `error`. `wire` is the JSON object, `text` is for models, `meta` is `_meta`.

    `linked` is the artifact that holds the whole answer if `wire` or `text` were shortened. `answer` is the whole
    answer with what shortening it takes, for entry points that store it.
    """

    wire: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    error: ToolError | None = None
    linked: artifacts.Artifact | None = None
    answer: Document | None = None

    def body(self) -> dict[str, Any]:
        """The reply as one JSON object: the answer with `_meta`, or the error envelope."""
        if self.error is not None:
            return self.error.wire()
        return self.wire | {"_meta": self.meta} if self.meta else self.wire


type Find = Callable[[str], "Tool[Any, Any]"]


async def invoke(name: str, arguments: Any, ctx: Context, find: Find = tool_registry.find_tool) -> Reply:
    """Run the tool `name` with JSON `arguments` for the caller of `ctx`. Never raises: a failure is `Reply.error`."""
    tool = name if name in tool_registry.tool_names() else "unknown"
    with ensure_trace(), open_call_span(ctx.services.settings, tool, ctx.entrypoint) as span:
        reply = await reply_and_record(name, arguments, ctx, find)
        if reply.error is not None:
            span.set_error(reply.error.kind)
    return reply


async def reply_and_record(name: str, arguments: Any, ctx: Context, find: Find) -> Reply:
    """The reply of the tool, once the call was counted and audited."""
    began = time.perf_counter()
    with collect_unsaved() as unsaved:
        reply = await reply_to(name, arguments, ctx, find)
        await count_usage(name, ctx)
    if unsaved:
        reply.meta["notStored"] = sorted(unsaved)
    call = emit_audit(name, arguments, reply, time.perf_counter() - began, ctx)
    await record_statistics(call, reply.error, ctx)
    return reply


async def count_usage(name: str, ctx: Context) -> None:
    """Count the call for the caller, where the operator has enabled it and the caller consented."""
    if not ctx.services.settings.analytics_enabled or name not in tool_registry.tool_names():
        return
    from assay.consent.consent_gate import find_refusal

    with attempt_to_store("analytics"):
        if await find_refusal(ctx.own.consents, "analytics") is None:
            await ctx.own.usage.count(name)


async def record_statistics(call: Call, error: ToolError | None, ctx: Context) -> None:
    """Count the call among those of its tenant, and store its error. Calls of a command line or program are not."""
    if call.entrypoint not in SERVERS:
        return
    with attempt_to_store("statistics"):
        await ctx.services.call_history.record(call)  # writes every few seconds only
    with attempt_to_store("statistics"):
        await ctx.services.statistics.record(call)
        if error is not None:
            from assay.statistics.recent_errors import record_error

            await record_error(ctx.services.table, call, error)


async def reply_to(name: str, arguments: Any, ctx: Context, find: Find) -> Reply:
    """The reply of the tool, with every exception turned into an error reply."""
    try:
        return await execute(find(name), arguments, ctx)
    except ToolError as failure:
        return Reply(error=failure.detach(), meta=ctx.cache_entry.meta(ctx.services.clock()) if ctx.cache_entry else {})
    except Exception:  # the entry points rely on a reply, whatever is wrong in a tool
        number = ctx.request_id or str(uuid.uuid4())
        log.exception("%s failed unexpectedly, request id %s", name, number)
        message = f"{name} failed unexpectedly; see the server log, request id {number}."
        return Reply(error=ToolError(message))


async def execute(tool: "Tool[Any, Any]", arguments: Any, ctx: Context) -> Reply:
    """Check the caller, validate the arguments, run the tool and build the reply. Raises ToolError."""
    await admit(tool, ctx)
    validated = parse(tool, arguments)
    try:
        with ctx.budget.open(), working_for(ctx.caller.tenant), open_memo():
            document = await with_timeout(tool, arguments, validated, ctx)
    except (CallContinues, FormRequired):
        raise
    except ToolError as failure:
        await record_session(validated, {"sources": []}, ctx, failure)
        raise
    await record_session(validated, document, ctx)
    answer = build_answer(document, meta_of(tool, ctx), is_heavy=tool.heavy(validated))
    return await build_reply(answer, ctx)


async def admit(tool: "Tool[Any, Any]", ctx: Context) -> None:
    """Raises Forbidden when the caller may not call the tool, QuotaExceeded when no calls, or polls, are left."""
    ctx.caller.check_access(tool)
    await (ctx.count_poll() if tool.polls else ctx.charge())


def parse(tool: "Tool[Any, Any]", arguments: Any) -> Any:
    """The arguments as the tool's input model. Raises InvalidInput that names the field."""
    if not isinstance(arguments, Mapping):
        raise InvalidInput(f"{tool.name} takes a JSON object of arguments.", field="arguments")
    return tool.parse(arguments)


async def with_timeout(tool: "Tool[Any, Any]", arguments: Any, validated: Any, ctx: Context) -> Document:
    """Run the tool within its own limit and the caller's deadline. Raises Network when the time is over.

    Where the deadline of the entry point ends the call early, a worker makes it again. Raises CallContinues then.
    """
    if not is_running():  # without an event loop nothing can interrupt the call
        return await ctx.document(tool, validated)
    import asyncio

    loop = asyncio.get_running_loop()
    limit, left = tool.limit.total_seconds(), ctx.time_left()
    can_continue = tool.background and ctx.can_fetch_later and left < limit and ctx.services.queue is not None
    seconds = left - HANDOVER_SECONDS if can_continue else min(limit, left)
    # A tool that knew of the earlier deadline would shorten its answer instead of using the worker's time.
    ctx.deadline = loop.time() + (limit if can_continue else seconds)
    try:
        async with asyncio.timeout(seconds):
            return await ctx.document(tool, validated)
    except TimeoutError:
        if not can_continue:
            raise Network(
                f"{tool.name} exceeded its time limit of {seconds:.0f} seconds. Call again, or ask for less.",
                retry_after=5,
            ) from None
    from assay.tool_calls.call_start import continue_call

    raise await continue_call(ctx, tool, arguments)


async def record_session(arguments: Any, document: Document, ctx: Context, failure: ToolError | None = None) -> None:
    """Record the sources and the outcome of the call in the research session that `arguments` names, if any."""
    session = getattr(arguments, "session_id", None)
    if not session:
        return
    from assay.sessions.call_outcomes import build_outcomes

    outcomes = build_outcomes(
        ctx.services.clock(),
        requests=ctx.budget.requests,
        failure=failure,
        url=getattr(arguments, "url", None) if failure or not ctx.cache_entry else None,
        missed=document.get("wire", {}).get("scrapeFailures") or (),
    )
    with attempt_to_store("session"):
        if not await ctx.own.sessions.note(session, document["sources"], outcomes):
            ctx.meta["sessionNotFound"] = True


def meta_of(tool: "Tool[Any, Any]", ctx: Context) -> dict[str, Any]:
    """The `_meta` of a successful reply: cost, cache state, and what the tool added."""
    if ctx.budget.dollars:
        ctx.meta["costUsd"] = ctx.budget.dollars
    if ctx.cache_entry is not None:
        return ctx.cache_entry.meta(ctx.services.clock()) | ctx.meta
    if tool.fresh_meta and tool.cache is not None:
        return build_fresh_meta(tool.cache) | ctx.meta
    return dict(ctx.meta)


async def build_reply(answer: Document, ctx: Context) -> Reply:
    """The answer, or a summary and a link to an artifact where the answer is too large for a model's context.

    If the JSON fits and the text does not, only the text is cut; it ends with how to read the rest.
    """
    wire, text, meta = answer["wire"], answer["text"], answer["meta"]
    body = encode_json(wire)
    text = body.decode() if text is None else text
    settings = ctx.services.settings
    size = len(body)
    # A model reads either the text or the JSON, so the text alone decides whether an answer is large.
    is_large = answer["is_heavy"] and len(text.encode()) >= settings.link_bytes
    room = ctx.answer_bytes - size if ctx.answer_bytes else None  # for the text
    is_large = is_large or size >= settings.link_always_bytes or (room is not None and room < MIN_TEXT_BYTES)
    if ctx.allow_large or not (is_large or (room is not None and artifacts.measure_json(text) > room)):
        return Reply(wire, text, meta, answer=answer)
    artifact = None
    with attempt_to_store("artifact"):
        artifact = await ctx.store_artifact(body)
    if artifact is None:  # nothing to link to
        return Reply(wire, text, meta)
    link = artifacts.build_link(wire, text, read_short(answer), artifact)
    link_text = encode_json(link).decode()
    if is_large or room is None:
        return Reply(link, link_text, meta, linked=artifact)
    return Reply(
        wire, link_text if answer["text"] is None else artifacts.cut_text(text, room, artifact), meta, linked=artifact
    )


def hash_query(query: Any) -> str | None:
    return hashlib.sha256(query.encode(errors="replace")).hexdigest() if isinstance(query, str) and query else None


def _find_session(arguments: Any, reply: Reply) -> str | None:
    """The id of the research session that the call began or used; None for a text that is no id."""
    named = reply.wire if reply.error is None and "sessionId" in reply.wire else arguments
    session = named.get("sessionId") if isinstance(named, Mapping) else None
    return session if isinstance(session, str) and SESSION_ID.fullmatch(session) else None


def emit_audit(name: str, arguments: Any, reply: Reply, seconds: float, ctx: Context) -> Call:
    """Send the audit event to the observers and return it. It has the length of the query, never its text."""
    query = arguments.get("query", arguments.get("q", "")) if isinstance(arguments, Mapping) else ""
    call = Call(
        at=ctx.services.clock(),
        tool=name if name in tool_registry.tool_names() else "unknown",
        tenant=ctx.caller.tenant,
        user=ctx.caller.user,
        entrypoint=ctx.entrypoint,
        request_id=ctx.request_id,
        seconds=seconds,
        error=reply.error.kind if reply.error else ctx.refusal or None,
        cached=bool(reply.meta.get("cached")),
        query_length=len(query) if isinstance(query, str) else 0,
        query_hash=hash_query(query) if ctx.services.settings.audit_query_hash else None,
        provider=reply.error.provider if reply.error else ",".join(ctx.budget.providers) or None,
        cost_usd=ctx.budget.dollars,
        not_stored=tuple(reply.meta.get("notStored", ())),
        session=_find_session(arguments, reply),
        uses=ctx.budget.list_uses(),
    )
    for observer in ctx.services.observers:
        observer(call)
    return call
