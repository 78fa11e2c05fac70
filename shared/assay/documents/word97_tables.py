"""Tables of Word 97 files ([MS-DOC] 2.4.3): paragraphs as a tree of tables, rows and cells."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.documents.gfm_table import COLUMNS
from assay.documents.little_endian import read_number, read_signed
from assay.documents.word97_sprms import TABLE_DEFINITION, iter_sprms, read_shading
from assay.documents.word97_styles import Word97Paragraph

CELL_MARK = "\x07"
CELL = 20  # bytes of the description of a cell (TC80, 2.9.317)
IS_MERGED, IS_RESTART = 0x20, 0x40  # with the cell above; the first of those
SHADINGS = {0xD612: (0, 10), 0xD616: (22, 10), 0xD60C: (44, 10), 0xD609: (0, 2)}  # first cell, bytes of each
TABLE_STYLE, NORMAL_TABLE = 0x563A, 11


class PlacedParagraph(NamedTuple):
    """A paragraph: its characters without the mark at its end, which is at `mark`."""

    start: int
    mark: int
    sign: str
    shape: Word97Paragraph


@dataclass
class TableCell97:
    """What is in a cell."""

    items: list["PlacedParagraph | Table97"] = field(default_factory=list)


@dataclass
class TableRow97:
    """The cells of a row, with the properties at its end."""

    cells: list[TableCell97] = field(default_factory=list)
    edges: list[int] = field(default_factory=list)  # the left one of the first cell, then the right ones
    shadings: dict[int, str | None] = field(default_factory=dict)
    continued: frozenset[int] = frozenset()  # cells that go on from the row above
    is_styled: bool = False  # by a style of tables, whose fills are not read


@dataclass
class Table97:
    """The rows so far, and the cells and the content of the open one."""

    rows: list[TableRow97] = field(default_factory=list)
    cells: list[TableCell97] = field(default_factory=list)
    cell: TableCell97 = field(default_factory=TableCell97)

    def end_cell(self) -> None:
        self.cells.append(self.cell)
        self.cell = TableCell97()

    def end_row(self, properties: bytes) -> None:
        if self.cell.items:
            self.end_cell()
        if self.cells:
            row = _read_row(properties)
            row.cells = self.cells
            self.rows.append(row)
        self.cells = []


def build_tree(paragraphs: Iterable[PlacedParagraph]) -> list[PlacedParagraph | Table97]:
    """The paragraphs, with those in tables in the cells of these."""
    top = TableCell97()
    tables: list[Table97] = []
    for paragraph in paragraphs:
        shape = paragraph.shape
        while len(tables) > shape.depth:
            tables.pop().end_row(b"")
        while len(tables) < shape.depth:
            inner = Table97()
            (tables[-1].cell if tables else top).items.append(inner)
            tables.append(inner)
        if not tables:
            top.items.append(paragraph)
        elif shape.ends_row:
            tables[-1].end_row(shape.table)
        else:
            tables[-1].cell.items.append(paragraph)
            if shape.ends_cell or (len(tables) == 1 and paragraph.sign == CELL_MARK):
                tables[-1].end_cell()
    for table in reversed(tables):
        table.end_row(b"")
    return top.items


def _read_row(properties: bytes) -> TableRow97:
    row = TableRow97()
    for code, operand in iter_sprms(properties):
        if code == TABLE_DEFINITION:
            _define_cells(row, operand)
        elif code in SHADINGS:
            first, size = SHADINGS[code]
            for place in range(0, len(operand), size):
                shading = read_shading(operand[place : place + size])
                if size > 2 or first + place // size not in row.shadings:
                    row.shadings[first + place // size] = shading
        elif code == TABLE_STYLE:
            row.is_styled = read_number(operand, 0, 2) != NORMAL_TABLE
    return row


def _define_cells(row: TableRow97, operand: bytes) -> None:
    count = min(read_number(operand, 0, 1), COLUMNS)
    row.edges = [read_signed(operand, 1 + 2 * number, 2) for number in range(count + 1)]
    cells = 1 + 2 * (read_number(operand, 0, 1) + 1)
    flags = [read_number(operand, cells + CELL * number, 2) for number in range(count)]
    row.continued = frozenset(number for number, flag in enumerate(flags) if flag & IS_MERGED and not flag & IS_RESTART)
