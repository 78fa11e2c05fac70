"""Signed HTTPS requests to one AWS service: kept connections, time limits, repeated attempts. Blocks.

boto3 takes 0.15 s of processor time to import and 0.06 s for each client, which is most of a cold start;
docs/decisions/0024-aws-client.md compares the alternatives.
"""

import random
import select
import socket
import time
import weakref
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, NamedTuple
from urllib.parse import urlsplit  # noqa: TID251  # of addresses in the environment

from assay.aws.signature_v4 import Credentials, SigningScope, sign_request

CONNECT_SECONDS = 2.0
MAX_BODY = 512 * 1024 * 1024  # bytes of a response; DynamoDB sends 16 MB at most, and no stored object is this large
PAUSE, LONGEST_PAUSE = 0.1, 2.0  # seconds before the second attempt, at most; the limit doubles with each attempt
THROTTLES = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestTimeout",
    "RequestTimeoutException",
    "RequestThrottled",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "TooManyRequestsException",
}


class ServiceRefusal(Exception):
    """An error response. `response` has the form of that of botocore's ClientError."""

    def __init__(self, code: str, status: int, retries: int) -> None:
        super().__init__(code or str(status))
        self.response: dict[str, Any] = {
            "Error": {"Code": code or str(status)},
            "ResponseMetadata": {"HTTPStatusCode": status, "RetryAttempts": retries},
        }


class NoAnswer(Exception):
    """The service did not answer, or not completely."""


class Response(NamedTuple):
    """A complete response; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Endpoint(NamedTuple):
    """Where a service is, and how requests to it are signed."""

    url: str
    scope: SigningScope
    credentials: Callable[[], Credentials]
    certificates: str = ""  # file that replaces those of the system
    trace: Callable[[], str] = lambda: ""  # the trace that the current invocation of this function belongs to


class SignedHttp:
    """Sends requests to one endpoint, from any thread."""

    def __init__(
        self,
        endpoint: Endpoint,
        read_code: Callable[[Response], str],
        *,
        seconds: float = 10,
        attempts: int = 3,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint, self._read_code = endpoint, read_code
        self._seconds, self._attempts = seconds, attempts
        self._clock, self._sleep = clock, sleep
        address = urlsplit(endpoint.url)
        self._host, self._is_secure = address.netloc, address.scheme == "https"
        self._base = address.path.rstrip("/")
        self._idle: dict[str, deque[HTTPConnection]] = defaultdict(deque)  # by host
        weakref.finalize(self, _close_connections, self._idle)  # also if nobody calls `close`

    def send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"", *, subdomain: str = ""
    ) -> Response:
        """The successful response. Raises ServiceRefusal or NoAnswer, after the last attempt if others may help."""
        host = f"{subdomain}.{self._host}" if subdomain else self._host
        attempt = 0
        while True:
            try:
                response = self._exchange(method, self._base + path, {**headers, "host": host}, body)
                if response.status < 300:
                    return response
                code = self._read_code(response)
                failure: Exception = ServiceRefusal(code, response.status, attempt)
                is_final = response.status < 500 and response.status != 429 and code not in THROTTLES
            except (OSError, HTTPException, NoAnswer) as broken:
                failure, is_final = NoAnswer(str(broken) or type(broken).__name__), False
            attempt += 1
            if is_final or attempt >= self._attempts:
                raise failure
            self._sleep(random.uniform(0, min(PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE)))  # full jitter

    def close(self) -> None:
        _close_connections(self._idle)

    def _exchange(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        signed = sign_request(
            method,
            path,
            headers,
            body,
            credentials=self._endpoint.credentials(),
            scope=self._endpoint.scope,
            now=self._clock(),
        )
        if trace := self._endpoint.trace():
            signed["x-amzn-trace-id"] = trace
        idle = self._idle[headers["host"]]
        connection = _take_open(idle) or self._connect(headers["host"])
        try:
            connection.request(method, path, body, signed)
            answer = connection.getresponse()
            content = _read_body(answer)
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            idle.append(connection)
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, content)

    def _connect(self, host: str) -> HTTPConnection:
        connection = (
            HTTPSConnection(host, timeout=CONNECT_SECONDS, context=tls_context(self._endpoint.certificates))
            if self._is_secure
            else HTTPConnection(host, timeout=CONNECT_SECONDS)
        )
        connection.connect()
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.sock.settimeout(self._seconds)
        return connection


def _close_connections(connections: Mapping[str, deque[HTTPConnection]]) -> None:
    for idle in connections.values():
        while idle:
            idle.pop().close()


def _take_open(idle: deque[HTTPConnection]) -> HTTPConnection | None:
    """A kept connection that the service has not closed; None if there is none."""
    while True:
        try:
            connection = idle.pop()
        except IndexError:
            return None
        poll = select.poll()
        poll.register(connection.sock, select.POLLIN)
        if not poll.poll(0):  # an idle connection that can be read was closed
            return connection
        connection.close()


@cache
def tls_context(bundle: str = "") -> Any:
    """The TLS context of all services. `bundle` names a file of other certificates."""
    import ssl

    return ssl.create_default_context(cafile=bundle or None)


def _read_body(answer: HTTPResponse) -> bytes:
    """The complete body. Raises NoAnswer if it is too large, its end cannot be known, or its checksum is wrong."""
    if answer.length is None and not answer.chunked:
        raise NoAnswer("a response without a length")
    if (answer.length or 0) > MAX_BODY:
        raise NoAnswer("a response that is too large")
    content = answer.read() if answer.length is not None else answer.read(MAX_BODY + 1)
    if len(content) > MAX_BODY:
        raise NoAnswer("a response that is too large")
    checksum = answer.getheader("x-amz-crc32")
    if checksum is not None and checksum != str(zlib.crc32(content)):
        raise NoAnswer("a response with a wrong checksum")
    return content
