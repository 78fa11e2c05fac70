"""Divides the text of a PDF page into lines with their positions."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from assay.documents.pdf_algorithms import Algorithm, build_steps
from assay.documents.pdf_code_numbers import drop_code_numbers
from assay.documents.pdf_fixed import has_equal_widths, has_usual_pitch, place_letters, skip_line_number
from assay.documents.pdf_fonts import FontStyle
from assay.documents.pdf_gaps import CELL_GAP, JOINED, split_spans
from assay.documents.pdf_grids import Grid, split_at_edges
from assay.documents.pdf_justified import find_justified, has_even_gaps
from assay.documents.pdf_line_numbers import drop_small_numbers
from assay.documents.pdf_narrow_gaps import split_at_narrow_gaps
from assay.documents.pdf_objects import Box
from assay.documents.pdf_rows import find_rows
from assay.documents.pdf_text_page import PdfLine, Place, TextPage, join_cells

PIECES = re.compile(r"[^\r\n\ufffe]+\ufffe?")
BROKEN = "\ufffe"  # PDFium's character for a hyphen at the end of a line
CUT = re.compile(r"[^\W\d_]\u2010$")  # what it leaves there
LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": "", "\x02": "-"}
    | dict.fromkeys("\uf0b7\uf0a7\uf0a8\uf0d8\uf0fc\uf06c\uf06e\uf071\uf076", "•")  # Symbol and Wingdings, of Word
    | {"\uf0e0": "→", "\uf0e8": "→"}
)
MARKER = re.compile(r"(?:[•◦▪‣●○■□⁃∙·▶►➢➤◆❖✓✔]|\(?\w{1,3}[.)])\s*(?=\S)")
RAISED, RAISED_END = "\x03", "\x04"  # around a raised number, as `pdf_notes` marks it
BULLET_ALONE = re.compile(r"[•◦▪‣●○■□⁃∙·▶►➢➤◆❖✓✔–—−]\s")
GUTTER = 1.2  # times the text height; spaces between words are narrower
CELL_LETTERS = 40  # of a cell
FAR, LONG = 1.5, 8.0  # the same for texts on different lines, of which one is at least as long, in text heights
MIN_GUTTERS = 3
CODE_GAP = 10.0  # the most space within a line of code, relative to the size of the text
SMALLER = 0.85  # maximum size of a raised or lowered character relative to the text beside it
NEAR, WIDE = 0.6, 0.15  # maximum gap within a line, and minimum gap of a space, relative to the size of the text
BELOW = 0.9  # minimum distance of the baselines of two lines, relative to the size of the text
LEVEL = 0.1  # maximum difference of the baselines of one line
NOTE_SIGNS = "∗*†‡§¶ "  # raised behind titles, in another font
UPRIGHT = 0.6  # mean width of characters in font sizes, below which a line may be tilted
SHORT = 8  # characters of a line of which only the first is measured
MATH_LETTERS = 30  # of a line that is in a font of formulas if its first character is
LOOKAHEAD = 4  # characters behind the middle of a line
LONGEST_BREAK, LOOKBACK = 4, 10  # characters between two lines that are one, and before their end
CLOSING = "),.;:]}"  # signs with which no line begins
ORDINARY_END = re.compile(r".[.,;:!?]|[^\W\d_]{2}")  # the end of a line without a raised or lowered character


def extract_lines(
    page: TextPage,
    places: list[Place],
    boxes: list[Box],
    grids: list[Grid],
    algorithms: Sequence[Algorithm] = (),
) -> list[PdfLine]:
    """Return the lines in the order of the file; those that span several columns or cells are split between them."""
    places = drop_code_numbers(page, join_places(page, places))
    has_gutters = _has_gutters(boxes)
    if not algorithms:
        return _extract(page, places, grids, has_gutters=has_gutters)
    found: list[PdfLine] = []
    held = [next((each for each in algorithms if each.has(page, place)), None) for place in places]
    for algorithm, group in groupby(zip(held, places, strict=True), key=itemgetter(0)):
        part = [place for _, place in group]
        if algorithm is None:
            found += _extract(page, part, grids, has_gutters=has_gutters)
        else:
            steps = build_steps(page, part, algorithm.size, [build_line(page, *place) for place in part])
            found += [step._replace(text=step.text.translate(LIGATURES)) for step in steps]
    return found


def _extract(page: TextPage, places: list[Place], grids: list[Grid], *, has_gutters: bool) -> list[PdfLine]:
    """The lines at these places, split between columns and cells."""
    if grids:
        places = [
            (one, two, hyphen and two == end)
            for start, end, hyphen in places
            for one, two in split_at_edges(page, start, end, grids)
        ]
    if not has_gutters:
        lines = [build_line(page, *place) for place in places]
        for number, spans in find_rows(page, places, lines, grids).items():
            lines[number] = _build_row(page, spans, lines[number].hyphen)
        return lines
    return [
        build_line(page, one, two, hyphen and two == end)
        for spans, (_, end, hyphen) in zip(_split_lines(page, places), places, strict=True)
        for one, two in spans
    ]


def list_places(page: TextPage) -> list[Place]:
    """The lines between the line breaks of the text, without the space around them."""
    places: list[Place] = []
    for piece in PIECES.finditer(page.text):
        whole = piece[0]
        words = whole.rstrip(" \t\ufffe")
        is_cut = CUT.search(words) is not None
        start, end = piece.start(), piece.start() + len(words) - is_cut
        start += len(words) - len(words.lstrip())
        if start < end:
            places += _split_below(page, (start, end, is_cut or whole[-1] == BROKEN))
    return places


def _split_below(page: TextPage, place: Place) -> list[Place]:
    """Split a line before single characters that are below the one before them.

    PDFium takes characters that stand alone, such as digits in a column, for vertical writing where little of a page's
    width has text, and joins them to the line above.
    """
    start, end, hyphen = place
    base, size = page.level(start)
    if base - page.level(end - 1)[0] < BELOW * size:
        return [place]
    signs = [at for at in range(start, end) if page.text[at] != " "]
    below = {two: one for one, two in pairwise(signs) if _is_below(page, one, two)}
    begins = [at for at in below if at + 1 == end or at + 1 in below or page.text[at + 1] == " "]
    ends = [below[at] + 1 for at in begins]
    return [(one, two, hyphen and two == end) for one, two in zip([start, *begins], [*ends, end], strict=True)]


def _is_below(page: TextPage, one: int, two: int) -> bool:
    """Whether the second character is below the first one, and not to the right of it."""
    (base, size), (level, _) = page.level(one), page.level(two)
    return base - level >= BELOW * size and page.box(two)[0] < page.box(one)[2]


def join_places(page: TextPage, places: list[Place]) -> list[Place]:
    """Join the lines that PDFium divides behind a raised or lowered character; their text stays as long as it is.

    Small numbers of lines are left out.
    """
    found: list[Place] = []
    pieces: list[str] = []
    done = 0
    for place in drop_small_numbers(page, places):
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
    if is_cut or end - start < 2 or two[0] - end > LONGEST_BREAK:
        return None
    if ORDINARY_END.fullmatch(page.text[end - 2 : end]) and page.text[two[0]] not in CLOSING:
        return None
    (begin, _, right, _), left = page.box(end - 1), page.box(two[0])[0]
    if left < begin:
        return None
    _, _, script, small = page.span(end - 1, end)
    spans = ((each, *page.span(each, each + 1)[2:]) for each in range(end - 2, max(start, end - LOOKBACK) - 1, -1))
    place, base, size = next((span for span in spans if small <= SMALLER * span[2]), (end, 0.0, 0.0))
    _, _, level, following = page.span(two[0], two[0] + 1)
    is_script = LEVEL * size < abs(script - base) < size
    if not is_script or left - right >= NEAR * size or abs(level - base) >= size:
        return None
    is_level = abs(level - base) <= LEVEL * size
    if not is_level and following > SMALLER * size:
        return None
    if script > base:
        page.raised_texts.append((place + 1, end))
    return (left - right) / size if is_level else NEAR  # or a raised character behind a lowered one


def _split_lines(page: TextPage, places: list[Place]) -> list[list[tuple[int, int]]]:
    """Split lines at gutters; rows of short cells, and the lines beside them, at the narrower gaps of tables too."""
    split = [split_spans(page, start, end, GUTTER) for start, end, _ in places]
    is_prose = find_justified(page, places, split)
    is_whole = [prose or _are_code(page, spans) for spans, prose in zip(split, is_prose, strict=True)]
    split = [[(spans[0][0], spans[-1][1])] if whole else spans for spans, whole in zip(split, is_whole, strict=True)]
    are_rows = [len(spans) > 1 and _are_cells(spans) for spans in split]
    for place, (start, end, _) in enumerate(places):
        if any(are_rows[max(0, place - 1) : place + 2]) and not is_whole[place]:
            spans = split_spans(page, start, end, CELL_GAP)
            split[place] = spans if _are_cells(spans) and not has_even_gaps(page, start, end) else split[place]
    split_at_narrow_gaps(page, split, [len(spans) > 1 and _are_cells(spans) for spans in split])
    return split


def _are_cells(spans: list[tuple[int, int]]) -> bool:
    return all(end - start <= CELL_LETTERS for start, end in spans)


def _are_code(page: TextPage, spans: list[tuple[int, int]]) -> bool:
    """Whether the parts of a line are in a font of a fixed pitch, and not as far apart as columns of text."""
    for one, two in pairwise(spans):
        if page.box(two[0])[0] - page.box(one[1] - 1)[2] > CODE_GAP * page.level(two[0])[1]:
            return False
    first, *others = spans
    code = others if page.text[first[0] : first[1]].isdigit() else spans  # behind the number of the line
    return all(read_style(page, start, end, page.level(end - 1)[1]).is_fixed for start, end in code)


def build_line(page: TextPage, start: int, end: int, hyphen: bool) -> PdfLine:
    words = page.read(start, end)
    if not words.isascii() or "\x02" in words:
        words = words.translate(LIGATURES)
    left, right, bottom, size = page.span(start, end)
    words = page.order(words) if page.has_right else words
    if words.startswith(RAISED):
        bottom, size = page.level(end - 1)
    elif MARKER.match(words) and not words.endswith(RAISED_END):
        size = page.level(end - 1)[1]  # bullets and numbers of lists are often larger or smaller than their text
    elif end - start >= SHORT:
        bottom, size = _measure_usual_level(page, start, end, bottom, size)
    style = read_style(page, start, end, size)
    if style.is_fixed and not page.is_listed(start):
        words = place_letters(page, start, end).translate(LIGATURES)
        words = page.order(words) if page.has_right else words
    is_math = style.is_math or (end - start <= MATH_LETTERS and page.style(start).is_math)
    is_narrow = right - left < UPRIGHT * size * (end - start) and end - start > 2
    is_tilted = is_narrow and page.is_tilted(start)
    return PdfLine(
        *(words, left, right, bottom, size, hyphen),
        is_bold=style.is_bold,
        is_italic=style.is_italic,
        is_fixed=style.is_fixed,
        is_tilted=is_tilted,
        is_math=is_math,
    )


def _build_row(page: TextPage, spans: list[tuple[int, int]], hyphen: bool) -> PdfLine:
    """The row of a table, with its cells."""
    return join_cells([build_line(page, start, end, hyphen=False) for start, end in spans], hyphen=hyphen)


def _measure_usual_level(page: TextPage, start: int, end: int, bottom: float, size: float) -> tuple[float, float]:
    """Baseline and size of a line: those of its first character, unless the middle and the end agree on others."""
    middle = (start + end) // 2
    base, usual = page.level(middle + 1 if page.text[middle] in (" ", JOINED) and middle + 1 < end else middle)
    if abs(usual - size) <= 0.01 * usual or abs(usual - page.level(end - 1)[1]) > 0.01 * usual:
        return bottom, size
    return (base if size < SMALLER * usual else bottom), usual


def _find_middle(text: str, start: int, end: int) -> int:
    """The place of a letter or digit in the middle of a line, which signs between them are not always like."""
    middle = (start + end) // 2
    return next((place for place in range(middle, min(end, middle + LOOKAHEAD)) if text[place].isalnum()), middle)


def read_style(page: TextPage, start: int, end: int, size: float) -> FontStyle:
    """The style that a line has from its beginning to its end, told by its middle, first and last character.

    Whether it is a formula is told by its middle alone.
    """
    middle = page.style(_find_middle(page.text, start, end))
    if page.listings and page.is_listed(start):
        return middle._replace(is_bold=False, is_italic=False, is_fixed=True)
    if middle.is_named and not (middle.is_bold or middle.is_italic or middle.is_fixed):
        return middle
    start = skip_line_number(page, start, end, size)
    end = max(start + 1, start + len(page.text[start:end].rstrip(NOTE_SIGNS)))
    styles = (middle, page.style(start), page.style(end - 1))
    is_fixed = all(style.is_fixed for style in styles)
    may_be_fixed = middle.is_fixed or (not middle.is_named and has_equal_widths(page, start, end))
    if not is_fixed and may_be_fixed and not BULLET_ALONE.match(page.text, start):
        is_fixed = has_usual_pitch(page, start, end, size)  # some of the signs are in another font
    return middle._replace(
        is_bold=all(style.is_bold for style in styles),
        is_italic=all(style.is_italic for style in styles),
        is_fixed=is_fixed,
    )


def _has_gutters(boxes: list[Box]) -> bool:
    """Whether consecutive text objects are as far apart as columns, at least MIN_GUTTERS times.

    Cells that are centred in their rows are beside each other on different lines. Parts of formulas are as well, but do
    not begin at one place.
    """
    found = 0
    beside: Counter[int] = Counter()
    before_left = before_right = before_bottom = before_top = -1e9
    for left, bottom, right, top in boxes:
        if -3 < bottom - before_bottom < 3:
            found += left - before_right > GUTTER * max(4.0, top - bottom) or right < before_left - 4
        elif top > before_bottom and left - before_right > FAR * (top - bottom):
            is_long = max(right - left, before_right - before_left) > LONG * (top - bottom)
            beside[round(left / 2)] += is_long or bottom > before_top
        before_left, before_right, before_bottom, before_top = left, right, bottom, top
    return found >= MIN_GUTTERS or max(beside.values(), default=0) >= MIN_GUTTERS
