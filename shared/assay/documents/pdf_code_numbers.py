"""Numbers of the lines of code, which listings have beside it in another font or size."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.documents.pdf_text_page import Place, TextPage

MIN_NUMBERS = 3
SMALLER = 0.9  # maximum size of a number in the font of the code, relative to it
ALIGNED = 2.0  # points within which the numbers begin or end
NUMBER = re.compile(r"([0-9]{1,5})(?: +|$)")


class _CodeNumber(NamedTuple):
    """A number at the beginning of a line, and where the rest of the line begins."""

    line: int
    value: int
    rest: int
    left: float
    right: float


def drop_code_numbers(page: TextPage, places: list[Place]) -> list[Place]:
    """Return the lines without the numbers of lines of code; those of empty lines are left out."""
    numbers: list[_CodeNumber] = []
    rests: dict[int, int] = {}
    for line, (start, end, _) in enumerate(places):
        found = NUMBER.match(page.text, start, end)
        if found is None:
            continue
        number = _CodeNumber(line, int(found[1]), found.end(), *page.span(*found.span(1))[:2])
        if numbers and not _follows(page, places, numbers[-1], number):
            rests |= _list_rests(page, places, numbers)
            numbers = []
        numbers.append(number)
    rests |= _list_rests(page, places, numbers)
    lines = [(rests.get(line, start), end, hyphen) for line, (start, end, hyphen) in enumerate(places)]
    return [(start, end, hyphen) for start, end, hyphen in lines if start < end] if rests else places


def _follows(page: TextPage, places: Sequence[Place], before: _CodeNumber, number: _CodeNumber) -> bool:
    """Whether a number is that of the next line, below the one before, with only code between."""
    if (
        number.value != before.value + 1
        or min(abs(number.left - before.left), abs(number.right - before.right)) > ALIGNED
    ):
        return False
    return all(page.style(start).is_fixed for start, _, _ in places[before.line + 1 : number.line])


def _list_rests(page: TextPage, places: Sequence[Place], numbers: Sequence[_CodeNumber]) -> dict[int, int]:
    """Where the code of each of the lines begins, if these are numbers of code."""
    code = [number for number in numbers if number.rest < places[number.line][1]]
    if len(numbers) < MIN_NUMBERS or len(code) < 2:
        return {}
    return (
        {number.line: number.rest for number in numbers}
        if all(_is_beside_code(page, places, each) for each in code)
        else {}
    )


def _is_beside_code(page: TextPage, places: Sequence[Place], number: _CodeNumber) -> bool:
    """Whether a number is in another font or size than the line behind it, which is code."""
    start, end, _ = places[number.line]
    is_listed = page.is_listed(number.rest)
    if not is_listed and not (page.style(number.rest).is_fixed and page.style(end - 1).is_fixed):
        return False
    is_in_other_font = not is_listed and not page.style(start).is_fixed
    return is_in_other_font or page.level(start)[1] <= SMALLER * page.level(number.rest)[1]
