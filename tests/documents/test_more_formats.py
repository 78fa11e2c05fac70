"""Spreadsheets, OpenDocument texts, EPUB books and RTF: visible content is extracted."""

import io
import re
import zipfile
from datetime import date
from functools import partial
from html import escape

import pytest
from pptx.util import Inches
from tests.support.opendocument import HEAD, SPACES
from tests.support.processor_time import assert_linear

from assay.documents import detect_kind
from assay.documents.epub_emphasis import mark_emphasis, read_emphasis
from assay.errors import InvalidInput, UpstreamFailed


@pytest.fixture
def an_epub(a_package):
    def make(chapters, spine, **more):
        items = "".join(
            f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in chapters
        )
        package = (
            f'{HEAD}<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<dc:title>The weir book</dc:title><dc:creator>Mara Lind</dc:creator><dc:date>2024-05-06</dc:date></metadata>"
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
        )
        container = f'{HEAD}<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
        parts = {"META-INF/container.xml": container, "OEBPS/book.opf": package}
        parts |= {f"OEBPS/{name}.xhtml": f"{HEAD}<html><body>{text}</body></html>" for name, text in chapters.items()}
        return a_package("application/epub+zip", parts | more)

    return make


async def test_a_workbook_is_a_table_for_each_visible_sheet(an_xlsx, reads):
    def fill(book):
        book.set_properties({"title": "Flow", "author": "Mara Lind"})
        sheet = book.add_worksheet("Rivers")
        dated = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ["River", "Flow", "Since", "Share", "Open"])
        sheet.write_row(1, 0, ["Wye", 12])
        sheet.write_datetime(1, 2, date(2024, 5, 6), dated)
        sheet.write_row(1, 3, [0.25, True])
        sheet.write_formula(2, 1, "=B2*2", None, 24)
        book.add_worksheet("Empty")
        book.add_worksheet("Second | sheet").write(4, 3, "Far corner")

    body = an_xlsx(fill)
    assert detect_kind(body, "application/octet-stream", "https://a.example/x") == "xlsx"
    document = await reads(body, "xlsx")
    assert "| River | Flow | Since | Share | Open |" in document.markdown
    assert "| Wye | 12 | 2024-05-06 | 0.25 | TRUE |" in document.markdown
    assert "|  | 24 |" in document.markdown
    assert "Far corner" in document.markdown
    assert "## Empty" not in document.markdown
    assert (document.title, document.author) == ("Flow", "Mara Lind")


async def test_hidden_sheets_rows_and_columns_of_a_workbook_are_left_out(an_xlsx, reads):
    def fill(book):
        sheet = book.add_worksheet("Seen")
        for row in range(6):
            sheet.write_row(row + 2, 1, [f"name {row}", f"secret {row}", f"value {row}"])
        sheet.set_column(2, 2, None, None, {"hidden": True})
        sheet.set_row(4, None, None, {"hidden": True})
        buried = book.add_worksheet("Buried")
        buried.write(0, 0, "buried words")
        buried.hide()
        deeper = book.add_worksheet("Deeper")
        deeper.write(0, 0, "deeper words")
        deeper.very_hidden()

    document = await reads(an_xlsx(fill), "xlsx")
    assert [f"name {row}" in document.markdown for row in range(6)] == [True, True, False, True, True, True]
    assert [f"value {row}" in document.markdown for row in range(6)] == [True, True, False, True, True, True]
    assert "secret" not in document.markdown
    assert "words" not in document.markdown
    assert document.notes == ("Hidden sheets, rows and columns were left out.",)


async def test_a_long_sheet_shows_its_first_rows_and_says_so(an_xlsx, reads):
    document = await reads(
        an_xlsx(lambda book: book.add_worksheet().write_column(0, 0, [f"row {n}" for n in range(5_000)])), "xlsx"
    )
    assert "row 999" in document.markdown
    assert "row 1000" not in document.markdown
    assert document.truncated
    assert "1,000" in document.notes[0]


async def test_a_workbook_that_inflates_without_bound_is_refused(an_xlsx, a_zip, reads):
    with zipfile.ZipFile(io.BytesIO(an_xlsx(lambda book: book.add_worksheet()))) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    body = a_zip(parts | {"xl/worksheets/sheet1.xml": bytes(200 << 20)})
    with pytest.raises(InvalidInput, match="bomb"):
        await reads(body, "xlsx")


async def test_a_broken_workbook_is_one_error(an_xlsx, reads):
    body = an_xlsx(lambda book: book.add_worksheet().write(0, 0, "x"))
    with pytest.raises(UpstreamFailed):
        await reads(body[: len(body) // 2], "xlsx")


async def test_an_opendocument_text_is_read_in_order(an_odt, reads):
    body = an_odt(
        '<text:h text:outline-level="2">The weir</text:h><text:p>It stands in the <text:a xlink:href="https://a.example/x(1)">old'
        "</text:a> river.<text:note><text:note-body><text:p>Since 1802.</text:p></text:note-body></text:note></text:p>"
        '<text:list text:style-name="L1"><text:list-item><text:p>first</text:p></text:list-item><text:list-item><text:p>second</text:p>'
        "</text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>Year</text:p></table:table-cell>"
        "<table:table-cell><text:p>Flow</text:p></table:table-cell></table:table-row><table:table-row>"
        '<table:table-cell table:number-columns-repeated="2"><text:p>7</text:p></table:table-cell></table:table-row></table:table>',
        '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>',
        "<dc:title>Flow report</dc:title><meta:initial-creator>Mara Lind</meta:initial-creator>"
        "<meta:creation-date>2024-05-06T07:08:09.123</meta:creation-date>",
    )
    assert detect_kind(body, "", "https://a.example/x") == "odt"
    document = await reads(body, "odt")
    assert document.markdown.split("\n\n") == [
        "## The weir",
        "It stands in the [old](https://a.example/x%281%29) river.[^1]",
        "1. first\n2. second",
        "| Year | Flow |\n| --- | --- |\n| 7 | 7 |",
        "[^1]: Since 1802.",
    ]
    assert (document.title, document.author, document.created) == ("Flow report", "Mara Lind", "2024-05-06T07:08:09")


async def test_hidden_and_deleted_text_of_an_opendocument_text_is_left_out(an_odt, reads):
    styles = (
        '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="C" style:parent-style-name="H"/>'
        '<style:style style:name="W"><style:text-properties fo:color="#ffffff"/></style:style>'
        '<style:style style:name="WB"><style:text-properties fo:color="#ffffff" fo:background-color="#000080"/></style:style>'
    )
    document = await reads(
        an_odt(
            "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region>"
            '</text:tracked-changes><text:p>seen <text:span text:style-name="H">unseen</text:span>'
            '<text:span text:style-name="W">white</text:span><text:span text:style-name="WB">on blue</text:span></text:p>'
            '<text:p text:style-name="C">child style</text:p><text:p>last<text:hidden-text text:string-value="x">trap</text:hidden-text></text:p>',
            styles,
        ),
        "odt",
    )
    assert document.markdown == "seen on blue\n\nlast"
    assert "4 hidden" in document.notes[0]


async def test_a_book_is_its_chapters_in_reading_order(an_epub, reads):
    body = an_epub(
        {
            "two": "<h1>Second</h1><p>The river fell.</p>",
            "one": "<h1>First</h1><p>The river rose.</p><p style='display:none'>unseen</p>",
            "ad": "<p>Buy more</p>",
        },
        '<itemref idref="one"/><itemref idref="two"/><itemref idref="ad" linear="no"/>',
    )
    assert detect_kind(body, "application/zip", "https://a.example/x") == "epub"
    document = await reads(body, "epub")
    assert document.markdown == "# First\n\nThe river rose.\n\n# Second\n\nThe river fell."
    assert (document.title, document.author, document.created) == ("The weir book", "Mara Lind", "2024-05-06")


@pytest.mark.parametrize(
    ("links", "sheets"),
    [
        ('<link rel="stylesheet" type="text/css" href="styles/book.css"/>', {"styles/book.css": ".off{display:none}"}),
        ("<link href='styles/../a%20b.css' rel='stylesheet' media='all'>", {"a b.css": ".off{visibility:hidden}"}),
        (
            '<link rel="stylesheet" href="one.css"/>',
            {
                "one.css": '@import "styles/two.css"; p{margin:0}',
                "styles/two.css": "@import url(../one.css); .off{display:none}",
            },
        ),
    ],
    ids=["linked", "in quotes", "imported"],
)
async def test_text_that_a_style_sheet_of_a_book_hides_is_left_out(an_epub, reads, links, sheets):
    chapter = f"{links}<p>The river rose.</p><p class='off'>unseen</p>"
    body = an_epub(
        {"one": chapter}, '<itemref idref="one"/>', **{f"OEBPS/{name}": text for name, text in sheets.items()}
    )
    assert (await reads(body, "epub")).markdown == "The river rose."


@pytest.mark.parametrize(
    "links",
    [
        '<link rel="alternate stylesheet" href="book.css"/>',
        '<link rel="stylesheet" media="print" href="book.css"/>',
        '<link rel="stylesheet" href="absent.css"/>',
        '<link rel="icon" href="book.css"/>',
    ],
)
async def test_style_sheets_that_do_not_hold_hide_no_text_of_a_book(an_epub, reads, links):
    body = an_epub(
        {"one": f"{links}<p>It rose.</p>"}, '<itemref idref="one"/>', **{"OEBPS/book.css": "p{display:none}"}
    )
    assert (await reads(body, "epub")).markdown == "It rose."


EMPHASIS = """
/* of the publisher { */ span.b, .strong { color: black; font-weight: bold }
.it{font-style:italic} .plain{font-weight:normal} .drop{float:left;font-weight:bold} p.lead{font-weight:bold}
"""


@pytest.mark.parametrize("is_linked", [True, False])
async def test_emphasis_by_classes_of_a_book_is_kept(an_epub, reads, is_linked):
    styles = '<link rel="stylesheet" href="book.css"/>' if is_linked else f"<style>{EMPHASIS}</style>"
    text = (
        '<p class="lead"><span class="drop">T</span>he <span class="x b">river</span> rose <i>and</i>'
        ' <span class="it">fell</span> <span class="plain">here</span>, <span class="strong" id="a">twice</span>.</p>'
    )
    body = an_epub({"one": styles + text}, '<itemref idref="one"/>', **{"OEBPS/book.css": EMPHASIS})
    assert (await reads(body, "epub")).markdown == "The **river** rose *and fell* here, **twice**."


def test_many_rules_and_elements_of_a_book_take_linear_time():
    def work(many):
        rules = "".join(f".c{number}, span.d{number} {{ font-weight: bold }} /* x" for number in range(500 * many))
        spans = "".join(f'<span class="c{number}">word</span> <span ' for number in range(500 * many))
        return rules + spans

    assert_linear(lambda text: mark_emphasis(text, [read_emphasis(text)]), work)


async def test_a_book_with_a_chapter_that_is_too_long_is_truncated(an_epub, reads):
    chapter = "".join(f"<p>The gauge stood at {number}.</p>" for number in range(10_100))
    spine = '<itemref idref="one"/><itemref idref="two"/>'
    assert (await reads(an_epub({"one": chapter, "two": "<p>The river fell.</p>"}, spine), "epub")).truncated
    assert not (await reads(an_epub({"one": "<p>It rose.</p>", "two": "<p>It fell.</p>"}, spine), "epub")).truncated


async def test_a_protected_book_says_so_and_one_with_obfuscated_fonts_is_read(an_epub, reads):
    def build_encrypted_epub(algorithm):
        text = f'<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/></EncryptedData></encryption>'
        return an_epub({"one": "<p>The river rose.</p>"}, '<itemref idref="one"/>', **{"META-INF/encryption.xml": text})

    with pytest.raises(InvalidInput, match="DRM"):
        await reads(build_encrypted_epub("http://www.w3.org/2001/04/xmlenc#aes128-cbc"), "epub")
    assert (
        await reads(build_encrypted_epub("http://www.idpf.org/2008/embedding"), "epub")
    ).markdown == "The river rose."


RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Helvetica;}{\f1\fnil\fcharset204 Arial;}}
{\colortbl;\red255\green255\blue255;\red0\green0\blue128;}{\info{\title Flow report}{\author Mara Lind}}
{\header running head}\pard The caf\'e9 at the \ldblquote weir\rdblquote .\par
{\v hidden words}{\deleted removed words}{\cf1 white words}{\cf1\highlight2 white on blue}\par
{\f1\'c2\'e5\'f1\'ed\'e0} \u8364?5 \u-10179?\u-8704?\par{\*\generator Writer;}{\pict 0a0b0c}
\trowd Year\cell Flow\cell\row\pard \{braces\}{\footnote a note}}"""


async def test_rich_text_is_read_without_what_is_hidden(reads):
    assert detect_kind(RTF, "application/octet-stream", "https://a.example/x") == "rtf"
    document = await reads(RTF, "rtf")
    text = document.markdown
    assert "The café at the “weir”." in text
    assert "white on blue" in text
    assert "Весна €5 😀" in text
    assert "Year | Flow" in text
    assert "{braces}" in text
    assert "a note" in text
    for unseen in ("hidden words", "removed words", "white words", "running head", "Writer", "0a0b0c", "Helvetica"):
        assert unseen not in text
    assert (document.title, document.author) == ("Flow report", "Mara Lind")


async def test_rich_text_nested_without_end_is_one_error(reads):
    with pytest.raises(UpstreamFailed, match="nested"):
        await reads(b"{\\rtf1" + b"{" * 100_000, "rtf")


STRUCTURED_ODT_STYLES = (
    '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="I" style:parent-style-name="B"><style:text-properties fo:font-weight="normal" fo:font-style="italic"/></style:style>'
    '<style:style style:name="Loop" style:parent-style-name="Loop"/>'
    '<style:style style:name="P1" style:parent-style-name="Preformatted_20_Text"/>'
    '<text:list-style style:name="L1"><text:list-level-style-bullet text:level="1"/>'
    '<text:list-level-style-number text:level="2" text:start-value="3"/></text:list-style>'
)


async def test_an_opendocument_text_keeps_its_structure(an_odt, reads):
    inner = "<text:list><text:list-item><text:p>x</text:p><text:p>more</text:p></text:list-item><text:list-item><text:p>y</text:p></text:list-item></text:list>"
    body = an_odt(
        '<text:h text:outline-level="1"><text:span text:style-name="B">Head</text:span></text:h>'
        '<text:p text:style-name="Loop">in <text:span text:style-name="B">bold <text:span text:style-name="I">and</text:span></text:span>.</text:p>'
        '<text:p text:style-name="B">all bold</text:p><text:p text:style-name="P1">a = 1</text:p><text:p text:style-name="P1"> b</text:p>'
        '<text:p text:style-name="Quotations">Said.</text:p><text:p>2024 in text</text:p>'
        f'<text:list text:style-name="L1"><text:list-item><text:p>one</text:p>{inner}</text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>'
        "<text:p>Text<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame>"
        "<draw:frame><draw:image/><svg:title>t</svg:title><svg:desc>A cat</svg:desc></draw:frame></text:p>",
        STRUCTURED_ODT_STYLES,
    )
    assert (await reads(body, "odt")).markdown.split("\n\n") == [
        "# Head",
        "in **bold** *and*.",
        "all bold",
        "```\na = 1\n b\n```",
        "> Said.",
        "2024 in text",
        "- one",
        "   3. x",
        "      more\n   4. y\n- two",
        "Text![A cat]",
        "In a box",
    ]


STRUCTURED_RTF = rb"""{\rtf1\ansi{\stylesheet{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}{\s3 Body;}}
\pard\s1 {\b Head} line\par\pard\s2 Sub\par\pard\s3 Text {\b bold} and {\i ital }x.{\footnote\pard See {\i there}\par again.}\par
{\field{\*\fldinst TOC}{\fldrslt{\field{\*\fldinst{HYPERLINK "https://a.example/x"}}{\fldrslt{\ul the link}}} and 3}}\par
{\field{\*\fldinst{HYPERLINK "javascript:alert(1)"}}{\fldrslt plain}}\par
\pard\ls1{\listtext\'b7\tab}one\par\pard\ls1\ilvl1{\listtext\'b7\tab}inner\par\pard\ls1{\listtext\'b7\tab}two\par
\pard text\par\pard{\listtext 1.\tab}x\par{\listtext{\v hidden}iv)\tab}y\par
\pard\trowd\intbl {\b A}\cell B\cell\row\trowd\intbl 1\par more\cell 2|3\cell\row\pard after}"""


async def test_rich_text_keeps_its_structure(reads):
    assert (await reads(STRUCTURED_RTF, "rtf")).markdown.split("\n\n") == [
        "# Head line",
        "## Sub",
        "Text **bold** and *ital* x.[^1]",
        "[the link](https://a.example/x) and 3",
        "plain",
        "- one\n   - inner\n- two",
        "text",
        "1. x\n- iv) y",
        "| A | B |\n| --- | --- |\n| 1<br>more | 2\\|3 |",
        "after",
        "[^1]: See *there* again.",
    ]


async def test_rich_text_with_thousands_of_notes_within_notes_is_read(reads):
    notes = rb"{\footnote a}" * 10_000 + rb"{\footnote b" * 900 + b"}" * 900
    markdown = (await reads(rb"{\rtf1 text" + notes + rb"{\fldrslt{\field open \par", "rtf")).markdown
    assert markdown.startswith("text[^1][^2]")
    assert markdown.endswith("[^10900]: b")


RAISED = {
    "p < 10<sup>-8</sup>": "p < 10^-8",
    "5 × 10<sup>6</sup> in all": "5 × 10^6 in all",
    "5 km<sup>2</sup>": "5 km^2",
    "W m<sup>−2</sup> s<sup>-1</sup>": "W m^−2 s^-1",
    "5 m<sup>2 </sup>wide": "5 m^2 wide",
    "(a+b)<sup>2</sup>": "(a+b)^2",
    "the 19<sup>th</sup>": "the 19th",
    "M<sup>me</sup> x<sup>n</sup>": "Mme x^n",
    "H<sub>2</sub>O": "H2O",
    "others<sup>3,4</sup>": "others^(3,4)",
    "2010<sup>5, 6</sup>": "2010^(5, 6)",
    "x<sup>†</sup>": "x†",
}
TAGS = re.compile(r"<(/?su[bp])>")
RAISED_STYLES = (
    '<style:style style:name="A"><style:text-properties style:text-position="super 58%"/></style:style>'
    '<style:style style:name="sup" style:parent-style-name="A"/>'
    '<style:style style:name="sub"><style:text-properties style:text-position="-33% 58%"/></style:style>'
    '<style:style style:name="up"><style:text-properties style:text-position="33.5% 100%"/></style:style>'
    '<style:style style:name="level"><style:text-properties style:text-position="0% 100%"/></style:style>'
    '<style:style style:name="B"><style:text-properties fo:font-weight="bold"/></style:style>'
)


def list_runs(text):
    """The runs of a text with <sup> and <sub>, each with the tag before it."""
    pieces = TAGS.split(text)
    return [(run, tag) for run, tag in zip(pieces[::2], ["", *pieces[1::2]], strict=True) if run]


def fill_docx(document, text):
    paragraph = document.add_paragraph()
    for run, tag in list_runs(text):
        added = paragraph.add_run(run)
        if tag in ("sup", "sub"):
            setattr(added.font, {"sup": "superscript", "sub": "subscript"}[tag], True)


def fill_pptx(slides, text):
    box = slides.slides.add_slide(slides.slide_layouts[6]).shapes.add_textbox(*[Inches(1)] * 4)
    for run, tag in list_runs(text):
        added = box.text_frame.paragraphs[0].add_run()
        added.text = run
        if tag in ("sup", "sub"):
            added.font._element.set("baseline", "30000" if tag == "sup" else "-25000")


def write_odt(text):
    styles = {"sup": "sup", "sub": "sub"}
    runs = (
        f'<text:span text:style-name="{styles.get(tag, "level")}">{escape(run)}</text:span>'
        for run, tag in list_runs(text)
    )
    return f"<text:p>{''.join(runs)}</text:p>"


def write_rtf(text):
    words = {"sup": "super", "sub": "sub"}
    runs = "".join(f"\\{words.get(tag, 'nosupersub')} {run}" for run, tag in list_runs(text))
    coded = "".join(each if each.isascii() else f"\\u{ord(each)}?" for each in runs)
    return f"{{\\rtf1\\ansi {coded}\\par}}".encode()


@pytest.mark.parametrize(("text", "markdown"), RAISED.items(), ids=RAISED)
async def test_superscripts_that_would_change_a_number_have_a_circumflex(
    a_docx, a_pptx, an_odt, an_epub, reads, text, markdown
):
    files = {
        "docx": a_docx(partial(fill_docx, text=text)),
        "pptx": a_pptx(partial(fill_pptx, text=text)),
        "odt": an_odt(write_odt(text), RAISED_STYLES),
        "rtf": write_rtf(text),
        "epub": an_epub({"a": f"<p>{text}</p>"}, '<itemref idref="a"/>'),
    }
    for kind, body in files.items():
        assert (kind, (await reads(body, kind)).markdown.removeprefix("## Slide 1\n\n")) == (kind, markdown)


@pytest.mark.parametrize(
    ("code", "markdown"),
    [
        (rb"10\up6 6\up0  m", "10^6 m"),
        (rb"10\up 6\dn0  m", "10^6 m"),
        (rb"{\b 10{\super 6}} x{\i\super n}", "**10^6** x^*n*"),
        (rb"{\b 10}{\super\'96\u8201?8}", "**10**^– 8"),
        (rb"10{\super 6\plain  m} 7", "10^6 m 7"),
        (rb"so{\super\chftn{\footnote\chftn A 10{\super 6}.}} it", "so[^1] it\n\n[^1]: A 10^6."),
        (rb"\trowd\intbl a\cell m{\super -2}\cell\row", "| a | m^-2 |\n| --- | --- |"),
    ],
)
async def test_raised_rich_text(reads, code, markdown):
    assert (await reads(rb"{\rtf1\ansi " + code + rb"\par}", "rtf")).markdown == markdown


async def test_raised_opendocument_text(an_odt, reads):
    body = an_odt(
        '<text:h text:outline-level="1">10<text:span text:style-name="sup">6</text:span></text:h>'
        '<text:p><text:span text:style-name="B">10<text:span text:style-name="up">6</text:span></text:span> '
        'm<text:span text:style-name="sup">2 <text:span text:style-name="level">wide</text:span></text:span></text:p>'
        '<text:p>so<text:span text:style-name="sup"><text:note><text:note-body><text:p>A 10<text:span '
        'text:style-name="up">-8</text:span></text:p></text:note-body></text:note></text:span></text:p>'
        '<text:p text:style-name="sup">raised 10<text:span text:style-name="B">6</text:span></text:p>',
        RAISED_STYLES,
    )
    assert (await reads(body, "odt")).markdown == (
        "# 10^6\n\n**10^6** m^2 wide\n\nso[^1]\n\nraised 10**6**\n\n[^1]: A 10^-8"
    )


MATHML = "http://www.w3.org/1998/Math/MathML"
FORMULA = (
    f'<math xmlns="{MATHML}" display="block"><semantics><mrow><mfrac><mn>1</mn><msub><mi>x</mi><mn>2</mn></msub></mfrac><mo>=</mo>'
    '<msqrt><mi>y</mi></msqrt></mrow><annotation encoding="StarMath 5.0">{1} over {x_2} = sqrt y</annotation></semantics></math>'
)


def an_object(name, described="formula"):
    return (
        f'<draw:frame><draw:object xlink:href="./{name}"/><draw:image xlink:href="./ObjectReplacements/{name}"/>'
        f"<svg:desc>{described}</svg:desc></draw:frame>"
    )


async def test_formulas_of_an_opendocument_text_are_tex(an_odt, reads):
    body = an_odt(
        f"<text:p>We find {an_object('Formula')}, or {an_object('Prefixed')}.</text:p><text:p>{an_object('Chart', 'A chart')}</text:p>"
        f'<text:p><draw:frame><draw:object><math xmlns="{MATHML}"><mi>z</mi></math></draw:object></draw:frame></text:p>'
        f"<text:p>{an_object('Damaged', '')}{an_object('Empty', '')}{an_object('missing', '')}</text:p>",
        Formula=HEAD + FORMULA,
        Prefixed=f'{HEAD}<math:math xmlns:math="{MATHML}"><math:mi>a</math:mi></math:math>',
        Chart=f"{HEAD}<office:document-content {SPACES}/>",
        Damaged=f'{HEAD}<math xmlns="{MATHML}"><mi>a</math>',
        Empty=f'{HEAD}<math xmlns="{MATHML}"/>',
    )
    document = await reads(body, "odt")
    assert document.markdown.split("\n\n") == [r"We find $\frac{1}{x_{2}}=\sqrt{y}$, or $a$.", "![A chart]", "$z$"]
    assert document.notes == ("1 formula(s) could not be read and were left out.",)


async def test_a_formula_of_any_size_is_read_in_bounded_time(an_odt, reads):
    deep, wide = "<mrow>" * 200 + "</mrow>" * 200, "<mi>a</mi>" * 10_000
    for inside in (deep, wide, f"<mrow>{deep}{wide}</mrow>"):
        document = await reads(
            an_odt(f"<text:p>x{an_object('F')}</text:p>", F=f'{HEAD}<math xmlns="{MATHML}">{inside}</math>'), "odt"
        )
        assert document.markdown.startswith("x")
