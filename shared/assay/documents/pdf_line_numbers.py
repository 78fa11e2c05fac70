"""Line numbers of manuscripts: numbers in the margin that count the lines of a page."""

from collections import Counter, defaultdict
from itertools import pairwise

from assay.documents.pdf_text_page import PdfLine

MIN_NUMBERS = 8
DIGITS = 5
COVERED = 0.6  # minimum share of the lines of a page that a number stands beside, if every line has one
STEPS = (1, 2, 5, 10)  # from one number to the next
COUNTING = 0.9  # minimum share of the numbers that are one step from the one before
ALIGNED = 2.0  # points within which the numbers end or begin
OUTSIDE = 0.05  # maximum share of lines in the margin that are not numbers
TEXT_LETTERS = 35  # minimum mean length of the lines of text; those of tables are shorter


def drop_line_numbers(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines without numbers in the left or right margin that count them."""
    alone = [line for line in lines if line.text.isdecimal() and len(line.text) <= DIGITS]
    for numbers in _find_aligned(alone) if len(alone) >= MIN_NUMBERS else ():
        ids = {id(line) for line in numbers}
        text = [line for line in lines if id(line) not in ids]
        if _count_lines(numbers) and _are_in_margin(numbers, text) and _is_prose(text, numbers):
            return text
    return lines


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


def _count_lines(numbers: list[PdfLine]) -> bool:
    ordered = sorted(numbers, key=lambda line: -line.bottom)
    steps = Counter(int(two.text) - int(one.text) for one, two in pairwise(ordered))
    step, count = steps.most_common(1)[0]
    return step in STEPS and count >= COUNTING * (len(numbers) - 1)


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
