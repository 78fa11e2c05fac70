"""Reads a PDF as a manuscript: with the page of each paragraph, superscript numbers, and the text that is hidden."""

from dataclasses import asdict
from functools import partial
from typing import Any

from assay.documents.document import PAGES
from assay.documents.pdf import VisiblePage, build_document, open_pdf, read_pages, read_visible_page
from assay.documents.pdf_notes import NotedTextPage
from assay.documents.pdf_objects import PdfTextObject
from assay.documents.pdf_parallel import Helper
from assay.documents.pdf_replaced import read_object_text
from assay.documents.pdf_running_heads import remove_running_heads
from assay.documents.pdf_text import join_parts, render_parts, strip_controls
from assay.documents.pdfium import pdfium, raw_handle

HIDDEN_CHARS = 200_000  # of all pages
MOST_HIDDEN = 20_000  # text objects of a page
LINE_GAP = 0.5  # of the height, by which objects of a line may differ
WORD_GAP = 0.15  # of the height, by which words are apart

type Answer = dict[str, Any]


def prepare() -> None:
    """Load PDFium, before the sandbox forbids opening files."""
    pdfium()


def answer(body: bytes, how: str, deadline: float, helper: Helper | None) -> Answer:  # noqa: ARG001  # of all parsers
    """Return the document as a dictionary, with its `parts` by page (from 1) and the `hidden` lines."""
    file = open_pdf(body)
    reader = ManuscriptPages()
    batch = read_pages(raw_handle(file.raw), range(min(len(file), PAGES)), deadline, reader.read_page)
    parts = render_parts(strip_controls(remove_running_heads(batch.pages)), batch.annotations)
    document = build_document(file, body, batch, join_parts([text for _, text in parts]))
    found = {"parts": [(reader.numbers[place] + 1, text) for place, text in parts], "hidden": reader.hidden}
    return asdict(document) | found | {"markdown": ""}


class ManuscriptPages:
    """Reads pages and keeps what the text of a page does not show: their numbers, and the lines that are hidden."""

    def __init__(self) -> None:
        self.numbers: list[int] = []  # of the pages that could be read
        self.hidden: list[str] = []
        self._hidden_chars = 0

    def read_page(self, file: int, number: int) -> VisiblePage | None:
        result = read_visible_page(file, number, RaisedTextPage, partial(self._keep_hidden))
        if result is not None:
            self.numbers.append(number)
        return result

    def _keep_hidden(self, page: int, words: list[PdfTextObject]) -> None:
        """Keep the text of hidden objects as lines."""
        text = pdfium().Text_LoadPage(page)
        try:
            line, before = "", None
            for each in words[:MOST_HIDDEN]:
                piece = read_object_text(each.thing, text)
                if before is None or not _is_same_line(before, each):
                    self._add_line(line)
                    line = ""
                elif line and each.box[0] - before.box[2] > WORD_GAP * (before.box[3] - before.box[1]):
                    line += " "
                line += piece
                before = each
            self._add_line(line)
        finally:
            pdfium().Text_ClosePage(text)

    def _add_line(self, line: str) -> None:
        line = " ".join(line.split())[: HIDDEN_CHARS - self._hidden_chars]
        self._hidden_chars += len(line)
        if line:
            self.hidden.append(line)


def _is_same_line(one: PdfTextObject, two: PdfTextObject) -> bool:
    height = max(1.0, one.box[3] - one.box[1])
    return abs(one.box[1] - two.box[1]) < LINE_GAP * height and two.box[0] >= one.box[0]


class RaisedTextPage(NotedTextPage):
    """The text of a page with superscript numbers as `^3^`."""

    def _format_raised(self, number: str) -> str:
        return f"^{number}^"
