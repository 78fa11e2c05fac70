"""The engine for Lambda, and for ordinary calls of the local server: one POST in, one JSON answer out, stdlib alone."""

import asyncio
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from assay import doors
from assay.context import Services
from assay.doors.mcp.answers import HINTS, Exchange, answer
from assay.doors.mcp.catalogue import Catalogue, built
from assay.doors.mcp.eras import (
    MODERN,
    SERVER_KEY,
    STATUS,
    check_legacy,
    check_modern,
    is_modern,
    unsupported,
)
from assay.doors.mcp.http import Answer, Post, admit, check_origin, refused
from assay.doors.mcp.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    Message,
    Refused,
    decoded,
    failed,
    id_in,
    message_of,
    succeeded,
    written,
)
from assay.doors.wire import Event, body_of, headers_of, request_id_of, seconds_of
from assay.errors import ToolError


async def serve(post: Post, services: Services, catalogue: Catalogue) -> Answer:
    """The answer to one HTTP request. Never raises."""
    try:
        exchange = admit(post, services, catalogue)
    except ToolError as failure:
        return refused(failure)
    try:
        document = decoded(post.body)
    except Refused as refusal:
        return Answer(400, written(failed(None, refusal)))
    return await exchanged(document, post.headers, exchange)


async def exchanged(document: Any, headers: Mapping[str, str], exchange: Exchange) -> Answer:
    """The answer to one decoded body."""
    try:
        message = message_of(document)
        if message.id is None:
            return acknowledged(message, exchange.version)
    except Refused as refusal:
        return Answer(400, written(failed(id_in(document), refusal)))
    modern = is_modern(exchange.version)
    try:
        (check_modern if modern else check_legacy)(message, headers)
    except Refused as refusal:
        return Answer(400, written(failed(message.id, refusal)))
    try:
        result = await performed(message, exchange)
    except Refused as refusal:
        status = 200 if not modern or refusal.code == INTERNAL_ERROR else STATUS.get(refusal.code, 400)
        return Answer(status, written(failed(message.id, refusal)))
    return Answer(200, written(succeeded(message.id, result)))


def acknowledged(message: Message, version: str) -> Answer:
    """Notifications, and in the older era answers to nothing, are taken and dropped: no session waits for them."""
    if is_modern(version):
        if not message.method:
            raise Refused(INVALID_REQUEST, "Invalid Request: this server asked nothing, so there is no answer to send.")
        if version not in MODERN:
            raise unsupported(version)
    return Answer(202)


async def performed(message: Message, exchange: Exchange) -> dict[str, Any]:
    """The method's result, in the words of the request's era. Raises Refused."""
    params = message.params or {}
    try:
        result = await answer(message.method, params, exchange)
    except ToolError as failure:
        raise Refused(INVALID_PARAMS, failure) from None
    return stamped(message.method, result, exchange) if is_modern(exchange.version) else result


def stamped(method: str, result: dict[str, Any], exchange: Exchange) -> dict[str, Any]:
    """What every result of 2026-07-28 carries."""
    meta = {**result.get("_meta", {}), SERVER_KEY: exchange.catalogue.server_info()}
    full = {**result, "resultType": "complete", "_meta": meta}
    if method in HINTS:
        full["ttlMs"], full["cacheScope"] = HINTS[method]
    return full


def post_of(event: Event, lambda_context: object) -> Post:
    """An event of API Gateway or of a Function URL (payload 2.0). Raises InvalidInput for a broken body."""
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
    )


async def answered(event: Event, lambda_context: object, services: Services, catalogue: Catalogue) -> dict[str, Any]:
    """One event of the MCP function, answered. Never raises."""
    headers = headers_of(event)
    try:
        check_origin(headers, services)
        reply = await serve(post_of(event, lambda_context), services, catalogue)
    except ToolError as failure:
        reply = refused(failure)
    return dressed(reply, event)


def dressed(reply: Answer, event: Event) -> dict[str, Any]:
    """The answer as a response in payload 2.0."""
    return {
        "statusCode": reply.status,
        "headers": {
            **({"content-type": "application/json"} if reply.body else {}),
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
            "x-request-id": request_id_of(event, headers_of(event)),
            **reply.headers,
        },
        "body": reply.body.decode(),
        "isBase64Encoded": False,
    }


@cache
def catalogue_here() -> Catalogue:
    return built()


type Handler = Callable[[Event, object], dict[str, Any]]


def handler_for(
    services: Callable[[], Services] = doors.services, catalogue: Callable[[], Catalogue] = catalogue_here
) -> Handler:
    """The Lambda handler of all tools behind one address."""

    def handle(event: Event, lambda_context: object) -> dict[str, Any]:
        try:
            world = services()
        except ToolError as failure:  # settings that cannot be are told like any other failure
            return dressed(refused(failure), event)
        return doors.wait_for(answered(event, lambda_context, world, catalogue()))

    return handle


handle = handler_for()
