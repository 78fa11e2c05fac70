"""Converts PDF lines to Markdown: paragraphs, headings by font size, lists, tables, and hyphenated words."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import indent
from typing import Literal

from assay.documents.office_emphasis import NO_MARKS
from assay.documents.paragraph_markdown import format_heading_text, format_paragraph
from assay.documents.pdf_annotation_marks import AnnotatedText, list_unlabelled, write_annotations
from assay.documents.pdf_annotations import PdfAnnotation
from assay.documents.pdf_code import format_code, is_typewritten
from assay.documents.pdf_compounds import Compounds
from assay.documents.pdf_contents import complete_leaders
from assay.documents.pdf_continued import continue_tables
from assay.documents.pdf_fixed import split_cells
from assay.documents.pdf_headings import CAPTION, LARGER, Headings
from assay.documents.pdf_lists import ListIndents, find_lone_dashes, write_label
from assay.documents.pdf_notes import CONTROLS, PdfNote, read_note_lines, take_notes
from assay.documents.pdf_paragraphs import BULLET, ENDED, LEADER, PdfBlock, build_blocks, has_leaders
from assay.documents.pdf_tables import format_table, join_rows, join_tables
from assay.documents.pdf_text_page import PdfLine
from assay.html.reader.markdown_escapes import escape_line_start

LINE_ENDS: dict[int, str | None] = dict.fromkeys(map(ord, "\n\r\x85\u2028\u2029"), " ")
# Of the text of the file: it could forge marks, and a line of print is one line.
FOREIGN = {code: None for code in NO_MARKS if code not in CONTROLS} | LINE_ENDS
ROMAN_CAPTION = re.compile(r"(?:TABLE|FIGURE|FIG\.|ALGORITHM) [IVXL]{1,6}\b")
MOST_FLOATS, LABEL_LETTERS = 8, 60  # parts of tables and figures within a paragraph; letters of a text in a figure


@dataclass
class Part:
    """A paragraph, a heading, a table or code. `text` is literal text, but markdown in tables and code."""

    page: int  # its place, from 0
    kind: Literal["text", "formula", "heading", "markdown"]
    text: str
    marker: str = ""  # of an item, with its indent; the signs of a heading
    is_cut: bool = False  # it ends within a word
    end: tuple[int, float] = (0, 0.0)  # the page on which it ends, and the baseline of its last line
    is_code: bool = False

    def format(self) -> str:
        if self.kind == "markdown":
            return self.text
        if self.kind == "heading":
            text = format_heading_text(self.text)
            return f"{self.marker} {text}" if text else ""
        text = escape_line_start(format_paragraph(self.text))
        return self.marker + text if text else self.marker.rstrip()


def render_markdown(pages: list[list[PdfLine]], annotations: Sequence[Sequence[PdfAnnotation]] = ()) -> str:
    """Render the document from the lines of each page, in reading order and without running heads."""
    pages, notes = take_notes(strip_controls(pages), _measure_body_size(pages))
    compounds = Compounds([note.lines for note in notes])
    parts, ends = _build_parts(pages), [_build_note(note, compounds) for note in notes]
    missed = _annotate(ends, _annotate(parts, annotations))
    return join_parts([text for part in (*parts, *_build_field_parts(missed), *ends) if (text := part.format())])


def strip_controls(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Return the lines without characters that mark or end lines in the text of paragraphs."""
    return [[line if line.text.isprintable() else _strip_controls(line) for line in page] for page in pages]


def _strip_controls(line: PdfLine) -> PdfLine:
    return line._replace(text=line.text.translate(FOREIGN), cells=tuple(map(_strip_controls, line.cells)))


def _build_note(note: PdfNote, compounds: Compounds) -> Part:
    text, *rest = read_note_lines(note)
    for before, line in zip(note.lines, rest, strict=False):
        text = compounds.join_lines(text, line, cut=before.hyphen)
    return Part(note.page, "text", text, f"[^{note.label}]: ")


def render_parts(pages: list[list[PdfLine]], annotations: Sequence[Sequence[PdfAnnotation]]) -> list[tuple[int, str]]:
    """Render each paragraph, heading and table; return it with the place (from 0) of the page on which it begins."""
    parts = _build_parts(pages)
    parts += _build_field_parts(_annotate(parts, annotations))
    return [(part.page, text) for part in parts if (text := part.format())]


def _annotate(parts: Sequence[Part], annotations: Sequence[Sequence[PdfAnnotation]]) -> list[list[PdfAnnotation]]:
    """Write the annotations of each page into the parts in which their words are; return those without a place."""
    parts = [part for part in parts if not part.is_code]
    texts = [AnnotatedText(part.page, part.text, is_markdown=part.kind == "markdown") for part in parts]
    missed = write_annotations(texts, annotations)
    for part, text in zip(parts, texts, strict=True):
        part.text = text.text
    return missed


def _build_field_parts(missed: Sequence[Sequence[PdfAnnotation]]) -> list[Part]:
    return [Part(page, "text", shown) for page, listed in enumerate(missed) for shown in list_unlabelled(listed)]


def _build_parts(pages: list[list[PdfLine]]) -> list[Part]:
    compounds = Compounds(pages)
    body = _measure_body_size(pages)
    has_code = not is_typewritten(pages)
    pages = pages if has_code else [[split_cells(line) for line in page] for page in pages]
    pages = continue_tables([complete_leaders(page) for page in pages])
    blocks = [
        (place, block)
        for place, page in enumerate(pages)
        for block in build_blocks(page, LARGER * body, has_code=has_code)
    ]
    blocks = join_tables(blocks)
    headings = Headings([block for _, block in blocks], body)
    lone_dashes = find_lone_dashes([block for _, block in blocks])
    parts: list[Part] = []
    indents = ListIndents()
    for place, block in blocks:
        part = _build_part(place, block, headings.level(block), compounds)
        _take_marker(part, block, indents, is_dash=id(block) in lone_dashes)
        part.end = place, block.lines[-1].bottom
        before = _find_begun(parts, block, part, body)
        if before is not None:
            before.text = compounds.join_lines(before.text, part.marker + part.text, cut=before.is_cut)
            before.is_cut, before.end = part.is_cut, part.end
        else:
            parts.append(part)
    return parts


def _take_marker(part: Part, block: PdfBlock, indents: ListIndents, *, is_dash: bool) -> None:
    """Move the marker of an item from its text to the field for it."""
    first = block.lines[0]
    if first.tag and (first.tag.level or first.tag.kind == "item") and (part.kind == "text" or part.is_code):
        part.text = write_label(part.text, first.tag)
        part.marker = indents.find_tagged_marker(part.text, first.tag)
        part.text = part.text[len(part.marker.lstrip(" ")) :]
        if part.is_code:
            part.text, part.marker = indent(part.text, part.marker), ""
        return
    if part.kind == "text" and not first.cells and not is_dash:
        part.text = BULLET.sub("- ", part.text)
    literal = part.text if part.kind == "text" else ""
    part.marker += indents.find_marker(literal, first, part.page)
    part.text = part.text[len(part.marker.lstrip(" ")) :] if literal else part.text


def join_parts(parts: list[str]) -> str:
    """Join the parts of a document to Markdown."""
    are_items = [part.lstrip(" ").startswith("- ") for part in parts]
    ends = ["\n" if one and two else "\n\n" for one, two in pairwise(are_items)]
    return "".join(part + end for part, end in zip(parts, [*ends, ""], strict=False))


def _measure_body_size(pages: list[list[PdfLine]]) -> float:
    """The most common font size of text that is not code, by number of characters, rounded to half a point."""
    letters: Counter[float] = Counter()
    for page in pages:
        for line in page:
            if not line.is_fixed:
                letters[round(line.size * 2) / 2] += len(line.text)
    if not letters:
        letters.update(round(line.size * 2) / 2 for page in pages for line in page)
    return letters.most_common(1)[0][0] if letters else 0.0


def _build_part(place: int, block: PdfBlock, level: int, compounds: Compounds) -> Part:
    first, last = block.lines[0], block.lines[-1]
    if block.is_code:
        return Part(place, "markdown", format_code(block.lines), is_code=True)
    if first.cells:
        table = format_table(block.lines, compounds)
        return (
            Part(place, "markdown", table) if table else Part(place, "text", join_rows(block.lines), is_cut=last.hyphen)
        )
    text = first.text
    for before, line in pairwise(block.lines):
        text = compounds.join_lines(text, line.text, cut=before.hyphen)
    text = LEADER.sub(" …", text) if has_leaders(text) else text
    if level:
        return Part(place, "heading", text, "#" * level)
    if first.is_formula:
        return Part(place, "formula", text)
    return Part(place, "text", text, is_cut=last.hyphen)


def _find_begun(parts: list[Part], block: PdfBlock, part: Part, body: float) -> Part | None:
    """The paragraph that goes on across the end of a page or a column, maybe with tables and figures between."""
    tag = block.lines[0].tag
    if tag and tag.goes_on and parts and part.kind == parts[-1].kind != "markdown" and part.page > parts[-1].page:
        return parts[-1]
    if tag and (tag.kind in ("heading", "item") or (tag.kind and parts and part.page == parts[-1].end[0])):
        return None
    place = len(parts) - 1
    while place > 0 and len(parts) - place <= MOST_FLOATS and _may_float(parts[place]):
        place -= 1
    if place >= 0 and any(map(_is_caption, parts[place + 1 :])) and part.text[:1].islower():
        before = parts[place]
        is_moved = part.page > before.end[0] or block.lines[0].bottom > before.end[1]
        if is_moved and not part.marker and _continues(before, block, part, body):
            return before
    return parts[-1] if parts and _continues(parts[-1], block, part, body) else None


def _may_float(part: Part) -> bool:
    """Whether it may be a table, a caption, or a text in a figure."""
    is_label = part.kind == "text" and len(part.text) <= LABEL_LETTERS and not part.text.endswith(ENDED)
    return part.kind == "markdown" or _is_caption(part) or part.text.isupper() or (is_label and not part.is_cut)


def _is_caption(part: Part) -> bool:
    return CAPTION.match(part.text) is not None or ROMAN_CAPTION.match(part.text) is not None


def _continues(before: Part, block: PdfBlock, part: Part, body: float) -> bool:
    """Whether a paragraph continues across the end of a page or a column."""
    if before.kind != "text" or part.kind != "text" or (part.marker.lstrip(" ") + part.text).startswith("-"):
        return False
    if abs(block.size - body) > 0.12 * body:
        return False
    is_begun = len(before.marker + before.text) > 60 and not before.text.endswith(ENDED)
    is_label = part.text[:1].isupper() and _may_float(part)
    goes_on = part.text[:1].islower() or (before.text.endswith(",") and part.text[:1].isdigit())
    return (before.is_cut and not is_label) or (is_begun and not part.marker and goes_on)
