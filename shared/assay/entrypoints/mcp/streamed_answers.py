"""MCP answers on Lambda as a stream of events, where its Function URL streams and the client asks for progress.

Lambda does not tell a function that its client has gone, and another instance may get what the client sends meanwhile:
a call ends when it is done, at its deadline, or when nobody takes what it sends.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.entrypoints.http.rate_limit_headers import format_quotas
from assay.entrypoints.http.response_headers import list_common_headers
from assay.entrypoints.mcp.event_stream import STALL_SECONDS, EventStream, wait_while_read
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.http_checks import STREAM_TYPES, HttpReply, accepts
from assay.entrypoints.mcp.jsonrpc import INTERNAL_ERROR, RpcError, error_response, find_message
from assay.entrypoints.mcp.progress import report_for
from assay.entrypoints.mcp.stateless_server import handle_document
from assay.errors import ToolError

if TYPE_CHECKING:
    from assay.entrypoints.http.host_origin_guard import Send

STOP_SECONDS = 1.0  # for a cancelled call to stop, because Lambda freezes the process after the response


async def stream_answer(
    document: Any,
    headers: Mapping[str, str],
    exchange: Exchange,
    *,
    send: "Send",
    stall_seconds: float = STALL_SECONDS,  # tests shorten it
) -> HttpReply:
    """The response to one decoded body. If `send` was used, it has carried the response, and this one is void."""
    message = find_message(document)
    if message is None or message.id is None or not accepts(headers, STREAM_TYPES):
        return await handle_document(document, headers, exchange)
    stream = EventStream(send, lambda: _list_headers(headers, exchange), stall_seconds)
    report = report_for(message, stream.send_event)
    if report is None:
        return await handle_document(document, headers, exchange)
    work = asyncio.ensure_future(handle_document(document, headers, replace(exchange, report=report)))
    try:
        is_read = await wait_while_read(work, stream)
    finally:
        report.close()
    if not is_read:
        await asyncio.wait({work}, timeout=STOP_SECONDS)
        return HttpReply(200)
    try:
        reply = work.result()
    except Exception:
        if stream.has_begun:
            failure = RpcError(INTERNAL_ERROR, ToolError("The call failed unexpectedly; see the server log."))
            await stream.send_event(error_response(message.id, failure))
        raise
    await stream.close(reply.body)
    return reply


def _list_headers(headers: Mapping[str, str], exchange: Exchange) -> Mapping[str, str]:
    """The headers of the stream beside its own."""
    services = exchange.services
    limits = format_quotas(exchange.quotas, services.clock())
    return {**list_common_headers(headers, lambda: services), **limits, "x-request-id": exchange.request_id}
