"""OpenDocument texts, RTF files, slides and books built from a seed, with their structure, for `document_structure`."""

import zipfile
from io import BytesIO
from typing import Any

import pptx
from infra.benchmarks.structure_pages.page import Page, Table
from pptx.util import Inches

ODT_NAMES = {
    "office": "office", "text": "text", "table": "table", "style": "style", "fo": "xsl-fo-compatible",
}  # fmt: skip
ODT_STYLES = (
    '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="I"><style:text-properties fo:font-style="italic"/></style:style>'
    '<text:list-style style:name="U"><text:list-level-style-bullet text:level="1"/>'
    '<text:list-level-style-bullet text:level="2"/></text:list-style>'
    '<text:list-style style:name="O"><text:list-level-style-number text:level="1"/>'
    '<text:list-level-style-number text:level="2"/></text:list-style>'
)
RTF_STYLES = r"{\stylesheet{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}}"
EPUB_CONTAINER = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
EPUB_PACKAGE = (
    '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
    '<spine><itemref idref="a"/></spine></package>'
)

type Items = list[tuple[int, str]]  # level and text


class Draft:
    """What all formats hold, drawn from the page's generator and expected in its markdown."""

    def __init__(self, page: Page, top: int = 1) -> None:
        def expect_heading(level: int) -> str:
            text = page.label(3)
            page.expect("headings", (level, text))
            return text

        self.title = expect_heading(top)
        self.bold, self.italic, self.link = page.label(2), page.label(2), page.label(2)
        page.expect("inline", ("strong", self.bold), ("em", self.italic))
        self.target = f"https://l.example/{page.slug()}"
        page.expect("links", (self.link, self.target))
        self.called, self.note = page.sentence(), page.sentence(8)
        self.lists: list[tuple[str, Items]] = []
        for tag in ("ul", "ol"):
            items = [(level, page.label(3)) for level in (1, 2, 2, 1)]
            page.expect("items", *[(level, tag, text) for level, text in items])
            self.lists.append((tag, items))
        self.section = expect_heading(top + 1) if top == 1 else ""
        heads = [page.label(1) for _ in range(3)]
        self.rows = [heads, *[[page.label(1), str(page.rng.randint(1, 999)), "x"] for _ in range(4)]]
        page.expect("tables", Table(self.rows, head=True))
        self.text = page.prose()

    def expect_note(self, page: Page) -> None:
        page.expect("notes", (self.called[-12:], "1", self.note))


def _zip(parts: dict[str, str]) -> bytes:
    body = BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return body.getvalue()


def build_odt(page: Page) -> bytes:
    draft = Draft(page)
    draft.expect_note(page)
    note = f"<text:note><text:note-body><text:p>{draft.note}</text:p></text:note-body></text:note>"
    link = f'<text:a xlink:href="{draft.target}">{draft.link}</text:a>'
    bold, italic = (
        f'<text:span text:style-name="{name}">{text}</text:span>'
        for name, text in (("B", draft.bold), ("I", draft.italic))
    )
    parts = [
        f'<text:h text:outline-level="1">{draft.title}</text:h>',
        f"<text:p>{draft.called}{note} {bold} and {italic}, {link}.</text:p>",
    ]
    for tag, items in draft.lists:
        (_, first), (_, one), (_, two), (_, last) = items
        inner = "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in (one, two))
        parts.append(
            f'<text:list text:style-name="{"U" if tag == "ul" else "O"}"><text:list-item><text:p>{first}</text:p>'
            f"<text:list>{inner}</text:list></text:list-item>"
            f"<text:list-item><text:p>{last}</text:p></text:list-item></text:list><text:p>{draft.text}</text:p>"
        )
    rows = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in draft.rows
    )
    parts.append(f'<text:h text:outline-level="2">{draft.section}</text:h><table:table>{rows}</table:table>')
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{urn}:1.0"' for name, urn in ODT_NAMES.items()
    )
    return _zip({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f'<office:document-content {names} xmlns:xlink="http://www.w3.org/1999/xlink"><office:automatic-styles>'
        f"{ODT_STYLES}</office:automatic-styles><office:body><office:text>{''.join(parts)}</office:text></office:body>"
        "</office:document-content>",
    })  # fmt: skip


def build_rtf(page: Page) -> bytes:
    draft = Draft(page)
    draft.expect_note(page)
    field = rf'{{\field{{\*\fldinst{{HYPERLINK "{draft.target}"}}}}{{\fldrslt{{\ul {draft.link}}}}}}}'
    parts = [
        rf"\pard\s1 {draft.title}\par",
        rf"\pard {draft.called}{{\super{{\footnote\pard {draft.note}}}}} {{\b {draft.bold}}}",
        rf" and {{\i {draft.italic}}}, {field}.\par",
    ]
    for tag, items in draft.lists:
        counts = [0, 0]
        for level, text in items:
            counts = [counts[0] + (level == 1), counts[1] + 1 if level == 2 else 0]
            label = r"\'b7" if tag == "ul" else f"{counts[level - 1]}."
            parts.append(rf"\pard\ls1\ilvl{level - 1}{{\listtext {label}\tab}}{text}\par")
        parts.append(rf"\pard {draft.text}\par")
    parts.append(rf"\pard\s2 {draft.section}\par")
    parts += [rf"\trowd\pard\intbl {''.join(cell + r'\cell ' for cell in row)}\row" for row in draft.rows]
    return ("{\\rtf1\\ansi" + RTF_STYLES + "\n".join(parts) + r"\pard\par}").encode()


def build_pptx(page: Page) -> bytes:
    draft = Draft(page, top=2)
    slides = pptx.Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = draft.title
    _add_runs(slide, draft)
    frames = (slide.placeholders[1].text_frame, _add_body(slides, page).text_frame)
    for (tag, items), frame in zip(draft.lists, frames, strict=True):
        _add_items(frame, tag, items)
    table = slide.shapes.add_table(5, 3, 0, Inches(3), Inches(4), Inches(1)).table
    for y, row in enumerate(draft.rows):
        for x, cell in enumerate(row):
            table.cell(y, x).text = cell
    body = BytesIO()
    slides.save(body)
    return body.getvalue()


def _add_runs(slide: Any, draft: Draft) -> None:
    box = slide.shapes.add_textbox(0, 0, Inches(4), Inches(1)).text_frame.paragraphs[0]
    for text, name in ((draft.bold, "bold"), (" and ", ""), (draft.italic, "italic"), (", ", ""), (draft.link, "link")):
        run = box.add_run()
        run.text = text
        if name == "link":
            run.hyperlink.address = draft.target
        elif name:
            setattr(run.font, name, True)


def _add_items(frame: Any, tag: str, items: Items) -> None:
    for place, (level, text) in enumerate(items):
        line = frame.add_paragraph() if place else frame.paragraphs[0]
        line.text, line.level = text, level - 1
        if tag == "ol":
            properties = line._p.get_or_add_pPr()  # noqa: SLF001
            numbers = f"{{{properties.nsmap['a']}}}buAutoNum"
            properties.append(properties.makeelement(numbers, {"type": "arabicPeriod"}))


def _add_body(slides: Any, page: Page) -> Any:
    """Return the body of a further slide."""
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = title = page.label(3)
    page.expect("headings", (2, title))
    return slide.placeholders[1]


def build_epub(page: Page) -> bytes:
    draft = Draft(page)
    parts = [
        f"<h1>{draft.title}</h1><p>{draft.called} <b>{draft.bold}</b> and <i>{draft.italic}</i>, ",
        f"<a href='{draft.target}'>{draft.link}</a>.</p>",
    ]
    for tag, ((_, first), (_, one), (_, two), (_, last)) in draft.lists:
        parts.append(
            f"<{tag}><li>{first}<{tag}><li>{one}</li><li>{two}</li></{tag}></li><li>{last}</li></{tag}><p>{draft.text}</p>"
        )
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in draft.rows)
    chapter = f"<html><body>{''.join(parts)}<h2>{draft.section}</h2><table>{rows}</table></body></html>"
    return _zip({
        "mimetype": "application/epub+zip", "META-INF/container.xml": EPUB_CONTAINER, "book.opf": EPUB_PACKAGE,
        "a.xhtml": chapter,
    })  # fmt: skip
