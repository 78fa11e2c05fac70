"""Looks up a quotation in the text of its source, word by word.

Line breaks, hyphens, quotation marks, punctuation and case make no difference. `[...]` and `…` stand for omitted words,
`[he]` for words that the quoting author replaced.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

type QuotationMatch = Literal["exact", "near", "absent"]

UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # scripts without spaces: each letter is a word
LETTERS = rf"(?:(?![{UNSPACED}])[^\W_])+"
WORD = re.compile(rf"[{UNSPACED}]|{LETTERS}(?:(?:[-‐‑\u00ad]\s{{0,40}}|['’ʼ]){LETTERS})*")
JOINT = re.compile(r"[^\w]+")
ELLIPSIS = re.compile(r"\[\s{0,5}(?:\.\s{0,5}){3,9}\]|\(\s{0,5}(?:\.\s{0,5}){3,9}\)|[\[(]\s?…\s?[\])]|(?:\.\s?){3,9}|…")
INSERTION = re.compile(r"([^\W_]*)\[([^\[\]]{0,80})\]([^\W_]*)")
SIC = re.compile(r"sic|!|\?", re.IGNORECASE)
MIN_WORDS = 4  # shorter quotations are found by chance, or are terms
MAX_WORDS = 2_000  # of a quotation that are compared
CHUNK_WORDS = 150  # of a part that are compared at once
CHANGED_SHARE = 0.2  # share of the words that may differ in a near match
OMITTED_WORDS, REPLACED_WORDS = 2_000, 6  # words of the source that an omission or an insertion may stand for
MAX_STARTS, MAX_PARTS = 50, 40
MAX_VOTES = 400_000
BAND = 8  # words by which a near match may shift
MAX_PASSAGE = 700  # characters


class QuotationResult(NamedTuple):
    """The result of a look-up. `passage` is the source's text; `changed` counts the words that differ from it."""

    match: QuotationMatch
    passage: str = ""
    changed: int = 0


class _Part(NamedTuple):
    """Consecutive words of a quotation, and how many words of the source may precede them after the last part."""

    words: tuple[str, ...]
    gap: int


@dataclass(frozen=True)
class SourceText:
    """The text of a source with its words, which several quotations share."""

    text: str

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        return [found.span() for found in WORD.finditer(self.text)]

    @cached_property
    def words(self) -> list[str]:
        return [_fold(self.text[start:end]) for start, end in self.spans]

    @cached_property
    def joined(self) -> str:
        return f" {' '.join(self.words)} "

    @cached_property
    def starts(self) -> list[int]:
        """Where each word begins in `joined`."""
        starts, at = [], 1
        for word in self.words:
            starts.append(at)
            at += len(word) + 1
        return starts

    @cached_property
    def places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(self.words):
            places[word].append(place)
        return places

    def find(self, words: Sequence[str], start: int) -> int:
        """Return the place of the first such sequence from the word `start` on, -1 if there is none."""
        if start >= len(self.words):
            return -1
        at = self.joined.find(f" {' '.join(words)} ", self.starts[start] - 1)
        return -1 if at < 0 else bisect_left(self.starts, at + 1)

    def cut(self, start: int, end: int) -> str:
        """Return the passage from word `start` to before word `end`."""
        passage = self.text[self.spans[start][0] : self.spans[end - 1][1]]
        return " ".join(passage[: 4 * MAX_PASSAGE].split())[:MAX_PASSAGE]


def count_quoted_words(quotation: str) -> int:
    return sum(len(part.words) for part in _split_quotation(quotation))


def look_up_quotation(quotation: str, source: SourceText) -> QuotationResult:
    """Find the quotation in the source: `exact`, or `near` with a few other words, or `absent`."""
    parts = _split_quotation(quotation)
    if not parts or not source.words:
        return QuotationResult("absent")
    if span := _locate_exactly(source, parts):
        return QuotationResult("exact", source.cut(*span))
    return _locate_nearly(source, parts)


def _fold(word: str) -> str:
    return JOINT.sub("", unicodedata.normalize("NFKC", word).casefold())


def _split_quotation(quotation: str) -> list[_Part]:
    """Split the quotation at omissions and insertions."""
    parts: list[_Part] = []
    count = 0
    for gap, text in _iter_passages(quotation):
        words = tuple(word for found in WORD.finditer(text) if (word := _fold(found[0])))[: MAX_WORDS - count]
        count += len(words)
        if words and len(parts) < MAX_PARTS:
            parts.append(_Part(words, gap))
    return parts


def _iter_passages(quotation: str) -> Iterator[tuple[int, str]]:
    for number, passage in enumerate(ELLIPSIS.split(quotation)):
        gap, rest, at = (OMITTED_WORDS if number else 0), "", 0
        for found in INSERTION.finditer(passage):
            before, inserted, after = found.groups()
            rest += passage[at : found.start()]
            at = found.end()
            if len(inserted) == 1 and inserted.isalpha() and after and not before:
                rest += inserted + after  # [T]he: another case of the first letter
            elif SIC.fullmatch(inserted):
                rest += f"{before} {after}"
            else:  # [he], walk[ed]: other words, or another form of the word
                yield gap, rest
                gap, rest = REPLACED_WORDS, ""
        yield gap, rest + passage[at:]


def _locate_exactly(source: SourceText, parts: Sequence[_Part]) -> tuple[int, int] | None:
    """Return the first and the last word, exclusive, of the first place that has all parts in order."""
    start = -1
    for _ in range(MAX_STARTS):
        start = source.find(parts[0].words, start + 1)
        if start < 0:
            return None
        if (end := _follow_parts(source, parts, start + len(parts[0].words))) is not None:
            return start, end
    return None


def _follow_parts(source: SourceText, parts: Sequence[_Part], end: int) -> int | None:
    for part in parts[1:]:
        place = source.find(part.words, end)
        if place < 0 or place - end > part.gap:
            return None
        end = place + len(part.words)
    return end


def _locate_nearly(source: SourceText, parts: Sequence[_Part]) -> QuotationResult:
    """Look for each part by itself; the quotation is near if the words that differ are few in all of them."""
    changed, passages, total = 0, [], 0
    for part in parts:
        for at in range(0, len(part.words), CHUNK_WORDS):
            words = part.words[at : at + CHUNK_WORDS]
            found = _align(source, words)
            if found is None:
                return QuotationResult("absent")
            start, end, distance = found
            changed, total = changed + distance, total + len(words)
            passages.append(source.cut(start, end))
    if changed > max(1, int(total * CHANGED_SHARE)) or total < MIN_WORDS:
        return QuotationResult("absent")
    return QuotationResult("near", " […] ".join(passages)[:MAX_PASSAGE], changed)


def _align(source: SourceText, words: Sequence[str]) -> tuple[int, int, int] | None:
    """Return where the words are with fewest differences, and how many; None if too many differ everywhere."""
    if (place := source.find(words, 0)) >= 0:
        return place, place + len(words), 0
    most = int(len(words) * CHANGED_SHARE) or (len(words) >= MIN_WORDS)
    if not most:
        return None
    best: tuple[int, int, int] | None = None
    for shift in _vote(source, words):
        first = max(0, shift - BAND)
        window = source.words[first : first + len(words) + 3 * BAND]
        start, end, distance = _measure_distance(words, window)
        if distance <= most and end > start and (best is None or distance < best[2]):
            best = first + start, first + end, distance
    return best


def _vote(source: SourceText, words: Sequence[str]) -> list[int]:
    """Return where the quotation may begin: the places that most of its words suggest, the rarest words first."""
    votes: Counter[int] = Counter()
    left = MAX_VOTES
    for at, word in sorted(enumerate(words), key=lambda pair: len(source.places.get(pair[1], ()))):
        places = source.places.get(word, ())
        left -= len(places)
        if left < 0:
            break
        votes.update((place - at) // BAND for place in places)
    return [bucket * BAND for bucket, _ in votes.most_common(5)]


def _measure_distance(words: Sequence[str], window: Sequence[str]) -> tuple[int, int, int]:
    """Return the part of the window with the smallest edit distance to the words, and that distance."""
    row = [(0, place) for place in range(len(window) + 1)]  # distance, and where the match begins
    for number, word in enumerate(words, 1):
        above, row = row, [(number, 0)]
        for place, other in enumerate(window, 1):
            row.append(
                min(
                    (above[place - 1][0] + (word != other), above[place - 1][1]),
                    (above[place][0] + 1, above[place][1]),
                    (row[-1][0] + 1, row[-1][1]),
                )
            )
    end, (distance, start) = min(enumerate(row), key=lambda pair: pair[1][0])
    return start, end, distance
