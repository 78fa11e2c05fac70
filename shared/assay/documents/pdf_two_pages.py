"""Running heads and page numbers of documents of two pages, which are at one place of both, apart from their text."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from assay.documents.pdf_text_page import PdfLine

NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?![\d.,])")
NO_LETTERS = re.compile(r"[\W\d_]+")
SMALL, USUAL = 0.9, 1.05  # size of heads relative to the text: without page numbers, and with them


class OuterLine(NamedTuple):
    """A line of the outermost row at an edge of a page, and whether it is at the top."""

    line: PdfLine
    is_top: bool


def find_heads_of_two(first: Iterable[OuterLine], second: Iterable[OuterLine], size: float) -> set[int]:
    """Ids of the page numbers of two pages, and of the heads of the second page that the first one has.

    `size` is that of the text of the document.
    """
    known = {_make_key(one): one.line for one in first}
    pairs = [(known[_make_key(two)], two) for two in second if _make_key(two) in known]
    counting = [(one, two) for one, two in pairs if _is_counting(one, two, size)]
    found = {id(line) for one, two in counting for line in (one, two.line)}
    largest = (USUAL if counting else SMALL) * size
    is_numbered = any(not two.is_top for _, two in counting)  # at the foot, which may have notes otherwise
    for one, (line, is_top) in pairs:
        is_plain = line.size <= largest and not (line.table or line.is_bold)
        if one.text == line.text and is_plain and (is_top or is_numbered):
            found.add(id(line))
    return found


def _make_key(outer: OuterLine) -> tuple[str, int]:
    return NUMBER.sub("#", outer.line.text.casefold()), round(outer.line.bottom / 4)


def _is_counting(one: PdfLine, two: OuterLine, size: float) -> bool:
    """Whether two lines differ by a number that counts the pages.

    Titles may count too: at the top, the number is alone or before that of all pages, or the line is small.
    """
    numbers = [(int(a), int(b)) for a, b in zip(NUMBER.findall(one.text), NUMBER.findall(two.line.text), strict=True)]
    steps = [(a, b) for a, b in numbers if a != b]
    if len(steps) != 1 or steps[0][1] != steps[0][0] + 1 or one.size > USUAL * size or one.table:
        return False
    has_total = numbers[-2:] == [(1, 2), (2, 2)]
    return not two.is_top or has_total or one.size <= SMALL * size or NO_LETTERS.fullmatch(one.text) is not None
