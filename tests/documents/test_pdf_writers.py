"""PDFs as programs write them that recognise text, set pages of HTML, or rewrite other PDFs."""

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


async def test_recognised_text_whose_font_draws_no_glyphs_is_not_code(reads, a_raw_pdf):
    lines = [
        "The keepers of the ferry wrote down each day what they saw on the difficul-",
        "ties of the upper river, and counted the boats that came back to the stage",
        "before the ice was on the water.",
        "",
        "When the winter was over, the books of the keepers were brought to the town,",
        "where nobody read them.",
    ]
    content = b"q 600 0 0 800 0 0 cm /Im1 Do Q BT 3 Tr /F1 10 Tf 70 Tz "
    for place, line in enumerate(lines):
        left = 50.0
        for word in line.split():
            content += b"1 0 0 1 %.2f %d Tm (%s ) Tj " % (left, 700 - 12 * place, word.encode())
            left += 3.5 * len(word) + 5.5
    resources = b"/Font << /F1 6 0 R >> /XObject << /Im1 8 0 R >>"
    text = (
        await reads(a_raw_pdf(content + b"ET", extra=[GLYPHLESS, GLYPHLESS_STYLE, SCAN], resources=resources), "pdf")
    ).markdown
    assert text == "\n\n".join([" ".join(lines[:3]).replace("- ", ""), " ".join(lines[4:])])
