"""The routes of the console: those of its pages, and of what the pages load."""

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from assay.entrypoints.console.page_table import ASSETS, HOME, IMAGES, PAGES, ConsolePage
from assay.services import Services


def console_routes(services: Callable[[], Services]) -> APIRouter:
    """The routes. What answers them is imported by the first request."""
    router = APIRouter()
    for page in PAGES:
        router.add_api_route(page.path, _build_handler(page, services), methods=[page.method])
    router.add_api_route(HOME + "/", redirect_home, methods=["GET"])
    router.add_api_route(ASSETS + "{digest}/{name}", send_asset, methods=["GET"])

    async def send_image(request: Request) -> Response:
        from assay.entrypoints.console.image_proxy import answer_image

        return await answer_image(request, services())

    router.add_api_route(IMAGES, send_image, methods=["GET"])
    missing = ConsolePage("GET", HOME + "/{path:path}", "missing_page:show_missing", "Not found")
    router.add_api_route(missing.path, _build_handler(missing, services), methods=["GET"])
    return router


def _build_handler(page: ConsolePage, services: Callable[[], Services]) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        from assay.entrypoints.console.page_answers import answer_page

        return await answer_page(page, request, services())

    return handle


async def redirect_home() -> Response:
    return RedirectResponse(HOME, 308)


async def send_asset(request: Request) -> Response:
    """A style sheet or script. It is the same for everybody."""
    from assay.entrypoints.console.asset_files import respond_with_asset

    named = request.path_params
    return respond_with_asset(named["digest"], named["name"], request.headers.get("accept-encoding", ""))
