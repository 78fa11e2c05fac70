"""What stands for a text where there is no room for it: how it begins, and of several how each begins."""

from collections.abc import Sequence
from typing import NamedTuple

from assay.text.cut import MARKER, cut

SUMMARY_BYTES = 6_000
LEAST = 80  # bytes of a beginning that say something


class Item(NamedTuple):
    """A part of an answer: the line that names it, and its text."""

    line: str
    text: str = ""


def shorten(text: str, limit: int) -> str:
    """The beginning of `text` in at most `limit` bytes, with "…" where something was left out."""
    if not cut(text, limit).truncated:
        return text
    return cut(text, max(limit - 4, 0)).text.removesuffix(MARKER).rstrip() + " …"


def digest(head: Sequence[str], items: Sequence[Item], tail: Sequence[str] = (), limit: int = SUMMARY_BYTES) -> str:
    """The lines of the head, every item with as much of how it begins as there is room for, and those of the tail."""
    lines = [*head, *(item.line for item in items), *tail]
    told = [item for item in items if item.text.strip()]
    room = limit - sum(len(line.encode()) + 1 for line in lines)
    each = room // len(told) - 4 if told else 0
    body: list[str] = []
    for item in items:
        body.append(item.line)
        if each >= LEAST and item.text.strip():
            body.append(f"   {shorten(' '.join(item.text.split()), each)}")
    return shorten("\n".join([*head, *body, *tail]), limit)
