"""The official SDK's low-level server over our answers: what our own transports are held against."""

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

from assay.entrypoints.http.http_errors import BODY_BYTES
from assay.entrypoints.mcp.exchange import Exchange, Result
from assay.entrypoints.mcp.jsonrpc import INVALID_PARAMS, RpcError
from assay.entrypoints.mcp.methods import HINTS, answer
from assay.entrypoints.mcp.protocol_versions import is_modern
from assay.errors import ToolError

PARAMS: dict[str, type[BaseModel]] = {
    "tools/list": types.PaginatedRequestParams,
    "prompts/list": types.PaginatedRequestParams,
    "prompts/get": types.GetPromptRequestParams,
    "completion/complete": types.CompleteRequestParams,
    "resources/list": types.PaginatedRequestParams,
    "resources/templates/list": types.PaginatedRequestParams,
    "tools/call": types.CallToolRequestParams,
    "resources/read": types.ReadResourceRequestParams,
}

type Context = ServerRequestContext[Any, Any]


def server_for(exchange: Exchange) -> Server[Any]:
    """A server of the exchange's catalogue."""
    shown = exchange.catalogue
    hints: dict[Any, CacheHint] = {method: CacheHint(ttl, scope) for method, (ttl, scope) in HINTS.items()}
    server: Server[Any] = Server(
        shown.name,
        version=shown.version,
        title=shown.title,
        instructions=shown.instructions,
        cache_hints=hints,
    )
    for method, params in PARAMS.items():
        server.add_request_handler(method, params, _answering(method, exchange))
    return server


def _answering(method: str, exchange: Exchange) -> Callable[[Context, Any], Awaitable[Result]]:
    async def answering(ctx: Context, _: BaseModel) -> Result:
        mine = replace(
            exchange, version=ctx.protocol_version, request_id=str(uuid4()), report=ctx.session.report_progress
        )
        params = ctx.params or {}
        try:
            result = await answer(method, params, mine)
        except RpcError as refusal:
            raise MCPError(refusal.code, refusal.message, refusal.data) from None
        except ToolError as failure:
            raise MCPError(INVALID_PARAMS, failure.sentence(), failure.envelope()) from None
        return {**result, "resultType": "complete"} if is_modern(mine.version) else result

    return answering


def manager_for(server: Server[Any]) -> StreamableHTTPSessionManager:
    """Streamable HTTP without sessions: each POST stands alone and gets one JSON answer."""
    return StreamableHTTPSessionManager(
        app=server, stateless=True, json_response=True, max_request_body_size=BODY_BYTES
    )
