"""REST routes below /v1 for the tools that crawl, scrape, search and extract; the routes of administration."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from assay.entrypoints import runtime
from assay.entrypoints.http import http_api
from assay.entrypoints.http.apigateway_event import (
    Event,
    body_of,
    headers_of,
    json_of,
    request_id_of,
    to_error_response,
)
from assay.entrypoints.http.call_responses import CALL_PATH
from assay.entrypoints.http.http_errors import HttpMethodNotAllowed
from assay.entrypoints.http.query_parameters import parse_query
from assay.entrypoints.http.response_headers import Handler, with_response_headers
from assay.errors import InvalidInput, NotFound, ToolError
from assay.services import Services

ADMIN_PATHS = ("/admin/", "/dashboard/", "/metrics")


class Route(NamedTuple):
    """A route of a tool. `{name}` in the path is the argument `name`; `status` is the status of a success."""

    method: str
    path: str
    tool: str
    status: int = 200


ROUTES = (
    Route("POST", "/v1/scrape", "cinder_scrape"),
    Route("POST", "/v1/search", "cinder_search"),
    Route("POST", "/v1/extract", "cinder_extract"),
    Route("POST", "/v1/crawl", "cinder_crawl", 202),
    Route("GET", "/v1/crawl/{id}", "cinder_get_crawl_status"),
    Route("DELETE", "/v1/crawl/{id}", "cinder_cancel_crawl"),
    Route("POST", "/v1/uploads", "create_upload", 201),
)


def match_route(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """The route and the arguments in the path. Raises NotFound or HttpMethodNotAllowed, which list valid ones."""
    matches = [(route, match.groupdict()) for route in ROUTES if (match := _pattern(route).fullmatch(path))]
    for route, named in matches:
        if route.method == method:
            return route, {name: unquote(value) for name, value in named.items()}
    if matches:
        raise HttpMethodNotAllowed(f"{path[:100]!r}", method, {route.method for route, _ in matches})
    known = ", ".join(f"{route.method} {route.path}" for route in ROUTES)
    raise NotFound(f"No route matches {path[:100]!r}. The routes are {known}.")


def _pattern(route: Route) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route.path))


async def answer(event: Event, lambda_context: object, services: Services) -> dict[str, Any]:
    """Call the tool, or the endpoint of administration, that the method and path of the event select. Never raises."""
    if str(event.get("rawPath") or "").startswith(ADMIN_PATHS):
        from assay.entrypoints.http import admin_api  # imported by the requests that need it, for fast cold starts

        return await admin_api.answer(event, lambda_context, services)
    if str(event.get("rawPath") or "").startswith(CALL_PATH):
        from assay.entrypoints.http import call_status

        return await call_status.answer(event, services)
    try:
        route, named = match_route(_method(event), str(event.get("rawPath") or ""))
    except ToolError as failure:
        return to_error_response(failure, request_id_of(event, headers_of(event)))
    return await http_api.answer(
        route.tool,
        event,
        lambda_context,
        services,
        read=lambda received: arguments(received, named),
        status=route.status,
    )


def arguments(event: Event, named: Mapping[str, str]) -> Any:
    """The arguments in the body of a POST, else in the query, with those of the path. Raises InvalidInput."""
    values = (
        json_of(body_of(event)) if _method(event) == "POST" else parse_query(str(event.get("rawQueryString") or ""))
    )
    if isinstance(values, Mapping) and (both := values.keys() & named.keys()):
        raise InvalidInput(f"{min(both)} is already in the path; send it once.", field=min(both))
    return {**values, **named} if isinstance(values, Mapping) else values


def _method(event: Event) -> str:
    return str(((event.get("requestContext") or {}).get("http") or {}).get("method") or "GET").upper()


def handler(services: Callable[[], Services] = runtime.services) -> Handler:
    """The Lambda handler of all REST routes."""

    def handle(event: Event, lambda_context: object) -> dict[str, Any]:
        try:
            world = services()
        except ToolError as failure:
            return to_error_response(failure, request_id_of(event, headers_of(event)))
        return runtime.wait_for(answer(event, lambda_context, world))

    return with_response_headers(handle, services)
