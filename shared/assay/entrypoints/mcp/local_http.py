"""MCP over HTTP on the local server. Responses are JSON, or server-sent events if the client asks for progress."""

import asyncio
import uuid
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from assay.entrypoints.http.asgi_headers import encode_headers, join_headers
from assay.entrypoints.http.host_origin_guard import Receive, Scope, Send
from assay.entrypoints.http.rate_limit_headers import format_quotas
from assay.entrypoints.mcp.client_requests import ClientRequests
from assay.entrypoints.mcp.event_stream import STALL_SECONDS, EventStream, wait_while_read
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.http_checks import STREAM_TYPES, HttpReply, Post, accepts, admit, to_error_response
from assay.entrypoints.mcp.in_flight import CANCELLED, InFlight
from assay.entrypoints.mcp.jsonrpc import (
    REQUEST_CANCELLED,
    RpcError,
    RpcMessage,
    encode_document,
    error_response,
    find_message,
    parse_json,
)
from assay.entrypoints.mcp.list_cache import load_cached
from assay.entrypoints.mcp.progress import report_for
from assay.entrypoints.mcp.protocol_versions import is_modern
from assay.entrypoints.mcp.stateless_server import handle_document, handle_request
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.entrypoints.mcp.tool_selection import find_endpoint_path
from assay.errors import ToolError
from assay.services import Services
from assay.state.trace_context import continue_trace

SESSION_HEADER = "mcp-session-id"


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
        post = Post(
            join_headers(scope["headers"]),
            body,
            scope.get("query_string", b"").decode("latin-1"),
            scope["method"],
            path=find_endpoint_path(scope["path"]),
        )
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
        message, client = find_message(document), client_of(exchange, headers)
        request = message if message and message.id is not None else None
        if not is_modern(exchange.version):
            if message and message.method == CANCELLED:
                self._in_flight.cancel(client, message.params or {})
            self._client_requests.receive_response(client, document)
        stream = EventStream(send, lambda: format_quotas(exchange.quotas, self._services.clock()), self._stall_seconds)
        is_streamable = request is not None and accepts(headers, STREAM_TYPES)
        report = report_for(request, stream.send_event) if request and is_streamable else None
        questioner = self._client_requests.build_questioner(client, stream.send_event if is_streamable else None)
        has_apps = exchange.has_apps or self._client_requests.has_apps(client)
        if report or questioner or has_apps:
            exchange = replace(exchange, report=report, questioner=questioner, has_apps=has_apps)
        work = asyncio.ensure_future(
            handle_request(request, headers, exchange) if request else handle_document(document, headers, exchange)
        )
        left = asyncio.ensure_future(receive())
        try:
            with self._in_flight.track(client, message.id if message else None, work):
                is_heard = await wait_while_read(work, stream if report or questioner else None, left)
        finally:
            left.cancel()
        if report:
            report.close()
        if is_heard:
            reply, is_streamed = answer_of(work, message, headers)
            if message and message.method == "initialize" and reply.status == 200:
                own = {SESSION_HEADER: headers.get(SESSION_HEADER, reply.headers.get(SESSION_HEADER, ""))}
                self._client_requests.note_client(client_of(exchange, own), message.params or {})
            if not await stream.close(reply.body if is_streamed else b""):
                await stream.limit_time(send_response(reply, send))


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


async def send_response(answer: HttpReply, send: Send) -> None:
    headers = {"content-length": str(len(answer.body)), "x-content-type-options": "nosniff", **answer.headers}
    if answer.body:
        headers["content-type"] = "application/json"
    await send({"type": "http.response.start", "status": answer.status, "headers": encode_headers(headers)})
    await send({"type": "http.response.body", "body": answer.body})
