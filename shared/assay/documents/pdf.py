"""PDF files: text in reading order from PDFium, pypdf where PDFium cannot."""

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assay.documents.document import PAGES, TEXT_CHARS, AskAgain, Document, cut
from assay.documents.pdf_hidden import Box, page_box, sweep
from assay.documents.pdf_layout import order_lines
from assay.documents.pdf_lines import PdfLine, TextPage, lines_of
from assay.documents.pdf_parallel import Helper, Met, in_halves
from assay.documents.pdf_properties import properties
from assay.documents.pdf_replaced import drop_false_replacements
from assay.documents.pdf_running_heads import without_furniture
from assay.documents.pdf_text import markdown_of
from assay.documents.pdfium import handle, pdfium
from assay.errors import ContentEmpty, InvalidInput

PASSWORD = 4  # PDFium's number for it
LOCKED = "The PDF is encrypted: a password is needed to read it."
SCANNED = "The PDF has no text layer: its {pages} page(s) are pictures, which would need OCR."
GARBLED = "The PDF's text layer is garbled: its fonts do not say which letters their signs stand for."
ODD = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
ODD_SHARE, ODD_NOTE = 0.3, 0.05


def prepare() -> None:
    pdfium()


def parse(body: bytes, deadline: float = float("inf"), helper: Helper | None = None) -> Document:
    """AskAgain: PDFium finds no page, pypdf may. ContentEmpty: a scan without text, or a garbled text layer.
    InvalidInput: a password is needed.
    """
    import pypdfium2

    try:
        file = pypdfium2.PdfDocument(body)
        pages = len(file)
    except pypdfium2.PdfiumError as failure:
        if getattr(failure, "err_code", None) == PASSWORD:
            raise InvalidInput(LOCKED) from failure
        pages = 0
    if not pages:
        raise AskAgain("pdf_fallback")
    return _read(body, file, pages, deadline, helper)


def read_range(body: bytes, numbers: Sequence[int], deadline: float) -> Met:
    """As another process reads a part of the pages."""
    import pypdfium2

    file = pypdfium2.PdfDocument(body)
    return _range(handle(file.raw), numbers, deadline)


def _read(body: bytes, file: Any, pages: int, deadline: float, helper: Helper | None) -> Document:
    raw = handle(file.raw)
    met = in_halves(range(min(pages, PAGES)), deadline, helper, lambda numbers: _range(raw, numbers, deadline))
    text = markdown_of(without_furniture(met.pages))
    if not text.strip():
        raise ContentEmpty(_empty(pages, met.hidden, met.broken))
    markdown, was_cut = cut(text)
    document = Document(
        "pdf", markdown, *properties(file, body), page_count=pages, truncated=was_cut or met.count < pages
    )
    return replace(document, notes=tuple(_notes(document, met)))


def _range(file: int, numbers: Sequence[int], deadline: float) -> Met:
    """The pages until a limit is met."""
    met, letters = Met(), 0
    for number in numbers:
        if letters > TEXT_CHARS or time.monotonic() > deadline:
            break
        found = read_visible_lines(file, number)
        if found is None:
            met.broken += 1
            continue
        box, lines, removed = found
        met.hidden += removed
        letters += sum(len(line.text) for line in lines)
        met.pages.append((box, lines))
    return met


def read_visible_lines(file: int, number: int) -> tuple[Box, list[PdfLine], int] | None:
    """A page's box, the lines that a reader sees, in reading order, and how many others there were; None if damaged."""
    ask = pdfium()
    page = ask.LoadPage(file, number)
    if not page:
        return None
    try:
        replaced = drop_false_replacements(file, number, page)
        boxes, removed = sweep(page)
        text = TextPage(page)
        lines = lines_of(text, boxes)
        text.close()
        return page_box(page), order_lines(lines), removed + replaced
    finally:
        ask.ClosePage(page)


def _empty(pages: int, hidden: int, broken: int) -> str:
    if hidden:
        return (
            "All text of the PDF is hidden from its readers (invisible, tiny, off the page or in the paper's colour)."
        )
    if broken == pages:
        return "No page of the PDF can be read; the file is damaged."
    return SCANNED.format(pages=pages)


def _notes(document: Document, met: Met) -> list[str]:
    """What was left out, and whether the text can be trusted. ContentEmpty when it cannot."""
    share = len(ODD.findall(document.markdown)) / max(1, len(document.markdown.replace(" ", "")))
    if share > ODD_SHARE:
        raise ContentEmpty(GARBLED)
    pages = document.page_count or 0
    told = {
        f"{share:.0%} of the letters are unreadable: a font does not say which letters its signs stand for.": share
        > ODD_NOTE,
        f"{met.hidden} piece(s) of text that no reader can see were left out.": met.hidden > 0,
        f"{met.broken} page(s) are damaged and were left out.": met.broken > 0,
        f"Only the first {met.count:,} of {pages:,} pages were read.": met.count < pages,
    }
    return [note for note, holds in told.items() if holds]
