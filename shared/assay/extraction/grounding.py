"""Finds the passage of a page that supports an extracted value."""

import bisect
import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import cached_property
from typing import Any

from assay.extraction.number_parsing import NUMBER, read_number

AROUND = 70  # characters on either side of a value
LONGEST = 300  # characters of a snippet
LOOKED_AT = 400_000  # characters of a page; no model sees more of it
TRIES = 500  # places at which a short word is met inside longer ones
SHORT = 80  # characters up to which a text is a fact, beyond it a telling
TOLD = 0.6  # of a telling's words must stand near each other in the page
DROPPED = re.compile(r"[*_`~#\\]|[\u200b-\u200f\ufe00-\ufe0f]")
PARTING = frozenset("[]()|<>")
IN_FULL = "january february march april may june july august september october november december"
MONTHS = (IN_FULL.split(), [name[:3] for name in IN_FULL.split()])
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?")
WORD = re.compile(r"\w+")


class QuoteFinder:
    """One page's text, searched by words alone: case, spaces and the marks of markdown do not count."""

    def __init__(self, text: str) -> None:
        self._text = text[:LOOKED_AT]
        self._folded, self._places = _fold_with_offsets(self._text)

    def quote(self, words: Any) -> str | None:
        """The page's own words where it says `words`; None where it does not. Ellipses part what stands apart."""
        if not isinstance(words, str):
            return None
        parts = [part for part in re.split(r"\.\.\.|…", words.strip().strip("\"'“”")) if part.strip()]
        found = [self._find(part) for part in parts]
        if not found or any(span is None for span in found):
            return None
        return " … ".join(self._slice(*span) for span in found if span)[:LONGEST]

    def of(self, value: Any) -> str | None:
        """The page's words around `value`, in whatever way it writes it; None where it does not."""
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int | float):
            span = self._numbers.get(float(value))
            return self._around(*span) if span else None
        text = str(value)
        for form in (text, *_dates(text)):
            if span := self._find(form, whole=len(form) < SHORT):
                return self._around(*span)
        return self._telling(text) if len(text) > SHORT else None

    @cached_property
    def _numbers(self) -> dict[float, tuple[int, int]]:
        found: dict[float, tuple[int, int]] = {}
        for token in NUMBER.finditer(self._text):
            for number in read_number(token[0].lstrip("-+")):
                found.setdefault(float(number), token.span())
                if token[0][0] == "-":
                    found.setdefault(-float(number), token.span())
        return found

    @cached_property
    def _words(self) -> list[tuple[str, int]]:
        return [(match.group(), match.start()) for match in WORD.finditer(self._folded)]

    def _find(self, words: str, *, whole: bool = False) -> tuple[int, int] | None:
        """Where the words stand; `whole`: not within a longer word."""
        wanted = _fold_with_offsets(words)[0].strip()
        if not wanted:
            return None
        at = -1
        for _ in range(TRIES):
            at = self._folded.find(wanted, at + 1)
            if at < 0:
                break
            end = at + len(wanted)
            if not whole or not (self._goes_on(at - 1, at) or self._goes_on(end, end - 1)):
                return self._places[at], self._places[end - 1] + 1
        return None

    def _goes_on(self, beyond: int, edge: int) -> bool:
        """Whether a word crosses the border between two neighbours."""
        inside = 0 <= beyond < len(self._folded)
        return (
            inside
            and self._folded[beyond].isalnum()
            and self._folded[edge].isalnum()
            and (
                max(self._folded[beyond], self._folded[edge]) < "\u2e80"  # scripts without spaces have no such borders
            )
        )

    def _telling(self, text: str) -> str | None:
        """The sentence that shares most words with a text in the page's sense; None where too few do."""
        wanted = {word for word in WORD.findall(_fold_with_offsets(text)[0]) if len(word) > 3}
        if not wanted:
            return None
        places = [at for word, at in self._words if word in wanted]
        size = max(400, 4 * len(text))
        best, most = 0, 0
        for number, at in enumerate(places):
            inside = bisect.bisect_right(places, at + size) - number
            if inside > most:
                best, most = at, inside
        near = {word for word, at in self._words if best <= at <= best + size} & wanted
        if len(near) < TOLD * len(wanted):
            return None
        return self._slice(self._places[best], self._places[min(len(self._places) - 1, best + LONGEST)])

    def _around(self, start: int, end: int) -> str:
        """The words about the value on its own line, whole words only."""
        text = self._text
        first, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        last = len(text) if stop < 0 else stop
        left, right = max(first, start - AROUND), min(last, end + AROUND)
        if left > first:
            left = text.find(" ", left, start) + 1 or left
        if right < last:
            right = max(text.rfind(" ", end, right), end)
        return self._slice(left, right)

    def _slice(self, start: int, end: int) -> str:
        return " ".join(self._text[start:end].split())[:LONGEST]


def _fold_with_offsets(text: str) -> tuple[str, list[int]]:
    """The text without case, marks and runs of spaces, and where each of its characters comes from."""
    letters: list[str] = []
    places: list[int] = []
    for at, letter in enumerate(text):
        if DROPPED.match(letter):
            continue
        for one in _plain(letter):
            if one == " " and letters and letters[-1] == " ":
                continue
            letters.append(one)
            places.append(at)
    return "".join(letters), places


def _plain(letter: str) -> str:
    if letter.isascii():
        return " " if letter.isspace() or letter in PARTING else letter.lower()
    if letter.isspace():
        return " "
    if letter in "’‘‚′":
        return "'"
    if letter in "“”„«»″":
        return '"'
    if unicodedata.category(letter) == "Pd":
        return "-"
    return unicodedata.normalize("NFKC", letter).casefold()


def _dates(text: str) -> Iterator[str]:
    """The ways in which pages write an ISO date."""
    match = DATE.fullmatch(text)
    if not match:
        return
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return
    yield match[0][:10]
    for months in MONTHS:
        name = months[day.month - 1]
        yield from (f"{name} {day.day}, {day.year}", f"{day.day} {name} {day.year}", f"{day.day}. {name} {day.year}")
        yield from (
            f"{name}. {day.day}, {day.year}",
            f"{name} {day.day:02d}, {day.year}",
            f"{name} {day.day} {day.year}",
        )
        yield from (f"{day.day:02d} {name} {day.year}", f"{name} {day.day}{_ordinal(day.day)}, {day.year}")
    for left, right in ((f"{day.day:02d}", f"{day.month:02d}"), (str(day.day), str(day.month))):
        yield from (f"{left}.{right}.{day.year}", f"{left}/{right}/{day.year}", f"{right}/{left}/{day.year}")
        yield from (f"{day.year}/{right}/{left}", f"{left}-{right}-{day.year}", f"{day.year}.{right}.{left}")
    yield f"{day.year}年{day.month}月{day.day}日"


def _ordinal(day: int) -> str:
    return "th" if 10 < day % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
