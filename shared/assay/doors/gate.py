"""Before the local server's doors: whom it answers at all. A browser page from elsewhere must not reach a laptop."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from assay.doors.wire import BODY_BYTES, TooLong
from assay.errors import Forbidden, InvalidInput, ToolError
from assay.url_parts import split_url

type Scope = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
type Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
type App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Misdirected(Forbidden):
    status = 421


class Gate:
    """ASGI middleware: Host is loopback (or keys guard the server), Origin is ours, the body is under 10 MB."""

    def __init__(self, app: App, *, any_host: bool, origins: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._any_host = any_host
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, send)
        try:
            self._admit(scope["headers"])
            await self._app(scope, body.receive, body.send)
        except ToolError as failure:
            body.failure = failure
        await body.refused()

    def _admit(self, headers: list[tuple[bytes, bytes]]) -> None:
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        if len(hosts) != 1:
            raise InvalidInput("Send exactly one Host header.", field="Host")
        if not self._any_host and _hostname(f"//{hosts[0]}") not in LOOPBACK:
            raise Misdirected("This server answers on 127.0.0.1 only. Call it there.", field="Host")
        for name, value in headers:
            if name == b"origin" and not self._is_ours(value.decode("latin-1")):
                raise Forbidden("Pages of this origin may not call here. Add it to ALLOWED_ORIGINS.", field="Origin")
            if name == b"content-length" and value.isdigit() and int(value) > BODY_BYTES:
                raise TooLong(f"The body is over {BODY_BYTES // 1024 // 1024} MB; send less.", field="body")

    def _is_ours(self, origin: str) -> bool:
        return origin in self._origins or (_hostname(origin) in LOOPBACK and origin.startswith(("http://", "https://")))


def _hostname(address: str) -> str | None:
    try:
        return split_url(address).hostname
    except ValueError:
        return None


class _Body:
    """The request's body up to the cap, and the answer: a refusal, once there is one, whatever the application says."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._seen = 0
        self._begun = False
        self.failure: ToolError | None = None

    async def receive(self) -> MutableMapping[str, Any]:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self._seen > BODY_BYTES:  # nobody fills the memory with a body that never ends
            self.failure = TooLong(f"The body is over {BODY_BYTES // 1024 // 1024} MB; send less.", field="body")
            raise self.failure
        return message

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if self.failure is None:
            self._begun = True
            await self._send(message)

    async def refused(self) -> None:
        """Say the refusal, if there is one and nothing was said yet."""
        if self.failure is not None and not self._begun:
            await _refuse(self.failure, self._send)


async def _refuse(failure: ToolError, send: Send) -> None:
    body = json.dumps(failure.wire()).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": failure.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
