"""PDFs as programs write them that recognise text, set pages of HTML, or rewrite other PDFs."""

import pytest
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont

GLYPHLESS = (
    b"<< /Type /Font /Subtype /TrueType /BaseFont /GlyphLessFont /FirstChar 32 /LastChar 126 /Widths [%s]"
    b" /Encoding /WinAnsiEncoding /FontDescriptor 7 0 R >>"
) % (b"500 " * 95)
GLYPHLESS_STYLE = (
    b"<< /Type /FontDescriptor /FontName /GlyphLessFont /Flags 5 /Ascent 1000 /Descent -1 /CapHeight 1000 /StemV 80"
    b" /ItalicAngle 0 /FontBBox [0 0 500 1000] >>"
)
SCAN = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
    b" stream\n\xff\nendstream"
)


def draw_recognised(lines):
    """The content of a scan with pieces of lines, each word of which has the space behind it within its width."""
    content = b"q 600 0 0 800 0 0 cm /Im1 Do Q BT 3 Tr /F1 10 Tf "
    for place, pieces in enumerate(lines):
        for start, words in pieces:
            left = start
            for word in words.split():
                width = 100 * len(word) / (len(word) + 1)
                content += b"%.2f Tz 1 0 0 1 %.2f %d Tm (%s ) Tj " % (width, left, 700 - 12 * place, word.encode())
                left += 5 * len(word) + 3
    return content + b"ET"


@pytest.fixture
def reads_recognised(reads, a_raw_pdf):
    resources = b"/Font << /F1 6 0 R >> /XObject << /Im1 8 0 R >>"

    async def read(lines):
        body = a_raw_pdf(draw_recognised(lines), extra=[GLYPHLESS, GLYPHLESS_STYLE, SCAN], resources=resources)
        return (await reads(body, "pdf")).markdown

    return read


async def test_recognised_text_whose_font_draws_no_glyphs_is_not_code(reads_recognised):
    lines = [
        "The keepers of the ferry wrote down each day what they saw on the difficul-",
        "ties of the upper river, and counted the boats that came back to the stage",
        "before the ice was on the water.",
        "",
        "When the winter was over, the books of the keepers were brought to the town,",
        "where nobody read them.",
    ]
    text = await reads_recognised([[(50, line)] for line in lines])
    assert text == "\n\n".join([" ".join(lines[:3]).replace("- ", ""), " ".join(lines[4:])])


async def test_rows_of_recognised_tables_are_divided_at_gaps_and_not_at_spaces(reads_recognised):
    rows = [("Name of it", "Boats", "Crews"), ("Upper Ferry", "12,345", "-3.2"), ("Old Mill", "987", "+14.5")]
    text = await reads_recognised(
        [
            [(50, "The table that follows has what the keepers of the ferry counted:")],
            *([(50, name), (250, boats), (400, crews)] for name, boats, crews in rows),
        ]
    )
    table = ["| " + " | ".join(row) + " |" for row in rows]
    assert text.split("\n")[-4:] == [table[0], "| --- | --- | --- |", *table[1:]]


async def test_ligatures_whose_bytes_ghostscript_swapped_are_letters(reads, a_raw_pdf):
    signs = {b"a": b"66006900", b"b": b"66006c00", b"c": b"6600cf00", b"d": b"6600d200", b"e": b"66006600"}
    table = b"begincmap\n1 begincodespacerange <00> <ff> endcodespacerange\n5 beginbfchar\n%s\nendbfchar\nendcmap" % (
        b"\n".join(b"<%02x> <%s>" % (code[0], letters) for code, letters in signs.items())
    )
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>"
    content = b"BT /F1 12 Tf 50 700 Td (The o) Tj /F2 12 Tf (c) Tj /F1 12 Tf (ce ) Tj"
    for sign, letters in ((b"a", b"nds "), (b"b", b"oods and mu"), (b"d", b"ed sta"), (b"e", b".")):
        content += b" /F2 12 Tf (%s) Tj /F1 12 Tf (%s) Tj" % (sign, letters)
    extra = [font, b"<< /Length %d >> stream\n%s\nendstream" % (len(table), table)]
    body = a_raw_pdf(content + b" ET", extra=extra, resources=b"/Font << /F1 5 0 R /F2 6 0 R >>")
    assert (await reads(body, "pdf")).markdown == "The office finds floods and muffled staff."


async def test_chinese_signs_like_those_of_swapped_bytes_are_kept(reads, a_pdf):
    registerFont(UnicodeCIDFont("STSong-Light"))

    def draw(canvas):
        canvas.setFont("STSong-Light", 12)
        canvas.drawString(50, 700, "The word 攀登 and 漀 in A攀, 漆攀")

    assert (await reads(a_pdf(draw), "pdf")).markdown == "The word 攀登 and 漀 in A攀, 漆攀"


@pytest.mark.parametrize("numbers", [["•", "•", "•"], ["1.", "2.", "3."], ["a)", "b)", "c)"]], ids=lambda each: each[0])
async def test_markers_that_the_file_has_behind_all_text_are_before_their_items(reads, a_pdf, numbers):
    items = ["Open the gate.", "Let the boat drift before the engine is started.", "Close the gate."]

    def draw(canvas):
        canvas.drawString(50, 700, "What the keepers do each day before the boats leave the landing stage:")
        for place, item in enumerate(items):
            canvas.drawString(80, 680 - 12 * place, item)
        canvas.drawString(50, 630, "When that is done, the book is signed by the two oldest keepers.")
        for place, number in enumerate(numbers):
            canvas.drawRightString(76, 680 - 12 * place, number)

    def draw_usually(canvas):
        canvas.drawString(50, 700, "What the keepers do each day before the boats leave the landing stage:")
        for place, (number, item) in enumerate(zip(numbers, items, strict=True)):
            canvas.drawRightString(76, 680 - 12 * place, number)
            canvas.drawString(80, 680 - 12 * place, item)
        canvas.drawString(50, 630, "When that is done, the book is signed by the two oldest keepers.")

    text = (await reads(a_pdf(draw), "pdf")).markdown
    assert text == (await reads(a_pdf(draw_usually), "pdf")).markdown
    assert [line for line in text.split("\n") if line][2:3] == [f"{numbers[1].replace('•', '-')} {items[1]}"]


def two_pages(heads, feet, *, size=10):
    """The functions that draw two pages of text with a head and a foot each, set in letters of a size."""

    def page(head, foot, place):
        def draw(canvas):
            canvas.setFont("Helvetica", size)
            canvas.drawString(50, 770, head)
            canvas.setFont("Helvetica", 10)
            for line in range(20):
                canvas.drawString(50, 700 - 12 * line, f"Line {place}.{line} of what the keepers wrote down each day,")
            canvas.setFont("Helvetica", size)
            canvas.drawCentredString(300, 30, foot)

        return draw

    return [page(head, foot, place) for place, (head, foot) in enumerate(zip(heads, feet, strict=True), 1)]


@pytest.mark.parametrize(
    "feet", [("1", "2"), ("Page 1 of 2", "Page 2 of 2"), ("- 7 -", "- 8 -"), ("Blatt 3", "Blatt 4")]
)
async def test_the_page_numbers_of_two_pages_are_left_out(reads, a_pdf, feet):
    text = (await reads(a_pdf(*two_pages(("", ""), feet)), "pdf")).markdown
    assert text.startswith("Line 1.0")
    assert text.endswith("Line 2.19 of what the keepers wrote down each day,")
    assert not any(foot in text.split("\n") for foot in feet)


async def test_a_small_head_of_two_pages_is_kept_once(reads, a_pdf):
    pages = two_pages(("Report on ferries", "Report on ferries"), ("1/2", "2/2"), size=8)
    text = (await reads(a_pdf(*pages), "pdf")).markdown
    assert text.count("Report on ferries") == 1
    assert "/2" not in text


@pytest.mark.parametrize("heads", [("Example 1", "Example 2"), ("Questions", "Questions"), ("1.5 boats", "2.5 boats")])
async def test_titles_of_two_pages_and_figures_at_their_feet_stay(reads, a_pdf, heads):
    text = (await reads(a_pdf(*two_pages(heads, ("12 boats", "19 boats"))), "pdf")).markdown
    assert all(text.split("\n").count(head) == heads.count(head) for head in heads)
    assert "12 boats" in text
    assert "19 boats" in text


@pytest.mark.parametrize("gap", [8, 7, 1])
async def test_cells_closer_than_usual_are_divided_where_other_rows_have_gaps(reads, a_pdf, gap):
    rows = [
        ("Station", "Passengers", "Change", "Revenue"),
        ("Upper Ferry", "12,345", "-3.2", "1,234,567.00"),
        ("Lower Ferry", "987", "+14.5", "99,000.50"),
        ("Mill Stage", "45,000", "-0.7", "2,500.00"),
    ]

    def draw(canvas):
        canvas.drawString(50, 740, "The boats were counted at each landing stage in the year of the flood.")
        widths = [max(map(canvas.stringWidth, column)) for column in zip(*rows, strict=True)]
        for place, (name, *figures) in enumerate(rows):
            canvas.drawString(50, 720 - 14 * place, name)
            right = 50 + widths[0]
            for figure, width in zip(figures, widths[1:], strict=True):
                right += gap + width
                canvas.drawRightString(right, 720 - 14 * place, figure)
        canvas.drawString(50, 640, "Those of the other stages are not known, because nobody counted them.")

    expected = ["| " + " | ".join(row) + " |" for row in rows]
    expected.insert(1, "| --- | --- | --- | --- |")
    assert "\n".join(expected) in (await reads(a_pdf(draw), "pdf")).markdown


async def test_cells_stay_whole_whose_spaces_are_below_the_gap_behind_short_cells(reads, a_pdf):
    rows = [("x", "the sign"), ("y", "its value"), ("x  <=  y", "not more"), ("a", "the first"), ("z", "the last")]

    def draw(canvas):
        for place, (sign, meaning) in enumerate(rows):
            for left, words in ((50, sign), (150, meaning), (350, "page"), (450, str(place)))[: 4 if place > 3 else 2]:
                canvas.drawString(left, 720 - 14 * place, words)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert "x <= y not more" in markdown.replace(" | ", " ")
    assert "<= | y" not in markdown


async def test_words_of_a_cell_stay_together_below_short_cells(reads, a_pdf):
    rows = [("spsum", "sum", "3.6.0"), ("str2mat", "char", "3.6.0"), ("unmark", "none", "3.6.0")]
    rows += [("mahal", "mahal in Octave Forge", "5.1.0"), ("bitmax", "flintmax", "5.1.0"), ("all", "any", "5.1.0")]

    def draw(canvas):
        for place, row in enumerate(rows):
            canvas.drawString(50, 720 - 14 * place, row[0])
            canvas.drawString(150, 720 - 14 * place, row[1], wordSpace=3)  # as where lines are justified
            if place != 3:
                canvas.drawString(350, 720 - 14 * place, row[2])
        canvas.drawString(350, 720 - 14 * 3, rows[3][2])  # the last in the file

    assert "| mahal | mahal in Octave Forge | 5.1.0 |" in (await reads(a_pdf(draw), "pdf")).markdown


async def test_columns_below_a_table_and_short_lines_are_read_one_after_the_other(reads, a_pdf):
    def draw(canvas):
        y = 760
        for place in range(6):
            canvas.drawString(50, y, f"Entry {place} is short.")
            canvas.drawString(
                50, y - 12, f"The text of entry {place} is as wide as the page, and goes on to the right edge of it."
            )
            y -= 24
        for place in range(5):
            for left, word in ((50, "Stage"), (250, "Boats"), (350, "Crews"), (450, "Years")):
                canvas.drawString(left, y - 20 - 12 * place, f"{word} {place}")
        for column, left in (("left", 50), ("right", 310)):
            for place in range(6):
                canvas.drawString(
                    left, y - 110 - 12 * place, f"Line {place} of the {column} column, which is prose and"
                )

    text = (await reads(a_pdf(draw), "pdf")).markdown
    assert "| Stage 1 | Boats 1 | Crews 1 | Years 1 |" in text
    lines = [text.index(f"Line {place} of the {column}") for column in ("left", "right") for place in range(6)]
    assert lines == sorted(lines)
    assert text.index("Stage 4") < lines[0]


@pytest.fixture
def a_numbered_pdf(a_raw_pdf):
    """A PDF whose fonts tell the numbers of their glyphs for the characters, as PDFium reports those without a table."""

    def make(lines, name=b"ABCDEF+TimesNewRoman"):
        table = b"begincmap\n1 begincodespacerange <00> <ff> endcodespacerange\n1 beginbfrange\n<00> <ff> <0000>\nendbfrange\nendcmap"
        font = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /ToUnicode 7 0 R >>" % name
        content = b"BT /F2 12 Tf 50 700 Td "
        for line in lines:
            content += b"<%s> Tj 0 -14 Td " % b"".join(b"%02x" % number for number in line)
        extra = [font, b"<< /Length %d >> stream\n%s\nendstream" % (len(table), table)]
        return a_raw_pdf(content + b"ET", extra=extra, resources=b"/Font << /F1 5 0 R /F2 6 0 R >>")

    return make


def to_glyph_numbers(text):
    return [ord(letter) - 29 if letter < "\x80" else letter.encode("mac_roman")[0] - 30 for letter in text]


async def test_numbers_of_glyphs_are_the_letters_that_they_stand_for(reads, a_numbered_pdf):
    text = "The keepers of the ferry counted 1,234 boats (and \u201ca few\u201d caf\u00e9s) in the year 1998."
    body = a_numbered_pdf([to_glyph_numbers(text)])
    assert (await reads(body, "pdf")).markdown == text


async def test_numbers_of_glyphs_that_tell_of_no_letter_are_marked(reads, a_numbered_pdf):
    text = "The keepers of the ferry counted 1,234 boats and a few caf\u00e9s in the year 1998."
    body = a_numbered_pdf([to_glyph_numbers(text)], b"ABCDEF+Otter-Sans")
    assert (await reads(body, "pdf")).markdown == text.replace("\u00e9", "\ufffd")


async def test_capitals_with_control_characters_between_are_kept(reads, a_numbered_pdf):
    text = "THE KEEPERS OF THE FERRY COUNTED THE BOATS AND THE CREWS OF THE RIVER"
    body = a_numbered_pdf([[*map(ord, text), *[5] * 8]], b"ABCDEF+Otter-Sans")
    assert (await reads(body, "pdf")).markdown == text
