"""Tables in PDFs that the file has column by column, and text in columns that is no table."""

import contextlib
import random

import pytest
from tests.documents.test_pdf_tables import find_tables
from tests.support.processor_time import assert_linear

from assay.documents.document_parser import parse as parse_document
from assay.errors import ContentEmpty

FIGURES = [
    ["Ferry", "1921", "1922", "1923"],
    ["Upper", "12.5", "1,313", "(14)"],
    ["Lower", "8", "9", "–"],
    ["New", "21%", "", "19"],
    ["All", "7", "6", "5"],
]
WORDS = [
    ["Keeper", "Ferry", "Book"],
    ["Ada Holt", "Upper", "Lost"],
    ["Bert Lund", "Below the weir", "Archive of the county"],
    ["Cleo Marsh", "New", "Burnt"],
]
PLACES = (60, 200, 320, 440)
PROSE = "The keepers of the ferry wrote down each day what"


def draw_columns(canvas, rows, *, left=0, top=600, step=14, jitter=0.0, bold=False):
    """Draw a table column by column; a line break in a cell takes half a step."""
    change = random.Random(1)
    for column in range(len(rows[0])):
        for place, row in enumerate(rows):
            canvas.setFont("Helvetica-Bold" if bold and not place else "Helvetica", 10)
            for line, text in enumerate(filter(None, row[column].split("\n"))):
                x = left + PLACES[column] + change.uniform(-jitter, jitter)
                y = top - step * place - 11 * line + change.uniform(-jitter, jitter)
                canvas.drawString(x, y, text)


def draw_prose(canvas, left, top, lines=6):
    canvas.setFont("Helvetica", 10)
    for line in range(lines):
        canvas.drawString(left, top - 14 * line, PROSE)


@pytest.mark.parametrize("jitter", [0.0, 1.2], ids=["set", "recognised"])
@pytest.mark.parametrize("text", ["alone", "between text"])
async def test_columns_of_figures_are_a_table(reads, a_pdf, text, jitter):
    def draw(canvas):
        if text != "alone":
            draw_prose(canvas, 60, 700)
        draw_columns(canvas, FIGURES, jitter=jitter)
        if text != "alone":
            draw_prose(canvas, 60, 500)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert find_tables(markdown) == [FIGURES]
    assert markdown.startswith(PROSE) == markdown.endswith(PROSE) == (text != "alone")


async def test_columns_of_words_under_bold_heads_are_a_table(reads, a_pdf):
    found = await reads(a_pdf(lambda canvas: draw_columns(canvas, WORDS, bold=True)), "pdf")
    assert find_tables(found.markdown) == [WORDS]


async def test_lines_of_a_label_are_one_cell(reads, a_pdf):
    rows = [list(row) for row in FIGURES]
    rows[1][0], rows[3][0] = "Upper ferry and\nits two boats", "The new one\nbelow the weir"
    found = await reads(a_pdf(lambda canvas: draw_columns(canvas, rows, step=26)), "pdf")
    assert find_tables(found.markdown) == [[[cell.replace("\n", " ") for cell in row] for row in rows]]


async def test_a_table_in_a_column_of_a_page_stays_between_its_text(reads, a_pdf):
    narrow = [row[:3] for row in FIGURES]

    def draw(canvas):
        draw_prose(canvas, 40, 700, 20)
        draw_prose(canvas, 320, 700, 6)
        canvas.setFont("Helvetica", 10)
        for column in range(3):
            for place, row in enumerate(narrow):
                canvas.drawString(320 + 90 * column, 600 - 14 * place, row[column])
        draw_prose(canvas, 320, 500, 6)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert find_tables(markdown) == [narrow]
    before, _, after = markdown.partition("| Ferry")
    assert (before.count(PROSE), after.count(PROSE)) == (26, 6)


def draw_two_columns_of_prose(canvas):
    draw_prose(canvas, 40, 700, 20)
    draw_prose(canvas, 320, 700, 20)


def draw_lists(canvas):
    draw_columns(canvas, [["Ada", "Dana", "Gus"], ["Bert", "Emil", "Hal"], ["Cleo", "Fay", "Ida"]])


def draw_addresses(canvas):
    rows = [["From", "To"], ["Ada Holt", "Bert Lund"], ["1 Weir Lane", "2 Ferry Road"], ["Upper Ford", "Lower Ford"]]
    draw_columns(canvas, rows, bold=True)


def draw_scales(canvas):
    draw_columns(canvas, [[str(number)] * 2 for number in (40, 30, 20, 10, 0)])


def draw_line_numbers_of_verses(canvas):
    for line in range(20):
        canvas.drawString(60, 700 - 14 * line, f"The ferry of verse {line}")
    for line in range(4, 20, 5):
        canvas.drawString(300, 700 - 14 * line, str(line + 1))


@pytest.mark.parametrize(
    "draw", [draw_two_columns_of_prose, draw_lists, draw_addresses, draw_scales, draw_line_numbers_of_verses]
)
async def test_other_text_in_columns_is_no_table(reads, a_pdf, draw):
    assert find_tables((await reads(a_pdf(draw), "pdf")).markdown) == []


@pytest.mark.parametrize(
    "rows",
    [
        [["40"], ["20"], ["5"], ["30"], ["8"], ["x"]],
        [[str(number), str(100 + number), str(200 + number)] for number in range(1, 14)],
    ],
    ids=["one column", "rows that begin with a digit"],
)
async def test_digits_alone_are_not_joined_to_the_line_above(reads, a_pdf, rows):
    """PDFium takes them for vertical writing on a page with little text in its width."""

    def draw(canvas):
        for place, row in enumerate(rows):
            for column, text in enumerate(row):
                canvas.drawString(60 + 60 * column, 700 - 14 * place, text)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert find_tables(markdown) == [rows] if len(rows[0]) > 1 else markdown.split() == [text for [text] in rows]


@pytest.mark.parametrize("kind", ["stairs", "columns", "digits"])
def test_columns_without_end_cost_time_by_their_number(a_raw_pdf, kind):
    def draw(count):
        places = {
            "stairs": lambda n: (n % 50 * 10, 9 * (n % 50) + n % 7),
            "columns": lambda n: (n // 40 % 40 * 14, 700 - 14 * (n % 40)),
            "digits": lambda n: (60, 700 - 14 * (n % 50)),
        }[kind]
        texts = ["20", "5"] if kind == "digits" else ["word", "4"]
        drawn = (f"BT /F1 4 Tf {' '.join(map(str, places(n)))} Td ({texts[n % 2]}) Tj ET" for n in range(count))
        return "\n".join(drawn).encode()

    def parse(body):
        with contextlib.suppress(ContentEmpty):
            parse_document(body, "pdf")

    assert_linear(parse, lambda count: a_raw_pdf(draw(count)), first=500, largest=8_000)
