"""Finds ISBNs (ISO 2108) in a text and verifies their check digits."""

import re
from typing import NamedTuple

BODY = r"(?:97[89][ -]?)?(?:\d[ -]?){9}[\dXx]"
NAMED = re.compile(rf"\be?-?ISBN(?:[ -]?1[03])?\b[\s:.]*({BODY})(?![\d-])", re.IGNORECASE)
ALONE = re.compile(rf"\s*({BODY})[\s.]*")
LONG = re.compile(r"(?<![\w.-])(97[89][ -]?(?:\d[ -]?){9}\d)(?![\w-])")


class Isbn(NamedTuple):
    """An ISBN: `digits` has 10 (the last may be X) or 13 characters; `expected` is the computed check digit."""

    digits: str
    expected: str
    alone: bool  # the text has nothing else in it

    @property
    def is_valid(self) -> bool:
        return self.digits[-1] == self.expected


def find_isbn(text: str) -> Isbn | None:
    """Find the first ISBN: labelled `ISBN`, as the whole text, or as 13 digits with prefix 978 or 979."""
    match = NAMED.search(text) or ALONE.fullmatch(text) or LONG.search(text)
    if match is None:
        return None
    digits = re.sub(r"[ -]", "", match[1]).upper()
    rest = (text[: match.start()] + text[match.end() :]).strip(" .,;:()[]")
    return Isbn(digits, _check_digit(digits), not rest)


def _check_digit(digits: str) -> str:
    numbers = [int(digit) for digit in digits[:-1]]
    if len(digits) == 13:
        return str(-sum(number * (3 if at % 2 else 1) for at, number in enumerate(numbers)) % 10)
    left = -sum(number * (10 - at) for at, number in enumerate(numbers)) % 11
    return "X" if left == 10 else str(left)
