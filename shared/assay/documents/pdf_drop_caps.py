"""Drop caps of PDFs: the first letter of a paragraph, as high as several lines, which the text stands beside."""

from collections.abc import Sequence
from itertools import islice

from assay.documents.pdf_text_page import PdfLine

LARGER = 1.8  # minimum size of the letter relative to the text
BESIDE = 0.5  # maximum distance of the text behind the letter, in sizes of the letter
LEVEL = 0.3  # of the size of the text: the letter stands on the baseline of a line below the first
MOST_LETTERS = 50  # of a page that are examined
ABOVE = 0.1  # of the size of the letter, by which the first line may be above it


def join_drop_caps(lines: list[PdfLine]) -> list[PdfLine]:
    """Return the lines with each drop cap joined to the first line beside it."""
    firsts: dict[int, str] = {}
    caps: set[int] = set()
    for cap in islice((line for line in lines if len(line.text) == 1 and line.text.isupper()), MOST_LETTERS):
        first = _find_first(cap, [line for line in lines if _is_beside(cap, line)])
        if first is not None and id(first) not in firsts:
            firsts[id(first)] = cap.text
            caps.add(id(cap))
    if not caps:
        return lines
    return [
        line._replace(text=firsts[id(line)] + line.text) if id(line) in firsts else line
        for line in lines
        if id(line) not in caps
    ]


def _is_beside(cap: PdfLine, line: PdfLine) -> bool:
    return (
        cap.size >= LARGER * line.size
        and -1 <= line.left - cap.right <= BESIDE * cap.size
        and -LEVEL * line.size <= line.bottom - cap.bottom
        and line.top - cap.top <= ABOVE * cap.size
        and not (line.cells or line.is_tilted)
    )


def _find_first(cap: PdfLine, beside: Sequence[PdfLine]) -> PdfLine | None:
    """The highest of the lines beside a letter, if it begins with one and another is on the baseline of the cap."""
    first = max(beside, key=lambda line: line.bottom, default=None)
    if first is None or not first.text[:1].isalpha():
        return None
    has_last = any(abs(line.bottom - cap.bottom) <= LEVEL * line.size for line in beside if line is not first)
    return first if has_last else None
