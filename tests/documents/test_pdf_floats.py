"""Tables and figures at the top of a page or a column do not cut the paragraph that goes on behind them."""

import pytest

TEXT = [
    "The keepers of the ferry have seen many winters on the river, and they",
    "know that the ice comes late in the years in which the geese stay long.",
]
ENDS = {
    "within a word": ("In the house by the landing they write down the day on which it", "dis-", "appears"),
    "within a sentence": ("In the house by the landing they write down the day on which it all", "", "begins"),
}


def draw_text(canvas, y, lines):
    for place, line in enumerate(lines):
        canvas.drawString(60, y - 12 * place, line)


@pytest.mark.parametrize("caption", ["Figure 1: The ferry and its house.", "TABLE II"])
@pytest.mark.parametrize("end", list(ENDS))
async def test_a_paragraph_goes_on_behind_a_figure(reads, a_pdf, end, caption):
    line, part, rest = ENDS[end]

    def first(canvas):
        draw_text(canvas, 92, [*TEXT, f"{line} {part}".strip()])

    def second(canvas):
        canvas.drawString(200, 700, "Upper Landing")
        canvas.drawString(200, 670, caption)
        draw_text(canvas, 640, [f"{rest}, the height of the water, and the number of those who wait.", *TEXT])

    paragraphs = (await reads(a_pdf(first, second), "pdf")).markdown.split("\n\n")
    word = "disappears" if part else rest
    assert paragraphs == [
        f"{' '.join(TEXT)} {line} {word}, the height of the water, and the number of those who wait. {' '.join(TEXT)}",
        "Upper Landing",
        caption,
    ]


async def test_text_behind_a_figure_that_begins_a_sentence_is_a_paragraph(reads, a_pdf):
    def first(canvas):
        draw_text(canvas, 92, [*TEXT, "In the house by the landing they write down the day on which it"])

    def second(canvas):
        canvas.drawString(200, 700, "Figure 1: The ferry and its house.")
        draw_text(canvas, 640, ["The notes of 1933 are lost, as are all the others of the years before it,", *TEXT])

    assert len((await reads(a_pdf(first, second), "pdf")).markdown.split("\n\n")) == 3
