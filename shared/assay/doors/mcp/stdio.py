"""MCP on standard input and output: many calls at a time, and an end without loose ends."""

import asyncio
import logging
import signal
import sys
from contextlib import suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import CONNECTION_CLOSED, JSONRPCNotification, JSONRPCRequest, jsonrpc_message_adapter

from assay.context import Caller, Services
from assay.crawl.resume import resumed
from assay.doors.mcp.answers import Exchange
from assay.doors.mcp.catalogue import Catalogue, toolsets_of
from assay.doors.mcp.engine import server_for
from assay.doors.mcp.eras import ASSUMED
from assay.doors.mcp.rpc import Refused, decoded, failed, id_in, message_of, written
from assay.doors.mcp.wire import Wire
from assay.errors import InvalidInput, Network

GRACE = 5.0  # seconds for answers in flight, once the client has gone or the process is told to stop

type Inward = MemoryObjectSendStream[SessionMessage | Exception]
type Outward = MemoryObjectReceiveStream[SessionMessage]
type Heard = asyncio.Queue[bytes | None]


class Pending:
    """The requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[int | str] = set()
        self._none = asyncio.Event()
        self._none.set()

    def came(self, message: object) -> None:
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
            self._none.clear()
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self.went((message.params or {}).get("requestId"))

    def went(self, identity: object) -> None:
        if isinstance(identity, int | str):
            self._ids.discard(identity)
        if not self._ids:
            self._none.set()

    async def settled(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._none.wait()


def read(line: bytes) -> Any:
    """The message of a line. Raises Refused."""
    document = decoded(line)
    try:
        message_of(document)
    except Refused as refusal:
        refusal.identity = id_in(document)
        raise
    return jsonrpc_message_adapter.validate_python(document, by_name=False)


async def inward(heard: Heard, server: Inward, pending: Pending, wire: Wire) -> None:
    """Lines to messages, until the end; answers in flight get a moment before the server hears of it."""
    async with server:
        while (line := await heard.get()) is not None:
            if not line.strip():
                continue
            try:
                message = read(line)
            except Refused as refusal:
                wire.say(written(failed(refusal.identity, refusal)))
                continue
            pending.came(message)
            await server.send(SessionMessage(message))
        await pending.settled(GRACE)


def enveloped(document: dict[str, Any]) -> dict[str, Any]:
    """The SDK's own errors, a call cut off by the end among them, with the envelope that all of ours carry."""
    error = document.get("error")
    if error and not error.get("data"):
        kind = Network if error.get("code") == CONNECTION_CLOSED else InvalidInput
        error["data"] = kind(error.get("message", "")).envelope()
    return document


async def outward(server: Outward, pending: Pending, wire: Wire) -> None:
    async with server:
        async for item in server:
            document = item.message.model_dump(mode="json", by_alias=True, exclude_unset=True)
            wire.say(written(enveloped(document)))
            pending.went(document.get("id") if "method" not in document else None)


async def serve(services: Services, catalogue: Catalogue, wire: Wire) -> None:
    """Serve one client until it leaves, or until SIGTERM or SIGINT."""
    exchange = Exchange(catalogue, services, Caller(), ASSUMED, toolsets_of(services.settings.toolset))
    server = server_for(exchange)
    heard: Heard = asyncio.Queue()
    pending = Pending()
    for stop in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(stop, heard.put_nowait, None)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    wire.listen(heard)
    resumed(services)
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(inward(heard, to_server, pending, wire))
            tasks.create_task(outward(from_server, pending, wire))
            await server.run(from_client, to_client, server.create_initialization_options())
    finally:
        await services.close()


def run_stdio(services: Services, catalogue: Catalogue | None = None) -> None:
    """Serve MCP on standard input and output until the client leaves. Messages alone go out; the log is on stderr."""
    logging.basicConfig(stream=sys.stderr, level=services.settings.log_level)
    wire = Wire()
    try:
        asyncio.run(serve(services, catalogue or Catalogue(), wire))
    finally:
        wire.close(GRACE)
