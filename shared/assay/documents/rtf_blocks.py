"""Collects the text of an RTF file as markdown blocks: paragraphs, headings, list items, tables and notes."""

import re
from dataclasses import dataclass, field

from assay.documents.docx_blocks import Blocks
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.office_emphasis import format_raised, mark_markup, strip_bold
from assay.documents.office_fields import find_link_target, mark_link
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.rtf_rows import RtfRow, align_rows
from assay.documents.rtf_words import INNER_BAR, RtfState
from assay.html.reader.markdown_escapes import escape_line_start
from assay.text.surrogates import replace_surrogates

BULLET = re.compile(r"\W|o")  # Word has an o for that of the second level
MAX_LABEL_CHARACTERS = 20


@dataclass(frozen=True)
class ParagraphShape:
    """What the properties of a paragraph make of it."""

    heading: int = 0
    depth: int = 0  # of a list item
    in_table: bool = False
    is_code: bool = False
    is_quote: bool = False


def shape_paragraph(state: RtfState) -> ParagraphShape:
    """What the state at the end of a paragraph makes of it."""
    style = state.style
    depth = min(max(state.depth, style.depth), 8)
    return ParagraphShape(state.heading or style.heading, depth, state.in_table, style.is_code, style.is_quote)


@dataclass
class RtfBlocks:
    """The blocks so far, with the open paragraph and table. Note 0 is the text itself; others go to its end.

    Notes below 0 are comments.
    """

    blocks: Blocks = field(default_factory=Blocks)
    notes: list[list[str]] = field(default_factory=list)
    comments: list[list[str]] = field(default_factory=list)
    label: list[str] = field(default_factory=list)  # the typed bullet or number of the open paragraph
    is_monospaced: bool = True  # whether all text of the open paragraph so far is
    _pieces: list[str] = field(default_factory=list)
    _cells: list[str] = field(default_factory=list)
    _rows: list[RtfRow] = field(default_factory=list)
    _edges: list[int] = field(default_factory=lambda: [0])  # of the row that is defined: its left one, then the others
    _start: int = 0  # the first piece of the open paragraph in a cell
    _boxes: list[str] = field(default_factory=list)  # the texts of the text boxes of the open paragraph
    _link: tuple[int, int, str] = (0, 0, "")  # the note that the open link is in, its first piece and its target

    def _find_pieces(self, note: int) -> list[str]:
        if note < 0:
            return self.comments[-note - 1]
        return self.notes[note - 1] if note else self._pieces

    def write(self, text: str, note: int) -> None:
        self._find_pieces(note).append(text)

    def begin_note(self, note: int) -> int:
        """Write the mark of a new note, and return its number."""
        self.notes.append([])
        self.write(mark_markup(f"[^{len(self.notes)}]"), note)
        return len(self.notes)

    def begin_comment(self) -> int:
        """Begin the text of a comment, and return its number."""
        self.comments.append([])
        return -len(self.comments)

    def list_comments(self) -> list[str]:
        """The texts of the comments as markdown."""
        return [format_paragraph(_join_pieces(pieces)) for pieces in self.comments]

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
        self._start = 0
        self.is_monospaced = True
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
        if note:
            self.label.clear()
            self.write(" ", note)
            return
        if shape.in_table:
            self._end_line()
            return
        label = self._take_label()
        self._end_table()
        is_typed = self.is_monospaced
        text = self._take_text()
        self._add_text(text, label if text.strip() else "", shape, is_typed=is_typed and bool(text.strip()))
        for box in self._boxes:
            self.blocks.add_block(box)
        self._boxes.clear()

    def _add_text(self, text: str, label: str, shape: ParagraphShape, *, is_typed: bool) -> None:
        """Add the marked text of a paragraph with its bullet or number; `is_typed`: in a monospaced font."""
        is_bullet = BULLET.fullmatch(label) is not None
        if shape.heading:
            self.blocks.add_heading(f"{label} {text}" if label and not is_bullet else text, shape.heading)
        elif label:
            line = " ".join(format_paragraph(text).split())
            self.blocks.add_item(line, "-" if is_bullet else label, shape.depth)
        elif shape.is_code or is_typed:
            self.blocks.add_code(text, by_font=not shape.is_code)
        elif shape.is_quote:
            self.blocks.add_quote(format_paragraph(text))
        else:
            self.blocks.add(format_paragraph(text))

    def _take_label(self) -> str:
        label = "".join(self.label).strip()
        self.label.clear()
        return label if len(label) <= MAX_LABEL_CHARACTERS else ""

    def _end_line(self) -> None:
        """End a paragraph in a cell, which becomes a line of it."""
        pieces, label = self._pieces, self._take_label()
        if label and any(piece.strip() for piece in pieces[self._start :]):
            pieces.insert(self._start, f"{'-' if BULLET.fullmatch(label) else label} ")
        if pieces and pieces[-1] == INNER_BAR:  # behind the last cell of an inner row
            pieces.pop()
        pieces.append("\n")
        self._start = len(pieces)

    def end_cell(self, note: int) -> None:
        if note:
            self.write(" | ", note)
            return
        self._end_line()
        text = format_paragraph(self._take_text())
        if len(self._cells) < COLUMNS:
            self._cells.append(text)

    def begin_row(self) -> None:
        """Begin the definition of a row, which stands before its cells, behind them or both."""
        self._edges = [0]

    def move_row(self, left: int) -> None:
        self._edges[0] = left

    def add_edge(self, right: int) -> None:
        """Add the right edge of the next cell."""
        if len(self._edges) <= COLUMNS:
            self._edges.append(right)

    def end_row(self) -> None:
        if self._cells:
            self._rows.append(RtfRow(self._cells, self._edges))
        self._cells = []

    def _end_table(self) -> None:
        self.end_row()
        if len(self._rows) == 1 and len(self._rows[0].cells) == 1:  # a frame around text
            self.blocks.add(self._rows[0].cells[0])
        elif self._rows:
            head, *rows = align_rows(self._rows)
            self.blocks.add_block(format_table([[strip_bold(cell) for cell in head], *rows]))
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
