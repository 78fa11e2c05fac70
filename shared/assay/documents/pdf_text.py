"""Converts PDF lines to Markdown: paragraphs, headings by font size, lists, tables, and hyphenated words."""

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from assay.documents.pdf_code import find_code_lines, follows_code, format_code, is_typewritten
from assay.documents.pdf_fixed import split_cells
from assay.documents.pdf_lists import ListIndents
from assay.documents.pdf_notes import PdfNote, read_note_lines, take_notes
from assay.documents.pdf_tables import LEADER, format_table
from assay.documents.pdf_text_page import PdfLine

HEADING = 1.12  # minimum heading size relative to the body text
HEADING_LETTERS = 200  # maximum length of a heading
LEVELS = 4  # maximum number of heading levels
BULLET = re.compile(r"^[•◦▪‣●○■□⁃∙·–—*-]\s+(?=\S)")
NUMBERED = re.compile(r"^(\d{1,3}[.)]|\(?[a-z]\))\s+(?=\S)")
SPACES = re.compile(r" {2,}")
ENDED = (".", "!", "?", ":", ";", "”", '"', "。", "！", "？")


@dataclass
class PdfBlock:
    """Lines of one paragraph, of one font size."""

    size: float
    lines: list[PdfLine] = field(default_factory=list)
    is_code: bool = False


def render_markdown(pages: list[list[PdfLine]]) -> str:
    """Render the document from the lines of each page, which are in reading order, without running heads."""
    pages, notes = take_notes(pages, _measure_body_size(pages))
    parts = [text for _, text in render_parts(pages)]
    compounds = Compounds([note.lines for note in notes])
    return join_parts([*parts, *(_format_note(note, compounds) for note in notes)])


def _format_note(note: PdfNote, compounds: "Compounds") -> str:
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
    blocks = [(place, block) for place, page in enumerate(pages) for block in _build_blocks(page, has_code=has_code)]
    levels = _assign_levels([block for _, block in blocks], body)
    parts: list[tuple[int, str]] = []
    indents = ListIndents()
    for place, block in blocks:
        text = indents.indent(_render_block(block, levels, compounds), block.lines[0].left, place)
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
    """The most common font size, by number of characters, rounded to half a point."""
    letters: Counter[float] = Counter()
    for page in pages:
        for line in page:
            letters[round(line.size * 2) / 2] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 0.0


def _build_blocks(lines: list[PdfLine], *, has_code: bool) -> list[PdfBlock]:
    step = _measure_usual_step(lines)
    edges = _measure_right_edges(lines)
    blocks: list[PdfBlock] = []
    before: PdfLine | None = None
    are_code = find_code_lines(lines, step) if has_code else [False] * len(lines)
    for line, is_code in zip(lines, are_code, strict=True):
        if before is None or is_code != blocks[-1].is_code:
            starts = True
        elif is_code:
            starts = not follows_code(before, line)
        else:
            starts = _starts_paragraph(before, line, step, edges, blocks[-1])
        if starts:
            blocks.append(PdfBlock(line.size, is_code=is_code))
        blocks[-1].lines.append(
            line if is_code or not line.is_fixed else line._replace(text=SPACES.sub(" ", line.text))
        )
        before = line
    return blocks


def _measure_usual_step(lines: list[PdfLine]) -> float:
    """The line spacing within paragraphs, relative to the font size: the lower third of all spacings."""
    steps = sorted(
        (one.bottom - two.bottom) / height
        for one, two in pairwise(lines)
        if (height := one.size) > 0 and 0.5 < (one.bottom - two.bottom) / height < 2.5
    )
    return steps[len(steps) // 3] if steps else 1.2


def _measure_right_edges(lines: list[PdfLine]) -> dict[int, float]:
    """The right edge of text by its left edge, which is rounded to ten points."""
    edges: dict[int, float] = {}
    for line in lines:
        place = round(line.left / 10)
        if line.right > edges.get(place, 0.0):
            edges[place] = line.right
    return edges


def _starts_paragraph(before: PdfLine, line: PdfLine, step: float, edges: dict[int, float], block: PdfBlock) -> bool:
    """Whether this line begins a new paragraph."""
    height = before.size
    if line.cells or before.cells:
        return not (line.cells and before.cells) or _has_leaders(before.text)
    if abs(line.size - height) > 0.12 * height:
        return True
    down = before.bottom - line.bottom
    if down < -height / 3:  # upwards: the next column
        return not _is_unfinished(before, line)
    if down < height / 3:
        return False
    if (
        down > (step + 0.35) * height
        or BULLET.match(line.text)
        or (NUMBERED.match(line.text) and not _wraps(before, line, edges))
        or LEADER.search(before.text)
    ):
        return True
    if line.left - before.left > 0.8 * height and not _is_item(block):
        return True
    if before.left - line.left > 0.8 * height and before.right < edges[round(line.left / 10)] - 4 * height:
        return True  # outdented, after a line that ends early
    return before.text.endswith(ENDED) and before.right < edges[round(before.left / 10)] - 4 * height


def _wraps(before: PdfLine, line: PdfLine, edges: dict[int, float]) -> bool:
    """Whether a line that begins with a number continues a sentence that the line before did not end."""
    is_full = before.right > edges[round(before.left / 10)] - 4 * before.size
    return is_full and abs(line.left - before.left) < before.size and before.text[-1:].isalpha()


def _has_leaders(text: str) -> bool:
    """Whether the text contains dot leaders, as in a table of contents."""
    return ("..." in text or ". ." in text) and LEADER.search(text) is not None


def _is_item(block: PdfBlock) -> bool:
    return bool(BULLET.match(block.lines[0].text) or NUMBERED.match(block.lines[0].text))


def _is_unfinished(before: PdfLine, line: PdfLine) -> bool:
    return before.hyphen or (not before.text.endswith(ENDED) and line.text[:1].islower())


def _assign_levels(blocks: list[PdfBlock], body: float) -> dict[float, int]:
    """The heading level for each font size above that of the body text."""
    sizes = {round(block.size * 2) / 2 for block in blocks if _is_heading(block, body)}
    return {size: min(place, LEVELS) for place, size in enumerate(sorted(sizes, reverse=True), 1)}


def _is_heading(block: PdfBlock, body: float) -> bool:
    letters = sum(len(line.text) for line in block.lines)
    return (
        block.size >= HEADING * body
        and letters <= HEADING_LETTERS
        and any(letter.isalpha() for letter in block.lines[0].text)
        and not block.lines[0].cells
        and not block.is_code
        and not BULLET.match(block.lines[0].text)
    )


def _render_block(block: PdfBlock, levels: dict[float, int], compounds: "Compounds") -> str:
    if block.is_code:
        return format_code(block.lines)
    if block.lines[0].cells:
        return format_table([line.cells for line in block.lines])
    text = block.lines[0].text
    text = LEADER.sub(" …", text) if _has_leaders(text) else text
    for before, line in pairwise(block.lines):
        text = compounds.join_lines(text, line.text, cut=before.hyphen)
    level = levels.get(round(block.size * 2) / 2)
    if level and not BULLET.match(text) and sum(len(line.text) for line in block.lines) <= HEADING_LETTERS:
        return "#" * level + " " + text
    text = BULLET.sub("- ", text)
    return text + ("\ufffe" if block.lines[-1].hyphen else "")


def _continues(before: str, block: PdfBlock, text: str, body: float) -> bool:
    """Whether a paragraph continues across the end of a page or a column."""
    if before.startswith(("#", "|", "```")) or text.lstrip(" ").startswith(("#", "-", "|", "```")):
        return False
    if abs(block.size - body) > 0.12 * body:
        return False
    return before.endswith("\ufffe") or (not before.endswith(ENDED) and text[:1].islower() and len(before) > 60)


class Compounds:
    """Hyphenated words of the document, to distinguish compounds (well-known) from hyphenation (inter-national)."""

    def __init__(self, pages: list[list[PdfLine]]) -> None:
        self._pages = pages
        self._known: set[tuple[str, str]] | None = None

    def _read(self) -> set[tuple[str, str]]:
        known = set()
        for page in self._pages:
            for line in page:
                if "-" in line.text:
                    known |= {
                        (_find_last_word(one), _find_first_word(two))
                        for one, two in pairwise(line.text.lower().split("-"))
                    }
        return known

    def join_lines(self, one: str, two: str, *, cut: bool) -> str:
        """Join two lines; a hyphen at the line break is removed unless the document writes the word with one."""
        if one.endswith(("-", "–")) and one[-2:-1].isdigit() and two[:1].isdigit():
            return one + two
        dashed = one.endswith("-") and one[-2:-1].isalpha()
        if not cut and not (dashed and two[:1].islower()):
            return f"{one} {two}"
        one = one.removesuffix("-")
        if not two[:1].islower():
            return f"{one}-{two}"
        if self._known is None:
            self._known = self._read()
        mark = "-" if (_find_last_word(one.lower()), _find_first_word(two.lower())) in self._known else ""
        return one + mark + two


def _find_last_word(text: str) -> str:
    match = re.search(r"[^\W_]+$", text[-40:])
    return match[0] if match else ""


def _find_first_word(text: str) -> str:
    match = re.match(r"[^\W_]+", text)
    return match[0] if match else ""
