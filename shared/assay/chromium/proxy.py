"""The only way out of a rendered page: a proxy on loopback that asks the gate and dials the address it checked.

TLS goes through untouched: the browser itself checks certificates, on a connection whose far end we chose.
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

MOST_HEAD = 96 * 1024
MOST_BYTES = 32 * 1024 * 1024  # into one render, all its requests together
MOST_OPEN = 64  # connections of one render
TRY_SECONDS, CLOSING_SECONDS = 8.0, 2.0
PIECE = 64 * 1024
OWN = re.compile(rb"(?i)(connection|keep-alive|proxy-[a-z-]+|upgrade|te)[ \t]*:")
LENGTH = re.compile(rb"(?i)\r\ncontent-length[ \t]*:[ \t]*(\d+)[ \t]*(?=\r\n)")
CHUNKED = re.compile(rb"(?i)\r\ntransfer-encoding[ \t]*:")
HINT = re.compile(rb"HTTP/1\.[01] 1\d\d\b")

type Dial = Callable[[str, int], tuple[str, int]]


class Proxy:
    """One render's way out. `faults` says of each host that was asked for in vain why that was so."""

    def __init__(self, gate: SsrfGuard, dial: Dial | None = None, most_bytes: int = MOST_BYTES) -> None:
        self.faults: dict[str, ToolError] = {}
        self.port = 0
        self.spent = False  # the page took more bytes than one may
        self._gate = gate
        self._dial = dial or (lambda address, port: (address, port))
        self._left = most_bytes
        self._held: dict[asyncio.Task[None], socket.socket | None] = {}  # None where a transport has it

    async def __aenter__(self) -> "Proxy":
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=MOST_OPEN)
        self._socket.setblocking(False)
        self.port = self._socket.getsockname()[1]
        asyncio.get_running_loop().add_reader(self._socket, self._take)
        return self

    async def __aexit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()
        tasks = [*self._held]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for task in tasks:
            self._on_done(task)

    async def fault(self, url: str) -> ToolError | None:
        """Why the host of `url` was not reached, if that is for us to say; the browser may not even have asked."""
        known = self.faults.get((split_url(url).hostname or "").rstrip("."))
        if known is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(TRY_SECONDS):
                    await self._check_url(url)
        return known or self.faults.get((split_url(url).hostname or "").rstrip("."))

    def _take(self) -> None:
        """Let a connection in. By hand, since asyncio's own server loses those that come while it closes."""
        try:
            taken, _ = self._socket.accept()
        except OSError:  # it has thought better of it
            return
        taken.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._serve(taken))
        self._held[task] = taken
        task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Task[None]) -> None:
        taken = self._held.pop(task, None)
        if taken is not None:
            taken.close()

    async def _serve(self, taken: socket.socket) -> None:
        if len(self._held) > MOST_OPEN:
            return
        try:
            reader, writer = await asyncio.open_connection(sock=taken, limit=MOST_HEAD)
        except OSError:
            return
        if (task := asyncio.current_task()) in self._held:
            self._held[task] = None
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
        far = await self._connect_upstream(at) if at else None
        if at is None or far is None:
            return  # a closed connection, since a page of ours could be taken for the site's
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
                await self._tied(reader, writer, *far)
            else:
                await self._exchange(head, at, reader, writer, *far)
        finally:
            far[1].transport.abort()

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
                    return await asyncio.open_connection(*self._dial(address, at.place.port), limit=MOST_HEAD)
        self.faults[at.place.host] = Unreachable(f"{at.place.host} cannot be connected to.", "refused")
        return None

    async def _tied(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
    ) -> None:
        """Both ways at once, until either end has had enough."""
        ways = [
            asyncio.create_task(self._pass(reader, far_writer)),
            asyncio.create_task(self._pass(far_reader, writer, counted=True)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancel_all(ways)

    async def _pass(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        counted: bool = False,
        most: int | None = None,
    ) -> None:
        """What comes in goes out, `most` bytes of it; what is counted is the render's to spend."""
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
        """One plain request and its answer: a connection that outlived them could carry one to another host."""
        far_writer.write(_rewrite_request_head(head, at))
        length = LENGTH.search(head)
        if CHUNKED.search(head):
            return  # browsers send none, and where one ends is not ours to guess
        answer = await self._relay_request(reader, far_reader, far_writer, int(length[1]) if length else 0)
        writer.write(_rewrite_response_head(answer))
        ways = [
            asyncio.create_task(self._pass(far_reader, writer, counted=True)),
            asyncio.create_task(reader.read(1)),  # the page's closing, for not every server closes when it is told to
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if ways[0].done() and not self.spent:
                writer.write_eof()
                await writer.drain()
                await asyncio.wait(ways[1:], timeout=CLOSING_SECONDS)  # what we wrote must not be lost by our closing
        finally:
            await _cancel_all(ways)

    async def _relay_request(
        self,
        reader: asyncio.StreamReader,
        far_reader: asyncio.StreamReader,
        far_writer: asyncio.StreamWriter,
        length: int,
    ) -> bytes:
        """The head of the answer, which may come before all of the request's body is sent."""
        body = asyncio.create_task(self._pass(reader, far_writer, most=length))
        try:
            answer = await far_reader.readuntil(b"\r\n\r\n")
            while HINT.match(answer):
                answer = await far_reader.readuntil(b"\r\n\r\n")
            return answer
        finally:
            await _cancel_all([body])


async def _cancel_all(ways: Sequence[asyncio.Task[Any]]) -> None:
    for way in ways:
        way.cancel()
    await asyncio.gather(*ways, return_exceptions=True)


def _rewrite_request_head(head: bytes, at: ResolvedTarget) -> bytes:
    """The request as a server expects it: for a path, to a host we checked, on a connection that ends with it."""
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, _, version = first.split(b" ")
    kept = [line for line in lines if not OWN.match(line) and not line.lower().startswith(b"host:")]
    target, host = at.place.target.encode("ascii"), at.place.authority.encode("ascii")
    return b"\r\n".join([b" ".join([method, target, version]), b"Host: " + host, *kept, b"Connection: close", b"", b""])


def _rewrite_response_head(head: bytes) -> bytes:
    first, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    kept = [line for line in lines if not OWN.match(line)]
    return b"\r\n".join([first, *kept, b"Connection: close", b"", b""])
