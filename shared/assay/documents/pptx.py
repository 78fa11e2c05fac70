"""Parser for PowerPoint files (PresentationML, ECMA-376 part 1 clause 19): titles, text, tables, pictures, notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.documents.document import PAGES, Document, truncate_text
from assay.documents.document_comments import Comment, format_comments
from assay.documents.docx_blocks import MAX_CODE_SHARE, MONOSPACED
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.office_emphasis import format_raised, mark_formula, mark_picture, mark_run, strip_bold
from assay.documents.office_fields import mark_link
from assay.documents.office_graphics import format_graphic
from assay.documents.omml import format_equation
from assay.documents.ooxml import Package, Relation, find_child, format_link_target
from assay.documents.paragraph_markdown import format_heading_text, format_paragraph, read_plain
from assay.documents.pptx_colors import SlideColors, Templates
from assay.documents.pptx_comments import PptxComments
from assay.documents.pptx_visibility import DEPTH, find_own_property, is_hidden_shape, is_off_slide, read_integer
from assay.documents.slide_lines import NUMBER, SlideLines
from assay.documents.symbol_fonts import read_private
from assay.html.reader.markdown_escapes import escape_line_start
from assay.text.safe_xml import Element, get_attribute, local_name
from assay.text.safe_xml import prepare as prepare  # noqa: PLC0414 - the sandbox worker calls it in each parser module

TITLES = {"title", "ctrTitle"}
SKIPPED_PLACEHOLDERS = {"dt", "ftr", "sldNum", "hdr", "sldImg"}
DIGITS = re.compile(r"\d{1,4}")
RISE = re.compile(r"\+?0*[1-9][\d.]*%?")  # above the baseline


def parse(body: bytes, kind: str) -> Document:
    """Convert the visible slides to Markdown, in order; `page_count` includes hidden slides.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    package = Package(body, kind)
    main = package.main("ppt/presentation.xml")
    slides, size = _list_slides(package, main), _read_size(package.root(main))
    texts = PptxSlides(package, main)
    texts.read(slides, size)
    if texts.letters_of_code > MAX_CODE_SHARE * sum(map(len, texts.parts)):
        texts = PptxSlides(package, main, shows_code=False)
        texts.read(slides, size)
    markdown, was_cut = truncate_text("\n\n".join(part for part in texts.parts if part))
    written, are_cut = format_comments(texts.comments)
    metadata = package.properties()
    notes = (f"{texts.hidden} hidden slide(s) were left out.",) if texts.hidden else ()
    return Document(
        kind, markdown, metadata.get("title", ""), metadata.get("creator", ""), metadata.get("created", ""),
        len(slides), truncated=was_cut or are_cut or len(slides) > PAGES, notes=notes, comments=written,
    )  # fmt: skip


class PptxSlides:
    """The texts of slides and the comments on them; `shows_code` tells whether to look for code by its font."""

    def __init__(self, package: Package, main: str, *, shows_code: bool = True) -> None:
        self.parts: list[str] = []
        self.comments: list[Comment] = []
        self.hidden = 0
        self.letters_of_code = 0
        self._package = package
        self._templates, self._comments = Templates(package), PptxComments(package, main)
        self._shows_code = shows_code

    def read(self, names: list[str], size: tuple[int, int]) -> None:
        """Read the slides in these parts."""
        for place, name in enumerate(names[:PAGES], 1):
            root = self._package.root(name)
            if root is None or get_attribute(root, "show") in {"0", "false"}:
                self.hidden += root is not None
                continue
            colors, relations = SlideColors(self._templates, name, root), self._package.relations(name)
            reader = SlideReader(self._package, relations, colors, shows_code=self._shows_code)
            self.parts.append(reader.markdown(root, place, size))
            self.letters_of_code += reader.letters_of_code
            self.comments += self._comments.read(relations.values(), reader.title, place)


def _list_slides(package: Package, main: str) -> list[str]:
    """The part names of the slides, in presentation order."""
    relations = package.relations(main)
    order = find_child(package.root(main), "sldIdLst")
    targets = (relations.get(_read_relation_id(item)) for item in (() if order is None else order))
    return [relation.target for relation in targets if relation and not relation.outside]


def _read_size(root: Element) -> tuple[int, int]:
    """The width and height of a slide in EMU; zeros if not declared."""
    size = None if root is None else find_child(root, "sldSz")
    return (0, 0) if size is None else (read_integer(size, "cx"), read_integer(size, "cy"))


def _read_relation_id(item: Element) -> str:
    """The `r:id` attribute; `id` without a namespace is the slide's number."""
    return next((str(item.get(key)) for key in item.keys() if key.endswith("}id")), "")  # noqa: SIM118 - items() is quadratic


@dataclass
class SlideReader:
    """Converts one slide, or its notes, to Markdown."""

    package: Package
    relations: dict[str, Relation]
    colors: SlideColors
    shows_code: bool = True
    title: str = ""  # without markup
    letters_of_code: int = 0

    def markdown(self, root: Element, place: int, size: tuple[int, int]) -> str:
        tree = find_child(root, "cSld", "spTree")
        title, blocks = "", []
        for shape in _list_shapes(tree, 0) if tree is not None else []:
            if is_off_slide(shape, size):
                continue
            kind = _read_placeholder(shape)
            marked = self._mark_title(shape) if kind in TITLES else ""
            text = format_heading_text(marked) if kind in TITLES else self._read_shape(shape)
            if kind in TITLES and not title:
                title, self.title = text, read_plain(marked)
            elif kind not in SKIPPED_PLACEHOLDERS and text.strip():
                blocks.append(text)
        speaker_notes = self._read_notes()
        if not (title or blocks or speaker_notes):
            return ""
        heading = f"## {title}" if title else f"## Slide {place}"
        return "\n\n".join([heading, *blocks, *([f"Notes: {speaker_notes}"] if speaker_notes else [])])

    def _mark_title(self, shape: Element) -> str:
        body = find_child(shape, "txBody")
        return "" if body is None else " ".join(text for *_, text in self._list_paragraphs(body, shape))

    def _read_shape(self, shape: Element) -> str:
        name = local_name(shape)
        if name == "pic":
            return _format_description(shape)
        if name == "graphicFrame":
            table = next((part for part in shape.iter() if local_name(part) == "tbl"), None)
            if table is not None:
                rows = [self._read_cells(row, shape) for row in table if local_name(row) == "tr"]
                return format_table([[strip_bold(cell) for cell in row] for row in rows[:1]] + rows[1:])
            graphic = format_graphic(self.package, self.relations, shape)
            return "\n\n".join(part for part in (_format_description(shape), graphic) if part)
        body = find_child(shape, "txBody")
        if body is None:
            return ""
        return self._read_text(body, shape, bulleted=_read_placeholder(shape) in {"body", "obj"})

    def _read_cells(self, row: Element, shape: Element) -> list[str]:
        """A row's cells; merged continuation cells are empty."""
        cells = [cell for cell in row if local_name(cell) == "tc"][:COLUMNS]
        return ["" if _is_merged(cell) else self._read_cell(cell, shape) for cell in cells]

    def _read_cell(self, cell: Element, shape: Element) -> str:
        body = find_child(cell, "txBody")
        background = self.colors.read_cell_fill(cell)
        return "" if body is None else self._read_text(body, shape, background, bulleted=False, is_cell=True)

    def _list_paragraphs(
        self, body: Element, shape: Element, background: str | None = None
    ) -> Iterator[tuple[Element, Element, str]]:
        """Yield each paragraph that is not empty, its properties, and its marked text."""
        for paragraph in body:
            if local_name(paragraph) != "p":
                continue
            properties = find_child(paragraph, "pPr")
            default = _find_default(body, properties)
            text = "".join(self._read_piece(piece, default, shape, background) for piece in paragraph)
            if text.strip():
                yield paragraph, properties, format_raised(text)

    def _read_text(
        self, body: Element, shape: Element, background: str | None = None, *, bulleted: bool, is_cell: bool = False
    ) -> str:
        """One line per paragraph, with list markers and indentation by level."""
        lines = SlideLines()
        for paragraph, properties, marked in self._list_paragraphs(body, shape, background):
            level = _read_level(properties)
            mark, first = _choose_mark(properties, bulleted or level > 0)
            text = format_paragraph(marked.replace("\n", " "))
            if text and self.shows_code and not (mark or is_cell) and _is_typed(paragraph, body):
                lines.add_code(marked)
            elif text:
                lines.add(text if is_cell else escape_line_start(text), level, mark, first)
        self.letters_of_code += lines.letters_of_code
        return lines.join()

    def _read_piece(self, piece: Element, default: Element, shape: Element, background: str | None) -> str:
        name = local_name(piece)
        if name == "br":
            return "\n"
        if name in {"oMathPara", "oMath"}:
            return mark_formula(format_equation(piece))
        if name in {"m", "AlternateContent", "Choice"}:
            return "".join(self._read_piece(part, default, shape, background) for part in piece)
        if name not in {"r", "fld"}:
            return ""
        if get_attribute(piece, "type") == "slidenum" and not DIGITS.search(_read_words(piece)):
            return ""  # a placeholder, which LibreOffice writes in place of the number
        words = read_private(_read_words(piece))
        properties = find_child(piece, "rPr")
        formats = [level for level in (properties, default) if level is not None]
        if self.colors.is_hidden(formats, shape, background):
            return ""
        link = None if properties is None else find_child(properties, "hlinkClick")
        target = "" if link is None else format_link_target(self.relations.get(_read_relation_id(link)))
        bold, italic = _is_on(properties, "b"), _is_on(properties, "i")
        marked = mark_run(words, is_bold=bold, is_italic=italic, is_raised=_is_raised(formats))
        return mark_link(marked, target)

    def _read_notes(self) -> str:
        """The text of the slide's speaker notes."""
        name = next((relation.target for relation in self.relations.values() if relation.kind == "notesSlide"), "")
        root = self.package.root(name) if name else None
        tree = None if root is None else find_child(root, "cSld", "spTree")
        reader = SlideReader(self.package, {}, SlideColors(Templates(self.package), name, root), shows_code=False)
        texts = [
            reader._read_text(body, shape, bulleted=False)
            for shape in ([] if tree is None else _list_shapes(tree, 0))
            if _read_placeholder(shape) == "body" and (body := find_child(shape, "txBody")) is not None
        ]
        return "\n".join(text for text in texts if text.strip())


def _list_shapes(tree: Element, depth: int) -> list[Element]:
    """All visible shapes, including those in groups."""
    shapes: list[Element] = []
    for part in tree if depth <= DEPTH else ():
        name = local_name(part)
        if name in {"grpSp", "AlternateContent", "Choice"} and not is_hidden_shape(part):
            shapes += _list_shapes(part, depth + 1)
        elif name in {"sp", "graphicFrame", "pic", "cxnSp"} and not is_hidden_shape(part):
            shapes.append(part)
    return shapes


def _read_placeholder(shape: Element) -> str:
    placeholder = find_own_property(shape, "nvPr/ph")
    return "" if placeholder is None else get_attribute(placeholder, "type") or "body"


def _format_description(shape: Element) -> str:
    properties = find_own_property(shape, "cNvPr")
    return "" if properties is None else format_paragraph(mark_picture(get_attribute(properties, "descr")))


def _read_words(run: Element) -> str:
    text = find_child(run, "t")
    return "" if text is None else text.text or ""


def _find_default(body: Element, properties: Element) -> Element:
    """What the text of a paragraph inherits from the list style of its shape."""
    return find_child(body, "lstStyle", f"lvl{_read_level(properties) + 1}pPr", "defRPr")


def _is_typed(paragraph: Element, body: Element) -> bool:
    """Whether all text of a paragraph is in a monospaced font."""
    default = _find_default(body, find_child(paragraph, "pPr"))
    runs = [part for part in paragraph if local_name(part) == "r" and _read_words(part).strip()]
    return bool(runs) and all(
        MONOSPACED.search(_read_font(find_child(run, "rPr")) or _read_font(default)) is not None for run in runs
    )


def _read_font(properties: Element) -> str:
    font = None if properties is None else find_child(properties, "latin")
    return "" if font is None else get_attribute(font, "typeface")


def _is_merged(cell: Element) -> bool:
    return bool({get_attribute(cell, "hMerge"), get_attribute(cell, "vMerge")} & {"1", "true"})


def _read_level(properties: Element) -> int:
    text = "" if properties is None else get_attribute(properties, "lvl")
    return min(int(text), 8) if DIGITS.fullmatch(text) else 0


def _is_on(properties: Element, name: str) -> bool:
    return properties is not None and get_attribute(properties, name) in {"1", "true"}


def _is_raised(formats: list[Element]) -> bool:
    """Whether the first of the formats that has a baseline raises it: by thousandths of a per cent, or "30%"."""
    baseline = next((value for each in formats if (value := get_attribute(each, "baseline"))), "")
    return RISE.fullmatch(baseline) is not None


def _choose_mark(properties: Element, bulleted: bool) -> tuple[str, int]:
    """The mark of a paragraph ("-", "1." or ""), and the first number of its list."""
    kinds = {} if properties is None else {local_name(item): item for item in properties}
    if "buNone" in kinds:
        return "", 1
    if "buAutoNum" in kinds:
        start = get_attribute(kinds["buAutoNum"], "startAt")
        return NUMBER, int(start) if DIGITS.fullmatch(start) else 1
    return "-" if bulleted or "buChar" in kinds else "", 1
