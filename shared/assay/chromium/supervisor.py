"""Supervisor process between this program and Chromium: kills the whole process tree and removes its folder.

It is run as a file by an isolated interpreter, so it cannot import the project. When its standard input closes,
because the parent closed it or died, Chromium, all its descendants and its folder are removed. It adopts orphaned
descendants as a subreaper (PR_SET_CHILD_SUBREAPER, prctl(2)).
"""

import ctypes
import os
import resource
import select
import signal
import sys
from contextlib import suppress

SUBREAPER, NO_NEW_PRIVILEGES, LINUX = 36, 38, sys.platform == "linux"  # prctl(2) options
ROUNDS = 50


def run(read: int, write: int, memory: int, folder: str, command: list[str]) -> int:
    """Run `command` with its pipes at descriptors 3 and 4 until it ends or standard input closes; return the code."""
    if LINUX:
        libc = ctypes.CDLL(None)
        libc.prctl(SUBREAPER, 1, 0, 0, 0)
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    ended, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    browser = os.fork()
    if browser == 0:
        execute(read, write, memory, folder, command)
    os.close(read)
    os.close(write)
    code = wait(browser, ended)
    kill_all(browser)
    with suppress(ImportError):
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
    return code


def execute(read: int, write: int, memory: int, folder: str, command: list[str]) -> None:
    """Set up the child process and execute Chromium; never returns."""
    try:
        os.setpgid(0, 0)
        high = [os.dup(end) for end in (read, write)]
        while min(high) < 5:  # a pipe may occupy the descriptor that the other one needs
            high = [os.dup(end) for end in high]
        for end, place in zip(high, (3, 4), strict=True):
            os.dup2(end, place)
        null = os.open(os.devnull, os.O_RDWR)
        for place in (0, 1, 2):
            os.dup2(null, place)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        os.closerange(5, 256)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.chdir(folder)
        os.execv(command[0], command)  # noqa: S606  no shell
    finally:
        os._exit(127)


def wait(browser: int, ended: int) -> int:
    """Reap children until the browser ends (returns its exit code) or standard input closes (returns 0)."""
    while True:
        ready, _, _ = select.select([0, ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            for pid, status in reap():
                if pid == browser:
                    return os.waitstatus_to_exitcode(status)
        if 0 in ready:
            return 0


def reap() -> list[tuple[int, int]]:
    """Collect ended children as (pid, wait status)."""
    ended_children = []
    with suppress(ChildProcessError):
        while (dead := os.waitpid(-1, os.WNOHANG))[0]:
            ended_children.append(dead)
    return ended_children


def kill_all(browser: int) -> None:
    """Kill the browser's process group and all adopted descendants until none is left."""
    for _ in range(ROUNDS):
        with suppress(OSError):
            os.killpg(browser, signal.SIGKILL)
        for child in children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, 0):
                pass
        except ChildProcessError:
            return


def children() -> list[int]:
    """The pids of the child processes, from proc(5)."""
    with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123  no pathlib here
        return [int(word) for word in file.read().split()]
    return []


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]))
