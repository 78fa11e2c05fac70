"""Feeds of watches at secret addresses. They need no key, and an unknown address is like one that has ended."""

import re
from collections.abc import Callable

from fastapi import Request, Response
from starlette.routing import Route

from assay.caller import Caller
from assay.consent.consent_gate import find_refusal
from assay.entrypoints.http.asgi_headers import join_headers
from assay.entrypoints.http.plain_routes import READ, build_route
from assay.errors import NotFound
from assay.monitoring.watch_feed import format_atom, format_json_feed
from assay.monitoring.watch_store import find_feed_owner
from assay.oauth.server_addresses import find_base_url
from assay.own_stores import OwnStores
from assay.services import Services

ADDRESS = re.compile(r"([A-Za-z0-9_-]{10,200})\.(atom|json)")
FORMATS = {
    "atom": ("application/atom+xml; charset=utf-8", format_atom),
    "json": ("application/feed+json; charset=utf-8", format_json_feed),
}
HEADERS = {"cache-control": "private, max-age=300", "x-robots-tag": "noindex, nofollow, noarchive"}


def feed_routes(services: Callable[[], Services]) -> list[Route]:
    """The routes for feed readers."""

    async def feed(request: Request) -> Response:
        base = find_base_url(services().settings, join_headers(request.headers.raw).get("host", ""))
        return await show_feed(request.path_params["name"], services(), base or "")

    return [build_route("/feeds/{name}", feed, *READ)]


async def show_feed(name: str, services: Services, base: str) -> Response:
    """The feed at the secret address `name`. Raises NotFound."""
    missing = NotFound("There is no feed at this address.")
    match = ADDRESS.fullmatch(name)
    if match is None or not services.settings.monitoring_enabled:
        raise missing
    owner = await find_feed_owner(services.table, match[1])
    if owner is None:
        raise missing
    own = OwnStores(services, Caller(owner.tenant, owner.user))
    watch, state = await own.watches.load(owner.id), await own.watches.load_state(owner.id)
    if watch is None or state is None or not watch.is_feed(match[1]) or await find_refusal(own.consents, "monitoring"):
        raise missing
    kind, format_feed = FORMATS[match[2]]
    body = format_feed(watch, state, f"{base}/feeds/{name}" if base else "")
    return Response(body, headers={**HEADERS, "content-type": kind})
