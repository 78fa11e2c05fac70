"""Compares the citation keys of a bibliography with its entries: keys that occur twice, or that name another work."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from anyascii import anyascii

from assay.bibliography.work import CitedWork

NAME_AND_YEAR = re.compile(r"([^\W\d_]{3,40})[\W_]{0,2}(?:et[\W_]?al[\W_]?)?((?:1[89]|20)\d\d)", re.IGNORECASE)
YEAR_TOLERANCE = 1
MAX_LINES = 3


def describe_keys(works: Sequence[CitedWork]) -> list[CitedWork]:
    """Return the works with notes on keys that occur twice, and on keys that name another author and year."""
    lines: dict[str, list[int]] = {}
    for work in works:
        if work.key:
            lines.setdefault(work.key, []).append(work.line)
    described = []
    for work in works:
        notes = [*_describe_repeated(work, lines.get(work.key, [])), *_describe_other_work(work)]
        described.append(replace(work, unread=(*work.unread, *notes)) if notes else work)
    return described


def _describe_repeated(work: CitedWork, lines: list[int]) -> list[str]:
    if len(lines) < 2:
        return []
    others = [str(line) for line in lines if line != work.line][:MAX_LINES] or [str(work.line)]
    return [f"The key {work.key[:60]!r} occurs {len(lines)} times (also on line {', '.join(others)})."]


def _describe_other_work(work: CitedWork) -> list[str]:
    """Describe a key such as `smith2020` if neither the name nor the year is the entry's; keys are free to choose."""
    found = NAME_AND_YEAR.match(work.key)
    if found is None or not work.authors or not work.date:
        return []
    name, words = (
        _fold(found[1]),
        _fold(" ".join((*(f"{each.family} {each.given}" for each in work.authors), work.title))),
    )
    if abs(int(found[2]) - int(work.date[:4])) <= YEAR_TOLERANCE or name in words.replace(" ", ""):
        return []
    author, year = work.authors[0].family[:60], work.date[:4]
    stated = f"names {found[1]!r} and {found[2]}"
    return [f"The key {work.key[:60]!r} {stated}, but the entry is by {author!r} of {year}."]


def _fold(text: str) -> str:
    return anyascii(unicodedata.normalize("NFKC", text)).casefold()
