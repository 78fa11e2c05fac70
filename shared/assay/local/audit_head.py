"""The files of the audit trail of this machine, and its head, which is kept apart from the lines."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from assay.state.audit_seal import Head, compute_seal, derive_key, is_sealed

HEAD, CURRENT = "audit.head", "audit.jsonl"
ROTATED = "audit-{:012d}.jsonl"  # with the number of its last line


def read_head(keys: Sequence[bytes], home: Path) -> Head | None:
    """Return the head, None if it is missing or its seal is wrong."""
    try:
        document = json.loads((home / HEAD).read_bytes())
        seal = document.pop("mac")
        head = Head(**document)
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return head if is_sealed([derive_key(key, "head") for key in keys], _encode(head), str(seal)) else None


def write_head(keys: Sequence[bytes], home: Path, head: Head) -> None:
    """Replace the head in one step."""
    document = asdict(head) | {"mac": compute_seal(derive_key(keys[0], "head"), _encode(head))}
    draft = home / f"{HEAD}.new"
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(json.dumps(document).encode())
    draft.replace(home / HEAD)


def _encode(head: Head) -> bytes:
    return json.dumps(asdict(head), sort_keys=True).encode()


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
