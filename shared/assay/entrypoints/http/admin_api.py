"""The HTTP routes of administration, for the local server and the REST function of Lambda."""

import asyncio
from collections.abc import Mapping
from typing import Any

from assay.administration.admin_call import AdminCall
from assay.administration.admin_endpoints import ENDPOINTS, AdminEndpoint, run_endpoint
from assay.entrypoints.http.admin_access import identify_administrator, is_enabled
from assay.entrypoints.http.apigateway_event import (
    Event,
    body_of,
    headers_of,
    json_of,
    request_id_of,
    respond,
    seconds_of,
    to_error_response,
)
from assay.entrypoints.http.http_errors import HttpMethodNotAllowed
from assay.entrypoints.http.query_parameters import parse_query
from assay.entrypoints.http.rate_limit_headers import find_address
from assay.errors import InvalidInput, Network, NotFound, ToolError
from assay.services import Services

SECONDS = 60.0


def is_admin_path(path: str) -> bool:
    """Whether the path is one of administration."""
    return path.startswith("/admin/") or any(path == endpoint.path for endpoint in ENDPOINTS)


async def answer(event: Event, lambda_context: object, services: Services) -> dict[str, Any]:
    """Run the endpoint that the method and path of the event select. Never raises ToolError."""
    headers = headers_of(event)
    request_id = request_id_of(event, headers)
    try:
        return await _answer(event, lambda_context, services, headers, request_id)
    except ToolError as failure:
        return to_error_response(failure.detach(), request_id)


async def _answer(
    event: Event, lambda_context: object, services: Services, headers: Mapping[str, str], request_id: str
) -> dict[str, Any]:
    path = str(event.get("rawPath") or "")
    if not is_enabled(services, headers):
        raise NotFound(f"No route matches {path[:100]!r}.")
    http = (event.get("requestContext") or {}).get("http") or {}
    address = find_address(str(http.get("sourceIp") or ""), headers, services.settings)
    administrator = await identify_administrator(headers, services, path=path, address=address, request_id=request_id)
    endpoint = find_endpoint(str(http.get("method") or "GET").upper(), path)
    call = AdminCall(services, administrator, request_id=request_id)
    seconds = min(SECONDS, seconds_of(event, lambda_context) or SECONDS)
    try:
        async with asyncio.timeout(seconds):
            result = await run_endpoint(endpoint, _read_arguments(event, endpoint), call)
    except TimeoutError:
        message = (
            f"{endpoint.command} took longer than {seconds:.0f} seconds. Repeat it; it continues where it stopped."
        )
        raise Network(message, retry_after=1) from None
    response = respond(200, result.wire(), request_id)
    if endpoint.media_type:
        headers = response["headers"] | {"content-type": endpoint.media_type}
        return response | {"headers": headers, "body": result.markdown() or ""}
    return response


def find_endpoint(method: str, path: str) -> AdminEndpoint:
    """The endpoint. Raises NotFound or HttpMethodNotAllowed, which list valid ones."""
    matches = [endpoint for endpoint in ENDPOINTS if endpoint.path == path]
    for endpoint in matches:
        if endpoint.method == method:
            return endpoint
    if matches:
        raise HttpMethodNotAllowed(f"{path[:100]!r}", method, {endpoint.method for endpoint in matches})
    known = ", ".join(dict.fromkeys(endpoint.path for endpoint in ENDPOINTS))
    raise NotFound(f"No route matches {path[:100]!r}. The routes of administration are {known}.")


def _read_arguments(event: Event, endpoint: AdminEndpoint) -> dict[str, Any]:
    """The arguments of the query, and those of a JSON body unless the method is GET. Raises InvalidInput."""
    named = parse_query(str(event.get("rawQueryString") or ""))
    body = {} if endpoint.method == "GET" else json_of(body_of(event))
    if not isinstance(body, Mapping):
        raise InvalidInput("The body is not a JSON object. Send one.", field="body")
    if both := body.keys() & named.keys():
        raise InvalidInput(f"{min(both)} is in the query and in the body; send it once.", field=min(both))
    return {**named, **body}
