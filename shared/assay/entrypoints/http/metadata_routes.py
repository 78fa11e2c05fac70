"""Routes of OAuth's metadata, which clients read before they sign in."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from assay.entrypoints.http import http_api
from assay.entrypoints.http.host_origin_guard import join_headers
from assay.entrypoints.resource_server import requires_authentication
from assay.errors import NotFound
from assay.oauth.server_addresses import RESOURCE_METADATA, find_base_url
from assay.oauth.server_metadata import describe_resource, describe_server
from assay.services import Services

SERVER_METADATA = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
CACHED = {"cache-control": "public, max-age=300", "access-control-allow-origin": "*"}


def require_base(request: Request, services: Services) -> str:
    """The address of this server. Raises NotFound where nobody can sign in."""
    base = find_base_url(services.settings, join_headers(request.headers.raw).get("host", ""))
    if base is None or not requires_authentication(services, http_api.keys_of(services)):
        raise NotFound("Nobody signs in here: this server has no keys, or its address is not known (ASSAY_PUBLIC_URL).")
    return base


def metadata_routes(services: Callable[[], Services]) -> APIRouter:
    """The routes. They need no key."""
    router = APIRouter()

    @router.get(RESOURCE_METADATA)
    @router.get(RESOURCE_METADATA + "/{path:path}")
    async def resource(request: Request, path: str = "") -> Response:
        world = services()
        base = require_base(request, world)
        place = f"/{path}" if path else ""
        document = describe_resource(place, base, world.settings, has_sign_in=http_api.has_sign_in(world))
        if document is None:
            raise NotFound(f"There is no protected resource {place[:100]!r}.")
        return _answer(document)

    async def server(request: Request) -> Response:
        world = services()
        base = require_base(request, world)
        if not http_api.has_sign_in(world):
            raise NotFound("Nobody signs in at this server itself; its resource metadata name the issuer.")
        return _answer(describe_server(base, world.settings))

    for path in SERVER_METADATA:
        router.add_api_route(path, server, methods=["GET"])
    return router


def _answer(document: dict[str, Any]) -> Response:
    return JSONResponse(document, headers=CACHED)
