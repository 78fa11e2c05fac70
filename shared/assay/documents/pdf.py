"""Parser for PDF files (ISO 32000): text in reading order from PDFium; pypdf is the fallback."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from assay.documents.document import ENCRYPTED, PAGES, TEXT_CHARS, Document, RetryWithParser, truncate_text
from assay.documents.document_comments import Comment, format_comments
from assay.documents.pdf_accents import join_accents
from assay.documents.pdf_algorithms import Algorithm, find_algorithms
from assay.documents.pdf_annotations import PdfAnnotation
from assay.documents.pdf_bitmap_fonts import read_bitmap_fonts
from assay.documents.pdf_bullets import add_bullets
from assay.documents.pdf_cells import choose_tables, take_rows
from assay.documents.pdf_columns import take_columns
from assay.documents.pdf_comments import read_comments
from assay.documents.pdf_drop_caps import join_drop_caps
from assay.documents.pdf_floats import is_from_browser
from assay.documents.pdf_form_fields import read_form_fields
from assay.documents.pdf_formulas import join_formulas
from assay.documents.pdf_glyph_numbers import restore_glyph_numbers
from assay.documents.pdf_grids import Grid, find_grids
from assay.documents.pdf_hidden import KeepHidden, read_page_box, remove_hidden_text
from assay.documents.pdf_late_markers import join_late_markers
from assay.documents.pdf_layout import order_lines
from assay.documents.pdf_letter_spacing import join_spaced_letters
from assay.documents.pdf_letters import join_letters
from assay.documents.pdf_line_numbers import drop_line_numbers
from assay.documents.pdf_lines import extract_lines, list_places
from assay.documents.pdf_links import read_links, set_addresses_apart_from_code
from assay.documents.pdf_listings import join_listings
from assay.documents.pdf_math_signs import restore_large_signs
from assay.documents.pdf_notes import PowersTextPage, strip_marks
from assay.documents.pdf_objects import Box, overlaps
from assay.documents.pdf_overflow import drop_repeated_overflow
from assay.documents.pdf_parallel import Helper, PageBatch, read_in_parallel
from assay.documents.pdf_properties import read_properties
from assay.documents.pdf_replaced import drop_false_replacements
from assay.documents.pdf_right_to_left import mirror_objects, mirror_page, sort_letters
from assay.documents.pdf_row_rules import add_row_grids
from assay.documents.pdf_ruled import find_ruled_tables
from assay.documents.pdf_rulings import DrawnPath, Rulings, list_drawn, read_rulings
from assay.documents.pdf_running_heads import remove_running_heads
from assay.documents.pdf_spaces import find_missing_spaces
from assay.documents.pdf_swapped_bytes import restore_swapped_bytes
from assay.documents.pdf_tagged_lines import drop_artifacts, extract_tagged_lines
from assay.documents.pdf_text import render_markdown
from assay.documents.pdf_text_page import PdfLine, Place, TextPage
from assay.documents.pdf_underscores import restore_underscores
from assay.documents.pdf_wrapped import take_wrapped
from assay.documents.pdfium import pdfium, raw_handle
from assay.errors import ContentEmpty, InvalidInput

PASSWORD = 4  # FPDF_ERR_PASSWORD (fpdfview.h)
SCANNED = "The PDF has no text layer: its {pages} page(s) are pictures, which would need OCR."
GARBLED = "The PDF's text layer is garbled: its fonts do not say which letters their signs stand for."
ODD = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff]")
ODD_SHARE, ODD_NOTE = 0.3, 0.05  # share of unreadable characters above which text is refused, and noted


class VisiblePage(NamedTuple):
    """A page's box, its visible lines in reading order, annotations and comments, and the number of hidden objects."""

    box: Box
    lines: list[PdfLine]
    annotations: Sequence[PdfAnnotation] = ()
    hidden: int = 0
    comments: Sequence[Comment] = ()


type ReadPage = Callable[[int, int], VisiblePage | None]  # the file, the number of a page


def prepare() -> None:
    """Load PDFium, before the sandbox forbids opening files."""
    pdfium()


def parse(body: bytes, deadline: float = float("inf"), helper: Helper | None = None) -> Document:
    """Convert the document to Markdown, without hidden text and running heads.

    Raises RetryWithParser if PDFium finds no page, ContentEmpty for a scan without text or a garbled text layer, and
    InvalidInput if a password is needed.
    """
    file = open_pdf(body)
    raw = raw_handle(file.raw)
    batch = read_in_parallel(
        range(min(len(file), PAGES)), deadline, helper, lambda numbers: read_pages(raw, numbers, deadline)
    )
    lines = drop_artifacts(remove_running_heads(drop_repeated_overflow(batch.pages)))
    return build_document(file, body, batch, render_markdown(lines, batch.annotations))


def open_pdf(body: bytes) -> Any:
    """Open the file with PDFium. Raises RetryWithParser if it has no page, InvalidInput if a password is needed."""
    import pypdfium2

    try:
        file = pypdfium2.PdfDocument(body)
        pages = len(file)
    except pypdfium2.PdfiumError as failure:
        if getattr(failure, "err_code", None) == PASSWORD:
            raise InvalidInput(ENCRYPTED.format("PDF")) from failure
        pages = 0
    if not pages:
        raise RetryWithParser("pdf_fallback")
    return file


def read_range(body: bytes, numbers: Sequence[int], deadline: float) -> PageBatch:
    """Read some pages in the helper process; `deadline` is monotonic time."""
    import pypdfium2

    file = pypdfium2.PdfDocument(body)
    return read_pages(raw_handle(file.raw), numbers, deadline)


def build_document(file: Any, body: bytes, batch: PageBatch, text: str) -> Document:
    """Build the document from its text. Raises ContentEmpty if there is none, or most of it is unreadable."""
    pages = len(file)
    share = _measure_odd_share(batch)
    if share > ODD_SHARE:
        raise ContentEmpty(GARBLED)
    if not text.strip():
        raise ContentEmpty(_explain_empty(pages, batch.hidden, batch.broken))
    markdown, was_cut = truncate_text(text)
    comments, are_cut = format_comments(batch.comments)
    document = Document(
        "pdf", markdown, *read_properties(file, body), page_count=pages, comments=comments,
        truncated=was_cut or are_cut or batch.count < pages,
    )  # fmt: skip
    return replace(document, notes=tuple(_notes(document, batch, share)))


def _measure_odd_share(batch: PageBatch) -> float:
    """The share of the characters that stand for no letter."""
    odd = letters = 0
    for _, lines in batch.pages:
        for line in lines:
            text = strip_marks(line.text)
            odd += len(ODD.findall(text)) if not text.isprintable() or "\ufffd" in text else 0
            letters += len(text) - text.count(" ")
    return odd / max(1, letters)


def read_pages(file: int, numbers: Sequence[int], deadline: float, read_page: ReadPage | None = None) -> PageBatch:
    """Read the pages until the limit of text or time, with `read_visible_page` unless told otherwise."""
    batch, letters = PageBatch(), 0
    for number in numbers:
        if letters > TEXT_CHARS or time.monotonic() > deadline:
            break
        page = (read_page or read_visible_page)(file, number)
        if page is None:
            batch.broken += 1
            continue
        batch.hidden += page.hidden
        letters += sum(len(line.text) for line in page.lines)
        batch.pages.append((page.box, page.lines))
        batch.annotations.append(list(page.annotations))
        batch.comments += page.comments
    return batch


def read_visible_page(
    file: int,
    number: int,
    open_text: Callable[[int], TextPage] = PowersTextPage,
    keep_hidden: KeepHidden | None = None,
) -> VisiblePage | None:
    """Read a page; None if it is damaged.

    `open_text` opens the text of the page; `keep_hidden` is given its hidden text objects before they are removed.
    """
    api = pdfium()
    page = api.LoadPage(file, number)
    if not page:
        return None
    try:
        replaced = drop_false_replacements(file, number, page)
        boxes, paths, shadings, removed = remove_hidden_text(page, keep_hidden)
        text = open_text(page)
        mirror_page(page, text)
        boxes, paths = mirror_objects(text, boxes, paths)
        drawn = list_drawn(paths)
        _restore_signs(text, drawn)
        places = list_places(text)
        tagged = extract_tagged_lines(page, text, places)
        tables: list[Grid] = []
        if tagged:
            lines = text.join_raised(join_drop_caps(tagged))
        else:
            tables, lines = _extract_untagged_lines(text, places, boxes, drawn)
            lines = add_bullets(text.join_raised(lines), [*(box for _, box in drawn), *map(text.turn, shadings)])
        links = read_links(file, page, text)
        lines = set_addresses_apart_from_code(join_late_markers(lines), links)
        comments = read_comments(page, number + 1, text)
        annotations = links + read_form_fields(file, number, page, text, places)
        text.close()
        if tagged:
            lines = join_formulas(lines, text.mark_raised)
        else:
            lines = join_formulas(take_wrapped(take_columns(take_rows(lines, tables))), text.mark_raised)
            lines = order_lines(lines, has_floats=is_from_browser(file))
        return VisiblePage(read_page_box(page), lines, annotations, removed + replaced, comments)
    finally:
        api.ClosePage(page)


def _extract_untagged_lines(
    text: TextPage, places: list[Place], boxes: list[Box], drawn: list[DrawnPath]
) -> tuple[list[Grid], list[PdfLine]]:
    """Return the tables of a page that ruling lines show, and its lines."""
    rulings = read_rulings(drawn)
    algorithms = find_algorithms(text, places, rulings.horizontal)
    tables = _find_tables(text, places, drawn, rulings, algorithms)
    lines = extract_lines(text, places, boxes, tables, algorithms)
    return tables, drop_line_numbers(join_drop_caps(lines))


def _restore_signs(text: TextPage, drawn: list[DrawnPath]) -> None:
    """Change the signs of the text that PDFium reports otherwise than a reader sees them."""
    restore_glyph_numbers(text)
    restore_swapped_bytes(text)
    read_bitmap_fonts(text)
    join_letters(text)
    sort_letters(text)
    join_spaced_letters(text)
    join_listings(text)
    restore_large_signs(text)
    join_accents(text)
    text.missing_spaces = find_missing_spaces(text)
    restore_underscores(text, [box for _, box in drawn])


def _find_tables(
    text: TextPage, places: list[Place], drawn: list[DrawnPath], rulings: Rulings, algorithms: list[Algorithm]
) -> list[Grid]:
    """The tables that ruling lines show, without those lines that are around an algorithm."""
    grids = add_row_grids(text, places, find_grids(rulings), [box for _, box in drawn])
    tables = choose_tables(text, places, grids)
    tables += find_ruled_tables(text, places, rulings, tables)
    return [table for table in tables if not any(overlaps(table.box, each.box) for each in algorithms)]


def _explain_empty(pages: int, hidden: int, broken: int) -> str:
    if hidden:
        return (
            "All text of the PDF is hidden from its readers (invisible, tiny, off the page or in the paper's colour)."
        )
    if broken == pages:
        return "No page of the PDF can be read; the file is damaged."
    return SCANNED.format(pages=pages)


def _notes(document: Document, batch: PageBatch, share: float) -> list[str]:
    """Notes on omitted and unreadable text."""
    pages = document.page_count or 0
    conditions = {
        f"{share:.0%} of the letters are unreadable: a font does not say which letters its signs stand for.": share
        > ODD_NOTE,
        f"{batch.hidden} piece(s) of invisible text were left out.": batch.hidden > 0,
        f"{batch.broken} page(s) are damaged and were left out.": batch.broken > 0,
        f"Only the first {batch.count:,} of {pages:,} pages were read.": batch.count < pages,
    }
    return [note for note, holds in conditions.items() if holds]
