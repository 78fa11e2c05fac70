"""Tables between horizontal rules of one width, as papers and books have them, with columns close to each other."""

import pytest

BEFORE = "The keepers of the ferry wrote down what they saw in the years of the ice."
BEHIND = "The water has never been so high since then, and nobody remembers the mill."
HEADS = ["Keeper", "Size", "Upper", "Lower", "Error"]
ROWS = [
    ["Albin", "12", "81.25", "79.10", "0.31"],
    ["Old Bertil", "1024", "93.7", "88.02", "0.12"],
    ["Cecilia", "7", "65.42", "60.9", "1.45"],
    ["Mill", "56", "70.0", "68.33", "10.97"],
]
WIDTHS = [42, 22, 26, 26, 26]


def draw_row(canvas, y, cells, gap):
    x = 60.0
    for cell, width in zip(cells, WIDTHS, strict=True):
        canvas.drawString(x, y, cell)
        x += width + gap


def draw_table(canvas, gap, rules=(706, 690, 634), rows=ROWS):
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(50, 730, BEFORE)
    for y in rules:
        canvas.line(58, y, 62 + sum(WIDTHS) + 4 * gap, y)
    for number, row in enumerate([HEADS, *rows]):
        draw_row(canvas, 694 - 13 * number - 2 * (number > 0), row, gap)
    canvas.drawString(50, 600, BEHIND)


def format_rows(rows):
    return ["| " + " | ".join(row) + " |" for row in rows]


@pytest.mark.parametrize("gap", [3, 6, 12, 30])
async def test_rows_between_rules_are_those_of_a_table(reads, a_pdf, gap):
    markdown = (await reads(a_pdf(lambda canvas: draw_table(canvas, gap)), "pdf")).markdown
    head, *rows = format_rows([HEADS, *ROWS])
    assert markdown.split("\n\n") == [BEFORE, "\n".join([head, "|" + " --- |" * 5, *rows]), BEHIND]


async def test_a_part_of_a_row_without_text_is_an_empty_cell(reads, a_pdf):
    rows = [*ROWS[:2], ["Dagny", "", "61.0", "", "0.4"], ROWS[3]]
    markdown = (await reads(a_pdf(lambda canvas: draw_table(canvas, 12, rows=rows)), "pdf")).markdown
    assert "| Dagny |  | 61.0 |  | 0.4 |" in markdown


@pytest.mark.parametrize(("shift", "first"), [(0, "Train"), (0, "Training set"), (24, "Train")])
async def test_heads_in_the_middle_of_two_columns_span_them(reads, a_pdf, shift, first):
    names, rows = ("Keeper", "Acc", "F1", "Acc", "F1"), (("Albin", "81.2", "79.1", "70.3", "69.9"), *ROWS[2:])

    def draw(canvas):
        canvas.setFont("Times-Roman", 10)
        for y in (720, 690, 640):
            canvas.line(58, y, 300, y)
        for center, text in ((145 + shift, first), (245 + shift, "Test")):
            canvas.drawCentredString(center, 708, text)
        for y, row in zip((695, 677, 664, 651), (names, *rows), strict=True):
            canvas.drawString(60, y, row[0])
            for number, text in enumerate(row[1:]):
                canvas.drawCentredString(120 + 50 * number, y, text)

    head = (await reads(a_pdf(draw), "pdf")).markdown.split("\n")[0]
    spanned = f"| Keeper | {first} / Acc | {first} / F1 | Test / Acc | Test / F1 |"
    assert (head == spanned) == (shift == 0)


async def test_a_sentence_between_rules_is_none(reads, a_pdf):
    def draw(canvas):
        canvas.setFont("Times-Roman", 10)
        for place, text in enumerate([BEFORE, BEHIND, BEFORE]):
            canvas.drawString(50, 700 - 40 * place, text)
            canvas.line(50, 720 - 40 * place, 400, 720 - 40 * place)
        canvas.line(50, 600, 400, 600)

    assert (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n") == [BEFORE, BEHIND, BEFORE]


async def test_the_steps_of_an_algorithm_between_rules_are_none(reads, a_pdf):
    steps = ["1: the height is 0", "2:    for each keeper of the ferry", "3:       read the notes", "4:    end for"]

    def draw(canvas):
        canvas.setFont("Times-Roman", 10)
        for y in (706, 690, 634):
            canvas.line(58, y, 300, y)
        canvas.drawString(60, 694, "Algorithm 1 Read all notes")
        for place, step in enumerate(steps):
            number, text = step.split(" ", 1)
            canvas.drawString(60, 679 - 13 * place, number)
            canvas.drawString(74 + 4 * (len(text) - len(text.lstrip())), 679 - 13 * place, text.strip())

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert "| Algorithm" not in markdown
    assert "Algorithm 1 Read all notes" in markdown
