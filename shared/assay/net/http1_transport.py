"""The HTTP/1.1 transport, with a pool of connections by checked address."""

import asyncio
import ssl
import time
from collections.abc import Callable
from typing import NamedTuple

from assay.net.connecting import explain_failure
from assay.net.exceptions import Unreachable
from assay.net.http1_connection import Http1Connection, Stale, connect
from assay.net.transport import Dial, Request, ResponseReader

MAX_IDLE = 128  # idle connections of all origins
IDLE_SECONDS = 30.0  # most servers close idle connections after 5 to 75
TRY_SECONDS = 4.0  # to connect to one of several addresses


class PoolKey(NamedTuple):
    scheme: str
    host: str
    port: int
    address: str


class Http1Transport:
    """A Transport over HTTP/1.1. `tls` creates the TLS context on first use; `dial` is for tests."""

    def __init__(self, tls: Callable[[], ssl.SSLContext], *, dial: Dial | None = None) -> None:
        self._tls = tls
        self._dial = dial or (lambda address, port: (address, port))
        self._idle: dict[Http1Connection, PoolKey] = {}  # the longest idle first
        self._loop: asyncio.AbstractEventLoop | None = None

    async def exchange(self, request: Request, answer: ResponseReader) -> None:
        """See `Transport.exchange`."""
        key, connection = self._take_idle(request) or await self._new(request)
        try:
            await self._exchange_on(key, connection, request, answer)
        except Stale:
            if connection.requests == 1:
                raise self._reset(request) from None
            key, connection = await self._new(request)
            try:
                await self._exchange_on(key, connection, request, answer)
            except Stale:
                raise self._reset(request) from None

    async def close(self) -> None:
        for connection in self._idle:
            connection.close()
        self._idle.clear()
        await asyncio.sleep(0)  # the transports close in the next iteration of the loop

    async def _exchange_on(
        self, key: PoolKey, connection: Http1Connection, request: Request, answer: ResponseReader
    ) -> None:
        reusable = False
        try:
            reusable = await connection.exchange(request, answer)
        finally:
            if reusable:
                self._keep(key, connection)
            else:
                connection.close()

    def _take_idle(self, request: Request) -> tuple[PoolKey, Http1Connection] | None:
        """An idle connection, for GET and HEAD only: it may be dead, and other methods must not be sent twice."""
        self._forget_other_loops()
        if request.method not in {"GET", "HEAD"}:
            return None
        wanted = {PoolKey(*request.place.origin, address) for address in request.addresses}
        for connection, key in reversed(self._idle.items()):
            if key in wanted:
                del self._idle[connection]
                if not connection.closed and time.monotonic() - connection.idle_since < IDLE_SECONDS:
                    return key, connection
                connection.close()
                return self._take_idle(request)
        return None

    def _keep(self, key: PoolKey, connection: Http1Connection) -> None:
        self._idle[connection] = key
        oldest = next(iter(self._idle))
        if len(self._idle) > MAX_IDLE or time.monotonic() - oldest.idle_since > IDLE_SECONDS:
            del self._idle[oldest]
            oldest.close()

    async def _new(self, request: Request) -> tuple[PoolKey, Http1Connection]:
        """A new connection to the first reachable address."""
        place, last = request.place, None
        for address in request.addresses:
            try:
                async with asyncio.timeout(TRY_SECONDS if len(request.addresses) > 1 else None):
                    made = await connect(
                        *self._dial(address, place.port),
                        tls=self._tls() if place.scheme == "https" else None,
                        name=place.host,
                    )
                return PoolKey(*place.origin, address), made
            except OSError as failure:
                last = failure
        reason, words = explain_failure(last)
        raise Unreachable(f"{place.host} {words}.", reason) from last

    def _forget_other_loops(self) -> None:
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop = loop
            self._idle.clear()

    def _reset(self, request: Request) -> Unreachable:
        return Unreachable(f"{request.place.host} closed the connection without a response.", "reset")
