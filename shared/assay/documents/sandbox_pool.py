"""Pool of killable worker processes that parse documents, so that a hostile file cannot affect the server."""

import asyncio
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from assay.documents.document import NAMES, Document
from assay.documents.sandbox_protocol import BROKE, DIED, FRAME, SIZE
from assay.errors import ConfigError, ContentEmpty, CorruptDocument, InvalidInput, Network, ToolError, UpstreamFailed
from assay.settings.variables import environment

ANSWER_BYTES = 64 * 1024 * 1024  # maximum size of a response
MEMORY_BYTES = 1024 * 1024 * 1024  # maximum address space of a worker
type Process = subprocess.Popen[bytes]

ALLOCATOR = {
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TOP_PAD_": "1048576",
}
LIBRARIES = "LD_LIBRARY_PATH"  # Lambda's interpreter does not start without it; no other variable is passed on
START = "import sys; sys.path[:] = sys.argv[1:]; "
RAISED: dict[str, type[ToolError]] = {kind.__name__: kind for kind in (ContentEmpty, InvalidInput)}


def start_confined(code: str, environ: Mapping[str, str] = MappingProxyType({})) -> tuple[Process, socket.socket]:
    """Start this interpreter with `code`, in its own session, with the environment `environ`.

    Its standard input is a socket, its only connection to this process; returns the process and the other end.
    """
    parent_end, child_end = socket.socketpair()
    with child_end:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module, nothing from outside
            [sys.executable, "-I", "-S", "-B", "-c", START + code, *(path for path in sys.path if path)],
            stdin=child_end.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**environ, **{name: value for name, value in environment().items() if name == LIBRARIES}},
            cwd="/",
            start_new_session=True,
        )
    return process, parent_end


class SandboxProcessEnded(Exception):
    """The worker ended before it responded."""


class SandboxProcess:
    """One worker process, with its own session, a minimal environment, and a socket."""

    def __init__(self) -> None:
        self.process, self.socket = start_confined(
            "from assay.documents.sandbox_worker import serve; serve()", ALLOCATOR
        )

    def ask(self, body: bytes, kind: str, memory: int, deadline: float, *, strict: bool = False) -> bytes:
        """Send a request and return the JSON response.

        Raises SandboxProcessEnded if the worker ends, TimeoutError at the deadline (monotonic time).
        """
        name = kind.encode()
        seconds = max(1, round(deadline - time.monotonic()) + 1)
        try:
            self._within(deadline)
            self.socket.sendall(FRAME.pack(len(name), len(body), memory, seconds, strict) + name)
            self.socket.sendall(body)
            (size,) = SIZE.unpack(self._receive_bytes(SIZE.size, deadline))
            if size > ANSWER_BYTES:
                raise SandboxProcessEnded
            return self._receive_bytes(size, deadline)
        except (BrokenPipeError, ConnectionResetError) as broken:
            raise SandboxProcessEnded from broken

    def _receive_bytes(self, length: int, deadline: float) -> bytes:
        body = bytearray()
        while len(body) < length:
            self._within(deadline)
            piece = self.socket.recv(min(length - len(body), 1 << 20))
            if not piece:
                raise SandboxProcessEnded
            body += piece
        return bytes(body)

    def _within(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.socket.settimeout(left)

    def kill(self, patience: float = 0) -> int:
        """Kill the worker's process group, after waiting up to `patience` seconds; return the exit code."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.socket.close()
        return self.process.wait()


@dataclass
class SandboxJob:
    """One request, which another thread may cancel."""

    body: bytes
    kind: str
    deadline: float
    worker: SandboxProcess | None = None
    cancelled: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def cancel(self) -> None:
        """Shut down the worker's socket; the job's thread then kills the worker."""
        with self.lock:
            self.cancelled = True
            if self.worker:
                with suppress(OSError):
                    self.worker.socket.shutdown(socket.SHUT_RDWR)

    def assign(self, worker: SandboxProcess | None) -> None:
        """Set the worker that handles the job, None when it has finished."""
        with self.lock:
            self.worker = None if self.cancelled else worker


class Sandbox:
    """A pool of at most `workers` processes, each with at most `memory` bytes; an intact worker is reused.

    `strict` forbids parsers to open any file, even code; that is the default on kernels without Landlock.
    """

    def __init__(self, workers: int = 0, memory: int = 0, *, strict: bool = False) -> None:
        self._strict = strict
        self.memory = memory or min(MEMORY_BYTES, machine_memory())
        self._threads = ThreadPoolExecutor(workers or min(4, os.process_cpu_count() or 2), "documents")
        self._idle: list[SandboxProcess] = []
        self._lock = threading.Lock()

    async def read(self, body: bytes, kind: str, seconds: float) -> Document:
        """Parse a document as `assay.documents.read` does, in a worker."""
        response = (await self.ask(body, kind, seconds))["document"]
        return Document(**response | {"notes": tuple(response["notes"])})

    async def ask(self, body: bytes, kind: str, seconds: float) -> dict[str, Any]:
        """Send the body to a worker and return its response; for the kind `module:request`, the module's `answer`.

        Raises Network if no worker becomes free, UpstreamFailed or CorruptDocument if the file cannot be parsed, and
        the parser's InvalidInput or ContentEmpty.
        """
        job = SandboxJob(body, kind, time.monotonic() + seconds)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._work, job, seconds)
        except asyncio.CancelledError:
            job.cancel()
            raise

    def _work(self, job: SandboxJob, seconds: float) -> dict[str, Any]:
        if job.cancelled or time.monotonic() >= job.deadline:
            raise Network(f"All document parsers were busy for {seconds:g} seconds. Try again.")
        response = self._answer(job, seconds)
        if "again" in response:
            job.kind = response["again"]
            response = self._answer(job, seconds)
        if "error" in response:  # every other error is permanent: the file itself is faulty
            raise RAISED.get(response["error"], CorruptDocument)(response["message"])
        return response

    def _answer(self, job: SandboxJob, seconds: float) -> dict[str, Any]:
        worker = self._take_worker()
        job.assign(worker)
        try:
            answer = worker.ask(job.body, job.kind, self.memory, job.deadline, strict=self._strict)
        except TimeoutError:
            worker.kill()
            raise UpstreamFailed(
                f"The {_name(job.kind)} could not be read within {seconds:g} seconds; it is too complex or malicious."
            ) from None
        except SandboxProcessEnded:
            raise CorruptDocument(_cause(_name(job.kind), worker.kill(patience=0.1))) from None
        except BaseException:
            worker.kill()
            raise
        job.assign(None)
        self._return_worker(worker)
        response: dict[str, Any] = json.loads(answer)
        return response

    def _take_worker(self) -> SandboxProcess:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.process.poll() is None:
                    return worker
                worker.kill()
        return SandboxProcess()

    def _return_worker(self, worker: SandboxProcess) -> None:
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        """Finish the running jobs, then kill all workers."""
        self._threads.shutdown()
        with self._lock:
            while self._idle:
                self._idle.pop().kill()


def _cause(name: str, code: int) -> str:
    if code == DIED + signal.SIGXCPU:
        return f"The {name} exceeds the limit of CPU time; it is too complex or malicious."
    if code == BROKE:
        return f"The {name} is damaged in a way that the parser does not handle."
    return f"The {name} crashed the parser (code {code}); it is damaged or malicious."


def _name(kind: str) -> str:
    return NAMES.get(kind.partition(":")[0].partition("_")[0], "document")


def machine_memory() -> int:
    """The address space of a worker in bytes: half of the machine's memory, so that the OOM killer is not needed.

    In a Lambda function the memory is the function's own; the machine that it runs on has more.
    """
    lambda_megabytes = int(environment().get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE") or 0)
    memory = lambda_megabytes << 20 or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(384 << 20, memory // 2)


def can_confine() -> bool:
    """Whether this system can fork a process with limited resources."""
    return hasattr(os, "fork")


@cache
def common_sandbox() -> Sandbox:
    """The shared sandbox of this process. Raises ConfigError on systems that cannot confine it, such as Windows."""
    if not can_confine():
        raise ConfigError(
            "Documents (PDF, DOCX, PPTX) can be parsed only on Linux and macOS, which can confine the parser.",
            action="inform_user",
        )
    sandbox = Sandbox()
    atexit.register(sandbox.close)
    return sandbox
