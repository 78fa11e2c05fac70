"""PDFs built from a seed with reportlab, with their structure, for `document_structure`."""

from functools import partial
from io import BytesIO
from typing import Any

from infra.benchmarks.document_parts import build_code, build_rows, expect_heading
from infra.benchmarks.paper_parts import build_column_table, build_formula, build_latex_table, build_references
from infra.benchmarks.structure_pages.page import Page
from infra.benchmarks.structure_pages.page import Table as TableTruth
from infra.benchmarks.wrapped_tables import build_wrapped_table
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    ListFlowable,
    ListItem,
    PageTemplate,
    Paragraph,
    Preformatted,
    Spacer,
    Table,
    TableStyle,
)


def build_pdf(page: Page) -> bytes:
    styles, body = getSampleStyleSheet(), BytesIO()
    columns = 1 + page.number % 2
    width, height = A4
    usable = (width - 100 - 20 * (columns - 1)) / columns
    frames = [Frame(50 + place * (usable + 20), 50, usable, height - 100, id=str(place)) for place in range(columns)]
    template = BaseDocTemplate(body, pagesize=A4)
    notes = [page.sentence(12) for _ in range(2)]
    template.addPageTemplates([PageTemplate(frames=frames, onPage=lambda canvas, _: _draw_notes(canvas, notes))])
    flow: list[Any] = [Paragraph(expect_heading(page, 1), styles["Title"]), _pdf_calls(page, notes)]
    parts = (
        _pdf_lists,
        _pdf_table,
        _pdf_code,
        _pdf_sections,
        partial(build_wrapped_table, width=usable - 12),
        build_latex_table,
        build_column_table,
        build_formula,
        build_references,
    )
    for write in parts:
        flow += [Paragraph(expect_heading(page, 2), styles["Heading2"]), *_pdf_text(page)]
        page.dialects.append(getattr(write, "__name__", ""))
        flow += write(page)
        page.dialects.append("")
        flow += _pdf_text(page)
    template.build(flow)
    return body.getvalue()


def _pdf_calls(page: Page, notes: list[str]) -> Any:
    """Return a paragraph with a raised number of each note behind a sentence."""
    text = ""
    for number, note in enumerate(notes, 1):
        sentence = page.sentence()
        page.expect("notes", (sentence[-12:], str(number), note))
        text += f"{sentence}<super size=6>{number}</super> "
    return Paragraph(text + page.sentence(), getSampleStyleSheet()["BodyText"])


def _draw_notes(canvas: Any, notes: list[str]) -> None:
    """Draw the notes at the foot of the first page."""
    for number, note in enumerate(notes if canvas.getPageNumber() == 1 else [], 1):
        line = canvas.beginText(50, 48 - 10 * number)
        line.setFont("Helvetica", 5)
        line.setRise(3)
        line.textOut(str(number))
        line.setFont("Helvetica", 8)
        line.setRise(0)
        line.textOut(f" {note}")
        canvas.drawText(line)


def _pdf_text(page: Page) -> list[Any]:
    text = page.prose()
    page.expect("lines", (text,))
    return [Paragraph(text, getSampleStyleSheet()["BodyText"]), Spacer(1, 6)]


def _pdf_lists(page: Page) -> list[Any]:
    body = getSampleStyleSheet()["BodyText"]
    found: list[Any] = []
    for tag, kind in (("ul", "bullet"), ("ol", "1")):
        texts, inner = [page.label(3) for _ in range(3)], [page.label(3) for _ in range(2)]
        options = {"bulletType": kind, "start": None, **_bullets(page, kind)}
        nested = ListFlowable([ListItem(Paragraph(text, body)) for text in inner], **options)
        items = [
            ListItem(Paragraph(texts[0], body)),
            ListItem([Paragraph(texts[1], body), nested]),
            ListItem(Paragraph(texts[2], body)),
        ]
        found += [ListFlowable(items, **options), *_pdf_text(page)]
        page.expect("items", (1, tag, texts[0]), (1, tag, texts[1]))
        page.expect("items", *[(2, tag, text) for text in inner], (1, tag, texts[2]))
    return found


def _bullets(page: Page, kind: str) -> dict[str, Any]:
    """Return the size and the form of bullets or numbers: of the size of the text, or larger as by default."""
    size = {"bulletFontSize": 10} if page.number % 4 < 2 else {}
    return size | ({"bulletFormat": "%s."} if kind == "1" else {})


def _pdf_table(page: Page) -> list[Any]:
    rows = build_rows(page, 5, 4 if page.number % 4 < 2 else 3)
    written = [list(row) for row in rows]
    if page.number % 3 == 0:
        rows[2][1] = written[2][1] = ""
    table = Table(written)
    if page.number % 2:
        table.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, (0, 0, 0))]))
    page.expect("tables", TableTruth(rows, head=True))
    caption = f"Table {page.number + 1}. {page.sentence(5)}"
    page.expect("lines", (caption,))
    return [Paragraph(caption, getSampleStyleSheet()["BodyText"]), table, Spacer(1, 8)]


def _pdf_code(page: Page) -> list[Any]:
    lines = build_code(page)
    page.expect("code", ("", "\n".join(lines)))
    return [Preformatted("\n".join(lines), getSampleStyleSheet()["Code"]), Spacer(1, 8)]


def _pdf_sections(page: Page) -> list[Any]:
    found: list[Any] = []
    for _ in range(2):
        found += [Paragraph(expect_heading(page, 3), getSampleStyleSheet()["Heading3"]), *_pdf_text(page)]
    return found
