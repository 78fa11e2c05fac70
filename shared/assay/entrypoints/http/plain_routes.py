"""Routes of Starlette: FastAPI's take ten times as long to build, for parameters that no handler has."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

READ = ("GET", "HEAD")  # of a path whose answer changes nothing: RFC 9110 asks for HEAD beside GET


def build_route(path: str, handler: Callable[[Request], Awaitable[Response]], *methods: str) -> Route:
    """The route of the path, for these methods alone; GET without any."""
    route = Route(path, handler)
    route.methods = set(methods or ("GET",))  # Starlette adds HEAD to GET
    return route
