"""Health, tool catalogue, OpenAPI document and start page, for Lambda and the local server."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

from assay import __version__
from assay.entrypoints import runtime
from assay.entrypoints.console.console_routes import console_routes
from assay.entrypoints.http import http_api, openapi
from assay.entrypoints.http.account_routes import account_routes
from assay.entrypoints.http.apigateway_event import request_id_of, to_error_response
from assay.entrypoints.http.asgi_headers import join_headers
from assay.entrypoints.http.authorization_routes import authorization_routes
from assay.entrypoints.http.consent_routes import consent_routes
from assay.entrypoints.http.feed_routes import feed_routes
from assay.entrypoints.http.http_errors import HttpMethodNotAllowed
from assay.entrypoints.http.metadata_routes import metadata_routes
from assay.entrypoints.http.plain_routes import READ, build_route
from assay.entrypoints.http.response_headers import Handler, with_response_headers
from assay.entrypoints.http.sign_in_pages import build_security_headers
from assay.entrypoints.http.start_page import format_start_page
from assay.entrypoints.http.token_routes import token_routes
from assay.entrypoints.http.tool_cards import cards_shown
from assay.errors import NotFound, ToolError
from assay.oauth.oauth_errors import OAuthError
from assay.services import Services

log = logging.getLogger("assay")
READY_SECONDS = 1.0


def routes(services: Callable[[], Services]) -> list[Route]:
    """The routes. The catalogue and OpenAPI require a key; health and the start page do not."""

    async def authenticate(request: Request) -> None:
        await http_api.caller_of(
            {"headers": join_headers(request.headers.raw), "rawPath": request.url.path}, services()
        )

    async def start(request: Request) -> Response:
        """The start page."""
        return HTMLResponse(format_start_page(str(request.base_url)), headers=build_security_headers())

    async def live(_: Request) -> Response:
        return JSONResponse(describe_life())

    readiness = Readiness(services)

    async def ready(_: Request) -> Response:
        """Readiness. Requires no key, because load balancers have none."""
        status, body = await readiness.check()
        return JSONResponse(body, status_code=status)

    async def catalogue(request: Request) -> Response:
        await authenticate(request)
        return JSONResponse({"tools": cards_shown(services().settings)})

    async def describe_api(request: Request) -> Response:
        from assay.entrypoints.http import admin_access, admin_openapi  # imported here, for fast cold starts

        await authenticate(request)
        world = services()
        document = openapi.document(card["name"] for card in cards_shown(world.settings))
        is_enabled = admin_access.is_enabled(world, join_headers(request.headers.raw))
        return JSONResponse(admin_openapi.add_endpoints(document) if is_enabled else document)

    return [
        build_route(path, describe, *READ)
        for path, describe in (
            ("/", start),
            ("/health/live", live),
            ("/health/ready", ready),
            ("/tools", catalogue),
            ("/openapi.json", describe_api),
        )
    ]


def describe_life() -> dict[str, Any]:
    """The answer of a server that runs."""
    return {"status": "live", "version": __version__}


class Readiness:
    """Whether the state is readable and writable, and the circuit breakers; checked at most once a second."""

    def __init__(self, services: Callable[[], Services]) -> None:
        self._services = services
        self._until = 0.0
        self._lock = asyncio.Lock()
        self._result: tuple[int, dict[str, Any]] = (503, {})

    async def check(self) -> tuple[int, dict[str, Any]]:
        """The HTTP status and the JSON body."""
        async with self._lock:
            if time.monotonic() >= self._until:
                self._result = await self._run_check()
                self._until = time.monotonic() + READY_SECONDS
            return self._result

    async def _run_check(self) -> tuple[int, dict[str, Any]]:
        try:
            world = self._services()
            await world.table.put("health", "ready", b"1", until=world.clock() + 60)
            health = await world.search.health()
        except (ToolError, OSError):
            log.warning("The state cannot be read or written.", exc_info=True)
            return 503, {"status": "unhealthy", "reason": "The state cannot be read or written; see the server log."}
        return 200, {"status": "ready", "breakers": {one["name"]: one["breaker"] for one in health}}


async def handle_error(request: Request, failure: Exception) -> Response:
    """The error response for an exception, in the common error envelope."""
    if isinstance(failure, HTTPException):
        failure = from_http_error(failure, request)
    if not isinstance(failure, ToolError):  # Starlette logs the exception
        failure = ToolError("The request failed unexpectedly; see the server log.")
    headers = join_headers(request.headers.raw)
    answer = to_error_response(failure, request_id_of({}, headers))
    return Response(answer["body"], answer["statusCode"], answer["headers"])


async def handle_oauth_error(request: Request, failure: Exception) -> Response:
    """The error response of OAuth's endpoints for clients (RFC 6749, section 5.2)."""
    assert isinstance(failure, OAuthError)
    headers = {"cache-control": "no-store", "pragma": "no-cache"}
    if failure.status == HTTPStatus.UNAUTHORIZED and request.headers.get("authorization", "").lower()[:6] == "basic ":
        headers["www-authenticate"] = 'Basic realm="assay"'  # the scheme that the client tried
    if failure.retry_after is not None:
        headers["retry-after"] = str(failure.retry_after)
    return JSONResponse(failure.wire(), failure.status, headers=headers)


def from_http_error(failure: HTTPException, request: Request) -> ToolError:
    """The ToolError for an unknown path or method."""
    path = request.url.path[:100]
    if failure.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = (failure.headers or {}).get("Allow", "")
        return HttpMethodNotAllowed(f"{path!r}", request.method, filter(None, allowed.split(", ")))
    routes = "POST /tools/{name} calls a tool, GET /tools lists them, POST /mcp is the MCP endpoint"
    return NotFound(f"No route matches {path!r}: {routes}.")


def new_app(lifespan: Any = None) -> FastAPI:
    """A FastAPI application without documentation pages and without redirects of almost matching paths."""
    return FastAPI(
        title="Assay",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )


def with_routes(app: FastAPI, services: Callable[[], Services]) -> FastAPI:
    """Add the routes and error handlers to the application."""
    for some in (
        routes,
        metadata_routes,
        authorization_routes,
        token_routes,
        account_routes,
        consent_routes,
        feed_routes,
        console_routes,
    ):
        app.router.routes += some(services)
    for kind in (ToolError, HTTPException, Exception):
        app.add_exception_handler(kind, handle_error)
    app.add_exception_handler(OAuthError, handle_oauth_error)
    return app


def handler_for(services: Callable[[], Services] = runtime.services) -> Handler:
    """The Lambda handler."""
    from mangum import Mangum

    asyncio.set_event_loop(
        runtime.runner().get_loop()
    )  # Mangum would create another loop; connection pools belong to this one
    app = Mangum(with_routes(new_app(), services), lifespan="off")
    return with_response_headers(cast("Handler", app), services)


@cache
def _load_handler() -> Handler:
    return handler_for()


def handle(event: Mapping[str, Any], lambda_context: object) -> dict[str, Any]:
    """Answer an event by the application, which the first one builds."""
    return _load_handler()(event, lambda_context)
