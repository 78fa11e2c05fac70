"""Fuzz targets of the document readers."""

from infra.fuzz.invariants import assert_bounded, assert_clean, limit_cpu_time
from infra.fuzz.office import build_docx, build_pdf, build_pptx
from infra.fuzz.random_source import FuzzedDataProvider

from assay.documents import Document, pdf_fallback
from assay.documents.document import RetryWithParser
from assay.documents.document_parser import parse as parse_document
from assay.errors import ToolError


def feed(data: bytes) -> None:
    _check_document(data, "feed")


def xml(data: bytes) -> None:
    _check_document(data, "xml")


def plain_kinds(data: bytes) -> None:
    for kind in ("json", "csv", "text"):
        _check_document(data, kind)


def docx(data: bytes) -> None:
    body, hidden_words = build_docx(FuzzedDataProvider(data))
    _check_document(body, "docx", hidden_words)


def pptx(data: bytes) -> None:
    body, hidden_words = build_pptx(FuzzedDataProvider(data))
    _check_document(body, "pptx", hidden_words)


def pdf(data: bytes) -> None:
    body, hidden_words = build_pdf(FuzzedDataProvider(data))
    _check_document(body, "pdf", hidden_words, compressed=True)


def broken_pdf(data: bytes) -> None:
    """Read arbitrary bytes after a valid header."""
    _check_document(b"%PDF-1.7\n" + data, "pdf", compressed=True)


def _read_document(body: bytes, kind: str) -> Document:
    """Read the document with the reader of its type, or with the reader that this one names."""
    try:
        return parse_document(body, kind)
    except RetryWithParser as other:
        pdf_fallback.prepare()
        return parse_document(body, other.kind)


def _check_document(body: bytes, kind: str, hidden_words: list[str] | None = None, *, compressed: bool = False) -> None:
    with limit_cpu_time(f"a {kind}", 4.0 if compressed else 2.0):
        try:
            document = _read_document(body, kind)
        except ToolError as failure:
            assert_clean(failure.message, "an error")
            return
    for text in (document.markdown, document.title, document.author, document.created, *document.notes):
        assert_clean(text, kind)
    assert_bounded(document.markdown, len(body) * (20 if compressed or kind in ("docx", "pptx") else 1))
    for word in hidden_words or []:
        assert word not in document.markdown + document.title + document.author, (
            f"{word} is shown: {document.markdown[:300]!r}"
        )


TARGETS = (feed, xml, plain_kinds, docx, pptx, pdf, broken_pdf)
