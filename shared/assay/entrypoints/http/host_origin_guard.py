"""Before the local server's doors: whom it answers at all. A browser page from elsewhere must not reach a laptop."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from assay.entrypoints.http import cors
from assay.entrypoints.http.apigateway_event import headers_of, request_id_of, to_error_response
from assay.entrypoints.http.http_errors import BODY_BYTES, body_too_large
from assay.entrypoints.http.request_body import UNAUTHENTICATED_BYTES, BodyMemory, RequestBody
from assay.entrypoints.http.response_headers import SECURITY_HEADERS
from assay.errors import Forbidden, InvalidInput, ToolError, Unauthenticated

type Scope = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
type Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
type App = Callable[[Scope, Receive, Send], Awaitable[None]]
type Authenticate = Callable[[Mapping[str, str], str], object]  # headers and path; raises Unauthenticated

BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})


class Misdirected(Forbidden):
    status = 421


def admit_everybody(_headers: Mapping[str, str], _path: str) -> None:
    """For a server without keys."""


class HostOriginMiddleware:
    """ASGI middleware: Host is loopback (or keys guard the server), Origin is ours, the key is known, and only then is
    a body read, of 10 MB at most and with those of others within `room`.
    """

    def __init__(
        self,
        app: App,
        *,
        any_host: bool,
        origins: frozenset[str] = frozenset(),
        authenticate: Authenticate = admit_everybody,
        memory: BodyMemory | None = None,
    ) -> None:
        self._app, self._any_host, self._origins, self._authenticate = app, any_host, origins, authenticate
        self._memory = memory or BodyMemory()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = join_headers(scope["headers"])
        answer = _Answer(send)
        try:
            self._check_address(scope["headers"], headers)
            if (origin := headers.get("origin")) is not None:
                answer.more |= cors.headers_for(origin)
                if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                    await answer.send_whole(204, cors.preflight_headers(origin))
                    return
            await self._run(scope, headers, receive, answer)
        except ToolError as failure:
            answer.failure = failure.detach()
        await answer.send_failure(headers)

    async def _run(self, scope: Scope, headers: Mapping[str, str], receive: Receive, answer: "_Answer") -> None:
        if scope["method"] in BODILESS:
            limit = UNAUTHENTICATED_BYTES  # addresses that are read check the key themselves, where they ask for one
        else:
            self._authenticate(headers, scope["path"])
            limit = BODY_BYTES
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:18]) > limit:
            raise body_too_large(limit)
        coding = headers.get("content-encoding", "")
        body = RequestBody(receive, self._memory, limit=limit, coding=coding)
        if coding:  # what the application receives is decoded
            coded = (b"content-encoding", b"content-length")
            scope = {**scope, "headers": [row for row in scope["headers"] if row[0] not in coded]}
        try:
            await self._app(scope, answer.watch(body.receive), answer.send)
        finally:
            body.close()

    def _check_address(self, rows: list[tuple[bytes, bytes]], headers: Mapping[str, str]) -> None:
        if sum(name == b"host" for name, _ in rows) != 1:
            raise InvalidInput("Send exactly one Host header.", field="Host")
        if not self._any_host and cors.hostname(f"//{headers['host']}") not in cors.LOOPBACK:
            raise Misdirected("This server answers on 127.0.0.1 only. Call it there.", field="Host")
        origin = headers.get("origin")
        if origin is not None and not cors.is_allowed(origin, headers["host"], self._origins):
            raise Forbidden("Pages of this origin may not call here. Add it to ALLOWED_ORIGINS.", field="Origin")
        if sum(name == b"authorization" for name, _ in rows) > 1:  # which of them counts is nobody's to guess
            raise Unauthenticated("Send exactly one Authorization header.")


def join_headers(rows: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Lower-case names; a header sent twice is joined by commas, and so never passes for one sent once."""
    found: dict[str, str] = {}
    for raw, value in rows:
        name, text = raw.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")
        found[name] = f"{found[name]},{text}" if name in found else text
    return found


class _Answer:
    """What is sent: the application's answer with the headers that every answer has, or a refusal, if there is one."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self.more: dict[str, str] = {}
        self.failure: ToolError | None = None

    def watch(self, receive: Receive) -> Receive:
        """`receive` whose refusals are sent whatever the application makes of them."""

        async def receive_or_refuse() -> MutableMapping[str, Any]:
            try:
                return await receive()
            except ToolError as failure:
                self.failure = failure
                raise

        return receive_or_refuse

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if self.failure is not None:
            return
        self._begun = True
        if message["type"] == "http.response.start":
            message = {**message, "headers": self._with_missing_headers(message.get("headers") or [])}
        await self._send(message)

    async def send_whole(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        raw.append((b"content-length", str(len(body)).encode()))
        self._begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": self._with_missing_headers(raw)})
        await self._send({"type": "http.response.body", "body": body})

    async def send_failure(self, headers: Mapping[str, str]) -> None:
        """Say the refusal, if there is one and nothing was said yet."""
        if self.failure is None or self._begun:
            return
        told = to_error_response(self.failure, request_id_of({}, headers_of({"headers": headers})))
        await self.send_whole(told["statusCode"], {**told["headers"], "connection": "close"}, told["body"].encode())

    def _with_missing_headers(self, rows: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        present = {name.lower() for name, _ in rows}
        added = [(name.encode(), value.encode("latin-1")) for name, value in {**SECURITY_HEADERS, **self.more}.items()]
        return [*rows, *(row for row in added if row[0] not in present)]
