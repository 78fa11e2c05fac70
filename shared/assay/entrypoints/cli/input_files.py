"""Reads files that the command line names. `-` is standard input."""

import sys
from pathlib import Path


def read_file(path: str, field: str) -> bytes:
    """Return the bytes of the file. Raises InvalidInput, which names `field`, if it cannot be read."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).expanduser().read_bytes()
    except (OSError, ValueError) as failure:
        from assay.errors import InvalidInput

        reason = getattr(failure, "strerror", None) or str(failure)
        raise InvalidInput(f"The file {path[:200]!r} cannot be read: {reason}.", field=field) from None


def read_text_file(path: str, field: str) -> str:
    """Return the text of the file, in UTF-8 or the encoding that it declares or shows."""
    from assay.text.decode import decode

    return decode(read_file(path, field))
