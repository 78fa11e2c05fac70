"""Links of a PDF page to web addresses: annotations that cover text (ISO 32000-2 section 12.5.6.5)."""

import ctypes
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from assay.documents.ooxml import escape_target
from assay.documents.pdf_annotations import PdfAnnotation, annotate, keep_letters
from assay.documents.pdf_objects import Box
from assay.documents.pdf_text_page import PdfLine, TextPage
from assay.documents.pdfium import pdfium

URI = 3  # PDFACTION_URI
LONGEST_ADDRESS = 2_000  # bytes
MOST_LINKS = 1_000  # annotations of a page
MOST_WORK = 50_000_000  # links of a page times its characters: PDFium examines all of them to find one at a place
MARGIN = 3.0  # points by which a link may miss its text
LONGEST = 500  # characters of a line of a link
TALL = 2.5  # maximum height of a line of a link, relative to its text: more is the link of an area
LINE_ENDS = "-\u2010\u00ad\ufffe\x02 \r\n"  # between the lines of a text, with what PDFium has for hyphens there


def read_links(file: int, page: int, text: TextPage) -> list[PdfAnnotation]:
    """Return the links that have text, in the order of the text of the page."""
    ranges = sorted(
        (start, end, target)
        for boxes, target in _list_areas(file, page, text)
        for start, end in find_ranges(text, boxes)
    )
    joined: list[tuple[int, int, str]] = []
    for start, end, target in ranges:
        if joined and start < joined[-1][1]:
            continue  # what is under another link
        goes_on = bool(joined) and joined[-1][2] == target and not text.text[joined[-1][1] : start].strip(LINE_ENDS)
        joined.append((joined.pop()[0] if goes_on else start, end, target))
    return [annotate(text, start, end)._replace(target=target) for start, end, target in joined]


def set_addresses_apart_from_code(lines: Sequence[PdfLine], links: Sequence[PdfAnnotation]) -> list[PdfLine]:
    """Return the lines, of which those in a typewriter font that are a line of a linked address are none of code."""
    addresses = [link.text for link in links if keep_letters(link.text) in keep_letters(link.target)]
    known = {keep_letters(line) for address in addresses for line in address.splitlines()} - {""}
    return [
        line._replace(is_fixed=False) if line.is_fixed and keep_letters(line.text) in known else line for line in lines
    ]


def _list_areas(file: int, page: int, text: TextPage) -> Iterator[tuple[list[Box], str]]:
    """Yield the boxes and the address of each link to a web address."""
    ask, place, link = pdfium(), ctypes.c_int(0), ctypes.c_void_p()
    most = min(MOST_LINKS, MOST_WORK // max(1, len(text.text)))
    while most and ask.Link_Enumerate(page, ctypes.addressof(place), ctypes.addressof(link)):
        most -= 1
        target = _read_target(file, link.value or 0)
        if target:
            yield _read_boxes(link.value or 0), target


def _read_target(file: int, link: int) -> str:
    ask = pdfium()
    action = ask.Link_GetAction(link)
    if not action or ask.Action_GetType(action) != URI:
        return ""
    buffer = ctypes.create_string_buffer(LONGEST_ADDRESS)
    written = ask.Action_GetURIPath(file, action, ctypes.addressof(buffer), LONGEST_ADDRESS)
    return escape_target(buffer.value.decode("utf-8", "replace").strip()) if written <= LONGEST_ADDRESS else ""


def _read_boxes(link: int) -> list[Box]:
    """Return the boxes of a link: of each of its lines where the file tells them, else of all."""
    ask, boxes = pdfium(), list[Box]()
    points = (ctypes.c_float * 8)()
    for number in range(min(ask.Link_CountQuadPoints(link), MOST_LINKS)):
        if ask.Link_GetQuadPoints(link, number, ctypes.addressof(points)):
            boxes.append(read_quad(points))
    if not boxes and ask.Link_GetAnnotRect(link, ask.four_floats[0]):
        left, top, right, bottom = ask.floats.tolist()
        boxes.append((left, min(bottom, top), right, max(bottom, top)))
    return boxes


def read_quad(points: ctypes.Array[ctypes.c_float]) -> Box:
    """Return the box around four points."""
    xs, ys = points[0::2], points[1::2]
    return min(xs), min(ys), max(xs), max(ys)


def find_ranges(text: TextPage, boxes: list[Box]) -> Iterator[tuple[int, int]]:
    """Yield where the text in each box begins and ends. A box may be wider than its text."""
    for box in boxes:
        left, bottom, right, top = box
        inset, middle = min(MARGIN, (right - left) / 4), (bottom + top) / 2
        places = (find_place(text, x, middle) for x in (left + inset, right - inset))
        place = next((place for place in places if place >= 0), None)
        if place is None or top - bottom > TALL * text.level(place)[1]:
            continue
        first, last, box = place, place, text.turn(box)  # noqa: PLW2901
        while place - first < LONGEST and _goes_on(text, first - 1, box):
            first -= 1
        while last - place < LONGEST and _goes_on(text, last + 1, box):
            last += 1
        if words := text.text[first : last + 1].strip():
            start = text.text.index(words, first)
            yield start, start + len(words)


def find_place(text: TextPage, x: float, y: float) -> int:
    """Return the place of the character at a point in the text of the page; -1 if there is none."""
    ask = text.ask
    unit: int = ask.Text_GetCharIndexAtPos(text.handle, x, y, MARGIN, MARGIN)
    if unit >= 0 and not text.is_complete:
        unit = ask.Text_GetTextIndexFromCharIndex(text.handle, unit)
    if unit < 0 or text.units is None:
        return unit
    if text.has_right:  # its characters are sorted
        return next((place for place, each in enumerate(text.units) if each == unit), -1)
    return bisect_left(text.units, unit)


def _goes_on(text: TextPage, place: int, box: Box) -> bool:
    """Whether there is a space at this place, or a sign of which the middle is in a box."""
    if not 0 <= place < len(text.text):
        return False
    if text.text[place].isspace():
        return True
    left, top, right, bottom = text.box(place)
    return box[0] < (left + right) / 2 < box[2] and box[1] < (top + bottom) / 2 < box[3]
