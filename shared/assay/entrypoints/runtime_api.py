"""A client of Lambda's Runtime API, which hands a function its events and takes its responses.

It speaks HTTP over a socket: importing `http.client` takes longer than answering a request from frozen texts. See
https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html and …/runtimes-custom.html for streamed responses.
"""

import base64
import json
import socket
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

BASE = "/2018-06-01/runtime"
ERROR_TYPE, ERROR_BODY = "Lambda-Runtime-Function-Error-Type", "Lambda-Runtime-Function-Error-Body"
SEND_SECONDS = 60.0  # for Lambda to take a response that is not streamed
MAX_LINE = 65_536  # bytes
STREAM_HEAD = {
    "content-type": "application/vnd.awslambda.http-integration-response",
    "lambda-runtime-function-response-mode": "streaming",
    "transfer-encoding": "chunked",
    "trailer": f"{ERROR_TYPE}, {ERROR_BODY}",
}


class RuntimeApiError(Exception):
    """The Runtime API answered what it should not."""


class ApiReply(NamedTuple):
    """A response of the Runtime API. Names of headers are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class RuntimeApi:
    """The Runtime API at `address` (host and port)."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._address = host, int(port)
        self._name = address

    def wait_for_event(self) -> ApiReply:
        """Wait for the next invocation: its event and the headers that describe it."""
        reply = self._request("GET", "/invocation/next", b"", {}, seconds=None)
        if reply.status != 200:
            raise RuntimeApiError(f"The Runtime API has no event: {reply.status} {reply.body[:200]!r}.")
        return reply

    def send_response(self, request_id: str, body: bytes) -> ApiReply:
        """Send a whole response. Lambda refuses one that is too large, by its status."""
        return self._request("POST", f"/invocation/{request_id}/response", body, {"content-type": "application/json"})

    def send_error(self, request_id: str, error: Mapping[str, Any]) -> None:
        """Report that the invocation has failed."""
        self._report(f"/invocation/{request_id}/error", error)

    def send_init_error(self, error: Mapping[str, Any]) -> None:
        """Report that the function cannot start."""
        self._report("/init/error", error)

    def open_stream(self, request_id: str) -> socket.socket:
        """A connection that has sent the head of a streamed response."""
        connection = self._connect(SEND_SECONDS)
        connection.sendall(self._format_head("POST", f"/invocation/{request_id}/response", STREAM_HEAD))
        return connection

    def _report(self, path: str, error: Mapping[str, Any]) -> None:
        headers = {"content-type": "application/json", ERROR_TYPE: str(error["errorType"])}
        self._request("POST", path, json.dumps(error).encode(), headers)

    def _request(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str], seconds: float | None = SEND_SECONDS
    ) -> ApiReply:
        with self._connect(seconds) as connection:
            head = self._format_head(method, path, {**headers, "content-length": str(len(body))})
            connection.sendall(head + body)
            return read_reply(connection)

    def _connect(self, seconds: float | None) -> socket.socket:
        connection = socket.create_connection(self._address, timeout=SEND_SECONDS)
        connection.settimeout(seconds)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _format_head(self, method: str, path: str, headers: Mapping[str, str]) -> bytes:
        lines = [f"{method} {BASE}{path} HTTP/1.1", f"host: {self._name}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def read_reply(connection: socket.socket) -> ApiReply:
    """Read a response. Raises RuntimeApiError or OSError."""
    with connection.makefile("rb") as file:
        status = file.readline(MAX_LINE).split(b" ", 2)
        if len(status) < 2 or not status[1].isdigit():
            raise RuntimeApiError("The Runtime API closed the connection.")
        headers = _read_headers(file)
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return ApiReply(int(status[1]), headers, _read_chunks(file))
        length = headers.get("content-length")
        body = file.read() if length is None else file.read(int(length))
        if length is not None and len(body) < int(length):
            raise RuntimeApiError("The Runtime API closed the connection.")
        return ApiReply(int(status[1]), headers, body)


def _read_headers(file: BinaryIO) -> dict[str, str]:
    headers = {}
    while line := file.readline(MAX_LINE).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers


def _read_chunks(file: BinaryIO) -> bytes:
    chunks = []
    while length := int(file.readline(MAX_LINE).split(b";")[0] or b"0", 16):
        chunks.append(file.read(length))
        file.readline(MAX_LINE)
    _read_headers(file)
    return b"".join(chunks)


def format_prelude(status: int, headers: Mapping[str, str], cookies: list[str]) -> bytes:
    """What Lambda makes the head of the HTTP response of, before the body of a stream."""
    prelude = {"statusCode": status, "headers": headers} | ({"cookies": cookies} if cookies else {})
    return json.dumps(prelude).encode() + bytes(8)


def format_chunk(content: bytes) -> bytes:
    """One chunk of a body; empty for no content, because an empty chunk would end the body."""
    return b"%x\r\n%b\r\n" % (len(content), content) if content else b""


def format_end(error: Mapping[str, Any] | None = None) -> bytes:
    """The end of a body in chunks, with an error in the trailers."""
    if error is None:
        return b"0\r\n\r\n"
    body = base64.b64encode(json.dumps(error).encode()).decode()
    return f"0\r\n{ERROR_TYPE}: {error['errorType']}\r\n{ERROR_BODY}: {body}\r\n\r\n".encode("latin-1")
