"""OpenDocument texts: numbers of lists and headings, references, links and shapes."""

import pytest


def level(depth, kind, more="", tag="list-level-style-number"):
    return f'<text:{tag} text:level="{depth}" style:num-format="{kind}" {more}/>'


STYLES = (
    '<text:list-style style:name="L1">'
    + level(1, "I", 'style:num-suffix="."')
    + level(2, "a", 'style:num-prefix="(" style:num-suffix=")"')
    + level(3, "1", 'text:display-levels="3" text:start-value="4"')
    + '</text:list-style><text:list-style style:name="L2">'
    + level(1, "1")
    + level(2, "", "")
    + "</text:list-style><text:outline-style>"
    + level(1, "1", 'style:num-suffix="."', "outline-level-style")
    + level(2, "A", 'text:display-levels="2"', "outline-level-style")
    + level(3, "", "", "outline-level-style")
    + "</text:outline-style>"
    '<style:style style:name="plain" style:family="paragraph" style:list-style-name=""/>'
    '<style:style style:name="derived" style:family="paragraph" style:parent-style-name="plain"/>'
)


def items(*inner, tag="list-item"):
    return "".join(f"<text:{tag}>{each}</text:{tag}>" for each in inner)


def listing(inner, more='text:style-name="L1"'):
    return f"<text:list {more}>{inner}</text:list>"


def p(text):
    return f"<text:p>{text}</text:p>"


LISTS = {
    "formats": (
        listing(items(p("one") + listing(items(p("two") + listing(items(p("three"), p("four")), ""))), "")),
        "- I. one\n   - (a) two\n      - I.a.4 three\n      - I.a.5 four",
    ),
    "plain": (listing(items(p("one") + listing(items(p("two")), ""), p("three")), 'text:style-name="L2"'),
              "1. one\n   - two\n2. three"),
    "started": (
        listing('<text:list-item text:start-value="7">' + p("seven") + "</text:list-item>" + items(p("eight")),
                'text:style-name="L2"'),
        "7. seven\n8. eight",
    ),
    "continued": (
        listing(items(p("one")), 'text:style-name="L2" xml:id="x"')
        + p("between")
        + listing(items(p("two")), 'text:style-name="L2" text:continue-numbering="true"')
        + p("between")
        + listing(items(p("again")), 'text:style-name="L2"')
        + listing(items(p("two")), 'text:continue-list="x" text:style-name="L2"'),
        "1. one\n\nbetween\n\n2. two\n\nbetween\n\n1. again\n2. two",
    ),
    "header": (
        listing(items(p("head"), tag="list-header") + items(p("one")), 'text:style-name="L2"'), "head\n\n1. one"
    ),
    "only inner": (
        listing(items(p("one"), listing(items(p("in")), ""), p("two"))), "- I. one\n   - (a) in\n- II. two"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
async def test_items_have_the_labels_of_their_list_style(an_odt, reads, name):
    text, markdown = LISTS[name]
    assert (await reads(an_odt(text, STYLES), "odt")).markdown == markdown


async def test_headings_have_the_numbers_of_the_outline(an_odt, reads):
    def h(depth, text, more=""):
        return f'<text:h text:outline-level="{depth}" {more}>{text}</text:h>'

    body = an_odt(
        h(1, "First") + h(2, "Inner") + h(2, "Next") + h(3, "Deep") + h(1, "Preface", 'text:style-name="derived"')
        + h(1, "Second") + h(2, "Inner") + h(1, "Head", 'text:is-list-header="true"')
        + h(1, "Ninth", 'text:restart-numbering="true" text:start-value="9"'),
        STYLES,
    )  # fmt: skip
    assert (await reads(body, "odt")).markdown.split("\n\n") == [
        "# 1. First", "## 1.A Inner", "## 1.B Next", "### Deep", "# Preface",
        "# 2. Second", "## 2.A Inner", "# Head", "# 9. Ninth",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("https://a.example/a b(c)", "https://a.example/a%20b%28c%29"),
        ("https://a.example/a\u2003b", "https://a.example/a%E2%80%83b"),
        ("HTTPS://a.example/&lt;x&gt;", "HTTPS://a.example/%3Cx%3E"),
    ],
)
async def test_addresses_of_links_are_escaped(an_odt, reads, address, target):
    body = an_odt(f'<text:p>See <text:a xlink:href="{address}">it</text:a>.</text:p>')
    assert (await reads(body, "odt")).markdown == f"See [it]({target})."


async def test_cross_references_are_read_and_text_in_shapes_follows(an_odt, reads):
    body = an_odt(
        '<text:p>See <text:bookmark-ref text:ref-name="a">chapter 2</text:bookmark-ref>'
        "<draw:custom-shape><svg:desc>drawn</svg:desc><text:p>in the shape</text:p></draw:custom-shape>"
        "<draw:g><draw:rect><text:p>in a group</text:p></draw:rect></draw:g> there.</text:p>"
        "<text:p>as <draw:g><svg:title>a flask</svg:title><draw:path><text:p/></draw:path></draw:g></text:p>"
        '<text:section text:display="condition" text:is-hidden="true"><text:p>unseen</text:p></text:section>'
    )
    assert (await reads(body, "odt")).markdown == "See chapter 2 there.\n\nin the shape\n\nin a group\n\nas ![a flask]"


FILLS = (
    '<style:style style:name="white"><style:text-properties fo:color="#ffffff"/></style:style>'
    '<style:style style:name="dark"><style:table-cell-properties fo:background-color="#000080"/></style:style>'
    '<style:style style:name="blank"><style:table-cell-properties fo:background-color="#FFFFFF"/></style:style>'
    '<style:style style:name="bar"><style:paragraph-properties fo:background-color="#333333"/></style:style>'
)


async def test_white_text_shows_on_a_fill_only(an_odt, reads):
    def white(text):
        return f'<text:span text:style-name="white">{text}</text:span>'

    def cell(style, text):
        return f'<table:table-cell table:style-name="{style}">{p(white(text))}</table:table-cell>'

    body = an_odt(
        f"<table:table><table:table-row>{cell('dark', 'head')}{cell('blank', 'unseen')}</table:table-row>"
        f'<table:table-row table:style-name="dark">{cell("", "row")}{cell("", "too")}</table:table-row></table:table>'
        f'<text:p text:style-name="bar">{white("bar")}</text:p>{p(white("unseen"))}'
        f"{p('a<draw:frame><draw:text-box>' + p(white('boxed')) + '</draw:text-box></draw:frame>')}",
        FILLS,
    )
    document = await reads(body, "odt")
    assert document.markdown == "| head |  |\n| --- | --- |\n| row | too |\n\nbar\n\na"
    assert document.notes == ("3 hidden piece(s) of text were left out.",)


async def test_white_text_on_a_white_fill_is_left_out_within_a_dark_one(an_odt, reads):
    def cell(style, text):
        return (
            f'<table:table-cell table:style-name="{style}"><text:p text:style-name="{text}"><text:span '
            f'text:style-name="white">{style} {text}</text:span></text:p></table:table-cell>'
        )

    row = f"{cell('blank', '')}{cell('blank', 'bar')}{cell('clear', '')}{cell('', 'sheet')}{cell('', '')}"
    styles = (
        '<style:style style:name="clear" style:parent-style-name="blank"><style:table-cell-properties '
        'fo:background-color="transparent"/></style:style><style:style style:name="sheet"><style:paragraph-properties '
        'fo:background-color="#ffffff"/></style:style>'
    )
    body = an_odt(
        f'<table:table table:style-name="dark"><table:table-row>{row}</table:table-row>'
        f'<table:table-row table:style-name="blank">{cell("", "")}{cell("dark", "")}</table:table-row></table:table>',
        FILLS + styles,
    )
    assert (await reads(body, "odt")).markdown.splitlines()[::2] == [
        "|  | blank bar | clear |  |  |",
        "|  | dark |  |  |  |",
    ]


WHITE = '<style:style style:name="white"><style:text-properties fo:color="#fefefe"/></style:style>'
BOXED = '<text:p><text:span text:style-name="white">boxed</text:span></text:p>'
PHOTO = '<draw:frame svg:width="{}" svg:height="2in"><draw:image xlink:href="a.png"/></draw:frame>'


@pytest.mark.parametrize(
    ("properties", "drawing", "is_read"),
    [
        ('draw:fill="none"', "frame", False),
        ('draw:fill="none"', "custom-shape", False),
        ('draw:fill="solid" draw:fill-color="#ffffff"', "custom-shape", False),
        ('fo:background-color="transparent"', "frame", False),
        ('fo:background-color="#000080" style:background-transparency="100%"', "frame", False),
        ('draw:fill="solid" draw:fill-color="#000080" draw:opacity="0%"', "frame", False),
        ('fo:background-color="#000080" style:background-transparency="95%"', "frame", False),
        ('draw:fill="solid" draw:fill-color="#000080" draw:opacity="9.5%"', "frame", False),
        ('draw:fill="solid" draw:fill-color="#000080" draw:opacity="10%"', "frame", True),
        ("", "frame", False),
        ("", "custom-shape", True),
        ('draw:fill="solid" draw:fill-color="#000080"', "frame", True),
        ('draw:fill="gradient"', "custom-shape", True),
        ('fo:background-color="#000080"', "frame", True),
        ('fo:background-color="#000080"', "g", True),
    ],
)
async def test_white_text_shows_in_a_box_with_a_fill(an_odt, reads, properties, drawing, is_read):
    """The style of the fill is that of the parent, as programs write it."""
    styles = (
        f'{WHITE}<style:style style:name="own" style:parent-style-name="fill"/>'
        f'<style:style style:name="fill"><style:graphic-properties {properties}/></style:style>'
    )
    held = f"<draw:text-box>{BOXED}</draw:text-box>" if drawing in ("frame", "g") else BOXED
    tag = drawing.replace("g", "frame")
    shape = f'<draw:{tag} draw:style-name="own">{held}</draw:{tag}>'
    body = an_odt(f"<text:p>a{f'<draw:g>{shape}</draw:g>' if drawing == 'g' else shape}</text:p>", styles)
    assert (await reads(body, "odt")).markdown == ("a\n\nboxed" if is_read else "a")


@pytest.mark.parametrize(
    ("beside", "is_read"),
    [
        (PHOTO.format("20cm"), True),
        (PHOTO.format("30pt"), False),
        (PHOTO.format("100%"), True),
        ('<draw:rect svg:width="20cm" svg:height="20cm"/>', True),
        ('<draw:frame svg:width="20cm" svg:height="20cm"><draw:text-box/></draw:frame>', False),
        ('<draw:line svg:width="20cm" svg:height="20cm"/>', False),
    ],
)
async def test_white_text_without_a_fill_shows_before_a_picture(an_odt, reads, beside, is_read):
    box = f'<draw:frame svg:width="2in" svg:height="2cm"><draw:text-box>{BOXED}</draw:text-box></draw:frame>'
    document = await reads(an_odt(f"<text:p>a{box}</text:p><text:p>b{beside}</text:p>", WHITE), "odt")
    assert document.markdown == ("a\n\nboxed\n\nb" if is_read else "a\n\nb")


@pytest.mark.parametrize(
    ("properties", "master", "is_read"),
    [
        ('fo:background-color="#000080"', "Standard", True),
        ('draw:fill="gradient"', "Standard", True),
        ('fo:background-color="transparent"', "Standard", False),
        ('fo:background-color="#000080" draw:fill="none"', "Standard", False),
        ('fo:background-color="#000080"', "First_20_Page", False),
    ],
)
async def test_white_text_shows_on_pages_with_a_fill(an_odt, reads, properties, master, is_read):
    layout = (
        f'<style:page-layout style:name="dark"><style:page-layout-properties {properties}><style:background-image/>'
        '</style:page-layout-properties></style:page-layout><style:page-layout style:name="plain"/>'
    )
    masters = (
        f'<style:master-page style:name="{master}" style:page-layout-name="dark"/>'
        '<style:master-page style:name="Standard" style:page-layout-name="plain"/>'
    )
    box = f"<draw:frame><draw:text-box>{BOXED}</draw:text-box></draw:frame>"
    body = an_odt(f"<text:p>a{box}</text:p>{BOXED.replace('boxed', 'written')}", WHITE + layout + masters)
    assert (await reads(body, "odt")).markdown == ("a\n\nboxed\n\nwritten" if is_read else "a")


async def test_a_picture_behind_a_frame_is_a_fill(an_odt, reads):
    for picture, markdown in (('xlink:href="a.png"', "a\n\nboxed"), ("", "a")):
        properties = f"<style:graphic-properties><style:background-image {picture}/></style:graphic-properties>"
        styles = f'{WHITE}<style:style style:name="own">{properties}</style:style>'
        box = f'<draw:frame draw:style-name="own"><draw:text-box>{BOXED}</draw:text-box></draw:frame>'
        assert (await reads(an_odt(f"<text:p>a{box}</text:p>", styles), "odt")).markdown == markdown


async def test_a_formula_alone_in_a_paragraph_is_no_code(an_odt, reads):
    formula = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi><mo>=</mo><mn>1</mn></math>'
    frame = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
    body = an_odt(f"<text:p>{frame}</text:p>", **{"Object 1": formula})
    assert (await reads(body, "odt")).markdown == "$x=1$"
