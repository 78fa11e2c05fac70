"""Lines of PDFs in fonts whose characters all have one width: the spaces between their words, which show columns."""

import re
from itertools import pairwise

from assay.documents.pdf_text_page import PdfLine, TextPage

PITCHES = (
    (0.597, 0.605),
    (0.548, 0.552),
    (0.523, 0.527),
)  # width of a character by font size: most fonts, Consolas, TeX
MEASURED, SAME_WIDTH = 8, 0.05  # letters of a line; maximum difference of most widths, relative to the largest
NUMBERED = re.compile(r"\d{1,5}\s*(?=\S)")  # a number of a line of code, if it is small
SMALLER, LEVEL = 0.9, 0.1  # size of a number of a line, and how far it may be raised, relative to the text
MAX_SPACES = 80
WIDER, EVEN = (1.05, 1.3), 1.05  # ratio of the distance of signs to their width in listings; of one to another
MIN_STEPS, OFF_GRID = 2, 0.3  # distances that are measured; maximum difference from the place of a sign, in distances
CELLS = re.compile(r"\S+(?: \S+)*")  # words with one space between them
CELL_LETTERS = 40


def has_usual_pitch(page: TextPage, start: int, end: int, size: float) -> bool:
    """Whether a line is as wide as that many characters of a common font of a fixed pitch."""
    pitch = (page.box(end - 1)[2] - page.box(start)[0]) / ((end - start) * size) if size > 0 else 0.0
    return end - start > 2 and any(low <= pitch <= high for low, high in PITCHES)


def has_equal_widths(page: TextPage, start: int, end: int) -> bool:
    """Whether most letters and digits of a line that are measured are equally wide."""
    places = [place for place in range(start, end) if page.text[place].isalnum()]
    boxes = [page.box(place) for place in places[:: max(1, len(places) // MEASURED)]]
    widths = sorted(right - left for left, _, right, _ in boxes)
    return bool(widths) and widths[3 * len(widths) // 4] - widths[len(widths) // 4] <= SAME_WIDTH * widths[-1]


def skip_line_number(page: TextPage, start: int, end: int, size: float) -> int:
    """Return where the text of a line of `size` begins, behind a smaller number."""
    found = NUMBERED.match(page.text, start, end)
    if found is None:
        return start
    (base, small), (bottom, _) = page.level(start), page.level(found.end())
    return found.end() if small < SMALLER * size and abs(base - bottom) < LEVEL * size else start


def place_letters(page: TextPage, start: int, end: int) -> str:
    """Return the text of a line with as many spaces between words as their distance has room for."""
    text = page.text[start:end]
    if " " not in text:
        return text
    left, _, right, _ = page.box(end - 1)
    width = right - left
    if width <= 0:
        return text
    spaces = [(*space.span(), *_measure_around(page, start, space)) for space in re.finditer(r" +", text)]
    pitch = _measure_pitch(page, start, text, width)
    is_spaced = pitch > 0 and all(_is_on_grid(before, after, width, pitch) for _, _, before, after in spaces)
    pieces: list[str] = []
    place = 0
    for begin, last, before, after in spaces:
        count = (
            round((after[0] - before[0]) / pitch) - 1 if is_spaced else max(1, round((after[0] - before[2]) / width))
        )
        pieces += [text[place:begin], " " * min(MAX_SPACES, count)]
        place = last
    return "".join([*pieces, text[place:]])


def _measure_around(page: TextPage, start: int, space: re.Match[str]) -> tuple[list[float], list[float]]:
    """The boxes of the characters before and behind a space of a line that begins at `start`."""
    return page.box(start + space.start() - 1), page.box(start + space.end())


def _measure_pitch(page: TextPage, start: int, text: str, width: float) -> float:
    """The distance of the characters of a listing, which is more than their width; 0 of other lines.

    PDFium finds spaces between signs that a listing places so.
    """
    word = max(re.finditer(r"\S+", text), key=lambda found: len(found[0]))
    begin, last = start + word.start(), start + word.end() - 1
    if last - begin < MIN_STEPS:
        return 0.0
    pitch = (page.box(last)[0] - page.box(begin)[0]) / (last - begin)
    if not WIDER[0] * width <= pitch <= WIDER[1] * width:
        return 0.0
    lefts = [page.box(place)[0] for place in range(begin, last + 1)]
    steps = [two - one for one, two in pairwise(lefts)]
    return pitch if max(steps) <= EVEN * min(steps) else 0.0


def _is_on_grid(before: list[float], after: list[float], width: float, pitch: float) -> bool:
    """Whether two characters are about as wide as those of a listing, and as far apart as some of these."""
    steps = (after[0] - before[0]) / pitch
    fit = all((1 - SAME_WIDTH) * width <= box[2] - box[0] <= pitch for box in (before, after))
    return fit and abs(steps - round(steps)) <= OFF_GRID


def split_cells(line: PdfLine) -> PdfLine:
    """Return a typewritten line as the row of a table if its words are in columns of short cells."""
    found = list(CELLS.finditer(line.text))
    if not line.is_fixed or len(found) < 2 or any(len(cell[0]) > CELL_LETTERS for cell in found):
        return line
    pitch = (line.right - line.left) / len(line.text)
    cells = [
        line._replace(text=cell[0], left=line.left + pitch * cell.start(), right=line.left + pitch * cell.end())
        for cell in found
    ]
    return line._replace(text=" ".join(cell.text for cell in cells), cells=tuple(cells))
