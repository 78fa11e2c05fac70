"""Word files: numbers of lists, raised text, paragraphs, breaks and tables that belong together, and grounds of text boxes."""

import pytest
from tests.support.processor_time import assert_linear

from assay.documents.document_parser import parse

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
TYPES = "http://schemas.openxmlformats.org/package/2006/relationships"


def relate(**parts):
    """The parts of a Word file by kind, with the relationships to them."""
    relations = "".join(f'<Relationship Id="r{kind}" Type="http://x/{kind}" Target="{kind}.xml"/>' for kind in parts)
    files = {f"word/{kind}.xml": f"<w:{kind} {W}>{inner}</w:{kind}>" for kind, inner in parts.items()}
    return files | {"word/_rels/document.xml.rels": f'<Relationships xmlns="{TYPES}">{relations}</Relationships>'}


def run(text, properties=""):
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(text, properties=""):
    return f"<w:p><w:pPr>{properties}</w:pPr>{text if text.startswith('<') else run(text)}</w:p>"


def item(text, list_id="", level="", style=""):
    place = f'<w:ilvl w:val="{level}"/>' * bool(level) + f'<w:numId w:val="{list_id}"/>' * bool(list_id)
    return paragraph(text, f'<w:pStyle w:val="{style}"/>' * bool(style) + f"<w:numPr>{place}</w:numPr>" * bool(place))


LEVELS = (
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%2)"/></w:lvl>'
    '<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlRestart w:val="0"/><w:lvlText w:val="%3)"/></w:lvl>'
    '<w:lvl w:ilvl="3"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:isLgl/><w:lvlText w:val="%2.%4"/></w:lvl>'
)
NUMBERING = (
    f'<w:abstractNum w:abstractNumId="0">{LEVELS}</w:abstractNum>'
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '</w:abstractNum><w:num w:numId="4"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
    "</w:lvlOverride></w:num>"
)
STYLES = (
    '<w:style w:type="paragraph" w:styleId="Base"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Deep"><w:basedOn w:val="Base"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr>'
    "</w:pPr></w:style>"
)
LISTS = {
    "lists of one definition continue": (item("a", "1", "0") + item("b", "2", "0") + item("c", "1", "0"),
                                         "1. a\n2. b\n3. c"),
    "a list with its own first number restarts once": (
        item("a", "1", "0") + item("b", "3", "0") + item("c", "3", "0") + item("d", "1", "0"),
        "1. a\n1. b\n2. c\n3. d",
    ),
    "a level that never restarts": (
        item("a", "1", "0") + item("x", "1", "2") + item("b", "1", "0") + item("y", "1", "2"),
        "1. a\n      - a) x\n2. b\n      - b) y",
    ),
    "legal numbers": (item("a", "1", "1") + item("b", "1", "3"), "   - I) a\n         - 1.1 b"),
    "a style inherits its list, a paragraph that of its style": (
        item("a", style="Base") + item("b", style="Deep") + item("c", level="1", style="Base"),
        "1. a\n   - I) b\n   - II) c",
    ),
    "a level without a first number begins with zero": (item("a", "4", "0") + item("b", "4", "0"), "0. a\n1. b"),
    "empty items are counted": (item("a", "1", "0") + item("", "1", "0") + item("b", "1", "0"), "1. a\n3. b"),
    "hidden items are not": (
        item("a", "1", "0")
        + paragraph(run("b", "<w:vanish/>"), '<w:numPr><w:numId w:val="1"/></w:numPr><w:rPr><w:vanish/></w:rPr>')
        + item("c", "1", "0"),
        "1. a\n2. c",
    ),
    "the list 0 is none": (item("a", "1", "0") + item("b", "0", style="Base"), "1. a\n\nb"),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
async def test_items_have_the_labels_that_word_shows(word_xml, reads, name):
    inner, markdown = LISTS[name]
    assert (await reads(word_xml(inner, relate(numbering=NUMBERING, styles=STYLES)), "docx")).markdown == markdown


@pytest.mark.parametrize(
    ("properties", "markdown"),
    [
        ('<w:position w:val="6"/>', "10^6"),
        ('<w:position w:val="2"/>', "106"),
        ('<w:position w:val="-6"/>', "106"),
        ('<w:vertAlign w:val="baseline"/><w:position w:val="8"/>', "10^6"),
        ('<w:vertAlign w:val="subscript"/><w:position w:val="8"/>', "106"),
    ],
)
async def test_text_that_is_raised_by_its_position(word_xml, reads, properties, markdown):
    assert (await reads(word_xml(paragraph(run("10") + run("6", properties))), "docx")).markdown == markdown


async def test_a_style_without_an_id_is_not_that_of_all_text(word_xml, reads):
    tiny = '<w:name w:val="EmptyCell"/><w:rPr><w:sz w:val="2"/></w:rPr>'
    styles = (
        f'<w:style w:type="paragraph" w:default="1" w:styleId="Normal"/><w:style w:type="paragraph">{tiny}</w:style>'
    )
    body = word_xml(paragraph("seen") + paragraph("unseen", '<w:pStyle w:val="EmptyCell"/>'), relate(styles=styles))
    assert (await reads(body, "docx")).markdown == "seen"


DELETED_MARK = "<w:rPr><w:del/></w:rPr>"
TOGETHER = {
    "a drop cap": (
        paragraph("D", '<w:framePr w:dropCap="drop"/>') + paragraph("rop cap."), "Drop cap."
    ),
    "a paragraph whose mark is deleted": (
        paragraph("one ", DELETED_MARK) + paragraph("two", '<w:outlineLvl w:val="0"/>') + paragraph("three"),
        "# one two\n\nthree",
    ),
    "a paragraph above a table": (
        paragraph("one", DELETED_MARK) + f"<w:tbl>{2 * ('<w:tr>' + 2 * ('<w:tc>' + paragraph('two') + '</w:tc>') + '</w:tr>')}</w:tbl>",
        "one\n\n| two | two |\n| --- | --- |\n| two | two |",
    ),
    "the last paragraph": (paragraph("one", DELETED_MARK), "one"),
    "a page break between words": (
        paragraph(run("one") + '<w:r><w:br w:type="page"/></w:r>' + run("two")), "one\ntwo"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOGETHER)
async def test_words_are_neither_torn_nor_joined(word_xml, reads, name):
    inner, markdown = TOGETHER[name]
    assert (await reads(word_xml(inner), "docx")).markdown == markdown


def table(*rows):
    cells = (
        "".join(f"<w:tc>{cell if cell.startswith('<w:') else paragraph(cell)}</w:tc>" for cell in row) for row in rows
    )
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


async def test_a_table_in_a_cell_is_lines_and_one_in_a_frame_stays_a_table(word_xml, reads):
    inner = table(["a", "b"], ["c", "d"])
    body = word_xml(
        table(["one", paragraph("before") + inner + paragraph("")], ["two", "three"])
        + table([paragraph("head", '<w:outlineLvl w:val="1"/>') + inner])
    )
    assert (await reads(body, "docx")).markdown == (
        "| one | before<br>a \\| b<br>c \\| d |\n| --- | --- |\n| two | three |\n\n"
        "## head\n\n| a | b |\n| --- | --- |\n| c | d |"
    )


def m(name, *inner, **properties):
    """An element of an equation; bare text is a run."""
    held = "".join(each if each.startswith("<") else f"<m:r><m:t>{each}</m:t></m:r>" for each in inner)
    marks = "".join(f'<m:{key} m:val="{value}"/>' for key, value in properties.items())
    return f"<m:{name}>{f'<m:{name}Pr>{marks}</m:{name}Pr>' if marks else ''}{held}</m:{name}>"


EQUATIONS = {
    "accents": (m("acc", m("e", "a"), chr="\u0301") + m("acc", m("e", "b"), chr="\u030c") + m("acc", m("e", "c"), chr="☆"),
                "\\acute{a}\\check{b}\\overset{☆}{c}"),
    "a brace with a limit": (
        m("limLow", m("e", m("groupChr", m("e", "x+y"))), m("lim", "n")), "\\underbrace{x+y}_{n}"
    ),
    "an arrow over a base": (m("groupChr", m("e", "x"), chr="→", pos="top"), "\\overset{→}{x}"),
    "equations below each other": (
        m("d", m("e", m("eqArr", m("e", "x&amp;=1"), m("e", "y&amp;=2"))), begChr="{", endChr=""),
        "\\{\\begin{aligned}x&=1 \\\\ y&=2\\end{aligned}",
    ),
    "scripts before the base": (m("sPre", m("sub", "6"), m("sup", "14"), m("e", "C")), "{}_{6}^{14}C"),
    "a limit of a function": (
        m("func", m("fName", m("limLow", m("e", "lim"), m("lim", "x→0"))), m("e", "f")), "\\lim_{x→0}{f}"
    ),
    "a phantom": (m("phant", m("e", "a"), show="0") + m("phant", m("e", "b")), "b"),
    "a box": (m("borderBox", m("e", "x"), hideTop="1"), "x"),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUATIONS)
async def test_equations_are_tex(word_xml, reads, name):
    inner, tex = EQUATIONS[name]
    assert (await reads(word_xml(f"<w:p><m:oMath>{inner}</m:oMath></w:p>"), "docx")).markdown == f"${tex}$"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ('<w:sym w:font="Symbol" w:char="F06D"/><w:t>m</w:t>', "μm"),
        ('<w:sym w:font="Symbol" w:char="00FC"/>', "⎫"),
        ('<w:sym w:font="Wingdings" w:char="F0FC"/>', "✓"),
        ('<w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Wingdings" w:char="F020"/><w:t>One</w:t>', "✓ One"),
        ('<w:sym w:font="Wingdings" w:char="F041"/>', "•"),
        ('<w:sym w:font="Arial" w:char="0041"/>', "A"),
        ("<w:t>a \uf0a3 b</w:t>", "a ≤ b"),
    ],
)
async def test_characters_of_symbol_fonts_are_signs(word_xml, reads, inner, text):
    assert (await reads(word_xml(f"<w:p><w:r>{inner}</w:r></w:p>"), "docx")).markdown == text


def form(inner):
    characters = (f'<w:r><w:fldChar w:fldCharType="{kind}">{{}}</w:fldChar></w:r>' for kind in ("begin", "end"))
    begin, end = characters
    return begin.format(f"<w:ffData>{inner}</w:ffData>") + end.format("")


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>', "☒"),
        ('<w:checkBox><w:default w:val="1"/></w:checkBox>', "☒"),
        ('<w:checkBox><w:default w:val="1"/><w:checked w:val="0"/></w:checkBox>', "☐"),
        ("<w:checkBox/>", "☐"),
        ('<w:ddList><w:result w:val="1"/><w:listEntry w:val="red"/><w:listEntry w:val="blue"/></w:ddList>', "blue"),
        ('<w:ddList><w:listEntry w:val="red"/></w:ddList>', "red"),
        ("<w:textInput/>", ""),
    ],
)
async def test_form_fields_show_their_state(word_xml, reads, inner, text):
    body = word_xml(f"<w:p>{run('A: ')}{form(inner)}{run(' end')}</w:p>")
    assert (await reads(body, "docx")).markdown == f"A: {text} end"


async def test_a_heading_in_a_cell_has_no_signs(word_xml, reads):
    body = word_xml(table([paragraph("head", '<w:outlineLvl w:val="1"/>'), "b"]))
    assert (await reads(body, "docx")).markdown == "| head | b |\n| --- | --- |"


def test_thousands_of_joined_paragraphs_take_time_in_proportion(word_xml):
    text = "word " * 20

    def build(count):
        return word_xml(paragraph(text, DELETED_MARK) * count)

    assert_linear(lambda body: parse(body, "docx"), build, first=500)


NO_FILL, BLUE_FILL = "<a:noFill/>", '<a:solidFill><a:srgbClr val="000080"/></a:solidFill>'
BOXED = '<w:txbxContent><w:p><w:r><w:rPr><w:color w:val="{}"/></w:rPr><w:t>boxed</w:t></w:r></w:p></w:txbxContent>'


def shape(fill, *, color="FFFFFF", style="", extent='cx="900" cy="900"', text=True):
    held = f"<wps:txbx>{BOXED.format(color)}</wps:txbx>" if text else ""
    return (
        f'<w:r><w:drawing><wp:anchor><wp:extent {extent}/><wps:wsp xmlns:a="urn:a"><wps:spPr>{fill}</wps:spPr>{style}{held}'
        "</wps:wsp></wp:anchor></w:drawing></w:r>"
    )


def old_shape(attributes, inner="", color="FFFFFF"):
    held = f"<v:textbox>{BOXED.format(color)}</v:textbox>"
    return f'<w:r><w:pict><v:shape xmlns:v="urn:v" {attributes}>{inner}{held}</v:shape></w:pict></w:r>'


def picture(extent):
    return f"<w:r><w:drawing><wp:inline><wp:extent {extent}/><w:pic/></wp:inline></w:drawing></w:r>"


@pytest.mark.parametrize(
    ("drawn", "is_read"),
    [
        (shape(""), False),
        (shape(NO_FILL), False),
        (shape('<a:solidFill><a:srgbClr val="FEFEFE"/></a:solidFill>'), False),
        (shape('<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'), False),
        (shape('<a:solidFill><a:srgbClr val="000080"><a:alpha val="0"/></a:srgbClr></a:solidFill>'), False),
        (shape(BLUE_FILL), True),
        (shape(BLUE_FILL, color="000080"), False),
        (shape('<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>'), True),
        (shape('<a:solidFill><a:srgbClr val="FFFFFF"><a:lumMod val="50000"/></a:srgbClr></a:solidFill>'), True),
        (shape("<a:gradFill/>"), True),
        (shape("", style='<wps:style><a:fillRef idx="0"/></wps:style>'), False),
        (shape("", style='<wps:style><a:fillRef idx="1"/></wps:style>'), True),
        (shape(NO_FILL, style='<wps:style><a:fillRef idx="1"/></wps:style>'), False),
        (shape(NO_FILL) + picture('cx="900" cy="500"'), True),
        (shape(NO_FILL) + picture('cx="900" cy="50"'), False),
        (shape(NO_FILL) + picture(""), True),
        (shape(NO_FILL) + shape(BLUE_FILL, text=False), True),
        (shape(NO_FILL) + shape(NO_FILL, text=False), False),
        (old_shape(""), False),
        (old_shape('filled="f" fillcolor="#000080"'), False),
        (old_shape('fillcolor="white [3212]"'), False),
        (old_shape('fillcolor="#000080"'), True),
        (old_shape('fillcolor="navy"'), True),
        (old_shape('fillcolor="#000080"', '<v:fill opacity="0"/>'), False),
        (old_shape("", '<v:fill type="gradient"/>'), True),
    ],
)  # fmt: skip
async def test_text_of_a_box_shows_on_its_fill_or_on_what_may_be_behind(word_xml, reads, drawn, is_read):
    document = await reads(word_xml(paragraph(run("a") + drawn)), "docx")
    assert document.markdown == ("a\n\nboxed" if is_read else "a")


async def test_white_text_in_a_box_shows_before_a_picture_of_a_header_and_in_dark_cells(word_xml, reads):
    parts = relate(header=paragraph(picture("")).replace("<w:p>", '<w:p xmlns:wp="urn:wp">'))
    box = paragraph(shape(NO_FILL))
    assert (await reads(word_xml(box, parts), "docx")).markdown == "boxed"
    dark = f'<w:tc><w:tcPr><w:shd w:fill="000080"/></w:tcPr>{box}</w:tc>'
    body = f"<w:tbl><w:tr>{dark}<w:tc>{box}</w:tc></w:tr></w:tbl>"
    assert (await reads(word_xml(body), "docx")).markdown == "| boxed |  |\n| --- | --- |"


def test_many_text_boxes_are_read_in_linear_time(word_xml):
    small = shape(BLUE_FILL, text=False, extent='cx="1" cy="1"')
    boxed = paragraph(run("a") + shape(NO_FILL) + small)
    assert_linear(lambda body: parse(body, "docx"), lambda many: word_xml(boxed * many))


async def test_small_characters_of_a_field_leave_those_below_them(reads, word_xml):
    code = r" EQ \* jc2 \* hps10 \o\ad(\s\up 9(とうきょう),東京)"
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "end")]
    body = word_xml(f"<w:p>{marks[0]}<w:r><w:instrText>{code}</w:instrText></w:r>{marks[1]}</w:p>")
    assert (await reads(body, "docx")).markdown == "東京"
