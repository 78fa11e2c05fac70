"""Parser for spreadsheets (XLSX, XLS, ODS): visible sheets as tables, without hidden rows and columns."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

from assay.documents.document import NAMES, TEXT_CHARS, Document, truncate_text
from assay.documents.file_types import OLE
from assay.documents.gfm_table import COLUMNS, format_table
from assay.documents.ooxml import Package, find_child
from assay.documents.safe_zip import OfficeArchive
from assay.documents.text_formats import ROWS
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.safe_xml import Element, get_attribute, local_name
from assay.text.safe_xml import prepare as prepare_xml

SHEETS = 200  # maximum number of sheets
MAX_COLUMNS = 4 * COLUMNS  # columns examined; hidden ones do not count towards those shown
HIDDEN = ("1", "true")


def prepare() -> None:
    """Import calamine and lxml, before the sandbox forbids opening files."""
    import python_calamine  # noqa: F401

    prepare_xml()


def parse(body: bytes, kind: str) -> Document:
    """Convert each visible sheet to a table; a formula shows its cached result.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    import python_calamine as calamine

    package = _open_package(body, kind)
    try:
        book = calamine.CalamineWorkbook.from_filelike(BytesIO(body))
        sheets = [sheet for sheet in book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
        shown = [sheet for sheet in sheets if sheet.visible == calamine.SheetVisibleEnum.Visible]
        hidden = _find_hidden_cells(package) if package else {}
        blocks, cut_short, left_out = [], len(shown) > SHEETS, False
        for sheet in shown[:SHEETS]:
            table = SheetTable(*hidden.get(sheet.name, (frozenset(), frozenset())))
            text = format_table(table.read(book.get_sheet_by_name(sheet.name)))
            cut_short, left_out = cut_short or table.is_cut, left_out or table.left_out
            blocks += [f"## {' '.join(sheet.name.split())}", text] if text else []
            if sum(map(len, blocks)) > TEXT_CHARS:
                cut_short = True
                break
    except calamine.PasswordError as failure:
        raise InvalidInput(f"The {NAMES[kind]} is encrypted: a password is needed to read it.") from failure
    except (calamine.CalamineError, OSError, ValueError) as failure:
        raise UpstreamFailed(f"The {NAMES[kind]} is broken and cannot be read.") from failure
    markdown, was_cut = truncate_text("\n\n".join(blocks))
    metadata = package.properties() if package else {}
    notes = []
    if cut_short:
        notes.append(f"Long sheets show their first {ROWS:,} rows.")
    if len(shown) < len(sheets) or left_out:
        notes.append("Hidden sheets, rows and columns were left out.")
    return Document(
        kind, markdown, metadata.get("title", ""), metadata.get("creator", ""), metadata.get("created", ""),
        truncated=was_cut or cut_short, notes=tuple(notes),
    )  # fmt: skip


def _open_package(body: bytes, kind: str) -> Package | None:
    """The package of an XLSX file, None for XLS and ODS.

    Inflates every part of a ZIP file against the limits first, because calamine has none. Raises InvalidInput for a
    decompression bomb or an encrypted file.
    """
    if kind == "xls" and body.startswith(OLE):
        return None
    if kind == "ods":
        package, archive = None, OfficeArchive(body, NAMES[kind])
    else:
        package = Package(body, kind)
        archive = package.archive
    for name in archive.names():
        archive.read(name)
    archive.reset_budget()
    return package


class SheetTable:
    """The visible rows of one sheet."""

    def __init__(self, rows: frozenset[int], columns: frozenset[int]) -> None:
        self._rows, self._columns = rows, columns  # hidden ones, zero-based
        self.is_cut = self.left_out = False

    def read(self, sheet: Any) -> list[list[str]]:
        """The non-empty visible rows, at most ROWS."""
        if sheet.start is None:
            return []
        first = sheet.start[1]
        shown: list[list[str]] = []
        for number, row in enumerate(sheet.iter_rows()):  # from the first row of the sheet, and its first used column
            if number in self._rows:
                self.left_out = True
                continue
            places = range(first, min(first + len(row), first + MAX_COLUMNS))
            self.left_out = self.left_out or not self._columns.isdisjoint(places)
            cells = [format_cell(row[place - first]) for place in places if place not in self._columns]
            if not any(cells):
                continue
            if len(shown) == ROWS:
                self.is_cut = True
                break
            shown.append(cells)
        return shown


def format_cell(value: Any) -> str:
    """Format a cell's value; dates are ISO 8601."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return str(value).strip()


def _find_hidden_cells(package: Package) -> dict[str, tuple[frozenset[int], frozenset[int]]]:
    """The zero-based numbers of hidden rows and columns, by sheet name."""
    main = package.main("xl/workbook.xml")
    if main.endswith(".bin"):  # XLSB is not XML
        return {}
    sheets = find_child(package.root(main), "sheets")
    relations = package.relations(main)
    found = {}
    for sheet in () if sheets is None else sheets:
        relation = relations.get(get_attribute(sheet, "id"))
        if relation and not relation.outside and relation.target in package.archive:
            found[sheet.get("name", "")] = _read_hidden(package.archive.read(relation.target))
    return found


def _read_hidden(part: bytes) -> tuple[frozenset[int], frozenset[int]]:
    if b"hidden=" not in part:
        return frozenset(), frozenset()
    rows: set[int] = set()
    columns: set[int] = set()
    number = 0
    for element in _iterate_elements(part):
        if local_name(element) == "row":
            number = int(element.get("r") or number + 1)
            if element.get("hidden") in HIDDEN:
                rows.add(number - 1)
        elif element.get("hidden") in HIDDEN:
            first, last = int(element.get("min", 1)), int(element.get("max", 1))
            columns.update(range(first - 1, min(last, first + 16_384)))
    return frozenset(rows), frozenset(columns)


def _iterate_elements(part: bytes) -> Iterator[Element]:
    """The `row` and `col` elements; each is freed after use."""
    from lxml import etree

    tags = ("{*}row", "{*}col")
    for _, element in etree.iterparse(
        BytesIO(part), tag=tags, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
    ):
        yield element
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
