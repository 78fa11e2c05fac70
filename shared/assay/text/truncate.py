"""Text made to fit: cut where a reader would stop, never through a character; and how large it is for a model."""

import re
import unicodedata
from typing import Literal, NamedTuple

MARKER = "\n\n[content truncated]"
SENTENCE = re.compile(r"[.!?…]['\"”’)\]]*\s|[。！？．][」』”）]*")
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)

type SizeCategory = Literal["small", "medium", "large", "very_large"]


class Cut(NamedTuple):
    """`text` within the limit, the marker beyond it; whether anything was left out; how many bytes were kept."""

    text: str
    truncated: bool
    kept: int


def cut(text: str, limit: int) -> Cut:
    """The beginning of `text`, at most `limit` bytes of UTF-8 and then `[content truncated]`; all of it if it fits.

    Ends after a paragraph, else a sentence, a line, a word, if that keeps more than half of the limit. A code fence
    that is left open is closed within the limit.
    """
    size = _size(text)
    if size <= limit:
        return Cut(text, truncated=False, kept=size)
    whole = _whole_characters(text, max(limit, 0))
    kept = _at_border(whole, text)
    fence = _open_fence(kept)
    if fence:
        room = limit - len(fence.encode()) - 1
        kept = _at_border(_whole_characters(text, max(room, 0)), text)
    closing = f"\n{fence}" if fence and _open_fence(kept) == fence else ""
    return Cut(kept.rstrip() + closing + MARKER, truncated=True, kept=_size(kept))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def tokens(text: str) -> int:
    """An estimate: a token is some four characters."""
    return len(text) // 4


def size_category(text: str) -> SizeCategory:
    """By characters: below 5,000 small, 20,000 medium, 50,000 large."""
    size = len(text)
    return "small" if size < 5_000 else "medium" if size < 20_000 else "large" if size < 50_000 else "very_large"


def _whole_characters(text: str, limit: int) -> str:
    """As many whole characters as fit; an accent or a part of an emoji goes with its letter or not at all."""
    kept = text[:limit].encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "ignore")
    end = len(kept)
    while 0 < end < len(text) and (_joins(text[end]) or text[end - 1] == "\u200d" or _in_flag(text, end)):
        end -= 1
    return kept[:end]


def _joins(letter: str) -> bool:
    """Whether this letter is read as a part of the one before."""
    if letter < "\u0300":
        return False
    point = ord(letter)
    return (
        letter == "\u200d"
        or 0xFE00 <= point <= 0xFE0F
        or 0x1F3FB <= point <= 0x1F3FF
        or bool(unicodedata.combining(letter))
        or (unicodedata.category(letter) in ("Mn", "Mc", "Me"))
    )


def _in_flag(text: str, end: int) -> bool:
    """Whether the border parts the two letters of a flag."""
    start = end
    while start > 0 and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff":
        start -= 1
    return (end - start) % 2 == 1 and "\U0001f1e6" <= text[end] <= "\U0001f1ff"


def _at_border(kept: str, text: str) -> str:
    """Back to the last good place to stop beyond half of what fits."""
    half = len(kept) // 2
    if text[len(kept) : len(kept) + 2] == "\n\n":
        return kept
    if (paragraph := kept.rfind("\n\n")) > half:
        return kept[:paragraph]
    line = kept.rfind("\n")
    if kept[line + 1 : line + 2] == "|":  # a row of a table is kept whole or not at all
        return kept[:line] if line > half else kept
    ends = [found.end() for found in SENTENCE.finditer(kept, half)]
    if ends:
        return kept[: ends[-1]]
    for border in ("\n", " "):
        if (at := kept.rfind(border)) > half:
            return kept[:at]
    return kept


def _open_fence(text: str) -> str:
    """The mark of a code fence that is not closed, or ""."""
    mark = ""
    for found in FENCE.finditer(text):
        if not mark:
            mark = found[1]
        elif found[1][0] == mark[0] and len(found[1]) >= len(mark):
            mark = ""
    return mark
