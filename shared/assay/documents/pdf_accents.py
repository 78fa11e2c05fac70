"""Accents that PDF files draw as signs of their own above or below a letter, as TeX does with its first fonts.

PDFium sorts the pieces of a line by their left edges, so an accent may be in the text behind the words that follow it.
"""

import re
import unicodedata

from assay.documents.pdf_text_page import TextPage

COMBINING = {
    "`": "\u0300",
    "´": "\u0301",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "¯": "\u0304",
    "˘": "\u0306",
    "˙": "\u0307",
    "¨": "\u0308",
    "˚": "\u030a",
    "˝": "\u030b",
    "ˇ": "\u030c",
    "¸": "\u0327",
}
ACCENT = re.compile(rf"[{''.join(COMBINING)}]")
ACCENTS = re.compile(rf" *[{''.join(COMBINING)}][{''.join(COMBINING)} ]*")  # with the spaces around them
DOTLESS = str.maketrans("ıȷ", "ij")
ALIGNED, LEFT_ALIGNED = 0.15, 0.05  # maximum distance of the middles, or left edges, of both, in font sizes
RISE = 0.45  # maximum difference of their baselines, in font sizes
SPACE = 0.15  # minimum gap between words, or step backwards, in font sizes
REACH = 200  # characters between an accent and its letter
LINE_BREAKS = "\r\n\ufffe"

type Changes = dict[int, str]  # what the characters at these places become


def join_accents(page: TextPage) -> None:
    """Join accents to their letters in the text of a page."""
    changes: Changes = {}
    for run in ACCENTS.finditer(page.text) if ACCENT.search(page.text) else ():
        places = [place for place in range(*run.span()) if page.text[place] != " "]
        joined = [_join_accent(page, place, changes) for place in places]
        if all(joined):
            changes |= _drop_spaces(page, *run.span())
    if changes:
        page.change(changes)


def _join_accent(page: TextPage, place: int, changes: Changes) -> bool:
    """Join the accent at a place to its letter; return whether there is one."""
    letter = _find_letter(page, place)
    if letter is None:
        return False
    base = changes.get(letter, page.text[letter]).translate(DOTLESS)
    changes[letter] = unicodedata.normalize("NFC", base + COMBINING[page.text[place]])
    changes[place] = ""
    return True


def _find_letter(page: TextPage, place: int) -> int | None:
    """The letter above or below which an accent is, on the same line."""
    left, _, right, _ = page.box(place)
    base, size = page.level(place)
    for step in (1, -1):
        for letter in range(place + step, place + step * REACH, step):
            if not 0 <= letter < len(page.text) or page.text[letter] in LINE_BREAKS:
                break
            start, _, end, _ = page.box(letter)
            if end < left or (step > 0 and start > right):
                break
            apart = min(abs(start + end - left - right) / 2 - ALIGNED * size, abs(start - left) - LEFT_ALIGNED * size)
            if page.text[letter].isalpha() and apart <= 0 and abs(page.level(letter)[0] - base) <= RISE * size:
                return letter
    return None


def _drop_spaces(page: TextPage, start: int, end: int) -> Changes:
    """The spaces around accents that are not between words: PDFium adds them where it puts an accent."""
    spaces = [place for place in range(start, end) if page.text[place] == " "]
    if start > 0 and end < len(page.text) and not {page.text[start - 1], page.text[end]} & set(LINE_BREAKS):
        gap = page.box(end)[0] - page.box(start - 1)[2]
        if abs(gap) > SPACE * page.level(end)[1]:
            spaces = spaces[1:]
    return dict.fromkeys(spaces, "")
