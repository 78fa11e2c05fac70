"""Measure how well the markdown of Word files, PDFs and other documents keeps their structure.

    uv run python infra/benchmarks/document_structure.py [--files N] [--show KIND] [--markdown]

Files are built from a seed with python-docx and reportlab: headings by style or size, nested lists, tables with merged
cells and cells of several lines, notes, captions, code, quotes, equations (OMML), and pages of two columns;
`more_documents` builds the smaller files of the other formats. Scores are those of `structure.py`.
"""

import argparse
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import docx
from docx.oxml import parse_xml
from infra.benchmarks.document_parts import build_code, build_rows, expect_heading
from infra.benchmarks.more_documents import build_epub, build_odt, build_pptx, build_rtf
from infra.benchmarks.pdf_documents import build_pdf
from infra.benchmarks.structure import CLASSES, Score
from infra.benchmarks.structure_pages.page import Page
from infra.benchmarks.structure_pages.page import Table as TableTruth

from assay.documents.document_parser import parse

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def build_docx(page: Page) -> bytes:
    document = docx.Document()
    document.add_heading(expect_heading(page, 1), 1)
    _add_text(document, page)
    for write in (_docx_lists, _docx_table, _docx_equation, _docx_code, _docx_quote, _docx_caption, _docx_marks):
        document.add_heading(expect_heading(page, 2), 2)
        _add_text(document, page)
        page.dialects.append(write.__name__)
        write(document, page)
        page.dialects.append("")
        _add_text(document, page)
    body = BytesIO()
    document.save(body)
    return body.getvalue()


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
    rows = build_rows(page)
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
    lines = build_code(page)
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
