"""Several hosts on one loopback port, told apart by name: for what looks at a company's hosts side by side."""

import asyncio
import contextlib
from typing import Any, NamedTuple


class Visit(NamedTuple):
    method: str
    host: str
    path: str


class Town:
    """`says("brand.acme.example", "/", "<h1>…")`; what nobody said is 404, and who was not named does not resolve."""

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.most_at_once = 0
        self.seconds = 0.0  # that each answer takes
        self.refuse_head = False
        self._pages: dict[tuple[str, str], bytes] = {}
        self._hosts: set[str] = set()
        self._busy = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> "Town":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def seams(self) -> dict[str, Any]:
        """For `services.web_seams`: the names lead to a public address, and that address here."""

        async def resolve(host: str, _: int) -> list[str]:
            if host not in self._hosts:
                from assay.net.failures import Unreachable

                raise Unreachable(f"No address was found for {host}; check the name.", "dns")
            return ["93.184.215.14"]

        return {"resolve": resolve, "connect": lambda *_: ("127.0.0.1", self.port)}

    def says(self, host: str, path: str, body: str | bytes, status: int = 200, **headers: str) -> None:
        body = body.encode() if isinstance(body, str) else body
        named = {"content-type": "text/html; charset=utf-8"} | {k.replace("_", "-"): v for k, v in headers.items()}
        lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in named.items())]
        head = "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode()
        self._pages[host, path] = head + body
        self._hosts.add(host)

    def asked(self, method: str = "GET") -> list[str]:
        """`host/path` of each visit, in order."""
        return [visit.host + visit.path for visit in self.visits if visit.method == method]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while True:
                await self._one(reader, writer)
        writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(1)
        if first == b"\x16":  # somebody begins with TLS, which nobody here speaks
            raise ConnectionResetError
        head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        host = next(line[5:].strip() for line in head if line.lower().startswith("host:")).partition(":")[0]
        self.visits.append(Visit(method, host, path))
        self._busy += 1
        self.most_at_once = max(self.most_at_once, self._busy)
        await asyncio.sleep(self.seconds)
        self._busy -= 1
        said = self._pages.get((host, path), b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n")
        if method == "HEAD" and self.refuse_head:
            said = b"HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n"
        writer.write(said.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if method == "HEAD" else said)
        await writer.drain()
