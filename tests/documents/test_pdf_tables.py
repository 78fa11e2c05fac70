"""Tables in PDFs: cells of several lines, with and without ruling lines, that span columns, rows and pages."""

import contextlib
import re
from io import BytesIO

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, SimpleDocTemplate, Table, TableStyle
from tests.support.processor_time import assert_linear

from assay.documents.document_parser import parse as parse_document
from assay.errors import ContentEmpty

BODY = getSampleStyleSheet()["BodyText"]
GRID = ("GRID", (0, 0), (-1, -1), 0.5, (0, 0, 0))
TEXT = "The keepers of the ferry wrote down each day what they saw on the water, and the books were kept for a century."
ROWS = [
    ["Ferry", "What its keeper wrote down in those years", "Where the book is now"],
    ["Upper", "The height of the water at the landing stage in the morning and at night", "Lost"],
    ["The one below the weir", "Ice", "In the archive of the county, where anyone may read it on a Monday"],
    ["Lower", "Boats", "Unknown"],
    ["New", "Birds", "Here"],
    ["Old", "Every passenger by name, with the fare that was paid and the load", "Burnt"],
]


def build(*flow):
    body = BytesIO()
    SimpleDocTemplate(body, pagesize=A4).build(list(flow))
    return body.getvalue()


def table(rows, *commands, widths=(100, 170, 150), **options):
    cells = [[Paragraph(cell, BODY) for cell in row] for row in rows]
    return Table(cells, colWidths=widths[: len(rows[0])], style=TableStyle(list(commands)), **options)


def find_tables(markdown):
    """The rows of each table, as lists of cells."""
    found = []
    for block in re.findall(r"(?:^\|.*\n?)+", markdown, re.MULTILINE):
        head, _, *rows = block.strip().split("\n")
        found.append([[cell.strip() for cell in row.strip("|").split(" | ")] for row in (head, *rows)])
    return found


@pytest.mark.parametrize("place", ["TOP", "MIDDLE", "BOTTOM"])
async def test_a_cell_of_several_lines_is_one_cell(reads, place):
    made = table(ROWS, GRID, ("VALIGN", (0, 0), (-1, -1), place))
    markdown = (await reads(build(Paragraph(TEXT, BODY), made, Paragraph(TEXT, BODY)), "pdf")).markdown
    assert find_tables(markdown) == [ROWS]
    assert markdown.startswith(TEXT)
    assert markdown.endswith(TEXT)


@pytest.mark.parametrize("lines", ["none", "below rows"])
@pytest.mark.parametrize("place", ["TOP", "MIDDLE", "BOTTOM"])
async def test_a_cell_of_several_lines_without_an_edge_is_one_cell(reads, place, lines):
    rules = [("LINEBELOW", (0, 0), (-1, -1), 0.5, (0, 0, 0))] * (lines != "none")
    made = table(ROWS, ("VALIGN", (0, 0), (-1, -1), place), *rules)
    markdown = (await reads(build(Paragraph(TEXT, BODY), made, Paragraph(TEXT, BODY)), "pdf")).markdown
    assert find_tables(markdown) == [ROWS]


async def test_cells_are_parted_where_few_of_them_are_on_one_line(reads):
    """PDFium joins what is on about one line, as cells that are centred in their rows or have one line."""
    rows = [row for row in ROWS if row[1] not in ("Boats", "Birds")]
    for place in ("TOP", "MIDDLE"):
        made = table(rows, ("VALIGN", (0, 0), (-1, -1), place))
        assert find_tables((await reads(build(Paragraph(TEXT, BODY), made), "pdf")).markdown) == [rows]


async def test_a_table_over_the_columns_of_a_page_is_one_table(reads):
    body, frames = BytesIO(), [Frame(x, 600, 240, 200, id=str(x)) for x in (50, 310)]
    template = BaseDocTemplate(body, pagesize=A4)
    template.addPageTemplates([PageTemplate(frames=frames)])
    template.build([table(ROWS, GRID, widths=(60, 90, 70), repeatRows=1)])
    assert find_tables((await reads(body.getvalue(), "pdf")).markdown) == [ROWS]


async def test_terms_and_their_definitions_of_several_lines_are_rows(reads):
    rows = [["ferry", TEXT], ["weir", TEXT], ["lock", "A basin with two gates."], ["ford", TEXT]]
    made = table(rows, ("VALIGN", (0, 0), (-1, -1), "TOP"), widths=(60, 300))
    markdown = (await reads(build(Paragraph(TEXT, BODY), made), "pdf")).markdown
    assert find_tables(markdown) == [rows]


@pytest.mark.parametrize("kind", ["items", "margin", "code"])
async def test_other_text_beside_each_other_is_no_table(reads, a_pdf, kind):
    """Numbers beside items, notes in the margin, and code beside its explanation."""

    def draw(canvas):
        y = 750
        for place in range(1, 7):
            canvas.setFont("Courier" if kind == "code" else "Helvetica", 10)
            canvas.drawString(50, y, {"items": f"({place})", "margin": f"note {place}", "code": f"run {place}"}[kind])
            for line in range(3):
                canvas.drawString(110, y - 12 * line, "The keepers of the ferry wrote down each day what they saw")
            y -= 60
            if kind == "margin":
                canvas.drawString(110, y, "and the books were kept for a century by all of them.")
                y -= 60

    assert find_tables((await reads(a_pdf(draw), "pdf")).markdown) == []


def draw_fractions(canvas):
    for place, text in enumerate(("d(x + 1)", "= t + 4", "d(y + 2)", "= u + 5")):
        for x in (60, 160):
            canvas.drawString(x + 40 * (place % 2), 700 - 8 * place, text)


def draw_sentences(canvas):
    """Lines of prose with a wide sign without text in each, at another place."""
    for place in range(5):
        cut = 8 + 14 * place
        canvas.drawString(50, 700 - 13 * place, TEXT[:cut])
        canvas.drawString(90 + canvas.stringWidth(TEXT[:cut]), 700 - 13 * place, TEXT[cut:80])


@pytest.mark.parametrize("draw", [draw_fractions, draw_sentences], ids=["fractions", "sentences"])
async def test_formulas_and_sentences_with_formulas_are_no_table(reads, a_pdf, draw):
    assert find_tables((await reads(a_pdf(draw), "pdf")).markdown) == []


async def test_a_running_head_and_a_heading_are_no_rows(reads, a_pdf):
    def draw(canvas):
        canvas.drawString(50, 740, "88")
        canvas.drawString(300, 740, "Ferries")
        for place in range(4):
            y = 700 - 30 * place
            canvas.drawString(50, y, f"ferry {place}")
            canvas.drawString(150, y, "The keeper of this one wrote down each")
            canvas.drawString(150, y - 12, "day what was on the water.")
        canvas.setFont("Helvetica-Bold", 10)
        canvas.drawString(50, 720, "The Ferries")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    told = "The keeper of this one wrote down each day what was on the water."
    assert find_tables(markdown) == [[[f"ferry {place}", told] for place in range(4)]]


async def test_words_cut_within_a_cell_are_joined_and_items_are_apart(reads, a_pdf):
    def draw(canvas):
        for x in (50, 150, 300):
            canvas.line(x, 600, x, 700)
        for y in (600, 650, 680, 700):
            canvas.line(50, y, 300, y)
        for x, y, text in [
            (55, 685, "Ferry"), (155, 685, "Kept"), (55, 665, "Up-"), (55, 653, "per"), (155, 659, "international"),
            (55, 630, "Old"), (155, 638, "• books"), (155, 626, "• letters of"), (155, 614, "the keeper"),
        ]:  # fmt: skip
            canvas.drawString(x, y, text)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert "| Upper | international |" in markdown
    assert "| Old | - books<br>- letters of the keeper |" in markdown


async def test_cells_that_span_columns_and_rows_leave_the_others_empty(reads):
    rows = [["Bank", "Year", "", "All"], ["", "First", "Second", ""], ["Left", "1", "2", "3"], ["", "4", "5", "9"]]
    spans = [("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1)), ("SPAN", (3, 0), (3, 1)), ("SPAN", (0, 2), (0, 3))]
    made = Table(rows, style=TableStyle([GRID, ("VALIGN", (0, 0), (-1, -1), "MIDDLE"), *spans]))
    markdown = (await reads(build(Paragraph(TEXT, BODY), made), "pdf")).markdown
    assert find_tables(markdown) == [rows]


async def test_a_cell_as_wide_as_the_table_above_its_head_is_its_title(reads):
    rows = [["Books of the ferries", "", ""], *ROWS]
    made = table(rows, GRID, ("SPAN", (0, 0), (-1, 0)))
    markdown = (await reads(build(Paragraph(TEXT, BODY), made), "pdf")).markdown
    assert find_tables(markdown) == [ROWS]
    assert f"{TEXT}\n\nBooks of the ferries\n\n| Ferry" in markdown


async def test_rows_without_lines_between_them_are_rows(reads):
    rows = [["Ferry", "Boats"], ["Upper", "3"], ["Lower", "12"], ["Old", "7"], ["New", "9"]]
    lines = [("BOX", (0, 0), (-1, -1), 1, (0, 0, 0)), ("LINEBELOW", (0, 0), (-1, 0), 1, (0, 0, 0))]
    inner = ("LINEAFTER", (0, 0), (0, -1), 1, (0, 0, 0))
    markdown = (await reads(build(Paragraph(TEXT, BODY), table(rows, *lines, inner)), "pdf")).markdown
    assert find_tables(markdown) == [rows]


async def test_a_table_over_several_pages_is_one_table_with_one_head(reads):
    rows = [ROWS[0], *([f"{name} {place}", kept, where] for place in range(15) for name, kept, where in ROWS[1:])]
    made = table(rows, GRID, repeatRows=1)
    markdown = (await reads(build(Paragraph(TEXT, BODY), made, Paragraph(TEXT, BODY)), "pdf")).markdown
    assert find_tables(markdown) == [rows]


async def test_a_table_without_lines_over_several_pages_is_one_table_with_one_head(reads):
    rows = [["Ferry", "Boats", "Crossings"], *([f"Ferry {n}", str(n), f"{131 * n:,}"] for n in range(1, 120))]
    markdown = (await reads(build(Table(rows, colWidths=(150, 120, 120), repeatRows=1)), "pdf")).markdown
    assert find_tables(markdown) == [rows]


async def test_a_head_of_two_rows_on_each_page_is_there_once(reads):
    heads = [["Ferry", "What its keeper wrote", ""], ["", "Down in those years", "Where it is now"]]
    rows = [*heads, *([f"{name} {place}", kept, where] for place in range(15) for name, kept, where in ROWS[1:])]
    made = table(rows, GRID, ("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1)), repeatRows=2)
    markdown = (await reads(build(Paragraph(TEXT, BODY), made, Paragraph(TEXT, BODY)), "pdf")).markdown
    assert find_tables(markdown) == [rows]


def draw_grid(canvas, rows, top=740):
    """Draw rows of lines of three cells."""
    bottom = top
    for cells in rows:
        height = 6 + 12 * max(len(lines) for lines in cells)
        for place, lines in enumerate(cells):
            canvas.rect(60 + 150 * place, bottom - height, 150, height)
            for number, line in enumerate(lines):
                canvas.drawString(64 + 150 * place, bottom - 12 - 12 * number, line)
        bottom -= height


async def test_a_row_that_the_end_of_a_page_cuts_is_one_row(reads, a_pdf):
    head = [["Ferry"], ["Book"], ["Kept"]]
    first = [
        head,
        [["Upper"], ["Lost"], ["Ice"]],
        [["Lower"], ["Burnt"], ["Every passenger by", "name, with the fare"]],
    ]
    second = [head, [[], [], ["that was paid and", "the load"]], [["Old"], ["Here"], ["Birds"]]]
    body = a_pdf(lambda canvas: draw_grid(canvas, first, 200), lambda canvas: draw_grid(canvas, second))
    assert find_tables((await reads(body, "pdf")).markdown) == [
        [
            ["Ferry", "Book", "Kept"],
            ["Upper", "Lost", "Ice"],
            ["Lower", "Burnt", "Every passenger by name, with the fare that was paid and the load"],
            ["Old", "Here", "Birds"],
        ]
    ]


async def test_a_row_that_begins_a_page_without_its_first_cell_stays_a_row(reads, a_pdf):
    head = [["Ferry"], ["Book"], ["Kept"]]
    first = [head, [["Upper"], ["Lost"], ["Ice"]], [["Lower"], ["Burnt"], ["Boats"]]]
    second = [head, [[], [], ["Birds"]], [["Old"], ["Here"], ["Fish"]]]
    body = a_pdf(lambda canvas: draw_grid(canvas, first, 200), lambda canvas: draw_grid(canvas, second))
    (found,) = find_tables((await reads(body, "pdf")).markdown)
    assert found[-2:] == [["", "", "Birds"], ["Old", "Here", "Fish"]]


def draw_wrapped(canvas, rows, top):
    """Draw rows of cells of one or more lines, without lines around them."""
    for number, cells in enumerate(rows):
        for x, lines in zip((60, 200, 400), cells, strict=True):
            for place, line in enumerate(lines):
                canvas.drawString(x, top - 32 * number - 12 * place, line)


async def test_two_rows_on_the_next_page_are_those_of_the_table(reads, a_pdf):
    rows = [
        [[], ["What its keeper wrote", "down in those years"], ["Kept"]],
        [["Upper"], ["The height of the water", "in the morning"], ["Lost"]],
        [["Lower"], ["Ice on the landing stage", "and on the mill"], ["Burnt"]],
        [["New"], ["Boats"], ["Unknown"]],
    ]
    rest = [[["Old"], ["Every passenger by name,", "with the fare"], ["Here"]], [["Far"], ["Birds"], ["There"]]]

    def end(canvas):
        draw_wrapped(canvas, rest, 740)
        canvas.drawString(60, 656, TEXT[:90])

    body = a_pdf(lambda canvas: draw_wrapped(canvas, rows, 200), end)
    markdown = (await reads(body, "pdf")).markdown
    assert find_tables(markdown) == [[[" ".join(cell) for cell in row] for row in rows + rest]]
    assert markdown.endswith(f"\n\n{TEXT[:90]}")


async def test_columns_of_text_behind_a_table_are_no_rows_of_it(reads, a_pdf):
    rows = [[["Upper", "ferry"], ["The height of the water", "in the morning"], ["Lost"]] for _ in range(4)]

    def end(canvas):
        canvas.drawString(60, 740, "1. Introduction")
        canvas.drawString(60, 720, TEXT[:90])

    body = a_pdf(lambda canvas: draw_wrapped(canvas, rows, 200), end)
    (found,) = find_tables((await reads(body, "pdf")).markdown)
    assert len(found) == len(rows)


async def test_a_head_above_columns_that_each_page_repeats_is_there_once(reads, a_pdf):
    def page(first):
        def draw(canvas):
            canvas.setFont("Helvetica-Bold", 10)
            canvas.drawString(250, 740, "Size of the boats")
            for x, cell in ((60, "Ferry"), (220, "Width"), (320, "Length"), (420, "Keeper")):
                canvas.drawString(x, 722, cell)
            canvas.setFont("Helvetica", 10)
            for number in range(30):
                for x, cell in ((60, f"Boat {first + number}"), (220, "3.5"), (320, "12.25"), (420, "Albin")):
                    canvas.drawString(x, 706 - 16 * number, cell)

        return draw

    markdown = (await reads(a_pdf(page(1), page(31)), "pdf")).markdown
    (found,) = find_tables(markdown)
    assert (markdown.count("Size of the boats"), markdown.count("Width"), len(found)) == (1, 1, 61)


async def test_a_table_over_both_columns_of_a_page_keeps_its_rows(reads, a_pdf):
    rows = [["Ferry", "Boats", "Crossings"], *([f"Ferry {n}", str(n), f"{131 * n:,}"] for n in range(1, 6))]

    def draw(canvas):
        for place, row in enumerate(rows):
            for column, cell in enumerate(row):
                canvas.drawString(40 + 200 * column, 760 - 14 * place, cell)
        for left in (40, 320):
            for line in range(40):
                canvas.drawString(left, 660 - 14 * line, "The keepers of the ferry wrote down each day what")

    assert find_tables((await reads(a_pdf(draw), "pdf")).markdown) == [rows]


async def test_rows_that_begin_each_page_are_not_its_head(reads, a_pdf):
    """Rows of numbers look alike when the numbers are masked, as those of running heads are."""

    def page(number):
        def draw(canvas):
            for y in range(100, 781, 20):
                canvas.line(50, y, 250, y)
                if y < 780:
                    canvas.drawString(55, y + 5, str(1000 * number + y))
                    canvas.drawString(155, y + 5, str(7000 * number + y))
            for x in (50, 150, 250):
                canvas.line(x, 100, x, 780)

        return draw

    (found,) = find_tables((await reads(a_pdf(*(page(number) for number in range(1, 6))), "pdf")).markdown)
    assert len(found) == 5 * 34


@pytest.mark.parametrize("inside", ["a frame", "a chart"])
async def test_lines_around_text_are_no_table(reads, a_pdf, inside):
    def draw(canvas):
        canvas.rect(50, 300, 400, 300)
        if inside == "a frame":
            canvas.line(50, 560, 450, 560)
            canvas.line(60, 560, 60, 600)
            for place in range(20):
                canvas.drawString(70, 540 - 12 * place, "The water was high on that day, and nobody came across it.")
        else:
            for step in range(1, 10):
                canvas.line(50 + 40 * step, 300, 50 + 40 * step, 600)
                canvas.line(50, 300 + 30 * step, 450, 300 + 30 * step)
                canvas.drawString(30 + 40 * step, 295 + 30 * step, f"Ferry {step}")

    assert find_tables((await reads(a_pdf(draw), "pdf")).markdown) == []


def draw_hostile_lines(kind, count):
    if kind == "rows":
        cells = [f"{50 + 100 * (n % 3)} {n * 0.07:.2f} 90 0.05 re S" for n in range(count)]
        return "\n".join(
            ["0.1 w", *cells, *(f"BT /F1 4 Tf {51} {n * 0.07:.2f} Td (x) Tj ET" for n in range(count // 4))]
        )
    if kind == "cells":
        pieces = (
            "50 {} Td (x y z) Tj 0 -5 Td (of it) Tj",
            "90 {} Td (x) Tj",
            "130 {} Td (of the) Tj 0 -5 Td (x y z) Tj",
        )
        rows = [f"BT /F1 4 Tf {piece.format(9 * row)} ET" for row in range(count // 4, 0, -1) for piece in pieces]
        return "\n".join(rows)
    if kind == "stairs":
        return "\n".join(f"{n % 500} {n % 700} {500 - n % 500} {700 - n % 700} re S" for n in range(count))
    return "\n".join(
        f"{'9' * 60} {n} m {n} {'9' * 60} l S 0 0 0 0 re f 1e400 {n} -1e400 {n} re S 10 10 9e30 0 re f"
        for n in range(count)
    )


@pytest.mark.parametrize("kind", ["rows", "cells", "stairs", "degenerate"])
def test_lines_without_end_cost_time_by_their_number(a_raw_pdf, kind):
    def parse(body):
        with contextlib.suppress(ContentEmpty):
            parse_document(body, "pdf")

    assert_linear(parse, lambda count: a_raw_pdf(draw_hostile_lines(kind, count).encode()), first=500, largest=8_000)
