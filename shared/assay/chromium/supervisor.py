"""The process between us and Chromium: adopts all that Chromium starts, and leaves nothing of it behind.

It is started as a file, by a bare interpreter, so it knows nothing of the project. Its standard input is the leash:
when that ends, by our closing it or by our death, Chromium, its children and its folder go too.
"""

import ctypes
import os
import resource
import select
import signal
import sys
from contextlib import suppress

SUBREAPER, NO_NEW_PRIVILEGES, LINUX = 36, 38, sys.platform == "linux"  # of prctl(2)
ROUNDS = 50


def keep(read: int, write: int, memory: int, folder: str, command: list[str]) -> int:
    """Run `command` with its pipes at 3 and 4, until it ends or the leash does; what it ended with."""
    if LINUX:
        libc = ctypes.CDLL(None)
        libc.prctl(SUBREAPER, 1, 0, 0, 0)
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    ended, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    browser = os.fork()
    if browser == 0:
        become(read, write, memory, folder, command)
    os.close(read)
    os.close(write)
    code = wait(browser, ended)
    sweep(browser)
    with suppress(ImportError):
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
    return code


def become(read: int, write: int, memory: int, folder: str, command: list[str]) -> None:
    """The child's way to Chromium; never returns."""
    try:
        os.setpgid(0, 0)
        high = [os.dup(end) for end in (read, write)]
        while min(high) < 5:  # a pipe may lie where the other one belongs
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
    """Bury what dies, until the browser does (its exit code) or the leash ends (0)."""
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
    found = []
    with suppress(ChildProcessError):
        while (dead := os.waitpid(-1, os.WNOHANG))[0]:
            found.append(dead)
    return found


def sweep(browser: int) -> None:
    """End the browser's group and all it left to us, until there is nobody."""
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
    with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123  no pathlib here
        return [int(word) for word in file.read().split()]
    return []


if __name__ == "__main__":
    sys.exit(keep(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]))
