"""PDFs as word processors and spreadsheets write them: heads with tabs, tables over pages, notes behind a tab."""

import pytest

TEXT = [
    "The keepers of the ferry wrote down each day what they saw on the water, and the books were kept",
    "in the house of the harbour master, where they can still be read by those who ask for them in time.",
]


def draw_text(canvas, top, lines=TEXT, size=10, left=50):
    for place, line in enumerate(lines):
        canvas.setFont("Helvetica", size)
        canvas.drawString(left, top - 1.2 * size * place, line)


def draw_row(canvas, y, cells, rights, size=10):
    """Draw each cell as a text of its own, which ends at a place."""
    canvas.setFont("Helvetica", size)
    for cell, right in zip(cells, rights, strict=True):
        canvas.drawRightString(right, y, cell)


def list_rows(markdown):
    lines = [
        line.strip("| ").split(" | ") for line in markdown.split("\n") if line.startswith("|") and "---" not in line
    ]
    return [[cell.strip(" |") for cell in row] for row in lines]


@pytest.mark.parametrize("count", [20, 2])
async def test_the_first_rows_of_numbers_of_pages_are_no_running_heads(reads, a_pdf, count):
    rows = [
        [[f"{9876 * (page + 3) * (row + 7) % 10007:,}" for _ in range(3)] for row in range(count)] for page in range(4)
    ]

    def draw(page):
        def page_of_numbers(canvas):
            for place, cells in enumerate(rows[page]):
                draw_row(canvas, 770 - 15 * place, cells, (120, 220, 320))

        return page_of_numbers

    markdown = (await reads(a_pdf(*map(draw, range(4))), "pdf")).markdown
    written = [cell for page in rows for row in page for cell in row]
    assert [word for word in markdown.split() if word[0].isdecimal()] == written
    assert count < 3 or list_rows(markdown) == [row for page in rows for row in page]


async def test_a_column_of_numbers_at_the_top_of_pages_stays(reads, a_pdf):
    numbers = [[str(1237 * (page + 3) * (row + 7) % 10007) for row in range(20)] for page in range(4)]

    def draw(page):
        def page_of_numbers(canvas):
            for place, number in enumerate(numbers[page]):
                draw_row(canvas, 770 - 15 * place, [number], [120])

        return page_of_numbers

    markdown = (await reads(a_pdf(*map(draw, range(4))), "pdf")).markdown
    assert markdown.split() == [number for page in numbers for number in page]


@pytest.mark.parametrize("table_pages", [(1, 3), (0, 2)])
async def test_a_head_with_a_tab_goes_from_pages_with_tables_and_without(reads, a_pdf, table_pages):
    def draw(page):
        def write(canvas):
            draw_row(canvas, 775, ["Annual report", "Riverside Council"], (120, 550), size=9)
            draw_row(canvas, 40, ["3 May 2021", f"Page {page + 1} of 5"], (120, 550), size=9)
            draw_text(canvas, 700)
            for row in range(5 if page in table_pages else 0):
                draw_row(canvas, 600 - 15 * row, [f"Ferry {row}", f"{page}{row}1", f"{page}{row}2"], (120, 220, 320))
            draw_text(canvas, 400)

        return write

    markdown = (await reads(a_pdf(*map(draw, range(5))), "pdf")).markdown
    assert markdown.count("Riverside Council") <= 1
    assert markdown.count("3 May 2021") <= 1
    assert "Page 3 of 5" not in markdown
    assert len(list_rows(markdown)) == 10


async def test_notes_with_a_tab_behind_their_number_are_paired(reads, a_pdf):
    def draw(canvas):
        for place in range(4):
            draw_text(canvas, 750 - 60 * place)
            width = canvas.stringWidth(TEXT[1], "Helvetica", 10)
            canvas.setFont("Helvetica", 6)
            canvas.drawString(50 + width, 741 - 60 * place, str(place + 1))
        for place in range(4):
            draw_text(canvas, 120 - 25 * place, [str(place + 1)], size=8)
            draw_text(canvas, 120 - 25 * place, [f"Book {place} of the ferry,", "which is lost now."], size=8, left=75)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    notes = [f"[^{place + 1}]: Book {place} of the ferry, which is lost now." for place in range(4)]
    assert markdown.split("\n\n")[-4:] == notes
    assert [f"for them in time.[^{place + 1}]" in markdown for place in range(4)] == [True] * 4


@pytest.mark.parametrize(
    "numbers", ["(a) (b) (c) (d)", "1.1 1.2 1.3 1.4", "i. ii. iii. iv.", "2.1.1 2.1.2 2.1.3 2.1.4"]
)
async def test_clauses_behind_their_numbers_are_no_table(reads, a_pdf, numbers):
    def draw(canvas):
        draw_text(canvas, 750)
        for place, number in enumerate(numbers.split()):
            draw_text(canvas, 700 - 20 * place, [number], left=50)
            draw_text(canvas, 700 - 20 * place, ["The keeper pays the fare of the day."], left=90)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    written = [f"{number} The keeper pays the fare of the day." for number in numbers.split()]
    assert markdown.split("\n\n")[1:] == written


async def test_the_text_of_an_item_may_touch_its_bullet(reads, a_pdf):
    items = ["Take the ferry", "Pay the keeper", "Wait for the bell"]

    def draw(canvas):
        draw_text(canvas, 750)
        for place, item in enumerate(items):
            draw_text(canvas, 700 - 12 * place, [f"•{item}"])

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown.split("\n\n")[1].split("\n") == [f"- {item}" for item in items]


async def test_heads_at_the_left_of_figures_at_the_right_are_theirs(reads, a_pdf):
    rows = [["1", "16", "98.67"], ["2", "19", "14.50"], ["3", "120", "1,168.38"], ["4", "10", "16.52"]]
    lines = ["Lanterns for the ferry,", "green and red"]

    def draw(canvas):
        for left, head in zip((50, 80, 300, 400), ("No.", "Goods", "Qty", "Price"), strict=True):
            canvas.drawString(left, 700, head)
        for place, (number, *figures) in enumerate(rows):
            draw_text(canvas, 680 - 30 * place, [number])
            draw_text(canvas, 680 - 30 * place, lines, left=80)
            draw_row(canvas, 680 - 30 * place, figures, (360, 480))
        draw_text(canvas, 500)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    goods = " ".join(lines)
    assert list_rows(markdown) == [["No.", "Goods", "Qty", "Price"], *([row[0], goods, *row[1:]] for row in rows)]


async def test_a_head_between_two_columns_is_that_of_the_nearer_one(reads, a_pdf):
    rows = [[f"{place} lanterns, green and red", "pcs", f"{9876 * place % 1009}.50"] for place in range(3, 9)]

    def draw(canvas):
        draw_text(canvas, 760)
        for left, head in zip((50, 80, 314, 372), ("No.", "Goods", "Unit", "Price"), strict=True):
            canvas.drawString(left, 700, head)
        for place, (goods, unit, price) in enumerate(rows):
            draw_text(canvas, 676 - 23 * place, [goods], left=60)
            draw_text(canvas, 676 - 23 * place, [unit], left=314)
            draw_row(canvas, 676 - 23 * place, [price], [479])
        draw_text(canvas, 450)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert list_rows(markdown) == [["No. Goods", "Unit", "Price"], *rows]


NARROW = [
    "The keepers wrote down",
    "what they saw that day",
    "and kept the books well",
    "inside a dry old house",
    "where people may still",
    "read them",
]


@pytest.mark.parametrize("gap", [90, 35], ids=["with gutters", "without"])
async def test_narrow_justified_columns_are_text(reads, a_pdf, gap):
    def justify(canvas, line, left, y, width):
        words = line.split()
        spread = (width - sum(canvas.stringWidth(word, "Helvetica", 9) for word in words)) / (len(words) - 1)
        space = canvas.stringWidth(" ", "Helvetica", 9)
        canvas.drawString(left, y, line, wordSpace=spread - space)

    def draw(canvas):
        for column in range(2):
            left = 50 + 170 * column
            for part in range(4):
                canvas.setFont("Helvetica", 9)
                for place, line in enumerate(NARROW):
                    width = 150 if place + 1 < len(NARROW) else 60
                    justify(canvas, line, left, 750 - 100 * part - 11 * place, width)
                canvas.drawString(left, 740 - 100 * part - 66, f"Part {column}{part}")
                canvas.drawString(left + gap, 740 - 100 * part - 66, f"of {column}{part}")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    text = " ".join(NARROW)
    assert "|" not in markdown
    written = [f"{text} Part {column}{part} of {column}{part}" for column in range(2) for part in range(4)]
    assert markdown.split() == " ".join(written).split()


@pytest.mark.parametrize("has_cells", [False, True])
async def test_text_over_the_edge_of_pages_of_a_spreadsheet_is_there_once(reads, a_pdf, has_cells):
    title = "The accounts of the ferry of the year, with all that was paid by the keepers of the harbour and the towns"

    def draw(page):
        def write(canvas):
            draw_text(canvas, 750, [title], left=200 - 500 * page, size=11)
            if has_cells and page:
                draw_row(canvas, 750, ["177"], [590])
            for row in range(4):
                draw_row(canvas, 720 - 15 * row, [f"{page}{row}{column}" for column in range(3)], (150, 250, 350))

        return write

    markdown = (await reads(a_pdf(*map(draw, range(2))), "pdf")).markdown
    assert markdown.count("keepers of the harbour") == 1
    assert markdown.count("177") == has_cells
    assert len(list_rows(markdown)) >= 8


async def test_text_that_is_over_the_edge_of_one_page_only_stays(reads, a_pdf):
    def draw(page):
        return lambda canvas: draw_text(canvas, 750 - page, [f"{TEXT[0]} {page}"], left=-40)

    markdown = (await reads(a_pdf(*map(draw, range(2))), "pdf")).markdown
    assert markdown.count(TEXT[0][20:]) == 2


async def test_a_drop_cap_is_the_first_letter_of_its_paragraph(reads, a_pdf):
    lines = ["he keepers of the ferry wrote down each day", "what they saw on the water, and their books", "were kept"]

    def draw(canvas):
        draw_text(canvas, 760)
        draw_text(canvas, 676, ["T"], size=40)
        draw_text(canvas, 700, lines, left=80)
        draw_text(canvas, 664, ["in the house of the harbour master."])

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown.split("\n\n")[1] == f"T{' '.join(lines)} in the house of the harbour master."
