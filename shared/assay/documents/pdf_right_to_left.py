"""Pages with text from right to left: PDFium reports its words, signs and numbers in a mixed order.

The characters of a line are sorted by their places, so that columns, cells and gaps are found as in other text, and
`pdf_bidi_text` puts those of each line in order. A page that is mostly from right to left is read as in a mirror: its
lines begin on the left then, and the first of its columns is there.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from assay.documents.pdf_bidi_text import RIGHT, is_from_right
from assay.documents.pdf_hidden import multiply, read_page_box
from assay.documents.pdf_objects import Box, PdfPath
from assay.documents.pdf_text_page import TextPage

LINE = re.compile(r"[^\r\n\ufffe]+")
BLANK = " \t\xa0\xad"
SPACE = 0.15  # minimum gap between words, in font sizes
NARROW, WIDE = 0.04, 0.5  # the same where PDFium has a space, or none
LAM, ALEFS = "\u0644", "\u0622\u0623\u0625\u0627"  # drawn as one sign
LEVEL = 3.0  # points within which objects are on one line
UNMIRRORED = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass
class _Sign:
    """A character with those drawn on it or with it: their places in the text, and in the order of its letters."""

    left: float
    right: float
    places: list[int]
    first: int
    last: int


def mirror_page(page: int, text: TextPage) -> None:
    """Read a page as in a mirror if it is mostly from right to left."""
    if RIGHT.search(text.text):
        text.has_right = True
        if is_from_right(text.text):
            left, _, right, _ = read_page_box(page)
            text.mirror = left + right


def mirror_objects(text: TextPage, boxes: list[Box], paths: list[PdfPath]) -> tuple[list[Box], list[PdfPath]]:
    """The boxes of the text objects of a page, and its paths, as its text is read."""
    if text.mirror is None:
        return boxes, paths
    mirror = (-1.0, 0.0, 0.0, 1.0, text.mirror, 0.0)
    turned = list(map(text.turn, boxes))
    lines: list[list[Box]] = []
    for box in turned:
        if lines and abs(lines[-1][-1][1] - box[1]) < LEVEL:
            lines[-1].append(box)
        else:
            lines.append([box])
    return (
        [box for line in lines for box in sorted(line)],
        [PdfPath(thing, multiply(mirror, matrix or UNMIRRORED)) for thing, matrix in paths],
    )


def sort_letters(page: TextPage) -> None:
    """Sort the characters of the lines that have letters from right to left, or of all lines of a mirrored page."""
    if not page.has_right:
        return
    units = page.units or range(len(page.text))
    pieces: list[tuple[str, int]] = []
    done = 0
    for line in LINE.finditer(page.text):
        start, end = line.span()
        if page.mirror is None and not RIGHT.search(page.text, start, end):
            continue
        pieces += zip(page.text[done:start], units[done:start], strict=True)
        pieces += [(letter, units[place]) for letter, place in _sort_line(page, start, end)]
        done = end
    pieces += zip(page.text[done:], units[done:], strict=True)
    page.text = "".join(letter for letter, _ in pieces)
    page.units = [unit for _, unit in pieces]


def _sort_line(page: TextPage, start: int, end: int) -> Iterator[tuple[str, int]]:
    """The characters of a line from left to right, with their places in the text."""
    signs, spaced = _list_signs(page, start, end)
    before: _Sign | None = None
    for sign in sorted(signs, key=lambda sign: sign.left + sign.right):
        if before is not None and _is_space_between(page, before, sign, spaced):
            yield " ", sign.places[0]
        places = sign.places
        is_right = RIGHT.match(page.text, places[0]) is not None
        if len(places) > 1 and is_right is (page.mirror is None):  # its line will be turned
            places = places[::-1]
        yield from ((page.text[place], place) for place in places)
        before = sign


def _list_signs(page: TextPage, start: int, end: int) -> tuple[list[_Sign], set[int]]:
    """The signs of a line in the order of its letters, and the numbers of the letters behind a space."""
    signs: list[_Sign] = []
    marks: list[tuple[float, int, int]] = []
    spaced: set[int] = set()
    number = 0
    for place in range(start, end):
        letter = page.text[place]
        if letter in BLANK:
            spaced.update((number,) * (letter != "\xad"))
            continue
        left, _, right, _ = page.box(place)
        last = signs[-1] if signs else None
        if unicodedata.category(letter) == "Mn":
            marks.append(((left + right) / 2, place, number))
        elif last is not None and (left, right) == (last.left, last.right) and left < right:
            last.places.insert(0 if _is_ligature_turned(page, last, letter) else len(last.places), place)
            last.last = number
        else:
            signs.append(_Sign(left, right, [place], number, number))
        number += 1
    _add_marks(signs, marks)
    return signs, spaced


def _is_ligature_turned(page: TextPage, sign: _Sign, letter: str) -> bool:
    return letter == LAM and page.text[sign.places[-1]] in ALEFS


def _add_marks(signs: list[_Sign], marks: list[tuple[float, int, int]]) -> None:
    """Add vowels and other marks to the nearest signs."""
    ordered = sorted(signs, key=lambda sign: sign.left + sign.right)
    middles = [(sign.left + sign.right) / 2 for sign in ordered]
    for middle, place, number in marks:
        at = bisect_left(middles, middle)
        near = ordered[max(0, at - 1) : at + 1]
        if near:
            sign = min(near, key=lambda sign: abs(sign.left + sign.right - 2 * middle))
            sign.places.append(place)
            sign.first, sign.last = min(sign.first, number), max(sign.last, number)


def _is_space_between(page: TextPage, one: _Sign, two: _Sign, spaced: set[int]) -> bool:
    """Whether a space is between two signs beside each other: PDFium has it, or they are apart."""
    gap, least = two.left - one.right, SPACE
    for before, behind in ((one, two), (two, one)):
        if behind.first == before.last + 1:
            least = NARROW if behind.first in spaced else WIDE
    return gap > 0 and gap > least * page.level(two.places[0])[1]
