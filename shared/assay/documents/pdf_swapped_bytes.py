"""Ligatures of PDFs that some versions of Ghostscript rewrote: it swapped the bytes of their letters.

PDFium reports "昀椀" for "fi". A run of such signs is replaced if it is beside a Latin letter.
"""

import re
from string import ascii_letters

from assay.documents.pdf_text_page import TextPage

LETTERS = {chr(ord(letter) << 8): letter for letter in ascii_letters}
ENDS = {"\ucf00": "fi", "\ud200": "fl"}  # behind an f, for ligatures of three letters
SIGNS = "".join(LETTERS)
PAIR = rf"[{SIGNS}][{SIGNS}{''.join(ENDS)}]"
RUN = re.compile(rf"(?<=[A-Za-z]){PAIR}(?:{PAIR})*|{PAIR}(?:{PAIR})*(?=[A-Za-z])")


def restore_swapped_bytes(page: TextPage) -> None:
    """Change the signs of ligatures to the letters that they stand for."""
    if not page.text.isascii():
        known = LETTERS | ENDS
        changes = {
            place: known[page.text[place]] for run in RUN.finditer(page.text) for place in range(run.start(), run.end())
        }
        if changes:
            page.change(changes)
