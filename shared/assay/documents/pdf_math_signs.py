"""Large signs of formulas, whose fonts do not say what they stand for: PDFium gives the letters at their places.

TeX's font of large signs has the sum at the place of X, the integral at that of Z, and the pieces of tall brackets.
"""

import re
from itertools import islice

from assay.documents.pdf_text_page import TextPage

LARGE = {
    **dict.fromkeys("PX", "∑"),
    **dict.fromkeys("QY", "∏"),
    **dict.fromkeys("RZ", "∫"),
    **dict.fromkeys("HI", "∮"),
    **dict.fromkeys("`a", "∐"),
    **dict.fromkeys("S[", "⋃"),
    **dict.fromkeys("T\\", "⋂"),
    **dict.fromkeys("U]", "⨄"),
    **dict.fromkeys("V^", "⋀"),
    **dict.fromkeys("W_", "⋁"),
    **dict.fromkeys("FG", "⨆"),
    **dict.fromkeys("JK", "⨀"),
    **dict.fromkeys("LM", "⨁"),
    **dict.fromkeys("NO", "⨂"),
    **dict.fromkeys("pqrst", "√"),
    **dict.fromkeys("bcd", "ˆ"),
    **dict.fromkeys("efg", "˜"),
    **dict.fromkeys("\x10\x12", "("),
    **dict.fromkeys("\x11\x13!", ")"),
    **dict.fromkeys('\x02\x14"h', "["),
    **dict.fromkeys("\x03\x15#i", "]"),
    **dict.fromkeys("\x04\x16$j", "⌊"),
    **dict.fromkeys("\x05\x17%k", "⌋"),
    **dict.fromkeys("\x06\x18&l", "⌈"),
    **dict.fromkeys("\x07\x19'm", "⌉"),
    **dict.fromkeys("\x08\x1a(n", "{"),
    **dict.fromkeys("\x1b)o", "}"),
    **dict.fromkeys("\x1c*D", "⟨"),
    **dict.fromkeys("\x1d+E", "⟩"),
    **dict.fromkeys("z{|}", ""),  # pieces of braces above and below formulas
}
PIECES = dict.fromkeys("\uf8eb", "(") | dict.fromkeys("\uf8f6", ")") | dict.fromkeys("\uf8ee", "[")
PIECES |= dict.fromkeys("\uf8f9", "]") | dict.fromkeys("\uf8f1", "{") | dict.fromkeys("\uf8fc", "}")
PIECE = re.compile(r"[\uf8eb-\uf8fe]")  # the upper pieces of tall brackets stand for all of them
USUAL = re.compile(r"[\x02-\x08\x0e-\x1f]|[PQRXYZ](?<![\w.].)(?![A-Za-z.\d]{2})")
MOST_USUAL = 12  # of the usual signs of a page, which are examined first
CANDIDATE = re.compile(r"(?<![A-Za-z]{2})[A-Za-z](?![A-Za-z]{2})|[^\s\w,.;:?<=>/~@\u0080-\uffff-]")


def restore_large_signs(page: TextPage) -> None:
    """Put the large signs of formulas into the text of a page."""
    changes = {found.start(): PIECES.get(found[0], "") for found in PIECE.finditer(page.text)}
    if _has_large_signs(page):
        changes |= {
            found.start(): LARGE[found[0]]
            for found in CANDIDATE.finditer(page.text)
            if found[0] in LARGE and page.style(found.start()).is_large
        }
    if changes:
        page.change(changes)


def _has_large_signs(page: TextPage) -> bool:
    """Whether one of the first letters that often stand for large signs does."""
    return any(page.style(found.start()).is_large for found in islice(USUAL.finditer(page.text), MOST_USUAL))
