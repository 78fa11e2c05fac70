"""A Chromium that runs: spoken to over its pipe, measured, and ended with all that it started."""

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
    """A running Chromium: its keeper, its pipe and its folder."""

    pipe: Pipe
    keeper: "subprocess.Popen[bytes]"
    folder: str
    dead: socket.socket
    version: Params = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        return not self.pipe.gone and self.keeper.poll() is None

    async def end(self) -> None:
        """Let go of the leash, and wait until the keeper has buried them all."""
        self.pipe.close()
        if self.keeper.stdin:
            with suppress(OSError):
                self.keeper.stdin.close()
        await asyncio.to_thread(self._remove_folder)

    def _remove_folder(self) -> None:
        try:
            self.keeper.wait(10)
        except subprocess.TimeoutExpired:
            self.keeper.kill()
            self.keeper.wait()
        self.dead.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def memory(self) -> int:
        """Bytes that Chromium's processes have to themselves or their share of; 0 where nobody says so."""
        return sum(map(_share, _session(self.keeper.pid)))


async def connect(begun: Spawned) -> Process:
    """The browser once it answers. Raises BrowserUnavailable where it does not."""
    process = Process(await Pipe.over(begun.read, begun.write), begun.keeper, begun.folder, begun.dead)
    try:
        async with asyncio.timeout(START_SECONDS):
            process.version = await process.pipe.tell("Browser.getVersion")
    except (PipeClosed, Refusal, TimeoutError) as failure:
        await process.end()
        raise BrowserUnavailable(
            f"{UNAVAILABLE} {begun.name} was started and did not come up.",
            hint="run it by hand to see why; where the machine forbids its sandbox, set CHROME_SANDBOX=false",
        ) from failure
    except BaseException:  # whoever asked for it has gone away
        await asyncio.shield(process.end())
        raise
    return process


def _session(leader: int) -> list[str]:
    """The processes of the keeper's session, without itself."""
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
