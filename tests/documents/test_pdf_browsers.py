"""PDFs as browsers print them: letters one by one, bullets drawn as shapes, hyphens of their own."""

from itertools import pairwise

import pytest
from reportlab.lib.colors import Color
from reportlab.pdfbase.pdfmetrics import stringWidth

TEXT = "The keepers of the ferry wrote down each day what they saw on the water, and the books were kept there."
BROWSER = "Skia/PDF m147"


def draw_letters(canvas, left, bottom, text, *, hinted=True):
    """Draw each letter on its own, as browsers do where letters have other widths than in the font."""
    for letter in text:
        canvas.drawString(left, bottom, letter)
        left += stringWidth(letter, canvas._fontname, canvas._fontsize) + 0.2 * hinted


async def test_letters_drawn_one_by_one_in_narrow_columns_are_words(reads, a_pdf):
    left = [
        "The keepers of the ferry",
        "wrote down each day what",
        "they saw on the water in",
        "the summers of those years.",
    ]
    right = [
        "Their books were kept for",
        "a century, until the house",
        "was sold and the shelves",
        "were emptied by its heirs.",
    ]

    def draw(canvas):
        for place, lines in ((50, left), (400, right)):
            for number, line in enumerate(lines * 4):
                draw_letters(canvas, place, 700 - 12 * number, line)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown.split("\n\n") == [" ".join(left * 4), " ".join(right * 4)]


@pytest.mark.parametrize("shape", ["disc", "ring", "square"])
async def test_bullets_that_are_drawn_are_those_of_a_list(reads, a_pdf, shape):
    def draw_bullet(canvas, left, middle):
        if shape == "square":
            canvas.rect(left, middle - 2, 4, 4, stroke=0, fill=1)
        else:
            canvas.circle(left + 2, middle, 2, stroke=shape == "ring", fill=shape == "disc")

    def draw(canvas):
        canvas.drawString(50, 700, TEXT)
        for level, bottom, lines in (
            (0, 676, ["Upper ferry"]),
            (1, 664, ["The boat of the ferryman, which was sold to the keeper of the weir when", "its owner moved"]),
            (0, 640, ["Lower ferry"]),
        ):
            draw_bullet(canvas, 60 + 20 * level, bottom + 3.5)
            for number, line in enumerate(lines):
                canvas.drawString(72 + 20 * level, bottom - 12 * number, line)
        canvas.drawString(50, 616, TEXT)

    boat = "The boat of the ferryman, which was sold to the keeper of the weir when its owner moved"
    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown == f"{TEXT}\n\n- Upper ferry\n  - {boat}\n- Lower ferry\n\n{TEXT}"


async def test_shaded_balls_are_bullets_or_are_behind_the_numbers_of_items(reads, a_pdf):
    def draw_ball(canvas, left, bottom, size):
        canvas.saveState()
        area = canvas.beginPath()
        area.rect(left, bottom, size, size)
        canvas.clipPath(area, stroke=0, fill=0)
        colors = Color(0.9, 0.9, 1), Color(0.1, 0.1, 0.6)
        canvas.radialGradient(left + size / 2, bottom + size / 2, size / 2, colors)
        canvas.restoreState()

    def draw(canvas):
        for place, text in enumerate(["The mill", "The ferry", "The weir"]):
            draw_ball(canvas, 60, 700 - 16 * place, 5)
            canvas.setFont("Helvetica", 11)
            canvas.drawString(71, 700 - 16 * place, text)
        for number, text in enumerate(["First the ice", "Then the water"], 1):
            draw_ball(canvas, 59, 619 - 16 * number, 8)
            canvas.setFont("Helvetica", 8)
            canvas.drawString(61, 621 - 16 * number, str(number))
            canvas.setFont("Helvetica", 11)
            canvas.drawString(71, 620 - 16 * number, text)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown == "- The mill\n- The ferry\n- The weir\n\n1. First the ice\n\n2. Then the water"


async def test_points_of_a_chart_are_no_bullets(reads, a_pdf):
    def draw(canvas):
        canvas.drawString(50, 700, TEXT)
        for number in range(12):
            canvas.circle(100 + 30 * number, 400 + 9 * number, 2, fill=1)
        canvas.drawString(440, 398, "1900")
        canvas.drawString(98, 440, "Boats")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown.split("\n\n") == [TEXT, "1900", "Boats"]


@pytest.mark.parametrize("pages", [1, 2, 4])
@pytest.mark.parametrize("browser", ["Chromium", "Firefox"])
async def test_the_heads_and_feet_that_browsers_print_are_left_out(reads, a_pdf, browser, pages):
    def page(number):
        date, url = "11/27/26, 7:42 PM", "https://ferry.example/books"
        count = f"{number}/{pages}" if browser == "Chromium" else f"{number} of {pages}"
        corners = (date, "Ferry books", url, count) if browser == "Chromium" else ("Ferry books", url, count, date)

        def draw(canvas):
            canvas.drawString(50, 600, f"{number} boats. {TEXT}")
            canvas.drawString(50, 200, f"In year {number}. {TEXT}")
            canvas.setFontSize(8)
            for text, left, bottom in zip(corners, (24, 300, 24, 550), (780, 780, 15, 15), strict=True):
                canvas.drawString(left, bottom, text)

        return draw

    markdown = (await reads(a_pdf(*(page(number) for number in range(1, pages + 1))), "pdf")).markdown
    assert markdown.split("\n\n") == [
        text for number in range(1, pages + 1) for text in (f"{number} boats. {TEXT}", f"In year {number}. {TEXT}")
    ]


async def test_a_fraction_at_the_foot_of_a_page_stays(reads, a_pdf):
    def draw(canvas):
        canvas.drawString(50, 740, TEXT)
        canvas.drawString(50, 20, "Shares of the ferry: 1/1")

    assert (await reads(a_pdf(draw), "pdf")).markdown == f"{TEXT}\n\nShares of the ferry: 1/1"


async def test_words_cut_with_a_hyphen_of_unicode_are_joined(reads, a_raw_pdf):
    cmap = (
        b"1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfrange <20> <7e> <0020> <80> <80> <2010> endbfrange"
    )
    body = a_raw_pdf(
        b"BT /F1 10 Tf 50 700 Td (They wrote down what the passen\\200) Tj 0 -12 Td (gers of the well\\200) Tj "
        b"0 -12 Td (known ferry paid for its well-known boats) Tj ET",
        resources=b"/Font << /F1 6 0 R >>",
        extra=(
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>",
            b"<< /Length %d >> stream\n%s\nendstream" % (len(cmap), cmap),
        ),
    )
    markdown = (await reads(body, "pdf")).markdown
    assert markdown == "They wrote down what the passengers of the well-known ferry paid for its well-known boats"


EDGES = (50, 130, 340, 420)
ROWS = (
    (["Ferry"], ["What its keeper wrote down"], ["Fare"]),
    (["Upper"], ["The height of the water at the landing", "stage in the morning and at night"], ["12.50"]),
    (["The one", "below", "the weir"], ["Ice"], ["7.00"]),
    (
        ["Lower"],
        ["Boats, and every passenger by name,", "with the fare that was paid and the load", "that was lost"],
        [],
    ),
    (["Old"], ["Birds"], ["1,204"]),
)
TABLE = """| Ferry | What its keeper wrote down | Fare |
| --- | --- | --- |
| Upper | The height of the water at the landing stage in the morning and at night | 12.50 |
| The one below the weir | Ice | 7.00 |
| Lower | Boats, and every passenger by name, with the fare that was paid and the load that was lost |  |
| Old | Birds | 1,204 |"""


def draw_table(canvas, top, lines):
    """Draw the rows with pieces of lines below cells, or with every second row on the grounds of its cells."""
    for number, row in enumerate(ROWS):
        bottom = top - 12 * max(map(len, row)) - 8
        for (left, right), cell in zip(pairwise(EDGES), row, strict=True):
            if lines == "grounds" and number % 2:
                canvas.setFillGray(0.9)
                canvas.rect(left, bottom, right - left, top - bottom, stroke=0, fill=1)
            if lines == "below" and number < len(ROWS) - 1:
                canvas.rect(left, bottom, right - left, 0.7, stroke=0, fill=1)
            canvas.setFillGray(0)
            middle = (top + bottom) / 2 + 6 * len(cell) - 9
            for place, text in enumerate(cell):
                canvas.drawString(left + 5, middle - 12 * place, text)
        top = bottom
    return top


@pytest.mark.parametrize("lines", ["below", "grounds"])
async def test_cells_that_have_lines_only_below_them_are_those_of_a_table(reads, a_pdf, lines):
    def draw(canvas):
        canvas.drawString(50, 700, TEXT)
        bottom = draw_table(canvas, 685, lines)
        canvas.drawString(50, bottom - 20, TEXT)

    assert (await reads(a_pdf(draw), "pdf")).markdown == f"{TEXT}\n\n{TABLE}\n\n{TEXT}"


async def test_text_between_lines_of_pieces_is_no_table(reads, a_pdf):
    def draw(canvas):
        for number in range(4):
            canvas.rect(50, 690 - 40 * number, 100, 0.7, stroke=0, fill=1)
            canvas.rect(150, 690 - 40 * number, 350, 0.7, stroke=0, fill=1)
            canvas.drawString(50, 670 - 40 * number, TEXT)

    assert (await reads(a_pdf(draw), "pdf")).markdown == "\n\n".join([TEXT] * 4)


def draw_spaced(canvas, text, *, letter=3.0, word=9.0, size=10):
    """Draw each letter on its own, with a gap behind it, as browsers do."""
    canvas.setFont("Helvetica", size)
    x = 50.0
    for sign in text:
        if sign == " ":
            x += word - letter
        else:
            canvas.drawString(x, 700, sign)
            x += canvas.stringWidth(sign, "Helvetica", size) + letter


@pytest.mark.parametrize("text", ["TIMBER MODERN HOUSE", "annual report, part 2 of the county"])
async def test_letters_that_are_set_apart_are_words(reads, a_pdf, text):
    assert (await reads(a_pdf(lambda canvas: draw_spaced(canvas, text)), "pdf")).markdown == text


@pytest.mark.parametrize(("text", "word"), [("A B C D E F G H I", 6.0), ("AB CD EF GH IJ", 12.0)])
async def test_single_letters_are_no_words(reads, a_pdf, text, word):
    found = await reads(a_pdf(lambda canvas: draw_spaced(canvas, text, letter=3.0, word=word)), "pdf")
    assert found.markdown.replace("|", " ").replace("-", " ").split() == list(text.replace(" ", ""))


async def test_boxes_that_float_are_read_before_the_paragraph_beside_them(reads, a_pdf):
    """Browsers paint them before all other text."""
    paragraph = [
        "The keepers of the ferry wrote down each day",
        "what they saw on the water, from the boats of",
        "the upper landing stage to those of the weir,",
        "and the books were kept there for a century.",
    ]

    def draw(canvas):
        canvas.setProducer(BROWSER)
        for number, line in enumerate(["Length of the ferry: 30 m", "Built in the year 1873"]):
            canvas.drawString(400, 640 - 12 * number, line)
        canvas.setFontSize(20)
        canvas.drawString(50, 720, "Ferries")
        canvas.setFontSize(10)
        canvas.drawString(50, 680, TEXT)
        for number, line in enumerate(paragraph):
            canvas.drawString(50, 656 - 12 * number, line)
        for number in range(3):
            canvas.drawString(50, 590 - 24 * number, f"In year {number}. {TEXT}")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown.split("\n\n") == [
        "# Ferries",
        TEXT,
        "Length of the ferry: 30 m Built in the year 1873",
        " ".join(paragraph),
        *(f"In year {number}. {TEXT}" for number in range(3)),
    ]


async def test_a_column_that_begins_lower_is_no_box_that_floats(reads, a_pdf):
    left = [f"In year {number} the left bank had a keeper" for number in range(8)]
    right = [f"In year {number} the right bank had a boat" for number in range(10)]

    def draw(canvas):
        canvas.setProducer(BROWSER)
        canvas.drawString(50, 720, TEXT)
        for place, top, lines in ((50, 650, left), (320, 680, right)):
            for number, line in enumerate(lines):
                canvas.drawString(place, top - 12 * number, line)

    assert (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n") == [TEXT, " ".join(left), " ".join(right)]
