"""ActualText: what a PDF says in place of the letters it draws. It is believed only where these cannot be read."""

import ctypes
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from assay.documents.pdfium import pdfium

TEXT, FORM, STRING = 1, 5, 3
DEPTH = 8  # forms within forms
LETTERS = 4_000  # of one piece of text that are compared
KEY = b"ActualText\0"
KEY_PLACE = ctypes.c_char_p(KEY)


@dataclass(frozen=True)
class Replaced:
    """A text object that says something else than it draws, and the mark that says it."""

    index: int  # among the page's text objects
    thing: int
    mark: int
    said: str


def drop_false_replacements(file: int, number: int, page: int) -> int:
    """Take away what replaces letters that can be read and say something else; how many pieces did."""
    found = list(_find_replacements(page))
    if not found:
        return 0
    drawn = _drawn_texts(file, number, {each.index for each in found})
    dropped = 0
    for each in found:
        if _is_false(each.said, drawn.get(each.index, "")):
            dropped += bool(pdfium().PageObj_RemoveMark(each.thing, each.mark))
    return dropped


def _is_false(said: str, drawn: str) -> bool:
    """Whether the letters that are drawn can be read, and are others."""
    said, drawn = _plain(said), _plain(drawn)
    return bool(drawn) and bool(said) and said != drawn and not any(map(_is_odd, drawn))


def _plain(text: str) -> str:
    """Letters and digits alone: hyphens, spaces and ligatures are what honest files replace."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in folded if letter.isalnum() or _is_odd(letter))


def _is_odd(letter: str) -> bool:
    return letter == "\ufffd" or unicodedata.category(letter) in ("Co", "Cn", "Cs")


def _texts(page: int) -> Iterator[int]:
    """The text objects of a page, those in forms where the forms stand."""
    ask = pdfium()
    get, kind_of = ask.Page_GetObject, ask.PageObj_GetType
    for index in range(ask.Page_CountObjects(page)):
        thing = get(page, index)
        kind = kind_of(thing)
        if kind == TEXT:
            yield thing
        elif kind == FORM:
            yield from _inside(thing, 0)


def _inside(thing: int, depth: int) -> Iterator[int]:
    ask = pdfium()
    kind = ask.PageObj_GetType(thing)
    if kind == TEXT:
        yield thing
    elif kind == FORM and depth < DEPTH:
        for index in range(ask.FormObj_CountObjects(thing)):
            yield from _inside(ask.FormObj_GetObject(thing, index), depth + 1)


def _find_replacements(page: int) -> Iterator[Replaced]:
    ask = pdfium()
    count = ask.PageObj_CountMarks
    for index, thing in enumerate(_texts(page)):
        for number in range(count(thing)):
            mark = ask.PageObj_GetMark(thing, number)
            if mark and ask.PageObjMark_GetParamValueType(mark, KEY_PLACE) == STRING:
                yield Replaced(index, thing, mark, _actual_text(mark))


def _actual_text(mark: int) -> str:
    buffer = ctypes.create_string_buffer(2 * LETTERS)
    ask = pdfium()
    size = ask.four_ints[0]
    ask.PageObjMark_GetParamStringValue(mark, KEY_PLACE, buffer, len(buffer), size)
    return buffer.raw[: min(ask.ints[0], len(buffer))].decode("utf-16-le", "replace").rstrip("\0")


def _drawn_texts(file: int, number: int, wanted: set[int]) -> dict[int, str]:
    """What text objects draw, read off another copy of the page without any replacement."""
    ask = pdfium()
    page = ask.LoadPage(file, number)
    if not page:
        return {}
    try:
        for each in list(_find_replacements(page)):
            ask.PageObj_RemoveMark(each.thing, each.mark)
        text = ask.Text_LoadPage(page)
        try:
            return {index: _text(thing, text) for index, thing in enumerate(_texts(page)) if index in wanted}
        finally:
            ask.Text_ClosePage(text)
    finally:
        ask.ClosePage(page)


def _text(thing: int, text: int) -> str:
    buffer = ctypes.create_string_buffer(2 * LETTERS)
    size = pdfium().TextObj_GetText(thing, text, buffer, len(buffer))
    return buffer.raw[: min(size, len(buffer))].decode("utf-16-le", "replace").rstrip("\0")
