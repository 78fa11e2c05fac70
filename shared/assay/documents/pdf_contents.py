"""Tables of contents in PDFs, of which only some entries have dot leaders before their page."""

import re
from itertools import groupby

from assay.documents.pdf_paragraphs import has_leaders
from assay.documents.pdf_text_page import PdfLine

PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,6}")
PAGE_AT_END = re.compile(r"\s(?=(?:\d{1,4}|[ivxlc]{1,6})$)")
MOST_CELLS = 3  # of an entry: its number, its title and its page
MIN_LED = 2  # entries with leaders of a table of contents
LEADERS = " ..... "


def complete_leaders(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines with leaders in each entry of a table of contents where some entries have them."""
    if not any(has_leaders(line.text) for line in lines):
        return lines
    found: list[PdfLine] = []
    for is_entry, run in groupby(lines, key=_may_be_entry):
        entries = list(run)
        led = sum(has_leaders(line.text) for line in entries) if is_entry else 0
        found += [_complete(line) for line in entries] if led >= MIN_LED else entries
    return found


def _may_be_entry(line: PdfLine) -> bool:
    """Return whether the line ends with a page, in the last of its few cells or behind its text."""
    if line.cells:
        return len(line.cells) <= MOST_CELLS and PAGE.fullmatch(line.cells[-1].text) is not None
    return PAGE_AT_END.search(line.text) is not None


def _complete(line: PdfLine) -> PdfLine:
    """Return the line without cells, with leaders before its page."""
    text = " ".join(cell.text for cell in line.cells) if line.cells else line.text
    return line._replace(text=text if has_leaders(text) else PAGE_AT_END.sub(LEADERS, text, count=1), cells=())
