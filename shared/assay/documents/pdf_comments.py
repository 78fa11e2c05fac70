"""Comments on a PDF page: notes, and marks of words that say something (ISO 32000-2 section 12.5.6.2)."""

import ctypes
import re
from collections.abc import Iterator
from operator import itemgetter

from assay.documents.document_comments import Comment
from assay.documents.office_emphasis import strip_foreign_marks
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.pdf_annotations import UNSEEN, keep_letters, read_entry
from assay.documents.pdf_links import find_ranges, read_quad
from assay.documents.pdf_objects import Box
from assay.documents.pdf_text_page import TextPage
from assay.documents.pdfium import pdfium

NOTES = {1, *range(4, 9), 13, 14, 15, 17}  # FPDF_ANNOT_*: texts, shapes, stamps, carets, ink, attached files
MARKS = {9, 10, 11, 12}  # highlights, underlines, squiggles, words that are struck out
MOST_ANNOTATIONS, MOST_QUADS = 1_000, 100  # of a page, of a mark
MOST_WORK = 50_000_000  # lines of marks of a page times its characters, all of which PDFium examines to find one
CUT = re.compile(r"[\u00ad\ufffe\x02]\s*")  # a hyphen at the end of a line, as PDFium reports it


def read_comments(page: int, number: int, text: TextPage) -> list[Comment]:
    """Return the comments on a page, of which this is the number from 1, from its top to its bottom."""
    ask, found = pdfium(), list[tuple[float, Comment]]()
    most = MOST_WORK // max(1, len(text.text))
    for place in range(min(ask.Page_GetAnnotCount(page), MOST_ANNOTATIONS)):
        annotation = ask.Page_GetAnnot(page, place)
        kind = ask.Annot_GetSubtype(annotation)
        if (kind in NOTES or kind in MARKS) and _is_comment(annotation):
            said = " ".join(strip_foreign_marks(read_entry(annotation, "Contents")).split())
            boxes = list(_list_boxes(annotation))[:most] if said and kind in MARKS else []
            most -= len(boxes)
            words = _read_words(text, boxes)
            if said and keep_letters(said) != keep_letters(words):  # some programs repeat the words
                author = read_entry(annotation, "T").rstrip(" ,")  # LibreOffice writes a comma behind the date
                found.append((_find_top(annotation), Comment(format_paragraph(said), author, words, number)))
        ask.Page_CloseAnnot(annotation)
    found.sort(key=itemgetter(0), reverse=True)
    return [comment for _, comment in found]


def _find_top(annotation: int) -> float:
    ask = pdfium()
    return max(ask.floats[1], ask.floats[3]) if ask.Annot_GetRect(annotation, ask.four_floats[0]) else 0.0


def _is_comment(annotation: int) -> bool:
    """Whether readers see the annotation, and it is not the state that someone gave to a comment."""
    ask = pdfium()
    return not ask.Annot_GetFlags(annotation) & UNSEEN and not ask.Annot_HasKey(annotation, b"StateModel")


def _list_boxes(annotation: int) -> Iterator[Box]:
    """Yield the boxes of the lines that are marked."""
    ask, points = pdfium(), (ctypes.c_float * 8)()
    for number in range(min(ask.Annot_CountAttachmentPoints(annotation), MOST_QUADS)):
        if ask.Annot_GetAttachmentPoints(annotation, number, ctypes.addressof(points)):
            yield read_quad(points)


def _read_words(text: TextPage, boxes: list[Box]) -> str:
    pieces, done = list[str](), 0
    for start, end in sorted(find_ranges(text, boxes)):
        if end > done:
            piece = text.text[max(start, done) : end + 1]  # with the sign behind it, which may be a hyphen
            pieces.append(piece if CUT.match(piece, len(piece) - 1) else piece[: end - max(start, done)] + " ")
            done = end
    words = CUT.sub("", "".join(pieces)).strip()
    return text.order(words) if text.has_right else words
