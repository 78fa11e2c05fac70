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
MARKER = re.compile(r"(?:[•◦▪‣●○■□⁃∙·]|\(?\w{1,3}[.)])\s*(?=\S)")
RAISED, RAISED_END = "\x03", "\x04"  # around a raised number, as `pdf_notes` marks it
GUTTER = 1.2  # times the text height; spaces between words are narrower
CELL_GAP, CELL_LETTERS = 0.7, 40  # the gap between cells of a table, and the length of a cell
MIN_GUTTERS = 3
SMALLER = 0.85  # maximum size of a raised or lowered character relative to the text beside it
JOINED = "\u00ad"  # in place of a line break that is none; no text of a line keeps it
NEAR, WIDE = 0.6, 0.15  # maximum gap within a line, and minimum gap of a space, relative to the size of the text
LEVEL = 0.1  # maximum difference of the baselines of one line
LONGEST_BREAK, LOOKBACK = 4, 10  # characters between two lines that are one, and before their end
ORDINARY_END = re.compile(r".[.,;:!?]|[^\W\d_]{2}")  # the end of a line without a raised or lowered character

type Place = tuple[int, int, bool]  # a line in the text of the page: its start, its end, whether it ends in a word


class PdfLine(NamedTuple):
    """A line's text and position, in points from the lower left corner of the page. `bottom` is the baseline."""

    text: str
    left: float
    right: float
    bottom: float
    size: float  # effective font size of the first character, in points
    hyphen: bool = False  # the line ends within a word
    cells: tuple["PdfLine", ...] = ()  # the cells, if the line is a table row

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

    def join_raised(self, lines: list[PdfLine]) -> list[PdfLine]:
        """Return the lines of the page, in which a kind of text page may join raised numbers to their lines."""
        return lines

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
    places = _join_places(page, _list_places(page.text))
    if not _has_gutters(boxes):
        return [_build_line(page, *place) for place in places]
    return [
        _build_line(page, one, two, hyphen and two == end)
        for spans, (_, end, hyphen) in zip(_split_lines(page, places), places, strict=True)
        for one, two in spans
    ]


def _list_places(text: str) -> list[Place]:
    """The lines between the line breaks of the text, without the space around them."""
    places: list[Place] = []
    for piece in PIECES.finditer(text):
        whole = piece[0]
        words = whole.rstrip(" \t\ufffe")
        start, end = piece.start(), piece.start() + len(words)
        start += len(words) - len(words.lstrip())
        if start < end:
            places.append((start, end, whole[-1] == BROKEN))
    return places


def _join_places(page: TextPage, places: list[Place]) -> list[Place]:
    """Join the lines that PDFium divides behind a raised or lowered character; their text stays as long as it is."""
    found: list[Place] = []
    pieces: list[str] = []
    done = 0
    for place in places:
        gap = _find_gap(page, found[-1], place) if found else None
        if gap is None:
            found.append(place)
            continue
        (start, end, _), (first, last, hyphen) = found[-1], place
        found[-1] = start, last, hyphen
        space = " " if gap > WIDE else ""
        pieces += [page.text[done:end], space, JOINED * (first - end - len(space))]
        done = first
    if pieces:
        page.text = "".join([*pieces, page.text[done:]])
    return found


def _find_gap(page: TextPage, one: Place, two: Place) -> float | None:
    """The gap between two lines that are one, relative to the size of the text; None for lines that are two."""
    start, end, is_cut = one
    if is_cut or end - start < 2 or two[0] - end > LONGEST_BREAK or ORDINARY_END.fullmatch(page.text[end - 2 : end]):
        return None
    (begin, _, right, _), left = page.box(end - 1), page.box(two[0])[0]
    if left < begin:
        return None
    _, _, script, small = page.span(end - 1, end)
    before = (page.span(each, each + 1) for each in range(end - 2, max(start, end - LOOKBACK) - 1, -1))
    _, _, base, size = next((span for span in before if small <= SMALLER * span[3]), (0.0, 0.0, 0.0, 0.0))
    _, _, level, following = page.span(two[0], two[0] + 1)
    is_script = LEVEL * size < abs(script - base) < size
    if not is_script or left - right >= NEAR * size or abs(level - base) >= size:
        return None
    if abs(level - base) <= LEVEL * size:
        return (left - right) / size
    return NEAR if following <= SMALLER * size else None  # a raised character behind a lowered one


def _split_lines(page: TextPage, places: list[Place]) -> list[list[tuple[int, int]]]:
    """Split lines at gutters; rows of short cells, and the lines beside them, at the narrower gaps of tables too."""
    split = [_split_spans(page, start, end, GUTTER) for start, end, _ in places]
    are_rows = [len(spans) > 1 and _are_cells(spans) for spans in split]
    for place, (start, end, _) in enumerate(places):
        if any(are_rows[max(0, place - 1) : place + 2]):
            spans = _split_spans(page, start, end, CELL_GAP)
            split[place] = spans if _are_cells(spans) else split[place]
    return split


def _are_cells(spans: list[tuple[int, int]]) -> bool:
    return all(end - start <= CELL_LETTERS for start, end in spans)


def _build_line(page: TextPage, start: int, end: int, hyphen: bool) -> PdfLine:
    words = page.read(start, end)
    if not words.isascii() or "\x02" in words:
        words = words.translate(LIGATURES)
    left, right, bottom, size = page.span(start, end)
    if words.startswith(RAISED):
        _, _, bottom, size = page.span(end - 1, end)
    elif MARKER.match(words) and not words.endswith(RAISED_END):
        size = page.span(end - 1, end)[3]  # bullets and numbers of lists are often larger or smaller than their text
    return PdfLine(words, left, right, bottom, size, hyphen)


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


def _split_spans(page: TextPage, start: int, end: int, gutter: float) -> list[tuple[int, int]]:
    """Split a line at gaps that are wider than a space; return (start, end) pairs."""
    text, spans, begin, place = page.text, [], start, start
    while (place := text.find(" ", place, end)) > 0:
        before = place
        while place < end and text[place] in (" ", JOINED):
            place += 1
        one, two = page.box(before - 1), page.box(place)
        if two[0] - one[2] > gutter * max(4.0, one[1] - one[3], two[1] - two[3]):  # a raised number is low
            spans.append((begin, before))
            begin = place
    return [*spans, (begin, end)]
