"""Sealed lines of the audit trail: each has its number, the seal of the previous line, and its own seal (HMAC)."""

import hashlib
import hmac
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

SEAL_LENGTH = 64  # hexadecimal digits
HEAD, CURRENT = "audit.head", "audit.jsonl"
ROTATED = "audit-{:012d}.jsonl"  # with the number of its last line


@dataclass(frozen=True)
class Head:
    """The state of the trail after its last line, kept apart from the lines and sealed itself.

    The trail begins with line `first`, which follows the seal `first_after`. `size` is that of the current file,
    `began` the time of its first line.
    """

    stream: str
    number: int = 0
    seal: str = ""
    size: int = 0
    began: float = 0.0
    first: int = 1
    first_after: str = ""


def compute_seal(key: bytes, content: bytes) -> str:
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def is_sealed(keys: Sequence[bytes], content: bytes, seal: str) -> bool:
    return any(hmac.compare_digest(compute_seal(key, content).encode(), seal.encode()) for key in keys)


def derive_key(key: bytes, stream: str) -> bytes:
    """Return the key of one stream, so that lines of one trail are no lines of another."""
    return hmac.new(key, f"audit {stream}".encode(), hashlib.sha256).digest()


def seal_line(keys: Sequence[bytes], head: Head, event: dict[str, Any]) -> tuple[bytes, Head]:
    """Return the line of the event, and the head after it."""
    numbered = event | {"stream": head.stream, "number": head.number + 1, "prev_hash": head.seal}
    content = json.dumps(numbered, ensure_ascii=False).encode(errors="replace")
    seal = compute_seal(derive_key(keys[0], head.stream), content)
    line = content[:-1] + f', "hash": "{seal}"}}\n'.encode()
    return line, replace(head, number=head.number + 1, seal=seal, size=head.size + len(line))


def parse_line(keys: Sequence[bytes], line: bytes) -> dict[str, Any] | None:
    """Return the event of a line whose seal is right, else None. The seal covers the bytes before it as they are."""
    tail = len(b', "hash": ""}\n') + SEAL_LENGTH
    content, end = line[:-tail] + b"}", line[-tail:]
    try:
        event = json.loads(line)
        stream, seal = event["stream"], event["hash"]
    except (ValueError, KeyError, TypeError):
        return None
    if end != f', "hash": "{seal}"}}\n'.encode() or not isinstance(stream, str):
        return None
    return event if is_sealed([derive_key(key, stream) for key in keys], content, seal) else None


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
