"""What proc(5) says of processes, whichever of them end meanwhile."""

from pathlib import Path


def read_proc(process: int, what: str) -> bytes:
    """The file of the process; nothing where it has just ended."""
    try:
        return Path(f"/proc/{process}/{what}").read_bytes()
    except OSError:
        return b""


def stat_fields(process: int) -> list[str]:
    """The state, the parent and what follows; the state "X" where the process has just ended."""
    return read_proc(process, "stat").decode().rpartition(")")[2].split() or ["X", "0"]


def is_running(process: int) -> bool:
    """Whether the process runs; zombies do not count."""
    return stat_fields(process)[0] not in ("X", "Z")


def children_of(process: int) -> list[int]:
    """Its direct children, zombies too."""
    processes = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [one for one in processes if stat_fields(one)[1] == str(process)]
