"""The connections of httpx, over asyncio: the socket of a cancelled attempt to connect is always closed.

httpcore's own backend closes the socket of a failed TLS handshake after an `Exception` only, which `CancelledError` is
not, and anyio may lose a connection that was established when its caller was cancelled.
"""

import asyncio
import socket
import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import aiohappyeyeballs
import httpcore
import httpx

READ_AHEAD = 256 * 1024  # unread bytes above which reading pauses
NEXT_ADDRESS_SECONDS = 0.25  # until the next address of a host is tried as well (RFC 8305)

type AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]  # as of getaddrinfo


class AsyncioStream(httpcore.AsyncNetworkStream, asyncio.Protocol):
    """A TCP connection, with or without TLS."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._ended = False
        self._paused = False
        self._readable: asyncio.Future[None] | None = None
        self._writable: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's transport is not a subclass

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) > READ_AHEAD and self._transport and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        _wake(self._readable)

    def eof_received(self) -> None:
        self._ended = True
        _wake(self._readable)

    def connection_lost(self, _: Exception | None) -> None:
        self._ended = True
        _wake(self._readable)
        _wake(self._writable)

    def pause_writing(self) -> None:
        self._writable = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        _wake(self._writable)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 (of httpcore)
        """At most `max_bytes` received bytes; none at the end of the connection."""
        if not self._received and not self._ended:
            self._readable = asyncio.get_running_loop().create_future()
            with _httpcore_errors(httpcore.ReadTimeout, httpcore.ReadError):
                async with asyncio.timeout(timeout):
                    await self._readable
        read = bytes(self._received[:max_bytes])
        del self._received[:max_bytes]
        if self._paused and self._transport and len(self._received) <= READ_AHEAD:
            self._paused = False
            self._transport.resume_reading()
        return read

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        if self._transport is None or self._transport.is_closing():
            raise httpcore.WriteError("The connection is closed.")
        self._transport.write(buffer)
        if self._writable:
            with _httpcore_errors(httpcore.WriteTimeout, httpcore.WriteError):
                async with asyncio.timeout(timeout):
                    await self._writable

    async def aclose(self) -> None:
        self._ended = True
        if self._transport:
            self._transport.abort()  # unsent data need not be flushed
            await asyncio.sleep(0)  # the socket closes in the next iteration of the loop

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> "AsyncioStream":
        """Negotiate TLS. Closes the connection if that fails or is cancelled."""
        loop, plain = asyncio.get_running_loop(), self._transport
        assert plain is not None
        if self._received or self._ended:  # bytes received before TLS must not count as received within it
            plain.abort()
            raise httpcore.ConnectError("The server sent data before TLS.")
        try:
            with _httpcore_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
                async with asyncio.timeout(timeout):
                    self._transport = await loop.start_tls(plain, self, ssl_context, server_hostname=server_hostname)
        except BaseException:
            plain.abort()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return bool(self._received) or self._ended
        return self._transport.get_extra_info(info) if self._transport else None


class AsyncioBackend(httpcore.AsyncNetworkBackend):
    """Opens connections to the addresses of a host, of which the first that connects is used (RFC 8305)."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109
        local_address: str | None = None,  # noqa: ARG002 (of httpcore; httpx sets neither)
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002
    ) -> AsyncioStream:
        with _httpcore_errors(httpcore.ConnectTimeout, httpcore.ConnectError):
            async with asyncio.timeout(timeout):
                return await _connect(await _resolve(host, port))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def _resolve(host: str, port: int) -> Sequence[AddressInfo]:
    """The addresses of a host; one that is an address already needs no thread. Raises OSError."""
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        return await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)


async def _connect(addresses: Sequence[AddressInfo]) -> AsyncioStream:
    """Connect to the first of the addresses that accepts. Raises OSError."""
    connected = await aiohappyeyeballs.start_connection(addresses, happy_eyeballs_delay=NEXT_ADDRESS_SECONDS)
    try:
        return (await asyncio.get_running_loop().create_connection(AsyncioStream, sock=connected))[1]
    except BaseException:
        connected.close()
        raise


class PooledTransport(httpx.AsyncHTTPTransport):
    """httpx's transport on these connections; httpx has no argument for the network interface."""

    def __init__(self, tls: ssl.SSLContext, limits: httpx.Limits) -> None:
        super().__init__(verify=tls, trust_env=False, limits=limits)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=AsyncioBackend(),
        )


@contextmanager
def _httpcore_errors(late: type[Exception], failed: type[Exception]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late from error
    except OSError as error:
        raise failed(str(error)) from error


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter and not waiter.done():
        waiter.set_result(None)
