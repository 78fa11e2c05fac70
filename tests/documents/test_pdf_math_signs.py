"""The large signs of formulas in TeX's font for them, where PDFium gives the letters at their places."""

NAME = b"/BaseFont /Times-BoldItalic"


def name_font_of_large_signs(body):
    """Give the font of the large signs the name that it has in the files of TeX."""
    assert NAME in body
    return body.replace(NAME, b"/BaseFont /CMEX10".ljust(len(NAME)))


def draw_pieces(canvas, x, y, pieces):
    for text, is_large in pieces:
        font = "Times-BoldItalic" if is_large else "Helvetica"
        canvas.setFont(font, 10)
        canvas.drawString(x, y, text)
        x += canvas.stringWidth(text, font, 10) + 2


async def test_large_signs_are_those_of_formulas(reads, a_pdf):
    def draw(canvas):
        draw_pieces(canvas, 50, 740, [("The energy of the ferry is E =", False), ("X", True), ("x +", False)])
        draw_pieces(
            canvas, 50, 726, [("and its height is h =", False), ("Z", True), ("f(t) dt, where P and X are", False)]
        )
        draw_pieces(canvas, 50, 712, [("the number of keepers, and", False), ("h", True), ("a, b", False), ("i", True)])

    markdown = (await reads(name_font_of_large_signs(a_pdf(draw)), "pdf")).markdown.replace("\\", "")
    assert markdown == (
        "The energy of the ferry is E = ∑ x + and its height is h = ∫ f(t) dt, where P and X are the number of keepers,"
        " and [ a, b]"
    )


async def test_letters_in_other_fonts_stay_as_they_are(reads, a_pdf):
    def draw(canvas):
        draw_pieces(canvas, 50, 740, [("The energy of the ferry is E =", False), ("X", True), ("x + Z", False)])

    assert (await reads(a_pdf(draw), "pdf")).markdown == "The energy of the ferry is E = X x + Z"
