"""What is filled into the form fields of a PDF page, and text typed onto it (ISO 32000-2 sections 12.5.6.6 and 12.7).

The text of a page does not contain it: fields are annotations, each with a picture of its own. PDFium draws the
pictures into the page; what readers see of a field is the text of the page in its box then.
"""

import ctypes
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.documents.pdf_annotations import LONGEST_TEXT, UNSEEN, PdfAnnotation, annotate, decode_utf16, read_entry
from assay.documents.pdf_hidden import SMALLEST, remove_hidden_text
from assay.documents.pdf_objects import Box
from assay.documents.pdf_text_page import Place, TextPage
from assay.documents.pdfium import pdfium

FREE_TEXT, WIDGET = 3, 20  # FPDF_ANNOT_*
MOST_FIELDS = 1_000  # annotations of a page
MOST_WORK = 5_000_000  # fields of a page times its characters
LONGEST_LINE = 400  # characters of a line beside which fields are looked for
FONT_SIZE = re.compile(r"(?<![\d.])(\d{1,4}(?:\.\d{0,9})?)\s+Tf\b")
COLOUR = re.compile(r"(?<![\d.])((?:[01](?:\.\d{0,9})?\s+){1,4})(?:g|rg)\b")
NEAR_WHITE = 0.05
ON, OFF = "☒", "☐"
MIDDLE = 0.35  # of a line above its baseline, in text sizes
NEAR, INSIDE = 30.0, 3.0  # points between a field and its label, and that they may share
ABOVE = 2.5  # maximum distance of a label above its field, in text sizes


class PdfFormField(NamedTuple):
    """The box of a field, and what it shows; an option shows whether it is chosen."""

    box: Box
    shown: str
    is_option: bool


class Sign(NamedTuple):
    """A character of the page that is no space."""

    place: int
    left: float
    right: float


class PrintedRow(NamedTuple):
    """A line of the page."""

    bottom: float
    size: float
    signs: list[Sign]


def read_form_fields(file: int, number: int, page: int, text: TextPage, places: Sequence[Place]) -> list[PdfAnnotation]:
    """Return what the form fields of a page show, beside which words; `places` are the lines of its text.

    The file in memory has their pictures in the page afterwards.
    """
    fields = _read_shown(file, number, page, text)
    rows = _list_rows(text, places) if fields else []
    most = MOST_WORK // max(1, sum(len(row.signs) for row in rows))
    found = ((field, _find_label(text, rows if place < most else [], field)) for place, field in enumerate(fields))
    return [label for field, label in found if label.text or not field.is_option]


def _read_shown(file: int, number: int, page: int, text: TextPage) -> list[PdfFormField]:
    fields = list(_list_fields(page))
    if any(not field.shown for field in fields) and pdfium().Page_Flatten(page, 0):
        fields = list(_read_pictures(file, number, fields, text))
    return [field for field in fields if field.shown]


def _read_pictures(file: int, number: int, fields: Sequence[PdfFormField], text: TextPage) -> Iterator[PdfFormField]:
    """Yield the fields with the texts of their pictures, which the page has when it is loaded again."""
    ask = pdfium()
    drawn = ask.LoadPage(file, number)
    if not drawn:
        yield from fields
        return
    try:
        remove_hidden_text(drawn)
        filled = ask.Text_LoadPage(drawn)
        for field in fields:
            yield field if field.shown else field._replace(shown=_read_added(text.handle, filled, field.box))
        ask.Text_ClosePage(filled)
    finally:
        ask.ClosePage(drawn)


def _list_fields(page: int) -> Iterator[PdfFormField]:
    """Yield the fields and typed texts that are not hidden; of the fields, options with their state."""
    ask = pdfium()
    for number in range(min(ask.Page_GetAnnotCount(page), MOST_FIELDS)):
        annotation = ask.Page_GetAnnot(page, number)
        kind = ask.Annot_GetSubtype(annotation)
        is_seen = kind in (FREE_TEXT, WIDGET) and not ask.Annot_GetFlags(annotation) & UNSEEN
        if is_seen and ask.Annot_GetRect(annotation, ask.four_floats[0]):
            left, top, right, bottom = ask.floats.tolist()
            state = read_entry(annotation, "AS")
            if state or read_entry(annotation, "FT") != "Btn":  # other buttons do something
                mark = (OFF if state == "Off" else ON) if state else _read_undrawn(annotation, kind)
                yield PdfFormField((left, min(bottom, top), right, max(bottom, top)), mark, bool(state))
        ask.Page_CloseAnnot(annotation)


def _read_undrawn(annotation: int, kind: int) -> str:
    """The text of an annotation without a picture, which viewers draw as it says, unless in white or tiny letters."""
    if pdfium().Annot_HasKey(annotation, b"AP"):
        return ""
    style = read_entry(annotation, "DA")
    size, colour = FONT_SIZE.search(style), COLOUR.search(style)
    is_tiny = size is not None and 0 < float(size[1]) < SMALLEST
    is_white = colour is not None and min(map(float, colour[1].split())) > 1 - NEAR_WHITE
    return (
        ""
        if is_tiny or is_white
        else " ".join(read_entry(annotation, "Contents" if kind == FREE_TEXT else "V").split())
    )


def _read_added(before: int, after: int, box: Box) -> str:
    """The text in a box that one text of the page has more than the other."""
    printed, shown = _read_within(before, box), _read_within(after, box)
    words = shown.replace(printed, "", 1).split()
    is_comb = len(words) > 1 and all(len(word) == 1 for word in words)  # a box for each letter
    return ("" if is_comb else " ").join(words)


def _read_within(text: int, box: Box) -> str:
    left, bottom, right, top = box
    buffer = (ctypes.c_ushort * LONGEST_TEXT)()
    count = pdfium().Text_GetBoundedText(text, left, top, right, bottom, ctypes.addressof(buffer), LONGEST_TEXT)
    return decode_utf16(buffer, max(0, count))


def _list_rows(text: TextPage, places: Sequence[Place]) -> list[PrintedRow]:
    rows: list[PrintedRow] = []
    for start, end, _ in places:
        signs: list[Sign] = []
        for place in range(start, min(end, start + LONGEST_LINE)):
            if text.text[place].isalnum():
                left, _, right, _ = text.box(place)
                signs.append(Sign(place, left, right))
        if signs:
            rows.append(PrintedRow(*text.level(signs[0].place), signs))
    return rows


def _find_label(text: TextPage, rows: Sequence[PrintedRow], field: PdfFormField) -> PdfAnnotation:
    """The annotation of the word beside the field: options stand before their text, others behind or below it."""
    left, bottom, right, top = text.turn(field.box)
    beside = [row for row in rows if bottom - INSIDE <= row.bottom + MIDDLE * row.size <= top + INSIDE]
    before = max(
        ((sign.right, sign.place) for row in beside for sign in row.signs if sign.right <= left + INSIDE), default=None
    )
    behind = min(
        ((sign.left, sign.place) for row in beside for sign in row.signs if sign.left >= right - INSIDE), default=None
    )
    above = max(
        (
            (-row.bottom, sign.place)
            for row in rows
            if 0 <= row.bottom - top + INSIDE <= ABOVE * row.size
            for sign in row.signs
            if left - INSIDE <= (sign.left + sign.right) / 2 <= right + INSIDE
        ),
        default=None,
    )
    is_near_before, is_near_behind = before and left - before[0] <= NEAR, behind and behind[0] - right <= NEAR
    leads = bool(behind) and (
        (field.is_option and (is_near_behind or not (is_near_before or above))) or not (before or above)
    )
    label = behind if leads else before if is_near_before else above or before
    if label is None:
        return PdfAnnotation("", "", "", shown=field.shown)
    start, end = _find_word(text.text, label[1])
    return annotate(text, start, end)._replace(shown=field.shown, leads=leads)


def _find_word(text: str, place: int) -> tuple[int, int]:
    """Where the word at a place begins and ends."""
    start = end = place
    while start > 0 and text[start - 1].isalnum() and place - start < LONGEST_LINE:
        start -= 1
    while end < len(text) and text[end].isalnum() and end - place < LONGEST_LINE:
        end += 1
    return start, end
