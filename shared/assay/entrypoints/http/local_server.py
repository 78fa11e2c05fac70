"""The local server: tool calls, catalogue, health and MCP on one port, with the same functions as Lambda."""

import asyncio
import contextlib
import faulthandler
import gc
import ipaddress
import os
import signal
import socket
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from assay.entrypoints import runtime
from assay.entrypoints.http import cors, http_api, rest, service_info
from assay.entrypoints.http.host_origin_guard import App, HostOriginMiddleware, Receive, Scope, Send
from assay.entrypoints.http.http_protocol import LimitedHttpProtocol
from assay.entrypoints.http.plain_routes import build_route
from assay.entrypoints.http.rate_limit_headers import find_address
from assay.entrypoints.http.request_log import print_call
from assay.entrypoints.http.upload_routes import upload_routes
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.tool_selection import SELECTIONS
from assay.entrypoints.resource_server import requires_authentication
from assay.errors import ConfigError
from assay.local.local_uploads import LocalUploads
from assay.services import Services
from assay.state.caller_address import note_caller_address
from assay.state.key_store import has_keys
from assay.state.rate_limit import check_address
from assay.webhooks.audit_delivery import start_deliveries
from assay.work_queue.resume import resume_jobs

PORT = 8787
COLLECTED_OBJECTS = 20_000  # new objects after which the garbage collector runs; some 4 MB
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


def event_of(request: Request, body: bytes) -> dict[str, Any]:
    """The request as an API Gateway event (payload 2.0), so that Lambda and this server share their code."""
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    text, is_base64 = _text_of(body)
    return {
        "version": "2.0",
        "rawPath": request.url.path,
        "rawQueryString": request.url.query,
        "headers": headers,
        "requestContext": {
            "requestId": str(uuid.uuid4()),
            "http": {
                "method": request.method,
                "path": request.url.path,
                "sourceIp": request.client.host if request.client else "",
            },
        },
        "body": text,
        "isBase64Encoded": is_base64,
    }


def _text_of(body: bytes) -> tuple[str, bool]:
    import base64

    try:
        return body.decode(), False
    except UnicodeDecodeError:
        return base64.b64encode(body).decode(), True


def response_of(answer: dict[str, Any]) -> Response:
    return Response(answer["body"], answer["statusCode"], answer["headers"])


def create_app(
    services: Services, *, any_host: bool = False, address: str = f"http://127.0.0.1:{PORT}"
) -> HostOriginMiddleware:
    """The ASGI application at this address. It closes `services` when it stops."""
    if services.upload_target is None:
        services.upload_target = LocalUploads(services.table, services.settings.public_url or address)
    app = service_info.new_app(build_lifespan(services))
    app.router.routes += build_tool_routes(services) + upload_routes(services)
    service_info.with_routes(app, lambda: services)

    async def authenticate(headers: Mapping[str, str], path: str) -> None:
        entrypoint = "mcp" if path.startswith("/mcp") else "https"
        await http_api.authenticate_headers(headers, services, entrypoint, None, path)

    async def check_limit(headers: Mapping[str, str], peer: str) -> None:
        address = find_address(peer, headers, services.settings)
        note_caller_address(address)
        await check_address(services.limit_counters, services.settings, address, services.clock())

    return HostOriginMiddleware(
        route_mcp(app, LocalMcp(services).app),
        any_host=any_host,
        public_host=cors.hostname(services.settings.public_url) or "",
        origins=cors.list_allowed_origins(services.settings),
        check_address=check_limit,
        authenticate=authenticate,
    )


def build_lifespan(services: Services) -> Callable[[FastAPI], contextlib.AbstractAsyncContextManager[None]]:
    """What the application does when it starts and stops: unfinished jobs go on, and at last the services close."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        resume_jobs(services)
        start_deliveries(services)
        yield
        await services.close()

    return lifespan


def build_tool_routes(services: Services) -> list[Route]:
    """The routes that call tools."""

    async def call(request: Request) -> Response:
        try:
            body = await request.body()
        except ClientDisconnect:
            return Response(status_code=400)  # the client has disconnected
        return response_of(await http_api.answer(request.path_params["name"], event_of(request, body), None, services))

    async def handle_rest(request: Request) -> Response:
        try:
            body = await request.body()
        except ClientDisconnect:
            return Response(status_code=400)
        return response_of(await rest.answer(event_of(request, body), None, services))

    return [
        build_route("/tools/{name}", call, "POST"),
        *(
            build_route(path, handle_rest, *METHODS)
            for path in ("/metrics", "/dashboard/data", "/admin/{path:path}", "/v1/{path:path}")
        ),
    ]


def route_mcp(app: App, mcp: App) -> App:
    """Send MCP's paths to `mcp` and all else to `app`. A mount would redirect /mcp to /mcp/, which not all clients
    follow."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        is_mcp = scope["type"] == "http" and scope["path"].removesuffix("/") in SELECTIONS
        await (mcp if is_mcp else app)(scope, receive, send)

    return dispatch


def refuse_open(host: str, services: Services) -> None:
    """Raises ConfigError when others can reach the server and nobody has to authenticate."""
    keys = http_api.keys_of(services)  # on loopback too: report unreadable keys at the start
    is_public = not _is_loopback(host) or services.settings.public_url.startswith("https://")
    if not is_public or requires_authentication(services, keys):
        return
    services.requires_keys = asyncio.run(has_keys(services.table))
    if not services.requires_keys:
        place, other = (host, "listen on 127.0.0.1") if not _is_loopback(host) else ("", "unset ASSAY_PUBLIC_URL")
        raise ConfigError(
            f"Refusing to listen on {place or services.settings.public_url} without a key: anyone who reaches it could "
            f"use it. Make one with `assay key create`, or {other}.",
            field="host",
            action="inform_user",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Server(uvicorn.Server):
    """uvicorn's server, which exits at the latest `seconds` after a signal."""

    def __init__(self, config: uvicorn.Config, seconds: int) -> None:
        super().__init__(config)
        self._seconds = seconds

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            # faulthandler's thread needs no GIL, so neither a stuck thread nor a busy loop can prevent the exit.
            faulthandler.dump_traceback_later(self._seconds, exit=True)
        super().handle_exit(sig, frame)


def serve(host: str, port: int, services: Callable[[], Services] = runtime.services) -> None:
    """Serve until SIGTERM or SIGINT; calls in flight then have three quarters of the grace period to end."""
    world = services()
    refuse_open(host, world)
    world.reads_apart = True
    listening = listen(host, port)
    shown = f"{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"
    address = f"http://{shown}" if _is_loopback(host) else f"http://{socket.gethostname()}:{listening.getsockname()[1]}"
    config = uvicorn.Config(
        create_app(world, any_host=not _is_loopback(host), address=address),
        http=LimitedHttpProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=world.settings.shutdown_seconds * 3 // 4,  # the rest is for closing the services
    )
    # Objects of the modules are never free, and those of a call are freed without a collection, almost all of them.
    gc.freeze()
    gc.set_threshold(COLLECTED_OBJECTS)
    server = Server(config, world.settings.shutdown_seconds)
    for stop in (signal.SIGTERM, signal.SIGINT):
        # Covers the time before uvicorn installs its handlers, and the signal that it raises again after it has
        # stopped, so that the exit code is 0.
        signal.signal(stop, server.handle_exit)
    message = f"Assay listens on http://{shown} (MCP at /mcp). State is in {world.settings.home}. pid {os.getpid()}"
    print(message, flush=True)
    if world.settings.log_level in ("DEBUG", "INFO"):
        world.observers.append(print_call)
        needs_key = requires_authentication(world, http_api.keys_of(world))
        print(next_steps(shown, needs_key=needs_key), flush=True)
    server.run(sockets=[listening])


def next_steps(address: str, *, needs_key: bool) -> str:
    """What to type next, at another terminal."""
    header = '"Authorization: Bearer $ASSAY_KEY"'
    by_curl, by_claude = (f" -H {header}", f" --header {header}") if needs_key else ("", "")
    return "\n".join(
        (
            f'Try:      curl -s http://{address}/tools/web_search{by_curl} -d \'{{"query": "otters sea kelp"}}\'',
            f"Connect:  claude mcp add --transport http assay http://{address}/mcp{by_claude}",
            f"Read:     http://{address}/ in a browser. Ctrl-C stops it; each call is a line below.",
        )
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 is any free one. Raises ConfigError when that cannot be."""
    try:
        if not 0 <= port <= 65535:  # create_server would leave its socket open
            raise OverflowError("no such port")  # noqa: TRY301  # told below, like any other
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as failure:
        reason = getattr(failure, "strerror", None) or str(failure)
        raise ConfigError(
            f"Cannot listen on {host} port {port}: {reason}. Choose another with --port.",
            field="port",
            action="inform_user",
        ) from None
