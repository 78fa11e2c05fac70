"""Fallback parser for PDF files that PDFium cannot open: pypdf, which repairs more damage."""

import re
import time
from io import BytesIO
from typing import Any

from assay.documents.document import ENCRYPTED, PAGES, TEXT_CHARS, Document, truncate_text
from assay.documents.office_emphasis import strip_foreign_marks
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.pdf_pages import Answer, build_answer, check_page_numbers
from assay.documents.pdf_properties import to_iso_date
from assay.errors import ContentEmpty, InvalidInput, UpstreamFailed
from assay.html.reader.markdown_escapes import escape_line_start
from assay.text.sanitize import sanitise

BROKEN = "The PDF is damaged and cannot be opened."
EMPTY_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
PARSER_ERRORS = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    NotImplementedError,
)


def prepare() -> None:
    """Import pypdf, before the sandbox forbids opening files."""
    import logging

    import pypdf
    import pypdf._crypt_providers  # noqa: F401

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs each repair


def parse(body: bytes, deadline: float, _: object) -> Document:
    """Convert the document to text, including hidden text, which pypdf does not detect.

    Raises InvalidInput if a password is needed, UpstreamFailed or ContentEmpty if nothing can be recovered.
    """
    import pypdf
    from pypdf.errors import PyPdfError

    try:
        reader = pypdf.PdfReader(BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InvalidInput(ENCRYPTED.format("PDF"))
        pages = len(reader.pages)
        texts = _read_texts(reader, pages, deadline)
        title, author, created = _read_properties(reader.metadata)
    except (PyPdfError, OSError, *PARSER_ERRORS) as failure:  # pypdf raises these for damaged files
        raise UpstreamFailed(BROKEN) from failure
    markdown, was_cut = truncate_text("\n\n".join(map(_format_text, texts)))
    if not markdown.strip():
        raise (
            ContentEmpty("The PDF is damaged; the part that can be recovered contains no text.")
            if pages
            else UpstreamFailed(BROKEN)
        )
    notes = ("The file is damaged; this is the text that could be recovered, including hidden text.",)
    return Document("pdf", markdown, title, author, created, pages, 0, was_cut or len(texts) < pages, notes)


def answer(body: bytes, how: str, deadline: float, _: object) -> Answer:
    """Read the pages in `how` (`0,2`; all if empty), with the result of `pdf_pages.answer`."""
    import pypdf
    from pypdf.errors import PyPdfError

    try:
        reader = pypdf.PdfReader(BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InvalidInput("open pdf: encrypted PDF: invalid password")
        count = len(reader.pages)
        if not count:
            raise UpstreamFailed("open pdf: the file is damaged: no page can be found")
        numbers = check_page_numbers([int(number) for number in how.split(",") if number], count)
        texts: list[str] = []
        for number in numbers[:PAGES]:
            if time.monotonic() > deadline or sum(map(len, texts)) > TEXT_CHARS:
                break
            texts.append(sanitise(reader.pages[number].extract_text().strip()))
    except (PyPdfError, OSError, *PARSER_ERRORS) as failure:  # pypdf raises these for damaged files
        raise UpstreamFailed("open pdf: the file is damaged and cannot be opened") from failure
    return build_answer(count, numbers, texts)


def _read_texts(reader: Any, pages: int, deadline: float) -> list[str]:
    texts: list[str] = []
    for number in range(min(pages, PAGES)):
        if time.monotonic() > deadline or sum(map(len, texts)) > TEXT_CHARS:
            break
        texts.append(reader.pages[number].extract_text().strip())
    return texts


def _format_text(text: str) -> str:
    """Return the markdown of the text of a page, of which nothing is known but its lines."""
    blocks = EMPTY_LINES.split(strip_foreign_marks(text))
    return "\n\n".join(escape_line_start(format_paragraph(block)) for block in blocks if block.strip())


def _read_properties(metadata: Any) -> tuple[str, str, str]:
    if not metadata:
        return "", "", ""
    return str(metadata.title or ""), str(metadata.author or ""), to_iso_date(str(metadata.get("/CreationDate", "")))
