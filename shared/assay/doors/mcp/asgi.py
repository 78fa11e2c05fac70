"""MCP_ENGINE=sdk: the SDK's engine on Lambda by way of Mangum, the switch back from the thin one."""

import asyncio
import base64
from collections.abc import Callable
from functools import cache
from typing import Any

from mangum import Mangum

from assay import doors
from assay.context import Caller, Services
from assay.doors.gate import Receive, Scope, Send
from assay.doors.mcp.answers import Exchange
from assay.doors.mcp.catalogue import Catalogue
from assay.doors.mcp.engine import EXCHANGE, manager_for, server_for
from assay.doors.mcp.eras import ASSUMED
from assay.doors.mcp.http import admit, check_origin, refused
from assay.doors.mcp.local import sent
from assay.doors.mcp.rpc import Refused, decoded, is_sound, message_of
from assay.doors.mcp.thin import Handler, catalogue_here, dressed, post_of, serve
from assay.doors.wire import Event
from assay.errors import ToolError


class SdkMcp:
    """The SDK's application behind the same admission as the thin engine's."""

    def __init__(self, services: Services, catalogue: Catalogue) -> None:
        self._services = services
        self._catalogue = catalogue
        self._manager = manager_for(server_for(Exchange(catalogue, services, Caller(), ASSUMED)), streams=False)

    async def started(self) -> "asyncio.Task[None]":
        """A task that holds the session manager open: it runs once a process, and only one task may enter and leave."""
        begun = asyncio.Event()

        async def hold() -> None:
            async with self._manager.run():
                begun.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(hold())
        await begun.wait()
        return task

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            post = post_of(scope["aws.event"], scope["aws.context"])
            check_origin(post.headers, self._services)
            exchange = admit(post, self._services, self._catalogue)
            message_of(decoded(post.body))
        except ToolError as failure:
            await sent(refused(failure), send)
        except Refused:  # the thin engine tells what is wrong with a body that is no message
            await sent(await serve(post, self._services, self._catalogue), send)
        else:
            await self._manager.handle_request({**scope, EXCHANGE: exchange}, receive, send)


def readable(event: Event) -> dict[str, Any]:
    """The event as Mangum can read it: half of a surrogate pair in the body would break it before any of ours runs."""
    body = event.get("body")
    if is_sound(body):
        return dict(event)
    encoded = base64.b64encode(str(body).encode(errors="surrogatepass")).decode()
    return {**event, "body": encoded, "isBase64Encoded": True}


def handler_for(
    services: Callable[[], Services] = doors.services, catalogue: Callable[[], Catalogue] = catalogue_here
) -> Handler:
    """The Lambda handler of all tools behind one address, served by the SDK."""

    @cache
    def adapter() -> tuple[Mangum, "asyncio.Task[None]"]:
        asyncio.set_event_loop(doors.runner().get_loop())  # or Mangum would make a loop of its own
        server = SdkMcp(services(), catalogue())
        return Mangum(server.app, lifespan="off"), doors.wait_for(server.started())

    def handle(event: Event, lambda_context: object) -> dict[str, object]:
        try:
            mangum, _ = adapter()
        except ToolError as failure:  # settings that cannot be are told like any other failure
            return dressed(refused(failure), event)
        asyncio.set_event_loop(doors.runner().get_loop())
        return mangum(readable(event), lambda_context)  # type: ignore[arg-type]

    return handle


handler = handler_for()
