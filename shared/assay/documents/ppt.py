"""Parser for PowerPoint 97 to 2003 files ([MS-PPT]): titles, text, tables, notes, without hidden slides."""

from collections.abc import Callable

from assay.documents.document import PAGES, Document, truncate_text
from assay.documents.document_comments import Comment, format_comments
from assay.documents.docx_blocks import MAX_CODE_SHARE
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.little_endian import read_number
from assay.documents.office_drawings import DrawingRecord, iter_records
from assay.documents.office_emphasis import mark_picture, strip_bold, strip_foreign_marks
from assay.documents.paragraph_markdown import format_heading_text, format_paragraph, read_plain
from assay.documents.ppt_colors import PptColors, PptLook
from assay.documents.ppt_file import MASTERS, NOTES, SLIDES, Listed, PptFile
from assay.documents.ppt_paragraphs import PptWriter
from assay.documents.ppt_shapes import PptShape, iter_tags, list_shown
from assay.documents.ppt_text import PptRun, PptText, read_texts

SLIDE, SLIDE_ATOM, SHOW, OUTLINE_TEXT, STRING, COMMENT = 0x03EE, 0x03EF, 0x03F9, 0x0F9E, 0x0FBA, 0x2EE0  # records
MASTER_NUMBER, NOTES_NUMBER, SHOW_FLAGS, IS_HIDDEN = 12, 16, 10, 4
SIZE = 0x03E9
AUTHOR, WORDS = 0, 1  # numbers of the strings of a comment
TITLES, NOTES_TEXT = {0, 6}, 2  # kinds of texts
SKIPPED_PLACEHOLDERS = {5, 7, 8, 9, 10, 11}  # pictures of slides, dates, numbers, footers and headers
NOTES_PLACEHOLDERS = {6, 12}
IS_OBJECT = 0x10


def prepare() -> None:
    """Import olefile, before the sandbox forbids opening files."""
    import olefile  # noqa: F401


def parse(body: bytes, kind: str) -> Document:
    """Convert the visible slides to Markdown, in order; `page_count` includes hidden slides.

    Raises InvalidInput for an encrypted file, UpstreamFailed for a damaged one.
    """
    file = PptFile(body)
    slides = file.read_list(SLIDES)
    for shows_code in (True, False):
        reader = PptReader(file, shows_code=shows_code)
        parts = [reader.read_slide(slide, place) for place, slide in enumerate(slides[:PAGES], 1)]
        if reader.writer.letters_of_code <= MAX_CODE_SHARE * sum(map(len, parts)):
            break
    markdown, was_cut = truncate_text("\n\n".join(part for part in parts if part))
    comments, are_cut = format_comments(reader.comments)
    notes = (f"{reader.hidden} hidden slide(s) were left out.",) if reader.hidden else ()
    return Document(
        kind, markdown, *file.properties[:3], len(slides), comments=comments, notes=notes,
        truncated=was_cut or are_cut or reader.is_cut or len(slides) > PAGES,
    )  # fmt: skip


class PptReader:
    """Converts slides to Markdown, and collects the comments on them."""

    def __init__(self, file: PptFile, *, shows_code: bool) -> None:
        self.hidden = 0
        self.is_cut = False
        self.comments: list[Comment] = []
        self._file = file
        self._data = file.data
        self._left = len(file.data)  # bytes of parts that are still read, so that parts that overlap end in time
        self.writer = PptWriter(file, shows_code=shows_code)
        self._masters = {master.number: master.part for master in file.read_list(MASTERS)}
        self._notes = {notes.number: notes for notes in file.read_list(NOTES)}
        self._looks: dict[int, PptLook | None] = {}  # of the masters
        self._size = (0, 0)
        for record in iter_records(self._data, file.document.start, file.document.end):
            if record.kind == SIZE:
                self._size = read_number(self._data, record.start, 4), read_number(self._data, record.start + 4, 4)

    def read_slide(self, listed: Listed, place: int) -> str:
        """The markdown of a slide; "" if it is hidden or empty."""
        part = self._find_part(listed.part)
        if part is None or part.kind != SLIDE:
            return ""
        atoms = {record.kind: record.start for record in iter_records(self._data, part.start, part.end)}
        if SHOW in atoms and read_number(self._data, atoms[SHOW] + SHOW_FLAGS, 2) & IS_HIDDEN:
            self.hidden += 1
            return ""
        look, atom = PptLook(self._data, part), atoms.get(SLIDE_ATOM, len(self._data))
        colors = PptColors(look, self._find_master(read_number(self._data, atom + MASTER_NUMBER, 4)))
        title, blocks = PptSlideReader(self._data, self.writer, colors, listed, place).read(look.shapes, self._size)
        notes = self._read_notes(read_number(self._data, atom + NOTES_NUMBER, 4), place)
        self._add_comments(part, read_plain(title), place)
        heading = format_heading_text(title)
        if not (heading or blocks or notes):
            return ""
        return "\n\n".join([f"## {heading or f'Slide {place}'}", *blocks, *([f"Notes: {notes}"] if notes else [])])

    def _find_part(self, number: int) -> DrawingRecord | None:
        part = self._file.find_part(number)
        if part is None:
            return None
        self._left -= part.end - part.start
        self.is_cut = self.is_cut or self._left < 0
        return part if self._left >= 0 else None

    def _find_master(self, number: int) -> PptLook | None:
        if number not in self._looks:
            part = self._find_part(self._masters.get(number, 0))
            self._looks[number] = PptLook(self._data, part) if part else None
        return self._looks[number]

    def _read_notes(self, number: int, place: int) -> str:
        """The text of the slide's speaker notes."""
        listed = self._notes.pop(number, None)
        part = self._find_part(listed.part) if listed else None
        if part is None or listed is None:
            return ""
        look = PptLook(self._data, part)
        reader = PptSlideReader(self._data, self.writer, PptColors(look, None), listed, place)
        return "\n".join(text for text in map(reader.read_note, list_shown(look.shapes)) if text)

    def _add_comments(self, slide: DrawingRecord, title: str, place: int) -> None:
        for comment in iter_tags(self._data, slide.start, slide.end, "___PPT10"):
            strings = {
                record.number: self._data[record.start : record.end].decode("utf-16-le", "replace").rstrip("\0")
                for record in (iter_records(self._data, comment.start, comment.end) if comment.kind == COMMENT else ())
                if record.kind == STRING
            }
            text = " ".join(strip_foreign_marks(strings.get(WORDS, "")).split())
            self.comments.append(Comment(format_paragraph(text), strings.get(AUTHOR, ""), title, place))


class PptSlideReader:
    """Converts the shapes of one slide."""

    def __init__(self, data: bytes, writer: PptWriter, colors: PptColors, listed: Listed, place: int) -> None:
        self._data = data
        self._writer = writer
        self._colors = colors
        self._number, self._place = listed.number, place
        self._outline = dict(enumerate(read_texts(data, listed.start, listed.end)))

    def read(self, shapes: list[PptShape], size: tuple[int, int]) -> tuple[str, list[str]]:
        """The marked title, and the other texts in their order."""
        title, blocks = "", list[str]()
        for shape in list_shown(shapes, size):
            if shape.placeholder in SKIPPED_PLACEHOLDERS:
                continue
            text = self._find_text(shape)
            if text is not None and text.kind in TITLES and not title:
                title = self._writer.mark_title(text, self._place, self._choose(shape))
                continue
            block = self._read_table(shape) if shape.drawn.is_table else self._read_shape(shape, text)
            blocks += [block] if block.strip() else []
        return title, blocks

    def read_note(self, shape: PptShape) -> str:
        """The text of a shape with notes; "" for others."""
        text = self._find_text(shape)
        is_note = text is not None and (shape.placeholder in NOTES_PLACEHOLDERS or text.kind == NOTES_TEXT)
        return self._read_shape(shape, text) if is_note and shape.placeholder not in SKIPPED_PLACEHOLDERS else ""

    def _choose(self, shape: PptShape) -> Callable[[PptRun], bool]:
        """What tells whether a run in a shape is hidden."""
        return lambda run: self._colors.is_hidden(run, shape)

    def _find_text(self, shape: PptShape) -> PptText | None:
        """The text of a shape, which may be in the outline of the slide; each of that is read once."""
        if shape.text is None:
            return None
        for record in iter_records(self._data, shape.text.start, shape.text.end):
            if record.kind == OUTLINE_TEXT:
                return self._outline.pop(read_number(self._data, record.start, 4), None)
        return next(iter(read_texts(self._data, shape.text.start, shape.text.end)), None)

    def _read_shape(self, shape: PptShape, text: PptText | None, *, is_cell: bool = False) -> str:
        """The text of a shape, or what stands for it."""
        if text is not None and text.units.strip():
            text.numbers = self._writer.find_numbers(shape.client, self._number, text.kind)
            text.bullets = self._colors.bullets.get(text.kind, [])
            return self._writer.format_text(text, self._place, self._choose(shape), is_cell=is_cell)
        drawn = shape.drawn
        if drawn.words:
            return format_paragraph(" ".join(strip_foreign_marks(drawn.words).split()))
        is_picture = "pib" in drawn.declared.properties or shape.flags & IS_OBJECT
        return format_paragraph(mark_picture(strip_foreign_marks(drawn.description))) if is_picture else ""

    def _read_table(self, table: PptShape) -> str:
        """A table, whose cells are shapes in a group."""
        cells = [(shape, shape.box) for shape in table.inner if shape.box and shape.text and shape.is_shown]
        lefts = {left: column for column, left in enumerate(sorted({box[0] for _, box in cells}))}
        rows: dict[int, list[str]] = {
            top: [""] * min(len(lefts), COLUMNS) for top in sorted({box[1] for _, box in cells})
        }
        for shape, (left, top, *_) in cells:
            if lefts[left] < COLUMNS:
                rows[top][lefts[left]] = self._read_shape(shape, self._find_text(shape), is_cell=True)
        head, *others = rows.values() if rows else ([],)
        return format_table([[strip_bold(cell) for cell in head], *others])
