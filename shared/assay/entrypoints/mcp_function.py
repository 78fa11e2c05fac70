"""The Lambda function Mcp: MCP, and at its Function URL also the tools and the routes of REST.

The Function URL waits for calls as long as the function runs, the HTTP API 29 seconds. Under `lambda_loop` it streams
progress of MCP calls. Administration is not served here, because the role of this function does not allow it.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from assay.entrypoints import runtime
from assay.entrypoints.http import http_api, rest
from assay.entrypoints.http.apigateway_event import Event, headers_of, request_id_of, to_error_response
from assay.entrypoints.http.http_errors import HttpMethodNotAllowed
from assay.entrypoints.http.response_headers import Handler, with_response_headers
from assay.entrypoints.mcp.http_checks import to_error_response as to_mcp_error_response
from assay.entrypoints.mcp.stateless_server import handle_event, to_gateway_response
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue, load_catalogue
from assay.errors import ToolError
from assay.services import Services

if TYPE_CHECKING:
    from assay.entrypoints.response_stream import ResponseStream

TOOL_PATH, REST_PATH = "/tools/", "/v1/"


async def answer(event: Event, lambda_context: object, services: Services, catalogue: ToolCatalogue) -> dict[str, Any]:
    """The response to one event; its path selects who answers it. Never raises a ToolError."""
    path = str(event.get("rawPath") or "")
    if path.startswith(TOOL_PATH):
        return await _call_tool(path.removeprefix(TOOL_PATH), event, lambda_context, services)
    if path.startswith(REST_PATH):
        return await rest.answer(event, lambda_context, services)
    stream: ResponseStream | None = getattr(lambda_context, "response_stream", None)
    if stream is None:
        return await handle_event(event, lambda_context, services, catalogue)
    from assay.entrypoints.mcp.streamed_answers import stream_answer

    return await handle_event(event, lambda_context, services, catalogue, partial(stream_answer, send=stream.send))


async def _call_tool(name: str, event: Event, lambda_context: object, services: Services) -> dict[str, Any]:
    method = str(((event.get("requestContext") or {}).get("http") or {}).get("method") or "POST").upper()
    if method == "POST":
        return await http_api.answer(name, event, lambda_context, services)
    refusal = HttpMethodNotAllowed("A tool", method, ("POST",))
    return to_error_response(refusal, request_id_of(event, headers_of(event)))


@cache
def catalogue_here() -> ToolCatalogue:
    return load_catalogue()


def handler_for(
    services: Callable[[], Services] = runtime.services, catalogue: Callable[[], ToolCatalogue] = catalogue_here
) -> Handler:
    """Build the Lambda handler that serves all tools at one URL."""

    def handle(event: Event, lambda_context: object) -> dict[str, Any]:
        try:
            world = services()
        except ToolError as failure:  # invalid settings get an error response like any other failure
            return to_gateway_response(to_mcp_error_response(failure), event)
        return runtime.wait_for(answer(event, lambda_context, world, catalogue()))

    return with_response_headers(handle, services)


handle = handler_for()
