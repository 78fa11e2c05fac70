"""The desk: what a deployment says of itself, wherever it runs: health, the catalogue and OpenAPI."""

import asyncio
import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from assay import __version__
from assay.context import Services
from assay.entrypoints import runtime
from assay.entrypoints.http import http_api, openapi
from assay.entrypoints.http.apigateway_event import request_id_of, to_error_response
from assay.entrypoints.http.host_origin_guard import join_headers
from assay.entrypoints.http.http_errors import HttpMethodNotAllowed
from assay.entrypoints.http.response_headers import Handler, with_response_headers
from assay.entrypoints.http.start_page import format_page
from assay.entrypoints.listing import cards_shown
from assay.errors import NotFound, ToolError

log = logging.getLogger("assay")
READY_SECONDS = 1.0


def routes(services: Callable[[], Services]) -> APIRouter:
    """The desk's routes. Whoever may call a tool may read them; that the process lives, anyone may know."""
    router = APIRouter()

    async def authenticate(request: Request) -> None:
        http_api.caller_of({"headers": join_headers(request.headers.raw)}, services())

    @router.get("/")
    async def start(request: Request) -> Response:
        """The same for everybody, so it takes no key."""
        return HTMLResponse(format_page(str(request.base_url)))

    @router.api_route("/health/live", methods=["GET", "HEAD"])
    async def live() -> Response:
        return JSONResponse({"status": "live", "version": __version__})

    readiness = Readiness(services)

    @router.get("/health/ready")
    async def ready() -> Response:
        """Without a key: load balancers have none."""
        status, said = await readiness.check()
        return JSONResponse(said, status_code=status)

    @router.get("/tools", dependencies=[Depends(authenticate)])
    async def catalogue() -> Response:
        return JSONResponse({"tools": cards_shown(services().settings)})

    @router.get("/openapi.json", dependencies=[Depends(authenticate)])
    async def describe_api() -> Response:
        return JSONResponse(openapi.document(card["name"] for card in cards_shown(services().settings)))

    return router


class Readiness:
    """Whether state can be read and written here, and which providers rest; looked at once a second at most."""

    def __init__(self, services: Callable[[], Services]) -> None:
        self._services = services
        self._until = 0.0
        self._looking = asyncio.Lock()
        self._said: tuple[int, dict[str, Any]] = (503, {})

    async def check(self) -> tuple[int, dict[str, Any]]:
        """The status and what is said beside it."""
        async with self._looking:
            if time.monotonic() >= self._until:
                self._said = await self._look()
                self._until = time.monotonic() + READY_SECONDS
            return self._said

    async def _look(self) -> tuple[int, dict[str, Any]]:
        try:
            world = self._services()
            await world.table.put("health", "ready", b"1", until=world.clock() + 60)
            health = await world.search.health()
        except (ToolError, OSError):
            log.warning("The state cannot be read or written.", exc_info=True)
            return 503, {"status": "unhealthy", "reason": "The state cannot be read or written; the log says why."}
        return 200, {"status": "ready", "breakers": {one["name"]: one["breaker"] for one in health}}


async def handle_error(request: Request, failure: Exception) -> Response:
    """A ToolError as every HTTPS door tells it."""
    if isinstance(failure, HTTPException):
        failure = from_http_error(failure, request)
    if not isinstance(failure, ToolError):  # the framework logs it and raises it to the server besides
        failure = ToolError("This failed unexpectedly; the operator finds the reason in the log.")
    headers = join_headers(request.headers.raw)
    answer = to_error_response(failure, request_id_of({}, headers))
    return Response(answer["body"], answer["statusCode"], answer["headers"])


def from_http_error(failure: HTTPException, request: Request) -> ToolError:
    """What the framework has to say of an address, in our words."""
    path = request.url.path[:100]
    if failure.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = (failure.headers or {}).get("Allow", "another method")
        return HttpMethodNotAllowed(f"{path!r} does not take {request.method[:20]}; it takes {allowed}.")
    way = "POST /tools/{name} calls a tool, GET /tools lists them, POST /mcp speaks MCP"
    return NotFound(f"There is nothing at {path!r}: {way}.")


def new_app(lifespan: Any = None) -> FastAPI:
    """An application without pages of its own, where an address is right or wrong and never nearly right."""
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
    """The application with the desk in it."""
    app.include_router(routes(services))
    for kind in (ToolError, HTTPException, Exception):
        app.add_exception_handler(kind, handle_error)
    return app


def handler_for(services: Callable[[], Services] = runtime.services) -> Handler:
    """The Lambda handler of the desk."""
    from mangum import Mangum

    asyncio.set_event_loop(runtime.runner().get_loop())  # else Mangum makes a second one, and pools live on the first
    app = Mangum(with_routes(new_app(), services), lifespan="off")
    return with_response_headers(cast("Handler", app), services)
