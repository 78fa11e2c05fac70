"""Parser for Word 97 to 2003 files ([MS-DOC]): headings, lists, tables, notes and text boxes, without hidden text."""

import re
from collections.abc import Iterator

from assay.documents.document import Document, truncate_text
from assay.documents.document_comments import LONGEST_WORDS, Comment, format_comments
from assay.documents.docx_blocks import Blocks
from assay.documents.docx_formatting import RunFormat
from assay.documents.docx_numbering import inherit_place
from assay.documents.gfm_table import format_inner_table, format_table
from assay.documents.little_endian import read_number
from assay.documents.office_emphasis import strip_bold
from assay.documents.rtf_rows import RtfRow, align_rows
from assay.documents.word97_comments import list_comments
from assay.documents.word97_file import Story, Word97File
from assay.documents.word97_inline import OpenFields, Word97Inline
from assay.documents.word97_lists import read_lists
from assay.documents.word97_pieces import Word97Text
from assay.documents.word97_shapes import Word97Shapes
from assay.documents.word97_styles import Word97Paragraph, Word97Styles, find_place, read_paragraph
from assay.documents.word97_tables import PlacedParagraph, Table97, TableRow97, build_tree
from assay.documents.word_paragraphs import WordParagraph, add_carried
from assay.html.reader.markdown_escapes import escape_line_start

PARAGRAPH_ENDS = re.compile("[\r\x07\x0c]")
CONTROLS, FIELD_CODE = re.compile("[\x00-\x1f]"), re.compile("\x13[^\x14\x15]*\x14?")
MOST_WORDS = 2 * LONGEST_WORDS  # characters that a comment is about which are read
PAGE_BREAK = "\x0c"  # or the end of a section, which ends a paragraph
DEPTH = 20  # maximum nesting of text boxes
PARAGRAPHS = 2_000  # remembered properties of paragraphs


def prepare() -> None:
    """Import olefile, before the sandbox forbids opening files."""
    import olefile  # noqa: F401


def parse(body: bytes, kind: str) -> Document:
    """Convert the document to Markdown, without headers, footers, and hidden or deleted text.

    Raises InvalidInput for an encrypted file or one of an earlier Word, UpstreamFailed for a damaged one.
    """
    file = Word97File(body)
    reader = Word97Reader(file)
    markdown, was_cut = truncate_text(reader.read())
    comments, are_cut = format_comments(reader.read_comments())
    hidden = reader.inline.hidden
    notes = (f"{hidden} hidden run(s) of text were left out.",) if hidden else ()
    return Document(
        kind, markdown, *file.properties,
        truncated=was_cut or are_cut or reader.is_cut, notes=notes, comments=comments,
    )  # fmt: skip


class Word97Reader:
    """Converts the stories of a file to Markdown."""

    def __init__(self, file: Word97File) -> None:
        self.file = file
        self.text = Word97Text(file)
        self.styles = Word97Styles.read(file)
        self.numbering = read_lists(file)
        self.shapes = Word97Shapes(file)
        self.inline = Word97Inline(file, self.text, self.styles, self.shapes)
        self.is_cut = self.text.is_cut
        self._left = len(self.text.text)  # characters that the stories still to be read may have
        self._carried: list[str] = []  # the texts of paragraphs that run on in the next one
        self._properties: dict[bytes, Word97Paragraph] = {}

    def read(self) -> str:
        blocks = Blocks()
        self._add_story(blocks, self.file.find_story(Story.MAIN), self.shapes.paper)
        for text in self._format_notes():
            blocks.add_block(text)
        return blocks.join("\n\n")

    def read_comments(self) -> Iterator[Comment]:
        """Yield the comments on visible text."""
        for comment in list_comments(self.file):
            if not self._read_visible(comment.place, comment.place + 1):
                continue
            inner = Blocks(is_flat=True)
            self._add_story(inner, comment.text, self.shapes.paper)
            words = FIELD_CODE.sub("", self._read_visible(*comment.words))
            yield Comment(inner.join(" "), comment.author, CONTROLS.sub(" ", words))

    def _read_visible(self, start: int, end: int) -> str:
        """The visible characters between two places, of which those beyond a limit are left out."""
        pieces = []
        for first, mark, ending, shape in self._list_paragraphs(start, min(end, start + MOST_WORDS)):
            base = self._find_base(shape, self.shapes.paper)
            for place, stop, properties in self.text.iter_runs(first, mark + len(ending)):
                run = self.inline.read_run(properties, base)
                if not (run.is_deleted or run.format.is_hidden()):
                    pieces.append(self.text.text[place:stop])
        return "".join(pieces)

    def _find_base(self, shape: Word97Paragraph, background: str) -> RunFormat:
        """The formatting of a paragraph that its runs change."""
        style = self.styles.combine(shape.style)
        base = RunFormat(background=background).override(style.run)
        return base.override(RunFormat(background=shape.shading))

    def _format_notes(self) -> list[str]:
        """Markdown definitions of the referenced notes, in order of reference. A note may reference further notes."""
        texts: list[str] = []
        notes = self.inline.notes
        while len(texts) < len(notes.called):
            inner = Blocks(is_flat=True)
            self._add_story(inner, notes.texts[notes.called[len(texts)]], self.shapes.paper)
            texts.append(f"[^{len(texts) + 1}]: {escape_line_start(inner.join(' '))}")
        return texts

    def _add_story(self, blocks: Blocks, places: tuple[int, int], background: str, depth: int = 0) -> None:
        """Add the paragraphs and tables between two places. Stories that a damaged file repeats are left out."""
        start, end = (min(place, len(self.text.text)) for place in places)
        if end - start > self._left:
            self.is_cut = True
            return
        self._left -= max(0, end - start)
        outer, self.inline.fields = self.inline.fields, OpenFields()
        self._add_items(blocks, build_tree(self._list_paragraphs(start, end)), background, depth)
        add_carried(blocks, self._carried)
        self.inline.fields = outer

    def _list_paragraphs(self, start: int, end: int) -> Iterator[PlacedParagraph]:
        text = self.text.text
        for found in PARAGRAPH_ENDS.finditer(text, start, end):
            mark = found.start()
            run = self.text.find_paragraph(mark)
            if found[0] == PAGE_BREAK and run.end > mark + 1:
                continue
            yield PlacedParagraph(start, mark, found[0], self._read_properties(run.properties))
            start = mark + 1
        if start < end:
            yield PlacedParagraph(start, end, "", Word97Paragraph())

    def _read_properties(self, properties: bytes) -> Word97Paragraph:
        if properties not in self._properties:
            if len(self._properties) >= PARAGRAPHS:
                self._properties.clear()
            style = read_number(properties, 0, 2)
            found = read_paragraph(properties[2:], style)
            if found.location is not None:  # most of the properties are elsewhere
                size = read_number(self.file.data, found.location, 2)
                more = self.file.data[found.location + 2 : found.location + 2 + size]
                found = read_paragraph(properties[2:] + more, style)
            self._properties[properties] = found
        return self._properties[properties]

    def _add_items(self, blocks: Blocks, items: list[PlacedParagraph | Table97], background: str, depth: int) -> None:
        for item in items:
            if isinstance(item, PlacedParagraph):
                self._add_paragraph(blocks, item, background, depth)
            else:
                self._add_table(blocks, item, background, depth)

    def _add_paragraph(self, blocks: Blocks, paragraph: PlacedParagraph, background: str, depth: int) -> None:
        start, mark, _, shape = paragraph
        style, base = self.styles.combine(shape.style), self._find_base(shape, background)
        text = self.inline.read_paragraph(start, mark, base)
        end = next((self.inline.read_run(run.properties, base) for run in self.text.iter_runs(mark, mark + 1)), None)
        if (self._carried or text.strip()) and (shape.is_drop_cap or (end and end.is_deleted)):
            self._carried.append(text)
            return
        text = "".join((*self._carried, text))
        self._carried.clear()
        is_unseen = not text.strip() and end is not None and bool(end.format.vanish)
        WordParagraph(
            shape.level or style.level,
            None if is_unseen else inherit_place(find_place(shape), style.place),
            style.depth,
            style.is_code,
            not style.is_code and self.inline.is_monospaced,
            style.is_quote,
        ).add_to(blocks, text, self.numbering)
        self._add_boxes(blocks, base.background or "", depth)

    def _add_boxes(self, blocks: Blocks, background: str, depth: int) -> None:
        """Add the text boxes that the paragraph before holds."""
        boxes = list(self.inline.boxes)
        self.inline.boxes.clear()
        for shape in boxes if depth < DEPTH else ():
            self._add_story(blocks, self.shapes.find_text(shape), self.shapes.find_ground(shape, background), depth + 1)

    def _add_table(self, blocks: Blocks, table: Table97, background: str, depth: int) -> None:
        add_carried(blocks, self._carried)
        if len(table.rows) == 1 and len(table.rows[0].cells) == 1:  # a frame around text
            self._add_cell(blocks, table.rows[0], 0, background, depth)
            return
        rows = align_rows([self._read_row(row, background, depth) for row in table.rows])
        if blocks.is_flat:
            blocks.add_block(format_inner_table(rows))
        elif rows:
            blocks.add_block(format_table([[strip_bold(cell) for cell in rows[0]], *rows[1:]]))

    def _read_row(self, row: TableRow97, background: str, depth: int) -> RtfRow:
        cells = []
        for number in range(len(row.cells)):
            inner = Blocks(is_flat=True)
            if number not in row.continued:
                self._add_cell(inner, row, number, background, depth)
            cells.append(inner.join("\n"))
        return RtfRow(cells, row.edges)

    def _add_cell(self, blocks: Blocks, row: TableRow97, number: int, background: str, depth: int) -> None:
        fill = row.shadings.get(number)
        ground = ("" if row.is_styled else background) if fill is None else fill
        self._add_items(blocks, row.cells[number].items, ground, depth)
        add_carried(blocks, self._carried)
