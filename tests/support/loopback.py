"""A server on loopback for the duration of a test; subclasses define its responses."""

import asyncio
import contextlib
from typing import NamedTuple, Self


class Head(NamedTuple):
    method: str
    target: str
    headers: dict[str, str]  # names in lower case

    @property
    def host(self) -> str:
        """The requested host name without port."""
        return self.headers["host"].partition(":")[0]


class Loopback:
    """`_one` answers one request and returns whether the connection stays open."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    async def close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        raise NotImplementedError


async def read_head(reader: asyncio.StreamReader, beginning: bytes = b"") -> Head:
    """The head of a request, of which `begun` has been read."""
    first, *lines = (beginning + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    header_lines = (line.partition(":") for line in lines if line)
    return Head(method, target, {name.lower(): value.strip() for name, _, value in header_lines})
