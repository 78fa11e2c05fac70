"""PDF text that is not drawn: in hidden layers, clipped, or painted over."""

import pytest

SEEN = b"BT /F1 12 Tf 50 740 Td (marker of the page) Tj ET "
WORDS = b"BT /F1 12 Tf 50 600 Td (okapi) Tj ET "
LAYER = b"<< /Type /OCG /Name (A layer) >>"
MEMBER = b"<< /Type /OCMD /OCGs [6 0 R] /P /AllOn >>"
FORM = b"<< /Type /XObject /Subtype /Form %s /BBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> >> /Length %d >> stream\n%s\nendstream"
OFF = b"/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>"
ON = b"/OCProperties << /OCGs [6 0 R] /D << /ON [6 0 R] >> >>"
RESOURCES = b"/Font << /F1 5 0 R >> /Properties << /L1 6 0 R /L2 7 0 R >> /XObject << /X1 8 0 R >>"


def form(entry=b""):
    return FORM % (entry, len(WORDS), WORDS)


def with_catalog(body, entry):
    """The catalogue with one more entry; places after it are found by repair."""
    return (
        body.replace(b"/Type /Catalog", b"/Type /Catalog " + entry, 1).rpartition(b"xref")[0]
        + b"trailer << /Size 9 /Root 1 0 R >>"
    )


@pytest.fixture
def build_layered_pdf(a_raw_pdf):
    def make(content, catalog=OFF, entry=b""):
        return with_catalog(a_raw_pdf(SEEN + content, resources=RESOURCES, extra=(LAYER, MEMBER, form(entry))), catalog)

    return make


LAYERS = {
    "in the page": (b"/OC /L1 BDC " + WORDS + b"EMC", b""),
    "by membership": (b"/OC /L2 BDC " + WORDS + b"EMC", b""),
    "a form of the layer": (b"/X1 Do", b"/OC 6 0 R"),
    "a form within": (b"/OC /L1 BDC /X1 Do EMC", b""),
}


@pytest.mark.parametrize("name", LAYERS)
async def test_a_layer_that_is_off_is_left_out_and_one_that_is_on_stays(build_layered_pdf, reads, name):
    content, entry = LAYERS[name]
    document = await reads(build_layered_pdf(content, OFF, entry), "pdf")
    assert document.markdown == "marker of the page"
    assert "1 piece(s)" in document.notes[0]
    assert "okapi" in (await reads(build_layered_pdf(content, ON, entry), "pdf")).markdown


HIDDEN = {
    "clipped away": b"q 0 0 10 10 re W n " + WORDS + b"Q",
    "clipped by two far corners": b"q 0 0 5 5 re 590 790 5 5 re W n " + WORDS + b"Q",
    "clipped by a sliver": b"q 0 0 m 600 800 l 600 800 l 0 0 l h W n " + WORDS + b"Q",
    "covered by a white rectangle": WORDS + b"1 g 40 590 200 30 re f 0 g",
    "covered by a black rectangle": WORDS + b"0 g 40 590 200 30 re f",
    "covered, with other words on top": WORDS + b"1 g 40 590 200 30 re f 0 g BT /F1 12 Tf 45 600 Td (zebra) Tj ET",
}
VISIBLE = {
    "clipped around": b"q 0 500 600 200 re W n " + WORDS + b"Q",
    "clipped by a shape around": b"q 0 500 m 600 500 l 600 700 l 300 720 l 100 720 l 0 700 l h W n " + WORDS + b"Q",
    "on a rectangle": b"0.9 g 40 590 200 30 re f 0 g " + WORDS,
    "beside a rectangle": WORDS + b"0.9 g 140 590 200 30 re f 0 g",
    "framed": WORDS + b"40 590 200 30 re S",
    "under a transparent mark": b"/X1 Do",
    "in a form": b"/X1 Do",
}


@pytest.mark.parametrize("name", HIDDEN)
async def test_text_that_is_clipped_or_covered_is_left_out(a_raw_pdf, reads, name):
    text = (await reads(a_raw_pdf(SEEN + HIDDEN[name]), "pdf")).markdown
    assert "marker" in text
    assert "okapi" not in text
    assert ("zebra" in text) == ("other words" in name)


@pytest.mark.parametrize("name", VISIBLE)
async def test_text_that_is_drawn_stays(build_layered_pdf, reads, name):
    assert "okapi" in (await reads(build_layered_pdf(VISIBLE[name], ON), "pdf")).markdown


async def test_the_text_below_a_scan_is_its_text(a_pdf, reads):
    from io import BytesIO

    from PIL import Image
    from reportlab.lib.utils import ImageReader

    picture = BytesIO()
    Image.new("RGB", (60, 80), (250, 250, 240)).save(picture, "PNG")

    def draw(canvas):
        canvas.drawString(50, 700, "Recognised words of the scan")
        canvas.drawImage(ImageReader(picture), 0, 0, 600, 800)

    assert "Recognised words" in (await reads(a_pdf(draw), "pdf")).markdown


def actual_text(said, drawn=b"(okapi) Tj"):
    return b"/Span << /ActualText (%s) >> BDC BT /F1 12 Tf 50 600 Td %s ET EMC" % (said, drawn)


async def test_what_is_drawn_counts_where_a_file_says_something_else(a_raw_pdf, reads):
    text = (await reads(a_raw_pdf(SEEN + actual_text(b"zebra and more")), "pdf")).markdown
    assert "okapi" in text
    assert "zebra" not in text


async def test_text_for_letters_that_cannot_be_read_is_believed(a_raw_pdf, reads):
    cmap = b"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <e020> endbfrange"
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>"
    stream = b"<< /Length %d >> stream\n%s\nendstream" % (len(cmap), cmap)
    content = SEEN + b"/Span << /ActualText (okapi) >> BDC BT /F2 12 Tf 50 600 Td (abcde) Tj ET EMC"
    body = a_raw_pdf(content, resources=b"/Font << /F1 5 0 R /F2 6 0 R >>", extra=(font, stream))
    assert "okapi" in (await reads(body, "pdf")).markdown


async def test_text_that_says_what_is_drawn_is_left_as_it_is(a_raw_pdf, reads):
    document = await reads(a_raw_pdf(SEEN + actual_text(b"Oka-pi")), "pdf")
    assert document.notes == ()
