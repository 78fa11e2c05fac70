"""Fixtures that build documents, and one sandbox for all tests."""

import zipfile
import zlib
from io import BytesIO

import docx
import pptx
import pytest
import xlsxwriter
from reportlab.pdfgen.canvas import Canvas
from tests.support.opendocument import HEAD, SPACES

from assay.documents import read
from assay.documents.sandbox_pool import Sandbox


@pytest.fixture(scope="session")
def sandbox():
    sandbox = Sandbox(workers=2, strict=True)  # what is read so is read everywhere
    yield sandbox
    sandbox.close()


@pytest.fixture
def reads(sandbox):
    """What a body reads as: `await reads(body, "pdf")`."""

    async def reading(body, kind, seconds=20.0, max_bytes=50 << 20):
        return await read(body, kind, max_bytes=max_bytes, seconds=seconds, sandbox=sandbox)

    return reading


@pytest.fixture
def a_pdf():
    """A PDF drawn by functions of a canvas, one a page."""

    def make(*pages, **properties):
        body = BytesIO()
        canvas = Canvas(body, pagesize=(600, 800), **properties)
        for draw in pages:
            canvas.setFont("Helvetica", 10)
            draw(canvas)
            canvas.showPage()
        canvas.save()
        return body.getvalue()

    return make


@pytest.fixture
def a_raw_pdf():
    """A one-page PDF written by hand around its content stream; further objects begin with number 6."""

    def make(
        content, *, filters=b"", extra=(), resources=b"/Font << /F1 5 0 R >>", trailer=b"/Root 1 0 R", length=None
    ):
        stream = b"<< /Length %d %s >> stream\n%s\nendstream" % (
            len(content) if length is None else length,
            filters,
            content,
        )
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << %s >> >>" % resources,
            stream,
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            *extra,
        ]
        body, places = b"%PDF-1.7\n", []
        for number, held in enumerate(objects, 1):
            places.append(len(body))
            body += b"%d 0 obj\n%s\nendobj\n" % (number, held)
        start = len(body)
        body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        body += b"".join(b"%010d 00000 n \n" % place for place in places)
        return body + b"trailer << /Size %d %s >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, trailer, start)

    return make


@pytest.fixture
def save_document():
    """The bytes of a python-docx or python-pptx document."""

    def save(document):
        body = BytesIO()
        document.save(body)
        return body.getvalue()

    return save


@pytest.fixture
def a_docx(save_document):
    """A Word file that a function fills."""

    def make(fill):
        document = docx.Document()
        fill(document)
        return save_document(document)

    return make


@pytest.fixture
def a_pptx(save_document):
    def make(fill):
        slides = pptx.Presentation()
        fill(slides)
        return save_document(slides)

    return make


@pytest.fixture
def a_zip():
    """A zip of name → bytes."""

    def make(parts, method=zipfile.ZIP_DEFLATED):
        body = BytesIO()
        with zipfile.ZipFile(body, "w", method) as archive:
            for name, part in parts.items():
                archive.writestr(name, part)
        return body.getvalue()

    return make


@pytest.fixture
def an_xlsx():
    """An Excel file that a function fills."""

    def make(fill):
        body = BytesIO()
        book = xlsxwriter.Workbook(body, {"in_memory": True})
        fill(book)
        book.close()
        return body.getvalue()

    return make


@pytest.fixture
def a_package():
    """A zip whose first part is its media type, stored."""

    def make(mimetype, parts):
        body = BytesIO()
        with zipfile.ZipFile(body, "w") as package:
            package.writestr(zipfile.ZipInfo("mimetype"), mimetype)
            for name, text in parts.items():
                package.writestr(name, text, zipfile.ZIP_DEFLATED)
        return body.getvalue()

    return make


@pytest.fixture
def an_odt(a_package):
    def make(text, styles="", meta="", **objects):
        content = (
            f"{HEAD}<office:document-content {SPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
            f"<office:body><office:text>{text}</office:text></office:body></office:document-content>"
        )
        output = f"{HEAD}<office:document-meta {SPACES}><office:meta>{meta}</office:meta></office:document-meta>"
        return a_package(
            "application/vnd.oasis.opendocument.text",
            {"content.xml": content, "meta.xml": output}
            | {f"{name}/content.xml": part for name, part in objects.items()},
        )

    return make


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@pytest.fixture
def word_xml(a_zip):
    """A Word file around the markup of its body; other parts by name."""

    def make(inner, parts=None):
        document = (
            f'<w:document xmlns:w="{WORD}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
            ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
            ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
            ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
            f' xmlns:wp="urn:wp"><w:body>{inner}</w:body></w:document>'
        )
        return a_zip({"word/document.xml": document, **(parts or {})})

    return make


@pytest.fixture
def build_deflated_zeros():
    """So many zero bytes, packed."""

    def make(megabytes):
        engine, piece = zlib.compressobj(9), bytes(1 << 20)
        return b"".join(engine.compress(piece) for _ in range(megabytes)) + engine.flush()

    return make
