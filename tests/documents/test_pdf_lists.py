"""Lists in PDFs whose items are short, told by the numbers that follow each other."""

import pytest

TEXT = "The keepers of the ferry wrote down each day what they saw on the water, and the books"
BOATS = ("Oak boats", "Ash boats with sails", "Iron boats", "Boats of the county")


@pytest.mark.parametrize(
    "numbers",
    [
        ("1.", "2.", "3.", "4."),
        ("9)", "10)", "11)", "12)"),
        ("[1]", "[2]", "[3]", "[4]"),
        ("(a)", "(b)", "(c)", "(d)"),
        ("A.", "B.", "C.", "D."),
        ("h)", "i)", "j)", "k)"),
        ("i.", "ii.", "iii.", "iv."),
        ("(VIII)", "(IX)", "(X)", "(XI)"),
    ],
    ids=lambda numbers: numbers[0],
)
@pytest.mark.parametrize("left", [50, 70], ids=["at the edge", "indented"])
async def test_each_item_is_a_paragraph(reads, a_pdf, numbers, left):
    def draw(canvas):
        for place in range(3):
            canvas.drawString(50, 740 - 14 * place, TEXT)
        canvas.drawString(50, 698, "They had these:")
        for place, (number, boat) in enumerate(zip(numbers, BOATS, strict=True)):
            canvas.drawString(left, 676 - 14 * place, f"{number} {boat}")

    paragraphs = (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n")
    found = [paragraph.replace("\\", "") for paragraph in paragraphs[1:]]
    assert found == [f"{number} {boat}" for number, boat in zip(numbers, BOATS, strict=True)]


async def test_an_item_whose_number_touches_its_text_is_a_paragraph(reads, a_pdf):
    """As where two digits are wider than the indent of the list."""
    lines = ["8. Oak boats", "9. Ash boats", "10.Iron boats", "11.Boats of tin"]

    def draw(canvas):
        for place, line in enumerate(lines):
            canvas.drawString(50, 740 - 14 * place, line)

    assert (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n") == lines


async def test_a_number_that_does_not_follow_goes_on_with_the_sentence(reads, a_pdf):
    lines = ["1. The ferry was moved to the landing stage in the village at the number", "17. It lies there still."]

    def draw(canvas):
        for place, line in enumerate(lines):
            canvas.drawString(50, 740 - 14 * place, line)

    assert (await reads(a_pdf(draw), "pdf")).markdown == " ".join(lines)
