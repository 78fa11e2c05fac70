"""Several hosts on one loopback port, distinguished by name."""

import asyncio
from typing import Any, NamedTuple

from tests.support.loopback import Loopback, read_head


class Visit(NamedTuple):
    method: str
    host: str
    path: str


class FakeHosts(Loopback):
    """`says("brand.acme.example", "/", "<h1>…")`; other paths are 404, and other hosts do not resolve."""

    def __init__(self) -> None:
        super().__init__()
        self.visits: list[Visit] = []
        self.most_at_once = 0
        self.seconds = 0.0  # that each answer takes
        self.refuse_head = False
        self.knows_names = True  # that exist elsewhere
        self._pages: dict[tuple[str, str], bytes] = {}
        self._hosts: set[str] = set()
        self._busy = 0

    @property
    def seams(self) -> dict[str, Any]:
        """For `services.web_seams`: the names lead to a public address, and that address here."""

        async def resolve(host: str, _: int) -> list[str]:
            from assay.net.dns import KNOWN_NAMES

            if host not in self._hosts and not (self.knows_names and host in KNOWN_NAMES):
                from assay.net.exceptions import Unreachable

                raise Unreachable(f"No address was found for {host}; check the name.", "dns")
            return ["93.184.215.14"]

        return {"resolve": resolve, "connect": lambda *_: ("127.0.0.1", self.port)}

    def says(self, host: str, path: str, body: str | bytes, status: int = 200, **headers: str) -> None:
        body = body.encode() if isinstance(body, str) else body
        named = {"content-type": "text/html; charset=utf-8"} | {k.replace("_", "-"): v for k, v in headers.items()}
        lines = [f"HTTP/1.1 {status} OK", *(f"{name}: {value}" for name, value in named.items())]
        head = "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode()
        self._pages[host, path] = head + body
        self._hosts.add(host)

    def list_requests(self, method: str = "GET") -> list[str]:
        """`host/path` of each visit, in order."""
        return [visit.host + visit.path for visit in self.visits if visit.method == method]

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first = await reader.readexactly(1)
        if first == b"\x16":  # the client starts TLS, which this server does not support
            raise ConnectionResetError
        request = await read_head(reader, first)
        method, path = request.method, request.target
        self.visits.append(Visit(method, request.host, path))
        self._busy += 1
        self.most_at_once = max(self.most_at_once, self._busy)
        await asyncio.sleep(self.seconds)
        self._busy -= 1
        response = self._pages.get((request.host, path), b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n")
        if method == "HEAD" and self.refuse_head:
            response = b"HTTP/1.1 405 No\r\ncontent-length: 0\r\n\r\n"
        writer.write(response.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if method == "HEAD" else response)
        await writer.drain()
        return True
