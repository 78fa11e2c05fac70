"""Reader of OpenDocument spreadsheets (ODF 1.3 part 3, section 9): visible sheets without hidden rows and columns."""

import re
from collections.abc import Iterator

from assay.documents.document_comments import Comment
from assay.documents.opendocument import OpenDocumentReader
from assay.documents.opendocument_boxes import BoxGrounds
from assay.documents.opendocument_comments import read_author
from assay.documents.opendocument_formulas import FormulaReader
from assay.documents.opendocument_package import CONTENT, parse_root
from assay.documents.opendocument_styles import OpenDocumentStyles
from assay.documents.safe_zip import OfficeArchive
from assay.documents.sheet_table import (
    MAX_COLUMNS,
    SheetTable,
    format_duration,
    format_number,
    format_percentage,
    name_column,
)
from assay.documents.sheet_units import find_shown_currency
from assay.text.safe_xml import Element, check_xml, free_element, get_attribute, iterate_xml, local_name

HIDDEN = ("collapse", "filter")
ERROR = re.compile(r"#[A-Z/0?!]+|Err:\d{3}")  # the text of a cell whose value is stored as 0 or ""
DURATION = re.compile(r"(-?)PT(\d{1,6})H(\d{1,2})M(\d{1,2}(?:[.,]\d{1,12})?)S")
MIDNIGHT = re.compile(r"T00:00(?::00(?:[.,]0+)?)?$")
PERCENTAGE = re.compile(r"[-−+]?([\d.,'\s]*\d)\s?%")
SEPARATORS = re.compile(r"[^\d]")
FRACTION = re.compile(r"[.,]0+$")
MAX_SHEET_COLUMNS = 16_384
MAX_GROUPS = 20  # elements between a row or column and its sheet
TAGS = ("automatic-styles", "table", "table-column", "table-row")


class OpenDocumentWorkbook:
    """The sheets of a spreadsheet in their order."""

    def __init__(self, archive: OfficeArchive, kind: str) -> None:
        self._archive = archive
        self._styles = OpenDocumentStyles()
        self._styles.add(parse_root(archive, "styles.xml", kind))
        self._reader = OpenDocumentReader(self._styles, FormulaReader(archive), BoxGrounds(self._styles, ()))
        self._hidden_styles: set[str] = set()  # of sheets
        self.hides_sheets = False
        self._rows = 0  # of the open sheet that were met

    def read_sheets(self) -> Iterator[SheetTable]:
        """Read the visible sheets in one pass; `hides_sheets` tells of those so far."""
        table: SheetTable | None = None
        column = 0
        for event, element in self._iterate():
            name = local_name(element)
            if name == "automatic-styles":
                self._styles.add(element)
                self._find_hidden_styles(element)
            elif name == "table" and _is_sheet(element):
                if event == "end":
                    if table is not None:
                        yield table
                    table = None
                else:
                    table, column = self._begin_sheet(element), 0
            elif table is not None and event == "end" and _is_part_of_sheet(element):
                if name == "table-column":
                    column = _add_column(table, element, column)
                else:
                    self._add_row(table, element)

    def _iterate(self) -> Iterator[tuple[str, Element]]:
        # `huge_tree`, because conditional formats of large sheets have attributes of several megabytes.
        what = self._archive.what
        text = check_xml(self._archive.read(CONTENT), f"{what}'s {CONTENT}")
        broken = f"The {what} is broken: {CONTENT} is not well-formed XML."
        for event, element in iterate_xml(text, TAGS, broken, events=("start", "end"), huge_tree=True):
            yield event, element
            if event == "end" and local_name(element) != "automatic-styles" and _is_part_of_sheet(element):
                free_element(element)

    def _find_hidden_styles(self, styles: Element) -> None:
        for properties in styles.iter("{*}table-properties"):
            if get_attribute(properties, "display") == "false":
                self._hidden_styles.add(get_attribute(properties.getparent(), "name"))

    def _begin_sheet(self, element: Element) -> SheetTable | None:
        if get_attribute(element, "style-name") in self._hidden_styles:
            self.hides_sheets = True
            return None
        self._rows = 0
        return SheetTable(get_attribute(element, "name"))

    def _add_row(self, table: SheetTable, row: Element) -> None:
        first, self._rows = self._rows + 1, self._rows + _read_count(row, "number-rows-repeated")
        if table.is_cut:
            return
        if get_attribute(row, "visibility") in HIDDEN or _is_in_hidden_group(row):
            table.left_out = table.left_out or any(len(cell) for cell in row)
            return
        cells = self._read_row(row)
        times = _read_count(row, "number-rows-repeated") if cells else 0
        while times and table.add(cells):
            times -= 1
        if next(row.iter("{*}annotation"), None) is not None:
            table.comments += self._list_comments(table, row, first)

    def _list_comments(self, table: SheetTable, row: Element, number: int) -> Iterator[Comment]:
        """Yield the comments on the shown cells of a row with this number."""
        column = 0
        for cell in row.iterchildren("{*}table-cell", "{*}covered-table-cell"):
            for comment in cell.iterchildren("{*}annotation") if column not in table.hidden_columns else ():
                place = f"{table.name}!{name_column(column)}{number}"
                yield Comment(self._reader.read_apart(comment, 1), read_author(comment), place)
            column += _read_count(cell, "number-columns-repeated")

    def _read_row(self, row: Element) -> dict[int, str]:
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            name = local_name(cell)
            if name in ("table-cell", "covered-table-cell"):
                times = _read_count(cell, "number-columns-repeated")
                if name == "table-cell" and (text := self._read_cell(cell)):
                    cells.update(dict.fromkeys(range(column, column + min(times, MAX_COLUMNS)), text))
                column += times
                if column >= MAX_SHEET_COLUMNS:
                    break
        return cells

    def _read_cell(self, cell: Element) -> str:
        paragraphs = [part for part in cell if local_name(part) == "p"]
        kind = get_attribute(cell, "value-type")
        if kind not in ("", "string"):
            shown = "".join(paragraphs[0].itertext()) if paragraphs else ""
            if paragraphs and not shown:
                return ""  # by its format
            value = shown if ERROR.fullmatch(shown) else _format_value(cell, kind, shown)
            if value:
                return value
        text = "\n".join(self._reader.read_plain(part) for part in paragraphs).strip()
        return text or get_attribute(cell, "string-value") or ("" if paragraphs else _read_formula(cell))


def _format_value(cell: Element, kind: str, shown: str) -> str:
    """The text of a cell by its stored value; `shown` is how it looks, which tells what the value does not."""
    if kind == "boolean":
        return get_attribute(cell, "boolean-value").upper()
    if kind == "date":
        return FRACTION.sub("", MIDNIGHT.sub("", get_attribute(cell, "date-value")).replace("T", " "))
    if kind == "time":
        found = DURATION.fullmatch(get_attribute(cell, "time-value"))
        if found is None:
            return ""
        seconds = 3_600 * int(found[2]) + 60 * int(found[3]) + float(found[4].replace(",", "."))
        return format_duration(-seconds if found[1] else seconds)
    value = get_attribute(cell, "value")
    try:
        return _format_number(float(value), kind, shown)
    except (ValueError, OverflowError):
        return value


def _format_number(value: float, kind: str, shown: str) -> str:
    """The text of a number. LibreOffice writes truth values of Excel as numbers, Gnumeric percentages."""
    if (value in (0, 1) and shown.isalpha()) or (shown.startswith("0") and shown.isdecimal() and int(shown) == value):
        return shown  # WAHR or 00123
    if kind == "percentage":
        return format_percentage(value)
    if kind == "currency":
        return find_shown_currency(shown).write(format_number(value))
    if (found := PERCENTAGE.fullmatch(shown)) is None:
        return format_number(value)
    return f"{format_number(value)}%" if _is_shown(abs(value), found[1]) else format_percentage(value)


def _is_shown(value: float, digits: str) -> bool:
    """Whether digits with separators show this value, which is too large for them to show a hundred times as much."""
    *_, decimals = SEPARATORS.split(digits)
    whole = int(SEPARATORS.sub("", digits))
    places = (0, len(decimals)) if len(decimals) < len(digits) else (0,)
    return any(abs(whole / 10**place - value) <= 0.51 / 10**place < 49 * value for place in places)


def _read_formula(cell: Element) -> str:
    """The formula of a cell without a stored result, as programs write it that do not calculate."""
    _, sign, formula = get_attribute(cell, "formula").partition("=")
    return sign + formula if not get_attribute(cell, "value-type") else ""


def _is_sheet(table: Element) -> bool:
    """Whether the table is a sheet, not one in a cell, a drawing or a link."""
    parent = table.getparent()
    return parent is not None and local_name(parent) == "spreadsheet"


def _is_part_of_sheet(element: Element) -> bool:
    """Whether a sheet, a row or a column belongs to a sheet itself."""
    outer = element if local_name(element) == "table" else element.getparent()
    for _ in range(MAX_GROUPS):
        if outer is None or not local_name(outer).startswith("table-") or local_name(outer) == "table-cell":
            break
        outer = outer.getparent()
    return outer is not None and local_name(outer) == "table" and _is_sheet(outer)


def _is_in_hidden_group(element: Element) -> bool:
    """Whether a group of rows or columns around this one is closed."""
    outer = element.getparent()
    for _ in range(MAX_GROUPS):
        if outer is None or local_name(outer) == "table":
            break
        if get_attribute(outer, "display") == "false":
            return True
        outer = outer.getparent()
    return False


def _add_column(table: SheetTable, column: Element, place: int) -> int:
    """Note a column, which may stand for several, and return the number of the next."""
    end = min(place + _read_count(column, "number-columns-repeated"), MAX_SHEET_COLUMNS)
    if get_attribute(column, "visibility") in HIDDEN or _is_in_hidden_group(column):
        table.hidden_columns.update(range(place, end))
    return end


def _read_count(element: Element, name: str) -> int:
    value = get_attribute(element, name)
    return max(1, int(value)) if value.isdecimal() and len(value) < 9 else 1
