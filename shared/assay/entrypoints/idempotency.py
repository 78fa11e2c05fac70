"""Idempotency-Key: a call that writes is made once, however often its request is sent.

The first request under a key runs; the same request later gets the stored answer. A call that failed gives its key
back, so that the request may be sent again.
"""

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from assay.context import Context
from assay.errors import InvalidInput, NotFound, RateLimited
from assay.invoke import Reply
from assay.state.best_effort_writes import attempt_to_store
from assay.state.idempotent_answers import KIND, build_answer_name, build_object_name, build_row_key
from assay.state.json_documents import Document, encode, load
from assay.state.owned_data import record_owner
from assay.state.ports import ROW_BYTES, Conflict
from assay.toolkit import tool_registry

HEADER = "idempotency-key"
REPLAYED = {"idempotency-replayed": "true"}
SECONDS = 24 * 3600  # how long an answer is stored
MARGIN = 60  # seconds beyond the time limit of a tool after which its call counts as lost
FORM = re.compile(r"[\x21-\x2b\x2d-\x7e]{1,255}")  # no comma: two headers are joined by one


class KeyReused(InvalidInput):
    """The key belongs to a different request."""

    status = 422


class StillRunning(RateLimited):
    """The first call with this key has not finished."""

    status = 409


def key_of(headers: Mapping[str, str], tool: str) -> str | None:
    """The Idempotency-Key of the call; None without one, or for a read-only tool. Raises InvalidInput."""
    key = headers.get(HEADER)
    if key is None or not _writes(tool):
        return None
    if not FORM.fullmatch(key):
        raise InvalidInput(
            "An Idempotency-Key is one header of 1 to 255 visible ASCII characters without a comma, such as a UUID.",
            field="Idempotency-Key",
        )
    return key


def _writes(tool: str) -> bool:
    try:
        return not tool_registry.find_tool(tool).read_only
    except NotFound:  # the call reports it
        return False


async def call_once(
    key: str, tool: str, arguments: Any, ctx: Context, call: Callable[[], Awaitable[Reply]]
) -> tuple[Reply, Document | None]:
    """Run `call` once per key: its reply, and None; or an empty reply, and the stored answer of the first call.

    Raises KeyReused if the key belongs to another request, StillRunning until the first call has finished.
    """
    reply = Reply()

    async def run() -> Document | None:
        nonlocal reply
        reply = await call()
        return None if reply.error is not None else reply.body()

    limit = tool_registry.find_tool(tool).limit.total_seconds()
    stored = await run_once(key, tool, arguments, ctx, run, limit=limit)
    return reply, stored


async def run_once(
    key: str,
    operation: str,
    request: Any,
    ctx: Context,
    run: Callable[[], Awaitable[Document | None]],
    *,
    limit: float,
    seconds: float = SECONDS,
) -> Document | None:
    """Run it once per caller, operation and key: None, or what the first run has returned, stored for `seconds`.

    A run that returns None or raises has failed, and gives the key back. One that has not ended after `limit` seconds
    counts as lost. Raises KeyReused if the key belongs to another request, StillRunning until the first run has ended.
    """
    table = ctx.services.table
    name = build_answer_name(ctx.caller.tenant, ctx.caller.user, operation, key)
    row = build_row_key(ctx.caller.tenant, name)
    digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
    lost = ctx.services.clock() + limit + MARGIN
    try:
        version = await table.put(row, "-", encode({"request": digest}), until=lost, expect=0)
    except Conflict:
        return await _load_answer(row, digest, ctx)
    try:
        body = await run()
    except Exception:
        with attempt_to_store("idempotency"):
            await table.delete(row, expect=version)
        raise
    with attempt_to_store("idempotency"):
        if body is None:
            await table.delete(row, expect=version)
        else:
            await _store(row, name, {"request": digest, "body": body}, ctx, ctx.services.clock() + seconds)
    return None


async def _store(row: str, answer: str, document: Document, ctx: Context, until: float) -> None:
    owner = (ctx.caller.tenant, ctx.caller.user)
    await record_owner(ctx.services.table, *owner, KIND, answer, until=until)
    body = encode(document)
    if len(body) + len(row) > ROW_BYTES:
        name = build_object_name(answer)
        await ctx.services.bucket.put(name, body, content_type="application/json", until=until)
        body = encode({"request": document["request"], "name": name})
    await ctx.services.table.put(row, "-", body, until=until)


async def _load_answer(row: str, request: str, ctx: Context) -> Document:
    """The answer stored in the row. Raises KeyReused or StillRunning."""
    known = await load(ctx.services.table, row)
    if known is not None and known["request"] != request:
        raise KeyReused(
            "This Idempotency-Key was sent with another request. Send a new key with a new request.",
            field="Idempotency-Key",
        )
    if known is not None and "name" in known:
        body = await ctx.services.bucket.get(known["name"])
        known = None if body is None else json.loads(body)
    if known is None or "body" not in known:
        raise StillRunning("The call with this Idempotency-Key is still running. Send it again later.", retry_after=2)
    answer: Document = known["body"]
    return answer
