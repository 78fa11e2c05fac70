"""The second try at a PDF that PDFium cannot open: pypdf, which repairs more."""

import time
from io import BytesIO
from typing import Any

from assay.documents.document import PAGES, TEXT_CHARS, Document, cut
from assay.documents.pdf_properties import iso_date
from assay.errors import ContentEmpty, InvalidInput, UpstreamFailed

BROKEN = "The PDF is damaged and cannot be opened."
ODDITIES = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, NotImplementedError)


def second_try(body: bytes, deadline: float) -> Document:
    import logging

    import pypdf
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it complains of each repair
    try:
        reader = pypdf.PdfReader(BytesIO(body), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise InvalidInput("The PDF is encrypted: a password is needed to read it.")
        pages = len(reader.pages)
        texts = _texts(reader, pages, deadline)
        title, author, created = _properties(reader.metadata)
    except (PyPdfError, OSError, *ODDITIES) as failure:  # it raises whatever a broken file makes it stumble on
        raise UpstreamFailed(BROKEN) from failure
    markdown, was_cut = cut("\n\n".join(texts))
    if not markdown.strip():
        raise (
            ContentEmpty("The PDF is damaged; what can be saved of it holds no text.")
            if pages
            else UpstreamFailed(BROKEN)
        )
    notes = ("The file is damaged; this is what could be saved, hidden text included.",)
    return Document("pdf", markdown, title, author, created, pages, 0, was_cut or len(texts) < pages, notes)


def _texts(reader: Any, pages: int, deadline: float) -> list[str]:
    texts: list[str] = []
    for number in range(min(pages, PAGES)):
        if time.monotonic() > deadline or sum(map(len, texts)) > TEXT_CHARS:
            break
        texts.append(reader.pages[number].extract_text().strip())
    return texts


def _properties(told: Any) -> tuple[str, str, str]:
    if not told:
        return "", "", ""
    return str(told.title or ""), str(told.author or ""), iso_date(str(told.get("/CreationDate", "")))
