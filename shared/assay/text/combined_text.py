"""Several texts as one: nothing said twice, nothing longer than asked, and plain where each part comes from."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.text.truncate import MARKER, cut

BREAK = "\n\n---\n\n"
LEAST = 20  # characters of a paragraph that can be a repetition; shorter ones are labels
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r"^#{1,6} [^\n]*$")
MARKS = re.compile(r"[*_`>]+")


class TextPart(NamedTuple):
    url: str
    text: str


class Seen:
    """Paragraphs met so far. What comes again in other spacing, case or markup is the same paragraph."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def fresh(self, text: str) -> str:
        """The text without paragraphs met before; a heading stays only while something stays below it."""
        kept: list[str] = []
        for block in blocks(text):
            if HEADING.match(block):
                while kept and HEADING.match(kept[-1]) and _depth(kept[-1]) >= _depth(block):
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
            key = " ".join(MARKS.sub("", unicodedata.normalize("NFKC", block)).casefold().split())
        if len(key) < LEAST:
            return True
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest in self._digests:
            return False
        self._digests.add(digest)
        return True


def blocks(text: str) -> Iterator[str]:
    """The paragraphs of a markdown text; a fence of code is one, whatever is in it."""
    gathered: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            gathered.append(line)
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif not line.strip():
            yield from _block(gathered)
            gathered = []
        else:
            fence = mark[1] if mark else ""
            gathered.append(line)
    yield from _block(gathered)


def _block(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield "\n".join(lines)


def _depth(heading: str) -> int:
    return len(heading) - len(heading.lstrip("#"))


def fit_text(text: str, limit: int) -> tuple[str, bool]:
    """The text in at most `limit` bytes, the note that it was cut included; and whether it was."""
    if len(text.encode()) <= limit:
        return text, False
    room = limit - len(MARKER.encode())
    if room < limit // 2:
        return cut(text, limit).text.removesuffix(MARKER), True
    return cut(text, room).text, True


def combine_texts(parts: Sequence[TextPart], limit: int) -> tuple[str, bool]:
    """The parts in at most `limit` bytes, each below a line that names its source, and whether anything was cut.

    The mark in these lines depends on all of the parts, so that no part can forge the beginning of another.
    """
    told = [part for part in parts if part.text.strip()]
    mark = hashlib.sha256("\0".join(part.text for part in told).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    text = BREAK.join(f"[source {number} {mark}] {part.url}\n\n{part.text}" for number, part in enumerate(told, 1))
    return fit_text(text, limit)
