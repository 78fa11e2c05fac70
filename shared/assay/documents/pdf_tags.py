"""The structure tree of a tagged PDF page: the block of each marked content (ISO 32000-2 section 14.7, 14.8).

A page without a tree costs one call.
"""

import ctypes
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from assay.documents.office_emphasis import strip_foreign_marks
from assay.documents.pdfium import pdfium
from assay.html.reader.alternative_texts import is_meaningful, names_file

DEPTH = 40  # of the tree; PDFium reads 32 levels
MOST_CHILDREN = 50_000  # of all elements of a page, with the places that cells take in rows below
MOST_BLOCKS = 10_000
MOST_SPAN, MOST_COLUMNS = 100, 200  # of a cell, and of a table
TYPE_BYTES, ALTERNATIVE_BYTES = 64, 8_000
HEADINGS = {"Title": 1} | {f"H{level}": level for level in range(1, 7)}
PARAGRAPHS = {"P", "TOCI", "Caption", "Note", "FENote", "BibEntry"}
WITHIN = {"Note", "FENote"}  # which do not end the paragraph around them
WRAPPERS = {"NonStruct", "Div"}
OBJECTS = {"Link", "Annot", "Form", "Figure"}  # whose first child may be an annotation or a picture
LEVELS = 6

type Kind = Literal["", "paragraph", "heading", "item", "row", "artifact"]


class TaggedCell(NamedTuple):
    """A cell of a table of the page: the number of the table from 1, the row and the column from 0."""

    table: int
    row: int
    column: int


class Tag(NamedTuple):
    """What the tags say about a line; the lines of one block have the same tag. Blocks of no kind are loose text."""

    block: int
    kind: Kind = ""
    level: int = 0  # of a heading; of other blocks the depth of the list that they are in
    goes_on: bool = False  # it begins on an earlier page
    has_label: bool = False  # an item begins with its label


@dataclass
class TagTable:
    """The rows of a table, each with the number of its columns; whether the table begins on an earlier page."""

    widths: list[int] = field(default_factory=list)
    goes_on: bool = False
    ragged: set[int] = field(default_factory=set)  # the rows with cells that have no text
    taken: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))  # columns by row, of taller cells


class TagPicture(NamedTuple):
    """The alternative text of a figure, and its marked contents."""

    alternative: str
    contents: set[int]


@dataclass
class PageTags:
    """The blocks of a page in reading order, with their cells; the block of each marked content; the tables.

    Each figure with an alternative text is a block by itself; its contents are in the blocks around it.
    """

    blocks: list[tuple[Tag, TaggedCell | None]] = field(default_factory=list)
    contents: dict[int, int] = field(default_factory=dict)
    tables: list[TagTable] = field(default_factory=list)
    pictures: dict[int, TagPicture] = field(default_factory=dict)  # by block


@dataclass
class _Place:
    """Where the content of an element goes: a block, which begins with its first content."""

    kind: Kind
    level: int
    cell: TaggedCell | None
    block: int = -1
    goes_on: bool = False
    has_label: bool = False
    in_label: bool = False
    is_open: bool = True  # its first paragraph has not begun

    def end_block(self) -> None:
        """Let the content behind an inner block be a paragraph of its own."""
        self.block, self.goes_on, self.is_open = -1, False, False
        self.kind = "paragraph" if self.kind == "item" else self.kind


class _TooLargeError(Exception):
    pass


def read_tags(page: int) -> PageTags | None:
    """Return what the tags say about a page; None if it has none, or more than a page can have."""
    ask = pdfium()
    tree = ask.StructTree_GetForPage(page)
    if not tree:
        return None
    reader = _TreeReader()
    try:
        for index in range(ask.StructTree_CountChildren(tree)):
            element = ask.StructTree_GetChildAtIndex(tree, index)
            if element:
                reader.read_element(element, _Place("", 0, None), 0)
    except _TooLargeError:
        return None
    finally:
        ask.StructTree_Close(tree)
    return reader.tags


class _TreeReader:
    def __init__(self) -> None:
        self.tags = PageTags()
        self._ask = pdfium()
        self._left = MOST_CHILDREN
        self._sections = 0
        self._picture: TagPicture | None = None  # whose content is read

    def read_element(self, element: int, place: _Place, depth: int) -> None:
        """Read an element, of which the content goes to a place unless it begins a block."""
        kind = self._read_type(element)
        if kind == "Artifact" or depth > DEPTH:
            return
        inner = self._begin_place(kind, element, place)
        if inner is not None:
            if inner.kind or kind != "Table":
                self._read_children(element, inner, depth)
            else:
                place.end_block()
                self._read_table(element, place.level, depth)
            if kind not in WITHIN:
                place.end_block()
            return
        place.in_label = kind == "Lbl" and place.kind == "item" and place.block < 0
        place.has_label |= place.in_label
        self._sections += kind == "Sect"
        around = self._picture
        self._picture = self._begin_picture(element, place) if kind == "Figure" else around
        self._read_children(element, place, depth, has_objects=kind in OBJECTS)
        self._picture = around
        self._sections -= kind == "Sect"
        place.in_label = False

    def _begin_picture(self, element: int, place: _Place) -> TagPicture | None:
        """Begin the block of a figure; None if it has no alternative text."""
        alternative = self._read_alternative(element)
        if not alternative:
            return None
        block = len(self.tags.blocks)
        self.tags.blocks.append((Tag(block, "paragraph", 0 if place.cell else place.level), place.cell))
        self.tags.pictures[block] = TagPicture(alternative, set())
        return self.tags.pictures[block]

    def _read_alternative(self, element: int) -> str:
        buffer = ctypes.create_string_buffer(ALTERNATIVE_BYTES)
        size = self._ask.StructElement_GetAltText(element, buffer, ALTERNATIVE_BYTES)
        if not 2 < size <= ALTERNATIVE_BYTES:
            return ""
        text = " ".join(strip_foreign_marks(buffer.raw[: size - 2].decode("utf-16-le", "replace")).split())
        return text if is_meaningful(text) and not names_file(text, "") else ""

    def _begin_place(self, kind: str, element: int, place: _Place) -> _Place | None:
        """The place for the content of an element that begins a block or a list; None if its content has the same."""
        if kind == "L":
            return _Place("", place.level + 1, place.cell)
        if kind == "LI":
            return _Place("item", max(1, place.level), place.cell)
        if kind in HEADINGS or kind == "H":
            return _Place("heading", HEADINGS.get(kind) or min(LEVELS, max(1, self._sections)), place.cell)
        if kind in PARAGRAPHS and not (place.kind and place.is_open):
            return _Place("paragraph", place.level, place.cell)
        is_code = kind in WRAPPERS and place.kind and self._holds_code(element)
        return _Place("", place.level, place.cell) if is_code or (kind == "Table" and place.cell is None) else None

    def _holds_code(self, element: int) -> bool:
        """Whether the element is a block of code within an item or a paragraph, not code in their lines."""
        if self._ask.StructElement_CountChildren(element) != 1:
            return False
        child = self._ask.StructElement_GetChildAtIndex(element, 0)
        return bool(child) and self._read_type(child) == "Code"

    def _read_type(self, element: int) -> str:
        buffer = ctypes.create_string_buffer(TYPE_BYTES)
        size = self._ask.StructElement_GetType(element, buffer, TYPE_BYTES)
        return buffer.raw[: max(0, size - 2)].decode("utf-16-le", "replace") if size <= TYPE_BYTES else ""

    def _read_children(self, element: int, place: _Place, depth: int, *, has_objects: bool = False) -> None:
        ask = self._ask
        for index in range(self._count(element)):
            content = ask.StructElement_GetChildMarkedContentID(element, index)
            if content >= 0:
                self._add(content, place)
                continue
            child = ask.StructElement_GetChildAtIndex(element, index)
            if child:
                self.read_element(child, place, depth + 1)
            elif index == 0 and place.block < 0 and place.is_open and not has_objects and not place.has_label:
                place.goes_on = True

    def _count(self, element: int) -> int:
        count: int = max(0, self._ask.StructElement_CountChildren(element))
        self._left -= count + 1
        if self._left < 0 or len(self.tags.blocks) > MOST_BLOCKS:
            raise _TooLargeError
        return count

    def _add(self, content: int, place: _Place) -> None:
        """Add marked content to the block of its place, which begins here if it has no content yet."""
        blocks = self.tags.blocks
        if not place.kind:
            is_last = bool(blocks) and not blocks[-1][0].kind and blocks[-1][1] == place.cell
            place.block = len(blocks) - 1 if is_last else -1
        if place.block < 0:
            place.block = len(blocks)
            tag = Tag(place.block, place.kind, place.level, place.goes_on and bool(place.kind), place.has_label)
            blocks.append((tag, place.cell))
        place.is_open = place.is_open and place.in_label
        self.tags.contents.setdefault(content, place.block)
        if self._picture is not None:
            self._picture.contents.add(content)

    def _read_table(self, element: int, level: int, depth: int) -> None:
        table = TagTable()
        self.tags.tables.append(table)
        self._read_rows(element, table, level, depth)

    def _read_rows(self, element: int, table: TagTable, level: int, depth: int) -> None:
        """Read the rows of a table or of a part of it; other elements in it are blocks before or behind the rows."""
        for index in range(self._count(element)):
            content = self._ask.StructElement_GetChildMarkedContentID(element, index)
            child = self._ask.StructElement_GetChildAtIndex(element, index)
            kind = self._read_type(child) if child else ""
            if kind == "TR":
                self._read_row(child, table, level, depth + 1)
            elif kind in ("THead", "TBody", "TFoot") and depth <= DEPTH:
                self._read_rows(child, table, level, depth + 1)
            elif child:
                self.read_element(child, _Place("", level, None), depth + 1)
            elif content >= 0:
                self._add(content, _Place("", level, None))
            elif not table.widths:
                table.goes_on = True

    def _read_row(self, element: int, table: TagTable, level: int, depth: int) -> None:
        row, column = len(table.widths), 0
        table.widths.append(0)
        number = len(self.tags.tables)
        for index in range(self._count(element)):
            while column in table.taken[row]:
                column += 1
            if column > MOST_COLUMNS:
                raise _TooLargeError
            content = self._ask.StructElement_GetChildMarkedContentID(element, index)
            if content >= 0:  # such as the ground of the row
                self._add(content, _Place("", level, None))
                continue
            child = self._ask.StructElement_GetChildAtIndex(element, index)
            width = height = 1
            if child:
                width, height = self._read_span(child, "ColSpan"), self._read_span(child, "RowSpan")
                self._read_children(child, _Place("", 0, TaggedCell(number, row, column)), depth)
            else:
                table.ragged.add(row)
            self._left -= width * (height - 1)  # the places that it takes below
            for below in range(row + 1, row + height):
                table.taken[below].update(range(column, column + width))
            column += width
        table.widths[row] = max([column, *(one + 1 for one in table.taken[row])])

    def _read_span(self, element: int, name: str) -> int:
        """How many columns or rows a cell has."""
        ask = self._ask
        for index in range(min(8, ask.StructElement_GetAttributeCount(element))):
            attribute = ask.StructElement_GetAttributeAtIndex(element, index)
            value = ask.StructElement_Attr_GetValue(attribute, name.encode()) if attribute else 0
            if value and ask.StructElement_Attr_GetNumberValue(value, ask.four_floats[0]):
                span = ask.floats[0]
                return int(span) if 1 <= span <= MOST_SPAN else 1
        return 1
