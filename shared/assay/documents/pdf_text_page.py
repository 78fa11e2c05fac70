"""The text of a PDF page with the position and font of each character, from PDFium (fpdf_text.h)."""

import ctypes
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

from assay.documents.pdf_bidi_text import restore_order
from assay.documents.pdf_fonts import FontReader, FontStyle
from assay.documents.pdf_objects import Box
from assay.documents.pdf_tags import Tag
from assay.documents.pdfium import pdfium

type Page = tuple[Box, list["PdfLine"]]  # its box and its lines
type Place = tuple[int, int, bool]  # a line in the text of the page: its start, its end, whether it ends in a word

TILT = 0.2  # minimum slope of a tilted baseline


class PdfLine(NamedTuple):
    """A line's text and position, in points from the lower left corner of the page. `bottom` is the baseline."""

    text: str
    left: float
    right: float
    bottom: float
    size: float  # effective font size of the first character, in points
    hyphen: bool = False  # the line ends within a word
    cells: tuple["PdfLine", ...] = ()  # the cells, if the line is a table row; the lines, if it is a cell of several
    is_bold: bool = False  # in a bold font from its beginning to its end
    is_italic: bool = False  # in an italic font, likewise
    is_fixed: bool = False  # in a font whose characters all have one width
    is_tilted: bool = False  # neither from left to right nor from right to left
    table: int = 0  # the number of the table on its page, if the line is a row with a cell for each column
    is_math: bool = False  # its middle is in a font of formulas
    is_formula: bool = False  # a displayed formula
    tag: Tag | None = None  # what the tags of the page say about it

    @property
    def top(self) -> float:
        return self.bottom + self.size


def join_cells(cells: Sequence[PdfLine], *, hyphen: bool) -> PdfLine:
    """The row of these cells, which ends within a word if `hyphen` is true."""
    text = " ".join(cell.text for cell in cells)
    return cells[0]._replace(text=text, right=cells[-1].right, hyphen=hyphen, cells=tuple(cells), is_fixed=False)


class TextPage:
    """The text of one page with access to the position of each character."""

    def __init__(self, page: int) -> None:
        self.ask = pdfium()
        self.handle = self.ask.Text_LoadPage(page)
        self.is_complete = False  # whether it has the control characters that PDFium leaves out of the text of a page
        self.text, self.units = self._text() if self.handle else ("", None)
        self.fonts = FontReader(self.handle)
        self.has_right = False  # whether some of the letters are from right to left
        self.mirror: float | None = None  # the sum of the edges of a page that is read as in a mirror
        self.listings: list[tuple[int, int]] = []  # the first and last character of lines that `pdf_listings` found
        self.missing_spaces: list[int] = []  # the places before which the text should have a space
        self.raised_texts: list[
            tuple[int, int]
        ] = []  # the places of raised text within lines that were joined behind it

    @cached_property
    def is_recognised(self) -> bool:
        """Whether the page begins with text of a scan, in a font without glyphs."""
        return bool(self.text) and self.style(0).is_glyphless

    def close(self) -> None:
        if self.handle:
            self.ask.Text_ClosePage(self.handle)

    def _text(self) -> tuple[str, Sequence[int] | None]:
        """The text and the UTF-16 index of each character; None instead if both indices are equal."""
        count = self.ask.Text_CountChars(self.handle)
        buffer = (ctypes.c_ushort * (max(count, 0) + 1))()
        written = self.ask.Text_GetText(self.handle, 0, count, ctypes.addressof(buffer)) if count > 0 else 0
        if 1 < written <= count:
            self.is_complete = True
            for place in range(count):
                buffer[place] = self.ask.Text_GetUnicode(self.handle, place) & 0xFFFF
            written = count + 1
        text = bytes(memoryview(buffer).cast("B")[: max(0, written - 1) * 2]).decode("utf-16-le", "replace")
        if len(text) == count:
            return text, None
        units, unit = [], 0
        for letter in text:
            units.append(unit)
            unit += 2 if letter > "\uffff" else 1
        return text, units

    def change(self, changes: dict[int, str]) -> None:
        """Change the characters at these places of the text; what they become has their position."""
        units = self.units or range(len(self.text))
        pieces = [changes.get(place, letter) for place, letter in enumerate(self.text)]
        self.units = [unit for unit, piece in zip(units, pieces, strict=True) for _ in piece]
        if self.missing_spaces:
            starts = [0, *accumulate(map(len, pieces))]
            self.missing_spaces = [starts[place] for place in self.missing_spaces]
        self.text = "".join(pieces)

    def read(self, start: int, end: int) -> str:
        """The text of a line."""
        text, spaces = self.text[start:end], self.list_missing_spaces(start, end)
        if not spaces:
            return text
        pieces = [text[one:two] for one, two in pairwise([0, *spaces, len(text)])]
        return " ".join(pieces)

    def is_listed(self, place: int) -> bool:
        """Return whether a character is in a line of a listing in a proportional font."""
        character = self.index(place) if self.listings else 0
        return any(first <= character <= last for first, last in self.listings)

    def turn(self, box: Box) -> Box:
        """Return a box of the page as its text is read."""
        left, bottom, right, top = box
        return box if self.mirror is None else (self.mirror - right, bottom, self.mirror - left, top)

    def order(self, words: str) -> str:
        """Return the text of a line in the order of reading; the page has its characters by their places."""
        return restore_order(words, is_mirrored=self.mirror is not None)

    def list_missing_spaces(self, start: int, end: int) -> list[int]:
        """Where a line that begins at `start` should have spaces."""
        places = self.missing_spaces
        if not places:
            return places
        return [place - start for place in places[bisect_right(places, start) : bisect_left(places, end)]]

    def join_raised(self, lines: list[PdfLine]) -> list[PdfLine]:
        """Return the lines of the page, in which a kind of text page may join raised numbers to their lines."""
        return lines

    def mark_raised(self, _before: str, raised: str) -> str:
        """Return a raised text that follows a text, which a kind of text page may mark as raised."""
        return raised

    def index(self, place: int) -> int:
        if self.units is None or self.is_complete:
            return place if self.units is None else self.units[place]
        index: int = self.ask.Text_GetCharIndexFromTextIndex(self.handle, self.units[place])
        return index

    def box(self, place: int) -> list[float]:
        """Left, top, right, bottom of a character, with the height of its font; zeros if it has no box."""
        ask = self.ask
        if not ask.Text_GetLooseCharBox(self.handle, self.index(place), ask.four_floats[0]):
            return [0.0, 0.0, 0.0, 0.0]
        found: list[float] = ask.floats.tolist()
        if self.mirror is not None:
            found[0], found[2] = self.mirror - found[2], self.mirror - found[0]
        return found

    def span(self, start: int, end: int) -> tuple[float, float, float, float]:
        """Left, right, baseline and font size of the characters from `start` to before `end`.

        Baseline and size are those of the first character: the ascents and descents that fonts declare differ.
        """
        ask, handle, places = self.ask, self.handle, self.ask.four_floats[0]
        first, last = (self.index(start), self.index(end - 1)) if self.units else (start, end - 1)
        left = right = 0.0
        if ask.Text_GetLooseCharBox(handle, first, places):
            left, _, right, _ = ask.floats.tolist()
        if ask.Text_GetLooseCharBox(handle, last, places):
            left_, _, right_, _ = ask.floats.tolist()
            left, right = min(left, left_), max(right, right_)
        if self.mirror is not None:
            left, right = self.mirror - right, self.mirror - left
        return left, right, *self._level(first)

    def level(self, place: int) -> tuple[float, float]:
        """Baseline and font size of a character."""
        return self._level(self.index(place))

    def _level(self, character: int) -> tuple[float, float]:
        ask, bottom = self.ask, 0.0
        size = ask.Text_GetFontSize(self.handle, character)
        if ask.Text_GetMatrix(self.handle, character, ask.six_place):
            _, _, c, d, _, bottom = ask.six.tolist()
            size *= abs(d) if not c else (c * c + d * d) ** 0.5
        return bottom, size

    def drawn_bottom(self, place: int) -> float:
        """The lowest point of a character as it is drawn; its baseline if that is unknown."""
        character, ask = self.index(place), self.ask
        if not ask.Text_GetCharBox(self.handle, character, *ask.four_doubles):
            return self._level(character)[0]
        bottom: float = ask.doubles[2]
        return bottom

    def is_tilted(self, place: int) -> bool:
        """Whether the baseline of a character is not horizontal."""
        if not self.ask.Text_GetMatrix(self.handle, self.index(place), self.ask.six_place):
            return False
        across, up, *_ = self.ask.six.tolist()
        return bool(abs(up) > TILT * abs(across))

    def style(self, place: int) -> FontStyle:
        """The font of a character."""
        return self.fonts.read(self.index(place))

    def font(self, place: int) -> int:
        """The handle of the font of a character; 0 if PDFium added the character."""
        thing = self.ask.Text_GetTextObject(self.handle, self.index(place))
        return self.ask.TextObj_GetFont(thing) or 0 if thing else 0
