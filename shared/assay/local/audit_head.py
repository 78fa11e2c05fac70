"""The files of the audit trail of this machine, and its head, which is kept apart from the lines."""

import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path

from assay.state.audit_seal import Head, compute_seal, derive_key, is_sealed

HEAD, CURRENT, LOCK = "audit.head", "audit.jsonl", "audit.lock"
HEAD_BYTES = 512  # one sector of a disk, so that a crash leaves the old head or the new one
MOST_BYTES = 65_536
ENCODER = json.JSONEncoder(sort_keys=True)
ROTATED = "audit-{:012d}.jsonl"  # with the number of its last line


def read_head(keys: Sequence[bytes], path: Path, known: tuple[bytes, Head] | None = None) -> Head | None:
    """Return the head in the file, None if it is missing or its seal is wrong.

    `known` are the content and the head that were last written.
    """
    try:
        content = _read_file(path)
        if known is not None and content == known[0]:
            return known[1]
        document = json.loads(content)
        seal = document.pop("mac")
        head = Head(**document)
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return head if is_sealed([derive_key(key, "head") for key in keys], _encode(head), str(seal)) else None


def _read_file(path: Path) -> bytes:
    """Return the content of a small file, with four system calls less than a file object makes."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, MOST_BYTES)
    finally:
        os.close(descriptor)


def write_head(keys: Sequence[bytes], path: Path, head: Head) -> tuple[bytes, Head]:
    """Overwrite the head in the file under the lock of the trail; return its content and the head.

    A new file under its name would make some file systems write to the disk at once, which takes a call longer than
    all of its own work.
    """
    document = head._asdict() | {"mac": compute_seal(derive_key(keys[0], "head"), _encode(head))}
    content = json.dumps(document).encode().ljust(HEAD_BYTES)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        if os.write(descriptor, content) < len(content):
            raise OSError(errno.ENOSPC, "the head of the audit trail was written in part")
        if os.fstat(descriptor).st_size > len(content):
            os.ftruncate(descriptor, len(content))
    finally:
        os.close(descriptor)
    return content, head


def _encode(head: Head) -> bytes:
    return ENCODER.encode(head._asdict()).encode()


def list_rotated(home: Path) -> list[Path]:
    """Return the rotated files, the oldest first."""
    return sorted(home.glob("audit-" + "[0-9]" * 12 + ".jsonl"))


def read_last_line(path: Path) -> bytes:
    """Return the last complete line of the file, b"" without one."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 64 * 1024))
        lines = file.read().splitlines(keepends=True)
    return next((line for line in reversed(lines) if line.endswith(b"\n")), b"")
