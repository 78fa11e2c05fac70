"""Sealed lines of the audit trail: each has its number, the seal of the previous line, and its own seal (HMAC)."""

import hmac
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

SEAL_LENGTH = 64  # hexadecimal digits
ENCODER = json.JSONEncoder(ensure_ascii=False)


class Head(NamedTuple):
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
    return hmac.digest(key, content, "sha256").hex()


def is_sealed(keys: Sequence[bytes], content: bytes, seal: str) -> bool:
    return any(hmac.compare_digest(compute_seal(key, content).encode(), seal.encode()) for key in keys)


@lru_cache(16)  # a call seals two things with the same keys
def derive_key(key: bytes, stream: str) -> bytes:
    """Return the key of one stream, so that lines of one trail are no lines of another."""
    return hmac.digest(key, f"audit {stream}".encode(), "sha256")


def seal_line(keys: Sequence[bytes], head: Head, event: dict[str, Any]) -> tuple[bytes, Head]:
    """Return the line of the event, and the head after it."""
    numbered = event | {"stream": head.stream, "number": head.number + 1, "prev_hash": head.seal}
    content = ENCODER.encode(numbered).encode(errors="replace")
    seal = compute_seal(derive_key(keys[0], head.stream), content)
    line = content[:-1] + f', "hash": "{seal}"}}\n'.encode()
    return line, head._replace(number=head.number + 1, seal=seal, size=head.size + len(line))


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
