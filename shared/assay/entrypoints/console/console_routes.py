"""The routes of the console: those of its pages, and of what the pages load."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assay.entrypoints.console.page_table import ASSETS, HOME, IMAGES, PAGES, ConsolePage
from assay.entrypoints.http.plain_routes import READ, build_route
from assay.services import Services


def console_routes(services: Callable[[], Services]) -> list[Route]:
    """The routes. What answers them is imported by the first request."""

    async def send_image(request: Request) -> Response:
        from assay.entrypoints.console.image_proxy import answer_image

        return await answer_image(request, services())

    missing = ConsolePage("GET", HOME + "/{path:path}", "missing_page:show_missing", "Not found")
    return [
        *(_build_page_route(page, services) for page in PAGES),
        build_route(HOME + "/", redirect_home, *READ),
        build_route(ASSETS + "{digest}/{name}", send_asset, *READ),
        build_route(IMAGES, send_image, *READ),
        _build_page_route(missing, services),
    ]


def _build_page_route(page: ConsolePage, services: Callable[[], Services]) -> Route:
    return build_route(page.path, _build_handler(page, services), *(READ if page.method == "GET" else (page.method,)))


def _build_handler(page: ConsolePage, services: Callable[[], Services]) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        from assay.entrypoints.console.page_answers import answer_page

        return await answer_page(page, request, services())

    return handle


async def redirect_home(_: Request) -> Response:
    return RedirectResponse(HOME, 308)


async def send_asset(request: Request) -> Response:
    """A style sheet or script. It is the same for everybody."""
    from assay.entrypoints.console.asset_files import respond_with_asset

    named = request.path_params
    return respond_with_asset(named["digest"], named["name"], request.headers.get("accept-encoding", ""))
