"""The SDK's low-level server over the same answers: for stdio, and for calls that want a stream."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from assay.doors.mcp.answers import HINTS, Exchange, Result, answer
from assay.doors.mcp.eras import is_modern
from assay.doors.mcp.rpc import INVALID_PARAMS, Refused
from assay.doors.wire import BODY_BYTES
from assay.errors import ToolError

EXCHANGE = "assay.exchange"  # in the ASGI scope: whom an HTTP request is served for
PARAMS: dict[str, type[BaseModel]] = {
    "tools/list": types.PaginatedRequestParams,
    "resources/list": types.PaginatedRequestParams,
    "resources/templates/list": types.PaginatedRequestParams,
    "tools/call": types.CallToolRequestParams,
    "resources/read": types.ReadResourceRequestParams,
}
PROMPT_PARAMS: dict[str, type[BaseModel]] = {
    "prompts/list": types.PaginatedRequestParams,
    "prompts/get": types.GetPromptRequestParams,
    "completion/complete": types.CompleteRequestParams,
}

type Context = ServerRequestContext[Any, Any]


def server_for(exchange: Exchange) -> Server[Any]:
    """A server of the exchange's catalogue. HTTP requests bring an exchange of their own in their scope."""
    shown = exchange.catalogue
    hints: dict[Any, CacheHint] = {method: CacheHint(ttl, scope) for method, (ttl, scope) in HINTS.items()}
    server: Server[Any] = Server(
        shown.name,
        version=shown.version,
        title=shown.title,
        instructions=shown.instructions,
        cache_hints=hints,
    )
    offered = PARAMS | PROMPT_PARAMS if shown.prompts else PARAMS
    for method, params in offered.items():
        server.add_request_handler(method, params, _answering(method, exchange))
    return server


def _answering(method: str, exchange: Exchange) -> Callable[[Context, Any], Awaitable[Result]]:
    async def answering(ctx: Context, _: BaseModel) -> Result:
        found = ctx.request.scope.get(EXCHANGE, exchange) if ctx.request is not None else exchange
        mine = replace(found, version=ctx.protocol_version, request_id=str(uuid4()), report=ctx.session.report_progress)
        params = ctx.params or {}
        try:
            result = await answer(method, params, mine)
        except Refused as refusal:
            raise MCPError(refusal.code, refusal.message, refusal.data) from None
        except ToolError as failure:
            raise MCPError(INVALID_PARAMS, failure.sentence(), failure.envelope()) from None
        return {**result, "resultType": "complete"} if is_modern(mine.version) else result

    return answering


def manager_for(server: Server[Any], *, streams: bool) -> StreamableHTTPSessionManager:
    """Streamable HTTP without sessions: each POST stands alone, as a stream or as one JSON answer.

    The SDK's own check of Host and Origin stays off: the local server's gate, or the thin door's, has made it,
    and on AWS no list of host names could be known beforehand.
    """
    return StreamableHTTPSessionManager(
        app=server, stateless=True, json_response=not streams, max_request_body_size=BODY_BYTES
    )
