"""Shortened texts for limited space: the beginning of one text, or of each of several."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.text.truncate import MARKER, cut

HEADING = re.compile(r"#{1,6} .*")  # the first line of a page, which repeats its title
SUMMARY_BYTES = 6_000
MIN_EXCERPT = 80  # bytes below which an excerpt is not useful


class Item(NamedTuple):
    """A part of an answer: its title line and its text."""

    line: str
    text: str = ""


def shorten(text: str, limit: int) -> str:
    """Return the beginning of `text` in at most `limit` bytes, with "…" if anything was omitted."""
    if not cut(text, limit).truncated:
        return text
    return cut(text, max(limit - 4, 0)).text.removesuffix(MARKER).rstrip() + " …"


def build_digest(
    head: Sequence[str], items: Sequence[Item], tail: Sequence[str] = (), limit: int = SUMMARY_BYTES
) -> str:
    """Return the head lines, each item with as much of its text as fits, and the tail lines, in at most `limit`
    bytes.
    """
    lines = [*head, *(item.line for item in items), *tail]
    texts = [" ".join(HEADING.sub("", item.text.lstrip()).split()) for item in items]
    remaining = limit - sum(len(line.encode()) + 1 for line in lines)
    share = remaining // max(1, sum(map(bool, texts))) - 4
    body: list[str] = []
    for item, text in zip(items, texts, strict=True):
        body.append(item.line)
        if share >= MIN_EXCERPT and text:
            body.append(f"   {shorten(text, share)}")
    return shorten("\n".join([*head, *body, *tail]), limit)
