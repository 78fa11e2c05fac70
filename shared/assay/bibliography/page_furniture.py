"""Finds page numbers, running heads and running feet between the lines of a text."""

import re
from collections import Counter
from collections.abc import Sequence

PAGE_NUMBER = re.compile(
    r"(?:[-–—|]\s*)?(?:page\s+|seite\s+|p\.\s*|S\.\s*|стр\.\s*|第\s*)?(?:\d{1,4}|(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3}))"
    r"(?:\s*(?:of|von|/|de|sur|из)\s*\d{1,4})?(?:\s*页)?\s*(?:[-–—|])?",
    re.IGNORECASE,
)
BROKEN_DOI = re.compile(r"\b10\.\d{4,9}/\S*[./_\-]$")
NUMBERS = re.compile(r"\d+")
LONGEST_NUMBER = 24  # characters of a line that is a page number
HEAD_LETTERS = 120
HEAD_WORDS = 5  # letters of a running head
NEAR = 2  # lines of a running head beside a page boundary
FORM_FEED = "\f"


def find_furniture(lines: Sequence[str]) -> set[int]:
    """Return the indices of page numbers, and of lines beside a page boundary that occur on other pages too."""
    numbers = {
        at
        for at, line in enumerate(lines)
        if 0 < len(line.strip()) <= LONGEST_NUMBER
        and PAGE_NUMBER.fullmatch(line.strip())
        and not (at and _continues_doi(lines[at - 1].rstrip(), line.strip()))
    }
    feeds = {at for at, line in enumerate(lines) if FORM_FEED in line}
    masked = [_mask(line) for line in lines]
    counts = Counter(masked)
    furniture = set(numbers)
    for boundary in numbers | feeds:
        for step in (-1, 1):
            at, seen = boundary if step == 1 and boundary in feeds else boundary + step, 0
            while 0 <= at < len(lines) and seen < NEAR and abs(at - boundary) <= 2 * NEAR + 1:
                if lines[at].strip():
                    if counts[masked[at]] < 2 or sum(map(str.isalpha, masked[at])) < HEAD_WORDS:
                        break
                    furniture.add(at)
                    seen += 1
                at += step
    return furniture


def _continues_doi(before: str, number: str) -> bool:
    """Whether the line before ends within a DOI. A full stop may end the DOI, unless no page has such a number."""
    return BROKEN_DOI.search(before) is not None and (before[-1] != "." or number.startswith("0"))


def _mask(line: str) -> str:
    line = line.strip()
    return NUMBERS.sub("#", line.lower()) if len(line) <= HEAD_LETTERS else ""
