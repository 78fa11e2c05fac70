"""Converts PDF lines to Markdown: paragraphs, headings by font size, lists, tables, and hyphenated words."""

from collections import Counter
from itertools import pairwise

from assay.documents.pdf_code import format_code, is_typewritten
from assay.documents.pdf_compounds import Compounds
from assay.documents.pdf_contents import complete_leaders
from assay.documents.pdf_fixed import split_cells
from assay.documents.pdf_headings import LARGER, Headings
from assay.documents.pdf_lists import ListIndents
from assay.documents.pdf_notes import PdfNote, read_note_lines, take_notes
from assay.documents.pdf_paragraphs import BULLET, ENDED, LEADER, PdfBlock, build_blocks, has_leaders
from assay.documents.pdf_tables import format_table, join_tables
from assay.documents.pdf_text_page import PdfLine


def render_markdown(pages: list[list[PdfLine]]) -> str:
    """Render the document from the lines of each page, which are in reading order, without running heads."""
    pages, notes = take_notes(pages, _measure_body_size(pages))
    parts = [text for _, text in render_parts(pages)]
    compounds = Compounds([note.lines for note in notes])
    return join_parts([*parts, *(_format_note(note, compounds) for note in notes)])


def _format_note(note: PdfNote, compounds: Compounds) -> str:
    text, *rest = read_note_lines(note)
    for before, line in zip(note.lines, rest, strict=False):
        text = compounds.join_lines(text, line, cut=before.hyphen)
    return f"[^{note.label}]: {text}"


def render_parts(pages: list[list[PdfLine]]) -> list[tuple[int, str]]:
    """Render each paragraph, heading and table; return it with the place (from 0) of the page on which it begins."""
    compounds = Compounds(pages)
    body = _measure_body_size(pages)
    has_code = not is_typewritten(pages)
    pages = pages if has_code else [[split_cells(line) for line in page] for page in pages]
    pages = [complete_leaders(page) for page in pages]
    blocks = [
        (place, block)
        for place, page in enumerate(pages)
        for block in build_blocks(page, LARGER * body, has_code=has_code)
    ]
    blocks = join_tables(blocks)
    headings = Headings([block for _, block in blocks], body)
    parts: list[tuple[int, str]] = []
    indents = ListIndents()
    for place, block in blocks:
        text = indents.indent(_render_block(block, headings.level(block), compounds), block.lines[0].left, place)
        first, before = parts[-1] if parts else (0, "")
        if parts and _continues(before, block, text, body):
            joined = compounds.join_lines(before.removesuffix("\ufffe"), text, cut=before.endswith("\ufffe"))
            parts[-1] = first, joined
        else:
            parts.append((place, text))
    return [(place, part.removesuffix("\ufffe")) for place, part in parts if part]


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


def _render_block(block: PdfBlock, level: int, compounds: Compounds) -> str:
    if block.is_code:
        return format_code(block.lines)
    if block.lines[0].cells:
        return format_table(block.lines, compounds)
    text = block.lines[0].text
    for before, line in pairwise(block.lines):
        text = compounds.join_lines(text, line.text, cut=before.hyphen)
    text = LEADER.sub(" …", text) if has_leaders(text) else text
    if level:
        return "#" * level + " " + text
    text = text if block.lines[0].is_formula else BULLET.sub("- ", text)
    return text + ("\ufffe" if block.lines[-1].hyphen else "")


def _continues(before: str, block: PdfBlock, text: str, body: float) -> bool:
    """Whether a paragraph continues across the end of a page or a column."""
    if before.startswith(("#", "|", "```")) or text.lstrip(" ").startswith(("#", "-", "|", "```")):
        return False
    if abs(block.size - body) > 0.12 * body:
        return False
    return before.endswith("\ufffe") or (not before.endswith(ENDED) and text[:1].islower() and len(before) > 60)
