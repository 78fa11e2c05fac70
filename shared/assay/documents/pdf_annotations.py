"""What annotations add to the text of a PDF page: links, and what form fields show."""

import ctypes
from typing import NamedTuple

from assay.documents.pdf_text_page import TextPage
from assay.documents.pdfium import pdfium

UNSEEN = 2 | 32  # flags of annotations that are hidden or not viewed
LONGEST_TEXT = 20_000  # characters of an entry
CONTEXT = 24  # characters on each side that tell equal texts apart


class PdfAnnotation(NamedTuple):
    """A link to `target`, which is escaped for markdown, or the text `shown` of a form field.

    `text` is the text of the link, or the word beside the field; `before` and `after` are around it on the page. What a
    field shows belongs before the word if it `leads`, else behind it.
    """

    text: str
    before: str
    after: str
    target: str = ""
    shown: str = ""
    leads: bool = False


def annotate(page: TextPage, start: int, end: int) -> PdfAnnotation:
    """Return an annotation of the text of the page between two places."""
    places = (start, end), (max(0, start - CONTEXT), start), (end, end + CONTEXT)
    text, before, after = (page.text[first:last] for first, last in places)
    if page.has_right:
        text, before, after = map(page.order, (text, before, after))
    return PdfAnnotation(text, before, after)


def read_entry(annotation: int, key: str) -> str:
    """Return a name or text of an annotation of the file; "" if it has none."""
    buffer = (ctypes.c_ushort * LONGEST_TEXT)()
    pdfium().Annot_GetStringValue(annotation, key.encode(), ctypes.addressof(buffer), ctypes.sizeof(buffer))
    return decode_utf16(buffer, len(buffer))


def decode_utf16(buffer: ctypes.Array[ctypes.c_ushort], count: int) -> str:
    """Return the text of so many units, or up to the first that is 0."""
    return bytes(memoryview(buffer).cast("B")[: 2 * count]).decode("utf-16-le", "replace").partition("\0")[0]


def keep_letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))
