"""Small numbers in the margin that count the lines of a page are no part of its text, however near they are to it."""

import pytest

LINES = [
    "The keepers of the ferry have seen many winters on the river, and they",
    "know that the ice comes late in the years in which the geese stay long.",
    "In the house by the landing they write down the day on which it breaks,",
    "the height of the water, and the number of those who could not cross.",
    "The notes of 1933 are lost, but those of the years before are kept in a",
    "box below the stairs, where the mice have eaten the leather of the book.",
]
TEXT = " ".join(LINES)


def draw_numbered(canvas, left, every=1, size=6):
    """Draw the lines, each before its number, which is in the margin to the left of `left`."""
    for number, line in enumerate(LINES, 17):
        canvas.setFont("Helvetica", 12)
        canvas.drawString(60, 740 - 24 * number, line)
        if number % every == 0:
            canvas.setFont("Helvetica", size)
            canvas.drawRightString(left, 740 - 24 * number, str(number))


@pytest.mark.parametrize("gap", [4, 10, 25])
@pytest.mark.parametrize("every", [1, 2])
async def test_small_line_numbers_are_left_out(reads, a_pdf, gap, every):
    body = a_pdf(lambda canvas: draw_numbered(canvas, 60 - gap, every))
    assert (await reads(body, "pdf")).markdown == TEXT


async def test_numbers_of_the_size_of_the_text_stay(reads, a_pdf):
    body = a_pdf(lambda canvas: draw_numbered(canvas, 50, size=12))
    markdown = (await reads(body, "pdf")).markdown
    assert all(str(number) in markdown for number in range(17, 23))


async def test_small_numbers_that_do_not_count_the_lines_stay(reads, a_pdf):
    def draw(canvas):
        for line, number in enumerate(["3", "11", "4", "29", "8", "90"]):
            canvas.setFont("Helvetica", 12)
            canvas.drawString(60, 700 - 24 * line, LINES[line])
            canvas.setFont("Helvetica", 6)
            canvas.drawRightString(50, 700 - 24 * line, number)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert all(number in markdown for number in ("11", "29", "90"))
