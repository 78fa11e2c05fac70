"""Parser for OpenDocument texts (ODF 1.3, OASIS): headings, paragraphs, lists, tables and notes."""

from collections.abc import Callable, Iterable
from itertools import islice

from assay.documents.document import Document, truncate_text
from assay.documents.document_comments import format_comments
from assay.documents.docx_blocks import CODE_STYLE, QUOTE_STYLE, Blocks
from assay.documents.gfm_table import format_inner_table, format_table
from assay.documents.office_emphasis import (
    format_raised,
    mark_formula,
    mark_markup,
    mark_picture,
    mark_run,
    strip_bold,
    strip_marks,
)
from assay.documents.office_fields import mark_link
from assay.documents.ooxml import escape_target, find_child
from assay.documents.opendocument_boxes import BoxGrounds
from assay.documents.opendocument_comments import OpenDocumentComments
from assay.documents.opendocument_formulas import FormulaReader
from assay.documents.opendocument_lists import LEVELS, OUTLINE, count_item, read_number
from assay.documents.opendocument_package import CONTENT, open_archive, parse_root, read_properties
from assay.documents.opendocument_styles import PLAIN, OpenDocumentStyles
from assay.documents.opendocument_tables import DEPTH, find_only_cell, list_rows
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.symbol_fonts import read_private
from assay.html.reader.markdown_escapes import escape_line_start
from assay.text.safe_xml import Element, get_attribute, local_name
from assay.text.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

SKIPPED = frozenset((
    *("tracked-changes", "hidden-text", "hidden-paragraph", "annotation", "annotation-end", "ruby-text", "forms"),
    *("sequence-decls", "variable-decls", "user-field-decls", "script", "event-listeners"),
))  # fmt: skip
SHAPES = frozenset((
    *("custom-shape", "rect", "circle", "ellipse", "line", "polyline", "polygon", "regular-polygon", "path", "g"),
    *("connector", "caption", "measure"),
))  # fmt: skip
SPACES = {"s": " ", "tab": " ", "line-break": "\n"}
NUMBER_PLACE = "<number>"  # what LibreOffice writes in place of the number of a slide
REPEATS = 100  # maximum of `number-columns-repeated`


def parse(body: bytes, kind: str) -> Document:
    """Convert the document to Markdown, without hidden and deleted text.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    archive = open_archive(body, kind)
    content = parse_root(archive, CONTENT, kind)
    styles, parts = OpenDocumentStyles(), (parse_root(archive, "styles.xml", kind), content)
    for root in parts:
        styles.add(root)
    reader = OpenDocumentReader(styles, FormulaReader(archive), BoxGrounds(styles, parts))
    reader.fill(find_child(content, "body", "text"), 0)
    for number, note in enumerate(reader.notes, 1):  # the loop also covers notes referenced in notes
        text = escape_line_start(" ".join(reader.read_apart(note, 1).split()))
        reader.blocks.add_block(f"[^{number}]: {text}")
    markdown, was_cut = truncate_text(reader.blocks.join("\n\n"))
    comments, are_cut = format_comments(reader.comments.read(reader.read_apart))
    metadata = read_properties(archive, kind)
    return Document(
        kind, markdown, metadata.get("title", ""), metadata.get("initial-creator") or metadata.get("creator", ""),
        metadata.get("creation-date", "")[:19], truncated=was_cut or are_cut, notes=reader.list_notes(),
        comments=comments,
    )  # fmt: skip


class OpenDocumentReader:
    """Collects Markdown in `blocks`; `notes` are the note elements in order of reference."""

    def __init__(self, styles: OpenDocumentStyles, formulas: FormulaReader, grounds: BoxGrounds) -> None:
        self._formulas = formulas
        self._grounds = grounds
        self.blocks = Blocks()
        self.notes: list[Element] = []
        self.hidden = 0
        self.comments = OpenDocumentComments()
        self._commented = self.comments.commented
        self._styles = styles
        self._level = 0  # of the open list; 0 outside of lists
        self._list_style = ""
        self._counts: dict[int, int] = {}  # the last numbers of the open list by level
        self._ended: dict[str, dict[int, int]] = {}  # those of earlier lists by id and by style
        self._headings: dict[int, int] = {}  # the last numbers of headings by level
        self._label = ""  # of the open item, until its first paragraph is written
        self._format = PLAIN  # of the open paragraph and the spans in it
        self._base = PLAIN  # of the open paragraph
        self._is_filled = grounds.is_page_filled  # whether the open cell or box, or the page, has a fill
        self._is_ground_filled = False  # whether the open paragraph stands on a fill
        self._boxes: list[Element] = []

    def list_notes(self) -> tuple[str, ...]:
        """What a reader of the text has to know about it."""
        hidden, unread = self.hidden, self._formulas.unread
        return (
            *([f"{hidden} hidden piece(s) of text were left out."] if hidden else []),
            *([f"{unread} formula(s) could not be read and were left out."] if unread else []),
        )

    def fill(self, element: Element, depth: int) -> None:
        """Add the blocks in `element`."""
        for part in element if element is not None and depth < DEPTH else ():
            name = local_name(part)
            if name in SKIPPED or not name:
                continue
            if name in READERS:
                READERS[name](self, part, depth)
            elif get_attribute(part, "display") != "none" and get_attribute(part, "is-hidden") != "true":
                self.fill(part, depth + 1)

    def read_drawings(self, drawings: Iterable[Element], *, is_filled: bool) -> str:
        """The markdown of the drawings of a slide, which may have a fill."""
        self.blocks, self._is_filled = Blocks(), is_filled
        for drawing in drawings:
            if local_name(drawing) == "frame":
                self._add_frame(drawing)
            else:
                self.add_box(drawing, 0)
                self.blocks.add(format_paragraph(_describe(drawing)))
        return self.blocks.join("\n\n")

    def _add_frame(self, frame: Element) -> None:
        """Add the content of a frame: text boxes, a table, a formula, or the description of a picture."""
        tables = [part for part in frame if local_name(part) == "table"]
        text = "" if tables else self._read_frame(frame)
        boxes, self._boxes = self._boxes, []
        self.blocks.add(format_paragraph(text))
        for part in tables:
            self.add_table(part, 0)
        for box in boxes:
            self.add_box(box, 0)

    def add_paragraph(self, paragraph: Element, depth: int) -> None:
        style = get_attribute(paragraph, "style-name")
        text = self._read_marked(paragraph)
        is_code = self._styles.is_named(style, CODE_STYLE)
        if not self._level and (is_code or (text.strip() and self._is_typed(paragraph))):
            self.blocks.add_code(text, by_font=not is_code)
        elif self._styles.is_title(style) and text.strip() and not self._level:
            self.blocks.add_heading(text, 1)
        elif self._styles.is_named(style, QUOTE_STYLE) and not self._level:
            self.blocks.add_quote(format_paragraph(text))
        else:
            self._add_text(format_paragraph(text), self._styles.find_depth(style))
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.add_box(box, depth)

    def add_box(self, box: Element, depth: int) -> None:
        """Add the content of a text box or a shape."""
        outer = self._is_filled
        self._is_filled = self._grounds.shows_white(box, is_filled=outer)
        self.fill(box, depth + 1)
        self._is_filled = outer

    def _is_typed(self, paragraph: Element) -> bool:
        """Whether a paragraph has text, and all of it in a monospaced font."""
        around = self._base.monospaced
        if not around and (paragraph.text or "").strip():
            return False
        for part in paragraph:
            own = self._styles.find_format(get_attribute(part, "style-name")).monospaced
            if not around and (part.tail or "").strip():
                return False
            if not (around if own is None else own) and "".join(part.itertext()).strip():
                return False
        return bool("".join(paragraph.itertext()).strip())

    def _add_text(self, text: str, style_depth: int) -> None:
        if not self._level or not text:
            self.blocks.add(text)
        elif self._label:
            label = f"{self._label}." if self._label.isdecimal() else self._label
            self.blocks.add_item(text, label, max(self._level - 1, style_depth))
            self._label = ""
        else:
            self.blocks.continue_item(text)

    def add_heading(self, heading: Element, _: int) -> None:
        text = self._read_marked(heading)
        if text.strip():
            depth = min(max(read_number(heading, "outline-level") or 1, 1), LEVELS)
            label = self._count_heading(heading, depth)
            self.blocks.add_heading(f"{label + ' ' if label else ''}{text}", depth)

    def _count_heading(self, heading: Element, depth: int) -> str:
        """The number of a heading, which may be that of an item; "" without one."""
        label, self._label = self._label, ""
        if label not in ("", "-"):
            return label
        is_numbered = self._styles.is_numbered(get_attribute(heading, "style-name"))
        if not is_numbered or get_attribute(heading, "is-list-header") == "true":
            return ""
        start = read_number(heading, "start-value")
        if start is not None and get_attribute(heading, "restart-numbering") == "true":
            self._headings[depth] = start - 1
        count_item(self._headings, depth, self._styles.lists.find_start(OUTLINE, depth))
        return self._styles.lists.format_label(OUTLINE, self._headings, depth)

    def add_table(self, table: Element, depth: int) -> None:
        parts = list_rows(table, depth)
        if (cell := find_only_cell(parts)) is not None:  # a frame around text
            self._fill_cell(cell, depth + 2)
            return
        rows = [self._read_cells(row, depth) for row in parts]
        if self.blocks.is_flat:
            self.blocks.add_block(format_inner_table(rows))
            return
        self.blocks.add_block(format_table([[strip_bold(cell) for cell in row] for row in rows[:1]] + rows[1:]))

    def add_list(self, listing: Element, depth: int) -> None:
        """Add the items of a list; one without a style has that of the list around it."""
        outer = self._level, self._list_style, self._label, self._counts
        self._level += 1
        self._list_style = get_attribute(listing, "style-name") or self._list_style
        if self._level == 1:
            self._counts = dict(self._find_continued(listing))
        for item in listing:
            name = local_name(item)
            if name in ("list-item", "list-header"):
                self._label = self._count_item(item) if name == "list-item" else ""
                self.fill(item, depth + 1)
        if self._level == 1:
            self._ended[get_attribute(listing, "id")] = self._ended[self._list_style] = self._counts
        self._level, self._list_style, self._label, self._counts = outer

    def _find_continued(self, listing: Element) -> dict[int, int]:
        """The last numbers of the list that this one continues."""
        if name := get_attribute(listing, "continue-list"):
            return self._ended.get(name, {})
        return self._ended.get(self._list_style, {}) if get_attribute(listing, "continue-numbering") == "true" else {}

    def _count_item(self, item: Element) -> str:
        """The label of an item. One that only holds an inner list has none and is not counted."""
        if not any(local_name(part) in ("p", "h") for part in item):
            return ""
        lists, level = self._styles.lists, self._level
        start = read_number(item, "start-value")
        if start is not None:
            self._counts[level] = start - 1
        count_item(self._counts, level, lists.find_start(self._list_style, level))
        return lists.format_label(self._list_style, self._counts, level) or "-"

    def _read_cells(self, row: Element, depth: int) -> list[str]:
        cells: list[str] = []
        for cell in row:
            repeated = get_attribute(cell, "number-columns-repeated")
            times = min(int(repeated), REPEATS) if repeated.isdecimal() else 1
            if local_name(cell) == "table-cell":
                cells += [self.read_apart(cell, depth + 2)] * times
            elif local_name(cell) == "covered-table-cell":
                cells += [""] * times
        return cells

    def read_apart(self, element: Element, depth: int) -> str:
        """The text of a cell or a note, with a line for each of its blocks."""
        outer = self.blocks, self._level, self._list_style, self._label
        self.blocks, self._level, self._list_style, self._label = Blocks(is_flat=True), 0, "", ""
        self._fill_cell(element, depth)
        text = self.blocks.join("\n")
        self.blocks, self._level, self._list_style, self._label = outer
        return text

    def _fill_cell(self, element: Element, depth: int) -> None:
        """Add the blocks in a cell or a note; the fill of a cell may be that of its row or table."""
        outer = self._is_filled
        if local_name(element) == "table-cell":
            parts = (
                element,
                *islice(element.iterancestors("{*}table-row"), 1),
                *islice(element.iterancestors("{*}table"), 1),
            )
            names = [get_attribute(part, "style-name") for part in parts]
            names[1:1] = [get_attribute(part, "default-cell-style-name") for part in parts[1:2]]
            self._is_filled = self._styles.is_filled(*names, around=outer)
        self.fill(element, depth)
        self._is_filled = outer

    def _read_marked(self, paragraph: Element) -> str:
        """The text of a paragraph with marks of links, markdown, and what is emphasised in it only."""
        style = get_attribute(paragraph, "style-name")
        self._base = self._format = self._styles.find_format(style)
        self._is_ground_filled = self._styles.is_filled(style, around=self._is_filled)
        self._commented.add(" ")
        return format_raised(self.read_inline(paragraph))

    def read_plain(self, paragraph: Element) -> str:
        """The visible text of a paragraph without marks of bold and italic text, with those of links."""
        return strip_marks(self._read_marked(paragraph)).strip()

    def read_inline(self, element: Element, depth: int = 0) -> str:
        """The visible marked text of a paragraph or span."""
        if depth > DEPTH:
            return ""
        if self._styles.hides(get_attribute(element, "style-name")):
            self.hidden += 1
            return ""
        pieces = [self._mark(element.text)] if element.text else []
        for part in element:
            outer = self._format
            if local_name(part) == "span":
                self._format = outer.override(self._styles.find_format(get_attribute(part, "style-name")))
            pieces.append(self._read_piece(part, depth))
            self._format = outer
            if part.tail:
                pieces.append(self._mark(part.tail))
        return "".join(pieces)

    def _mark(self, text: str) -> str:
        own, base = self._format, self._base
        if own.tiny or (own.white and not self._is_ground_filled):
            self.hidden += bool(text.strip())
            return ""
        text = read_private(text)
        if self._commented.open:
            self._commented.add(text)
        if own == base:
            return text
        return mark_run(
            text,
            is_bold=bool(own.bold and not base.bold),
            is_italic=bool(own.italic and not base.italic),
            is_raised=bool(own.raised and not base.raised),
        )

    def _read_piece(self, part: Element, depth: int) -> str:
        name = local_name(part)
        if name in SKIPPED or not name:
            self.hidden += name.startswith("hidden-")
            self.comments.note(part, name)
            return ""
        if name in SPACES:
            self._commented.add(" ")
            return SPACES[name] * _count_spaces(part)
        if name == "page-number" and part.text == NUMBER_PLACE:
            return ""
        if name == "note":
            self.notes.append(find_child(part, "note-body"))
            return mark_markup(f"[^{len(self.notes)}]")
        if name == "frame":
            return self._read_frame(part)
        if name in SHAPES:
            self._boxes.append(part)
            has_text = any(
                (words or "").strip() for each in part.iter("{*}p", "{*}span") for words in (each.text, each.tail)
            )
            return "" if has_text else _describe(part)
        text = self.read_inline(part, depth + 1)
        return mark_link(text, escape_target(get_attribute(part, "href"))) if name == "a" else text

    def _read_frame(self, frame: Element) -> str:
        """The formula of a frame, or the description of its picture; text boxes follow the paragraph."""
        if formula := self._formulas.read(frame):
            return mark_formula(formula)
        boxes = [part for part in frame if local_name(part) == "text-box"]
        self._boxes += boxes
        return "" if boxes else _describe(frame)


def _count_spaces(space: Element) -> int:
    count = get_attribute(space, "c")
    return min(int(count), 100) if count.isdecimal() else 1


def _describe(drawing: Element) -> str:
    """The marked alternative text of a picture or a shape."""
    described = next((part for name in ("desc", "title") if (part := find_child(drawing, name)) is not None), None)
    return "" if described is None else mark_picture(described.text or "")


READERS: dict[str, Callable[[OpenDocumentReader, Element, int], None]] = {
    "p": OpenDocumentReader.add_paragraph,
    "h": OpenDocumentReader.add_heading,
    "list": OpenDocumentReader.add_list,
    "table": OpenDocumentReader.add_table,
    **dict.fromkeys(("text-box", *SHAPES), OpenDocumentReader.add_box),
}
