"""Reads files that the command line names, and standard input, up to a limit: a device has no end."""

import sys
from pathlib import Path
from typing import BinaryIO

MB = 1_000_000
MAX_FILE = 50 * MB  # as an upload
MAX_ARGUMENTS = 100 * MB  # more than the base64 of the largest file


def read_file(path: str, field: str) -> bytes:
    """Return the bytes of the file, or of standard input for `-`. Raises InvalidInput, which names `field`."""
    if path == "-":
        return _read(sys.stdin.buffer, MAX_FILE, "Standard input", field)
    shown = f"The file {path[:200]!r}"
    try:
        with Path(path).expanduser().open("rb") as file:
            return _read(file, MAX_FILE, shown, field)
    except (OSError, ValueError) as failure:
        from assay.errors import InvalidInput

        reason = getattr(failure, "strerror", None) or str(failure)
        raise InvalidInput(f"{shown} cannot be read: {reason}.", field=field) from None


def read_text_file(path: str, field: str) -> str:
    """Return the text of the file, in UTF-8 or the encoding that it declares or shows."""
    from assay.text.decode import decode

    return decode(read_file(path, field))


def read_arguments() -> bytes:
    """Read standard input to its end. On a terminal return nothing, because waiting there would look like a hang."""
    return b"" if sys.stdin.isatty() else _read(sys.stdin.buffer, MAX_ARGUMENTS, "Standard input", "arguments")


def _read(file: BinaryIO, limit: int, name: str, field: str) -> bytes:
    body = file.read(limit + 1)
    if len(body) > limit:
        from assay.errors import InvalidInput

        raise InvalidInput(f"{name} is over {limit // MB} MB, the limit. Send less.", field=field)
    return body
