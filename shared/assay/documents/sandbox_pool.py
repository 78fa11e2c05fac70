"""A killable child process in which documents are read: a hostile file costs one error, never the server."""

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
from assay.documents.sandbox_worker import BROKE, DIED, FRAME, SIZE
from assay.errors import ConfigError, ContentEmpty, CorruptDocument, InvalidInput, Network, ToolError, UpstreamFailed
from assay.settings import environment

ANSWER_BYTES = 64 * 1024 * 1024
MEMORY_BYTES = 1024 * 1024 * 1024
type Process = subprocess.Popen[bytes]

ALLOCATOR = {
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TOP_PAD_": "1048576",
}
LIBRARIES = "LD_LIBRARY_PATH"  # Lambda's interpreter does not start without it; nothing else is passed on
START = "import sys; sys.path[:] = sys.argv[1:]; "
RAISED: dict[str, type[ToolError]] = {kind.__name__: kind for kind in (ContentEmpty, InvalidInput)}


def start_confined(code: str, environ: Mapping[str, str] = MappingProxyType({})) -> tuple[Process, socket.socket]:
    """A process of this interpreter that runs `code`: in a session of its own, with no environment but `environ`, and
    its standard input a socket, whose other end comes back, as its only tie to us.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module, nothing from outside
            [sys.executable, "-I", "-S", "-B", "-c", START + code, *(path for path in sys.path if path)],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**environ, **{name: value for name, value in environment().items() if name == LIBRARIES}},
            cwd="/",
            start_new_session=True,
        )
    return process, ours


class SandboxProcessEnded(Exception):
    """The child ended before it answered."""


class SandboxProcess:
    """One child: its own session, an empty environment, and a socket for its only tie to us."""

    def __init__(self) -> None:
        self.process, self.line = start_confined("from assay.documents.sandbox_worker import serve; serve()", ALLOCATOR)

    def ask(self, body: bytes, kind: str, memory: int, deadline: float, *, strict: bool = False) -> bytes:
        """The child's answer. Gone when it dies of the question; TimeoutError at the deadline (monotonic)."""
        name = kind.encode()
        seconds = max(1, round(deadline - time.monotonic()) + 1)
        try:
            self._within(deadline)
            self.line.sendall(FRAME.pack(len(name), len(body), memory, seconds, strict) + name)
            self.line.sendall(body)
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
            piece = self.line.recv(min(length - len(body), 1 << 20))
            if not piece:
                raise SandboxProcessEnded
            body += piece
        return bytes(body)

    def _within(self, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.line.settimeout(left)

    def kill(self, patience: float = 0) -> int:
        """End the child and all it started, after `patience` seconds in which it may say how it died; its exit code."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(patience)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.line.close()
        return self.process.wait()


@dataclass
class SandboxJob:
    """One reading, which another thread may call off."""

    body: bytes
    kind: str
    deadline: float
    cell: SandboxProcess | None = None
    off: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def call_off(self) -> None:
        """Cut the line to the child, which its thread then ends."""
        with self.lock:
            self.off = True
            if self.cell:
                with suppress(OSError):
                    self.cell.line.shutdown(socket.SHUT_RDWR)

    def hold(self, cell: SandboxProcess | None) -> None:
        with self.lock:
            self.cell = None if self.off else cell


class Sandbox:
    """At most `cells` children at a time, each of `memory` bytes; one that has behaved is used again.

    `strict` keeps even the files of code from a reader, as it is everywhere on kernels without Landlock.
    """

    def __init__(self, cells: int = 0, memory: int = 0, *, strict: bool = False) -> None:
        self._strict = strict
        self.memory = memory or min(MEMORY_BYTES, machine_memory())
        self._threads = ThreadPoolExecutor(cells or min(4, os.process_cpu_count() or 2), "documents")
        self._idle: list[SandboxProcess] = []
        self._lock = threading.Lock()

    async def read(self, body: bytes, kind: str, seconds: float) -> Document:
        """As `assay.documents.read`, in a child."""
        told = (await self.ask(body, kind, seconds))["document"]
        return Document(**told | {"notes": tuple(told["notes"])})

    async def ask(self, body: bytes, kind: str, seconds: float) -> dict[str, Any]:
        """What a reader says of the body; of the kind `module:how` the answer of that module to `how`."""
        job = SandboxJob(body, kind, time.monotonic() + seconds)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._work, job, seconds)
        except asyncio.CancelledError:
            job.call_off()
            raise

    def _work(self, job: SandboxJob, seconds: float) -> dict[str, Any]:
        if job.off or time.monotonic() >= job.deadline:
            raise Network(f"Too many documents are being read; this one waited {seconds:g} seconds. Try again.")
        told = self._answer(job, seconds)
        if "again" in told:
            job.kind = told["again"]
            told = self._answer(job, seconds)
        if "error" in told:  # whatever else is wrong is wrong with the file, and stays so
            raise RAISED.get(told["error"], CorruptDocument)(told["message"])
        return told

    def _answer(self, job: SandboxJob, seconds: float) -> dict[str, Any]:
        cell = self._cell()
        job.hold(cell)
        try:
            answer = cell.ask(job.body, job.kind, self.memory, job.deadline, strict=self._strict)
        except TimeoutError:
            cell.kill()
            raise UpstreamFailed(
                f"The {_name(job.kind)} could not be read within {seconds:g} seconds; it is too complex or hostile."
            ) from None
        except SandboxProcessEnded:
            raise CorruptDocument(_cause(_name(job.kind), cell.kill(patience=0.1))) from None
        except BaseException:
            cell.kill()
            raise
        job.hold(None)
        self._keep(cell)
        told: dict[str, Any] = json.loads(answer)
        return told

    def _cell(self) -> SandboxProcess:
        with self._lock:
            while self._idle:
                cell = self._idle.pop()
                if cell.process.poll() is None:
                    return cell
                cell.kill()
        return SandboxProcess()

    def _keep(self, cell: SandboxProcess) -> None:
        with self._lock:
            self._idle.append(cell)

    def close(self) -> None:
        """Finish what is being read, then end every child."""
        self._threads.shutdown()
        with self._lock:
            while self._idle:
                self._idle.pop().kill()


def _cause(name: str, code: int) -> str:
    if code == DIED + signal.SIGXCPU:
        return f"The {name} takes more computing time than it may have; it is too complex or hostile."
    if code == BROKE:
        return f"The {name} is broken in a way its reader does not know."
    return f"The {name} ended its reader (code {code}); it is broken or hostile."


def _name(kind: str) -> str:
    return NAMES.get(kind.partition(":")[0].partition("_")[0], "document")


def machine_memory() -> int:
    """What a child may map: half of a small machine, so that the kernel never has to choose whom to end."""
    return max(384 << 20, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)


def can_confine() -> bool:
    """Whether this system can fork a bounded reader."""
    return hasattr(os, "fork")


@cache
def common_jail() -> Sandbox:
    """The jail of this process. Raises ConfigError on a system that has no way to confine a reader, such as Windows."""
    if not can_confine():
        raise ConfigError(
            "Documents (PDF, DOCX, PPTX) are read on Linux and macOS only, where their reader can be confined.",
            action="inform_user",
        )
    jail = Sandbox()
    atexit.register(jail.close)
    return jail
