"""Reader of binary Excel workbooks (XLSB), by calamine: visible sheets."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

from assay.documents.document import ENCRYPTED, NAMES
from assay.documents.office_emphasis import strip_foreign_marks
from assay.documents.sheet_table import SheetTable, format_duration, format_number
from assay.errors import InvalidInput, UpstreamFailed


class XlsbWorkbook:
    """The sheets of a workbook in their order.

    Raises InvalidInput for an encrypted file, UpstreamFailed for a damaged one.
    """

    def __init__(self, body: bytes, kind: str) -> None:
        import python_calamine as calamine

        self._what = NAMES[kind]
        self._book = self._call(calamine.CalamineWorkbook.from_filelike, BytesIO(body))
        sheets = [sheet for sheet in self._book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
        self._shown = [sheet.name for sheet in sheets if sheet.visible == calamine.SheetVisibleEnum.Visible]
        self.hides_sheets = len(self._shown) < len(sheets)

    def _call(self, function: Any, argument: object) -> Any:
        import python_calamine as calamine

        try:
            return function(argument)
        except calamine.PasswordError as failure:
            raise InvalidInput(ENCRYPTED.format(self._what)) from failure
        except BaseException as failure:
            # calamine panics on some damaged files; the class of a panic derives from BaseException and has no name.
            if isinstance(failure, (calamine.CalamineError, OSError, ValueError)) or _is_panic(failure):
                raise UpstreamFailed(f"The {self._what} is broken and cannot be read.") from failure
            raise

    def read_sheets(self) -> Iterator[SheetTable]:
        """Read the visible sheets, each when it is asked for."""
        for name in self._shown:
            table = SheetTable(name)
            sheet = self._call(self._book.get_sheet_by_name, name)
            for row in sheet.iter_rows() if sheet.start is not None else ():
                table.add(dict(enumerate(map(format_cell, row), sheet.start[1])))
                if table.is_cut:
                    break
            yield table


def _is_panic(failure: BaseException) -> bool:
    return type(failure).__name__ == "PanicException"


def _count_digits(moment: datetime | time) -> str:
    return "milliseconds" if moment.microsecond else "seconds"


def format_cell(value: Any) -> str:
    """Format a cell's value; dates are ISO 8601."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, datetime):
        return value.isoformat(" ", _count_digits(value)) if value.time() != time() else value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat(_count_digits(value))
    if isinstance(value, timedelta):
        return format_duration(value.total_seconds())
    return strip_foreign_marks(str(value)).strip()
