"""Tables in PDFs without lines whose rows are one piece of text each, as LaTeX writes them."""

import pytest
from tests.support.processor_time import assert_linear

from assay.documents.pdf import parse
from assay.documents.pdf_layout import order_lines
from assay.documents.pdf_text_page import PdfLine

TEXT = "The keepers of the ferry wrote down each day what they saw on the water, and the books were kept."
ROWS = [
    ["Ferry", "Boats", "Passengers", "Fare"],
    ["Upper", "3", "1,204", "0.20"],
    ["Lower", "12", "18,871", "0.25"],
    ["The one at the weir", "1", "77", "0.10"],
    ["New", "4", "3,010", "0.30"],
]


def write_row(canvas, y, cells, columns, x=50, size=10):
    """Write the cells as one text with gaps within it (TJ), so that they begin at the columns."""
    pieces, place = [], 0.0
    for cell, column in zip(cells, columns, strict=True):
        pieces.append(f"{-(column - place) * 1000 / size:.0f}" if column > place else "")
        pieces.append(f"({cell})")
        place = column + canvas.stringWidth(cell, "Helvetica", size)
    font = canvas._doc.getInternalFontName("Helvetica")
    canvas._code.append(f"BT {font} {size} Tf 1 0 0 1 {x} {y} Tm [{' '.join(pieces)}] TJ ET")


def write_lines(canvas, y, lines):
    for place, line in enumerate(lines):
        canvas.drawString(50, y - 12 * place, line)


def find_rows(markdown):
    return [line.strip("|").split(" | ") for line in markdown.split("\n") if line.startswith("|") and "---" not in line]


@pytest.mark.parametrize("columns", [(0, 120, 180, 260), (0, 96, 134, 200)], ids=["wide", "narrow"])
async def test_rows_that_are_one_text_each_are_a_table(reads, a_pdf, columns):
    def draw(canvas):
        write_lines(canvas, 740, [TEXT, TEXT])
        for place, cells in enumerate(ROWS):
            write_row(canvas, 700 - 12 * place, cells, columns)
        write_lines(canvas, 620, [TEXT, TEXT])

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert [[cell.strip() for cell in row] for row in find_rows(markdown)] == ROWS
    assert markdown.startswith(f"{TEXT} {TEXT}\n\n| ")
    assert markdown.endswith(f" |\n\n{TEXT} {TEXT}")


async def test_a_number_of_thousands_of_digits_is_a_cell(reads, a_pdf):
    cells = [["Ferry", digits] for digits in ("7", "8", "9", "7" * 5_000)]

    def draw(canvas):
        canvas.setPageSize((70_000, 800))
        write_lines(canvas, 740, [TEXT] * 6)
        for place, row in enumerate(cells):
            write_row(canvas, 640 - 12 * place, row, (0, 200))

    rows = find_rows((await reads(a_pdf(draw), "pdf")).markdown)
    assert [[cell.strip() for cell in row] for row in rows] == cells


def test_the_number_beside_a_row_is_in_its_first_cell():
    cells = PdfLine("Ferry", 70, 100, 700, 10), PdfLine("12", 200, 210, 700, 10)
    row = cells[0]._replace(text="Ferry 12", right=210, cells=cells)
    (line,) = order_lines([PdfLine("1.", 50, 58, 700, 10), row])
    assert (line.text, [cell.text for cell in line.cells]) == ("1. Ferry 12", ["1. Ferry", "12"])


def test_rows_of_many_cells_are_read_in_linear_time(a_pdf):
    def draw_rows(many):
        def draw(canvas):
            canvas.setPageSize((44 * many + 200, 800))
            write_lines(canvas, 740, [TEXT] * 6)
            for place in range(4):
                columns = [44 * column for column in range(many)]
                write_row(canvas, 640 - 12 * place, ["aaaaaa"] * many, columns, x=50 + 22 * (place % 2))

        return a_pdf(draw)

    assert_linear(parse, draw_rows)


@pytest.mark.parametrize("kind", ["justified", "items", "contents", "code", "sections"])
async def test_other_lines_with_gaps_are_no_table(reads, a_pdf, kind):
    words = ["The", "keepers", "of", "the", "ferry", "wrote", "down", "each", "day"]

    def draw(canvas):
        write_lines(canvas, 740, [TEXT, TEXT])
        for place in range(5):
            y = 700 - 12 * place
            if kind == "justified":
                write_row(canvas, y, [" ".join(words[: 4 + place % 2]), " ".join(words)], (0, 150), x=50)
            elif kind == "items":
                write_row(canvas, y, ["\\225", " ".join(words)], (0, 20))
            elif kind == "contents":
                write_row(canvas, y, [f"{place + 1}", " ".join(words[:4]), f"{place * 3 + 1}"], (0, 20, 200))
            elif kind == "code":
                canvas.setFont("Courier", 10)
                canvas.drawString(50, y, f"run(place, {place})      # and wait for it")
            else:
                write_row(canvas, y, [f"{place + 1}.", " ".join(words)], (0, 25))

    assert find_rows((await reads(a_pdf(draw), "pdf")).markdown) == []
