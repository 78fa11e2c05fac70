"""The desk: what a deployment says of itself, wherever it runs: health, the catalogue and OpenAPI."""

import asyncio
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse

from assay import __version__, doors, tools
from assay.context import Services
from assay.doors import https, openapi
from assay.doors.wire import headers_of, refused, request_id_of
from assay.errors import ToolError


def routes(services: Callable[[], Services]) -> APIRouter:
    """The desk's routes. Whoever may call a tool may read them; that the process lives, anyone may know."""
    router = APIRouter()

    async def admitted(request: Request) -> None:
        https.caller_of({"headers": dict(request.headers)}, services())

    @router.get("/health/live")
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
        return JSONResponse({"tools": [tools.find(name).card() for name in tools.names()]})

    @router.get("/openapi.json", dependencies=[Depends(admitted)])
    async def described() -> Response:
        return JSONResponse(openapi.document())

    return router


async def told(request: Request, failure: Exception) -> Response:
    """A ToolError as every HTTPS door tells it."""
    assert isinstance(failure, ToolError)
    headers = headers_of({"headers": dict(request.headers)})
    answer = refused(failure, request_id_of({}, headers))
    return Response(answer["body"], answer["statusCode"], answer["headers"])


def furnished(app: FastAPI, services: Callable[[], Services]) -> FastAPI:
    """The application with the desk in it."""
    app.include_router(routes(services))
    app.add_exception_handler(ToolError, told)
    return app


def handler_for(services: Callable[[], Services] = doors.services) -> Callable[[Any, Any], dict[str, Any]]:
    """The Lambda handler of the desk."""
    from mangum import Mangum

    asyncio.set_event_loop(doors.runner().get_loop())  # else Mangum makes a second one, and pools live on the first
    app = FastAPI(title="Assay", version=__version__, openapi_url=None, docs_url=None, redoc_url=None)
    return Mangum(furnished(app, services), lifespan="off")
