"""A response of server-sent events, which starts when the first event is sent, and waiting for the call behind it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from assay.entrypoints.http.asgi_headers import encode_headers
from assay.entrypoints.mcp.jsonrpc import encode_document

if TYPE_CHECKING:
    from assay.entrypoints.http.host_origin_guard import Send

PING_SECONDS = 15.0  # between comments on an idle stream, so that proxies do not close it
STALL_SECONDS = 30.0  # in which a client has to take what is sent to it
STREAM_HEADERS = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
}


class EventStream:
    """A stream of server-sent events. A call that ends before the first event is answered without it.

    `find_headers` returns further headers, such as the caller's limits, when the stream starts.
    """

    def __init__(
        self, send: "Send", find_headers: Callable[[], Mapping[str, str]] = dict, seconds: float = STALL_SECONDS
    ) -> None:
        self._send, self._find_headers, self._seconds = send, find_headers, seconds
        self._lock = asyncio.Lock()
        self.has_begun = False
        self.stalled: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def send_event(self, document: Mapping[str, Any]) -> None:
        await self._write(format_event(encode_document(document)))

    async def ping(self) -> None:
        await self._write(b": ping\r\n\r\n")

    async def close(self, answer: bytes) -> bool:
        """End the stream with the answer as last event, if there is one; False if no stream has begun."""
        if not self.has_begun:
            return False
        last = format_event(answer) if answer else b""
        await self.limit_time(self._send_body(last, more_body=False))
        return True

    async def _write(self, event: bytes) -> None:
        if not self.stalled.done():
            await self.limit_time(self._send_body(event, more_body=True))

    async def _send_body(self, body: bytes, *, more_body: bool) -> None:
        async with self._lock:
            if not self.has_begun:
                self.has_begun = True
                headers = encode_headers({**STREAM_HEADERS, **self._find_headers()})
                await self._send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._send({"type": "http.response.body", "body": body, "more_body": more_body})

    async def limit_time(self, sending: Awaitable[None]) -> None:
        """Send this, but give up on a client that takes nothing for too long: what it does not read stays in memory."""
        try:
            async with asyncio.timeout(self._seconds):
                await sending
        except TimeoutError:
            if not self.stalled.done():
                self.stalled.set_result(None)


def format_event(message: bytes) -> bytes:
    return b"event: message\r\ndata: " + message + b"\r\n\r\n"


async def wait_while_read(
    work: "asyncio.Future[Any]", stream: EventStream | None, *signs: "asyncio.Future[Any]"
) -> bool:
    """Wait until the work ends, with comments on its stream.

    Returns False, and cancels the work, once the client reads nothing any more or one of the signs that it has gone is
    done.
    """
    gone = {*signs} if stream is None else {*signs, stream.stalled}
    pause = None if stream is None else PING_SECONDS
    try:
        while not work.done():
            await asyncio.wait({work, *gone}, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                break
            if any(sign.done() for sign in gone):
                return False
            if stream is not None:
                await stream.ping()
        return True
    finally:
        work.cancel()
