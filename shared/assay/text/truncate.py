"""Truncates text at natural boundaries without splitting grapheme clusters (UAX #29), and estimates its size."""

import re
import unicodedata
from typing import Literal, NamedTuple

MARKER = "\n\n[content truncated]"
SENTENCE = re.compile(r"[.!?…]['\"”’)\]]*\s|[。！？．][」』”）]*")
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)

type SizeCategory = Literal["small", "medium", "large", "very_large"]


class Cut(NamedTuple):
    """A truncated text: `text` within the limit, plus the marker; whether anything was omitted; the number of bytes
    kept.
    """

    text: str
    truncated: bool
    kept: int


def cut(text: str, limit: int) -> Cut:
    """Return the beginning of `text` in at most `limit` bytes of UTF-8, followed by `[content truncated]` if it is cut.

    The cut is after a paragraph, else a sentence, a line or a word, if that keeps more than half of the limit. An open
    code fence is closed within the limit.
    """
    size = _size(text)
    if size <= limit:
        return Cut(text, truncated=False, kept=size)
    whole = _fit_characters(text, max(limit, 0))
    kept = _cut_at_boundary(whole, text)
    fence = _open_fence(kept)
    if fence:
        room = limit - len(fence.encode()) - 1
        kept = _cut_at_boundary(_fit_characters(text, max(room, 0)), text)
    closing = f"\n{fence}" if fence and _open_fence(kept) == fence else ""
    return Cut(kept.rstrip() + closing + MARKER, truncated=True, kept=_size(kept))


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens, at four characters each."""
    return len(text) // 4


def size_category(text: str) -> SizeCategory:
    """Return the category by characters: small below 5,000, medium below 20,000, large below 50,000."""
    size = len(text)
    return "small" if size < 5_000 else "medium" if size < 20_000 else "large" if size < 50_000 else "very_large"


def _fit_characters(text: str, limit: int) -> str:
    """Return as many complete characters as fit; combining marks and emoji parts stay with their base."""
    kept = text[:limit].encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "ignore")
    end = len(kept)
    while 0 < end < len(text) and (_is_combining(text[end]) or text[end - 1] == "\u200d" or _in_flag(text, end)):
        end -= 1
    return kept[:end]


def _is_combining(letter: str) -> bool:
    """Return whether the character combines with the one before."""
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
    """Return whether `end` is between the two regional indicators of a flag."""
    start = end
    while start > 0 and "\U0001f1e6" <= text[start - 1] <= "\U0001f1ff":
        start -= 1
    return (end - start) % 2 == 1 and "\U0001f1e6" <= text[end] <= "\U0001f1ff"


def _cut_at_boundary(kept: str, text: str) -> str:
    """Return the text up to the last boundary in its second half."""
    half = len(kept) // 2
    if text[len(kept) : len(kept) + 2] == "\n\n":
        return kept
    if (paragraph := kept.rfind("\n\n")) > half:
        return kept[:paragraph]
    line = kept.rfind("\n")
    if kept[line + 1 : line + 2] == "|":  # table rows are not split
        return kept[:line] if line > half else kept
    ends = [found.end() for found in SENTENCE.finditer(kept, half)]
    if ends:
        return kept[: ends[-1]]
    for border in ("\n", " "):
        if (at := kept.rfind(border)) > half:
            return kept[:at]
    return kept


def _open_fence(text: str) -> str:
    """Return the marker of an unclosed code fence, or ""."""
    mark = ""
    for found in FENCE.finditer(text):
        if not mark:
            mark = found[1]
        elif found[1][0] == mark[0] and len(found[1]) >= len(mark):
            mark = ""
    return mark
