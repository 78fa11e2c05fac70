"""A PDF page's lines with their places, from PDFium's text page."""

import ctypes
import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.documents.pdf_hidden import Box
from assay.documents.pdfium import pdfium

PIECES = re.compile(r"[^\r\n\ufffe]+\ufffe?")
BROKEN = "\ufffe"  # PDFium's sign for a hyphen at the end of a line
LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": "", "\x02": "-"}
)
GUTTER = 1.2  # times the letters' height: what no space between words is
LEAST_GUTTERS = 3


class PdfLine(NamedTuple):
    """A line's text and where it stands, in points from the page's lower left corner. `bottom` is its baseline."""

    text: str
    left: float
    right: float
    bottom: float
    size: float  # of its first letter's font, as seen
    hyphen: bool = False  # it ends in the middle of a word
    cells: tuple[str, ...] = ()  # of a table's row

    @property
    def top(self) -> float:
        return self.bottom + self.size


class TextPage:
    """One page's letters, by their place in its text."""

    def __init__(self, page: int) -> None:
        self.ask = pdfium()
        self.handle = self.ask.Text_LoadPage(page)
        self.text, self.units = self._text() if self.handle else ("", None)

    def close(self) -> None:
        if self.handle:
            self.ask.Text_ClosePage(self.handle)

    def _text(self) -> tuple[str, Sequence[int] | None]:
        """The text, and each letter's place in UTF-16: None where that is also PDFium's index of the letter."""
        count = self.ask.Text_CountChars(self.handle)
        room = (ctypes.c_ushort * (max(count, 0) + 1))()
        got = self.ask.Text_GetText(self.handle, 0, count, ctypes.addressof(room)) if count > 0 else 0
        text = bytes(memoryview(room).cast("B")[: max(0, got - 1) * 2]).decode("utf-16-le", "replace")
        if len(text) == count:
            return text, None
        units, unit = [], 0
        for letter in text:
            units.append(unit)
            unit += 2 if letter > "\uffff" else 1
        return text, units

    def index(self, place: int) -> int:
        return self.ask.Text_GetCharIndexFromTextIndex(self.handle, self.units[place]) if self.units else place

    def box(self, place: int) -> list[float]:
        """left, top, right, bottom of a letter, with its font's height; zeros when it has none."""
        ask = self.ask
        if not ask.Text_GetLooseCharBox(self.handle, self.index(place), ask.four_floats[0]):
            return [0.0, 0.0, 0.0, 0.0]
        found: list[float] = ask.floats.tolist()
        return found

    def span(self, start: int, end: int) -> tuple[float, float, float, float]:
        """Left, right, baseline and size of the letters from `start` to before `end`.

        The baseline and size are the first one's: fonts differ in how high and deep they say they are.
        """
        ask, handle, places = self.ask, self.handle, self.ask.four_floats[0]
        first, last = (self.index(start), self.index(end - 1)) if self.units else (start, end - 1)
        left = right = bottom = 0.0
        if ask.Text_GetLooseCharBox(handle, first, places):
            left, _, right, _ = ask.floats.tolist()
        if ask.Text_GetLooseCharBox(handle, last, places):
            left_, _, right_, _ = ask.floats.tolist()
            left, right = min(left, left_), max(right, right_)
        size = ask.Text_GetFontSize(handle, first)
        if ask.Text_GetMatrix(handle, first, ask.six_place):
            _, _, c, d, _, bottom = ask.six.tolist()
            size *= abs(d) if not c else (c * c + d * d) ** 0.5
        return left, right, bottom, size


def lines_of(page: TextPage, boxes: list[Box]) -> list[PdfLine]:
    """The lines in the file's own order; those that run over several columns are split at the gaps."""
    text = page.text
    split = _has_gutters(boxes)
    found: list[PdfLine] = []
    for piece in PIECES.finditer(text):
        whole = piece[0]
        words = whole.rstrip(" \t\ufffe")
        start, end = piece.start(), piece.start() + len(words)
        start += len(words) - len(words.lstrip())
        if start >= end:
            continue
        hyphen = whole[-1] == BROKEN
        if split:
            spans = _spans(page, start, end)
            found += [_line(page, one, two, hyphen and two == end) for one, two in spans]
        else:
            found.append(_line(page, start, end, hyphen))
    return found


def _line(page: TextPage, start: int, end: int, hyphen: bool) -> PdfLine:
    words = page.text[start:end]
    if not words.isascii() or "\x02" in words:
        words = words.translate(LIGATURES)
    return PdfLine(words, *page.span(start, end), hyphen)


def _has_gutters(boxes: list[Box]) -> bool:
    """Whether text objects that follow each other on one line stand apart as columns do, several times."""
    found = 0
    before_left = before_right = before_bottom = -1e9
    for left, bottom, right, top in boxes:
        if -3 < bottom - before_bottom < 3:
            gap = left - before_right
            found += gap > GUTTER * max(4.0, top - bottom) or right < before_left - 4
        before_left, before_right, before_bottom = left, right, bottom
    return found >= LEAST_GUTTERS


def _spans(page: TextPage, start: int, end: int) -> list[tuple[int, int]]:
    """The line's pieces between gaps too wide for a space."""
    text, spans, begin, place = page.text, [], start, start
    while (place := text.find(" ", place, end)) > 0:
        before = place
        while place < end and text[place] == " ":
            place += 1
        one, two = page.box(before - 1), page.box(place)
        if two[0] - one[2] > GUTTER * max(4.0, one[1] - one[3]):
            spans.append((begin, before))
            begin = place
    return [*spans, (begin, end)]
