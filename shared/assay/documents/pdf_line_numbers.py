"""Line numbers of manuscripts: numbers in the margin that count the lines of a page."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.documents.pdf_text_page import PdfLine, Place, TextPage

MIN_NUMBERS = 8
DIGITS = 5
COVERED = 0.6  # minimum share of the lines of a page that a number stands beside, if every line has one
STEPS = (1, 2, 5, 10)  # from one number to the next
COUNTING = 0.9  # minimum share of the numbers that are one step from the one before
ALIGNED = 2.0  # points within which the numbers end or begin
OUTSIDE = 0.05  # maximum share of lines in the margin that are not numbers
TEXT_LETTERS = 35  # minimum mean length of the lines of text; those of tables are shorter
MIN_SMALL, SMALL = 3, 0.8  # minimum of numbers smaller than the text, and their maximum size relative to it
FIRST, LAST = re.compile(r"([0-9]{1,5})(?: +|$)"), re.compile(r" +([0-9]{1,5})$")  # the number of a line
SHORTEST = 4  # letters of a line of text
LEVEL = 0.35  # maximum difference of the baselines of a number and its line, in font sizes


class _Number(NamedTuple):
    """A number at the beginning or the end of a line of text, and what else the line has."""

    line: int
    value: int
    rest: tuple[int, int]
    left: float
    right: float
    bottom: float
    size: float


def drop_line_numbers(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines without numbers in the left or right margin that count them."""
    alone = [line for line in lines if line.text.isdecimal() and len(line.text) <= DIGITS]
    for numbers in _find_aligned(alone) if len(alone) >= MIN_NUMBERS else ():
        ids = {id(line) for line in numbers}
        text = [line for line in lines if id(line) not in ids]
        counted = [(line.bottom, int(line.text)) for line in numbers]
        if _count_up(counted) and _are_in_margin(numbers, text) and _is_prose(text, numbers):
            return text
    return lines


def drop_small_numbers(page: TextPage, places: list[Place]) -> list[Place]:
    """Return the lines of a page without numbers in the margin that count them and are smaller than the text.

    PDFium joins a number to its line if they are close to each other.
    """
    numbers = _list_numbers(page, places)
    for side in ("right", "left") if numbers else ():
        usual = Counter(round(getattr(number, side)) for number in numbers).most_common(1)[0][0]
        group = [number for number in numbers if abs(getattr(number, side) - usual) <= ALIGNED]
        counted = [(number.bottom, number.value) for number in group]
        if len(group) >= MIN_SMALL and _count_up(counted) and _are_beside_text(page, group, places):
            rests = {number.line: number.rest for number in group}
            lines = [(*rests.get(line, place[:2]), place[2]) for line, place in enumerate(places)]
            return [(start, end, hyphen) for start, end, hyphen in lines if start < end]
    return places


def _list_numbers(page: TextPage, places: Sequence[Place]) -> list[_Number]:
    """The numbers with which lines begin or end, if there are enough."""
    found: list[tuple[int, tuple[int, int], tuple[int, int]]] = []  # the line, the number and the rest of the line
    for line, (start, end, _) in enumerate(places):
        if (first := FIRST.match(page.text, start, end)) is not None:
            found.append((line, first.span(1), (first.end(), end)))
        elif (last := LAST.search(page.text, max(start, end - DIGITS - 1), end)) is not None:
            found.append((line, last.span(1), (start, last.start())))
    if len(found) < MIN_SMALL:
        return []
    return [_Number(line, int(page.text[slice(*span)]), rest, *page.span(*span)) for line, span, rest in found]


def _count_up(numbers: list[tuple[float, int]]) -> bool:
    """Whether numbers, given with their baselines, grow from top to bottom in steps of one size."""
    ordered = sorted(numbers, key=lambda number: -number[0])
    steps = Counter(two - one for (_, one), (_, two) in pairwise(ordered))
    step, count = steps.most_common(1)[0]
    return step in STEPS and count >= COUNTING * (len(numbers) - 1)


def _are_beside_text(page: TextPage, numbers: Sequence[_Number], places: Sequence[Place]) -> bool:
    """Whether the numbers are in the margin, and almost each of them beside a line of larger text, not of code."""
    rests = {number.line: number.rest for number in numbers}
    lines = [rests.get(line, place[:2]) for line, place in enumerate(places)]
    lines = [(start, end) for start, end in lines if end - start >= SHORTEST]
    spans = [page.span(start, end) for start, end in lines]
    left, right = min(number.left for number in numbers), max(number.right for number in numbers)
    before, behind = sum(span[0] < right for span in spans), sum(span[1] > left for span in spans)
    if not spans or min(before, behind) > OUTSIDE * len(spans):
        return False
    fixed = sum(page.style(start).is_fixed for start, _ in lines)
    text = [page.level(_find_middle(page.text, start, end)) for start, end in lines]
    beside = sum(
        any(number.size <= SMALL * size and abs(number.bottom - bottom) <= LEVEL * size for bottom, size in text)
        for number in numbers
    )
    return fixed < len(lines) / 2 and beside >= COUNTING * len(numbers)


def _find_middle(text: str, start: int, end: int) -> int:
    """The place of a character in the middle of a line."""
    middle = (start + end) // 2
    return start if text[middle] == " " else middle


def _find_aligned(numbers: list[PdfLine]) -> list[list[PdfLine]]:
    """Groups of numbers that end, or begin, at one place."""
    found = []
    for side in ("right", "left"):
        groups: dict[int, list[PdfLine]] = defaultdict(list)
        usual = Counter(round(getattr(line, side)) for line in numbers).most_common(2)
        for line in numbers:
            for place, _ in usual:
                if abs(getattr(line, side) - place) <= ALIGNED:
                    groups[place].append(line)
        found += [group for group in groups.values() if len(group) >= MIN_NUMBERS]
    return found


def _are_in_margin(numbers: list[PdfLine], text: list[PdfLine]) -> bool:
    left, right = min(line.left for line in numbers), max(line.right for line in numbers)
    before = sum(line.left < right for line in text)
    behind = sum(line.right > left for line in text)
    return min(before, behind) <= OUTSIDE * len(text)


def _is_prose(text: list[PdfLine], numbers: list[PdfLine]) -> bool:
    """Whether the numbers stand beside most lines, which are as long as those of text and not code."""
    ordered = sorted(int(line.text) for line in numbers)
    span = ordered[-1] - ordered[0] + 1
    rows = {round(line.bottom / 3) for line in text}
    prose = [line for line in text if not line.is_fixed]
    letters = sum(len(line.text) for line in text)
    return (
        span >= COVERED * len(rows)
        and letters >= TEXT_LETTERS * len(text)
        and sum(len(line.text) for line in prose) > letters / 2
    )
