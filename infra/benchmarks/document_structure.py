"""Measure how well the markdown of Word files, PDFs and other documents keeps their structure.

    uv run python infra/benchmarks/document_structure.py [--files N] [--show KIND] [--markdown]

Files are built from a seed with python-docx and reportlab: headings by style or size, nested lists, tables with merged
cells and cells of several lines, notes, captions, code, quotes, equations (OMML), and pages of two columns;
`more_documents` builds the smaller files of the other formats. Scores are those of `structure.py`.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import docx
from docx.oxml import parse_xml
from infra.benchmarks.more_documents import build_epub, build_odt, build_pptx, build_rtf
from infra.benchmarks.structure import CLASSES, Score
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

from assay.documents.document_parser import parse

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def _rows(page: Page, rows: int = 4, columns: int = 3) -> list[list[str]]:
    heads = [page.label(1) for _ in range(columns)]
    return [
        heads,
        *[[page.label(1), *[str(page.rng.randint(100, 9999)) for _ in range(columns - 1)]] for _ in range(rows)],
    ]


def _code(page: Page) -> list[str]:
    return [
        f"def {page.rng.choice('fgh')}(a, b):",
        f"    # step {page.slug()}",
        "    return a * b",
        "",
        "print(f(1, 2))",
    ]


# Word


def build_docx(page: Page) -> bytes:
    document = docx.Document()
    document.add_heading(_expect_heading(page, 1), 1)
    _add_text(document, page)
    for write in (_docx_lists, _docx_table, _docx_equation, _docx_code, _docx_quote, _docx_caption, _docx_marks):
        document.add_heading(_expect_heading(page, 2), 2)
        _add_text(document, page)
        page.dialects.append(write.__name__)
        write(document, page)
        page.dialects.append("")
        _add_text(document, page)
    body = BytesIO()
    document.save(body)
    return body.getvalue()


def _expect_heading(page: Page, level: int) -> str:
    text = page.label(3)
    page.expect("headings", (level, text))
    return text


def _add_text(document: Any, page: Page) -> None:
    document.add_paragraph(page.prose())


def _docx_lists(document: Any, page: Page) -> None:
    for style, tag in (("List Bullet", "ul"), ("List Number", "ol")):
        for place in range(12 if tag == "ol" else 3):
            text = page.label(3)
            document.add_paragraph(text, style=style)
            page.expect("items", (1, tag, text))
            if place in (1, 10):
                for _ in range(2):
                    inner = page.label(3)
                    document.add_paragraph(inner, style=f"{style} 2")
                    page.expect("items", (2, tag, inner))
        _add_text(document, page)


def _docx_table(document: Any, page: Page) -> None:
    rows = _rows(page)
    table = document.add_table(len(rows), len(rows[0]))
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            table.cell(y, x).text = cell
    table.cell(1, 0).merge(table.cell(2, 0)).text = rows[1][0]
    table.cell(3, 1).merge(table.cell(3, 2)).text = rows[3][1]
    rows[2][0], rows[3][2] = rows[1][0], rows[3][1]
    page.expect("tables", TableTruth(rows, head=True))


def _docx_equation(document: Any, page: Page) -> None:
    n = page.counter = page.counter + 1

    def run(text: object) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    fraction = f"<m:f><m:num>{run('x')}</m:num><m:den>{run(f'y+{n}')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{run('z')}</m:e><m:sup>{run(n)}</m:sup></m:sSup>"
    root = f"<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{run('k')}</m:e></m:rad>"
    limits = f"<m:sub>{run('i=1')}</m:sub><m:sup>{run(n)}</m:sup>"
    total = f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>{limits}<m:e>{run('i')}</m:e></m:nary>"
    paragraph = document.add_paragraph(page.words(5) + " ")
    paragraph._p.append(parse_xml(f"<m:oMath {M}>{fraction}{run('+')}{power}</m:oMath>"))  # noqa: SLF001
    document.add_paragraph()._p.append(  # noqa: SLF001
        parse_xml(f"<m:oMathPara {M}><m:oMath>{total}{run('=')}{root}</m:oMath></m:oMathPara>")
    )
    page.expect(
        "formulas", ("inline", rf"\frac{{x}}{{y+{n}}}+z^{{{n}}}"), ("display", rf"\sum_{{i=1}}^{{{n}}}i=\sqrt{{k}}")
    )


def _docx_code(document: Any, page: Page) -> None:
    lines = _code(page)
    by_style = page.number % 2
    if by_style and "Source Code" not in [style.name for style in document.styles]:
        document.styles.add_style("Source Code", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    for line in lines:
        if by_style:
            document.add_paragraph(line, style="Source Code")
        else:
            document.add_paragraph().add_run(line).font.name = "Courier New"
    page.expect("code", ("", "\n".join(lines)))


def _docx_quote(document: Any, page: Page) -> None:
    text = page.sentence()
    document.add_paragraph(text, style="Quote" if page.number % 2 else "Intense Quote")
    page.expect("quotes", (1, text))


def _docx_caption(document: Any, page: Page) -> None:
    caption = page.sentence(6)
    document.add_paragraph(caption, style="Caption")
    page.expect("lines", (caption,))


def _docx_marks(document: Any, page: Page) -> None:
    one, two, n = page.label(2), page.label(2), page.counter
    paragraph = document.add_paragraph(page.words(4) + " ")
    paragraph.add_run(one).bold = True
    paragraph.add_run(f" {page.words(3)} ")
    paragraph.add_run(two).italic = True
    paragraph.add_run(" and 10")
    paragraph.add_run(str(n)).font.superscript = True
    page.expect("inline", ("strong", one), ("em", two))
    page.expect("signs", f"10^{n}")


# PDF


def build_pdf(page: Page) -> bytes:
    styles, body = getSampleStyleSheet(), BytesIO()
    columns = 1 + page.number % 2
    width, height = A4
    usable = (width - 100 - 20 * (columns - 1)) / columns
    frames = [Frame(50 + place * (usable + 20), 50, usable, height - 100, id=str(place)) for place in range(columns)]
    template = BaseDocTemplate(body, pagesize=A4)
    notes = [page.sentence(12) for _ in range(2)]
    template.addPageTemplates([PageTemplate(frames=frames, onPage=lambda canvas, _: _draw_notes(canvas, notes))])
    flow: list[Any] = [Paragraph(_expect_heading(page, 1), styles["Title"]), _pdf_calls(page, notes)]
    for write in (_pdf_lists, _pdf_table, _pdf_code, _pdf_sections, partial(build_wrapped_table, width=usable - 12)):
        flow += [Paragraph(_expect_heading(page, 2), styles["Heading2"]), *_pdf_text(page)]
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
    rows = _rows(page, 5, 4 if page.number % 4 < 2 else 3)
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
    lines = _code(page)
    page.expect("code", ("", "\n".join(lines)))
    return [Preformatted("\n".join(lines), getSampleStyleSheet()["Code"]), Spacer(1, 8)]


def _pdf_sections(page: Page) -> list[Any]:
    found: list[Any] = []
    for _ in range(2):
        found += [Paragraph(_expect_heading(page, 3), getSampleStyleSheet()["Heading3"]), *_pdf_text(page)]
    return found


BUILDERS: dict[str, Callable[[Page], bytes]] = {
    "docx": build_docx, "pdf": build_pdf, "odt": build_odt, "rtf": build_rtf, "pptx": build_pptx, "epub": build_epub,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=60, help="files of each kind")
    parser.add_argument("--show", default="", help="print what was missed in this kind of file")
    parser.add_argument("--markdown", action="store_true", help="print the markdown of the first file of that kind")
    options = parser.parse_args()
    for kind, build in BUILDERS.items():
        score = Score()
        for number in range(options.files):
            page = Page(number)
            body = build(page)
            markdown = parse(body, kind).markdown
            score.add(page, markdown)
            if kind == options.show and options.markdown and not number:
                print(markdown)
        print(kind, *(f"{name} {score.value(name):.3f}" for name in CLASSES if score.wanted[name]), sep="\n  ")
        if kind == options.show:
            print(*[line for lines in score.missed.values() for line in lines], sep="\n")


if __name__ == "__main__":
    main()
