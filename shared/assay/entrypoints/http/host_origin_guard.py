"""ASGI middleware of the local server: checks Host, Origin and key, and limits bodies, before the application runs.

The checks of Host and Origin keep web pages from reaching the server by DNS rebinding or cross-site requests.
"""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from assay.entrypoints.http import cors
from assay.entrypoints.http.apigateway_event import headers_of, request_id_of, to_error_response
from assay.entrypoints.http.asgi_headers import encode_headers, join_headers
from assay.entrypoints.http.http_errors import BODY_BYTES, body_too_large
from assay.entrypoints.http.request_body import FORM_BYTES, UNAUTHENTICATED_BYTES, BodyMemory, RequestBody
from assay.entrypoints.http.security_headers import SECURITY_HEADERS
from assay.errors import Forbidden, InvalidInput, ToolError, Unauthenticated
from assay.local.local_uploads import PATH as UPLOADS
from assay.state.uploads import MAX_BYTES
from assay.text.url_parts import LOOPBACK

type Scope = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
type Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
type App = Callable[[Scope, Receive, Send], Awaitable[None]]
type Authenticate = Callable[[Mapping[str, str], str], Awaitable[object]]  # headers and path; raises Unauthenticated
type CheckAddress = Callable[[Mapping[str, str], str], Awaitable[object]]  # headers and peer; raises RateLimited

BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
# Requests below these carry no key, because they are how one signs in, or another one.
PATHS_WITH_OWN_CHECKS = ("/oauth/", "/admin/", "/console/")
COMMON_HEADERS = encode_headers(SECURITY_HEADERS)


class Misdirected(Forbidden):
    """The Host header does not name this server (421, RFC 9110)."""

    status = 421


async def accept_all(_headers: Mapping[str, str], _where: str) -> None:
    """The check of a server without keys: every request passes."""


class HostOriginMiddleware:
    """Passes a request on if its Host is loopback or `public_host` (or `any_host`), its Origin is allowed and its key
    is known.

    Only then is the body read: 10 MB at most, and all bodies together within `memory`.
    """

    def __init__(
        self,
        app: App,
        *,
        any_host: bool,
        public_host: str = "",
        origins: frozenset[str] = frozenset(),
        check_address: CheckAddress = accept_all,
        authenticate: Authenticate = accept_all,
        memory: BodyMemory | None = None,
    ) -> None:
        self._app, self._any_host, self._origins, self._authenticate = app, any_host, origins, authenticate
        self._check_limit = check_address
        self._hosts = LOOPBACK | ({public_host} if public_host else set())
        self._memory = memory or BodyMemory()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = join_headers(scope["headers"])
        answer = _ResponseSender(send)
        try:
            self._check_address(scope["headers"], headers)
            if (origin := headers.get("origin")) is not None:
                answer.more |= cors.headers_for(origin)
                if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                    await answer.send_response(204, cors.preflight_headers(origin))
                    return
            await self._check_limit(headers, (scope.get("client") or ("",))[0])
            await self._run(scope, headers, receive, answer)
        except ToolError as failure:
            answer.failure = failure.detach()
        await answer.send_failure(headers)

    async def _run(self, scope: Scope, headers: Mapping[str, str], receive: Receive, answer: "_ResponseSender") -> None:
        memory = self._memory
        if scope["method"] == "PUT" and scope["path"].startswith(UPLOADS):  # the path is the secret that allows it
            limit, memory = MAX_BYTES, BodyMemory(MAX_BYTES)
        elif scope["method"] in BODILESS or scope["path"].startswith(PATHS_WITH_OWN_CHECKS):  # they check themselves
            limit = FORM_BYTES if scope["path"].startswith("/console/") else UNAUTHENTICATED_BYTES
        else:
            await self._authenticate(headers, scope["path"])
            limit = BODY_BYTES
        length = headers.get("content-length", "")
        if length.isdigit() and int(length[:18]) > limit:
            raise body_too_large(limit)
        coding = headers.get("content-encoding", "")
        body = RequestBody(receive, memory, limit=limit, coding=coding)
        if coding:  # the application receives the decoded body
            coded = (b"content-encoding", b"content-length")
            scope = {**scope, "headers": [row for row in scope["headers"] if row[0] not in coded]}
        try:
            await self._app(scope, answer.watch(body.receive), answer.send)
        finally:
            body.close()

    def _check_address(self, rows: list[tuple[bytes, bytes]], headers: Mapping[str, str]) -> None:
        names = [name for name, _ in rows]
        if names.count(b"host") != 1:
            raise InvalidInput("Send exactly one Host header.", field="Host")
        if not self._any_host and cors.hostname(f"//{headers['host']}") not in self._hosts:
            raise Misdirected(
                "This server accepts requests to 127.0.0.1 only. Call it there, or set ASSAY_PUBLIC_URL.",
                field="Host",
            )
        origin = headers.get("origin")
        if origin is not None and not cors.is_allowed(origin, headers["host"], self._origins):
            raise Forbidden("This origin is not allowed. Add it to ALLOWED_ORIGINS.", field="Origin")
        if names.count(b"authorization") > 1:  # servers and proxies disagree about which one counts
            raise Unauthenticated("Send exactly one Authorization header.")


class _ResponseSender:
    """Sends the application's response with the common headers, or an error response in its place."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self.more: dict[str, str] = {}
        self.failure: ToolError | None = None

    def watch(self, receive: Receive) -> Receive:
        """`receive` that notes its errors, so that they are sent even if the application handles them."""

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

    async def send_response(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        raw = encode_headers({**headers, "content-length": str(len(body))})
        self._begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": self._with_missing_headers(raw)})
        await self._send({"type": "http.response.body", "body": body})

    async def send_failure(self, headers: Mapping[str, str]) -> None:
        """Send the error response, if there is an error and no response has begun."""
        if self.failure is None or self._begun:
            return
        response = to_error_response(self.failure, request_id_of({}, headers_of({"headers": headers})))
        await self.send_response(
            response["statusCode"], {**response["headers"], "connection": "close"}, response["body"].encode()
        )

    def _with_missing_headers(self, rows: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        present = {name.lower() for name, _ in rows}
        added = [*COMMON_HEADERS, *encode_headers(self.more)] if self.more else COMMON_HEADERS
        return [*rows, *(row for row in added if row[0] not in present)]
