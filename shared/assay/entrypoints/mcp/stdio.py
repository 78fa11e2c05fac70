"""MCP over standard input and output: concurrent calls, cancellation and orderly shutdown."""

import asyncio
import faulthandler
import logging
import signal
import sys
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.caller import Caller
from assay.entrypoints.mcp import param_validation
from assay.entrypoints.mcp.client_requests import ClientRequests
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.in_flight import CANCELLED, InFlight
from assay.entrypoints.mcp.jsonrpc import (
    CONNECTION_CLOSED,
    INVALID_PARAMS,
    RpcError,
    RpcMessage,
    encode_document,
    error_response,
    id_in,
    message_of,
    parse_json,
    success_response,
)
from assay.entrypoints.mcp.list_cache import load_cached
from assay.entrypoints.mcp.methods import METHODS, ONLY_MODERN, negotiated_version
from assay.entrypoints.mcp.progress import report_for
from assay.entrypoints.mcp.protocol_versions import (
    ASSUMED,
    MODERN,
    VERSION_KEY,
    check_served,
    checked_envelope,
    envelope_of,
)
from assay.entrypoints.mcp.stateless_server import run_method
from assay.entrypoints.mcp.stdio_streams import StdioStreams
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.entrypoints.mcp.tool_selection import ToolSelection, select_tools
from assay.entrypoints.warm import warm
from assay.errors import Network
from assay.services import Services
from assay.work_queue.resume import resume_jobs

log = logging.getLogger("assay")
GRACE = 5.0  # seconds at most until the process exits after the client has disconnected or a signal arrives
ANSWERING = 0.75  # share of that time in which calls in flight may finish
STOPPING = 0.5  # seconds in which cancelled calls may clean up
RESUMING = 1.0  # seconds after the start until interrupted crawls resume, so that the first request is not delayed
IDLE = 0.3  # seconds without a message after which the modules of the first call are imported


class StdioConnection:
    """One client. A request with the envelope of 2026-07-28 is served by it, any other by what `initialize` negotiated.

    Clients that discover the newer revision may still initialize, as Claude Code does.
    """

    def __init__(self, exchange: Exchange, streams: StdioStreams) -> None:
        self._exchange = exchange
        self._streams = streams
        self._version: str | None = None  # negotiated by `initialize`
        self._in_flight = InFlight()
        self._client_requests = ClientRequests()
        self._works: dict[asyncio.Task[None], int | str] = {}

    def handle_line(self, line: bytes) -> None:
        """Handle one line from the client: start its request, cancel another request, or send an error."""
        document = None
        try:
            document = parse_json(line)
            message = message_of(document)
            if message.id is None:
                self._note(message)
                self._client_requests.receive_response(None, document)
                return
            exchange = self._exchange_for(message)
        except RpcError as refusal:
            self._write(error_response(id_in(document), refusal))
            return
        work = asyncio.create_task(self._answer(message, message.id, exchange))
        self._works[work] = message.id
        work.add_done_callback(lambda done: self._works.pop(done, None))

    def _note(self, notification: RpcMessage) -> None:
        if notification.method == CANCELLED:
            self._in_flight.cancel(None, notification.params or {})

    def _exchange_for(self, message: RpcMessage) -> Exchange:
        """The exchange for the request. Raises RpcError if its revision is not served or not negotiated."""
        version = self._version_for(message)
        report = report_for(message, self._send)
        return replace(
            self._exchange,
            version=version,
            request_id=str(uuid.uuid4()),
            report=report,
            questioner=self._client_requests.build_questioner(None, self._send),
            has_apps=self._client_requests.has_apps(None),
        )

    def _version_for(self, message: RpcMessage) -> str:
        """The revision of the request. Raises RpcError."""
        if message.method == "initialize":
            self._open(message)
        elif VERSION_KEY in envelope_of(message.params):
            check_served(checked_envelope(message))
            return MODERN[-1]
        elif self._version is None and message.method in METHODS.keys() - ONLY_MODERN - {"ping"}:
            raise RpcError(INVALID_PARAMS, "Send initialize first, or the envelope of 2026-07-28 in params._meta.")
        return self._version or ASSUMED

    def _open(self, message: RpcMessage) -> None:
        """Negotiate the revision at once, because the next line may depend on it before this one is answered."""
        params = message.params or {}
        param_validation.check("initialize", params)
        self._version = negotiated_version(params)
        self._client_requests.note_client(None, params)

    async def _answer(self, message: RpcMessage, identity: int | str, exchange: Exchange) -> None:
        work = asyncio.ensure_future(run_method(message, exchange))
        with self._in_flight.track(None, identity, work):
            try:
                await asyncio.wait({work})
            finally:
                work.cancel()
                if exchange.report is not None:
                    exchange.report.close()
        if work.cancelled():
            return  # the client cancelled it and expects no response
        refusal = work.exception()
        if refusal is None:
            self._write(success_response(identity, work.result()))
        elif isinstance(refusal, RpcError):
            self._write(error_response(identity, refusal))
        else:
            raise refusal

    async def _send(self, document: Mapping[str, Any]) -> None:
        """Send a notification, unless the client does not read what was sent before."""
        if not self._streams.is_backlogged():
            self._write(document)

    def _write(self, document: Mapping[str, Any]) -> None:
        self._streams.write_line(encode_document(document))

    async def end(self, seconds: float) -> None:
        """Wait `seconds` for the calls in flight, then cancel the rest and send an error for each."""
        if self._works and seconds > 0:
            await asyncio.wait(set(self._works), timeout=seconds)
        for work, identity in list(self._works.items()):
            work.cancel()
            end = Network("The server stopped before the call finished. Call again.", retry_after=1)
            self._write(error_response(identity, RpcError(CONNECTION_CLOSED, end)))
        if self._works:
            await asyncio.wait(set(self._works), timeout=STOPPING)


class Shutdown:
    """Shutdown of the process after a signal or the end of input. Once begun, it completes within a time limit."""

    def __init__(self, lines: "asyncio.Queue[bytes | None]", seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._lines = lines
        self._begun = False
        self._usual = {stop: signal.signal(stop, self._on_signal) for stop in (signal.SIGTERM, signal.SIGINT)}

    def _on_signal(self, *_: object) -> None:
        self.begin()
        self._loop.call_soon_threadsafe(self._lines.put_nowait, None)

    def begin(self) -> None:
        """Exit within the time limit, even if a call blocks the event loop or a thread."""
        if not self._begun:
            self._begun = True
            # Its watchdog thread runs without the GIL, so Python code cannot block it.
            faulthandler.dump_traceback_later(self._seconds * 0.95, exit=True)

    def restore(self) -> None:
        for stop, handler in self._usual.items():
            signal.signal(stop, handler)


async def serve(
    services: Services,
    catalogue: ToolCatalogue,
    streams: StdioStreams,
    selection: ToolSelection | None = None,
    grace: float = GRACE,
) -> None:
    """Serve one client until it disconnects, or until SIGTERM or SIGINT."""
    selection = selection or select_tools(services.settings.toolset, known=tuple(catalogue.names()))
    exchange = Exchange(catalogue, services, Caller(), ASSUMED, selection)
    connection = StdioConnection(exchange, streams)
    lines: asyncio.Queue[bytes | None] = asyncio.Queue()
    seconds = min(grace, services.settings.shutdown_seconds)
    end = Shutdown(lines, seconds)
    streams.listen(lines, end.begin)
    asyncio.get_running_loop().call_later(RESUMING, _start_background_work, services)
    try:
        await _listen(connection, lines, streams)
        end.begin()
        await connection.end(seconds * ANSWERING if streams.is_read() else 0.0)
    finally:
        await services.close()
        end.restore()


def _start_background_work(services: Services) -> None:
    from assay.webhooks.audit_delivery import start_deliveries

    resume_jobs(services)
    start_deliveries(services)


async def _listen(connection: StdioConnection, lines: "asyncio.Queue[bytes | None]", streams: StdioStreams) -> None:
    """Handle the client's lines until the input ends. In the first pause, import the modules of the first call."""
    has_received_line = is_warm = False
    while True:
        try:
            async with asyncio.timeout(IDLE if has_received_line and not is_warm else None):
                line = await lines.get()
        except TimeoutError:
            is_warm = True
            warm()
            continue
        if line is None:
            return
        has_received_line = True
        if line.strip():
            await streams.wait_for_reader()
            connection.handle_line(line)
        streams.free_line()


def run_stdio(
    services: Services,
    catalogue: ToolCatalogue | None = None,
    selection: ToolSelection | None = None,
    grace: float = GRACE,
) -> None:
    """Serve MCP on standard input and output until the client disconnects. The log goes to standard error.

    The process exits within `grace` seconds after that, or sooner where the settings say so.
    """
    logging.basicConfig(stream=sys.stderr, level=services.settings.log_level)
    streams = StdioStreams()
    try:
        asyncio.run(serve(services, catalogue or load_cached(services.settings.home), streams, selection, grace))
    finally:
        streams.close(grace)
