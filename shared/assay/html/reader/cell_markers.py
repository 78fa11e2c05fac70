"""Recognises bullets and numbers of items that stand in a table's cell of their own, beside their text."""

import re
from itertools import islice

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.text_blocks import Frame

NUMBER = re.compile(
    r"[\[(]?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[A-Za-z]{1,2}|[ivxlc]{1,6}|[IVXLC]{1,6})[.)\]]{1,2}"
    r"|(?:Item|Article|Section|Note|Part|§)\s?\d{1,3}(?:\.\d{1,3})*[A-Z]?[.:]?"
)
BULLET = re.compile(r"[•▪●‣◦■➢·–—-]")
# Signs of notes, and boxes of forms, which are no bullets of a list.
NOTE_SIGN = re.compile(r"[*†‡]{1,3}|[☒☐☑]")
MARKER = re.compile(rf"{NUMBER.pattern}|{BULLET.pattern}|{NOTE_SIGN.pattern}")
CALLOUT = "conum"
MAX_MARKER = 14  # characters
MAX_CELL_TEXTS = 20
MAX_ROWS = 200  # rows that are examined


def has_markers(rows: list[list[Frame]]) -> bool:
    """Return whether each row has nothing but such a marker and a text."""
    return all(_is_marked([cell for cell in row if cell.words]) for row in islice(rows, MAX_ROWS))


def _is_marked(cells: list[Frame]) -> bool:
    if len(cells) != 2 or cells[1].words <= cells[0].words:
        return False
    return is_callout(cells[0].element) or is_marker(_read(cells[0].element))


def is_callout(cell: HtmlElement) -> bool:
    """Return whether the cell has the number of a callout, of which Asciidoctor writes the explanation beside it."""
    return cell.first is not None and cell.first.attributes.get("class") == CALLOUT


def _read(element: HtmlElement) -> str:
    return "".join(islice(element.itertext(), MAX_CELL_TEXTS))


def is_marker(text: str) -> bool:
    text = " ".join(text.split())
    return len(text) <= MAX_MARKER and MARKER.fullmatch(text) is not None
