"""ActualText replacement text in PDF files (ISO 32000-1 section 14.9.4), used only if the drawn text is unreadable."""

import ctypes
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from assay.documents.pdf_bidi_text import RIGHT
from assay.documents.pdfium import pdfium

TEXT, FORM, STRING = 1, 5, 3
DEPTH = 8  # maximum nesting of forms
LETTERS = 4_000  # maximum length of a replacement that is compared
UTF_16_BOM, UTF_8_BOM = b"\xfe\xff", b"\xef\xbb\xbf"
BRACKETS = frozenset("()[]{}<>«»‹›")
KEY = b"ActualText\0"
KEY_PLACE = ctypes.c_char_p(KEY)


@dataclass(frozen=True)
class Replacement:
    """A text object with replacement text, and the content mark that declares it."""

    index: int  # among the page's text objects
    thing: int
    mark: int
    replacement: str


def drop_false_replacements(file: int, number: int, page: int) -> int:
    """Remove replacement texts that contradict readable drawn text; return their number.

    Those from right to left that repeat it are removed too: PDFium reports their letters in another order.
    """
    found = list(_find_replacements(page))
    if not found:
        return 0
    drawn = _read_drawn_texts(file, number, {each.index for each in found})
    dropped = 0
    for each in found:
        replacement, text = _keep_alphanumerics(each.replacement), _keep_alphanumerics(drawn.get(each.index, ""))
        if replacement == text and _is_from_right(each.replacement):
            pdfium().PageObj_RemoveMark(each.thing, each.mark)
        elif _is_false(replacement, text):
            dropped += bool(pdfium().PageObj_RemoveMark(each.thing, each.mark))
    return dropped


def _is_from_right(replacement: str) -> bool:
    """Whether a text may be in a line from right to left: it has such a letter, or is a bracket, which is mirrored."""
    return RIGHT.search(replacement) is not None or replacement in BRACKETS


def _is_false(replacement: str, drawn: str) -> bool:
    """Whether the drawn text is readable and differs from the replacement."""
    return bool(drawn) and bool(replacement) and replacement != drawn and not any(map(_is_odd, drawn))


def _keep_alphanumerics(text: str) -> str:
    """Letters and digits only: legitimate replacements differ in hyphens, spaces and ligatures."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in folded if letter.isalnum() or _is_odd(letter))


def _is_odd(letter: str) -> bool:
    return letter == "\ufffd" or unicodedata.category(letter) in ("Co", "Cn", "Cs")


def _iterate_texts(page: int) -> Iterator[int]:
    """The text objects of a page, including those in forms, in painting order."""
    api = pdfium()
    get, get_type = api.Page_GetObject, api.PageObj_GetType
    for index in range(api.Page_CountObjects(page)):
        thing = get(page, index)
        kind = get_type(thing)
        if kind == TEXT:
            yield thing
        elif kind == FORM:
            yield from _iterate_form(thing, 0)


def _iterate_form(thing: int, depth: int) -> Iterator[int]:
    api = pdfium()
    kind = api.PageObj_GetType(thing)
    if kind == TEXT:
        yield thing
    elif kind == FORM and depth < DEPTH:
        for index in range(api.FormObj_CountObjects(thing)):
            yield from _iterate_form(api.FormObj_GetObject(thing, index), depth + 1)


def _find_replacements(page: int) -> Iterator[Replacement]:
    api = pdfium()
    count = api.PageObj_CountMarks
    for index, thing in enumerate(_iterate_texts(page)):
        for number in range(count(thing)):
            mark = api.PageObj_GetMark(thing, number)
            if mark and api.PageObjMark_GetParamValueType(mark, KEY_PLACE) == STRING:
                yield Replacement(index, thing, mark, _read_actual_text(mark))


def _read_actual_text(mark: int) -> str:
    """The replacement text, a text string (ISO 32000-1, 7.9.2.2)."""
    buffer = ctypes.create_string_buffer(2 * LETTERS)
    api = pdfium()
    size = api.four_ints[0]
    api.PageObjMark_GetParamBlobValue(mark, KEY_PLACE, buffer, len(buffer), size)
    data = buffer.raw[: min(api.ints[0], len(buffer))]
    if data.startswith(UTF_16_BOM):
        return data[len(UTF_16_BOM) :].decode("utf-16-be", "replace")
    return data.removeprefix(UTF_8_BOM).decode("utf-8" if data.startswith(UTF_8_BOM) else "latin-1", "replace")


def _read_drawn_texts(file: int, number: int, indices: set[int]) -> dict[int, str]:
    """The drawn text of text objects by index, from another copy of the page without replacements."""
    api = pdfium()
    page = api.LoadPage(file, number)
    if not page:
        return {}
    try:
        for each in list(_find_replacements(page)):
            api.PageObj_RemoveMark(each.thing, each.mark)
        text = api.Text_LoadPage(page)
        try:
            return {
                index: read_object_text(thing, text)
                for index, thing in enumerate(_iterate_texts(page))
                if index in indices
            }
        finally:
            api.Text_ClosePage(text)
    finally:
        api.ClosePage(page)


def read_object_text(thing: int, text: int) -> str:
    buffer = ctypes.create_string_buffer(2 * LETTERS)
    size = pdfium().TextObj_GetText(thing, text, buffer, len(buffer))
    return buffer.raw[: min(size, len(buffer))].decode("utf-16-le", "replace").rstrip("\0")
