"""The command line in a process of its own that starts soon: forked from one that has imported what commands need.

For tests of what a command does. Tests of how it starts run `python -m …`.
"""

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import IO, Any

ROOT = Path(__file__).parents[2]
COMMAND = "assay.entrypoints.cli.main"
IMPORTED = (  # most of what commands import
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


class ForkServer:
    """A process of fork_server.py that has imported `modules`; programs connect to `address`."""

    def __init__(
        self, modules: Sequence[str], python: Sequence[str] = (sys.executable,), paths: Sequence[str] = (), **more: Any
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.address = f"{self._folder.name}/socket"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.address)
            listener.listen(128)
            program = str(Path(__file__).with_name("fork_server.py"))
            given = json.dumps({"modules": modules, "paths": paths})
            self._process = subprocess.Popen(
                [*python, "-P", program, str(listener.fileno()), given],
                stdin=subprocess.PIPE,
                pass_fds=[listener.fileno()],
                **more,
            )

    def close(self) -> None:
        self._process.communicate()
        self._folder.cleanup()


@cache
def start_server() -> ForkServer:
    """The one of this worker, which ends with it."""
    server = ForkServer(IMPORTED, paths=[str(ROOT)])
    atexit.register(server.close)
    return server


class ForkedCommand:
    """A command like one that `subprocess.Popen` has started; `stdin` and the others as there, a pipe or a descriptor."""

    stdin: IO[Any] | None = None
    stdout: IO[Any] | None = None
    stderr: IO[Any] | None = None

    def __init__(
        self,
        *arguments: str,
        env: Mapping[str, str],
        module: str = COMMAND,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        text: bool = False,
        start_new_session: bool = False,
    ) -> None:
        self.args = [module, *arguments]
        self.returncode: int | None = None
        request = {
            "program": f"import sys; from {module} import main; sys.exit(main())",
            "arguments": self.args,
            "environ": dict(env),
            "folder": str(Path.cwd()),
            "paths": [],
            "session": start_new_session,
        }
        theirs = [
            self._open(name, given, text) for name, given in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr))
        ]
        self._channel = socket.socket(socket.AF_UNIX)
        self._channel.connect(start_server().address)
        socket.send_fds(self._channel, [b"."], theirs)
        self._channel.sendall(json.dumps(request).encode() + b"\n")
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
    *arguments: str, env: Mapping[str, str], given: str | bytes | None = None, timeout: float = 60, **more: Any
) -> subprocess.CompletedProcess[Any]:
    """As `subprocess.run(…, capture_output=True)`."""
    stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
    command = ForkedCommand(*arguments, env=env, stdin=stdin, **more)
    out, err = command.communicate(given, timeout)
    return subprocess.CompletedProcess(command.args, command.wait(), out, err)
