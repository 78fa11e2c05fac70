"""MCP of the local server: ordinary calls by the thin engine, calls that want progress as a stream by the SDK's."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Mapping, MutableMapping
from typing import Any

from assay.context import Caller, Services
from assay.doors.gate import Receive, Scope, Send
from assay.doors.mcp.answers import Exchange
from assay.doors.mcp.catalogue import Catalogue
from assay.doors.mcp.engine import EXCHANGE, manager_for, server_for
from assay.doors.mcp.eras import ASSUMED, check_legacy, check_modern, envelope_of, is_modern
from assay.doors.mcp.http import STREAM_TYPES, Answer, Post, accepts, admit, refused
from assay.doors.mcp.rpc import Refused, decoded, failed, message_of, written
from assay.doors.mcp.thin import exchanged
from assay.errors import ToolError


class LocalMcp:
    """An ASGI application for one URL. Hold `running()` open as long as it serves."""

    def __init__(self, services: Services, catalogue: Catalogue | None = None) -> None:
        self._services = services
        self._catalogue = catalogue or Catalogue()
        server = server_for(Exchange(self._catalogue, services, Caller(), ASSUMED))
        self._streams = manager_for(server, streams=True)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._streams.run():
            yield

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one POST; anything else is refused at once, so that no GET waits for a stream that never comes."""
        body = await body_of(receive) if scope["method"] == "POST" else b""
        if body is None:
            return
        post = Post(headers_of(scope), body, scope.get("query_string", b"").decode("latin-1"), scope["method"])
        try:
            exchange = admit(post, self._services, self._catalogue)
            document = decoded(body)
        except ToolError as failure:
            await sent(refused(failure), send)
        except Refused as refusal:
            await sent(Answer(400, written(failed(None, refusal))), send)
        else:
            await self._answered(document, post, exchange, {**scope, EXCHANGE: exchange}, receive, send)

    async def _answered(
        self, document: Any, post: Post, exchange: Exchange, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if b'"progressToken"' in post.body and wants_stream(document, post.headers, exchange.version):
            await self._streams.handle_request(scope, again(post.body, receive), send)
            return
        answer = await while_heard(exchanged(document, post.headers, exchange), receive)
        if answer is not None:
            await sent(answer, send)


def headers_of(scope: Scope) -> dict[str, str]:
    """Lower-case names; a header sent twice is joined by commas, and so never passes for one sent once."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name, text = raw.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")
        found[name] = f"{found[name]},{text}" if name in found else text
    return found


async def body_of(receive: Receive) -> bytes | None:
    """The whole body, None when the client left before its end."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def again(body: bytes, receive: Receive) -> Receive:
    """`receive` that begins with the body once more."""
    first: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> MutableMapping[str, Any]:
        return first.pop() if first else await receive()

    return replayed


def wants_stream(document: Any, headers: Mapping[str, str], version: str) -> bool:
    """A sound call of a tool whose client asks for progress and can read a stream of it."""
    try:
        message = message_of(document)
        (check_modern if is_modern(version) else check_legacy)(message, headers)
    except Refused:
        return False
    token = envelope_of(message.params).get("progressToken")
    is_token = isinstance(token, int | str) and not isinstance(token, bool)
    return is_token and message.id is not None and message.method == "tools/call" and accepts(headers, STREAM_TYPES)


async def while_heard[T](work: Awaitable[T], receive: Receive) -> T | None:
    """What comes of the work; None, and the work cancelled, when the client hangs up first."""
    task, left = asyncio.ensure_future(work), asyncio.ensure_future(receive())
    try:
        await asyncio.wait({task, left}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        for one in (task, left):
            one.cancel()


async def sent(answer: Answer, send: Send) -> None:
    headers = {"content-length": str(len(answer.body)), "x-content-type-options": "nosniff", **answer.headers}
    if answer.body:
        headers["content-type"] = "application/json"
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
    await send({"type": "http.response.body", "body": answer.body})
