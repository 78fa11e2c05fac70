"""A running Chromium process tree: connection, memory use and termination."""

import asyncio
import os
import shutil
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from assay.chromium.cdp import Params, Pipe, PipeClosed, Refusal
from assay.chromium.launch_options import UNAVAILABLE, Spawned
from assay.errors import BrowserUnavailable

START_SECONDS = 20.0


@dataclass
class Process:
    """A running Chromium with its supervisor, DevTools pipe and profile folder."""

    pipe: Pipe
    supervisor: "subprocess.Popen[bytes]"
    folder: str
    dead: socket.socket
    version: Params = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        return not self.pipe.is_closed and self.supervisor.poll() is None

    async def end(self) -> None:
        """Close the supervisor's standard input, and wait until it has killed the whole process tree."""
        self.pipe.close()
        if self.supervisor.stdin:
            with suppress(OSError):
                self.supervisor.stdin.close()
        await asyncio.to_thread(self._remove_folder)

    def _remove_folder(self) -> None:
        try:
            self.supervisor.wait(10)
        except subprocess.TimeoutExpired:
            self.supervisor.kill()
            self.supervisor.wait()
        self.dead.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def memory(self) -> int:
        """The memory (PSS, proc(5)) of all Chromium processes in bytes; 0 if the system does not report it."""
        return sum(map(_share, _session(self.supervisor.pid)))


async def connect(spawned: Spawned) -> Process:
    """Wait until the started browser responds. Raises BrowserUnavailable if it does not within START_SECONDS."""
    process = Process(await Pipe.over(spawned.read, spawned.write), spawned.supervisor, spawned.folder, spawned.dead)
    try:
        async with asyncio.timeout(START_SECONDS):
            process.version = await process.pipe.send("Browser.getVersion")
    except (PipeClosed, Refusal, TimeoutError) as failure:
        await process.end()
        raise BrowserUnavailable(
            f"{UNAVAILABLE} {spawned.name} was started, but does not respond.",
            hint="start it by hand to see why; if the machine forbids its sandbox, set CHROME_SANDBOX=false",
        ) from failure
    except BaseException:  # the caller was cancelled
        await asyncio.shield(process.end())
        raise
    return process


def _session(leader: int) -> list[str]:
    """The /proc paths of the processes in the supervisor's session, except the supervisor itself."""
    found = []
    with suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit() and int(entry.name) != leader:
                with suppress(OSError):
                    stat = Path(entry.path, "stat").read_text()
                    if int(stat.rpartition(")")[2].split()[3]) == leader:
                        found.append(entry.path)
    return found


def _share(process: str) -> int:
    with suppress(OSError):
        for line in Path(process, "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
