"""What stands for a text where there is no room for it: how it begins, and of several how each begins."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.text.truncate import MARKER, cut

HEADING = re.compile(r"#{1,6} .*")  # the first line of a page, which repeats its title
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
    texts = [" ".join(HEADING.sub("", item.text.lstrip()).split()) for item in items]
    room = limit - sum(len(line.encode()) + 1 for line in lines)
    each = room // max(1, sum(map(bool, texts))) - 4
    body: list[str] = []
    for item, text in zip(items, texts, strict=True):
        body.append(item.line)
        if each >= LEAST and text:
            body.append(f"   {shorten(text, each)}")
    return shorten("\n".join([*head, *body, *tail]), limit)
