"""Heads of several rows, titles of rows and cells of several lines in tables between horizontal rules."""

import pytest

BEFORE = "The keepers of the ferry wrote down what they saw in the years of the ice."
BEHIND = "The water has never been so high since then, and nobody remembers the mill."
LEFT, RIGHT = 58, 300
COLUMNS = (60, 130, 165, 210, 245)
BODY = [
    ["Albin", "12", "81.2", "79", "0.31"],
    ["Bertil", "7", "65.4", "60", "1.45"],
    ["Cecilia", "9", "70.1", "68", "0.9"],
]


@pytest.fixture
def reads_table(reads, a_pdf):
    """What a table between rules reads as: its lines as (place, baseline, text), full and short rules."""

    async def reading(lines, rules, short=(), size=10):
        def draw(canvas):
            canvas.setFont("Times-Roman", 10)
            canvas.drawString(50, 730, BEFORE)
            canvas.setFont("Times-Roman", size)
            for x, y, text in lines:
                canvas.drawString(x, y, text)
            for y in rules:
                canvas.line(LEFT, y, RIGHT, y)
            for left, right, y in short:
                canvas.line(left, y, right, y)
            canvas.setFont("Times-Roman", 10)
            canvas.drawString(50, 500, BEHIND)

        before, *table, behind = (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n")
        assert (before, behind) == (BEFORE, BEHIND)
        return [line for line in "\n\n".join(table).split("\n") if "---" not in line]

    return reading


def place_rows(rows, top, columns=COLUMNS, step=13):
    return [
        (x, top - step * number, cell)
        for number, row in enumerate(rows)
        for x, cell in zip(columns, row, strict=True)
        if cell
    ]


def format_rows(rows):
    return ["| " + " | ".join(row) + " |" for row in rows]


async def test_a_head_above_short_rules_is_in_each_of_its_columns(reads_table):
    heads = [(145, 694, "Upper"), (222, 694, "Lower"), (60, 687, "Keeper")]
    heads += place_rows([["", "Size", "Mean", "Size", "Mean"]], 680)
    short = [(128, 190, 690.5), (208, 270, 690.5)]
    table = await reads_table([*heads, *place_rows(BODY, 664)], (706, 675, 632), short)
    joined = ["Keeper", "Upper / Size", "Upper / Mean", "Lower / Size", "Lower / Mean"]
    assert table == format_rows([joined, *BODY])


async def test_heads_of_three_levels_are_joined(reads_table):
    heads = [(180, 708, "All"), (145, 695, "Upper"), (222, 695, "Lower")]
    heads += place_rows([["Keeper", "Size", "Mean", "Size", "Mean"]], 681)
    short = [(128, 270, 704.5), (128, 190, 691.5), (208, 270, 691.5)]
    table = await reads_table([*heads, *place_rows(BODY, 664)], (718, 675, 632), short)
    joined = ["Keeper", *(f"All / {upper} / {lower}" for upper in ("Upper", "Lower") for lower in ("Size", "Mean"))]
    assert table == format_rows([joined, *BODY])


async def test_lines_of_heads_above_each_other_are_joined(reads_table):
    heads = [(60, 687, "Keeper"), (130, 694, "Boats"), (130, 681, "of all"), (165, 694, "Mean"), (165, 681, "in m")]
    heads += [(210, 687, "Size"), (245, 687, "Error")]
    table = await reads_table([*heads, *place_rows(BODY, 664)], (706, 675, 632))
    assert table == format_rows([["Keeper", "Boats of all", "Mean in m", "Size", "Error"], *BODY])


async def test_a_head_that_may_span_columns_without_a_rule_is_a_row_of_its_own(reads_table):
    heads = [(165, 694, "Upper"), *place_rows([["Keeper", "Size", "Mean", "Size", "Error"]], 681)]
    table = await reads_table([*heads, *place_rows(BODY, 664)], (706, 675, 632))
    assert table == format_rows([["", "", "Upper", "", ""], ["Keeper", "Size", "Mean", "Size", "Error"], *BODY])


async def test_rows_above_a_rule_that_are_no_head_stay_rows(reads_table):
    rows = [["Keeper", "Size", "Mean", "Size", "Error"], *BODY]
    table = await reads_table(
        [*place_rows(rows, 694), *place_rows([["All", "28", "72", "69", "0.8"]], 638)], (706, 650, 630)
    )
    assert table == format_rows([*rows, ["All", "28", "72", "69", "0.8"]])


@pytest.mark.parametrize("has_rules", [True, False])
async def test_a_title_of_rows_is_in_the_first_column(reads_table, has_rules):
    titles = [(140, 664, "On the upper river"), (140, 608, "On the lower river")]
    lines = [*place_rows([["Keeper", "Size", "Mean", "Size", "Error"]], 684), *titles]
    lines += [*place_rows(BODY, 648), *place_rows(BODY, 592)]
    rules = (696, 678, *((658, 618, 602) if has_rules else (618,)), 560)
    table = await reads_table(lines, rules)
    upper, lower = (["On the " + name + " river", "", "", "", ""] for name in ("upper", "lower"))
    assert table == format_rows([["Keeper", "Size", "Mean", "Size", "Error"], upper, *BODY, lower, *BODY])


async def test_a_caption_between_two_tables_is_no_title_of_rows(reads_table):
    head = ["Keeper", "Size", "Mean", "Size", "Error"]
    lines = [*place_rows([head], 684), *place_rows(BODY, 664), (60, 624, "Table 2: On the lower river.")]
    lines += [*place_rows([head], 604), *place_rows(BODY, 584)]
    table = await reads_table(lines, (696, 678, 634, 616, 598, 554))
    one = format_rows([head, *BODY])
    assert table == [*one, "", "Table 2: On the lower river.", "", *one]


async def test_a_label_in_the_middle_of_its_rows_is_in_the_first_of_them(reads_table):
    rows = [["", *row[1:]] for row in BODY]
    lines = [*place_rows([["Keeper", "Size", "Mean", "Size", "Error"]], 684), (60, 651, "Upper")]
    lines += [*place_rows(rows, 664), (60, 613.5, "Lower"), *place_rows(rows[:2], 620)]
    table = await reads_table(lines, (696, 678, 632, 600))
    upper, lower = ([[name, *rows[0][1:]], *rows[1:]] for name in ("Upper", "Lower"))
    assert table == format_rows([["Keeper", "Size", "Mean", "Size", "Error"], *upper, *lower[:2]])


@pytest.mark.parametrize("space", [0, 6])
async def test_cells_of_several_lines_are_in_one_row(reads_table, space):
    columns = (60, 130, 230)
    cells = [
        [["Flux", "The water that passes", "From the books"], ["", "a mill in one day", "of the ferry"]],
        [["Weir", "A wall in the river", "Albin"], ["", "that has a gate", ""]],
        [["Mill", "House", "From notes"]],
    ]
    lines, y = place_rows([["Term", "Meaning", "Source"]], 684, columns), 664
    for rows in cells:
        lines += place_rows(rows, y, columns, 12)
        y -= 12 * len(rows) + space
    table = await reads_table(lines, (696, 678, y + 8))
    assert table == format_rows(
        [
            ["Term", "Meaning", "Source"],
            ["Flux", "The water that passes a mill in one day", "From the books of the ferry"],
            ["Weir", "A wall in the river that has a gate", "Albin"],
            ["Mill", "House", "From notes"],
        ]
    )


async def test_lines_of_figures_below_figures_are_rows(reads_table):
    rows = [
        ["Ice", "0.123", "0.234"],
        ["", "(0.011)", "(0.022)"],
        ["Water", "0.456", "0.567"],
        ["", "(0.044)", "(0.055)"],
    ]
    columns = (60, 150, 230)
    lines = [*place_rows([["", "First", "Second"]], 684, columns), *place_rows(rows, 664, columns)]
    assert await reads_table(lines, (696, 678, 618)) == format_rows([["", "First", "Second"], *rows])


async def test_figures_close_to_each_other_are_in_columns_of_their_own(reads_table):
    columns = (60, 130, 151, 172, 193)
    rows = [["Albin", "81.2", "79.1", "80.1", "11.1"], ["Old Bertil", "65.4", "60.9", "63.1", "13.1"]]
    lines = place_rows([["Keeper", "A", "B", "C", "D"]], 684, columns) + place_rows(rows, 664, columns)
    assert await reads_table(lines, (696, 678, 642)) == format_rows([["Keeper", "A", "B", "C", "D"], *rows])


async def test_parts_of_one_figure_are_in_one_column(reads_table):
    columns = (60, 130, 143.5)
    rows = [["Albin", "12", "204"], ["Bertil", "18", "871"], ["Cecilia", "77", "040"]]
    lines = [(60, 684, "Keeper"), (130, 684, "Passengers"), (220, 684, "Fare"), *place_rows(rows, 664, columns, 13)]
    lines += [(220, 664 - 13 * number, "0.20") for number in range(3)]
    table = await reads_table(lines, (696, 678, 630))
    assert table[1:] == format_rows([[name, f"{one} {two}", "0.20"] for name, one, two in rows])


async def test_a_table_of_one_row_is_one(reads_table):
    columns = (60, 120, 180)
    lines = place_rows([["Name", "Alpha", "Beta"]], 684, columns) + place_rows([["Mean", "1.5", "2.5"]], 664, columns)
    assert await reads_table(lines, (696, 678, 655)) == format_rows([["Name", "Alpha", "Beta"], ["Mean", "1.5", "2.5"]])


async def test_names_of_one_word_below_a_label_are_rows(reads_table):
    columns = (60, 130, 200)
    rows = [
        ["Birds", "Robin", "small bird"],
        ["", "Eagle", "large bird"],
        ["Fish", "Carp", "fresh water"],
        ["", "Tuna", "salt water"],
    ]
    lines = place_rows([["Group", "Name", "Kind"]], 684, columns) + place_rows(rows, 664, columns)
    assert await reads_table(lines, (696, 678, 618)) == format_rows([["Group", "Name", "Kind"], *rows])


async def test_figures_with_empty_cells_are_rows_whatever_their_distance(reads_table):
    columns = (60, 130, 180, 230)
    rows = [["Ice", "1.0", "", "3.0"], ["Water", "", "2.0", ""], ["Mill", "1.5", "", ""]]
    lines = (
        place_rows([["", "A", "B", "C"]], 684, columns)
        + place_rows(rows[:2], 664, columns)
        + place_rows(rows[2:], 632, columns)
    )
    assert await reads_table(lines, (696, 678, 620)) == format_rows([["", "A", "B", "C"], *rows])


async def test_a_first_column_of_several_lines_is_one_cell(reads_table):
    columns = (60, 130, 200)
    lines = place_rows([["Way", "Size", "Mean"], ["The way with", "12", "81.2"], ["a long name", "", ""]], 684, columns)
    lines += place_rows([["Other", "7", "65.4"]], 658 - 13, columns)
    table = await reads_table(lines, (696, 680, 634))
    assert table == format_rows(
        [["Way", "Size", "Mean"], ["The way with a long name", "12", "81.2"], ["Other", "7", "65.4"]]
    )


async def test_vertical_lines_divide_the_rule_below_two_heads(reads, a_pdf):
    def draw(canvas):
        canvas.setFont("Times-Roman", 10)
        heads = [(145, 694, "Upper"), (222, 694, "Lower")]
        for x, y, text in [*heads, *place_rows([["Keeper", "Size", "Mean", "Size", "Mean"], *BODY], 680)]:
            canvas.drawString(x, y, text)
        for y in (706, 675, 636):
            canvas.line(LEFT, y, RIGHT, y)
        canvas.line(125, 690.5, RIGHT, 690.5)
        for x in (125, 203):
            canvas.line(x, 706, x, 636)

    joined = ["Keeper", "Upper / Size", "Upper / Mean", "Lower / Size", "Lower / Mean"]
    table = (await reads(a_pdf(draw), "pdf")).markdown.split("\n")
    assert [table[0], *table[2:]] == format_rows([joined, *BODY])
