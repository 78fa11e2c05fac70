"""Lines of PDF pages whose letters are set apart, as browsers draw headings: PDFium puts a space behind each letter.

The gaps between the words of such a line are wider than those between its letters.
"""

import re
from itertools import pairwise

from assay.documents.pdf_text_page import TextPage

SPACED = re.compile(r"^(?:[^\s\ufffe] ){7,200}[^\s\ufffe]$", re.MULTILINE)
WIDER = 1.8  # minimum gap between words, relative to the least one between letters
WORD, SHARE = 3, 0.5  # letters of a word, and minimum share of such words
EVEN = 1.5  # maximum gap between letters, likewise; kerning changes some


def join_spaced_letters(page: TextPage) -> None:
    """Take the spaces within words from the text of a page."""
    changes: dict[int, str] = {}
    for line in SPACED.finditer(page.text.replace("\r", "\n")):
        places = range(line.start(), line.end(), 2)
        gaps = [page.box(two)[0] - page.box(one)[2] for one, two in pairwise(places)]
        if _are_words(gaps):
            changes |= {place - 1: "" for place, gap in zip(places[1:], gaps, strict=True) if gap < WIDER * min(gaps)}
    if changes:
        page.change(changes)


def _are_words(gaps: list[float]) -> bool:
    """Whether the gaps are those between the letters of words and those between words, not those of single letters."""
    least = min(gaps)
    wide = [place for place, gap in enumerate(gaps) if gap >= WIDER * least]
    if least <= 0 or not wide or any(EVEN * least < gap < WIDER * least for gap in gaps):
        return False
    lengths = [two - one for one, two in pairwise([-1, *wide, len(gaps)])]
    return sum(length >= WORD for length in lengths) >= SHARE * len(lengths)
