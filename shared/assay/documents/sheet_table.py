"""The visible rows of a sheet as a Markdown table, and the texts of its values."""

from dataclasses import dataclass, field
from decimal import Decimal

from assay.documents.cell_markdown import format_cell, format_sheet_name
from assay.documents.document import TEXT_CHARS
from assay.documents.document_comments import Comment
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.office_fields import mark_link
from assay.documents.text_formats import ROWS

MAX_COLUMNS = 4 * COLUMNS  # columns examined from the first used one; hidden ones do not count towards those shown
CELL_CHARS = 32_767  # the most that a cell can hold in Excel; a file can reference one longer text any number of times
LINK_STARTS = ("http://", "https://", "www.", "doi:")  # of a text that tells the address itself
INTEGERS = 1e21  # whole numbers below this are written without an exponent


@dataclass
class SheetTable:
    """Collects the non-empty visible rows of a sheet, at most ROWS. Rows and columns are numbered from 0.

    The texts of cells are plain, with control characters around links.
    """

    name: str
    hidden_columns: set[int] = field(default_factory=set)
    hidden_rows: set[int] = field(default_factory=set)  # of those that were met
    comments: list[Comment] = field(default_factory=list)  # on its visible cells
    is_cut: bool = False  # there are more rows, and no further one is needed
    is_wide: bool = False  # there are more columns
    left_out: bool = False  # hidden cells with content were met
    _rows: list[dict[int, str]] = field(default_factory=list)
    _size: int = 0

    def add(self, cells: dict[int, str]) -> bool:
        """Add a visible row by the texts of its cells; return whether the same row would be added again."""
        filled = [column for column, text in cells.items() if text and column not in self.hidden_columns]
        self.is_wide = self.is_wide or len(filled) > MAX_COLUMNS
        shown = {column: cells[column][:CELL_CHARS] for column in filled[:MAX_COLUMNS]}
        self.left_out = self.left_out or any(text and column in self.hidden_columns for column, text in cells.items())
        if not shown:
            return False
        if len(self._rows) == ROWS or self._size > TEXT_CHARS:
            self.is_cut = True
            return False
        self._rows.append(shown)
        self._size += sum(map(len, shown.values()))
        return True

    def format(self) -> str:
        """The table with its name as a heading; "" without content."""
        if not self._rows:
            return ""
        first = min(map(min, self._rows))
        used = max(map(max, self._rows))
        last = min(used, first + MAX_COLUMNS - 1)
        columns = [column for column in range(first, last + 1) if column not in self.hidden_columns]
        self.is_wide = self.is_wide or used > last or len(columns) > COLUMNS
        rows = [[format_cell(row.get(column, "")) for column in columns] for row in self._rows]
        return f"## {format_sheet_name(self.name)}\n\n{format_table(rows)}"


def link_cell(text: str, target: str) -> str:
    """The text of a cell that links to an address, which is "" without a link, between control characters."""
    return mark_link(text, target) if text and not text.startswith(LINK_STARTS) else text


def format_number(number: float) -> str:
    """A number with the 15 digits that spreadsheet programs keep: 0.3, not 0.30000000000000004."""
    digits = f"{number:.15g}"
    return f"{Decimal(digits):f}" if number.is_integer() and abs(number) < INTEGERS else digits


def format_percentage(number: float) -> str:
    return f"{100 * number:.15g}%"


def format_duration(seconds: float) -> str:
    """Hours, minutes and seconds, also beyond a day: 26:03:00, or 00:01:26.400."""
    whole, thousandths = divmod(round(1_000 * abs(seconds)), 1_000)
    fraction = f".{thousandths:03d}" if thousandths else ""
    return f"{'-' if seconds < 0 else ''}{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{fraction}"


def name_column(column: int) -> str:
    """The letters of a column, of which the first is 0: A, Z, AA."""
    letters = ""
    while column >= 0:
        letters = chr(ord("A") + column % 26) + letters
        column = column // 26 - 1
    return letters
