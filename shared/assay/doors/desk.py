"""The desk: what a deployment says of itself, wherever it runs: health, the catalogue and OpenAPI."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from assay import __version__, doors, tools
from assay.context import Services
from assay.doors import https, openapi
from assay.doors.start_page import format_page
from assay.doors.wire import NotAllowed, headers_of, refused, request_id_of
from assay.errors import NotFound, ToolError
from assay.lenses import list_custom_lenses


def routes(services: Callable[[], Services]) -> APIRouter:
    """The desk's routes. Whoever may call a tool may read them; that the process lives, anyone may know."""
    router = APIRouter()

    async def admitted(request: Request) -> None:
        https.caller_of({"headers": dict(request.headers)}, services())

    @router.get("/")
    async def start(request: Request) -> Response:
        """The same for everybody, so it takes no key."""
        return HTMLResponse(format_page(str(request.base_url)))

    @router.api_route("/health/live", methods=["GET", "HEAD"])
    async def live() -> Response:
        return JSONResponse({"status": "live", "version": __version__})

    @router.get("/health/ready", dependencies=[Depends(admitted)])
    async def ready() -> Response:
        """Ready means that state can be read and written here."""
        world = services()
        try:
            await world.table.put("health", "ready", b"1", until=world.clock() + 60)
        except (ToolError, OSError) as failure:
            return JSONResponse({"status": "unhealthy", "reason": type(failure).__name__}, status_code=503)
        return JSONResponse({"status": "ready"})

    @router.get("/tools", dependencies=[Depends(admitted)])
    async def catalogue() -> Response:
        cards = [tools.find(name).card() for name in tools.names()]
        return JSONResponse({"tools": list_custom_lenses(cards, services().search.lenses.names())})

    @router.get("/openapi.json", dependencies=[Depends(admitted)])
    async def described() -> Response:
        return JSONResponse(openapi.document())

    return router


async def told(request: Request, failure: Exception) -> Response:
    """A ToolError as every HTTPS door tells it."""
    if isinstance(failure, HTTPException):
        failure = worded(failure, request)
    if not isinstance(failure, ToolError):  # the framework logs it and raises it to the server besides
        failure = ToolError("This failed unexpectedly; the operator finds the reason in the log.")
    headers = headers_of({"headers": dict(request.headers)})
    answer = refused(failure, request_id_of({}, headers))
    return Response(answer["body"], answer["statusCode"], answer["headers"])


def worded(failure: HTTPException, request: Request) -> ToolError:
    """What the framework has to say of an address, in our words."""
    path = request.url.path[:100]
    if failure.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = (failure.headers or {}).get("Allow", "another method")
        return NotAllowed(f"{path!r} does not take {request.method[:20]}; it takes {allowed}.")
    way = "POST /tools/{name} calls a tool, GET /tools lists them, POST /mcp speaks MCP"
    return NotFound(f"There is nothing at {path!r}: {way}.")


def blank(lifespan: Any = None) -> FastAPI:
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


def furnished(app: FastAPI, services: Callable[[], Services]) -> FastAPI:
    """The application with the desk in it."""
    app.include_router(routes(services))
    for kind in (ToolError, HTTPException, Exception):
        app.add_exception_handler(kind, told)
    return app


def handler_for(services: Callable[[], Services] = doors.services) -> Callable[[Any, Any], dict[str, Any]]:
    """The Lambda handler of the desk."""
    from mangum import Mangum

    asyncio.set_event_loop(doors.runner().get_loop())  # else Mangum makes a second one, and pools live on the first
    return Mangum(furnished(blank(), services), lifespan="off")
