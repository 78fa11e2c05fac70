"""HTTP connections of the local server, with limits on their number, on request heads and on arrival time."""

import asyncio
import json
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from assay.entrypoints.http.http_errors import ServerBusy
from assay.errors import InvalidInput, Network, ToolError

HEAD_BYTES = 64 * 1024
MAX_CONNECTIONS = 512  # many systems allow a process 1,024 open files
REQUEST_SECONDS = 30.0  # from the first byte of a request to its last, or from the connection to the first request


class HeadTooLong(InvalidInput):
    status = 431


class RequestTimeout(Network):
    status = 408


def head_too_long() -> HeadTooLong:
    """A new error each time, because raising one instance again would keep the frames of earlier connections alive."""
    return HeadTooLong(f"The request head is over {HEAD_BYTES // 1024} KB; send less.")


REASONS = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


def is_worth_logging(record: logging.LogRecord) -> bool:
    """False for malformed requests: the client receives an error, and many of them would fill the log."""
    return record.msg != "Invalid HTTP request received."


class RequestReadToItsEnd(Exception):
    """Stops the parser: what follows on a connection that is being closed is no request."""


class HalfClosingTransport:
    """A transport whose `close` is that of the protocol; uvicorn's response cycle closes its transport itself."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None], is_closing: Callable[[], bool]) -> None:
        self._transport, self.close, self.is_closing = transport, close, is_closing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol with limits on connections, request heads and the time a request takes to arrive.

    A request that is answered before its body has arrived is read to its end, within the same time. If the connection
    were closed at once, the system would answer the rest of the body with a reset, and many clients would report that
    instead of the answer (RFC 9112, section 9.6).
    """

    seconds = REQUEST_SECONDS
    max_connections = MAX_CONNECTIONS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.logger.addFilter(is_worth_logging)  # a filter is added only once
        self._timer: asyncio.TimerHandle | None = None
        self._head: int | None = 0  # bytes so far; None while a body is read
        self._is_half_closed = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._whole = transport
        self._half = HalfClosingTransport(transport, self._close, self._is_closing)
        self.transport = self._half  # type: ignore[assignment]
        if len(self.connections) > self.max_connections:
            self._refuse(ServerBusy("The server has too many open connections. Call again.", retry_after=1))
            return
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)
        # Nothing refers to this protocol any more, so that it is freed without a collection.
        self._half.close, self._half.is_closing = self._whole.close, self._whole.is_closing

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            self._head += len(data)
        super().data_received(data)
        if self._head is not None and self._head > HEAD_BYTES and not self.transport.is_closing():
            self._refuse(head_too_long())

    def _close(self) -> None:
        """Close the connection, or only the half for responses if the client is still sending a body."""
        if self._head is not None or self._is_closing():
            self._whole.close()
            return
        self._is_half_closed = True
        self._stop_timer()
        self._whole.write_eof()
        self.flow.resume_reading()
        self._timer = self.loop.call_later(self.seconds, self._whole.close)

    def _is_closing(self) -> bool:
        return self._is_half_closed or self._whole.is_closing()

    def on_message_begin(self) -> None:
        self._start_timer()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            self._refuse(head_too_long())
            raise head_too_long()  # stops the parser
        self._head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._stop_timer()
        self._head = 0
        super().on_message_complete()
        if self._is_half_closed:
            self._whole.close()
            raise RequestReadToItsEnd

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # the reply has the common error envelope
        if not self.transport.is_closing():
            self._refuse(InvalidInput("The HTTP request is malformed; check its head and its length."))

    def _start_timer(self) -> None:
        self._stop_timer()
        late = RequestTimeout("The request was not complete in time. Send it again.", retry_after=1)
        self._timer = self.loop.call_later(self.seconds, partial(self._refuse, late))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, failure: ToolError) -> None:
        """Send the error, unless a response has begun, and close the connection."""
        self._stop_timer()
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            body = json.dumps(failure.wire(), separators=(",", ":")).encode()
            head = (
                f"HTTP/1.1 {failure.status} {REASONS[failure.status]}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self._whole.close()
