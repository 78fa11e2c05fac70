"""PDFs of old LaTeX files: their bitmap fonts (Type 3) have no names and codes of TeX's encodings."""

import pytest

GLYPH = b"<< /Length 47 >> stream\n500 0 0 0 500 700 d1 0 0 500 700 re f         \nendstream"


def type_3(widths):
    """A font whose glyphs are called by their codes, as pdfTeX calls them."""
    names = b" ".join(b"/a%d" % code for code in range(256))
    glyphs = b" ".join(b"/a%d 6 0 R" % code for code in range(256))
    return (
        b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 700] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 0"
        b" /LastChar 255 /Encoding << /Type /Encoding /Differences [0 %s] >> /CharProcs << %s >> /Widths [%s] >>"
    ) % (names, glyphs, b" ".join(b"%d" % widths(code) for code in range(256)))


@pytest.fixture
def a_page(a_raw_pdf):
    """A page of lines of codes; words are set apart by positions, as TeX does."""

    def make(*lines, widths=lambda code: 300 + 10 * (code % 30)):
        shown = []
        for number, line in enumerate(lines):
            words = b"".join(b"(%s) -333 " % b"".join(b"\\%03o" % code for code in word) for word in line.split(b" "))
            shown.append(b"BT /F2 10 Tf 100 %d Td [%s] TJ ET\n" % (700 - 12 * number, words))
        return a_raw_pdf(b"".join(shown), resources=b"/Font << /F2 7 0 R >>", extra=(GLYPH, type_3(widths)))

    return make


async def test_ligatures_and_signs_of_the_first_encoding_are_read(reads, a_page):
    body = a_page(
        b'We \x0cnd that the di\x0ecult o\x0eces of the a\x0ene \row are \\su\x0eciently" e\x0ecient | an e\x0bect',
        b"of wa\x0fes with Stra\x19e, \x1ather, \x1cre, pages 1{2, `quoted'.",
    )
    assert (await reads(body, "pdf")).markdown == (
        "We find that the difficult offices of the affine flow are “sufficiently” efficient — an effect of waffles with"
        " Straße, æther, øre, pages 1–2, ‘quoted’."
    )


async def test_ligatures_and_letters_of_the_second_encoding_are_read(reads, a_page):
    body = a_page(
        b"Wir \x1cnden die gro\xffe \x12\xdcbersicht\x10 ohne Schi\x1bfahrt, Gra\x1ck und A\x1eche \x15 na\xefve \xf7uvre.",
        b"Die \xa3\xf3d\xb9 und die Stra\xffe sind o\x1ben, die Fl\xfcsse \x1die\xffen.",
    )
    assert (await reads(body, "pdf")).markdown == (
        "Wir finden die große „Übersicht“ ohne Schifffahrt, Grafik und Affiche – naïve œuvre."
        " Die čódź und die Straße sind offen, die Flüsse fließen."
    )


async def test_bullets_of_a_font_of_symbols_begin_items_of_text_in_another_font(reads, a_raw_pdf):
    items = [
        b"BT /F2 10 Tf 100 %d Td (\\210) Tj /F1 10 Tf 10 0 Td (%s item) Tj ET\n" % (700 - 12 * place, word)
        for place, word in enumerate((b"One", b"Another", b"A last"))
    ]
    fonts = GLYPH, type_3(lambda _code: 500)
    body = a_raw_pdf(b"".join(items), resources=b"/Font << /F1 5 0 R /F2 7 0 R >>", extra=fonts)
    assert (await reads(body, "pdf")).markdown == "- One item\n- Another item\n- A last item"


async def test_codes_of_a_typewriter_font_stand_for_themselves(reads, a_page):
    body = a_page(b'if value < "limit" then { return ~x }', b"or the arrow \x0b is up", widths=lambda _code: 525)
    assert '< "limit" then { return ~x }' in (await reads(body, "pdf")).markdown
