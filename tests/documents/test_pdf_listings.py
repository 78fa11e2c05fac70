"""Listings of code and algorithms, as LaTeX packages write them: line numbers, signs on a grid, steps with indents."""

import re

import pytest

BEFORE = "The keepers of the ferry wrote down what they saw in the years of the ice."
BEHIND = "The water has never been so high since then, and nobody remembers the mill."
CODE = [
    "def find(flux, limit=10):",
    "    x = [i for i in flux]",
    "",
    "    while x:",
    "        y = x.pop()",
    "    return None",
]


def draw_text(canvas, y, text):
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(60, y, text)


def write_code(lines):
    return "```\n" + "\n".join(lines) + "\n```"


@pytest.fixture
def reads_between(reads, a_pdf):
    """What is read between two lines of text, of what a function draws."""

    async def reading(draw):
        def draw_page(canvas):
            draw_text(canvas, 760, BEFORE)
            draw_text(canvas, 740, BEHIND)
            draw(canvas)
            draw_text(canvas, 560, BEFORE)
            draw_text(canvas, 548, BEHIND)

        markdown = (await reads(a_pdf(draw_page), "pdf")).markdown
        assert markdown.startswith(BEFORE)
        assert markdown.endswith(BEHIND)
        return markdown.split("\n\n", 2)[2].rsplit("\n\n", 1)[0]

    return reading


@pytest.mark.parametrize("size", [6, 9])
async def test_the_numbers_of_lines_of_code_are_left_out(reads_between, size):
    def draw(canvas):
        for number, line in enumerate(CODE, 1):
            canvas.setFont("Times-Roman", size)
            canvas.drawRightString(72, 720 - 11 * number, str(number))
            canvas.setFont("Courier", 9)
            canvas.drawString(84 + 5.4 * (len(line) - len(line.lstrip())), 720 - 11 * number, line.lstrip())

    assert await reads_between(draw) == write_code(CODE)


async def test_numbers_in_the_font_of_the_code_are_kept(reads_between):
    lines = ["1 5.1 3.5", "2 4.9 3.0", "3 4.7 3.2", "4 4.6 3.1"]

    def draw(canvas):
        canvas.setFont("Courier", 9)
        for number, line in enumerate(lines):
            canvas.drawString(60, 700 - 11 * number, line)

    assert await reads_between(draw) == write_code(lines)


async def test_signs_on_a_grid_that_is_wider_than_their_font_have_the_spaces_of_the_code(reads_between):
    def draw(canvas):
        canvas.setFont("Courier", 9)
        for number, line in enumerate(CODE):
            for place, sign in enumerate(line):
                if sign != " ":
                    canvas.drawString(60 + 6.2 * place, 700 - 11 * number, sign)

    assert await reads_between(draw) == write_code(CODE)


def draw_spread(canvas, left, bottom, line):
    """Draw a line as the package listings does by default: each word in as many columns as it has letters."""
    for word in re.finditer(r"\w+|[^\w\s]", line):
        widths = [canvas.stringWidth(letter, "Times-Roman", 10) for letter in word[0]]
        room = 6 - sum(widths) / len(widths)
        place = left + 6 * word.start() + room / 2
        for letter, width in zip(word[0], widths, strict=True):
            canvas.drawString(place, bottom, letter)
            place += width + room


@pytest.mark.parametrize("numbers", [0, 5])
async def test_letters_that_a_listing_sets_apart_are_words_of_code(reads_between, numbers):
    def draw(canvas):
        for number, line in enumerate(CODE, 1):
            if numbers:
                canvas.setFont("Times-Roman", numbers)
                canvas.drawRightString(72, 720 - 12 * number, str(number))
            canvas.setFont("Times-Roman", 10)
            draw_spread(canvas, 84, 720 - 12 * number, line)

    assert await reads_between(draw) == write_code(CODE)


async def test_single_letters_in_text_stay_apart(reads_between):
    lines = [
        "The points A B C D of the figure, and a b c d below them,",
        "were named E F G H and e f g h by the keepers.",
    ]

    def draw(canvas):
        for number, line in enumerate(lines):
            draw_text(canvas, 700 - 12 * number, line)

    assert await reads_between(draw) == " ".join(lines)


STEPS = [
    (0, "1: the height is 0"),
    (0, "2: for each keeper do"),
    (1, "3: if she wrote then"),
    (2, "4: read the notes"),
    (1, "5: end if"),
]


def draw_algorithm(canvas, caption):
    for y in (720, 704, 630):
        canvas.line(58, y, 400, y)
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(60, 708, caption)
    for place, (level, step) in enumerate(STEPS):
        number, text = step.split(" ", 1)
        canvas.setFont("Times-Roman", 8)
        canvas.drawString(60, 692 - 12 * place, number)
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(72 + 15 * level, 692 - 12 * place, text)


async def test_the_steps_of_an_algorithm_are_code_with_their_indents(reads_between):
    caption, code = (
        await reads_between(lambda canvas: draw_algorithm(canvas, "Algorithm 1: Reading all notes"))
    ).split("\n\n")
    assert caption == "Algorithm 1: Reading all notes"
    lines = code.split("\n")[1:-1]
    assert [" ".join(line.split()) for line in lines] == [step for _, step in STEPS]
    indents = [len(line) - len(line[2:].lstrip()) - 2 for line in lines]
    assert indents[0] == indents[1] < indents[2] == indents[4] < indents[3]


async def test_other_text_between_rules_is_no_code(reads_between):
    assert "```" not in await reads_between(lambda canvas: draw_algorithm(canvas, "The reading of all notes"))
