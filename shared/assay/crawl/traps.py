"""Detects crawler traps: pages that nearly repeat others of the same URL shape, such as calendars and facets.

Trapped pages are reported and read last, not skipped, because no detector is certain; the page budget bounds them.
"""

import re
from typing import Any
from urllib.parse import parse_qsl

from assay.net.urls import parse_url
from assay.text.minhash import compute_signature, word_runs

PERMUTATIONS, SEED = 32, 7
ALIKE = 0.9  # share of the signature; 29 of 32
EXEMPLARS = 4  # pages per shape that others are compared with
REPEATS = 5  # near-duplicates in a row that make a shape a trap
LETTERS, WORDS = 20_000, 500  # of a page that are examined
DIGITS, WORD = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")

type Signature = list[int]


def shape_of(url: str) -> str:
    """Return a URL with its numbers and query values masked."""
    path, _, query = parse_url(url).target.partition("?")
    names = ",".join(sorted({name for name, _ in parse_qsl(query, keep_blank_values=True)}))
    return f"{DIGITS.sub('0', path)}?{names}"


def signature_of(text: str) -> Signature:
    """Return a MinHash signature over runs of three words; numbers are ignored, since calendars change only these."""
    words = WORD.findall(text[:LETTERS].lower())[:WORDS]
    return list(compute_signature(word_runs(words), PERMUTATIONS, SEED).digest())


class Traps:
    """The page signatures of each shape, in the order of the log."""

    def __init__(self) -> None:
        self._exemplars: dict[str, list[tuple[str, Signature]]] = {}
        self._repeats: dict[str, int] = {}

    def add_row(self, row: dict[str, Any]) -> None:
        """Add a row of the log; rows without a signature are ignored."""
        if signature := row.get("signature"):
            self.add_page(row["url"], signature)

    def add_page(self, url: str, signature: Signature) -> str:
        """Add a page, and return the URL of a near-duplicate of the same shape; "" if there is none."""
        shape = shape_of(url)
        exemplars = self._exemplars.setdefault(shape, [])
        for other, known in exemplars:
            if sum(map(int.__eq__, known, signature)) >= ALIKE * PERMUTATIONS:
                self._repeats[shape] = self._repeats.get(shape, 0) + 1
                return other
        self._repeats[shape] = 0
        if len(exemplars) < EXEMPLARS:
            exemplars.append((url, signature))
        return ""

    def is_trap(self, url: str) -> bool:
        return self._repeats.get(shape_of(url), 0) >= REPEATS

    def describe(self) -> list[str]:
        """Describe the shapes that are traps."""
        return sorted(shape.rstrip("?") for shape, times in self._repeats.items() if times >= REPEATS)
