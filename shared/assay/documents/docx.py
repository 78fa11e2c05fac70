"""Parser for Word files (WordprocessingML, ECMA-376 part 1 clause 17): headings, lists, tables, notes, text boxes."""

import re
from collections import deque

from assay.documents.document import Document, truncate_text
from assay.documents.document_comments import Comment, format_comments
from assay.documents.docx_blocks import Blocks, is_monospaced
from assay.documents.docx_boxes import TextBoxGrounds
from assay.documents.docx_formatting import COLOUR, PAPER, RunFormat, is_on, read_int, read_shading
from assay.documents.docx_inline import DEPTH, Inline, Notes
from assay.documents.docx_numbering import Numbering, find_list_place, inherit_place
from assay.documents.docx_styles import DocxStyles, read_outline_level
from assay.documents.gfm_table import COLUMNS, format_inner_table, format_table
from assay.documents.office_emphasis import strip_bold
from assay.documents.office_graphics import GRAPHICS, format_graphic
from assay.documents.ooxml import Package, Relation, find_child
from assay.documents.word_paragraphs import WordParagraph, add_carried
from assay.html.reader.markdown_escapes import escape_line_start
from assay.text.safe_xml import Element, get_attribute, local_name
from assay.text.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

CONTAINERS = {"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "AlternateContent", "Choice"}
FORMATS = 1_000  # maximum number of remembered combinations of style and background
COUNT = re.compile(r"\d{1,9}")


def parse(body: bytes, kind: str) -> Document:
    """Convert the document to Markdown, without headers, footers, and hidden or deleted text.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    package = Package(body, kind)
    main = package.main("word/document.xml")
    reader = DocxReader(package, main)
    text = reader.markdown(find_child(package.root(main), "body"))
    markdown, was_cut = truncate_text(text)
    comments, are_cut = format_comments(reader.read_comments())
    metadata = package.properties()
    hidden = reader.inline.hidden
    notes = (f"{hidden} hidden run(s) of text were left out.",) if hidden else ()
    return Document(
        kind, markdown, metadata.get("title", ""), metadata.get("creator", ""), metadata.get("created", ""),
        _read_page_count(package), truncated=was_cut or are_cut, notes=notes, comments=comments,
    )  # fmt: skip


def _read_page_count(package: Package) -> int | None:
    """The page count that the saving program stored in `docProps/app.xml`, or None."""
    root = package.root("docProps/app.xml")
    pages = None if root is None else find_child(root, "Pages")
    return int(pages.text) if pages is not None and COUNT.fullmatch(pages.text or "") else None


class DocxReader:
    """Converts the main part of a Word package to Markdown."""

    def __init__(self, package: Package, main: str) -> None:
        self.package = package
        self.related = {relation.kind: relation.target for relation in package.relations(main).values()}
        self.styles = DocxStyles(package.root(self.related.get("styles", "")))
        self.numbering = Numbering.read(package.root(self.related.get("numbering", "")))
        self.paper = _read_page_color(package.root(main), package.root(self.related.get("settings", "")))
        self._box_grounds = TextBoxGrounds(package, main, self.paper)
        self.notes = Notes()
        self._formats: dict[tuple[str, str, str | None], RunFormat] = {}
        self.boxes: deque[Element] = deque()
        self._carried: list[str] = []  # the texts of paragraphs that run on in the next one
        self.inline = self._build_inline(package.relations(main))

    def _build_inline(self, relations: dict[str, Relation]) -> Inline:
        return Inline(self.styles, relations, self.notes, self.boxes.append)

    def markdown(self, body: Element) -> str:
        blocks = Blocks()
        if body is not None:
            self._add_content(blocks, body, 0, self.paper)
            add_carried(blocks, self._carried)
        for text in self._format_notes():
            blocks.add_block(text)
        return blocks.join("\n\n")

    def _add_content(self, blocks: Blocks, element: Element, depth: int, background: str) -> None:
        """Add the paragraphs and tables in `element`; `background` is the background colour (RRGGBB or "")."""
        for part in element if depth <= DEPTH else ():
            name = local_name(part)
            if name == "p":
                self._add_paragraph(blocks, part, depth, background)
            elif name == "tbl":
                self._add_table(blocks, part, depth, background)
            elif name in CONTAINERS:
                self._add_content(blocks, part, depth + 1, background)

    def _add_paragraph(self, blocks: Blocks, paragraph: Element, depth: int, background: str) -> None:
        properties = find_child(paragraph, "pPr")
        style_element = find_child(properties, "pStyle") if properties is not None else None
        style_id = "" if style_element is None else get_attribute(style_element, "val")
        style = self.styles.combine(style_id)
        outer = self._combine_format(style_id, properties, background)
        text = self.inline.read_paragraph(paragraph, depth, outer=outer)
        if (self._carried or text.strip()) and _runs_on(properties):
            self._carried.append(text)
            return
        text = "".join((*self._carried, text))
        self._carried.clear()
        level = read_outline_level(properties) or style.level
        is_unseen = not text.strip() and _is_mark_hidden(properties)
        place = None if is_unseen else inherit_place(find_list_place(properties), style.numbering)
        is_typed = not style.is_code and is_monospaced(paragraph)
        shape = WordParagraph(level, place, style.depth, style.is_code, is_typed, style.is_quote)
        shape.add_to(blocks, text, self.numbering)
        while self.boxes:
            box = self.boxes.popleft()
            if local_name(box) in GRAPHICS:
                blocks.add_block(format_graphic(self.package, self.inline.relations, box))
            else:
                ground = read_shading(properties)
                around = background if ground is None else ground
                self._add_content(blocks, box, depth + 1, self._box_grounds.find(box, around))

    def _combine_format(self, style_id: str, properties: Element, background: str) -> RunFormat:
        """The formatting of the text of a paragraph with these properties on this background."""
        key = style_id, background, read_shading(properties)
        if key not in self._formats:
            if len(self._formats) >= FORMATS:
                self._formats.clear()
            outer = RunFormat(background=background).override(self.styles.combine_paragraph_format(style_id))
            self._formats[key] = outer.override(RunFormat(background=key[2]))
        return self._formats[key]

    def _add_table(self, blocks: Blocks, table: Element, depth: int, background: str) -> None:
        add_carried(blocks, self._carried)
        ground = "" if find_child(table, "tblPr", "tblStyle") is not None else background
        parts = _list_rows(table)
        cells = _list_cells(parts[0]) if len(parts) == 1 else []
        if len(cells) == 1:  # a frame around text
            self._add_cell(blocks, cells[0], depth, ground)
            return
        rows = [self._read_row(row, depth, ground) for row in parts]
        if blocks.is_flat:
            blocks.add_block(format_inner_table(rows))
        else:
            head = [strip_bold(cell) for cell in rows[0]] if rows else []
            blocks.add_block(format_table([head, *rows[1:]]))

    def _read_row(self, row: Element, depth: int, background: str) -> list[str]:
        cells = [""] * min(
            read_int(find_child(row, "trPr", "gridBefore") if find_child(row, "trPr") is not None else None), COLUMNS
        )
        for cell in _list_cells(row):
            properties = find_child(cell, "tcPr")
            inner = Blocks(is_flat=True)
            self._add_cell(inner, cell, depth, background)
            span = 1 if properties is None else max(1, min(read_int(find_child(properties, "gridSpan"), 1), COLUMNS))
            cells += [inner.join("\n"), *[""] * (span - 1)]
        return cells

    def _add_cell(self, blocks: Blocks, cell: Element, depth: int, background: str) -> None:
        """Add the content of a cell that is neither deleted nor a continuation of the cell above."""
        properties = find_child(cell, "tcPr")
        merged = None if properties is None else find_child(properties, "vMerge")
        is_skipped = merged is not None and get_attribute(merged, "val") in {"", "continue"}
        is_skipped |= properties is not None and find_child(properties, "cellDel") is not None
        if not is_skipped:
            fill = read_shading(properties)
            self._add_content(blocks, cell, depth + 1, background if fill is None else fill)
            add_carried(blocks, self._carried)

    def read_comments(self) -> list[Comment]:
        """The comments that the text refers to, in its order."""
        called = self.inline.commented
        called.open.clear()
        root = self.package.root(self.related.get("comments", "")) if called.words else None
        comments = {get_attribute(part, "id"): part for part in root} if root is not None else {}
        return [
            Comment(self._read_apart(comments[name]), get_attribute(comments[name], "author"), words)
            for name, words in called.words.items()
            if name in comments
        ]

    def _read_apart(self, element: Element) -> str:
        """The text of a note or a comment."""
        inner = Blocks(is_flat=True)
        if element is not None:
            self._add_content(inner, element, 0, self.paper)
            add_carried(inner, self._carried)
        return inner.join(" ")

    def _format_notes(self) -> list[str]:
        """Markdown definitions of the referenced notes, in order of reference. A note may reference further notes."""
        roots = {kind: self.package.root(self.related.get(f"{kind}s", "")) for kind in ("footnote", "endnote")}
        notes = {
            (kind, get_attribute(note, "id")): note for kind, root in roots.items() if root is not None for note in root
        }
        texts: list[str] = []
        while len(texts) < len(self.notes.called):
            text = self._read_apart(notes.get(self.notes.called[len(texts)]))
            texts.append(f"[^{len(texts) + 1}]: {escape_line_start(text)}")
        return texts


def _runs_on(properties: Element) -> bool:
    """Whether a paragraph goes on in the next one: it is a drop cap, or its mark is deleted."""
    frame = None if properties is None else find_child(properties, "framePr")
    if frame is not None and get_attribute(frame, "dropCap") in ("drop", "margin"):
        return True
    return properties is not None and find_child(properties, "rPr", "del") is not None


def _is_mark_hidden(properties: Element) -> bool:
    """Whether the end of a paragraph is hidden, so that nothing shows of one without visible text."""
    return properties is not None and is_on(find_child(properties, "rPr", "vanish"))


def _read_page_color(root: Element, settings: Element) -> str:
    """The page background colour: white, unless the file sets `w:background` and displays it."""
    background = find_child(root, "background")
    is_shown = settings is not None and is_on(find_child(settings, "displayBackgroundShape"))
    color = get_attribute(background, "color") if background is not None and is_shown else ""
    return color if COLOUR.fullmatch(color) else PAPER


def _list_rows(table: Element) -> list[Element]:
    """The table rows, including those in content controls, without hidden rows and tracked deletions."""
    parts = []
    for part in table:
        name = local_name(part)
        if name == "tr" and not _is_hidden_row(find_child(part, "trPr")):
            parts.append(part)
        elif name in CONTAINERS:
            parts += _list_rows(part)
    return parts


def _is_hidden_row(properties: Element) -> bool:
    return properties is not None and (
        find_child(properties, "del") is not None or is_on(find_child(properties, "hidden"))
    )


def _list_cells(row: Element) -> list[Element]:
    parts = []
    for part in row:
        if local_name(part) == "tc":
            parts.append(part)
        elif local_name(part) in CONTAINERS:
            parts += _list_cells(part)
    return parts
