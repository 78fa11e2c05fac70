"""Parser for spreadsheets (XLSX, XLSB, XLS, ODS): visible sheets as tables, without hidden rows and columns."""

from typing import NamedTuple

from assay.documents.document import TEXT_CHARS, Document, truncate_text
from assay.documents.document_comments import Comment, format_comments
from assay.documents.file_types import OLE
from assay.documents.gfm_table import COLUMNS
from assay.documents.ods import OpenDocumentWorkbook
from assay.documents.ole_properties import read_file_properties
from assay.documents.ooxml import Package
from assay.documents.opendocument_package import open_archive, read_properties
from assay.documents.safe_zip import OfficeArchive
from assay.documents.text_formats import ROWS
from assay.documents.xls import XlsWorkbook
from assay.documents.xlsb import XlsbWorkbook
from assay.documents.xlsx import XlsxWorkbook
from assay.text.safe_xml import prepare as prepare_xml

SHEETS = 200  # maximum number of sheets

type Workbook = XlsxWorkbook | XlsbWorkbook | XlsWorkbook | OpenDocumentWorkbook


class Properties(NamedTuple):
    """What the file declares about itself."""

    title: str = ""
    author: str = ""
    created: str = ""


def prepare() -> None:
    """Import calamine, olefile, xlrd and lxml, before the sandbox forbids opening files."""
    import olefile  # noqa: F401
    import python_calamine  # noqa: F401
    import xlrd  # noqa: F401

    prepare_xml()


def parse(body: bytes, kind: str) -> Document:
    """Convert each visible sheet to a table; a formula shows its stored result, if it has one.

    Raises InvalidInput for an encrypted file or a decompression bomb, UpstreamFailed for a damaged one.
    """
    book, properties = _open_workbook(body, kind)
    blocks: list[str] = []
    said: list[Comment] = []
    size, is_cut, is_wide, left_out, has_more = 0, False, False, False, False
    for number, table in enumerate(book.read_sheets()):
        if number == SHEETS:
            has_more = True
            break
        text = table.format()
        blocks += [text] if text else []
        said += table.comments
        is_cut, is_wide, left_out = is_cut or table.is_cut, is_wide or table.is_wide, left_out or table.left_out
        size += len(text)
        if size > TEXT_CHARS:
            is_cut = True
            break
    markdown, was_cut = truncate_text("\n\n".join(blocks))
    comments, are_cut = format_comments(said)
    notes = {
        f"Long sheets show their first {ROWS:,} rows.": is_cut,
        f"Files with more sheets show the first {SHEETS:,}.": has_more,
        f"Wide sheets show their first {COLUMNS:,} columns.": is_wide,
        "Hidden sheets, rows and columns were left out.": left_out or book.hides_sheets,
    }
    return Document(
        kind, markdown, *properties, truncated=was_cut or is_cut or is_wide or has_more or are_cut, comments=comments,
        notes=tuple(note for note, applies in notes.items() if applies),
    )  # fmt: skip


def _open_workbook(body: bytes, kind: str) -> tuple[Workbook, Properties]:
    """Raises InvalidInput for a decompression bomb or an encrypted file."""
    if kind == "xls" and body.startswith(OLE):
        return XlsWorkbook(body), Properties(*read_file_properties(body)[:3])
    if kind == "ods":
        archive = open_archive(body, kind)
        declared = read_properties(archive, kind)
        author = declared.get("initial-creator") or declared.get("creator", "")
        created = declared.get("creation-date", "")[:19]
        return OpenDocumentWorkbook(archive, kind), Properties(declared.get("title", ""), author, created)
    package = Package(body, kind)
    main = package.main("xl/workbook.xml")
    found = package.properties()
    properties = Properties(found.get("title", ""), found.get("creator", ""), found.get("created", ""))
    if not main.endswith(".bin"):
        return XlsxWorkbook(package, main), properties
    _measure(package.archive)
    return XlsbWorkbook(body, kind), properties


def _measure(archive: OfficeArchive) -> None:
    """Inflate every part against the limits, because calamine has none."""
    for name in archive.names():
        archive.read(name)
