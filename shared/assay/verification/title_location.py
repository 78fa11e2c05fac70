"""Finds a record's title in the text of a printed reference.

Letters are compared in Latin script without spaces and hyphens, so that line breaks, OCR's missing spaces and scripts
without spaces make no difference. A title with an exchanged word is not found.
"""

import html
import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal, NamedTuple

from anyascii import anyascii

from assay.verification.title_comparison import WIDE, is_same_title
from assay.verification.title_matching import strip_retraction_mark

type Presence = Literal["whole", "part", "changed", "absent"]

WORD = re.compile(rf"{WIDE.pattern}|(?:(?!{WIDE.pattern})[^\W_])+")  # a Chinese character is a word
BORDER = re.compile(r"[.,;:?!…#<>~\"'`´“”„«»‘’‚‹›()\[\]/|*—–{}「」『』、。，．：；（）【】《》]|[-‐‑]\s|\d{4}")
NEXT_FIELD = re.compile(
    r"[\s.,\"”»’']*(?:$|[(\[]?\d{4}\b|In\b:?\s|\(?pp?\.|vol\b)", re.IGNORECASE
)  # begins after a title
LEADING_WORD = re.compile(r"(?:^|[\s.,;])(?:in|dans|en|de|the|to|titled)$", re.IGNORECASE)
MIN_SHARE = 0.6  # share of the title's words that a passage needs to be a changed form of it
MIN_LETTERS = 3  # titles with fewer letters are too short to be found in a text
LONGEST = 5_000  # characters of a reference that are searched


class Location(NamedTuple):
    """Where the title is: `part` is a longer title's beginning, or one without its subtitle."""

    presence: Presence
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Folded:
    """The words of a text in Latin letters, with the place of each in the text and in the joined letters."""

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    offsets: tuple[int, ...]

    @property
    def letters(self) -> str:
        return "".join(self.words)


@lru_cache(maxsize=256)
def fold(text: str) -> Folded:
    """Return the words of a text in lower-case Latin letters and digits."""
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    offsets: list[int] = []
    length = 0
    for found in WORD.finditer(text[:LONGEST]):
        latin = re.sub(r"[^a-z0-9]+", "", anyascii(found[0]).casefold())
        if latin:
            words.append(latin)
            spans.append(found.span())
            offsets.append(length)
            length += len(latin)
    return Folded(tuple(words), tuple(spans), tuple(offsets))


def locate_title(text: str, title: str) -> Location:
    """Find a title in a reference: letter by letter, or with other spelling.

    `whole`: the title as a unit. `part`: without its subtitle, or as the beginning of a longer text. `changed`: with an
    exchanged, added or omitted word. The place counts in characters of `text`.
    """
    title = html.unescape(strip_retraction_mark(title))
    body, wanted = fold(text), fold(title)
    if len(wanted.letters) < MIN_LETTERS:
        return Location("absent")
    return _locate_exactly(text, body, wanted.letters) or _locate_alike(text, body, title, wanted)


def _locate_exactly(text: str, body: Folded, letters: str) -> Location | None:
    """Find the letters of the title, beginning and ending with a word; prefer a place between punctuation marks."""
    starts = {offset: at for at, offset in enumerate(body.offsets)}
    ends = {offset + len(word): at for at, (offset, word) in enumerate(zip(body.offsets, body.words, strict=True))}
    best: Location | None = None
    place = body.letters.find(letters)
    while place >= 0:
        first, last = starts.get(place), ends.get(place + len(letters))
        if first is not None and last is not None:
            start, end = body.spans[first][0], body.spans[last][1]
            if _is_border_before(text, start) and _is_border_after(text, end):
                return Location("whole", start, end)
            best = best or Location("part", start, end)
        place = body.letters.find(letters, place + 1)
    return best


def _locate_alike(text: str, body: Folded, title: str, wanted: Folded) -> Location:
    """Find the passage that shares most words with the title, in order, and compare the two."""
    matcher = SequenceMatcher(None, wanted.words, body.words, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    blocks = _drop_strays(blocks, len(wanted.words))
    if sum(block.size for block in blocks) < MIN_SHARE * len(wanted.words):
        return Location("absent")
    first, last = blocks[0].b, blocks[-1].b + blocks[-1].size - 1
    first = max(first - blocks[0].a, 0)
    last = min(last + len(wanted.words) - blocks[-1].a - blocks[-1].size, len(body.words) - 1)
    start, end = body.spans[first][0], body.spans[last][1]
    if is_same_title(text[start:end], title, strict=True):
        return Location("whole" if _is_border_after(text, end) else "part", start, end)
    whole = start, end
    start, end = body.spans[blocks[0].b][0], body.spans[blocks[-1].b + blocks[-1].size - 1][1]
    if not _is_border_before(text, start) or not _is_border_after(text, end):
        return Location("changed", *whole)
    if is_same_title(text[start:end], title, strict=True):
        return Location("whole", start, end)
    passage = fold(text[start:end]).words
    lacks_subtitle = passage == wanted.words[: len(passage)] and NEXT_FIELD.match(text, end)
    return Location("part" if lacks_subtitle else "changed", start, end)


def _drop_strays(blocks: list, length: int) -> list:  # type: ignore[type-arg]
    """Drop matching words far from the passage that holds most of the title, such as an "of" among the authors."""
    if not blocks:
        return blocks
    heaviest = max(blocks, key=lambda block: block.size)
    return [block for block in blocks if abs((block.b - block.a) - (heaviest.b - heaviest.a)) <= max(3, length // 3)]


def _is_border_before(text: str, start: int) -> bool:
    before = text[max(start - 20, 0) : start].rstrip()
    if LEADING_WORD.search(before):
        return True
    return not before or bool(BORDER.match(before[-1])) or before[-1].isdigit() or before.endswith("-")


def _is_border_after(text: str, end: int) -> bool:
    after = text[end:].lstrip()
    return not after or bool(BORDER.match(after)) or (after[0].isspace() and not after.strip())
