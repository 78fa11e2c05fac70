"""A page under construction, and the structure that a reader of it must report."""

import html
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

BASE = "https://site.example/articles/"
VOCABULARY = [
    "harbour",
    "survey",
    "northern",
    "valley",
    "estuary",
    "record",
    "winter",
    "station",
    "measured",
    "heron",
    "colony",
    "river",
    "archive",
    "council",
    "report",
    "evening",
    "market",
    "bridge",
    "timber",
    "village",
    "season",
    "coast",
    "signal",
    "paper",
    "letter",
    "museum",
    "garden",
    "meadow",
    "border",
    "method",
    "result",
    "sample",
    "figure",
    "series",
    "question",
    "answer",
    "member",
    "harvest",
    "kitchen",
    "lantern",
    "window",
    "painter",
    "teacher",
    "student",
    "library",
    "engine",
    "copper",
    "silver",
    "granite",
    "water",
    "forest",
    "island",
    "weather",
    "pressure",
    "current",
    "shallow",
    "narrow",
    "ancient",
    "modern",
    "distant",
    "careful",
    "regular",
    "annual",
    "complete",
    "several",
    "ordinary",
    "local",
    "careful",
    "steady",
    "broken",
    "hidden",
    "western",
    "southern",
    "central",
    "observed",
    "described",
    "repeated",
    "compared",
    "counted",
    "followed",
    "recorded",
    "explained",
    "collected",
    "published",
    "estimated",
    "reported",
]
LINKING = [
    "the",
    "of",
    "and",
    "in",
    "with",
    "from",
    "near",
    "by",
    "after",
    "before",
    "under",
    "across",
    "between",
    "for",
]

SYLLABLES = ("ba", "ce", "do", "fi", "gu", "ha", "je", "ki", "lo", "mu")

type Dialect = Callable[["Page"], None]
DIALECTS: dict[str, list[Dialect]] = defaultdict(list)


class Table(NamedTuple):
    """Rows of texts with spanning cells repeated; `head` is whether the first row is the head."""

    rows: list[list[str]]
    head: bool


class Page:
    """Parts of HTML in order, and the truth as lists of items by class."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.number = seed
        self.url = f"{BASE}page-{seed}"
        self.parts: list[str] = []
        self.truth: dict[str, list[Any]] = defaultdict(list)
        self.dialects: list[str] = []
        self.sources: dict[str, list[str]] = defaultdict(list)  # by class: the dialect of each item of the truth
        self.notes: list[Callable[[], str]] = []  # sections at the end of the article
        self.counter = 0

    def add(self, markup: str) -> None:
        self.parts.append(markup)

    def expect(self, kind: str, *items: Any) -> None:
        self.truth[kind].extend(items)
        self.sources[kind] += [self.dialects[-1] if self.dialects else ""] * len(items)

    def words(self, count: int) -> str:
        found = [self.rng.choice(LINKING if place % 3 == 2 else VOCABULARY) for place in range(count)]
        return " ".join(found)

    def label(self, count: int = 2) -> str:
        """Return a short text in title case that occurs once on the page."""
        self.counter += 1
        return f"{self.words(count).title()} {spell(self.counter).title()}"

    def sentence(self, count: int = 0) -> str:
        self.counter += 1
        words = self.words(count or self.rng.randint(9, 16))
        return f"{words.capitalize()} {self.rng.choice(VOCABULARY)} {spell(self.counter)}."

    def prose(self, sentences: int = 3) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def paragraph(self) -> None:
        self.add(f"<p>{self.prose()}</p>")

    def slug(self) -> str:
        self.counter += 1
        return f"{self.rng.choice(VOCABULARY)}-{self.counter}"


def spell(number: int) -> str:
    """Return a made-up word for a number: lists and headings end with words more often than with digits."""
    return "".join(SYLLABLES[int(digit)] for digit in str(number))


def dialect(kind: str) -> Callable[[Dialect], Dialect]:
    """Register a way to write a class of structure."""

    def register(write: Dialect) -> Dialect:
        DIALECTS[kind].append(write)
        return write

    return register


def esc(text: str) -> str:
    return html.escape(text, quote=False)
