"""Routes of OAuth's metadata, which clients read before they sign in."""

from collections.abc import Callable
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from starlette.routing import Route

from assay.entrypoints.http import http_api
from assay.entrypoints.http.asgi_headers import join_headers
from assay.entrypoints.http.plain_routes import READ, build_route
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
        raise NotFound("Nobody can sign in here: this server has no keys, or ASSAY_PUBLIC_URL is not set.")
    return base


def metadata_routes(services: Callable[[], Services]) -> list[Route]:
    """The routes. They need no key."""

    async def resource(request: Request) -> Response:
        world = services()
        base = require_base(request, world)
        path = request.path_params.get("path")
        place = f"/{path}" if path else ""
        document = describe_resource(place, base, world.settings, has_sign_in=http_api.has_sign_in(world))
        if document is None:
            raise NotFound(f"There is no protected resource {place[:100]!r}.")
        return _answer(document)

    async def server(request: Request) -> Response:
        world = services()
        base = require_base(request, world)
        if not http_api.has_sign_in(world):
            raise NotFound("People do not sign in at this server itself; its resource metadata names the issuer.")
        return _answer(describe_server(base, world.settings))

    return [
        build_route(RESOURCE_METADATA + "/{path:path}", resource, *READ),
        build_route(RESOURCE_METADATA, resource, *READ),
        *(build_route(path, server, *READ) for path in SERVER_METADATA),
    ]


def _answer(document: dict[str, Any]) -> Response:
    return JSONResponse(document, headers=CACHED)
