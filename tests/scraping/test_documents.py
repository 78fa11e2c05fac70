"""Documents at URLs: detected by content, parsed with their metadata."""

import io
import json

import pytest
from tests.support.pages import WEIR


def pdf():
    from reportlab.pdfgen.canvas import Canvas

    created = io.BytesIO()
    canvas = Canvas(created)
    canvas.setTitle("Flow report")
    canvas.setAuthor("Mara Lind")
    for number in range(2):
        for line in range(12):
            canvas.drawString(
                72, 760 - 20 * line, f"Page {number + 1}: the flow at the old weir was measured, line {line}."
            )
        canvas.showPage()
    canvas.save()
    return created.getvalue()


def docx():
    from docx import Document

    document, created = Document(), io.BytesIO()
    document.core_properties.title = "Flow report"
    document.add_heading("The weir", 1)
    document.add_paragraph(WEIR)
    document.save(created)
    return created.getvalue()


def pptx():
    from pptx import Presentation

    deck, created = Presentation(), io.BytesIO()
    for number in range(1, 12):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Slide number {number}"
        slide.placeholders[1].text = WEIR
    deck.save(created)
    return created.getvalue()


async def test_a_pdf_is_read_with_what_it_says_of_itself(read):
    body = pdf()
    page = await read(body, "/report.pdf", kind="application/pdf")
    assert page["contentType"] == "pdf"
    assert "Page 2: the flow at the old weir was measured, line 11." in page["content"]
    assert page["metadata"]["title"] == "Flow report"
    assert page["metadata"]["author"] == "Mara Lind"
    assert page["metadata"]["pageCount"] == 2
    assert page["metadata"]["fileSize"] == len(body)


@pytest.mark.parametrize(
    ("made", "kind", "said"), [(docx, "docx", WEIR.strip()), (pptx, "pptx", "Slide number 11"), (pdf, "pdf", "line 11")]
)
@pytest.mark.parametrize("label", ["application/octet-stream", "text/html", "application/zip", ""])
async def test_a_document_is_known_by_its_bytes(read, site, made, kind, said, label):
    page = await read(made(), "/download", kind=label)
    assert page["contentType"] == kind
    assert said in page["content"]
    assert len(site.requests) == 1


async def test_the_plain_text_of_a_document_is_its_text(ask, site):
    from docx import Document

    text = "p < 0.05** and *x* &amp; <b>y</b> [z](javascript:alert(1)) a_b C:\\Temp\\*"
    document, created = Document(), io.BytesIO()
    document.add_heading("1. In C #", 1)
    document.add_paragraph(text)
    document.save(created)
    url = site.says("/text.docx", created.getvalue(), kind="application/octet-stream")
    parts = json.loads((await ask("cinder_scrape", url=url, returnFormat="json")).wire["content"])
    assert parts["headings"] == [{"level": 1, "text": "1. In C #"}]
    assert text in parts["text"].split("\n")
    assert parts["links"] == []


async def test_slides_come_in_their_order(read):
    content = (await read(pptx(), "/deck.pptx"))["content"]
    assert content.index("Slide number 2\n") < content.index("Slide number 10")


async def test_a_broken_document_is_one_request_and_one_error(ask, site):
    error = (
        await ask("scrape_page", url=site.says("/x.pdf", b"%PDF-1.7\n" + b"junk " * 100, kind="application/pdf"))
    ).error
    assert error.kind in ("upstream_unavailable", "content_empty")
    assert len(site.requests) == 1
