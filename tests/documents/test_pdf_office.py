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
