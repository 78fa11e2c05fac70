"""The processes of a browser."""

from pathlib import Path

from tests.support.proc_files import children_of, read_proc

from assay.chromium import browser_process


def family(supervisor: int) -> list[int]:
    """The supervisor's processes, including zombies."""
    return [int(Path(path).name) for path in browser_process._session(supervisor)]


def main_of(supervisor: int) -> int:
    """The browser's main process. Ended processes that the supervisor has adopted have an empty command line."""
    commands = {one: read_proc(one, "cmdline") for one in children_of(supervisor)}
    return next(one for one, command in commands.items() if command and b"--type=" not in command)


def renderers_of(supervisor: int) -> list[int]:
    return [one for one in family(supervisor) if b"--type=renderer" in read_proc(one, "cmdline")]
