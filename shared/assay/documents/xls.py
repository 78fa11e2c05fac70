"""Reader of Excel 5.0 to 2003 workbooks (BIFF), by xlrd: visible sheets without hidden cells."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING

from assay.documents.document import ENCRYPTED, NAMES
from assay.documents.office_emphasis import format_raised, mark_raised, strip_emphasis, strip_foreign_marks
from assay.documents.ole_properties import DAMAGE
from assay.documents.ooxml import escape_target
from assay.documents.sheet_table import SheetTable, link_cell, name_column
from assay.documents.xlsx_comments import build_comment
from assay.documents.xlsx_formats import HIDDEN, NumberFormat, find_built_in, format_value, read_format
from assay.errors import InvalidInput, UpstreamFailed

if TYPE_CHECKING:
    from xlrd.sheet import Cell, Sheet

NAME = NAMES["xls"]
SUPERSCRIPT = 1  # the escapement of a font


class XlsWorkbook:
    """The sheets of a workbook in their order.

    Raises InvalidInput for an encrypted file, UpstreamFailed for a damaged one.
    """

    def __init__(self, body: bytes) -> None:
        import xlrd

        with explain_failures():
            self._book = xlrd.open_workbook(
                file_contents=body, formatting_info=True, on_demand=True, ragged_rows=True, logfile=StringIO(),
                ignore_workbook_corruption=True,  # some exporters list a sector twice, which Excel accepts
            )  # fmt: skip
        self._formats = [self._find_format(style.format_key) for style in self._book.xf_list]
        self.hides_sheets = False

    def _find_format(self, number: int) -> NumberFormat:
        """A number format; those with a code in the file come before those that Excel has."""
        found = self._book.format_map.get(number)
        code = found.format_str if found else ""
        return read_format(code) if code else find_built_in(number)

    def read_sheets(self) -> Iterator[SheetTable]:
        """Read the visible sheets, each when it is asked for; `hides_sheets` tells of those so far."""
        for number in range(self._book.nsheets):
            with explain_failures():
                sheet = self._book.sheet_by_index(number)
                table = None if sheet.visibility else self._read_sheet(sheet)
                self._book.unload_sheet(number)
            if table is None:
                self.hides_sheets = True
            else:
                yield table

    def _read_sheet(self, sheet: "Sheet") -> SheetTable:
        widths = sheet.colinfo_map.items()
        table = SheetTable(sheet.name, {column for column, info in widths if info.hidden or not info.width})
        links = {
            (link.frowx, link.fcolx): escape_target(link.url_or_path)
            for link in sheet.hyperlink_list
            if link.type == "url"
        }
        for row in range(sheet.nrows):
            cells = {}
            for column, cell in enumerate(sheet.row(row)):
                text = self._read_cell(cell, sheet.rich_text_runlist_map.get((row, column), ()))
                cells[column] = link_cell(text, links.get((row, column), ""))
            if _is_hidden(sheet, row):
                table.left_out = table.left_out or any(cells.values())
            else:
                table.add(cells)
            if table.is_cut:
                break
        for (row, column), note in sorted(sheet.cell_note_map.items()):
            if column not in table.hidden_columns and not _is_hidden(sheet, row):
                place = f"{name_column(column)}{row + 1}"
                table.comments.append(build_comment(sheet.name, place, note.author.strip(), note.text))
        return table

    def _read_cell(self, cell: "Cell", runs: tuple[tuple[int, int], ...]) -> str:
        import xlrd

        shown_as = self._formats[cell.xf_index]
        if shown_as.kind == HIDDEN or cell.ctype in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK):
            return ""
        if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
            return format_value(cell.value, shown_as, is_1904=self._book.datemode == 1)
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return "TRUE" if cell.value else "FALSE"
        if cell.ctype == xlrd.XL_CELL_ERROR:
            return str(xlrd.error_text_from_code.get(cell.value, ""))
        return self._read_text(cell.value, runs)

    def _read_text(self, text: str, runs: tuple[tuple[int, int], ...]) -> str:
        """The text with a circumflex before raised runs that need one. A run is its first UTF-16 unit and its font."""
        units = text.encode("utf-16-le", "surrogatepass")
        pieces = []
        for (start, font), (end, _) in zip([(0, 0), *runs], [*runs, (len(units) // 2, 0)], strict=True):
            piece = strip_foreign_marks(units[2 * start : 2 * end].decode("utf-16-le", "replace"))
            is_raised = start > 0 and self._book.font_list[font].escapement == SUPERSCRIPT
            pieces.append(mark_raised(piece) if is_raised else piece)
        return strip_emphasis(format_raised("".join(pieces))).strip()


def _is_hidden(sheet: "Sheet", row: int) -> bool:
    size = sheet.rowinfo_map.get(row)
    return size is not None and bool(size.hidden or not size.height)


@contextmanager
def explain_failures() -> Iterator[None]:
    """Raise InvalidInput for an encrypted file, UpstreamFailed for whatever xlrd raises for a damaged one."""
    import xlrd
    from xlrd.compdoc import CompDocError

    broken = f"The {NAME} is broken and cannot be read."
    try:
        yield
    except xlrd.XLRDError as failure:
        if "encrypted" in str(failure):
            raise InvalidInput(ENCRYPTED.format(NAME)) from failure
        raise UpstreamFailed(broken) from failure
    except (CompDocError, AssertionError, struct.error, *DAMAGE) as failure:
        # xlrd relies on the order and the sizes of a file's records.
        raise UpstreamFailed(broken) from failure
