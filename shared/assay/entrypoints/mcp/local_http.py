"""MCP over HTTP on the local server. Responses are JSON, or server-sent events if the client asks for progress."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from assay.entrypoints.http.host_origin_guard import Receive, Scope, Send
from assay.entrypoints.http.rate_limit_headers import format_quotas
from assay.entrypoints.mcp.client_requests import ClientRequests
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.http_checks import STREAM_TYPES, HttpReply, Post, accepts, admit, to_error_response
from assay.entrypoints.mcp.in_flight import CANCELLED, InFlight
from assay.entrypoints.mcp.jsonrpc import (
    REQUEST_CANCELLED,
    RpcError,
    RpcMessage,
    encode_document,
    error_response,
    message_of,
    parse_json,
)
from assay.entrypoints.mcp.list_cache import load_cached
from assay.entrypoints.mcp.progress import report_for
from assay.entrypoints.mcp.protocol_versions import is_modern
from assay.entrypoints.mcp.stateless_server import handle_document
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.entrypoints.mcp.tool_selection import find_endpoint_path
from assay.errors import ToolError
from assay.services import Services
from assay.state.trace_context import continue_trace

SESSION_HEADER = "mcp-session-id"
PING_SECONDS = 15.0  # between comments on an idle stream, so that proxies do not close it
STALL_SECONDS = 30.0  # in which a client has to take what is sent to it
STREAM_HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
}


class LocalMcp:
    """The ASGI application of the MCP endpoint."""

    def __init__(
        self,
        services: Services,
        catalogue: ToolCatalogue | None = None,
        *,
        stall_seconds: float = STALL_SECONDS,  # tests shorten it
    ) -> None:
        self._services, self._stall_seconds = services, stall_seconds
        self._catalogue = catalogue or load_cached(services.settings.home)
        self._in_flight = InFlight()
        self._client_requests = ClientRequests()

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one POST. Other methods are refused at once, so that no GET waits for a stream that never starts."""
        body = await body_of(receive) if scope["method"] == "POST" else b""
        if body is None:
            return
        post = Post(headers_of(scope), body, scope.get("query_string", b"").decode("latin-1"), scope["method"])
        post = replace(post, path=find_endpoint_path(scope["path"]))
        with continue_trace(post.headers):
            await self._serve(post, receive, send)

    async def _serve(self, post: Post, receive: Receive, send: Send) -> None:
        try:
            exchange = await admit(post, self._services, self._catalogue)
            document = parse_json(post.body)
        except ToolError as failure:
            await send_response(to_error_response(failure), send)
        except RpcError as refusal:
            await send_response(HttpReply(400, encode_document(error_response(None, refusal))), send)
        else:
            await self._answer(document, post.headers, exchange, receive, send)

    async def _answer(
        self, document: Any, headers: Mapping[str, str], exchange: Exchange, receive: Receive, send: Send
    ) -> None:
        """Process the message until it is answered or cancelled, or the client disconnects."""
        message, client = sound_message(document), client_of(exchange, headers)
        if message and message.method == CANCELLED and not is_modern(exchange.version):
            self._in_flight.cancel(client, message.params or {})
        if not is_modern(exchange.version):
            self._client_requests.receive_response(client, document)
        stream = EventStream(send, lambda: format_quotas(exchange.quotas, self._services.clock()), self._stall_seconds)
        is_streamable = message is not None and message.id is not None and accepts(headers, STREAM_TYPES)
        report = report_for(message, stream.send_event) if message and is_streamable else None
        questioner = self._client_requests.build_questioner(client, stream.send_event if is_streamable else None)
        exchange = replace(exchange, report=report, questioner=questioner)
        work = asyncio.ensure_future(handle_document(document, headers, exchange))
        with self._in_flight.track(client, message.id if message else None, work):
            is_heard = await wait_while_connected(work, receive, stream if report or questioner else None)
        if report:
            report.close()
        if is_heard:
            reply, is_streamed = answer_of(work, message, headers)
            if message and message.method == "initialize" and reply.status == 200:
                own = {SESSION_HEADER: headers.get(SESSION_HEADER, reply.headers.get(SESSION_HEADER, ""))}
                self._client_requests.note_client(client_of(exchange, own), message.params or {})
            await stream.close(reply, is_streamed)


def sound_message(document: Any) -> RpcMessage | None:
    """The message in a decoded body; None if it is invalid."""
    try:
        return message_of(document)
    except RpcError:
        return None


def client_of(exchange: Exchange, headers: Mapping[str, str]) -> Hashable:
    """The key of the client that may cancel a request: its caller and the session id that `initialize` returned."""
    caller = exchange.caller
    return caller.tenant, caller.user, caller.name, headers.get(SESSION_HEADER, "")


def answer_of(
    work: "asyncio.Future[HttpReply]", message: RpcMessage | None, headers: Mapping[str, str]
) -> tuple[HttpReply, bool]:
    """The response for the finished work, and whether a started stream carries it as well.

    A cancelled request gets no response on a stream, as MCP allows; plain HTTP needs one.
    """
    if work.cancelled():
        refusal = RpcError(REQUEST_CANCELLED, "The client cancelled this request.")
        return HttpReply(200, encode_document(error_response(message.id if message else None, refusal))), False
    answer = work.result()
    if message and message.method == "initialize" and SESSION_HEADER not in headers:
        # It stores no state: it separates the request ids of one client from those of another.
        answer = replace(answer, headers={**answer.headers, SESSION_HEADER: uuid.uuid4().hex})
    return answer, True


async def wait_while_connected(
    work: "asyncio.Future[HttpReply]", receive: Receive, stream: "EventStream | None"
) -> bool:
    """Wait until the work ends. Returns False, and cancels the work, if the client disconnects or stops reading."""
    left = asyncio.ensure_future(receive())
    gone: set[asyncio.Future[Any]] = {left} if stream is None else {left, stream.stalled}
    either: set[asyncio.Future[Any]] = {work, *gone}
    try:
        while not work.done():
            await asyncio.wait(either, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                break
            if any(sign.done() for sign in gone):
                return False
            if stream is not None:
                await stream.ping()
        return True
    finally:
        work.cancel()
        left.cancel()


class EventStream:
    """A stream of server-sent events that starts with the first event. Without any event the response is JSON.

    `limits` makes the headers that tell the caller's limits, which are known by then.
    """

    def __init__(
        self, send: Send, limits: Callable[[], Mapping[str, str]] = dict, seconds: float = STALL_SECONDS
    ) -> None:
        self._send, self._limits, self._seconds = send, limits, seconds
        self._lock = asyncio.Lock()
        self._begun = False
        self.stalled: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def send_event(self, document: Mapping[str, Any]) -> None:
        await self._write(event_of(encode_document(document)))

    async def ping(self) -> None:
        await self._write(b": ping\r\n\r\n")

    async def close(self, answer: HttpReply, is_streamed: bool) -> None:
        """Send the response: as JSON if no event was sent; else end the stream, with it as last event if `is_said`."""
        async with self._limit_time(), self._lock:
            if not self._begun:
                await send_response(answer, self._send)
                return
            last = event_of(answer.body) if is_streamed else b""
            await self._send({"type": "http.response.body", "body": last, "more_body": False})

    async def _write(self, event: bytes) -> None:
        if self.stalled.done():
            return
        async with self._limit_time(), self._lock:
            if not self._begun:
                self._begun = True
                await self._send(
                    {"type": "http.response.start", "status": 200, "headers": raw({**STREAM_HEADERS, **self._limits()})}
                )
            await self._send({"type": "http.response.body", "body": event, "more_body": True})

    @asynccontextmanager
    async def _limit_time(self) -> AsyncIterator[None]:
        """Give up on a client that takes nothing for too long: what it does not read stays in memory."""
        try:
            async with asyncio.timeout(self._seconds):
                yield
        except TimeoutError:
            if not self.stalled.done():
                self.stalled.set_result(None)


def event_of(message: bytes) -> bytes:
    return b"event: message\r\ndata: " + message + b"\r\n\r\n"


def headers_of(scope: Scope) -> dict[str, str]:
    """The headers by lower-case name. Repeated headers are joined by commas, so they never match a single value."""
    headers: dict[str, str] = {}
    for name_bytes, value in scope["headers"]:
        name, text = name_bytes.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")
        headers[name] = f"{headers[name]},{text}" if name in headers else text
    return headers


async def body_of(receive: Receive) -> bytes | None:
    """The whole body; None if the client disconnects before its end."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def send_response(answer: HttpReply, send: Send) -> None:
    headers = {"content-length": str(len(answer.body)), "x-content-type-options": "nosniff", **answer.headers}
    if answer.body:
        headers["content-type"] = "application/json"
    await send({"type": "http.response.start", "status": answer.status, "headers": raw(headers)})
    await send({"type": "http.response.body", "body": answer.body})
