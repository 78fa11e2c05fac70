"""A provider on loopback: gives the configured answers, fails in the ways of real ones, and records the requests."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.loopback import Loopback, read_head


@dataclass
class RecordedRequest:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


CUT, HALF, SILENT = "cut", "half", "silent"


class Upstream(Loopback):
    """`says` sets the answer to everything; `then` queues answers that come first. CUT, HALF and SILENT are answers."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[RecordedRequest] = []
        self._first: list[Any] = []
        self._always: Any = b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"

    def says(self, body: Any = b"", status: int = 200, **headers: str) -> None:
        self._always = answer(body, status, **headers)

    def computes(self, function: Callable[[RecordedRequest], Any]) -> None:
        """Answer everything with what the function makes of the request: a body, or a tuple of a body and a status."""

        def respond(request: RecordedRequest) -> Any:
            made = function(request)
            return answer(*made) if isinstance(made, tuple) else answer(made)

        self._always = respond

    def then(self, body: Any = b"", status: int = 200, **headers: str) -> None:
        self._first.append(answer(body, status, **headers))

    def reset(self) -> None:
        """Forget the recorded requests and the queued answers."""
        self.requests.clear()
        self._first.clear()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        method, target, headers = await read_head(reader)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.requests.append(RecordedRequest(method, parts.path, query, headers, body))
        response = self._first.pop(0) if self._first else self._always
        if callable(response):
            response = response(self.requests[-1])
        if response == SILENT:
            await asyncio.sleep(3600)
        if response == CUT:
            return False
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{" if response == HALF else response)
        await writer.drain()
        return response != HALF


def answer(body: Any, status: int = 200, **headers: str) -> Any:
    """The bytes of an answer: JSON of anything but bytes and text; CUT, HALF and SILENT are themselves."""
    if isinstance(body, str) and body in (CUT, HALF, SILENT):
        return body
    kind = "application/json"
    if isinstance(body, str | bytes):
        body, kind = body.encode() if isinstance(body, str) else body, "text/html"
    else:
        body = json.dumps(body).encode()
    header_values = {"content-type": kind} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in header_values.items())]
    return ("\r\n".join([*lines, f"content-length: {len(body)}"]) + "\r\n\r\n").encode("latin-1") + body
