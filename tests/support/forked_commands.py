"""The command line in a process of its own that starts soon: forked from one that has imported what commands need.

For tests of what a command does. Tests of how it starts run `python -m …`.
"""

import atexit
import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from selectors import EVENT_READ, DefaultSelector
from typing import IO, Any, NoReturn

COMMAND = "assay.entrypoints.cli.main"
# Most of what commands import. No module of these starts a thread, which a fork would leave behind.
IMPORTED = (
    COMMAND,
    "assay.entrypoints.cli.arguments",
    "assay.entrypoints.cli.crawl_command",
    "assay.entrypoints.cli.input_files",
    "assay.entrypoints.cli.json_command",
    "assay.entrypoints.cli.job_commands",
    "assay.entrypoints.cli.terminal",
    "assay.entrypoints.cli.tool_call",
    "assay.entrypoints.http.local_server",
    "assay.entrypoints.mcp.stdio",
    "assay.invoke",
    "assay.local.cipher",
    "assay.local.sqlite_table",
    "assay.net.guarded_client",
    "assay.scraping.failure_cache",
    "assay.scraping.parse_executor",
    "assay.state.audit_source",
    "assay.tools.cinder_crawl",
    "assay.tools.metadata_extract",
    "assay.tools.scrape_page",
    "assay.tools.web_search",
)


class Template:
    """The process that commands are forked from."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ours, theirs = socket.socketpair()
        with theirs:
            program = [sys.executable, "-m", __name__, str(theirs.fileno())]
            self._process = subprocess.Popen(program, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])
        atexit.register(self._stop)

    def _stop(self) -> None:
        self._ours.close()
        self._process.wait()

    def fork(self, request: dict[str, Any], streams: Sequence[int]) -> socket.socket:
        """Start a command; the socket tells its identity, and its exit code when it has ended."""
        ours, theirs = socket.socketpair()
        with theirs, self._lock:
            socket.send_fds(self._ours, [b"."], [*streams, theirs.fileno()])
        with ours.makefile("wb") as lines:
            lines.write(json.dumps(request).encode() + b"\n")
        return ours


@cache
def start_template() -> Template:
    """The one of this worker, which ends with it."""
    return Template()


class ForkedCommand:
    """A command like one that `subprocess.Popen` has started; `stdin` and the others as there, a pipe or a descriptor."""

    stdin: IO[Any] | None = None
    stdout: IO[Any] | None = None
    stderr: IO[Any] | None = None

    def __init__(
        self,
        *arguments: str,
        env: dict[str, str],
        module: str = COMMAND,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        text: bool = False,
        start_new_session: bool = False,
    ) -> None:
        self.args = [module, *arguments]
        self.returncode: int | None = None
        request = {"arguments": self.args, "env": env, "session": start_new_session}
        theirs = [
            self._open(name, given, text) for name, given in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr))
        ]
        self._channel = start_template().fork(request, theirs)
        for descriptor in theirs:
            os.close(descriptor)
        self._reports = self._channel.makefile("r")
        self.pid = int(self._reports.readline())

    def _open(self, name: str, given: int, text: bool) -> int:
        """The command's descriptor of a stream; of a pipe, the other end is ours."""
        if given == subprocess.DEVNULL:
            return os.open(os.devnull, os.O_RDWR)
        if given != subprocess.PIPE:
            return os.dup(given)
        reading, writing = os.pipe()
        theirs, ours, mode = (reading, writing, "w") if name == "stdin" else (writing, reading, "r")
        setattr(self, name, os.fdopen(ours, mode if text else mode + "b"))
        return theirs

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            selector = DefaultSelector()
            selector.register(self._channel, EVENT_READ)
            with selector:
                if not selector.select(timeout):
                    raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self.returncode = int(self._reports.readline())
            self._reports.close()
            self._channel.close()
        return self.returncode

    def communicate(self, given: Any = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Give the input, and take what is left of the outputs, until all of them end."""
        until = None if timeout is None else time.monotonic() + timeout
        with ThreadPoolExecutor(2) as pool:
            outputs = [pool.submit(pipe.read) if pipe else None for pipe in (self.stdout, self.stderr)]
            try:
                if self.stdin:
                    with contextlib.suppress(BrokenPipeError), self.stdin:
                        if given:
                            self.stdin.write(given)
                self.wait(None if until is None else max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            out, err = (each.result() if each else None for each in outputs)
        for pipe in (self.stdout, self.stderr):
            if pipe:
                pipe.close()
        return out, err

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run_command(
    *arguments: str, env: dict[str, str], given: str | bytes | None = None, timeout: float = 60, **more: Any
) -> subprocess.CompletedProcess[Any]:
    """As `subprocess.run(…, capture_output=True)`."""
    stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
    command = ForkedCommand(*arguments, env=env, stdin=stdin, **more)
    out, err = command.communicate(given, timeout)
    return subprocess.CompletedProcess(command.args, command.wait(), out, err)


def serve(requests: socket.socket) -> list[str]:
    """Fork a command for each request, and tell when it has ended. In a command, return its module and arguments."""
    children: dict[int, tuple[int, socket.socket]] = {}  # by descriptors of processes
    selector = DefaultSelector()
    selector.register(requests, EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fd != requests.fileno():
                pid, channel = children.pop(key.fd)
                selector.unregister(key.fd)
                os.close(key.fd)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with channel, contextlib.suppress(BrokenPipeError):  # the test gave it up
                    channel.send(f"{code}\n".encode())
                continue
            request, descriptors, *_ = socket.recv_fds(requests, 1, 4)
            if not request:  # the tests have ended
                sys.exit()
            channel = socket.socket(fileno=descriptors.pop())
            if not (pid := os.fork()):
                selector.close()
                for descriptor, (_, other) in children.items():
                    os.close(descriptor)
                    other.close()
                requests.close()
                return become(channel, descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            channel.send(f"{pid}\n".encode())
            selector.register(descriptor := os.pidfd_open(pid), EVENT_READ)
            children[descriptor] = pid, channel


def become(channel: socket.socket, streams: list[int]) -> list[str]:
    """Make this process the command that the channel names."""
    with channel, channel.makefile("rb") as lines:
        request = json.loads(lines.readline())
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["env"])
    if request["session"]:
        os.setsid()
    arguments: list[str] = request["arguments"]
    return arguments


def end(code: int | None) -> NoReturn:
    """End as an interpreter does, but leave the memory as it is: to free it takes as long as many a command."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    for name in IMPORTED:
        import_module(name)
    gc.freeze()
    module, *sys.argv[1:] = serve(socket.socket(fileno=int(sys.argv[1])))
    end(import_module(module).main())
