"""Lines of PDF pages whose letters stand alone, as browsers write them: PDFium may take them for vertical writing.

It does so where little of a page's width has text, as on a page of narrow columns, and makes a line of each letter.
"""

import re

from assay.documents.pdf_gaps import JOINED
from assay.documents.pdf_text_page import TextPage

BREAK = "\r\n"
ALONE = re.compile(r"(?<=\r\n)[^\r\n]{1,2}(?=\r\n)")
LEAST, SHARE = 20, 0.5  # number of pieces of one or two letters on such a page, and their share
LEVEL = 0.1  # maximum difference of the baselines of one line, relative to the size of the text
SPACE = 0.15  # minimum gap of a space


def join_letters(page: TextPage) -> None:
    """Join the pieces of each line; the text stays as long as it is."""
    pieces = page.text.count(BREAK)
    if pieces < LEAST or len(ALONE.findall(page.text)) < max(LEAST, SHARE * pieces):
        return
    breaks = [found.start() for found in re.finditer(BREAK, page.text)]
    begins = [0, *(place + len(BREAK) for place in breaks)]
    parts = []
    for start, end, following in zip(begins, breaks, begins[1:], strict=False):
        parts += [page.text[start:end], _choose_break(page, end, following)]
    page.text = "".join([*parts, page.text[begins[-1] :]])


def _choose_break(page: TextPage, end: int, start: int) -> str:
    """What stands between two pieces: nothing or a space within a line."""
    if end == 0 or start >= len(page.text):
        return BREAK
    (base, size), (level, _) = page.level(end - 1), page.level(start)
    one, two = page.box(end - 1), page.box(start)
    if abs(base - level) > LEVEL * size or two[0] < one[0]:
        return BREAK
    return f" {JOINED}" if two[0] - one[2] > SPACE * size else 2 * JOINED
