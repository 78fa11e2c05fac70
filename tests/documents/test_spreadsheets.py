"""Spreadsheets: values, formats, formulas, rich text and links of cells as their program shows them."""

import csv
import zipfile
from datetime import time
from html import escape
from io import BytesIO, StringIO

import pytest
from markdown_it import MarkdownIt
from PIL import Image
from tests.support.opendocument import HEAD, SPACES
from tests.support.processor_time import assert_linear

from assay.documents import cell_markdown
from assay.documents.document_parser import parse
from assay.documents.xlsb import format_cell
from assay.errors import InvalidInput, UpstreamFailed

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
CALC_EXT = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'


@pytest.fixture
def a_sheet(an_xlsx, a_zip):
    """An Excel file around the markup of the rows of its sheet; other parts by name."""

    def make(rows, parts=None):
        with zipfile.ZipFile(BytesIO(an_xlsx(lambda book: book.add_worksheet("S").write(0, 0, "x")))) as package:
            files = {name: package.read(name) for name in package.namelist()}
        sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
        return a_zip(files | {"xl/worksheets/sheet1.xml": sheet.encode()} | (parts or {}))

    return make


@pytest.fixture
def an_ods(a_package):
    """An OpenDocument spreadsheet around the markup of its sheets."""

    def make(sheets, styles="", meta=""):
        content = (
            f"{HEAD}<office:document-content {SPACES} {CALC_EXT}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>"
            "</office:document-content>"
        )
        declared = f"{HEAD}<office:document-meta {SPACES}><office:meta>{meta}</office:meta></office:document-meta>"
        kind = "application/vnd.oasis.opendocument.spreadsheet"
        return a_package(kind, {"content.xml": content, "meta.xml": declared})

    return make


def row(*cells):
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def cell(text, **attributes):
    written = " ".join(f'{name.replace("__", ":").replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<table:table-cell {written}><text:p>{text}</text:p></table:table-cell>"


def number(value, text=None, kind="float"):
    return cell(value if text is None else text, office__value_type=kind, office__value=value)


async def test_raised_runs_of_a_cell_have_a_circumflex(an_xlsx, reads):
    def fill(book):
        sheet, raised = book.add_worksheet("S"), book.add_format({"font_script": 1})
        bold, lowered = book.add_format({"bold": True}), book.add_format({"font_script": 2})
        sheet.write_row(0, 0, ["106", "106"])
        sheet.write_rich_string(1, 0, "10", raised, "6")
        sheet.write_rich_string(1, 1, bold, "Area", " in m", raised, "2", " and H", lowered, "2", "O")

    document = await reads(an_xlsx(fill), "xlsx")
    assert document.markdown == "## S\n\n| 106 | 106 |\n| --- | --- |\n| 10^6 | Area in m^2 and H2O |"


async def test_texts_in_cells_and_escapes_and_phonetic_guides(a_sheet, reads):
    body = a_sheet(
        '<row><c t="inlineStr"><is><r><t>5 km</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>2</t></r></is></c>'
        '<c t="inlineStr"><is><t>東京</t><rPh sb="0" eb="2"><t>とうきょう</t></rPh></is></c>'
        '<c t="str"><f>A1</f><v>one_x000D_\ntwo_x005F_x0041_</v></c></row>'
    )
    assert "| 5 km^2 | 東京 | one<br>two_x0041_ |" in (await reads(body, "xlsx")).markdown


FORMATS = [
    ("0%", 0.07, "7%"),
    ("0.0%;[Red]-0.0%", -0.1234, "-12.34%"),
    ("00000", 1234, "01234"),
    ("0.00", 0.1 + 0.2, "0.3"),
    ("General", 1234567890123456789, "1234567890123460000"),
    ("General", 1e-7, "1e-07"),
    ("d mmm yyyy", 45418, "2024-05-06"),
    ('yyyy"年"m"月"d"日" h:mm', 45418.5, "2024-05-06 12:00:00"),
    ("[$-407]dd. mmmm", 31, "1900-01-31"),
    ("[h]:mm", 1.125, "27:00:00"),
    ('0 "days"', 3, "3 days"),
    ('"€"#,##0.00', -1234.5, "-€1234.5"),
    ('_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-', 1234.5, "1234.5 €"),
    ("[$CHF-807] #,##0.00", 12, "CHF 12"),
    ("_($* #,##0.00_);_($* (#,##0.00)", 12.5, "$12.5"),
    ('"Q"0', 3, "Q3"),
    ('#,##0,,"M"', 12_000_000, "12000000"),
    ('[>999]0,"k";0"x"', 5, "5"),
    ('000"-"0000', 1234567, "1234567"),
    ('General" km"', 12, "12 km"),
    ("[Magenta]0", 3, "3"),
    ("# ?/?", 0.5, "0.5"),
    (";;;", 17, ""),
    ('"";"";"";""', 17, ""),
    ("0.0\\%", 12.5, "12.5%"),
    ('#,##0" %"', 1234, "1234%"),
    ("[mm]:ss.0", 86.4 / 86_400, "00:01:26.400"),
]


@pytest.mark.parametrize(("code", "value", "text"), FORMATS, ids=[code for code, *_ in FORMATS])
async def test_numbers_are_written_by_the_kind_of_their_format(an_xlsx, reads, code, value, text):
    def fill(book):
        sheet = book.add_worksheet("S")
        sheet.write_number(0, 0, value, book.add_format({"num_format": code}))
        sheet.write_string(0, 1, "end")

    expected = f"| {text} | end |" if text else "| end |"
    assert (await reads(an_xlsx(fill), "xlsx")).markdown.splitlines()[2] == expected


async def test_the_calendar_that_begins_in_1904(a_zip, an_xlsx, reads):
    def fill(book):
        book.add_worksheet("S").write_number(0, 0, 0.5 + 43956, book.add_format({"num_format": "yyyy-mm-dd hh:mm"}))

    with zipfile.ZipFile(BytesIO(an_xlsx(fill))) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    name = "xl/workbook.xml"
    body = a_zip(parts | {name: parts[name].replace(b"<workbookPr ", b'<workbookPr date1904="1" ')})
    assert "| 2024-05-06 12:00:00 |" in (await reads(body, "xlsx")).markdown


async def test_errors_and_formulas_without_results_are_shown(a_sheet, reads):
    body = a_sheet(
        '<row r="1"><c r="A1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="B1"><f>_xlfn.CONCAT(A1:A2)</f></c>'
        '<c r="C1"><f>SUM(A1:A2)</f><v/></c><c r="D1" t="str"><f>IF(TRUE,"")</f><v></v></c>'
        '<c r="E1" t="b"><v>1</v></c><c r="F1" t="d"><v>2024-05-06T00:00:00</v></c></row>'
    )
    assert (await reads(body, "xlsx")).markdown.splitlines()[2] == (
        "| #DIV/0! | =CONCAT(A1:A2) | =SUM(A1:A2) |  | TRUE | 2024-05-06 |"
    )


async def test_a_cell_that_links_to_an_address_is_a_link(an_xlsx, reads):
    def fill(book):
        sheet = book.add_worksheet("S")
        sheet.write_url(0, 1, "https://a.example/a (b)", string="Source")
        sheet.write_url(1, 1, "https://a.example/", string="https://a.example/")
        sheet.write_url(2, 1, "internal:S!A1", string="Top")

    assert (await reads(an_xlsx(fill), "xlsx")).markdown.splitlines()[2:] == [
        "| [Source](https://a.example/a%20%28b%29) |", "| --- |", "| https://a.example/ |", "| Top |"
    ]  # fmt: skip


async def test_what_a_format_or_a_size_hides_is_left_out(an_xlsx, reads):
    def fill(book):
        sheet = book.add_worksheet("S")
        formats = {code: book.add_format({"num_format": code}) for code in (";;;", ";;", ";;;@", '"Yes";"No"')}
        sheet.write_row(0, 0, ["seen", "no width", "more"])
        for place, (code, value) in enumerate(
            [(";;;", "secret"), (";;", 8), (";;;@", 9), (";;;@", "text"), ('"Yes";"No"', 1)]
        ):
            sheet.write(place + 1, 0, value, formats[code])
            sheet.write(place + 1, 2, place)
        sheet.write_row(6, 0, ["no height"])
        sheet.set_column(1, 1, 0)
        sheet.set_row(6, 0)

    document = await reads(an_xlsx(fill), "xlsx")
    rows = [line.strip("| ").split(" | ") for line in document.markdown.splitlines()[4:]]
    assert document.markdown.splitlines()[2] == "| seen | more |"
    assert [row[0] for row in rows] == ["0", "1", "2", "text", "1"]
    assert document.notes == ("Hidden sheets, rows and columns were left out.",)


async def test_comments_in_a_sheet_do_no_harm(a_sheet, reads):
    body = a_sheet('<!--c--><row><c t="inlineStr"><is><t>seen</t></is></c></row><!--d--><row/>')
    assert (await reads(body, "xlsx")).markdown == "## S\n\n| seen |\n| --- |"


async def test_a_file_with_many_sheets_says_that_some_are_missing(an_ods, reads):
    sheets = "".join(f'<table:table table:name="S{place}">{row(cell("x"))}</table:table>' for place in range(201))
    document = await reads(an_ods(sheets), "ods")
    assert "S199" in document.markdown
    assert "S200" not in document.markdown
    assert document.notes == ("Files with more sheets show the first 200.",)


async def test_rows_and_columns_in_a_closed_group_are_left_out(an_ods, reads):
    body = an_ods(
        '<table:table table:name="S"><table:table-column/><table:table-column-group table:display="false"><table:table-column/>'
        f'</table:table-column-group>{row(cell("seen"), cell("secret"))}<table:table-row-group table:display="false">'
        f"{row(cell('buried'))}</table:table-row-group>{row(cell('last'))}</table:table>"
    )
    document = await reads(body, "ods")
    assert document.markdown == "## S\n\n| seen |\n| --- |\n| last |"
    assert document.notes == ("Hidden sheets, rows and columns were left out.",)


async def test_a_wide_sheet_says_that_columns_are_missing(an_xlsx, reads):
    document = await reads(an_xlsx(lambda book: book.add_worksheet("S").write_row(0, 0, range(1000, 1200))), "xlsx")
    assert "| 1099 |" in document.markdown
    assert "1100" not in document.markdown
    assert document.truncated
    assert document.notes == ("Wide sheets show their first 100 columns.",)


async def test_one_long_text_in_many_cells_is_bounded(a_sheet, reads):
    strings = f'<sst xmlns="{MAIN}"><si><t>{"word " * 100_000}</t></si></sst>'
    rows = "".join(f'<row r="{place}"><c t="s"><v>0</v></c></row>' for place in range(1, 1_001))
    document = await reads(a_sheet(rows, {"xl/sharedStrings.xml": strings.encode()}), "xlsx")
    assert document.truncated
    assert len(document.markdown) <= 5_000_000


async def test_a_sheet_that_is_not_well_formed_is_one_error(a_sheet, reads):
    with pytest.raises(UpstreamFailed, match="broken"):
        await reads(a_sheet("<row><c>"), "xlsx")


def test_a_long_workbook_takes_time_in_proportion(a_sheet):
    def build(count):
        hidden = "".join(f'<row r="{place}" hidden="1"><c><v>1</v></c></row>' for place in range(1, count))
        return a_sheet(f'{hidden}<row r="{count}"><c><v>7</v></c></row>')

    assert_linear(lambda body: parse(body, "xlsx"), build, first=1_000, largest=32_000)


ODS_STYLES = (
    '<style:style style:name="sup"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>'
)


async def test_the_values_of_an_opendocument_sheet(an_ods, reads):
    rows = row(
        number("0.07", "7.00%", "percentage"),
        number("0.30000000000000004", "0.3"),
        number("1234.5", "1,234.50 €", "currency"),
        cell("06/05/24", office__value_type="date", office__date_value="2024-05-06T00:00:00"),
        cell("27:00", office__value_type="time", office__time_value="PT27H00M00S"),
        cell("WAHR", office__value_type="boolean", office__boolean_value="true"),
    ) + row(
        number("0.25", "25.00%"),
        cell("#DIV/0!", office__value_type="string", office__string_value="", calcext__value_type="error"),
        number("0", "#REF!"),
        '<table:table-cell table:formula="of:=SUM([.A1:.B1])"/>',
        cell("", table__formula="of:=IF(TRUE();&quot;&quot;)"),
        cell(
            '10<text:span text:style-name="sup">6</text:span> <text:a xlink:href="https://a.example/a (b)">there</text:a>'
        ),
    )
    meta = "<dc:title>Flow</dc:title><meta:initial-creator>Mara Lind</meta:initial-creator>"
    body = an_ods(f'<table:table table:name="S">{rows}</table:table>', ODS_STYLES, meta)
    document = await reads(body, "ods")
    assert document.markdown.splitlines()[2:] == [
        "| 7% | 0.3 | 1234.5 € | 2024-05-06 | 27:00:00 | TRUE |",
        "| --- | --- | --- | --- | --- | --- |",
        "| 25% | #DIV/0! | #REF! | =SUM([.A1:.B1]) |  | 10^6 [there](https://a.example/a%20%28b%29) |",
    ]
    assert (document.title, document.author) == ("Flow", "Mara Lind")


@pytest.mark.parametrize(
    ("value", "shown", "text"),
    [
        ("12.5", "12.50%", "12.5%"),  # the format has the sign as text
        ("12.5", "13 %", "12.5%"),
        ("1234.5", "1.234,50 %", "1234.5%"),
        ("1000000", "1,000,000%", "1000000%"),
        ("-3", "-3%", "-3%"),
        ("0.125", "12.50%", "12.5%"),
        ("12.345", "1,234.50%", "1234.5%"),
        ("0.00001", "0.00%", "0.001%"),
        ("0", "0%", "0%"),
        ("1", "WAHR", "WAHR"),
        ("0", "-", "0"),
        ("123", "00123", "00123"),
        ("1234", "01 234", "1234"),
        ("77", "", ""),
    ],
)
def test_how_a_number_of_an_opendocument_sheet_looks_tells_what_it_is(an_ods, value, shown, text):
    rows = row(number(value, shown) + cell("end"))
    markdown = parse(an_ods(f'<table:table table:name="S">{rows}</table:table>'), "ods").markdown
    assert markdown.splitlines()[2] == (f"| {text} | end |" if text else "| end |")


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("PT00H01M26.4S", "00:01:26.400"),
        ("PT876647H59M59.9999136S", "876648:00:00"),
        ("-PT01H00M29.99999999S", "-01:00:30"),
    ],
)
def test_seconds_of_times_are_rounded_to_thousandths(an_ods, stored, text):
    rows = row(cell("1", office__value_type="time", office__time_value=stored))
    assert text in parse(an_ods(f'<table:table table:name="S">{rows}</table:table>'), "ods").markdown.split()


async def test_hidden_sheets_rows_and_columns_of_an_opendocument_sheet_are_left_out(an_ods, reads):
    text = (
        f"{cell('secret')}<table:covered-table-cell><text:p>covered</text:p></table:covered-table-cell>{cell('seen')}"
    )
    body = an_ods(
        f'<table:table table:name="Hidden" table:style-name="ta2">{row(cell("buried"))}</table:table>'
        '<table:table table:name="S"><table:table-column table:visibility="collapse"/><table:table-column/>'
        f'{row(text)}{row(cell("x"), cell("left"))}<table:table-row-group><table:table-row table:visibility="filter">'
        f"{text}</table:table-row></table:table-row-group></table:table>",
        ODS_STYLES,
    )
    document = await reads(body, "ods")
    assert document.markdown == "## S\n\n|  | seen |\n| --- | --- |\n| left |  |"
    assert document.notes == ("Hidden sheets, rows and columns were left out.",)


async def test_an_opendocument_sheet_on_many_lines_is_read(an_ods, reads):
    body = an_ods(
        '\n <table:table table:name="S">\n  <table:table-row table:number-rows-repeated="2">\n   '
        '<table:table-cell table:number-columns-repeated="2">\n    <text:p>a</text:p>\n   </table:table-cell>\n'
        '   <table:table-cell table:number-columns-repeated="16000"/>\n  </table:table-row>\n'
        '  <table:table-row table:number-rows-repeated="1048574"><table:table-cell/></table:table-row>\n'
        "  <table:table-row><table:table-cell><table:table><table:table-row><table:table-cell><text:p>inner</text:p>"
        "</table:table-cell></table:table-row></table:table><text:p>b</text:p></table:table-cell></table:table-row>\n"
        " </table:table>\n"
    )
    assert (await reads(body, "ods")).markdown == "## S\n\n| a | a |\n| --- | --- |\n| a | a |\n| b |  |"


async def test_an_encrypted_or_broken_opendocument_sheet_is_one_error(a_package, reads):
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with pytest.raises(InvalidInput, match="password"):
        await reads(a_package(kind, {"META-INF/manifest.xml": "<m><encryption-data/></m>"}), "ods")
    with pytest.raises(UpstreamFailed, match="lacks"):
        await reads(a_package(kind, {"meta.xml": "<a/>"}), "ods")
    with pytest.raises(UpstreamFailed, match="well-formed"):
        await reads(a_package(kind, {"content.xml": "<office>"}), "ods")


def test_a_long_opendocument_sheet_takes_time_in_proportion(an_ods):
    def build(count):
        rows = row(number("1"), cell("a")) * count
        return an_ods(f'<table:table table:name="S">{rows}</table:table>')

    assert_linear(lambda body: parse(body, "ods"), build, first=1_000, largest=32_000)


async def test_cells_and_rows_that_repeat_without_end_are_bounded(an_ods, reads):
    cells = "".join(
        f'<table:table-cell table:number-columns-repeated="400"><text:p>{place}</text:p></table:table-cell>'
        for place in range(40)
    )
    rows = f'<table:table-row table:number-rows-repeated="1048576">{cells}</table:table-row>'
    document = await reads(an_ods(f'<table:table table:name="S">{rows}</table:table>'), "ods")
    assert document.truncated
    assert document.markdown.count("\n") == 1_002


CELLS = [
    *("*x*", "# x", "[a](https://b.example/)", "![a](b.png)", "a|b", "<b>bold</b>", "`code`", "&lt;", "<https://b.example/>"),
    *("__x__", "~~x~~", "\\*x\\*", "end\\", "\\|", "- x", "1. x", "> x", "2*3*4", "_x_ and _y_", "``a", "[x]: y"),
    *("*a\n*b", "one\\\ntwo", "[a]\u2028(b)", "a_ _b", "x **y** z*", "*\na*", "*\n*)", "a\\\u200b\nb", "a* *b*", "*a\u200b*", "<!-- x", "</td>", "[^1]"),
]  # fmt: skip
PLAIN = [
    *("3_000", "-5", "1.5", "a*b", "0.05**", "3 * 4", "*** End ***", "a* b* c", "*1 *2", "plain words", "2026-01-02", "#1", "snake_case_name", "_id", "R&D"),
    *("a < b", "50%", "$5", "(a)", "[a]", "x~y", "+1", "C:\\Temp", "A1*B1", "5 > 3", "a; b: c!", "1e+21", "me@b.example"),
]  # fmt: skip


def read_cells(markdown):
    """The texts of the cells of the first table, as a reader of markdown sees them, and its other content."""
    texts, kinds = [], set()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        if token.type == "inline":
            texts.append("".join("\n" if part.content == "<br>" else part.content for part in token.children))
            kinds |= {part.type for part in token.children if part.content != "<br>"}
        kinds.add(token.type)
    return texts, kinds & {
        "em_open",
        "strong_open",
        "s_open",
        "link_open",
        "image",
        "code_inline",
        "html_inline",
        "html_block",
    }


@pytest.fixture
def write_cells(an_xlsx, an_ods):
    """A sheet with the texts in one column, in the kinds that are read by readers of their own."""

    def make(kind, texts):
        if kind == "xlsx":
            return an_xlsx(lambda book: book.add_worksheet("S").write_column(0, 0, texts, book.add_format()))
        if kind == "ods":
            cells = (
                "".join(f"<text:p>{escape(line)}</text:p>" for line in text.replace("\u2028", "\n").split("\n"))
                for text in texts
            )
            rows = (row(f"<table:table-cell>{paragraphs}</table:table-cell>") for paragraphs in cells)
            return an_ods(f'<table:table table:name="S">{"".join(rows)}</table:table>')
        written = StringIO()
        csv.writer(written).writerows([text, "1"] for text in texts)
        return written.getvalue().encode()

    return make


@pytest.mark.parametrize("kind", ["xlsx", "ods", "csv"])
async def test_texts_of_cells_read_back_as_they_are(reads, write_cells, kind):
    texts, kinds = read_cells((await reads(write_cells(kind, CELLS + PLAIN), kind)).markdown)
    expected = [text.replace("\u2028", "\n").replace("\u200b", "") for text in CELLS + PLAIN]
    assert (texts[::2] if kind == "csv" else texts[1:]) == expected
    assert not kinds


@pytest.mark.parametrize("kind", ["xlsx", "ods", "csv"])
async def test_texts_that_change_no_structure_have_no_backslashes(reads, write_cells, kind):
    markdown = (await reads(write_cells(kind, PLAIN), kind)).markdown
    assert [
        line.split(" | ")[0].strip("| ") for line in markdown.split("\n") if line[:2] == "| " and "---" not in line
    ] == PLAIN


def test_texts_of_cells_of_old_workbooks_forge_no_link():
    assert format_cell(time(0, 1, 26, 400_000)) == "00:01:26.400"
    assert format_cell("\x06a\x07javascript:alert(1)\x08 *b*") == "ajavascript:alert(1) *b*"


async def test_links_of_cells_stay_and_their_texts_are_escaped(an_xlsx, an_ods, reads):
    def fill(book):
        sheet = book.add_worksheet("# x #")
        sheet.write_url(0, 0, "https://a.example/x_y_", string="[*a*] b_")
        sheet.write_url(1, 0, "https://a.example/z", string="https://*b*")

    words = r"[\[\*a\*\] b_](https://a.example/x_y_)"
    markdown = f"## # x \\#\n\n| {words} |\n| --- |\n| https://\\*b\\* |"
    assert (await reads(an_xlsx(fill), "xlsx")).markdown == markdown
    link = '<text:a xlink:href="https://a.example/">*b* [c]</text:a>'
    body = an_ods(f'<table:table table:name="S">{row(cell(f"Hi! {link} and!{link}"))}</table:table>')
    words = r"[\*b\* \[c\]](https://a.example/)"
    assert (await reads(body, "ods")).markdown == f"## S\n\n| Hi! {words} and\\!{words} |\n| --- |"


async def test_a_link_of_several_lines_stays(an_xlsx, an_ods, reads):
    def fill(book):
        book.add_worksheet("S").write_url(0, 0, "https://a.example/", string="*a \n b*")

    assert (await reads(an_xlsx(fill), "xlsx")).markdown.splitlines()[2] == r"| [\*a<br>b\*](https://a.example/) |"
    link = '<text:a xlink:href="https://a.example/">a<text:line-break/>b</text:a>'
    body = an_ods(f'<table:table table:name="S">{row(cell(f"c {link} d"))}</table:table>')
    assert (await reads(body, "ods")).markdown.splitlines()[2] == "| c [a<br>b](https://a.example/) d |"


@pytest.mark.parametrize(
    "text", ["*a", "\x06a", "\x06a\x07", "\x07", "\x06\n", "\x06a\x07b\x08!", "[a](", "\\", "`", "_ ", "# "]
)
def test_long_cells_are_escaped_in_linear_time(text):
    assert_linear(cell_markdown.format_cell, lambda many: 20 * text * many)


@pytest.mark.parametrize(
    ("kind", "keys", "value", "text"),
    [
        ("_localImage", ("_rvRel:LocalImageIdentifier", "CalcOrigin", "Text"), "<v>0</v><v>5</v><v>A *red* otter</v>", r"A \*red\* otter"),
        ("_localImage", ("_rvRel:LocalImageIdentifier", "CalcOrigin"), "<v>0</v><v>5</v>", ""),
        ("_linkedentitycore", ("%EntityId", "_DisplayString"), "<v>7</v><v>Elbe</v><fb>River</fb>", "Elbe"),
        ("_linkedentity2", ("%EntityId",), "<v>7</v><fb>Elbe</fb>", "Elbe"),
        ("_error", ("errorType",), "<v>8</v>", "#VALUE!"),
    ],
)  # fmt: skip
async def test_cells_show_their_rich_values(an_xlsx, reads, a_zip, kind, keys, value, text):
    def fill(book):
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["Name", "What"])
        sheet.write(1, 0, "One")
        picture = BytesIO()
        Image.new("RGB", (1, 1)).save(picture, "png")
        sheet.embed_image(1, 1, "otter.png", {"image_data": picture})
        sheet.write_formula(2, 0, "=A1/0", None, "#DIV/0!")

    space = 'xmlns="http://schemas.microsoft.com/office/spreadsheetml/2017/richdata"'
    structure = "".join(f'<k n="{key}" t="s"/>' for key in keys)
    changed = {
        "xl/richData/rdrichvalue.xml": f'<rvData {space}><rv s="0">{value}</rv></rvData>',
        "xl/richData/rdrichvaluestructure.xml": f'<rvStructures {space}><s t="{kind}">{structure}</s></rvStructures>',
    }
    with zipfile.ZipFile(BytesIO(an_xlsx(fill))) as book:
        body = a_zip({name: changed.get(name, book.read(name)) for name in book.namelist()})
    rows = f"| Name | What |\n| --- | --- |\n| One | {text} |\n| #DIV/0! |  |"
    assert (await reads(body, "xlsx")).markdown == f"## S\n\n{rows}"
