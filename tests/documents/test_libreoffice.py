"""Files as LibreOffice writes them, and as it converts those of other programs."""

import pytest
from pptx.oxml import parse_xml

from assay.documents.document_parser import parse

STYLES = (
    rb"{\stylesheet{\s0\snext0\fs22 Normal;}{\s1\sbasedon0\snext0\b heading 1,Chapter;}{\*\cs9\sbasedon8\b Book Title;}"
    rb"{\s2\fs22 List Bullet 2;}{\s3\f7 Source Code;}{\s4\i Quote;}{\s5\outlinelevel2 Part;}{\s6 Title;}}"
)

DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
INNER = rb"b\itap2\nestcell c\nestcell{\*\nesttableprops\trowd\cellx9\nestrow}{\nonesttables\par}"
PICTURE = rb"{\pict{\*\picprop{\sp{\sn wzDescription}{\sv %s}}}\pngblip 89}"


@pytest.mark.parametrize(
    ("code", "markdown"),
    [
        (rb"\pard\plain \s0\fs22 Text\par", "Text"),
        (rb"\pard\s1 One\par\pard\s6 Two\par\pard\s5 Three\par", "# One\n\n# Two\n\n### Three"),
        (
            rb"{\listtext\pard 1.2\tab}\pard\s1\ls1 One\par{\listtext\'95\tab}\pard\s1 Two\par",
            "# 1.2 One\n\n# Two",
        ),
        (
            rb"{\listtext\'95\tab}\pard\ls1 one\par{\listtext\'95\tab}\pard\s2\ls2 two\par",
            "- one\n   - two",
        ),
        (rb"{\listtext o\tab}\pard\ls1 one\par", "- one"),
        (rb"\pard\s3 if a:\par\s3     b()\par\pard\s0 c\par", "```\nif a:\n    b()\n```\n\nc"),
        (
            rb"{\fonttbl{\f0 Times;}{\f1 Courier New;}}\pard{\f1 if a:}\par{\f1     b()}\par c of {\f1 d()} and e\par",
            "```\nif a:\n    b()\n```\n\nc of d() and e",
        ),
        (rb"\pard\s4 Said.\par\pard c\par", "> Said.\n\nc"),
    ],
)
async def test_styles_of_rich_text(reads, code, markdown):
    assert (await reads(rb"{\rtf1\ansi " + STYLES + code + rb"}", "rtf")).markdown == markdown


def a_row(*cells, left=-100):
    edges = b"".join(rb"\cellx%d" % right for right, _ in cells)
    return (
        rb"\trowd\trleft%d" % left
        + edges
        + rb"\pard\intbl "
        + b"".join(rb"%s\cell " % text for _, text in cells)
        + rb"\row"
    )


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (
            a_row((1000, b"a"), (3000, b"wide"), (4000, b"d"))
            + a_row((1010, b"1"), (2000, b"2"), (2990, b"3"), (4000, b"4"))
            + a_row((3000, b"wider"), (4000, b"5"))
            + a_row((4000, b"6"), left=2960),
            ["| a | wide |  | d |", "| 1 | 2 | 3 | 4 |", "| wider |  |  | 5 |", "|  |  |  | 6 |"],
        ),
        (rb"\trowd\cellx9\cellx99\intbl a\cell b\cell\row\intbl c\cell d\cell\row", ["| a | b |", "| c | d |"]),
        (
            a_row((1000, b"a"), (2000, rb"{\listtext\'95\tab}b\par{\listtext 2.\tab}c")) + a_row((2000, b"d")),
            ["| a | - b<br>2. c |", "| d |  |"],
        ),
        (
            a_row((1000, b"a"), (2000, INNER + rb"d\nestcell e\nestcell{\nonesttables\par}f")),
            ["| a | b \\| c<br>d \\| e<br>f |"],
        ),
    ],
)
async def test_rows_of_rich_text(reads, code, lines):
    markdown = (await reads(rb"{\rtf1\ansi " + code + rb"\pard end\par}", "rtf")).markdown
    table = markdown.removesuffix("\n\nend").split("\n")
    assert table[:1] + table[2:] == lines


async def test_a_table_of_one_cell_is_a_frame(reads):
    code = a_row((1000, rb"{\b Note}\par text"))
    assert (await reads(rb"{\rtf1\ansi a\par" + code + rb"\pard b\par}", "rtf")).markdown == "a\n\n**Note**\ntext\n\nb"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (rb"a {\fs2 unseen }b", "a b"),
        (rb"a {\fs2 unseen \plain seen }b", "a seen b"),
        (
            rb"a {\*\shppict" + PICTURE % b"A [dog]" + rb"}{\nonshppict" + PICTURE % b"A dog" + rb"} b",
            "a ![A \\[dog\\]] b",
        ),
        (rb"a {\v{\*\shppict" + PICTURE % b"A dog" + rb"}}b", "a b"),
    ],
)
def test_small_text_and_pictures_of_rich_text(code, text):
    assert parse(rb"{\rtf1\ansi " + code + rb"\par}", "rtf").markdown == text


EXTENSIONS = 'xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'


def a_style(name, parent="", properties="", more=""):
    return (
        f'<style:style style:name="{name}" style:parent-style-name="{parent}" style:family="paragraph" {more}>'
        f"<style:text-properties {properties}/></style:style>"
    )


def a_number(level, template, shown, kind="1", prefix="", suffix=""):
    return (
        f'<text:list-level-style-number {EXTENSIONS} text:level="{level}" loext:num-list-format="{template}" style:num-format="{kind}"'
        f' text:display-levels="{shown}" style:num-prefix="{prefix}" style:num-suffix="{suffix}"/>'
    )


TEXT_STYLES = (
    a_style("Title")
    + a_style("Subtitle", "Title")
    + a_style("P1", "Title")
    + a_style("List_20_Bullet_20_2")
    + a_style("P2", "List_20_Bullet_20_2")
    + a_style("P3", "", 'fo:color="#ffffff"')
    + a_style("P4", "", 'fo:font-size="1pt"')
    + a_style("T1", "", 'fo:font-size="1pt"')
    + a_style("T2", "", 'fo:font-size="11pt" fo:color="#000000"')
    + a_style("T3", "", 'style:font-name="Courier New"')
    + '<text:list-style style:name="WW1">'
    + a_number(1, "Part %1%:", 1, "I", "Part ", ":")
    + a_number(2, "%1%-%2%)", 2, "1", "", ")")
    + '</text:list-style><text:list-style style:name="WW2">'
    + a_number(1, "", 1, "01, 02, 03, ...", "No. ", ".")
    + "</text:list-style>"
)


def an_item(*inner):
    return f"<text:list-item>{''.join(inner)}</text:list-item>"


def a_heading(text, level):
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def a_list(style, *items):
    more = f'text:style-name="{style}" text:continue-numbering="true"' if style else ""
    return f"<text:list {more}>{''.join(items)}</text:list>"


def p(text, style=""):
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def span(text, style):
    return f'<text:span text:style-name="{style}">{text}</text:span>'


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (
            a_list("WW1", an_item(a_heading("One", 1)))
            + p("a")
            + a_list("WW1", an_item(a_list("", an_item(a_heading("Two", 2), p("b")))))
            + a_list("WW1", an_item(a_heading("Three", 1))),
            "# Part I: One\n\na\n\n## I-1) Two\n\nb\n\n# Part II: Three",
        ),
        (a_list("WW2", an_item(p("a")), an_item(p("b"))), "- No. 01. a\n- No. 02. b"),
        (p("One", "P1") + p("Two", "Subtitle") + p("Three", "Title"), "# One\n\nTwo\n\n# Three"),
        (a_list("L", an_item(p("a"))) + a_list("M", an_item(p("b", "P2"))), "- a\n   - b"),
        (p(f"a{span('unseen', 'T1')}{span('b', 'T2')}") + p(f"x{span('c', 'T2')}", "P4"), "ab\n\nc"),
        (p(f"unseen{span('a', 'T2')}", "P3"), "a"),
        (
            p(span("if a:", "T3")) + p(span('<text:s text:c="2"/>b()', "T3")) + p("c" * 20),
            f"```\nif a:\n  b()\n```\n\n{'c' * 20}",
        ),
        (p(f"a {span('b', 'T3')}"), "a b"),
    ],
)
async def test_styles_of_texts(reads, an_odt, text, markdown):
    assert (await reads(an_odt(text, TEXT_STYLES), "odt")).markdown == markdown


async def test_a_table_of_one_cell_in_a_text_is_a_frame(reads, an_odt):
    cells = f"<table:table-cell>{p('one')}{a_list('', an_item(p('two')))}</table:table-cell>"
    table = f"<table:table><table:table-column/><table:table-row>{cells}</table:table-row></table:table>"
    assert (await reads(an_odt(table), "odt")).markdown == "one\n\n- two"


@pytest.mark.parametrize(("shown", "text"), [("&lt;Nummer&gt;", "page"), ("‹#›", "page"), ("7", "page 7")])
async def test_a_placeholder_for_the_number_of_a_slide_is_left_out(reads, a_pptx, shown, text):
    def fill(slides):
        box = slides.slides.add_slide(slides.slide_layouts[6]).shapes.add_textbox(0, 0, 9_000, 9_000)
        paragraph = box.text_frame.paragraphs[0]
        paragraph.add_run().text = "page "
        number = f'<a:fld xmlns:a="{DRAWING}" id="{{B6F15528}}" type="slidenum"><a:t>{shown}</a:t></a:fld>'
        paragraph._p.append(parse_xml(number))

    assert (await reads(a_pptx(fill), "pptx")).markdown == f"## Slide 1\n\n{text}"
