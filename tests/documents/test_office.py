"""Word and PowerPoint files: visible content is extracted."""

from datetime import UTC, datetime

import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pptx.util import Inches, Pt
from tests.support.processor_time import assert_linear

from assay.documents.document_parser import parse
from assay.errors import ContentEmpty, InvalidInput, UpstreamFailed


async def test_headings_lists_and_properties(reads, a_docx):
    def fill(document):
        document.core_properties.title, document.core_properties.author = "On Cats", "T. S. Eliot"
        document.core_properties.created = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
        document.add_heading("On Cats", 0)
        document.add_heading("Habits", 2)
        document.add_paragraph("Cats sleep.")
        document.add_paragraph("by day", style="List Bullet")
        document.add_paragraph("on sofas", style="List Bullet 2")
        document.add_paragraph("first", style="List Number")
        document.add_paragraph("second", style="List Number")

    body = a_docx(fill)
    document = await reads(body, "docx")
    assert document.markdown == "# On Cats\n\n## Habits\n\nCats sleep.\n\n- by day\n   - on sofas\n1. first\n2. second"
    assert (document.title, document.author, document.created) == ("On Cats", "T. S. Eliot", "2024-05-06T07:08:09Z")
    assert document.file_size == len(body)


async def test_a_table_keeps_its_merges(reads, a_docx):
    def fill(document):
        table = document.add_table(3, 3)
        for row in range(3):
            for column in range(3):
                table.cell(row, column).text = f"{row}{column}"
        table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
        table.cell(1, 2).merge(table.cell(2, 2)).text = "tall | bar"

    assert (await reads(a_docx(fill), "docx")).markdown.splitlines() == [
        "| wide |  | 02 |",
        "| --- | --- | --- |",
        "| 10 | 11 | tall \\| bar |",
        "| 20 | 21 |  |",
    ]


HIDDEN_RUNS = [
    "<w:vanish/>",
    '<w:vanish w:val="true"/>',
    '<w:sz w:val="1"/>',
    '<w:color w:val="ffffff"/>',
]


@pytest.mark.parametrize("properties", HIDDEN_RUNS)
async def test_hidden_runs_are_left_out(reads, word_xml, properties):
    body = word_xml(f"<w:p><w:r><w:t>Seen</w:t></w:r><w:r><w:rPr>{properties}</w:rPr><w:t> unseen</w:t></w:r></w:p>")
    document = await reads(body, "docx")
    assert document.markdown == "Seen"
    assert document.notes == ("1 hidden run(s) of text were left out.",)


@pytest.mark.parametrize(
    "properties", ['<w:vanish w:val="0"/>', '<w:sz w:val="20"/>', '<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>']
)
async def test_runs_that_only_look_hidden_are_kept(reads, word_xml, properties):
    body = word_xml(f"<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>seen</w:t></w:r></w:p>")
    assert (await reads(body, "docx")).markdown == "seen"


async def test_deleted_text_goes_and_inserted_text_stays(reads, word_xml):
    body = word_xml(
        "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>"
        "<w:moveFrom><w:r><w:t>old place</w:t></w:r></w:moveFrom>"
        "<w:moveTo><w:r><w:t> moved</w:t></w:r></w:moveTo></w:p>"
        "<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p><w:r><w:t>gone row</w:t></w:r></w:p></w:tc></w:tr>"
        "<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    assert (await reads(body, "docx")).markdown == "new moved\n\n| a | b |\n| --- | --- |"


STYLES = (
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="Eigen"><w:name w:val="Eigen"/><w:basedOn w:val="berschrift1"/></w:style>'
    '<w:style w:styleId="Schleife"><w:basedOn w:val="Schleife"/></w:style>'
    '<w:style w:styleId="Geheim"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
)
NUMBERING = (
    '<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:abstractNum w:abstractNumId="0">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%2)"/></w:lvl>'
    '<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%3"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://x/styles" Target="styles.xml"/>'
    '<Relationship Id="r2" Type="http://x/numbering" Target="numbering.xml"/>'
    '<Relationship Id="r3" Type="http://x/footnotes" Target="footnotes.xml"/>'
    '<Relationship Id="r4" Type="http://x/hyperlink" Target="https://a.example/" TargetMode="External"/>'
    '<Relationship Id="r5" Type="http://x/hyperlink" Target="javascript:alert(1)" TargetMode="External"/>'
    "</Relationships>"
)
FOOTNOTES = (
    '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:footnote w:id="2">'
    "<w:p><w:r><w:t>See there.</w:t></w:r></w:p></w:footnote></w:footnotes>"
)
PARTS = {
    "word/styles.xml": STYLES,
    "word/numbering.xml": NUMBERING,
    "word/footnotes.xml": FOOTNOTES,
    "word/_rels/document.xml.rels": RELATIONS,
}


def paragraph(text, properties=""):
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def numbering(depth):
    return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="7"/></w:numPr>'


BEGUN_LINK = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://a.example/" </w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
)


def link_field(code, text, properties="<w:b/>"):
    """A complex field whose code is cut in two runs, as Word cuts it."""
    runs = text if text.startswith("<") or "<w:" in text else f"<w:r><w:t>{text}</w:t></w:r>"
    marks = [
        f'<w:r><w:rPr>{properties}</w:rPr><w:fldChar w:fldCharType="{kind}"/></w:r>'
        for kind in ("begin", "separate", "end")
    ]
    codes = "".join(f"<w:r><w:instrText>{part}</w:instrText></w:r>" for part in (" " + code[:6], code[6:] + " "))
    return marks[0] + codes + marks[1] + runs + marks[2]


@pytest.mark.parametrize(
    ("inner", "markdown"),
    [
        (paragraph("Kopf", '<w:pStyle w:val="berschrift1"/>'), "# Kopf"),
        (paragraph("Kopf", '<w:pStyle w:val="Eigen"/>'), "# Kopf"),
        (paragraph("Kopf", '<w:outlineLvl w:val="2"/>'), "### Kopf"),
        (paragraph("Text", '<w:pStyle w:val="Schleife"/>'), "Text"),
        (paragraph("Seen") + paragraph("Unseen", '<w:pStyle w:val="Geheim"/>'), "Seen"),
        (
            "".join(paragraph(f"x{place}", numbering(depth)) for place, depth in enumerate((0, 1, 1, 2, 0, 1))),
            "1. x0\n   - i) x1\n   - ii) x2\n      - 1.1 x3\n2. x4\n   - i) x5",
        ),
        (
            '<w:p><w:r><w:t>So.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>',
            "So.[^1]\n\n[^1]: See there.",
        ),
        ('<w:p><w:hyperlink r:id="r4"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>', "[there](https://a.example/)"),
        (
            '<w:p><w:hyperlink r:id="r4" w:anchor="p1"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>',
            "[there](https://a.example/#p1)",
        ),
        ('<w:p><w:hyperlink r:id="r5"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>', "there"),
        (
            f"<w:p>{link_field('HYPERLINK &quot;https://a.example/b c&quot; \\o &quot;tip&quot;', 'there')}</w:p>",
            "[there](https://a.example/b%20c)",
        ),
        (
            f"<w:p>{link_field('hyperlink https://a.example/ \\l &quot;part&quot;', 'there')}</w:p>",
            "[there](https://a.example/#part)",
        ),
        (
            f"<w:p>{link_field('HYPERLINK &quot;https://ada:secret@a.example/&quot;', 'there')}</w:p>",
            "[there](https://a.example/)",
        ),
        (f"<w:p>{link_field('HYPERLINK \\l &quot;part&quot;', 'there')}</w:p>", "there"),
        (f"<w:p>{link_field('HYPERLINK &quot;javascript:alert(1)&quot;', 'there')}</w:p>", "there"),
        (
            f"<w:p>{link_field('PAGEREF x', '<w:r><w:t>see </w:t></w:r>' + link_field('HYPERLINK &quot;https://a.example/&quot;', 'there', ''), '')}</w:p>",
            "see [there](https://a.example/)",
        ),
        (
            f"<w:p>{BEGUN_LINK}<w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t><w:fldChar w:fldCharType='end'/></w:r></w:p>",
            "one\n\ntwo",
        ),
        (
            '<w:p><w:fldSimple w:instr="HYPERLINK &quot;mailto:a@b.example&quot;"><w:r><w:t>us</w:t></w:r></w:fldSimple></w:p>',
            "[us](mailto:a@b.example)",
        ),
        ('<w:p><w:r><w:sym w:font="Symbol" w:char="F061"/><w:noBreakHyphen/><w:t>ray</w:t></w:r></w:p>', "α-ray"),
        (
            (
                "<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b+c</m:t></m:r></m:den></m:f>"
                "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>"
            ),
            "$\\frac{a}{b+c}x^{2}$",
        ),
        (
            "<w:p><w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>6</w:t></w:r></w:p>",
            "10^6",
        ),
        (
            (
                '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGEREF x</w:instrText></w:r>'
                "<w:r><w:t>page 4</w:t></w:r></w:p>"
            ),
            "page 4",
        ),
        (
            (
                "<w:p><w:r><w:t>Text</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:drawing>"
                '<wp:docPr descr="A cat asleep"/><wps:txbx>'
                "<w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p></w:txbxContent>"
                "</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict>"
                "<w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p>"
                "</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
            ),
            "Text![A cat asleep]\n\nIn a box",
        ),
        ("<w:sdt><w:sdtContent>" + paragraph("Held") + "</w:sdtContent></w:sdt>", "Held"),
    ],
)
async def test_what_word_writes_reads_as_it_shows(reads, word_xml, inner, markdown):
    assert (await reads(word_xml(inner, PARTS), "docx")).markdown == markdown


def emphasised(text, properties):
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


EMPHASIS_STYLES = PARTS | {
    "word/styles.xml": STYLES.replace(
        "</w:styles>",
        '<w:style w:type="character" w:styleId="Strong"><w:rPr><w:b/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="Em"><w:basedOn w:val="Strong"/><w:rPr><w:b w:val="0"/><w:i/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="Up"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="Bold"><w:rPr><w:b/></w:rPr></w:style></w:styles>',
    )
}
POWER = '<w:vertAlign w:val="superscript"/>'
NOTE_CALL = '<w:r><w:rPr><w:b/></w:rPr><w:footnoteReference w:id="2"/></w:r>'


@pytest.mark.parametrize(
    ("runs", "markdown"),
    [
        (emphasised("one ", "<w:b/>") + emphasised("two ", "<w:b w:val='1'/>") + emphasised("x", ""), "**one two** x"),
        (emphasised("one", "<w:b/>") + emphasised(" ", "") + emphasised("two", "<w:b/>"), "**one two**"),
        (emphasised("a", "<w:b/><w:i/>") + emphasised("b", "<w:i/>") + emphasised("c", '<w:b w:val="0"/>'), "***a**b*c"),
        (emphasised("un", "") + emphasised("believ", "<w:b/>") + emphasised("able", ""), "un**believ**able"),
        (emphasised("Note:", "<w:b/>") + emphasised("text", ""), "**Note**:text"),
        (emphasised("strong", '<w:rStyle w:val="Strong"/>') + emphasised(" em", '<w:rStyle w:val="Em"/>'), "**strong** *em*"),
        (emphasised("plain", '<w:rStyle w:val="Strong"/><w:b w:val="0"/>'), "plain"),
        (emphasised("a*b", "<w:b/>") + emphasised(" – ", "<w:i/>"), r"**a\*b** –"),
        (emphasised("10", "<w:b/>") + emphasised("6", '<w:b/><w:vertAlign w:val="superscript"/>'), "**10^6**"),
        (emphasised("10", "<w:b/>") + emphasised("6", POWER), "**10**^6"),
        (emphasised("10", "") + emphasised("6", '<w:rStyle w:val="Up"/>') + emphasised("8", '<w:rStyle w:val="Up"/><w:vertAlign w:val="baseline"/>'), "10^68"),
        (emphasised("R", "<w:i/>") + emphasised("2", POWER) + emphasised("n", POWER), "*R*^2n"),
        (emphasised("10", "") + emphasised("−", POWER) + emphasised("8", "<w:i/>" + POWER) + emphasised(" m", ""), "10^−*8* m"),
        (emphasised("others", "") + emphasised("3,", POWER) + emphasised(" 4 ", "<w:b/>" + POWER) + emphasised("saw", ""), "others^(3, **4**) saw"),
        (f'{emphasised("10", "")}<w:hyperlink r:id="r4">{emphasised("6", POWER)}</w:hyperlink>', "10[6](https://a.example/)"),
        (f'<w:hyperlink r:id="r4">{emphasised("10", "")}{emphasised("6", POWER)}</w:hyperlink>', "[10^6](https://a.example/)"),
        (emphasised("So", "") + NOTE_CALL.replace("<w:b/>", POWER), "So[^1]\n\n[^1]: See there."),
        (f'<w:hyperlink r:id="r4">{emphasised("there", "<w:b/>")}</w:hyperlink>', "[**there**](https://a.example/)"),
        (emphasised("So.", "<w:b/>") + NOTE_CALL, "**So.**[^1]\n\n[^1]: See there."),
        (emphasised("one", "<w:b/>") + '<w:r><w:commentReference w:id="0"/><w:annotationRef/></w:r>', "**one**"),
    ],
)  # fmt: skip
async def test_emphasis_becomes_marks_around_joined_runs(reads, word_xml, runs, markdown):
    assert (await reads(word_xml(f"<w:p>{runs}</w:p>", EMPHASIS_STYLES), "docx")).markdown == markdown


async def test_headings_code_and_head_cells_have_no_emphasis(reads, word_xml):
    bold = emphasised("Head", "<w:b/>")
    mono = emphasised("x = 1", '<w:rFonts w:ascii="Consolas"/><w:b/>')
    cells = f"<w:tr><w:tc><w:p>{bold}</w:p></w:tc><w:tc><w:p>{bold}</w:p></w:tc></w:tr>"
    body = (
        f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>{bold}</w:p><w:p>{mono}</w:p>{paragraph("text " * 9)}'
        f'<w:p><w:pPr><w:pStyle w:val="Bold"/></w:pPr>{bold}</w:p><w:tbl>{cells}{cells}</w:tbl>'
    )
    assert (await reads(word_xml(body, EMPHASIS_STYLES), "docx")).markdown == (
        f"# Head\n\n```\nx = 1\n```\n\n{'text ' * 9}".rstrip()
        + "\n\nHead\n\n| Head | Head |\n| --- | --- |\n| **Head** | **Head** |"
    )


async def test_a_list_uses_the_definition_of_a_list_style_and_its_own_first_number(reads, word_xml):
    definitions = NUMBERING.replace(
        '<w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num>',
        '<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="L"/></w:abstractNum>'
        '<w:abstractNum w:abstractNumId="2"><w:numStyleLink w:val="Self"/><w:styleLink w:val="Self"/></w:abstractNum>'
        '<w:num w:numId="7"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>'
        '<w:num w:numId="8"><w:abstractNumId w:val="2"/></w:num>',
    ).replace('<w:lvl w:ilvl="0">', '<w:styleLink w:val="L"/><w:lvl w:ilvl="0">', 1)
    itself = numbering(0).replace('w:val="7"', 'w:val="8"')
    body = paragraph("a", numbering(0)) + paragraph("b", numbering(0)) + paragraph("c", itself)
    document = await reads(word_xml(body, PARTS | {"word/numbering.xml": definitions}), "docx")
    assert document.markdown == "5. a\n6. b\n- c"


async def test_a_note_that_refers_to_itself_is_read_once(reads, word_xml):
    call = '<w:p><w:r><w:t>So.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = FOOTNOTES.replace("<w:p>", '<w:p><w:r><w:footnoteReference w:id="2"/></w:r>')
    document = await reads(word_xml(call, PARTS | {"word/footnotes.xml": notes}), "docx")
    assert document.markdown == "So.[^1]\n\n[^1]: [^1]See there."


async def test_headers_and_footers_are_left_out(reads, a_docx):
    def fill(document):
        document.sections[0].header.paragraphs[0].text = "Confidential"
        document.add_paragraph("Text")

    assert (await reads(a_docx(fill), "docx")).markdown == "Text"


async def test_a_span_of_a_hundred_million_columns_is_bounded(reads, word_xml):
    cell = '<w:tc><w:tcPr><w:gridSpan w:val="100000000"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc>'
    text = (await reads(word_xml(f"<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl>"), "docx")).markdown
    assert "wide" in text
    assert len(text) < 2000


async def test_an_empty_locked_or_foreign_office_file_is_refused_in_words(reads, a_docx, a_zip):
    with pytest.raises(ContentEmpty, match="no text"):
        await reads(a_docx(lambda _: None), "docx")
    with pytest.raises(InvalidInput, match="password"):
        await reads(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), "docx")
    with pytest.raises(UpstreamFailed, match="lacks its main part"):
        await reads(a_zip({"readme.txt": b"x"}), "pptx")


def slide(slides, title, *bullets):
    added = slides.slides.add_slide(slides.slide_layouts[1])
    added.shapes.title.text = title
    frame = added.placeholders[1].text_frame
    for place, (level, text) in enumerate(bullets):
        line = frame.paragraphs[0] if not place else frame.add_paragraph()
        line.text, line.level = text, level
    return added


async def test_slides_come_in_the_order_they_are_shown(reads, a_pptx):
    def fill(slides):
        for number in range(1, 13):
            slide(slides, f"Slide number {number}")
        order = slides.slides._sldIdLst
        order.insert(0, order[-1])
        slides.slides[5]._element.set("show", "0")

    document = await reads(a_pptx(fill), "pptx")
    assert [line for line in document.markdown.split("\n\n") if line] == [
        f"## Slide number {number}" for number in (12, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11)
    ]
    assert document.page_count == 12
    assert document.notes == ("1 hidden slide(s) were left out.",)


async def test_a_slide_has_bullets_tables_pictures_links_and_notes(reads, a_pptx):
    def fill(slides):
        added = slide(slides, "On Cats", (0, "sleep"), (1, "by day"))
        added.notes_slide.notes_text_frame.text = "Say it slowly."
        table = added.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
        table.cell(0, 0).merge(table.cell(0, 1))
        table.cell(0, 0).text, table.cell(1, 0).text, table.cell(1, 1).text = "Both", "a", "b"
        box = added.shapes.add_textbox(0, 0, Inches(1), Inches(1))
        run = box.text_frame.paragraphs[0].add_run()
        run.text, run.hyperlink.address = "more", "https://a.example/"
        aside = added.shapes.add_textbox(Inches(-9), 0, Inches(1), Inches(1))
        aside.text_frame.text = "Beside the slide"
        small = added.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.paragraphs[0].add_run()
        small.text, small.font.size = "Too small", Pt(1)
        unseen = added.shapes.add_textbox(0, 0, Inches(1), Inches(1))
        unseen.text_frame.text = "Unseen"
        unseen._element.nvSpPr.cNvPr.set("hidden", "1")

    assert (await reads(a_pptx(fill), "pptx")).markdown.split("\n\n") == [
        "## On Cats",
        "- sleep\n  - by day",
        "| Both |  |\n| --- | --- |\n| a | b |",
        "[more](https://a.example/)",
        "Notes: Say it slowly.",
    ]


async def test_a_slide_keeps_numbers_nested_items_and_emphasis(reads, a_pptx):
    def fill(slides):
        added = slide(slides, "On Cats", (0, "first"), (1, "inner"), (1, "again"), (0, "second"), (0, "plain"))
        for place, line in enumerate(added.placeholders[1].text_frame.paragraphs[:4]):
            numbers = OxmlElement("a:buAutoNum")
            numbers.set("type", "arabicPeriod")
            numbers.set("startAt", "1" if place in (1, 2) else "4")
            line._p.get_or_add_pPr().append(numbers)
        run = added.placeholders[1].text_frame.paragraphs[4].add_run()
        run.text, run.font.bold, run.font.italic = " and both", True, True

    assert (await reads(a_pptx(fill), "pptx")).markdown.split("\n\n") == [
        "## On Cats",
        "4. first\n   1. inner\n   2. again\n5. second\n- plain ***and both***",
    ]


async def test_a_run_hidden_by_the_program_itself_is_left_out(reads, a_docx):
    def fill(document):
        line = document.add_paragraph("Seen ")
        line.add_run("unseen").font.hidden = True
        mark = OxmlElement("w:bookmarkStart")
        mark.set(qn("w:id"), "1")
        line._p.append(mark)
        line.add_run("and seen")

    assert (await reads(a_docx(fill), "docx")).markdown == "Seen and seen"


def test_thousands_of_notes_take_time_in_proportion(word_xml):
    def write(count):
        calls = "".join(
            f'<w:p><w:r><w:t>x</w:t></w:r><w:r><w:footnoteReference w:id="{n}"/></w:r></w:p>' for n in range(count)
        )
        notes = "".join(
            f'<w:footnote w:id="{n}"><w:p><w:r><w:t>note {n}</w:t></w:r></w:p></w:footnote>' for n in range(count)
        )
        footnotes = (
            f'<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">{notes}</w:footnotes>'
        )
        return word_xml(calls, PARTS | {"word/footnotes.xml": footnotes})

    assert parse(write(1_000), "docx").markdown.endswith("[^1000]: note 999")
    assert_linear(lambda body: parse(body, "docx"), write)


async def test_a_note_that_is_called_twice_is_reported_once(word_xml, reads):
    call = '<w:p><w:r><w:t>So.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    document = await reads(word_xml(call * 2, PARTS), "docx")
    assert document.markdown == "So.[^1]\n\nSo.[^1]\n\n[^1]: See there."


def run(text, properties=""):
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"


BLUE = '<w:shd w:val="clear" w:fill="000080"/>'
ON_ITS_COLOUR = {
    "on its own shading": f"<w:p>{run('okapi', '<w:color w:val="000082"/>' + BLUE)}</w:p>",
    "on its highlight": f"<w:p>{run('okapi', '<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>')}</w:p>",
    "white on white shading": f"<w:p>{run('okapi', '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="FFFFFF"/>')}</w:p>",
    "white on automatic shading": f"<w:p>{run('okapi', '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="auto"/>')}</w:p>",
    "on the paragraph's shading": f"<w:p><w:pPr>{BLUE}</w:pPr>{run('okapi', '<w:color w:val="000080"/>')}</w:p>",
    "on the cell's shading": "<w:tbl><w:tr><w:tc><w:tcPr>"
    + BLUE
    + "</w:tcPr><w:p>"
    + run("okapi", '<w:color w:val="000080"/>')
    + "</w:p></w:tc></w:tr></w:tbl>",
    "on a solid pattern": f"<w:p>{run('okapi', '<w:color w:val="00FF00"/><w:shd w:val="solid" w:color="00FF00" w:fill="FFFFFF"/>')}</w:p>",
}
ON_ANOTHER = {
    "white on blue": f"<w:p>{run('okapi', '<w:color w:val="FFFFFF"/>' + BLUE)}</w:p>",
    "white on a blue paragraph": f"<w:p><w:pPr>{BLUE}</w:pPr>{run('okapi', '<w:color w:val="FFFFFF"/>')}</w:p>",
    "blue on white": f"<w:p>{run('okapi', '<w:color w:val="000080"/>')}</w:p>",
    "blue on white in a blue paragraph": f"<w:p><w:pPr>{BLUE}</w:pPr>{run('okapi', '<w:color w:val="000080"/><w:shd w:val="clear" w:fill="FFFFFF"/>')}</w:p>",
    "white on a dark highlight": f"<w:p>{run('okapi', '<w:color w:val="FFFFFF"/><w:highlight w:val="darkBlue"/>')}</w:p>",
    "automatic on black": f"<w:p>{run('okapi', '<w:color w:val="auto"/><w:shd w:val="clear" w:fill="000000"/>')}</w:p>",
    "white on a pattern": f"<w:p>{run('okapi', '<w:color w:val="FFFFFF"/><w:shd w:val="pct75" w:color="000000" w:fill="FFFFFF"/>')}</w:p>",
}


@pytest.mark.parametrize("name", ON_ITS_COLOUR)
async def test_text_in_the_colour_of_its_ground_is_left_out(word_xml, reads, name):
    document = await reads(word_xml(ON_ITS_COLOUR[name] + paragraph("marker")), "docx")
    assert document.markdown == "marker"
    assert "1 hidden" in document.notes[0]


@pytest.mark.parametrize("name", ON_ANOTHER)
async def test_text_in_another_colour_than_its_ground_stays(word_xml, reads, name):
    assert (await reads(word_xml(ON_ANOTHER[name] + paragraph("marker")), "docx")).markdown == "okapi\n\nmarker"


@pytest.mark.parametrize("is_shown", [False, True])
async def test_a_page_colour_counts_only_where_it_is_shown(a_zip, reads, is_shown):
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    words = f"<w:p>{run('okapi', '<w:color w:val="FFFFFF"/>')}</w:p>" + paragraph("marker")
    document = f'<w:document {space}><w:background w:color="000000"/><w:body>{words}</w:body></w:document>'
    settings = f"<w:settings {space}>{'<w:displayBackgroundShape/>' if is_shown else ''}</w:settings>"
    relations = '<Relationships><Relationship Id="s" Type="http://x/settings" Target="settings.xml"/></Relationships>'
    body = a_zip(
        {"word/document.xml": document, "word/settings.xml": settings, "word/_rels/document.xml.rels": relations}
    )
    assert (await reads(body, "docx")).markdown == ("okapi\n\nmarker" if is_shown else "marker")


def with_style(kind, properties):
    """The parts of a Word file whose style `X` has these run properties; `Y` inherits them."""
    style = f'<w:style w:type="{kind}" w:styleId="X"><w:name w:val="X"/><w:rPr>{properties}</w:rPr></w:style>'
    heir = f'<w:style w:type="{kind}" w:styleId="Y"><w:basedOn w:val="X"/></w:style>'
    return PARTS | {"word/styles.xml": STYLES.replace("</w:styles>", f"{style}{heir}</w:styles>")}


VANISHING_DEFAULT = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
)
BOX = "<w:txbxContent><w:p><w:r><w:t>okapi</w:t></w:r></w:p></w:txbxContent>"
SHOWN = '<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>marker</w:t></w:r></w:p>'
HIDDEN_BY = {
    "a character style's colour": (f"<w:p>{run('okapi', '<w:rStyle w:val="X"/>')}</w:p>", with_style("character", '<w:color w:val="FFFFFF"/>')),
    "an inherited colour": (f"<w:p>{run('okapi', '<w:rStyle w:val="Y"/>')}</w:p>", with_style("character", '<w:color w:val="FFFFFF"/>')),
    "a paragraph style's colour": (paragraph("okapi", '<w:pStyle w:val="X"/>'), with_style("paragraph", '<w:color w:val="FEFEFE"/>')),
    "a paragraph style's size": (paragraph("okapi", '<w:pStyle w:val="Y"/>'), with_style("paragraph", '<w:sz w:val="2"/>')),
    "the default style": (paragraph("okapi"), PARTS | {"word/styles.xml": STYLES.replace("</w:styles>", VANISHING_DEFAULT)}),
    "the document's defaults": (paragraph("okapi"), PARTS | {"word/styles.xml": STYLES.replace("</w:styles>", "<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults></w:styles>")}),
    "glyphs without fill": (f"<w:p>{run('okapi', '<w14:textFill xmlns:w14="urn:w14"><w14:noFill/></w14:textFill>')}</w:p>", PARTS),
    "glyphs without width": (f"<w:p>{run('okapi', '<w:w w:val="1"/>')}</w:p>", PARTS),
    "the theme's white": (f"<w:p>{run('okapi', '<w:color w:themeColor="background1"/>')}</w:p>", PARTS),
    "a hidden row": ("<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc><w:p><w:r><w:t>okapi</w:t></w:r></w:p></w:tc></w:tr></w:tbl>", PARTS),
    "a deleted cell": ('<w:tbl><w:tr><w:tc><w:tcPr><w:cellDel w:id="1"/></w:tcPr><w:p><w:r><w:t>okapi</w:t></w:r></w:p></w:tc></w:tr></w:tbl>', PARTS),
    "a hidden drawing": (f'<w:p><w:r><w:drawing><wp:docPr hidden="1" descr="okapi"/>{BOX}</w:drawing></w:r></w:p>', PARTS),
    "a hidden shape": (f'<w:p><w:r><w:pict><w:shape style="left:1pt;visibility: hidden" alt="okapi">{BOX}</w:shape></w:pict></w:r></w:p>', PARTS),
    "a vanished equation": ("<w:p><m:oMath><m:r><w:rPr><w:vanish/></w:rPr><m:t>okapi</m:t></m:r></m:oMath></w:p>", PARTS),
}  # fmt: skip


@pytest.mark.parametrize("name", HIDDEN_BY)
async def test_text_that_word_does_not_draw_is_left_out(word_xml, reads, name):
    inner, parts = HIDDEN_BY[name]
    assert (await reads(word_xml(inner + SHOWN, parts), "docx")).markdown == "marker"


@pytest.mark.parametrize(
    ("properties", "inner"),
    [
        ('<w:color w:val="FFFFFF"/>', run("okapi", '<w:color w:val="auto"/>')),
        ('<w:color w:val="FFFFFF"/>', run("okapi", '<w:highlight w:val="black"/>')),
        ('<w:vanish/>', run("okapi", '<w:vanish w:val="0"/>')),
        ('<w:sz w:val="2"/>', run("okapi", '<w:sz w:val="22"/>')),
    ],
)  # fmt: skip
async def test_a_run_overrides_what_its_style_hides(word_xml, reads, properties, inner):
    body = f'<w:p><w:pPr><w:pStyle w:val="X"/></w:pPr>{inner}</w:p>'
    assert (await reads(word_xml(body, with_style("paragraph", properties)), "docx")).markdown == "okapi"


async def test_white_text_on_the_shading_of_its_style_is_read(word_xml, reads):
    parts = with_style("paragraph", '<w:color w:val="FFFFFF"/>')
    styles = parts["word/styles.xml"].replace('<w:name w:val="X"/>', '<w:pPr><w:shd w:fill="000080"/></w:pPr>')
    body = word_xml(paragraph("okapi", '<w:pStyle w:val="X"/>'), parts | {"word/styles.xml": styles})
    assert (await reads(body, "docx")).markdown == "okapi"


async def test_a_bullet_that_is_a_space_begins_no_item(word_xml, reads):
    def define(number, *bullets):
        levels = "".join(
            f'<w:lvl w:ilvl="{depth}"><w:numFmt w:val="bullet"/><w:lvlText w:val="{bullet}"/></w:lvl>'
            for depth, bullet in enumerate(bullets)
        )
        return f'<w:abstractNum w:abstractNumId="{number}">{levels}</w:abstractNum>', (
            f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'
        )

    def item(text, number, depth=0, style=""):
        return f'<w:p><w:pPr>{style}<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'

    shapes, lists = zip(define(3, "•", "–"), define(4, " ", " "), strict=True)
    definitions = NUMBERING.partition("<w:abstractNum")[0] + "".join(shapes + lists) + "</w:numbering>"
    body = (
        item("plain", 4) + item("one", 3) + item("more", 4) + item("deep", 3, 1) + item("more of it", 4, 1)
        + item("more of one", 4) + item("two", 3) + item("Title", 4, style='<w:outlineLvl w:val="0"/>')
    )  # fmt: skip
    document = await reads(word_xml(body, PARTS | {"word/numbering.xml": definitions}), "docx")
    assert document.markdown == (
        "plain\n\n- one\n\n  more\n   - deep\n\n     more of it\n\n  more of one\n- two\n\n# Title"
    )


async def test_the_words_of_an_ornament_stand_in_their_place(word_xml, reads):
    def draw(words, style="width:9pt", more=""):
        path = f'<w:textpath style="font-size:36pt" string="{words}"/>'
        return f'<w:r><w:pict><w:shapetype><w:textpath on="t"/></w:shapetype><w:shape style="{style}" alt="unread">{path}</w:shape></w:pict></w:r>'

    inner = f'<w:p><w:r><w:t xml:space="preserve">a </w:t></w:r>{draw("Thank&#10;you *all*!")}{draw("unseen", "visibility:hidden")}</w:p>'
    assert (await reads(word_xml(inner), "docx")).markdown == "a Thank you \\*all\\*!"
