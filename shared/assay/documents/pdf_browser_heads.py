"""Removal of what browsers print at the edges of each page: date, title, address and `n/m` (or `n of m`)."""

import re

from assay.documents.pdf_text_page import Page, PdfLine

EDGE = 0.06  # share of the page height
LARGEST = 10.0  # points; size of the text
LEVEL = 0.34  # maximum difference of the baselines of a row, in font sizes
COUNT = re.compile(r"(?:^|\s)(\d{1,4})(?:/| of )(\d{1,4})(?:\s|$)")
DATE_OR_URL = re.compile(
    r"\d{1,4}[./-] ?\d{1,2}[./-] ?\d{1,4}\D{1,6}\d{1,2}[:.]\d{2}|\b(?:https?|file)://", re.IGNORECASE
)


def drop_browser_heads(pages: list[Page]) -> list[Page]:
    """Return the pages without these rows, if the foot of each has its number and their count, beside a date or URL."""
    feet = [_take_row(page, at_top=False) for page in pages]
    if not feet or not all(map(_is_numbered, feet, range(1, len(pages) + 1), [len(pages)] * len(pages))):
        return pages
    heads = [_take_row(page, at_top=True) for page in pages]
    heads = [row if DATE_OR_URL.search(_read(row)) else [] for row in heads]
    if not (all(heads) or all(DATE_OR_URL.search(_read(row)) for row in feet)):
        return pages
    dropped = {id(line) for row in (*feet, *heads) for line in row}
    return [(box, [line for line in lines if id(line) not in dropped]) for box, lines in pages]


def _take_row(page: Page, *, at_top: bool) -> list[PdfLine]:
    """The lines of the highest or the lowest row, if it is small and at the edge of the page."""
    box, lines = page
    if not lines:
        return []
    outer = (max if at_top else min)(lines, key=lambda line: line.bottom)
    margin = box[3] - outer.top if at_top else outer.bottom - box[1]
    if margin > EDGE * (box[3] - box[1]) or outer.size > LARGEST:
        return []
    return [line for line in lines if abs(line.bottom - outer.bottom) <= LEVEL * outer.size]


def _is_numbered(row: list[PdfLine], number: int, pages: int) -> bool:
    """Whether a row has the number of its page, and how many there are: not fewer than have been read."""
    return any(int(found[1]) == number and int(found[2]) >= pages for found in COUNT.finditer(_read(row)))


def _read(row: list[PdfLine]) -> str:
    return " ".join(line.text for line in row)
