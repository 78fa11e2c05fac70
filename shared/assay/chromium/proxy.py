"""Loopback HTTP proxy for rendered pages: checks each target with the SSRF guard and connects to the checked address.

TLS is tunnelled (CONNECT, RFC 9110 section 9.3.6), so the browser itself verifies certificates.
"""

import asyncio
import re
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from assay.errors import ToolError
from assay.net.exceptions import Unreachable
from assay.net.ssrf_guard import ResolvedTarget, SsrfGuard
from assay.text.url_parts import split_url

MAX_HEAD = 96 * 1024  # bytes of a request or response head
MAX_BYTES = 32 * 1024 * 1024  # received per render, all requests together
MAX_OPEN = 64  # connections per render
TRY_SECONDS, CLOSING_SECONDS = 8.0, 2.0
PIECE = 64 * 1024
HOP_BY_HOP = re.compile(rb"(?i)(connection|keep-alive|proxy-[a-z-]+|upgrade|te)[ \t]*:")
LENGTH = re.compile(rb"(?i)\r\ncontent-length[ \t]*:[ \t]*(\d+)[ \t]*(?=\r\n)")
CHUNKED = re.compile(rb"(?i)\r\ntransfer-encoding[ \t]*:")
INFORMATIONAL = re.compile(rb"HTTP/1\.[01] 1\d\d\b")

type Dial = Callable[[str, int], tuple[str, int]]


class Proxy:
    """The proxy of one render. `faults` holds the error for each host that could not be reached."""

    def __init__(self, gate: SsrfGuard, dial: Dial | None = None, max_bytes: int = MAX_BYTES) -> None:
        self.faults: dict[str, ToolError] = {}
        self.port = 0
        self.spent = False  # the page exceeded the byte limit
        self._gate = gate
        self._dial = dial or (lambda address, port: (address, port))
        self._left = max_bytes
        self._connections: dict[asyncio.Task[None], socket.socket | None] = {}  # None once a transport owns the socket

    async def __aenter__(self) -> "Proxy":
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=MAX_OPEN)
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]
        asyncio.get_running_loop().add_reader(self._socket, self._accept)
        return self

    async def __aexit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()
        tasks = [*self._connections]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in tasks:
            self._on_done(task)

    async def fault(self, url: str) -> ToolError | None:
        """Why the host of `url` was not reached, or None; checks the URL if the browser did not request it."""
        known = self.faults.get((split_url(url).hostname or "").rstrip("."))
        if known is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(TRY_SECONDS):
                    await self._check_url(url)
        return known or self.faults.get((split_url(url).hostname or "").rstrip("."))

    def _accept(self) -> None:
        """Accept a connection. asyncio's own server would lose connections that arrive while it closes."""
        try:
            client, _ = self._socket.accept()
        except OSError:  # the client closed the connection
            return
        client.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._serve(client))
        self._connections[task] = client
        task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        client = self._connections.pop(task, None)
        if client is not None:
            client.close()

    async def _serve(self, client: socket.socket) -> None:
        if len(self._connections) > MAX_OPEN:
            return
        try:
            reader, writer = await asyncio.open_connection(sock=client, limit=MAX_HEAD)
        except OSError:
            return
        if (task := asyncio.current_task()) in self._connections:
            self._connections[task] = None
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            try:
                await self._connection(reader, writer)
            finally:
                writer.transport.abort()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.partition(b"\r\n")[0].decode("latin-1").split(" ")
        tunnel = method == "CONNECT"
        at = await self._check_url(f"https://{target}" if tunnel else target)
        upstream = await self._connect_upstream(at) if at else None
        if at is None or upstream is None:
            return  # closes the connection: an error page of ours could be mistaken for the site's
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                await self._tunnel(reader, writer, *upstream)
            else:
                await self._exchange(head, at, reader, writer, *upstream)
        finally:
            upstream[1].transport.abort()

    async def _check_url(self, url: str) -> ResolvedTarget | None:
        try:
            return await self._gate.check(url)
        except ToolError as fault:
            self.faults[(split_url(url).hostname or "").rstrip(".")] = fault
            return None

    async def _connect_upstream(self, at: ResolvedTarget) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        for address in at.addresses:
            with suppress(OSError):
                async with asyncio.timeout(TRY_SECONDS):
                    return await asyncio.open_connection(*self._dial(address, at.parsed_url.port), limit=MAX_HEAD)
        self.faults[at.parsed_url.host] = Unreachable(f"{at.parsed_url.host} cannot be connected to.", "refused")
        return None

    async def _tunnel(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        """Relay both directions until either side closes."""
        tasks = [
            asyncio.create_task(self._copy(reader, far_writer)),
            asyncio.create_task(self._copy(far_reader, writer, counted=True)),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancel_all(tasks)

    async def _copy(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        counted: bool = False,
        most: int | None = None,
    ) -> None:
        """Copy at most `most` bytes; if `counted`, they count against the byte limit of the render."""
        while (most is None or most > 0) and (piece := await reader.read(PIECE if most is None else min(PIECE, most))):
            most = None if most is None else most - len(piece)
            if counted:
                self._left -= len(piece)
                self.spent = self.spent or self._left < 0
                if self.spent:
                    return
            writer.write(piece)
            await writer.drain()

    async def _exchange(
        self,
        head: bytes,
        at: ResolvedTarget,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        """Relay one request and its response, then close: a reused connection could carry requests to another host."""
        far_writer.write(_rewrite_request_head(head, at))
        length = LENGTH.search(head)
        if CHUNKED.search(head):
            return  # browsers do not send chunked requests
        answer = await self._relay_request(reader, far_reader, far_writer, int(length[1]) if length else 0)
        writer.write(_rewrite_response_head(answer))
        tasks = [
            asyncio.create_task(self._copy(far_reader, writer, counted=True)),
            asyncio.create_task(reader.read(1)),  # detects that the client closed; not every server closes its side
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if tasks[0].done() and not self.spent:
                writer.write_eof()
                await writer.drain()
                await asyncio.wait(tasks[1:], timeout=CLOSING_SECONDS)  # let the client read everything before closing
        finally:
            await _cancel_all(tasks)

    async def _relay_request(
        self,
        reader: asyncio.StreamReader,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
        length: int,
    ) -> bytes:
        """Send the request body and return the response head, which may arrive before the body is sent."""
        body = asyncio.create_task(self._copy(reader, far_writer, most=length))
        try:
            answer = await far_reader.readuntil(b"\r\n\r\n")
            while INFORMATIONAL.match(answer):
                answer = await far_reader.readuntil(b"\r\n\r\n")
            return answer
        finally:
            await _cancel_all([body])


async def _cancel_all(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _rewrite_request_head(head: bytes, at: ResolvedTarget) -> bytes:
    """Rewrite to origin-form (RFC 9112 section 3.2.1) with the checked host and without hop-by-hop headers."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, _, version = first.split(b" ")
    kept = [line for line in lines if not HOP_BY_HOP.match(line) and not line.lower().startswith(b"host:")]
    target, host = at.parsed_url.target.encode("ascii"), at.parsed_url.authority.encode("ascii")
    return b"\r\n".join([b" ".join([method, target, version]), b"Host: " + host, *kept, b"Connection: close", b"", b""])


def _rewrite_response_head(head: bytes) -> bytes:
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    kept = [line for line in lines if not HOP_BY_HOP.match(line)]
    return b"\r\n".join([first, *kept, b"Connection: close", b"", b""])
