"""Parser for RTF files (RTF Specification 1.9.1): headings, lists, tables, links and notes, without hidden text.

A parser of our own, because libraries for RTF (striprtf, pyth) return hidden text (`\\v`) as visible.
"""

import re
from dataclasses import replace

from assay.documents.document import TEXT_CHARS, Document, truncate_text
from assay.documents.document_comments import Comment, format_comments
from assay.documents.docx_formatting import TINY
from assay.documents.office_emphasis import mark_picture, mark_run, strip_foreign_marks
from assay.documents.rtf_blocks import RtfBlocks, shape_paragraph
from assay.documents.rtf_comments import COMMENT_FACTS, RtfComments
from assay.documents.rtf_shapes import MEASURES, RtfShapes
from assay.documents.rtf_styles import UNSTYLED, RtfStyles
from assay.documents.rtf_tables import RtfTables
from assay.documents.rtf_words import (
    BOXES,
    CAPTURED,
    DEPTH,
    ENDS,
    LOWERED,
    PROPERTIES,
    ROW_WORDS,
    SHAPES,
    SKIPPED,
    STARRED,
    STRUCTURE,
    SWITCHES,
    SYMBOLS,
    TEXT_WORDS,
    TOKEN,
    VALUES,
    RtfState,
)
from assay.errors import UpstreamFailed

BOX_DEPTH = 20  # maximum nesting of text boxes
type Group = bytes | None  # a group of a TOKEN match


def prepare() -> None:
    """Import nothing: this parser has no late imports."""


def parse(body: bytes, kind: str) -> Document:
    """Convert the document to text, with title and author. Raises UpstreamFailed for a malformed file."""
    reader = RtfReader(RtfShapes())
    reader.read(body)
    if reader.shapes.is_unsettled:
        reader = RtfReader(RtfShapes(reader.shapes.found))
        reader.read(body)
    markdown, was_cut = truncate_text(re.sub(r"\n{3,}", "\n\n", reader.text()).strip())
    comments, are_cut = format_comments(reader.list_comments())
    notes = (f"{reader.hidden} hidden piece(s) of text were left out.",) if reader.hidden else ()
    title, author = ("".join(reader.facts[name]).strip() for name in PROPERTIES)
    is_truncated = was_cut or are_cut or reader.is_cut
    return Document(kind, markdown, title, author, truncated=is_truncated, notes=notes, comments=comments)


class RtfReader:
    """Tokenises one file and collects its text; `hidden` counts pieces of hidden text."""

    def __init__(self, shapes: RtfShapes) -> None:
        self.shapes = shapes
        self.hidden = 0
        self.is_cut = False
        names = (*PROPERTIES, "field", "style", "shape property", "shape value", *COMMENT_FACTS)
        self.facts: dict[str, list[str]] = {name: [] for name in names}
        self._blocks = RtfBlocks()
        self._comments = RtfComments(self.facts)
        self._boxes: list[tuple[int, RtfBlocks]] = []  # how deep the open text boxes are, and what is around them
        self._is_row_filled = False
        self._link_depth: int | None = None  # how deep the group is that shows the text of a link
        self._styles = RtfStyles()
        self._in_styles = False
        self._letters = 0
        self._state = RtfState()
        self._stack: list[RtfState] = []
        self._tables = RtfTables()
        self._in_fonts = self._in_colours = False
        self._starred = False
        self._skip = 0  # remaining fallback bytes of a Unicode character
        self._raw = bytearray()

    def text(self) -> str:
        return self._blocks.join()

    def list_comments(self) -> list[Comment]:
        """The comments in the order of the text."""
        return self._comments.list(self._blocks.list_comments())

    def read(self, body: bytes) -> None:
        place, end = 0, len(body)
        while place < end and not self.is_cut:
            found = TOKEN.match(body, place)
            if found is None:
                raise UpstreamFailed("The RTF document is broken: it ends within a control word.")
            place = found.end()
            if found[2] == b"bin":
                place += max(0, int(found[3] or 0))
            else:
                self._token(*found.groups())
        self._flush()

    def _token(self, code: Group, word: Group, number: Group, symbol: Group, brace: Group, text: Group) -> None:
        if code is not None:
            self._add_bytes(bytes.fromhex(code.decode()))
        elif text is not None:
            self._add_bytes(text)
        elif brace is not None:
            self._brace(brace)
        elif word is not None:
            self._word(word.decode(), None if number is None else int(number))
        elif symbol is not None:
            self._symbol(symbol)

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._skip, self._starred = 0, False
        if brace == b"{":
            if len(self._stack) >= DEPTH:
                raise UpstreamFailed("The RTF document is nested too deeply to be read.")
            self._stack.append(self._state)
        elif self._stack:
            if self._in_styles:
                self._styles.end_definition("".join(self.facts["style"]))
                self.facts["style"].clear()
            if self._link_depth is not None and self._link_depth >= len(self._stack):
                self._link_depth = None
                self._blocks.end_link()
            if self._boxes and self._boxes[-1][0] >= len(self._stack):
                self._end_box()
            self._end_fact(self._state.fact)
            self.shapes.end(len(self._stack))
            self._state = self._stack.pop()
            self._in_styles = self._in_styles and self._state.skips
            self._in_fonts = self._in_fonts and self._state.skips
            self._in_colours = self._in_colours and self._state.skips

    def _end_fact(self, fact: str) -> None:
        if fact == "shape value":
            self._read_shape_property()
        elif fact in COMMENT_FACTS:
            self._comments.end_fact(fact)

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        elif symbol in b"\r\n":
            self._end("par")
        elif symbol in SYMBOLS:
            self._add(SYMBOLS[symbol])

    def _word(self, word: str, number: int | None) -> None:
        if self._starred and word not in STARRED:
            self._change(skips=True, fact="")
        self._starred = False
        if self._skip and word != "u":
            self._skip -= 1
        if word in SKIPPED or word in CAPTURED:
            self._skip_destination(word)
        elif word in TEXT_WORDS:
            self._add(TEXT_WORDS[word])
        elif word == "u":
            self._unicode(number or 0)
        elif word in STRUCTURE:
            self._structure(word, number or 0)
        elif self._in_fonts or self._in_colours:
            self._tables.define(word, number or 0)
        else:
            self._format(word, number)

    def _skip_destination(self, word: str) -> None:
        is_read = not self._state.skips
        self._change(skips=True, fact=CAPTURED.get(word, ""))
        self._in_fonts, self._in_colours = word == "fonttbl", word == "colortbl"
        self._in_styles = word == "stylesheet"
        if word == "pict":
            self.shapes.add_picture()
            self._change(in_picture=is_read)

    def _structure(self, word: str, number: int) -> None:
        """Handle a control word that begins or ends a part of the text, or shapes a paragraph."""
        if word in ENDS:
            self._end(word)
        elif word in SHAPES:
            self._begin_shape(word)
        elif word in BOXES:
            self._begin_box()
        elif word == "annotation":
            self._begin_comment()
        elif word in ("footnote", "fldrslt"):
            self._begin(word)
        else:
            self._shape(word, number)

    def _end(self, word: str) -> None:
        """End a paragraph, a cell or a row."""
        self._flush()
        state = self._state
        if state.skips:
            return
        if word == "cell":
            self._blocks.end_cell(state.note)
        elif word != "row":
            self._comments.commented.add(" ")
            self._blocks.end_paragraph(shape_paragraph(state), state.note)
        elif not state.note:
            self._blocks.end_row()
            self._change(in_table=False)

    def _begin(self, word: str) -> None:
        """Begin a note, or the text that a field shows."""
        self._flush()
        if self._state.skips or self._is_hidden():
            return
        if word == "footnote":
            self._change(note=self._blocks.begin_note(self._state.note), in_table=False, raised=False)
        elif self._link_depth is None and self._blocks.begin_link("".join(self.facts["field"]), self._state.note):
            self._link_depth = len(self._stack)
        self.facts["field"].clear()

    def _begin_comment(self) -> None:
        if not self._state.skips and not self._state.note:
            self._comments.begin()
            # Word hides the mark of a comment, which is around its text.
            self._change(note=self._blocks.begin_comment(), hidden=False, in_table=False, raised=False)

    def _begin_shape(self, word: str) -> None:
        """Skip what describes a shape up to its text."""
        # An old drawing where text is skipped is a copy of a shape.
        self.shapes.begin(len(self._stack), is_shape=word == "shpinst" or self._state.skips)
        if not self._state.skips:
            self._change(skips=True, in_shape=True)

    def _read_shape_property(self) -> None:
        name, value = ("".join(self.facts[fact]).strip() for fact in ("shape property", "shape value"))
        self.shapes.add_property(name, value)
        if name == "wzDescription" and self._state.in_picture and not self._is_hidden():
            self._blocks.write(mark_picture(value), self._state.note)
        elif name == "gtextUNICODE" and self._state.in_shape and not (self.shapes.is_hidden() or self._is_hidden()):
            self._blocks.write(" ".join(strip_foreign_marks(value).split()), self._state.note)
        self.facts["shape property"].clear()
        self.facts["shape value"].clear()

    def _begin_box(self) -> None:
        """Read a text box apart: its text follows the paragraph that it is anchored in."""
        state = self._state
        if (
            not state.in_shape
            or self.shapes.is_hidden()
            or state.hidden
            or state.deleted
            or len(self._boxes) >= BOX_DEPTH
        ):
            return
        is_filled = self._find_fill(state.paragraph_ground)
        on_fill = self.shapes.begin_box(is_filled=state.on_fill if is_filled is None else is_filled)
        plain = RtfState(font=state.font, bytes_after=state.bytes_after, in_box=True, on_fill=on_fill)
        self._flush()
        self._state = plain
        self._boxes.append((len(self._stack), self._blocks))
        self._blocks = RtfBlocks(notes=self._blocks.notes, comments=self._blocks.comments)

    def _end_box(self) -> None:
        inner = self._blocks
        _, self._blocks = self._boxes.pop()
        self._blocks.add_box(inner.join_box(), in_table=self._stack[-1].in_table)

    def _shape(self, word: str, number: int) -> None:
        """Handle a control word for the shape of a paragraph, or for that of a style."""
        if self._in_styles:
            self._styles.define(word, number)
        elif word == "pard":
            self._change(in_table=False, style=UNSTYLED, heading=0, depth=0, paragraph_ground=0)
        elif word == "s":
            self._change(style=self._styles.find(number), heading=0)
        elif word == "outlinelevel" and 0 <= number < 9:
            self._change(heading=number + 1)

    def _format(self, word: str, number: int | None) -> None:
        """Handle a control word that changes formatting or the code page."""
        if word in MEASURES:
            self.shapes.measure(word, number or 0)
        elif word in ROW_WORDS:
            self._define_row(word, number or 0)
        if word == "fs":
            self._change(tiny=0 < (number or 0) < TINY)
        elif word in SWITCHES:
            self._change(**{SWITCHES[word]: number != 0})
        elif word in VALUES:
            self._change(**{VALUES[word]: min(max(number or 0, 0), 100_000)})
        elif word == "plain":
            self._change(
                hidden=False, deleted=False, colour=0, ground=0, tiny=False, bold=False, italic=False, raised=False
            )
        elif word in LOWERED:
            self._change(raised=False)
        else:
            self._tables.choose_page(word, number)

    def _define_row(self, word: str, number: int) -> None:
        """Note the edges of a row, and whether it has a cell with a fill, on which white text shows."""
        if word == "trowd":
            self._is_row_filled = False
        elif word == "clcbpat":
            self._is_row_filled = self._is_row_filled or (number > 0 and not self._tables.is_white(number))
        if self._state.skips:  # the row of a table in a cell
            return
        if word == "trowd":
            self._blocks.begin_row()
        elif word == "trleft":
            self._blocks.move_row(number)
        elif word == "cellx":
            self._blocks.add_edge(number)

    def _change(self, **what: object) -> None:
        state = self._state
        if any(getattr(state, name) != value for name, value in what.items()):
            self._flush()
            self._state = replace(state, **what)  # type: ignore[arg-type]

    def _unicode(self, number: int) -> None:
        code = number + 0x10000 if number < 0 else number
        self._flush()
        character = chr(code) if 0 < code < 0x110000 else "\ufffd"
        self._add(self._tables.read_private(character, self._state.font))
        self._skip = self._state.bytes_after

    def _add_bytes(self, raw: bytes) -> None:
        if self._skip:
            skipped = min(self._skip, len(raw))
            self._skip -= skipped
            raw = raw[skipped:]
        if self._in_colours and b";" in raw:
            self._tables.end_colours(raw.count(b";"))
        self._raw += raw

    def _flush(self) -> None:
        """Decode the collected bytes with the charset of the current font."""
        if self._raw:
            raw, self._raw = bytes(self._raw), bytearray()
            self._write(self._tables.decode(raw, self._state.font))

    def _add(self, text: str) -> None:
        self._flush()
        self._write(text)

    def _write(self, text: str) -> None:
        state = self._state
        if state.fact == "font":
            self._tables.name_font(text)
        elif state.fact in self.facts:
            self.facts[state.fact].append(text)
        is_hidden = self._is_hidden()
        if state.fact == "label" and not is_hidden:
            self._blocks.label.append(text)
        if state.skips:
            return
        if is_hidden:
            self.hidden += bool(text.strip())
            return
        text = strip_foreign_marks(text)
        if not state.note:
            self._comments.commented.add(text)
        if self._blocks.is_monospaced and not state.note and text.strip():
            self._blocks.is_monospaced = self._tables.is_monospaced(state.font)
        marked = mark_run(text, is_bold=state.bold, is_italic=state.italic, is_raised=state.raised)
        self._blocks.write(marked, state.note)
        self._letters += len(text)
        self.is_cut = self._letters > TEXT_CHARS

    def _is_hidden(self) -> bool:
        state = self._state
        if state.deleted or state.hidden or state.tiny:
            return True
        if not self._tables.is_white(state.colour):
            return False
        is_filled = self._find_fill(state.ground, state.paragraph_ground)
        if is_filled is not None:
            return not is_filled
        self.shapes.is_unsettled = self.shapes.is_unsettled or state.in_box
        return not state.on_fill

    def _find_fill(self, *grounds: int) -> bool | None:
        """Whether what has these grounds, the innermost first, stands on a fill other than white; None without one."""
        for number in grounds:
            if number:
                return not self._tables.is_white(number)
        return True if self._state.in_table and self._is_row_filled else None
