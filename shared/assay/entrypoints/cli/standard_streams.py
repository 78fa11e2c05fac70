"""The standard streams of a command: usable where the caller closed them, or where their encoding lacks a letter."""

import codecs
import io
import json
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.errors import ToolError

STANDARD_STREAMS = 3


def prepare_streams() -> None:
    """Open the null device for each closed stream, and write what the encoding of the output lacks as JSON does."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        codecs.register_error("json", _escape)
        sys.stdout.reconfigure(errors="json")


def drop_output() -> None:
    """Send what standard output still holds to the null device: the end of the process would fail to write it again."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
    sys.stdout.flush()


def describe_failed_file(failure: OSError) -> "ToolError":
    """An error that says which file cannot be used, and why. It drops output that cannot be written."""
    from assay.errors import Misconfigured

    if failure.filename is None:  # as where `print` fails
        drop_output()
        what = "The output, or a file, cannot be written"
    else:
        what = f"{os.fsdecode(failure.filename)} cannot be used"
    return Misconfigured(f"{what}: {failure.strerror or failure}.")


def _escape(failure: UnicodeError) -> tuple[str, int]:
    assert isinstance(failure, UnicodeEncodeError)
    return json.dumps(failure.object[failure.start : failure.end])[1:-1], failure.end


def _open_closed_streams() -> None:
    """Take the numbers of the closed streams, which the next files would get. `print(file=None)` is the output."""
    while (number := os.open(os.devnull, os.O_RDWR)) < STANDARD_STREAMS:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
