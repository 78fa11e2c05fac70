"""Finds the passage of a page that supports an extracted value."""

import bisect
import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property
from typing import Any

from assay.language_models.number_parsing import NUMBER, read_number

CONTEXT_LENGTH = 70  # characters on either side of a value
MAX_SNIPPET = 300  # characters
MAX_PAGE = 400_000  # characters searched of a page; the model gets no more either
TRIES = 500  # occurrences inside longer words before a search is given up
SHORT = 80  # characters; a longer text is treated as a paraphrase
MIN_WORD_SHARE = 0.6  # share of a paraphrase's words that must occur close together in the page
DROPPED = re.compile(r"[*_`~#\\]|[\u200b-\u200f\ufe00-\ufe0f]")
PARTING = frozenset("[]()|<>")
UNSEEN = re.compile(r"(?<=\])\([^()\s]{1,2000}\)|<br>")  # targets of links and images, and line ends in a table's cell
IN_FULL = "january february march april may june july august september october november december"
MONTHS = (IN_FULL.split(), [name[:3] for name in IN_FULL.split()])
DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ].*)?")
WORD = re.compile(r"\w+")
NOWHERE = (MAX_PAGE, MAX_PAGE)  # behind each text


class QuoteFinder:
    """Searches one page's text, ignoring case, runs of whitespace and Markdown markup.

    What is not found in it is searched without the targets of its links, which a quote may leave out.
    """

    def __init__(self, text: str) -> None:
        self._text = text[:MAX_PAGE]
        self._folding = _Folding(self._text)

    @cached_property
    def _shown(self) -> "_Folding | None":
        """The text without what markdown does not show; None if that is all of it."""
        unseen = [found.span() for found in UNSEEN.finditer(self._text)]
        return _Folding(self._text, unseen) if unseen else None

    def find_quote(self, words: Any) -> str | None:
        """Return the page's wording of the quote; None if the page does not contain it. Ellipses separate passages."""
        if not isinstance(words, str):
            return None
        parts = [part for part in re.split(r"\.\.\.|…", words.strip().strip("\"'“”")) if part.strip()]
        spans = [self._find(part) for part in parts]
        if not spans or any(span is None for span in spans):
            return None
        return " … ".join(self._slice(*span) for span in spans if span)[:MAX_SNIPPET]

    def find_value(self, value: Any) -> str | None:
        """Return the passage around `value` in any of its notations; None if the page does not contain it."""
        if isinstance(value, bool) or value is None:
            return None
        if isinstance(value, int | float):
            span = self._numbers.get(float(value))
            return self._around(*span) if span else None
        text = str(value)
        for form in (text, *_dates(text)):
            if span := self._find(form, whole=len(form) < SHORT):
                return self._around(*span)
        return self._find_paraphrase(text) if len(text) > SHORT else None

    @cached_property
    def _numbers(self) -> dict[float, tuple[int, int]]:
        spans: dict[float, tuple[int, int]] = {}
        for token in NUMBER.finditer(self._text):
            for number in read_number(token[0].lstrip("-+")):
                spans.setdefault(float(number), token.span())
                if token[0][0] == "-":
                    spans.setdefault(-float(number), token.span())
        return spans

    @cached_property
    def _words(self) -> list[tuple[str, int]]:
        return [(match.group(), match.start()) for match in WORD.finditer(self._folding.text)]

    def _find(self, words: str, *, whole: bool = False) -> tuple[int, int] | None:
        """Return the start and end of the words in the page; with `whole`, not inside a longer word."""
        folded = _Folding(words).text.strip()
        if not folded:
            return None
        found = self._folding.find(folded, whole=whole)
        if found is None and self._shown is not None:
            found = self._shown.find(folded, whole=whole)
        return found

    def _find_paraphrase(self, text: str) -> str | None:
        """Return the passage that shares the most words with a paraphrase; None if too few occur close together."""
        folded = {word for word in WORD.findall(_Folding(text).text) if len(word) > 3}
        if not folded:
            return None
        places = [at for word, at in self._words if word in folded]
        size = max(400, 4 * len(text))
        best, most = 0, 0
        for number, at in enumerate(places):
            inside = bisect.bisect_right(places, at + size) - number
            if inside > most:
                best, most = at, inside
        near = {word for word, at in self._words if best <= at <= best + size} & folded
        if len(near) < MIN_WORD_SHARE * len(folded):
            return None
        places = self._folding.places
        return self._slice(places[best], places[min(len(places) - 1, best + MAX_SNIPPET)])

    def _around(self, start: int, end: int) -> str:
        """Return the value with its context on the same line, cut at word boundaries."""
        text = self._text
        first, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        last = len(text) if stop < 0 else stop
        left, right = max(first, start - CONTEXT_LENGTH), min(last, end + CONTEXT_LENGTH)
        if left > first:
            left = text.find(" ", left, start) + 1 or left
        if right < last:
            right = max(text.rfind(" ", end, right), end)
        return self._slice(left, right)

    def _slice(self, start: int, end: int) -> str:
        return " ".join(self._text[start:end].split())[:MAX_SNIPPET]


class _Folding:
    """A text with its case, markup and runs of whitespace folded, and the original offset of each character."""

    def __init__(self, text: str, unseen: Iterable[tuple[int, int]] = ()) -> None:
        """`unseen` are spans of the text, in order, that count as a space."""
        letters: list[str] = []
        self.places: list[int] = []
        spans = iter(unseen)
        start, end = next(spans, NOWHERE)
        for at, letter in enumerate(text):
            if at >= end:
                start, end = next(spans, NOWHERE)
            if DROPPED.match(letter):
                continue
            for folded_letter in " " if start <= at < end else _fold_letter(letter):
                if folded_letter == " " and letters and letters[-1] == " ":
                    continue
                letters.append(folded_letter)
                self.places.append(at)
        self.text = "".join(letters)

    def find(self, folded: str, *, whole: bool) -> tuple[int, int] | None:
        """Return the start and end, in the original text, of folded words; with `whole`, not inside a longer word."""
        at = -1
        for _ in range(TRIES):
            at = self.text.find(folded, at + 1)
            if at < 0:
                break
            end = at + len(folded)
            if not whole or not (self._continues_word(at - 1, at) or self._continues_word(end, end - 1)):
                return self.places[at], self.places[end - 1] + 1
        return None

    def _continues_word(self, beyond: int, edge: int) -> bool:
        """Return whether two neighbouring characters belong to the same word."""
        inside = 0 <= beyond < len(self.text)
        return (
            inside
            and self.text[beyond].isalnum()
            and self.text[edge].isalnum()
            and max(self.text[beyond], self.text[edge]) < "\u2e80"  # scripts without spaces have no word boundaries
        )


def _fold_letter(letter: str) -> str:
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
    """Yield an ISO date in the notations that pages use."""
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
