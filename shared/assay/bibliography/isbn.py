"""Finds ISBNs (ISO 2108) in a text and verifies their check digits."""

import re
from typing import NamedTuple

BODY = r"(?:97[89][ -]?)?(?:\d[ -]?){9}[\dXx]"
NAMED = re.compile(rf"\be?-?ISBN(?:[ -]?1[03])?\b[\s:.]*({BODY})(?![\d-])", re.IGNORECASE)
ALONE = re.compile(rf"\s*({BODY})[\s.]*")
LONG = re.compile(r"(?<![\w.-])(97[89][ -]?(?:\d[ -]?){9}\d)(?![\w-])")


class Isbn(NamedTuple):
    """`digits` are 10 or 13, the last of ten may be X; `expected` is the check digit that the others ask for."""

    digits: str
    expected: str
    alone: bool  # the text is nothing else

    @property
    def is_valid(self) -> bool:
        return self.digits[-1] == self.expected


def find_isbn(text: str) -> Isbn | None:
    """The first ISBN that the text names as one, is, or has in its long form."""
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
