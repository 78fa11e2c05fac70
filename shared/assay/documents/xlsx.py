"""Reader of Excel workbooks (SpreadsheetML, ECMA-376 part 1 clause 18): visible sheets without hidden cells."""

import re
from collections.abc import Iterator
from functools import partial

from assay.documents.ooxml import Package, Relation, find_child, format_link_target
from assay.documents.sheet_table import SheetTable, link_cell
from assay.documents.xlsx_comments import XlsxComments
from assay.documents.xlsx_formats import HIDDEN as HIDDEN_VALUES
from assay.documents.xlsx_formats import NumberFormat, NumberFormats, format_value
from assay.documents.xlsx_rich_values import RichValues
from assay.documents.xlsx_text import read_rich_text, unescape
from assay.text.safe_xml import Element, check_xml, free_element, get_attribute, iterate_xml, local_name

HIDDEN = ("1", "true")
REFERENCE = re.compile(r"([A-Za-z]{1,3})\d*")
HYPERLINK = re.compile(rb"<(?:\w+:)?hyperlink\s[^<>]*>")
CELL_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
CELL = re.compile(rb'\sref="([A-Z]{1,3})(\d{1,7})[":]')
LINK_ID = re.compile(rb'\s\w+:id="([^"]*)"')
ZERO = re.compile(r"0+(?:\.0+)?")
MAX_COLUMN = 16_384
FUNCTION_PREFIX = re.compile(r"_xl(?:fn|ws)\.")  # before the names of functions that are newer than the format
MIDNIGHT = re.compile(r"T00:00(?::00(?:\.0+)?)?Z?$")


class XlsxWorkbook:
    """The sheets of a workbook in their order."""

    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        root = package.root(main)
        self._relations = package.relations(main)
        sheets = find_child(root, "sheets")
        listed = [item for item in (() if sheets is None else sheets) if self._is_worksheet(item)]
        self._shown = [item for item in listed if get_attribute(item, "state") not in ("hidden", "veryHidden")]
        self.hides_sheets = len(self._shown) < len(listed)
        settings = find_child(root, "workbookPr")
        self._is_1904 = settings is not None and get_attribute(settings, "date1904") in HIDDEN
        parts = {relation.kind: relation.target for relation in self._relations.values()}
        self._formats = NumberFormats(package.root(parts.get("styles", "")))
        self._strings = SharedStrings(package, parts.get("sharedStrings", ""))
        self._rich_values = RichValues(package, parts)
        self._comments = XlsxComments(package, parts.get("person", ""))

    def _find_part(self, sheet: Element) -> Relation | None:
        relation = self._relations.get(_read_relation_id(sheet))
        return relation if relation and not relation.outside and relation.target in self._package.archive else None

    def _is_worksheet(self, sheet: Element) -> bool:
        relation = self._find_part(sheet)
        return relation is not None and relation.kind == "worksheet"

    def read_sheets(self) -> Iterator[SheetTable]:
        """Read the visible sheets, each when it is asked for."""
        for sheet in self._shown:
            relation = self._find_part(sheet)
            if relation is not None:
                table = self._read_sheet(get_attribute(sheet, "name"), relation.target)
                table.comments += self._comments.read(relation.target, table.name, partial(_is_shown, table))
                yield table

    def _read_sheet(self, name: str, part: str) -> SheetTable:
        content = self._package.archive.read(part)
        table, number, links = SheetTable(name), 0, self._find_links(part, content)
        for element in iterate_elements(content, self._package.what, "row", "col"):
            if local_name(element) == "col":
                if _is_hidden(element, "width"):
                    first, last = (_read_count(element, each) for each in ("min", "max"))
                    last = min(last, MAX_COLUMN)
                    if not table.hidden_columns.issuperset((first - 1, last - 1)):
                        table.hidden_columns.update(range(first - 1, last))
                continue
            number = _read_count(element, "r", number + 1)
            if _is_hidden(element, "ht"):
                table.hidden_rows.add(number - 1)
                table.left_out = table.left_out or len(element) > 0
            else:
                table.add(self._read_row(element, links.get(number, {})))
                if table.is_cut:
                    break
        return table

    def _find_links(self, part: str, content: bytes) -> dict[int, dict[int, str]]:
        """The external addresses that cells link to, by row number and column. They stand at the end of a sheet."""
        start = content.rfind(b"hyperlinks>", 0, content.rfind(b"hyperlinks>"))
        if start < 0:
            return {}
        relations = self._package.relations(part)
        links: dict[int, dict[int, str]] = {}
        for found in HYPERLINK.finditer(content, start):
            cell, relation = CELL.search(found[0]), LINK_ID.search(found[0])
            if not cell or not relation:
                continue
            if target := format_link_target(relations.get(relation[1].decode("utf-8", "replace"))):
                links.setdefault(int(cell[2]), {})[_find_column(cell[1].decode(), 0)] = target
        return links

    def _read_row(self, row: Element, links: dict[int, str]) -> dict[int, str]:
        cells: dict[int, str] = {}
        column = -1
        for cell in row:
            if local_name(cell) == "c":
                column = _find_column(cell.get("r", ""), column + 1)
                if text := self._read_cell(cell):
                    cells[column] = link_cell(text, links.get(column, ""))
        return cells

    def _read_cell(self, cell: Element) -> str:
        kind, shown_as = cell.get("t", "n"), self._formats.find(cell.get("s", ""))
        if shown_as.kind == HIDDEN_VALUES:
            return ""
        if kind == "inlineStr":
            text = find_child(cell, "is")
            return "" if text is None else read_rich_text(text)
        stored = find_child(cell, "v")
        value = "" if stored is None else (stored.text or "").strip()
        if not value:
            return "" if kind == "str" else _read_formula(cell)
        if kind == "n":
            return self._format_number(value, shown_as)
        if kind == "s":
            return self._strings.find(value)
        if kind == "b":
            return "TRUE" if value in HIDDEN else "FALSE"
        if kind == "d":
            return MIDNIGHT.sub("", value).replace("T", " ")
        rich = self._rich_values.find(cell.get("vm", "")) if kind == "e" else None
        return unescape(value) if rich is None else rich

    def _format_number(self, value: str, shown_as: NumberFormat) -> str:
        try:
            return format_value(float(value), shown_as, is_1904=self._is_1904)
        except (ValueError, OverflowError):
            return value


def _is_shown(table: SheetTable, reference: str) -> bool:
    """Whether a cell of a sheet is shown by its reference, such as B4."""
    cell = CELL_REFERENCE.fullmatch(reference)
    if cell is None:
        return False
    return int(cell[2]) - 1 not in table.hidden_rows and _find_column(cell[1], 0) not in table.hidden_columns


class SharedStrings:
    """The texts that cells reference, read as far as they are asked for: long sheets show their first rows only."""

    def __init__(self, package: Package, part: str) -> None:
        self._items = iterate_elements(package.archive.read(part), package.what, "si")
        self._texts: list[str] = []

    def find(self, place: str) -> str:
        number = int(place) if place.isdecimal() and len(place) < 10 else -1
        while len(self._texts) <= number:
            item = next(self._items, None)
            if item is None:
                return ""
            self._texts.append(read_rich_text(item))
        return self._texts[number] if number >= 0 else ""


def _is_hidden(element: Element, size: str) -> bool:
    """Whether a row or column is hidden, or has no height or width."""
    return get_attribute(element, "hidden") in HIDDEN or ZERO.fullmatch(get_attribute(element, size)) is not None


def _read_formula(cell: Element) -> str:
    """The formula of a cell without a stored result, as programs write it that do not calculate."""
    formula = find_child(cell, "f")
    text = "" if formula is None else FUNCTION_PREFIX.sub("", (formula.text or "").strip())
    return f"={text}" if text else ""


def _find_column(reference: str, default: int) -> int:
    found = REFERENCE.match(reference)
    if found is None:
        return default
    column = 0
    for letter in found[1].upper():
        column = 26 * column + ord(letter) - 64
    return column - 1


def _read_count(element: Element, name: str, default: int = 1) -> int:
    value = get_attribute(element, name)
    return int(value) if value.isdecimal() and len(value) < 9 else default


def _read_relation_id(item: Element) -> str:
    """The `r:id` attribute; `sheetId` is the sheet's number."""
    return next((str(item.get(key)) for key in item.keys() if key.endswith("}id")), "")  # noqa: SIM118 - items() is quadratic


def iterate_elements(content: bytes, what: str, *names: str) -> Iterator[Element]:
    """The elements of these names in a part; each is freed after use. Raises UpstreamFailed for malformed XML."""
    if not content.strip():
        return
    broken = f"The {what} is broken: a part of it is not well-formed XML."
    for _, element in iterate_xml(check_xml(content, f"{what}'s part"), names, broken):
        yield element
        free_element(element)
