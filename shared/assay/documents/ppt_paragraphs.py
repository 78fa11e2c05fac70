"""The texts of PowerPoint 97 to 2003 files as marked text and as lines of markdown: links, fonts and lists."""

from collections.abc import Callable
from itertools import groupby

from assay.documents.docx_blocks import MONOSPACED
from assay.documents.little_endian import read_number
from assay.documents.office_drawings import DrawingRecord, iter_records
from assay.documents.office_emphasis import format_raised, mark_run, strip_foreign_marks
from assay.documents.office_fields import mark_link
from assay.documents.ooxml import escape_target
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.ppt_file import PptFile
from assay.documents.ppt_shapes import iter_tags
from assay.documents.ppt_text import SLIDE_NUMBER, Numbers, PptParagraph, PptPiece, PptRun, PptText, read_numbers
from assay.documents.slide_lines import NUMBER, SlideLines
from assay.documents.symbol_fonts import find_signs, read_private, read_sign
from assay.html.reader.markdown_escapes import escape_line_start
from assay.text.surrogates import replace_surrogates

ENVIRONMENT, FONTS, FONT, LINKS, LINK, LINK_NUMBER, STRING = 0x03F2, 0x07D5, 0x0FB7, 0x0409, 0x0FD7, 0x0FD3, 0x0FBA
TARGET, PLACE = 1, 3  # numbers of the strings of a link
LIST, OUTLINE, OUTLINE_HEAD, NUMBERS = 0x07D0, 0x0FAE, 0x0FAF, 0x0FAC
VERSION_9 = "___PPT9"
FONT_NAME = 64  # bytes
BULLETED = frozenset((1, 7, 8))  # kinds of texts: bodies of slides

type IsHidden = Callable[[PptRun], bool]


class PptWriter:
    """Converts texts with the fonts, the links and the numbers of lists that a file declares."""

    def __init__(self, file: PptFile, *, shows_code: bool) -> None:
        self.letters_of_code = 0
        self._shows_code = shows_code
        self._data = file.data
        self._fonts: dict[int, str] = {}
        self._targets: dict[int, str] = {}
        self._numbers: dict[tuple[int, int], Numbers] = {}  # by slide and kind of text
        for record in self._iter(file.document):
            if record.kind == ENVIRONMENT:
                self._read_fonts(record)
            elif record.kind == LINKS:
                self._read_links(record)
            elif record.kind == LIST:
                self._read_outlines(record)

    def _iter(self, outer: DrawingRecord) -> list[DrawingRecord]:
        return list(iter_records(self._data, outer.start, outer.end))

    def _read_fonts(self, environment: DrawingRecord) -> None:
        for fonts in self._iter(environment):
            for font in self._iter(fonts) if fonts.kind == FONTS else ():
                if font.kind == FONT:
                    raw = self._data[font.start : min(font.start + FONT_NAME, font.end)]
                    self._fonts[font.number] = raw.decode("utf-16-le", "replace").partition("\0")[0]

    def _read_links(self, links: DrawingRecord) -> None:
        for link in self._iter(links):
            number, strings = 0, dict[int, str]()
            for part in self._iter(link) if link.kind == LINK else ():
                if part.kind == LINK_NUMBER:
                    number = read_number(self._data, part.start, 4)
                elif part.kind == STRING:
                    strings[part.number] = self._data[part.start : part.end].decode("utf-16-le", "replace").rstrip("\0")
            place = strings.get(PLACE, "")
            self._targets[number] = escape_target(strings.get(TARGET, "") + (f"#{place}" if place else ""))

    def _read_outlines(self, lists: DrawingRecord) -> None:
        """Read which of the texts in the outline are numbered."""
        key = 0, 0
        for outline in iter_tags(self._data, lists.start, lists.end, VERSION_9):
            for part in self._iter(outline) if outline.kind == OUTLINE else ():
                if part.kind == OUTLINE_HEAD:
                    key = read_number(self._data, part.start, 4), read_number(self._data, part.start + 4, 4)
                elif part.kind == NUMBERS:
                    self._numbers[key] = read_numbers(self._data, part.start, part.end)

    def find_numbers(self, client: DrawingRecord | None, slide: int, kind: int) -> Numbers:
        """The numbers of the text of a shape: its own, or those of the text in the outline of the slide."""
        if client is not None:
            for record in iter_tags(self._data, client.start, client.end, VERSION_9):
                if record.kind == NUMBERS:
                    return read_numbers(self._data, record.start, record.end)
        return self._numbers.get((slide, kind), [])

    def mark_title(self, text: PptText, place: int, is_hidden: IsHidden) -> str:
        """The marked text of a title on the slide with this number."""
        marked = (self._mark(paragraph, place, is_hidden) for paragraph in text.iter_paragraphs())
        return " ".join(part for part in marked if part)

    def format_text(self, text: PptText, place: int, is_hidden: IsHidden, *, is_cell: bool = False) -> str:
        """The paragraphs of a text as lines, with the marks of lists."""
        lines = SlideLines()
        for paragraph in text.iter_paragraphs():
            marked = self._mark(paragraph, place, is_hidden)
            line = format_paragraph(marked.replace("\n", " "))
            if not line:
                continue
            mark, first = _choose_mark(paragraph, text)
            if self._shows_code and not (mark or is_cell) and self._is_typed(paragraph):
                lines.add_code(marked)
            else:
                lines.add(line if is_cell else escape_line_start(line), paragraph.shape.level, mark, first)
        self.letters_of_code += lines.letters_of_code
        return lines.join()

    def _is_typed(self, paragraph: PptParagraph) -> bool:
        """Whether all text of a paragraph is in a monospaced font."""
        fonts = [self._fonts.get(piece.run.font, "") for piece in paragraph.pieces if piece.text.strip()]
        return all(MONOSPACED.search(font) for font in fonts)

    def _mark(self, paragraph: PptParagraph, place: int, is_hidden: IsHidden) -> str:
        """The marked text of a paragraph."""
        parts = []
        for link, pieces in groupby(paragraph.pieces, key=_get_link):
            shown = [self._mark_piece(piece, place) for piece in pieces if not is_hidden(piece.run)]
            parts.append(mark_link("".join(shown), self._targets.get(link, "")))
        text = "".join(parts)
        return format_raised(text if text.isascii() else str(replace_surrogates(text)))

    def _mark_piece(self, piece: PptPiece, place: int) -> str:
        if piece.field:
            text = str(place) if piece.field == SLIDE_NUMBER else ""
        else:
            text = self._read_signs(strip_foreign_marks(piece.text.replace("\v", "\n")), piece.run)
        run = piece.run
        return mark_run(text, is_bold=run.is_bold, is_italic=run.is_italic, is_raised=run.is_raised)

    def _read_signs(self, text: str, run: PptRun) -> str:
        """The text with the signs that fonts such as Symbol have in place of letters."""
        font = self._fonts.get(run.font if run.symbols < 0 else run.symbols, "")
        if run.symbols < 0 and find_signs(font):
            return "".join(read_sign(ord(each), font) or each for each in text)
        return read_private(text, font)


def _get_link(piece: PptPiece) -> int:
    return piece.link


def _choose_mark(paragraph: PptParagraph, text: PptText) -> tuple[str, int]:
    """The mark of a paragraph ("-", "1." or ""), and the first number of its list."""
    level, has_bullet = paragraph.shape
    if has_bullet is False:
        return "", 1
    # LibreOffice lists the numbers of the paragraphs in their order and names no groups.
    is_listed = len(text.numbers) > 1 and not any(run.group for run in text.runs)
    group = paragraph.number if is_listed else paragraph.pieces[0].run.group
    first = text.numbers[group] if group < len(text.numbers) else None
    if first is not None:
        return NUMBER, first
    by_master = text.bullets[level] if level < len(text.bullets) else level > 0 or text.kind in BULLETED
    return "-" if has_bullet or (has_bullet is None and by_master) else "", 1
