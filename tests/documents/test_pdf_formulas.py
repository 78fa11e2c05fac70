"""Formulas in PDFs: displayed ones are one line in the order in which they are read, and raised signs stay in theirs."""

import pytest
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from tests.support.processor_time import assert_linear

from assay.documents.pdf_formulas import join_formulas
from assay.documents.pdf_text_page import PdfLine

registerFont(TTFont("Vera", "Vera.ttf"))  # of an embedded font PDFium measures the signs themselves


def draw_sum(canvas, x, y, number="(4)", first="E(k) ="):
    """A sum and a fraction, in the order in which TeX writes them; an S stands for the sign of the sum."""
    canvas.setFont("Helvetica", 10)
    canvas.drawString(x, y, first)
    canvas.setFont("Helvetica", 7)
    canvas.drawString(x + 36, y + 14, "N-1")
    canvas.setFont("Helvetica", 14)
    canvas.drawString(x + 36, y, "S")
    canvas.setFont("Helvetica", 7)
    canvas.drawString(x + 35, y - 11, "n=0")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(x + 50, y, "x(n)")
    canvas.drawString(x + 80, y, "+")
    canvas.drawString(x + 92, y + 7, "a+b")
    canvas.drawString(x + 96, y - 7, "c")
    canvas.drawString(x + 220, y, number)


async def test_a_displayed_formula_is_one_line_in_the_order_in_which_it_is_read(reads, a_pdf):
    def draw(canvas):
        canvas.drawString(50, 740, "The energy of the keepers of the ferry is the sum of all that they have seen:")
        draw_sum(canvas, 150, 700)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(50, 660, "where the second term is small for those who sleep at night in the house.")
        draw_sum(canvas, 150, 620, "(5)")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    formula = "E(k) = N-1 S n=0 x(n) + a+b c"
    assert markdown.split("\n\n") == [
        "The energy of the keepers of the ferry is the sum of all that they have seen:",
        f"{formula} (4)",
        "where the second term is small for those who sleep at night in the house.",
        f"{formula} (5)",
    ]


async def test_a_displayed_formula_within_a_sentence_is_a_line_of_its_own(reads, a_pdf):
    before = "The energy of the keepers of the ferry is the sum of all that they have seen, and"
    behind = "is small for those who sleep at night in the house of the keepers of the ferry."

    def draw(canvas):
        canvas.drawString(50, 740, before)
        draw_sum(canvas, 150, 700, "", "e(k) =")
        canvas.drawString(270, 700, "+ 2s + 2t + 2u + 2v + 2w + 2x + 2y + 2z")
        canvas.drawString(50, 660, behind)

    paragraphs = (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n")
    assert (paragraphs[0], paragraphs[-1], len(paragraphs)) == (before, behind, 3)


def write_raised(canvas, x, y, *pieces):
    """Write pieces beside each other.

    Those that begin with ^ are small and raised, with _ small and lowered, and with | small and lowered below the one
    before.
    """
    left = x
    for piece in pieces:
        shift = {"^": 5, "_": -3, "|": -3}.get(piece[0], 0)
        canvas.setFont("Vera", 7 if shift else 10)
        text = piece[1:] if shift else piece
        left, x = x, left if piece[0] == "|" else x
        canvas.drawString(x, y + shift, text)
        x += canvas.stringWidth(text)


@pytest.mark.parametrize(
    ("pieces", "read"),
    [
        (("The search takes O(n", "^k", ") steps, of which few are long."), "O(n^k) steps"),
        (("The search takes (b", "^n", "|ij", ") steps, of which few are long."), "takes (bn ij) steps, of"),
        (("The sign of each is a", "^t", "|ij", "b and not another one."), "is at ijb and not"),
        (("A gas of density 3 kg m", "^-3", " rises in the house of the keepers."), "3 kg m^-3 rises"),
        (("The keepers saw the ice on the river in March.", "^3,76", " Nobody else did."), "March.^(3,76) Nobody"),
    ],
)
async def test_raised_signs_are_in_the_line_that_they_belong_to(reads, a_pdf, pieces, read):
    def draw(canvas):
        canvas.drawString(50, 740, "The books of the keepers of the ferry were kept for a century by all of them.")
        write_raised(canvas, 50, 728, *pieces)
        canvas.setFont("Helvetica", 10)
        canvas.drawString(50, 716, "and then they were lost in a fire that burnt the house down to the ground.")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert read in markdown.split("\n\n")[0]


async def test_a_sign_with_its_upper_limit_before_the_lower_one_is_one_formula(reads, a_pdf):
    def draw(canvas):
        for size, x, y, text in (
            (11, 150, 640, "+"),
            (7.7, 153, 653, "n"),
            (7.7, 150, 628, "i=1"),
            (11, 168, 640, "i = k"),
        ):
            canvas.setFont("Helvetica", size)
            canvas.drawString(x, y, text)

    assert (await reads(a_pdf(draw), "pdf")).markdown == "\\+ n i=1 i = k"


async def test_a_formula_is_no_heading_and_no_item(reads, a_pdf):
    def draw(canvas):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(50, 740, "The Energy")
        canvas.setFont("Helvetica", 10)
        for place in range(4):
            canvas.drawString(50, 720 - 12 * place, "The keepers of the ferry wrote down each day what they saw on it.")
        draw_sum(canvas, 150, 640, first="· k =")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert [line for line in markdown.split("\n") if line.startswith(("#", "- "))] == ["# The Energy"]


async def test_numbers_of_a_table_are_no_formula(reads, a_pdf):
    def draw(canvas):
        for row in range(5):
            for column in range(4):
                text = f"{row}.{column} = {row * column}" if column else f"m = {row}"
                canvas.drawString(50 + 100 * column, 700 - 14 * row, text)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown.startswith("| m = 0 | 0.1 = 0 | 0.2 = 0 | 0.3 = 0 |")
    assert markdown.count("\n") == 5


@pytest.mark.parametrize("bold", ["Helvetica-Bold", "Times-Bold"])
async def test_the_number_of_a_heading_that_is_far_from_it_belongs_to_it(reads, a_pdf, bold):
    def draw(canvas):
        canvas.setFont(bold, 10)
        canvas.drawString(50, 740, "2.1")
        canvas.drawString(90, 740, "What the Keepers of the Ferry Wrote Down in")
        canvas.drawString(90, 728, "the Books of the Ferry")
        canvas.setFont("Helvetica", 10)
        for place in range(6):
            canvas.drawString(50, 704 - 12 * place, "The keepers of the ferry wrote down each day what they saw on it.")

    first = (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n")[0]
    assert first.lstrip("#") == " 2.1 What the Keepers of the Ferry Wrote Down in the Books of the Ferry"
    assert first.startswith("#")


@pytest.mark.parametrize(("up", "size"), [(4.0, 6.0), (7.0, 10.0)], ids=["raised", "above"])
def test_many_pieces_beside_each_other_are_joined_in_linear_time(up, size):
    def make_pieces(many):
        pieces = [(5.0 * place, up, size) if place % 2 else (5.0 * place, 0.0, 10.0) for place in range(10 * many)]
        return [PdfLine("=1", left, left + 5, bottom, size) for left, bottom, size in pieces]

    assert_linear(lambda pieces: join_formulas(pieces, lambda _, raised: raised), make_pieces)


@pytest.mark.parametrize("left", [50, 150])
async def test_numbered_formulas_with_text_between_are_no_table(reads, a_pdf, left):
    rows = [("a = b + c", "(1)"), ("where the water is high, and so we write", ""), ("d = e", "(2)"), ("f = g", "(3)")]

    def draw(canvas):
        canvas.drawString(50, 740, "The energy of the keepers of the ferry is the sum of all that they have seen:")
        for place, (text, number) in enumerate(rows):
            canvas.drawString(left if number else 50, 720 - 16 * place, text)
            canvas.drawRightString(450, 720 - 16 * place, number)
        canvas.drawString(50, 640, "which is small for those who sleep at night in the house of the keepers.")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert "|" not in markdown
    assert [markdown.count(number) for number in ("(1)", "(2)", "(3)")] == [1, 1, 1]
    assert markdown.index("(1)") < markdown.index("where the water") < markdown.index("(2)")
