"""A site on loopback for the clients' calls: a page, a long one, a slow one, one without end, and a search engine."""

import asyncio
import json
from html import escape

WEIRS = "A weir raises the water of a river a little, so that boats can pass and mills can turn. "
SLOW_SECONDS = 2.5  # progress is reported from the second second on
HEADERS = "HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"


class ClientSite:
    """Serves the pages, and says of each endless one whether it is or was open."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._closed: set[str] = set()
        self._server: asyncio.Server | None = None
        self.url = ""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ", 2)[1].decode()
        if path.startswith("/endless/"):
            await self._hold(path.rpartition("/")[2], reader)
        else:
            if path.startswith("/slow/"):
                await asyncio.sleep(SLOW_SECONDS)
            status, kind, body = self._find(path.partition("?")[0])
            content = body.encode()
            writer.write(HEADERS.format(status=status, kind=kind, length=len(content)).encode() + content)
            await writer.drain()
        writer.close()

    async def _hold(self, name: str, reader: asyncio.StreamReader) -> None:
        """Answer nothing until the other side closes the connection."""
        self._open.add(name)
        try:
            await reader.read()
        finally:
            self._closed.add(name)

    def _find(self, path: str) -> tuple[int, str, str]:
        name = path.rpartition("/")[2]
        article = f"{self.url}/article"
        found = {"results": [{"title": "Weirs", "url": article, "content": WEIRS}]}
        documents = {
            "/searxng/search": found,
            f"/is-open/{name}": name in self._open,
            f"/is-closed/{name}": name in self._closed,
        }
        if path in documents:
            return 200, "application/json", json.dumps(documents[path])
        repeats = 5 if path.startswith("/slow/") else {"/article": 5, "/long": 3_000}.get(path)
        if repeats is None:
            return 404, "text/plain", "not found"
        paragraphs = "".join(f"<p>{escape(WEIRS)} Weir {number}.</p>" for number in range(repeats))
        return 200, "text/html", f"<!doctype html><title>Weirs</title><article><h1>Weirs</h1>{paragraphs}</article>"
