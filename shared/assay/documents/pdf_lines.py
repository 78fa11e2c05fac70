"""Text lines of a PDF page with their positions, from PDFium's text page (fpdf_text.h)."""

import ctypes
import re
from collections.abc import Sequence
from typing import NamedTuple

from assay.documents.pdf_objects import Box
from assay.documents.pdfium import pdfium

PIECES = re.compile(r"[^\r\n\ufffe]+\ufffe?")
BROKEN = "\ufffe"  # PDFium's character for a hyphen at the end of a line
LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": "", "\x02": "-"}
)
GUTTER = 1.2  # times the text height; spaces between words are narrower
MIN_GUTTERS = 3


class PdfLine(NamedTuple):
    """A line's text and position, in points from the lower left corner of the page. `bottom` is the baseline."""

    text: str
    left: float
    right: float
    bottom: float
    size: float  # effective font size of the first character, in points
    hyphen: bool = False  # the line ends within a word
    cells: tuple[str, ...] = ()  # the cells, if the line is a table row

    @property
    def top(self) -> float:
        return self.bottom + self.size


class TextPage:
    """The text of one page with access to the position of each character."""

    def __init__(self, page: int) -> None:
        self.ask = pdfium()
        self.handle = self.ask.Text_LoadPage(page)
        self.text, self.units = self._text() if self.handle else ("", None)

    def close(self) -> None:
        if self.handle:
            self.ask.Text_ClosePage(self.handle)

    def _text(self) -> tuple[str, Sequence[int] | None]:
        """The text and the UTF-16 index of each character; None instead if both indices are equal."""
        count = self.ask.Text_CountChars(self.handle)
        buffer = (ctypes.c_ushort * (max(count, 0) + 1))()
        written = self.ask.Text_GetText(self.handle, 0, count, ctypes.addressof(buffer)) if count > 0 else 0
        text = bytes(memoryview(buffer).cast("B")[: max(0, written - 1) * 2]).decode("utf-16-le", "replace")
        if len(text) == count:
            return text, None
        units, unit = [], 0
        for letter in text:
            units.append(unit)
            unit += 2 if letter > "\uffff" else 1
        return text, units

    def read(self, start: int, end: int) -> str:
        """The text of a line."""
        return self.text[start:end]

    def index(self, place: int) -> int:
        return self.ask.Text_GetCharIndexFromTextIndex(self.handle, self.units[place]) if self.units else place

    def box(self, place: int) -> list[float]:
        """Left, top, right, bottom of a character, with the height of its font; zeros if it has no box."""
        ask = self.ask
        if not ask.Text_GetLooseCharBox(self.handle, self.index(place), ask.four_floats[0]):
            return [0.0, 0.0, 0.0, 0.0]
        found: list[float] = ask.floats.tolist()
        return found

    def span(self, start: int, end: int) -> tuple[float, float, float, float]:
        """Left, right, baseline and font size of the characters from `start` to before `end`.

        Baseline and size are those of the first character: the ascents and descents that fonts declare differ.
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


def extract_lines(page: TextPage, boxes: list[Box]) -> list[PdfLine]:
    """Return the lines in the order of the file; lines that span several columns are split at the gaps."""
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
            spans = _split_spans(page, start, end)
            found += [_build_line(page, one, two, hyphen and two == end) for one, two in spans]
        else:
            found.append(_build_line(page, start, end, hyphen))
    return found


def _build_line(page: TextPage, start: int, end: int, hyphen: bool) -> PdfLine:
    words = page.read(start, end)
    if not words.isascii() or "\x02" in words:
        words = words.translate(LIGATURES)
    return PdfLine(words, *page.span(start, end), hyphen)


def _has_gutters(boxes: list[Box]) -> bool:
    """Whether consecutive text objects on one line are as far apart as columns, at least MIN_GUTTERS times."""
    found = 0
    before_left = before_right = before_bottom = -1e9
    for left, bottom, right, top in boxes:
        if -3 < bottom - before_bottom < 3:
            gap = left - before_right
            found += gap > GUTTER * max(4.0, top - bottom) or right < before_left - 4
        before_left, before_right, before_bottom = left, right, bottom
    return found >= MIN_GUTTERS


def _split_spans(page: TextPage, start: int, end: int) -> list[tuple[int, int]]:
    """Split a line at gaps that are wider than a space; return (start, end) pairs."""
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
