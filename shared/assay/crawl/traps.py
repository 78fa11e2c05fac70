"""Pages that nearly repeat others of the same shape: calendars, endless facets, one text under a thousand addresses.

They are told and read last: no detector is so sure that it may leave pages out, and the budget ends what never ends.
"""

import re
from typing import Any
from urllib.parse import parse_qsl

from assay.net.urls import parse_url

PERMUTATIONS, SEED = 32, 7
ALIKE = 0.9  # share of the signature; 29 of 32
EXEMPLARS = 4  # of a shape that pages are compared with
REPEATS = 5  # in a row, from which on a shape is a trap
LETTERS, WORDS = 20_000, 500  # of a page that are looked at
RUN = 3  # words
DIGITS, WORD = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")

type Signature = list[int]


def shape_of(url: str) -> str:
    """What addresses have in common that differ in numbers and in the values of their queries."""
    path, _, query = parse_url(url).target.partition("?")
    names = ",".join(sorted({name for name, _ in parse_qsl(query, keep_blank_values=True)}))
    return f"{DIGITS.sub('0', path)}?{names}"


def signature_of(text: str) -> Signature:
    """MinHash over runs of three words; numbers do not count, since they are what a calendar changes."""
    from rensa import RMinHash

    words = WORD.findall(text[:LETTERS].lower())[:WORDS]
    runs = [" ".join(words[place : place + RUN]) for place in range(max(1, len(words) - RUN + 1))]
    made = RMinHash(PERMUTATIONS, SEED)
    made.update(runs)
    return list(made.digest())


class Traps:
    """What the pages of each shape were like, in the order of the log."""

    def __init__(self) -> None:
        self._exemplars: dict[str, list[tuple[str, Signature]]] = {}
        self._repeats: dict[str, int] = {}

    def note(self, row: dict[str, Any]) -> None:
        """Take in a row of the log; one without a signature says nothing."""
        if signature := row.get("signature"):
            self.like(row["url"], signature)

    def like(self, url: str, signature: Signature) -> str:
        """The URL of a page of this shape that says nearly the same; "" where this one is news."""
        shape = shape_of(url)
        held = self._exemplars.setdefault(shape, [])
        for other, known in held:
            if sum(map(int.__eq__, known, signature)) >= ALIKE * PERMUTATIONS:
                self._repeats[shape] = self._repeats.get(shape, 0) + 1
                return other
        self._repeats[shape] = 0
        if len(held) < EXEMPLARS:
            held.append((url, signature))
        return ""

    def is_trap(self, url: str) -> bool:
        return self._repeats.get(shape_of(url), 0) >= REPEATS

    def describe(self) -> list[str]:
        """The shapes that are traps, for people."""
        return sorted(shape.rstrip("?") for shape, times in self._repeats.items() if times >= REPEATS)
