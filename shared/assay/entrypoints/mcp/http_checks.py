"""Checks of an HTTP request to /mcp before its JSON-RPC message is parsed: method, key, Accept, Content-Type."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from assay.entrypoints.http import cors
from assay.entrypoints.http.http_api import authenticate_headers, find_consent_page
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.jsonrpc import encode_document
from assay.entrypoints.mcp.protocol_versions import version_of
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.entrypoints.mcp.tool_selection import SELECTIONS, ToolSelection, is_switched_on, select_tools
from assay.errors import Forbidden, InvalidInput, ToolError
from assay.oauth.server_addresses import MCP_PATH
from assay.services import Services
from assay.text.url_parts import split_url

JSON_TYPES, STREAM_TYPES = {"application/json", "application/*", "*/*"}, {"text/event-stream", "text/*", "*/*"}


class McpMethodNotAllowed(InvalidInput):
    status = 405


class NotAcceptable(InvalidInput):
    status = 406


class WrongType(InvalidInput):
    status = 415


@dataclass(frozen=True)
class Post:
    """One HTTP request. Header names are lower case; `deadline` is in seconds of the event loop's clock."""

    headers: Mapping[str, str]
    body: bytes
    query: str = ""
    method: str = "POST"
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    deadline: float | None = None
    path: str = MCP_PATH


@dataclass(frozen=True)
class HttpReply:
    """An HTTP response. An empty body has no content type."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


def accepts(headers: Mapping[str, str], kinds: set[str]) -> bool:
    """Whether the Accept header lists one of the media types."""
    offered = headers.get("accept", "").lower().split(",")
    return any(kind.split(";")[0].strip() in kinds for kind in offered)


async def admit(post: Post, services: Services, catalogue: ToolCatalogue) -> Exchange:
    """Check the request; the exchange with its caller, protocol version and tools. Raises ToolError."""
    if post.method != "POST":
        raise McpMethodNotAllowed(
            "Send MCP messages by POST. This server has no stream to GET and no session to DELETE."
        )
    caller = await authenticate_headers(post.headers, services, "mcp", post.request_id, post.path)
    if post.headers.get("accept") and not accepts(post.headers, JSON_TYPES):  # without the header, any type is
        raise NotAcceptable("Send `Accept: application/json, text/event-stream`.", field="Accept")
    if post.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise WrongType("Send the message as `Content-Type: application/json`.", field="Content-Type")
    query = parse_qs(post.query)
    return Exchange(
        catalogue,
        services,
        caller,
        version_of(post.headers),
        select_by_address(post.path, query, services, catalogue),
        post.request_id,
        post.deadline,
        path=post.path,
        consent_page=find_consent_page(post.headers, services),
        has_apps=is_switched_on(",".join(query.get("apps", [])), "apps"),
    )


def select_by_address(
    path: str, query: Mapping[str, list[str]], services: Services, catalogue: ToolCatalogue
) -> ToolSelection:
    """The tools that path and query select. Raises InvalidInput for unknown names and where the tools are fixed."""
    selection = SELECTIONS[path]
    given = {name: ",".join(query[name]) for name in ("toolset", "tools", "exclude", "readonly") if name in query}
    if selection.is_fixed:
        if given:
            raise InvalidInput(f"The tools of {path} are fixed; connect to {MCP_PATH}.", field=min(given))
        return selection
    tools = ",".join(given[name] for name in ("toolset", "tools") if name in given) or services.settings.toolset
    known = tuple(catalogue.names())
    return select_tools(tools, exclude=given.get("exclude", ""), readonly=given.get("readonly", ""), known=known)


def to_error_response(failure: ToolError) -> HttpReply:
    """The response to a request that was rejected before its message was parsed: the common error envelope."""
    headers = {"allow": "POST"} if failure.status == 405 else {}
    if failure.challenge or failure.status == 401:
        headers["www-authenticate"] = failure.challenge or "Bearer"
    if failure.retry_after is not None:
        headers["retry-after"] = str(failure.retry_after)
    return HttpReply(failure.status, encode_document(failure.wire()), headers)


def check_origin(headers: Mapping[str, str], services: Services) -> None:
    """Raises Forbidden for an Origin that is neither this host nor in ALLOWED_ORIGINS (MCP transport, security)."""
    origin = headers.get("origin")
    if origin is None or origin in cors.list_allowed_origins(services.settings):
        return
    try:
        same = split_url(origin).netloc.lower() == headers.get("host", "").lower() != ""
    except ValueError:
        same = False
    if not same:
        raise Forbidden("This origin is not allowed. Add it to ALLOWED_ORIGINS.", field="Origin")
