"""The processes of a browser as proc(5) reports them, whichever of them end meanwhile."""

from pathlib import Path

from assay.chromium import browser_process


def family(supervisor: int) -> list[int]:
    """The supervisor's processes, including zombies."""
    return [int(Path(path).name) for path in browser_process._session(supervisor)]


def read_proc(process: int, what: str) -> bytes:
    """What /proc says of it; nothing where it has just ended."""
    try:
        return Path(f"/proc/{process}/{what}").read_bytes()
    except OSError:
        return b""


def stat_fields(process: int) -> list[str]:
    """The state, the parent and what follows in proc(5)'s stat; the state "X" where the process has just ended."""
    return read_proc(process, "stat").decode().rpartition(")")[2].split() or ["X", "0"]


def main_of(supervisor: int) -> int:
    """The browser's main process. Ended processes that the supervisor has adopted have an empty command line."""
    children = [one for one in family(supervisor) if stat_fields(one)[1] == str(supervisor)]
    commands = {one: read_proc(one, "cmdline") for one in children}
    return next(one for one, command in commands.items() if command and b"--type=" not in command)


def renderers_of(supervisor: int) -> list[int]:
    return [one for one in family(supervisor) if b"--type=renderer" in read_proc(one, "cmdline")]
