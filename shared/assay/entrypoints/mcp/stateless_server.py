"""Stateless MCP server for Lambda and the local server: one POST in, one JSON response out; standard library only."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from assay.entrypoints.http.apigateway_event import Event, body_of, headers_of, request_id_of, seconds_of
from assay.entrypoints.http.rate_limit_headers import format_quotas
from assay.entrypoints.mcp.exchange import Exchange, Params
from assay.entrypoints.mcp.http_checks import HttpReply, Post, admit, check_origin, to_error_response
from assay.entrypoints.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    RpcError,
    RpcMessage,
    encode_document,
    error_response,
    id_in,
    message_of,
    parse_json,
    success_response,
)
from assay.entrypoints.mcp.methods import answer, find_cache_hint
from assay.entrypoints.mcp.protocol_versions import (
    MODERN,
    SERVER_KEY,
    STATUS,
    check_legacy,
    check_modern,
    envelope_of,
    is_modern,
    unsupported_version_error,
)
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.entrypoints.mcp.tool_selection import find_endpoint_path
from assay.entrypoints.resource_server import challenge_for_scope
from assay.errors import InsufficientScope, ToolError
from assay.services import Services
from assay.state.trace_context import continue_trace, ensure_trace

type Respond = Callable[[Any, Mapping[str, str], Exchange], Awaitable[HttpReply]]


async def handle_document(document: Any, headers: Mapping[str, str], exchange: Exchange) -> HttpReply:
    """The response to one decoded body."""
    try:
        message = message_of(document)
        if message.id is None:
            return acknowledge(message, exchange.version)
    except RpcError as refusal:
        return HttpReply(400, encode_document(error_response(id_in(document), refusal)))
    return await handle_request(message, headers, exchange)


async def handle_request(message: RpcMessage, headers: Mapping[str, str], exchange: Exchange) -> HttpReply:
    """The response to one request, which has an id."""
    assert message.id is not None
    modern = is_modern(exchange.version)
    try:
        (check_modern if modern else check_legacy)(message, headers)
    except RpcError as refusal:
        return HttpReply(400, encode_document(error_response(message.id, refusal)))
    try:
        result = await run_method(message, exchange)
    except InsufficientScope as refusal:
        return refuse_scope(message, headers, exchange, refusal)
    except RpcError as refusal:
        limits = format_quotas(exchange.quotas, exchange.services.clock())
        status = 200 if not modern or refusal.code == INTERNAL_ERROR else STATUS.get(refusal.code, 400)
        wait = refusal.data["error"].get("retryAfterSeconds")
        limits |= {} if wait is None else {"retry-after": str(wait)}
        return HttpReply(status, encode_document(error_response(message.id, refusal)), limits)
    limits = format_quotas(exchange.quotas, exchange.services.clock())
    return HttpReply(200, encode_document(success_response(message.id, result)), limits)


def refuse_scope(
    message: RpcMessage, headers: Mapping[str, str], exchange: Exchange, refusal: InsufficientScope
) -> HttpReply:
    """The response to a client whose token lacks scopes: 403 with the scopes to ask for (RFC 6750, section 3.1)."""
    challenge_for_scope(refusal, exchange.caller, exchange.services, headers, exchange.path)
    more = {"www-authenticate": refusal.challenge or "Bearer"}
    return HttpReply(403, encode_document(error_response(message.id, RpcError(INVALID_REQUEST, refusal))), more)


def acknowledge(message: RpcMessage, version: str) -> HttpReply:
    """Accept a notification and ignore it, because the server is stateless; in older revisions, also a response.

    Raises RpcError for a response in 2026-07-28, and for a protocol version that is not supported.
    """
    if is_modern(version):
        if not message.method:
            raise RpcError(
                INVALID_REQUEST, "Invalid Request: this server sends no requests, so it accepts no responses."
            )
        if version not in MODERN:
            raise unsupported_version_error(version)
    return HttpReply(202)


async def run_method(message: RpcMessage, exchange: Exchange) -> dict[str, Any]:
    """The method's result in the format of the request's protocol revision. Raises RpcError."""
    params, envelope = message.params or {}, envelope_of(message.params)
    try:
        with continue_trace(envelope) if "traceparent" in envelope else ensure_trace():
            result = await answer(message.method, params, exchange)
    except InsufficientScope:
        raise
    except ToolError as failure:
        raise RpcError(INVALID_PARAMS, failure) from None
    return add_version_meta(message.method, params, result, exchange) if is_modern(exchange.version) else result


def add_version_meta(method: str, params: Params, result: dict[str, Any], exchange: Exchange) -> dict[str, Any]:
    """Add the fields that every result of 2026-07-28 has, and the hint for caches."""
    meta = {SERVER_KEY: exchange.catalogue.server_info(), **result.get("_meta", {})}
    full = {"resultType": "complete", **result, "_meta": meta}
    if (hint := find_cache_hint(method, params, exchange)) is not None:
        full["ttlMs"], full["cacheScope"] = hint
    return full


async def serve(post: Post, services: Services, catalogue: ToolCatalogue, respond: Respond) -> HttpReply:
    """The response to one HTTP request. Every failure becomes an error response."""
    with continue_trace(post.headers):
        return await _serve_in_trace(post, services, catalogue, respond)


async def _serve_in_trace(post: Post, services: Services, catalogue: ToolCatalogue, respond: Respond) -> HttpReply:
    try:
        exchange = await admit(post, services, catalogue)
    except ToolError as failure:
        return to_error_response(failure)
    try:
        document = parse_json(post.body)
    except RpcError as refusal:
        return HttpReply(400, encode_document(error_response(None, refusal)))
    return await respond(document, post.headers, exchange)


def post_of(event: Event, lambda_context: object) -> Post:
    """Convert an event of API Gateway or a Function URL (payload 2.0). Raises InvalidInput for a malformed body."""
    headers = headers_of(event)
    http = (event.get("requestContext") or {}).get("http") or {}
    method = str(http.get("method", "POST")).upper()
    seconds = seconds_of(event, lambda_context)
    return Post(
        headers,
        body_of(event) if method == "POST" else b"",
        str(event.get("rawQueryString") or ""),
        method,
        request_id_of(event, headers),
        None if seconds is None else asyncio.get_running_loop().time() + seconds,
        find_endpoint_path(str(event.get("rawPath") or "")),
    )


async def handle_event(
    event: Event,
    lambda_context: object,
    services: Services,
    catalogue: ToolCatalogue,
    respond: Respond = handle_document,
) -> dict[str, Any]:
    """The gateway response to one event of the MCP function. A ToolError becomes an error response.

    `respond` answers the decoded body of a request that was admitted.
    """
    headers = headers_of(event)
    try:
        check_origin(headers, services)
        reply = await serve(post_of(event, lambda_context), services, catalogue, respond)
    except ToolError as failure:
        reply = to_error_response(failure)
    return to_gateway_response(reply, event)


def to_gateway_response(reply: HttpReply, event: Event) -> dict[str, Any]:
    """Convert the reply to a Lambda response (payload 2.0)."""
    return {
        "statusCode": reply.status,
        "headers": {
            **({"content-type": "application/json"} if reply.body else {}),
            "cache-control": "no-store",
            "x-request-id": request_id_of(event, headers_of(event)),
            **reply.headers,
        },
        "body": reply.body.decode(),
        "isBase64Encoded": False,
    }
