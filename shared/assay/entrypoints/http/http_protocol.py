"""A connection of the local server: what is no request is told so in our words, what never ends is not waited for."""

import asyncio
import json
import logging
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from assay.entrypoints.http.http_errors import ServerBusy
from assay.errors import InvalidInput, Network, ToolError

HEAD_BYTES = 64 * 1024
MOST_CONNECTIONS = 512  # open at a time; a process may hold 1,024 files on many systems
WHOLE_SECONDS = 30.0  # from its first byte to its last, or from the connection to the first request


class HeadTooLong(InvalidInput):
    status = 431


class NeverEnds(Network):
    status = 408


def head_too_long() -> HeadTooLong:
    """A new error each time: each raise of one instance adds to its traceback, which keeps the connection's frames."""
    return HeadTooLong(f"The request's head is over {HEAD_BYTES // 1024} KB; send less.")


REASONS = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Not a line for each request that cannot be read: its sender is told, and a flood of them would fill the log."""
    return record.msg != "Invalid HTTP request received."


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's, with a cap on connections, on a request's head and on the time a request takes to arrive."""

    seconds = WHOLE_SECONDS
    most = MOST_CONNECTIONS

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.logger.addFilter(is_worth_logging)  # once, however often it is added
        self._patience: asyncio.TimerHandle | None = None
        self._head: int | None = 0  # bytes so far; None while a body is read

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(ServerBusy("This server has as many connections as it can hold. Call again.", retry_after=1))
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._on_request_complete()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            self._head += len(data)
        super().data_received(data)
        if self._head is not None and self._head > HEAD_BYTES and not self.transport.is_closing():
            self._refuse(head_too_long())

    def on_message_begin(self) -> None:
        self._wait()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD_BYTES:
            self._refuse(head_too_long())
            raise head_too_long()  # and so the parser goes no further
        self._head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._on_request_complete()
        self._head = 0
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # our own words instead
        if not self.transport.is_closing():
            self._refuse(InvalidInput("This is no HTTP request that can be read; check its head and its length."))

    def _wait(self) -> None:
        self._on_request_complete()
        late = NeverEnds("The request did not come to its end in time. Send it again, whole.", retry_after=1)
        self._patience = self.loop.call_later(self.seconds, partial(self._refuse, late))

    def _on_request_complete(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _refuse(self, failure: ToolError) -> None:
        """Answer, unless an answer has begun already, and hang up."""
        self._on_request_complete()
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            body = json.dumps(failure.wire(), separators=(",", ":")).encode()
            head = (
                f"HTTP/1.1 {failure.status} {REASONS[failure.status]}\r\ncontent-type: application/json\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self.transport.close()
