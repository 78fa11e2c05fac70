"""Finds the labels of a numbered reference list: `[1]`, `1.`, `(1)`, `1)`, superscripts, numbers alone, `[Abc99]`.

A number at the head of a line is a label only if it belongs to the longest rising sequence of such numbers, so that
years, volumes and pages at the head of a continued line are none.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

LEAD = r"[\s>]*(?:[-*•]\s+)?(?:<a [^<>]{0,200}>(?:</a>)?|\*\*|<sup>)?"
STYLES = tuple(
    re.compile(pattern)
    for pattern in (
        LEAD + r"\\?[\[［【〔]\s*(?:ref\.?\s*|R)?(\d{1,4})\s*\\?[\]］】〕](?:\*\*|</a>|</sup>)?[.:]?\s*"
        r"(?:\([^()\s]{1,40}\)\s*)?",
        LEAD + r"\[\^(\d{1,4})\]:?\s*",
        LEAD + r"(\d{1,4})\\?[.．](?:\*\*|</a>|</sup>)?(?=\s|[^\W\d_]|[\"“«]|$)\s*",
        LEAD + r"[(（](\d{1,4})[)）]\s*",
        LEAD + r"(\d{1,4})\\?[)）]\s*",
        r"[\s>]*(?:<sup>|\^)(\d{1,4})(?:</sup>|\^)\s*",
        r"\s*([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})\s*",
        r"\s*(\d{1,4})\s*$",
        r"\s*(\d{1,4})[\s:]+(?=[^\W\d_]|[\"“«‘])",
        r"\s*(\d{1,4})(?=[^\W\d_]{2})",
    )
)
INLINE = tuple(
    re.compile(r"(?:^\s*|(?<=[^\W_])\s+|(?<=[.)\]\"”;/])\s+)" + pattern)
    for pattern in (
        r"(?P<label>\\?\[(?P<value>\d{1,4})\\?\])\s*(?=\S)",
        r"(?P<label>(?P<value>\d{1,4})\.)\s*(?=[^\W\d_]|[\"“«])",
        r"(?P<label>\((?P<value>\d{1,3})\))\s+(?=[^\W\d_]|[\"“«])",
        r"(?P<label>(?P<value>\d{1,4})\))\s+(?=[^\W\d_]|[\"“«])",
        r"(?P<label>(?P<value>\d{1,4}))\s+(?=[^\W\d_a-z]|[\"“«])",
    )
)
NAMED = re.compile(r"[\s>]*\\?\[([^\W\d_][^\[\]]{1,40}?)\\?\][.:]?\s+(?=\S)")
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
FEWEST = 2
LARGEST_GAP = 4  # numbers missing between two labels
MOST_LINES = 25  # lines of an entry on average
HEAD_LINES = 3  # lines before the first label


class EntryLabel(NamedTuple):
    """A label: the line, its number or name, and the columns where label and text begin."""

    line: int
    value: str
    start: int
    text: int


def find_labels(lines: Sequence[str]) -> list[EntryLabel]:
    """Return the labels that begin the list's entries, in order; none if the list is not labelled."""
    best: list[EntryLabel] = []
    for place, style in enumerate(STYLES):
        matches = [(at, found) for at, line in enumerate(lines) if line and (found := style.match(line))]
        labels = [EntryLabel(at, found[1].translate(SUPERSCRIPTS), found.start(), found.end()) for at, found in matches]
        chain = _find_chain(labels)
        if len(chain) > len(best) and _is_numbering(chain, lines, must_begin=place >= 7):
            best = chain
    for style in INLINE:
        labels = [
            EntryLabel(at, found["value"], found.start("label"), found.end())
            for at, line in enumerate(lines)
            for found in style.finditer(line)
        ]
        chain = _find_chain(labels)
        is_whole = not best or int(best[-1].value) - int(best[0].value) < len(best)
        if len(chain) > max((1.2 if is_whole else 1) * len(best), FEWEST) and _is_numbering(
            chain, lines, must_begin=True
        ):
            best = chain
    return best or _find_names(lines)


def _find_names(lines: Sequence[str]) -> list[EntryLabel]:
    """Return labels such as `[Knu84]`, if they begin the list and most labels differ."""
    found = [(at, match) for at, line in enumerate(lines) if line and (match := NAMED.match(line))]
    labels = [EntryLabel(at, match[1], match.start(), match.end()) for at, match in found]
    filled = sum(bool(line.strip()) for line in lines)
    if len(labels) < FEWEST or any(line.strip() for line in lines[: labels[0].line]):
        return []
    return labels if len({each.value for each in labels}) * 10 >= 9 * len(labels) and len(labels) * 10 >= filled else []


def _is_numbering(chain: Sequence[EntryLabel], lines: Sequence[str], *, must_begin: bool = False) -> bool:
    """Whether labels number the list: without large gaps, from its beginning on, and every few lines."""
    if len(chain) < FEWEST:
        return False
    first, last = int(chain[0].value), int(chain[-1].value)
    if (must_begin and first != 1) or last - first + 1 > 1.3 * len(chain) + 1:
        return False
    before = sum(bool(line.strip()) for line in lines[: chain[0].line])
    filled = sum(bool(line.strip()) for line in lines)
    return before <= HEAD_LINES and filled <= MOST_LINES * len(chain)


def _find_chain(labels: Sequence[EntryLabel]) -> list[EntryLabel]:
    """Return the longest sequence of labels whose numbers rise, cut where numbers are missing."""
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(labels)
    for at, label in enumerate(labels):
        value = int(label.value)
        place = bisect_left(tails, value)
        before[at] = ends[place - 1] if place else -1
        if place == len(tails):
            tails.append(value)
            ends.append(at)
        else:
            tails[place], ends[place] = value, at
    chain: list[EntryLabel] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(labels[at])
        at = before[at]
    return _cut_at_gaps(chain[::-1])


def _cut_at_gaps(chain: list[EntryLabel]) -> list[EntryLabel]:
    """Return the longest part of a chain without a large gap."""
    parts: list[list[EntryLabel]] = [[]]
    for label in chain:
        if parts[-1] and int(label.value) - int(parts[-1][-1].value) > LARGEST_GAP + 1:
            parts.append([])
        parts[-1].append(label)
    return max(parts, key=len)
