"""The one way a tool runs: every door comes through here."""

import json
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.context import Context
from assay.errors import Forbidden, InvalidInput, Network, ToolError
from assay.state import artifacts, rate_limit
from assay.state.audit import Call
from assay.state.best_effort_writes import attempt_to_store, collect_unsaved
from assay.state.cache import fresh_meta
from assay.state.call_memo import open_memo
from assay.state.event_loop import is_running
from assay.state.json_documents import Document
from assay.state.tenant import working_for
from assay.toolkit import tool_registry

if TYPE_CHECKING:  # pydantic is paid for by the first call, not by the start
    from assay.toolkit.tool import Tool

log = logging.getLogger("assay")
LEAST_TEXT = 16_000  # bytes of an answer's text that are worth more than a link to the answer


@dataclass
class Reply:
    """An answer, or a failure. `wire` is the JSON object, `text` what a model reads, `meta` what stands beside both."""

    wire: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    error: ToolError | None = None
    linked: artifacts.Artifact | None = None

    def body(self) -> dict[str, Any]:
        """The reply as one JSON object: the answer with its `_meta`, or the error envelope."""
        if self.error is not None:
            return self.error.wire()
        return self.wire | {"_meta": self.meta} if self.meta else self.wire


type Find = Callable[[str], "Tool[Any, Any]"]


async def invoke(name: str, arguments: Any, ctx: Context, find: Find = tool_registry.find_tool) -> Reply:
    """Answer with the tool `name`. Never raises: a failure is a reply too."""
    began = time.perf_counter()
    with collect_unsaved() as unsaved:
        reply = await reply_to(name, arguments, ctx, find)
    if unsaved:
        reply.meta["notStored"] = sorted(unsaved)
    emit_audit(name, arguments, reply, time.perf_counter() - began, ctx)
    return reply


async def reply_to(name: str, arguments: Any, ctx: Context, find: Find) -> Reply:
    try:
        return await execute(find(name), arguments, ctx)
    except ToolError as failure:
        return Reply(error=failure.detach(), meta=ctx.cache_entry.meta(ctx.services.clock()) if ctx.cache_entry else {})
    except Exception:  # the one place that must not let anything pass
        number = ctx.request_id or str(uuid.uuid4())
        log.exception("%s broke in request %s", name, number)
        told = f"{name} failed unexpectedly; its operator finds the reason in the log, under request {number}."
        return Reply(error=ToolError(told))


async def execute(tool: "Tool[Any, Any]", arguments: Any, ctx: Context) -> Reply:
    await admit(tool, ctx)
    given = parse(tool, arguments)
    try:
        with ctx.budget.open(), working_for(ctx.caller.tenant), open_memo():
            document = await with_timeout(tool, given, ctx)
    except ToolError as failure:
        await record_session(given, {"sources": []}, ctx, failure)
        raise
    await record_session(given, document, ctx)
    meta = meta_of(tool, ctx)
    return await offload_if_large(tool, given, document, meta, ctx)


async def admit(tool: "Tool[Any, Any]", ctx: Context) -> None:
    """The caller's scopes reach this tool, and the tenant has calls left."""
    reach = {"*", "tool:*", f"tool:{tool.name}", *tool.toolsets}
    if not ctx.caller.scopes & reach:
        raise Forbidden(f"This key's scopes do not reach {tool.name}; it takes tool:{tool.name} or tool:*.")
    await rate_limit.check_quota(ctx.services.table, ctx.services.settings, ctx.caller.tenant, ctx.services.clock())


def parse(tool: "Tool[Any, Any]", arguments: Any) -> Any:
    if not isinstance(arguments, Mapping):
        raise InvalidInput(f"{tool.name} takes a JSON object of arguments.", field="arguments")
    return tool.parse(arguments)


async def with_timeout(tool: "Tool[Any, Any]", given: Any, ctx: Context) -> Document:
    """The tool's document before the tool's limit and the door's deadline."""
    if not is_running():  # nothing could end it, and nobody waits but its caller
        return await ctx.document(tool, given)
    import asyncio

    loop = asyncio.get_running_loop()
    seconds = min(tool.limit.total_seconds(), ctx.time_left())
    ctx.deadline = loop.time() + seconds
    try:
        async with asyncio.timeout(seconds):
            return await ctx.document(tool, given)
    except TimeoutError:
        raise Network(
            f"{tool.name} took longer than the {seconds:.0f} seconds it has. Call again, or ask for less.",
            retry_after=5,
        ) from None


async def record_session(given: Any, document: Document, ctx: Context, failure: ToolError | None = None) -> None:
    """Tell the session that the call names what was met, and how it went unless that was told of it before."""
    session = getattr(given, "session_id", None)
    if not session:
        return
    from assay.sessions.call_outcomes import of_call

    went = of_call(
        ctx.services.clock(),
        asked=ctx.budget.asked,
        failure=failure,
        url=getattr(given, "url", None) if failure or not ctx.cache_entry else None,
        missed=document.get("wire", {}).get("scrapeFailures") or (),
    )
    with attempt_to_store("session"):
        if not await ctx.sessions.note(session, document["sources"], went):
            ctx.meta["sessionNotFound"] = True


def meta_of(tool: "Tool[Any, Any]", ctx: Context) -> dict[str, Any]:
    if ctx.budget.dollars:
        ctx.meta["costUsd"] = ctx.budget.dollars
    if ctx.cache_entry is not None:
        return ctx.cache_entry.meta(ctx.services.clock()) | ctx.meta
    if tool.fresh_meta and tool.cache is not None:
        return fresh_meta(tool.cache) | ctx.meta
    return dict(ctx.meta)


async def offload_if_large(
    tool: "Tool[Any, Any]", given: Any, document: Document, meta: dict[str, Any], ctx: Context
) -> Reply:
    """The answer, or a summary with a link where the answer would fill the reader's window.

    Where only the JSON has room for all, the text is cut and says where the rest is.
    """
    wire, text = document["wire"], document["text"]
    body = json.dumps(wire, ensure_ascii=False, separators=(",", ":"))
    text = body if text is None else text
    settings = ctx.services.settings
    size = len(body.encode())
    # A reader gets the text or the JSON, never both, and the text says nothing twice.
    is_large = tool.heavy(given) and len(text.encode()) >= settings.link_bytes
    room = ctx.answer_bytes - size if ctx.answer_bytes else None  # for the text
    is_large = is_large or size >= settings.link_always_bytes or (room is not None and room < LEAST_TEXT)
    if ctx.allow_large or not (is_large or (room is not None and artifacts.json_size(text) > room)):
        return Reply(wire, text, meta)
    artifact = None
    with attempt_to_store("artifact"):
        artifact = await artifacts.store(ctx.services.bucket, ctx.caller.tenant, body.encode(), ctx.services.clock())
    if artifact is None:  # nothing to link to
        return Reply(wire, text, meta)
    link = artifacts.build_link(wire, text, document["short"], artifact)
    shown = json.dumps(link, ensure_ascii=False, separators=(",", ":"))
    if is_large or room is None:
        return Reply(link, shown, meta, linked=artifact)
    return Reply(
        wire, shown if document["text"] is None else artifacts.cut_text(text, room, artifact), meta, linked=artifact
    )


def emit_audit(name: str, arguments: Any, reply: Reply, seconds: float, ctx: Context) -> None:
    """Tell the observers. The question itself is never told, only how long it was."""
    query = arguments.get("query", arguments.get("q", "")) if isinstance(arguments, Mapping) else ""
    call = Call(
        at=ctx.services.clock(),
        tool=name if name in tool_registry.tool_names() else "unknown",
        tenant=ctx.caller.tenant,
        user=ctx.caller.user,
        door=ctx.door,
        request_id=ctx.request_id,
        seconds=seconds,
        error=reply.error.kind if reply.error else None,
        cached=bool(reply.meta.get("cached")),
        query_length=len(query) if isinstance(query, str) else 0,
        provider=reply.error.provider if reply.error else ",".join(ctx.budget.providers) or None,
        cost_usd=ctx.budget.dollars,
        not_stored=tuple(reply.meta.get("notStored", ())),
    )
    for observer in ctx.services.observers:
        observer(call)
