"""Collects the text of an RTF file as markdown blocks: paragraphs, headings, list items, tables and notes."""

import re
from dataclasses import dataclass, field

from assay.documents.docx_blocks import Blocks
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.office_emphasis import format_raised, mark_markup, strip_bold
from assay.documents.office_fields import find_link_target, mark_link
from assay.documents.paragraph_markdown import format_paragraph
from assay.html.reader.markdown_escapes import escape_line_start
from assay.text.surrogates import replace_surrogates

BULLET = re.compile(r"\W")
MAX_LABEL_CHARACTERS = 20


@dataclass(frozen=True)
class ParagraphShape:
    """What the properties of a paragraph make of it."""

    heading: int = 0
    depth: int = 0  # of a list item
    in_table: bool = False


@dataclass
class RtfBlocks:
    """The blocks so far, with the open paragraph and table. Note 0 is the text itself; others go to its end."""

    blocks: Blocks = field(default_factory=Blocks)
    notes: list[list[str]] = field(default_factory=list)
    label: list[str] = field(default_factory=list)  # the typed bullet or number of the open paragraph
    _pieces: list[str] = field(default_factory=list)
    _cells: list[str] = field(default_factory=list)
    _rows: list[list[str]] = field(default_factory=list)
    _boxes: list[str] = field(default_factory=list)  # the texts of the text boxes of the open paragraph
    _link: tuple[int, int, str] = (0, 0, "")  # the note that the open link is in, its first piece and its target

    def _find_pieces(self, note: int) -> list[str]:
        return self.notes[note - 1] if note else self._pieces

    def write(self, text: str, note: int) -> None:
        self._find_pieces(note).append(text)

    def begin_note(self, note: int) -> int:
        """Write the mark of a new note, and return its number."""
        self.notes.append([])
        self.write(mark_markup(f"[^{len(self.notes)}]"), note)
        return len(self.notes)

    def begin_link(self, instructions: str, note: int) -> bool:
        """Begin the text of a link, if the instructions of a field make it one."""
        target = find_link_target(instructions)
        if not target:
            return False
        self._link = note, len(self._find_pieces(note)), target
        return True

    def end_link(self) -> None:
        note, first, target = self._link
        pieces = self._find_pieces(note)
        text = "".join(pieces[first:])
        if text.strip() and "\n" not in text:
            pieces[first:] = [mark_link(text, target)]

    def _take_text(self) -> str:
        text = _join_pieces(self._pieces)
        self._pieces.clear()
        note, first, target = self._link
        self._link = note, first if note else 0, target  # a link goes on in the next paragraph
        return text

    def add_box(self, text: str, *, in_table: bool) -> None:
        """Add the text of a text box behind the open paragraph, or to the open cell."""
        if text and in_table:
            self.write(f"\n{mark_markup(text)}\n", 0)
        elif text:
            self._boxes.append(text)

    def end_paragraph(self, shape: ParagraphShape, note: int = 0) -> None:
        label = "".join(self.label).strip()
        self.label.clear()
        if note or shape.in_table:
            self.write(" " if note else "\n", note)
            return
        self._end_table()
        text = self._take_text()
        if shape.heading:
            self.blocks.add_heading(text, shape.heading)
        elif 0 < len(label) <= MAX_LABEL_CHARACTERS and text.strip():
            line = " ".join(format_paragraph(text).split())
            self.blocks.add_item(line, "-" if BULLET.fullmatch(label) else label, shape.depth)
        else:
            self.blocks.add(format_paragraph(text))
        for box in self._boxes:
            self.blocks.add_block(box)
        self._boxes.clear()

    def end_cell(self, note: int) -> None:
        if note:
            self.write(" | ", note)
            return
        text = format_paragraph(self._take_text())
        if len(self._cells) < COLUMNS:
            self._cells.append(text if self._rows else strip_bold(text))
        self.label.clear()

    def end_row(self) -> None:
        if self._cells:
            self._rows.append(self._cells)
        self._cells = []

    def _end_table(self) -> None:
        self.end_row()
        if self._rows:
            self.blocks.add_block(format_table(self._rows))
            self._rows = []

    def join_box(self) -> str:
        """End the last paragraph, and return the text of a text box; its notes stay those of the document."""
        self.end_paragraph(ParagraphShape())
        return self.blocks.join("\n\n")

    def join(self) -> str:
        """End the last paragraph, and return the text with the notes at its end."""
        self.end_paragraph(ParagraphShape())
        for number, pieces in enumerate(self.notes, 1):
            text = " ".join(format_paragraph(_join_pieces(pieces)).split())
            self.blocks.add_block(f"[^{number}]: {escape_line_start(text)}")
        return self.blocks.join("\n\n")


def _join_pieces(pieces: list[str]) -> str:
    text = "".join(pieces)
    return format_raised(text if text.isascii() else str(replace_surrogates(text)))
