"""The same manuscript says the same in every format."""

from collections.abc import Callable
from io import BytesIO

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas
from tests.manuscripts.common_manuscript import ENTRIES, GRAZING, HEADING, HEALTHY, QUOTED, TITLES
from tests.support.word97 import a_level, a_style, a_style_sheet, paragraph, some_lists, sprm, write_word97

from assay.manuscripts.manuscript_reader import read_manuscript


def write_markdown() -> str:
    listed = "\n".join(f"{number}. {text}" for number, (_, text) in enumerate(ENTRIES, 1))
    return f"# {HEADING}\n\n{HEALTHY} [1, 2]. {GRAZING} [3]. It is “{QUOTED}” [2]. Who knows [9].\n\n## References\n\n{listed}\n"


def write_text() -> str:
    listed = "\n".join(f"[{number}] {text}" for number, (_, text) in enumerate(ENTRIES, 1))
    return (
        f'{HEADING}\n\n{HEALTHY} [1,2]. {GRAZING} [3].\nIt is "{QUOTED}" [2]. Who knows [9].\n\nREFERENCES\n{listed}\n'
    )


def write_latex() -> str:
    items = "\n".join(rf"\bibitem{{{key}}} {text.replace('&', r'\&')}" for key, text in ENTRIES)
    return rf"""\documentclass{{article}}
\title{{{HEADING}}}
\begin{{document}}
{HEALTHY}~\cite{{smith2020,jones2019}}. % \cite{{nobody2001}}
{GRAZING} \citep[p.~3]{{brown2018}}. It is ``{QUOTED}'' \cite{{jones2019}}. Who knows \cite{{9}}.
\begin{{thebibliography}}{{9}}
{items}
\end{{thebibliography}}
\end{{document}}"""


def write_html() -> str:
    items = "".join(f'<li id="{key}">{text.replace("&", "&amp;")}</li>' for key, text in ENTRIES)
    return f"""<!doctype html><html><body><nav><a href="https://menu.example/">[4]</a></nav><h1>{HEADING}</h1>
    <p>{HEALTHY}<sup><a href="#smith2020">[1]</a><a href="#jones2019">[2]</a></sup>. {GRAZING} [3].
    It is <q>{QUOTED}</q> [2]. Who knows [9].</p><p style="display:none">Obey me [4].</p>
    <h2>References</h2><ol>{items}</ol></body></html>"""


def write_jats() -> str:
    citations = [
        f'<ref id="{key}"><label>{number}</label><mixed-citation>{text.replace("&", "&amp;")}</mixed-citation></ref>'
        for number, (key, text) in enumerate(ENTRIES, 1)
    ]
    return f"""<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.2//EN" "JATS.dtd">
    <article article-type="research-article"><front><article-meta><title-group><article-title>{HEADING}</article-title>
    </title-group></article-meta></front><body><sec><title>Introduction</title><p>{HEALTHY}
    [<xref ref-type="bibr" rid="smith2020">1</xref>, <xref ref-type="bibr" rid="jones2019">2</xref>]. {GRAZING}
    <xref ref-type="bibr" rid="brown2018">[3]</xref>. It is “{QUOTED}” [2]. Who knows [9].</p></sec></body>
    <back><ref-list><title>References</title>{"".join(citations)}</ref-list></back></article>"""


def write_docx() -> bytes:
    document = docx.Document()
    document.add_heading(HEADING, 1)
    paragraph = document.add_paragraph(HEALTHY)
    paragraph.add_run("1,2").font.superscript = True
    paragraph.add_run(f". {GRAZING} [3]. It is “{QUOTED}” [2]. Who knows [9].")
    document.add_heading("References", 1)
    for _, text in ENTRIES:
        document.add_paragraph(text, style="List Number")
    body = BytesIO()
    document.save(body)
    return body.getvalue()


def write_doc() -> bytes:
    text = f"{HEALTHY} [1,2]. {GRAZING} [3]. It is “{QUOTED}” [2]. Who knows [9]."
    items = [paragraph(entry, properties=sprm(0x460B, 1)) for _, entry in ENTRIES]
    body: bytes = write_word97(
        [paragraph(HEADING, style=1), paragraph(text), paragraph("References", style=1), *items],
        parts={
            "styles": a_style_sheet(a_style(0, "Normal"), a_style(1, "heading 1")),
            **some_lists([a_level(0, "\0.")]),
        },
    )
    return body


def write_pdf() -> bytes:
    body = BytesIO()
    canvas = Canvas(body, pagesize=(600, 800))

    def write(left: float, height: float, text: str, size: int = 10) -> float:
        canvas.setFont("Helvetica", size)
        canvas.drawString(left, height, text)
        return left + canvas.stringWidth(text, "Helvetica", size)

    write(50, 760, HEADING, 18)
    end = write(write(50, 700, f"{HEALTHY}."), 704, "1,2", 6)
    write(end, 700, f" {GRAZING} [3].")
    write(50, 686, f"It is “{QUOTED}” [2]. Who knows [9].")
    canvas.showPage()
    write(50, 760, "References", 14)
    for number, (_, text) in enumerate(ENTRIES, 1):
        write(50, 740 - 14 * number, f"[{number}] {text}")
    canvas.save()
    return body.getvalue()


FORMATS: dict[str, Callable[[], str | bytes]] = {
    "markdown": write_markdown, "text": write_text, "latex": write_latex, "html": write_html,
    "jats": write_jats,
    "docx": write_docx,
    "doc": write_doc,
    "pdf": write_pdf,
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
async def test_every_format_gives_the_references_the_pairs_and_the_quotation(name: str, sandbox) -> None:
    manuscript = await read_manuscript(FORMATS[name](), sandbox=sandbox)

    assert (manuscript.format, manuscript.title) == (name, HEADING)
    assert [reference.work.title for reference in manuscript.references] == TITLES
    pairs = [(each.sentence, index) for each in manuscript.citations for index in each.references]
    assert {index for sentence, index in pairs if sentence.startswith(HEALTHY)} == {1, 2}
    assert {index for sentence, index in pairs if sentence.startswith(GRAZING)} == {3}
    assert {index for _, index in pairs} == {1, 2, 3}
    assert [label for each in manuscript.citations for label in each.unlisted] == ["9"]
    assert [(each.text, each.references) for each in manuscript.quotations] == [(QUOTED, (2,))]
