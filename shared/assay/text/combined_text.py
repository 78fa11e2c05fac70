"""Combines several texts into one: repeated paragraphs removed, length limited, sources marked."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.text.truncate import MARKER, cut

BREAK = "\n\n---\n\n"
MIN_PARAGRAPH = 20  # characters from which a paragraph can be a repetition; shorter ones are labels
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"^#{1,6} [^\n]*$")
MARKUP = re.compile(r"[*_`>]+")


class TextPart(NamedTuple):
    url: str
    text: str


class SeenParagraphs:
    """Paragraphs seen so far, compared without spacing, case and markup."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def fresh(self, text: str) -> str:
        """Return the text without paragraphs seen before; a heading stays only if text below it stays."""
        kept: list[str] = []
        for block in split_paragraphs(text):
            if HEADING.match(block):
                while kept and HEADING.match(kept[-1]) and _heading_level(kept[-1]) >= _heading_level(block):
                    kept.pop()
                kept.append(block)
            elif self._is_new(block):
                kept.append(block)
        while kept and HEADING.match(kept[-1]):
            kept.pop()
        return "\n\n".join(kept)

    def _is_new(self, block: str) -> bool:
        key = block
        if not FENCE.match(block):
            key = " ".join(MARKUP.sub("", unicodedata.normalize("NFKC", block)).casefold().split())
        if len(key) < MIN_PARAGRAPH:
            return True
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._digests:
            return False
        self._digests.add(digest)
        return True


def split_paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a markdown text; a fenced code block is one paragraph."""
    gathered: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            gathered.append(line)
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif not line.strip():
            yield from _join_lines(gathered)
            gathered = []
        else:
            fence = mark[1] if mark else ""
            gathered.append(line)
    yield from _join_lines(gathered)


def _join_lines(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield "\n".join(lines)


def _heading_level(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))


def fit_text(text: str, limit: int) -> tuple[str, bool]:
    """Return the text in at most `limit` bytes, including the truncation marker, and whether it was cut."""
    if len(text.encode()) <= limit:
        return text, False
    text_limit = limit - len(MARKER.encode())
    if text_limit < limit // 2:
        return cut(text, limit).text.removesuffix(MARKER), True
    return cut(text, text_limit).text, True


def combine_texts(parts: Sequence[TextPart], limit: int) -> tuple[str, bool]:
    """Return the parts in at most `limit` bytes, each below a line that names its source, and whether any was cut.

    The mark in these lines is a hash of all parts, so that no part can forge the beginning of another.
    """
    parts_with_text = [part for part in parts if part.text.strip()]
    mark = hashlib.sha256(
        "\0".join(part.text for part in parts_with_text).encode("utf-8", "surrogatepass")
    ).hexdigest()[:8]
    text = BREAK.join(
        f"[source {number} {mark}] {part.url}\n\n{part.text}" for number, part in enumerate(parts_with_text, 1)
    )
    return fit_text(text, limit)
