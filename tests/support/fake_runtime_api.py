"""Lambda's Runtime API on loopback, and a Function URL in front of it. Bodies are read as they arrive."""

import base64
import json
import os
import queue
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PRELUDE_TYPE = "application/vnd.awslambda.http-integration-response"
URL, API = "x.lambda-url.eu-west-1.on.aws", "x.execute-api.eu-west-1.amazonaws.com"
PATIENCE = 30.0  # seconds


class Invocation:
    """One event, and what a function answers to it."""

    def __init__(self, event: Any, seconds: float) -> None:
        self.event, self.seconds, self.id = event, seconds, uuid.uuid4().hex
        self.may_read = threading.Event()  # unset, the client of a stream reads nothing
        self.ended = threading.Event()
        self.headers: Mapping[str, str] = {}
        self.trailers: dict[str, str] = {}
        self.error: Any = None
        self.response: Any = None  # that was sent whole
        self.was_cut = False
        self._parts: queue.Queue[bytes] = queue.Queue()
        self._rest = b""

    @property
    def is_streamed(self) -> bool:
        return self.headers.get("lambda-runtime-function-response-mode") == "streaming"

    def add_part(self, part: bytes) -> None:
        self._parts.put(part)

    def read_part(self) -> bytes:
        """The next part of the stream; empty at its end."""
        rest, self._rest = self._rest, b""
        return rest or self._parts.get(timeout=PATIENCE)

    def read_prelude(self) -> dict[str, Any]:
        """Read the stream as far as the eight zeros."""
        read = b""
        while bytes(8) not in read:
            read += (part := self.read_part())
            assert part, read
        head, _, self._rest = read.partition(bytes(8))
        prelude: dict[str, Any] = json.loads(head)
        return prelude

    def read_body(self) -> bytes:
        return b"".join(iter(self.read_part, b""))

    def read_event(self) -> Any:
        """The next event of the stream; comments are skipped."""
        read = b""
        while True:
            while b"\r\n\r\n" not in read:
                part = self.read_part()
                if not part:
                    return None
                read += part
            event, _, self._rest = read.partition(b"\r\n\r\n")
            if not event.startswith(b":"):
                return json.loads(event.partition(b"data: ")[2])
            read, self._rest = self._rest, b""


class FakeRuntimeApi:
    """Hands out events to any number of functions, and takes their responses."""

    def __init__(self) -> None:
        self.waiting: queue.Queue[Invocation] = queue.Queue()
        self.invocations: dict[str, Invocation] = {}
        self.init_errors: queue.Queue[tuple[Mapping[str, str], Any]] = queue.Queue()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("OwnHandler", (Handler,), {"api": self}))
        self._server.daemon_threads = True
        self.address = f"127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def invoke(self, event: Any, *, seconds: float = 60.0, is_read: bool = True) -> Invocation:
        invocation = Invocation(event, seconds)
        if is_read:
            invocation.may_read.set()
        self.invocations[invocation.id] = invocation
        self.waiting.put(invocation)
        return invocation

    def ask(self, *arguments: Any, **named: Any) -> Invocation:
        """An invocation that has been answered."""
        invocation = self.invoke(*arguments, **named)
        assert invocation.ended.wait(PATIENCE)
        return invocation

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    """A request to the Runtime API `api`."""

    protocol_version = "HTTP/1.1"
    api: FakeRuntimeApi

    def do_GET(self) -> None:
        assert self.path == "/2018-06-01/runtime/invocation/next"
        invocation = self.api.waiting.get()
        body = json.dumps(invocation.event).encode()
        self.send_response(200)
        self.send_header("Lambda-Runtime-Aws-Request-Id", invocation.id)
        self.send_header("Lambda-Runtime-Deadline-Ms", str(round((time.time() + invocation.seconds) * 1000)))
        self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-west-1:1:function:mcp")
        if len(self.api.invocations) % 2:
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_header("Transfer-Encoding", "chunked")  # Lambda may send either
        self.end_headers()
        for part in (body[:7], body[7:]):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        *_, identity, kind = self.path.split("/")
        if headers.get("transfer-encoding") == "chunked":
            invocation = self.api.invocations[identity]
            invocation.headers = headers
            invocation.may_read.wait(PATIENCE)
            self._read_stream(invocation)
        else:
            self._take_whole(identity, kind, headers)
        with suppress(OSError):  # a stream that was cut off
            self.send_response(202)
            self.send_header("content-length", "0")
            self.end_headers()

    def _take_whole(self, identity: str, kind: str, headers: Mapping[str, str]) -> None:
        content = json.loads(self.rfile.read(int(headers["content-length"])))
        if identity == "init":
            self.api.init_errors.put((headers, content))
            return
        invocation = self.api.invocations[identity]
        invocation.headers = headers
        if kind == "error":
            invocation.error = content
        else:
            invocation.response = content
        invocation.ended.set()

    def _read_stream(self, invocation: Invocation) -> None:
        try:
            while size := int(self.rfile.readline(), 16):
                part = self.rfile.read(size)
                assert len(part) == size
                assert self.rfile.readline() == b"\r\n"
                invocation.add_part(part)
            while line := self.rfile.readline().strip().decode():
                name, _, value = line.partition(": ")
                invocation.trailers[name.lower()] = value
        except (AssertionError, OSError, ValueError):
            invocation.was_cut = True
        invocation.add_part(b"")
        invocation.ended.set()

    def log_message(self, *_: object) -> None:
        pass


def build_event(method: str, path: str, body: Any = None, *, domain: str = URL, **headers: str) -> dict[str, Any]:
    """An event of the Function URL or of the HTTP API."""
    http = {"method": method, "path": path, "sourceIp": "127.0.0.1"}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"host": domain, **headers},
        "requestContext": {"domainName": domain, "requestId": "r-1", "http": http},
        "body": body if body is None or isinstance(body, str) else json.dumps(body),
        "isBase64Encoded": False,
    }


@contextmanager
def start_function(api: FakeRuntimeApi, environ: Mapping[str, str], folder: Path, log: Path) -> Iterator[int]:
    """Run the function in `folder` as Lambda does where the template sets AWS_LAMBDA_EXEC_WRAPPER; its process id."""
    own = {
        "PATH": os.environ["PATH"],
        "AWS_LAMBDA_RUNTIME_API": api.address,
        "LAMBDA_TASK_ROOT": str(folder),
        "_HANDLER": "handler.handler",
        "PYTHONPATH": f"{ROOT / 'shared'}:{ROOT}",
    }
    command = [str(folder / "stream"), sys.executable, "/var/runtime/bootstrap.py"]
    with log.open("ab") as out:
        process = subprocess.Popen(command, env={**own, **environ}, stdout=out, stderr=out, cwd=folder)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@contextmanager
def serve_function_url(api: FakeRuntimeApi) -> Iterator[str]:
    """A Function URL that streams, in front of the functions; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            invocation = api.invoke(build_event(self.command, self.path, body, **headers))
            prelude = invocation.read_prelude()
            self.send_response(prelude["statusCode"])
            for name, value in prelude["headers"].items():
                self.send_header(name, value)
            self.send_header("connection", "close")
            self.end_headers()
            try:
                while part := invocation.read_part():
                    self.wfile.write(part)
            except OSError:
                pass  # the client has gone, which Lambda tells nobody
            self.close_connection = True

        do_GET = do_DELETE = do_POST

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def decode_error(trailers: Mapping[str, str]) -> Any:
    """The error in the trailers of a stream."""
    return json.loads(base64.b64decode(trailers["lambda-runtime-function-error-body"]))
