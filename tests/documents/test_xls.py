"""Workbooks of Excel 97 to 2003 (XLS): what their program shows, without what it hides."""

import struct
from datetime import date
from io import BytesIO

import olefile
import pytest
import xlwt
from tests.support.word97 import write_compound_file, write_summary

from assay.errors import ContentEmpty, InvalidInput, UpstreamFailed

STANDARD_LINK = bytes.fromhex("d0c9ea79f9bace118c8200aa004ba90b")
URL = bytes.fromhex("e0c9ea79f9bace118c8200aa004ba90b")
HIDDEN = "Hidden sheets, rows and columns were left out."


@pytest.fixture
def an_xls():
    """A workbook that a function fills."""

    def make(fill, **options):
        book, body = xlwt.Workbook(**options), BytesIO()
        fill(book)
        book.save(body)
        return body.getvalue()

    return make


def shown_as(code):
    style = xlwt.XFStyle()
    style.num_format_str = code
    return style


def add_link(sheet, row, column, address):
    """Add a record of a link, which xlwt cannot write, before the end of the sheet."""
    target = (address + "\0").encode("utf-16-le")
    fields = struct.pack("<4H16sII", row, row, column, column, STANDARD_LINK, 2, 3)
    content = fields + URL + struct.pack("<I", len(target)) + target
    written = sheet.get_biff_data
    sheet.get_biff_data = lambda: written()[:-4] + struct.pack("<HH", 0x01B8, len(content)) + content + written()[-4:]


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("0%", 0.07, "7%"), ("0.0%;[Red]-0.0%", -0.1234, "-12.34%"), ("00000", 1234, "01234"), ("General", 0.1 + 0.2, "0.3"),
        ("0.0\\%", 12.5, "12.5%"), ("[h]:mm", 1.125, "27:00:00"), ("d mmm yyyy", 45418, "2024-05-06"),
        ("M/D/YY", 45418.5, "2024-05-06 12:00:00"), (";;;", 17, ""), (";;", 8, ""),
    ],
)  # fmt: skip
async def test_numbers_are_written_by_the_kind_of_their_format(an_xls, reads, code, value, text):
    def fill(book):
        sheet = book.add_sheet("S")
        sheet.write(0, 0, value, shown_as(code))
        sheet.write(0, 1, "end")

    expected = f"| {text} | end |" if text else "| end |"
    assert (await reads(an_xls(fill), "xls")).markdown.splitlines()[2] == expected


async def test_texts_truth_values_errors_and_merged_cells_are_read(an_xls, reads):
    def fill(book):
        sheet = book.add_sheet("Zürich #")
        sheet.row(0).set_cell_boolean(0, 1)
        sheet.row(0).set_cell_error(1, 42)
        sheet.write_merge(0, 0, 2, 3, "*both*")
        sheet.write(1, 0, "\x06a\x07javascript:alert(1)\x08")
        sheet.write(1, 3, "one\ntwo")

    assert (await reads(an_xls(fill), "xls")).markdown == (
        "## Zürich \\#\n\n| TRUE | #N/A | \\*both\\* |  |\n| --- | --- | --- | --- |\n| ajavascript:alert(1) |  |  | one<br>two |"
    )


async def test_the_calendar_that_begins_in_1904(an_xls, reads):
    def fill(book):
        book.dates_1904 = True
        book.add_sheet("S").write(0, 0, date(2024, 5, 6), shown_as("yyyy-mm-dd"))

    assert "| 2024-05-06 |" in (await reads(an_xls(fill), "xls")).markdown


async def test_raised_runs_of_a_cell_have_a_circumflex(an_xls, reads):
    raised = xlwt.Font()
    raised.escapement = xlwt.Font.ESCAPEMENT_SUPERSCRIPT

    def fill(book):
        sheet = book.add_sheet("S")
        sheet.write(0, 0, "106")
        sheet.write_rich_text(1, 0, ["10", ("6", raised)])
        sheet.write_rich_text(2, 0, ["🦦 in m", ("2", raised), " of river"])

    assert (await reads(an_xls(fill), "xls")).markdown.splitlines()[2:] == [
        "| 106 |", "| --- |", "| 10^6 |", "| 🦦 in m^2 of river |"
    ]  # fmt: skip


async def test_a_cell_that_links_to_an_address_is_a_link(an_xls, reads):
    def fill(book):
        sheet = book.add_sheet("S")
        for row, text in enumerate(["Source", "https://a.example/", "Harmful"]):
            sheet.write(row, 0, text)
        add_link(sheet, 0, 0, "https://a.example/a (b)")
        add_link(sheet, 1, 0, "https://a.example/")
        add_link(sheet, 2, 0, "javascript:alert(1)")

    assert (await reads(an_xls(fill), "xls")).markdown.splitlines()[2:] == [
        "| [Source](https://a.example/a%20%28b%29) |", "| --- |", "| https://a.example/ |", "| Harmful |"
    ]  # fmt: skip


async def test_hidden_sheets_rows_and_columns_are_left_out(an_xls, reads):
    def fill(book):
        sheet = book.add_sheet("S")
        for row, texts in enumerate(
            [("seen", "secret", "more"), ("buried", "", ""), ("flat", "", ""), ("last", "", "")]
        ):
            for column, text in enumerate(texts):
                sheet.write(row, column, text)
        sheet.col(1).hidden = True
        sheet.row(1).hidden = True
        sheet.row(2).height, sheet.row(2).height_mismatch = 0, True
        for name, state in (("T", 1), ("U", 2)):
            hidden = book.add_sheet(name)
            hidden.write(0, 0, "secret")
            hidden.visibility = state

    document = await reads(an_xls(fill), "xls")
    assert document.markdown == "## S\n\n| seen | more |\n| --- | --- |\n| last |  |"
    assert document.notes == (HIDDEN,)


async def test_texts_of_a_code_page_are_read(an_xls, reads):
    body = an_xls(lambda book: book.add_sheet("S").write(0, 0, "Вода"))
    assert "| Вода |" in (await reads(body, "xls")).markdown


async def test_the_declared_properties_of_a_workbook(an_xls, reads):
    with olefile.OleFileIO(BytesIO(an_xls(lambda book: book.add_sheet("S").write(0, 0, "x")))) as container:
        workbook = container.openstream("Workbook").read()
    summary = write_summary(title="Flüsse", author="Ann Doe")
    body = write_compound_file({"Workbook": workbook, "\x05SummaryInformation": summary})
    document = await reads(body, "xls")
    assert (document.title, document.author, document.markdown) == ("Flüsse", "Ann Doe", "## S\n\n| x |\n| --- |")


async def test_a_long_sheet_says_that_rows_are_missing(an_xls, reads):
    def fill(book):
        sheet = book.add_sheet("S")
        for row in range(1_100):
            sheet.write(row, 0, row)

    document = await reads(an_xls(fill), "xls")
    assert document.truncated
    assert document.markdown.endswith("| 999 |")
    assert document.notes == ("Long sheets show their first 1,000 rows.",)


async def test_an_encrypted_workbook_says_what_to_send(an_xls, reads):
    body = an_xls(lambda book: book.add_sheet("S").write(0, 0, "x"))
    window = body.index(struct.pack("<HH", 0x00E1, 2))  # a record that may be missing, where that of a password stands
    with pytest.raises(InvalidInput, match="The Excel workbook is encrypted"):
        await reads(body[:window] + struct.pack("<HH", 0x002F, 2) + body[window + 4 :], "xls")


@pytest.mark.parametrize("place", range(0, 4_000, 83))
async def test_a_damaged_workbook_is_one_error_or_is_read(an_xls, reads, place):
    def fill(book):
        sheet = book.add_sheet("S")
        sheet.write_rich_text(0, 0, ["a", ("b", xlwt.Font())])
        sheet.write(1, 0, 7, shown_as("0.0%"))

    body = bytearray(an_xls(fill))
    body[place : place + 8] = b"\xff\x7f\x00\x01\xfe\x03\x80\x00"
    try:
        assert (await reads(bytes(body), "xls")).kind == "xls"
    except (UpstreamFailed, InvalidInput, ContentEmpty) as error:
        assert "workbook" in str(error)


def a_note(number, row, column, author, text):
    """The records of a comment on a cell: its box, its text, and where it is."""
    box = struct.pack("<HHHHH12x", 0x15, 18, 0x19, number, 0) + bytes(4)
    raw = b"\1" + text.encode("utf-16-le")
    records = [
        (0x5D, box), (0x1B6, struct.pack("<HH6xHH4x", 0, 0, len(text), 16)), (0x3C, raw), (0x3C, bytes(16)),
        (0x1C, struct.pack("<HHHHHB", row, column, 0, number, len(author), 0) + author.encode("latin-1") + b"\0"),
    ]  # fmt: skip
    return b"".join(struct.pack("<HH", kind, len(held)) + held for kind, held in records)


async def test_comments_on_shown_cells_follow_the_tables(reads):
    book, body = xlwt.Workbook(), BytesIO()
    sheet = book.add_sheet("Rivers")
    for number in range(4):
        sheet.write(number, 0, f"row {number}")
        sheet.write(number, 27, number)
    sheet.row(2).hidden = True
    notes = (3, 0, "Ada", "Ada:\nMeasured *where*?"), (0, 27, "", "An estimate"), (2, 0, "Eve", "in a hidden row")
    sheet._Worksheet__bmp_rec = b"".join(a_note(number, *note) for number, note in enumerate(notes, 1))
    book.save(body)
    document = await reads(body.getvalue(), "xls")
    assert document.comments == (
        "Comment on “Rivers!AB1”: An estimate\n\nComment by Ada on “Rivers!A4”: Measured \\*where\\*?"
    )
