"""Accents that a PDF draws as signs of their own, as TeX does with its first fonts, are a part of their letter."""

from reportlab.pdfbase.pdfmetrics import stringWidth

FONT, SIZE = "Times-Roman", 10


def draw_accented(canvas, x, y, text):
    """Draw a text in which each accent is before its letter, as TeX writes it; return where the text ends."""
    piece = ""
    for place, sign in enumerate(text):
        if sign not in "´`¨ˇ˝¸":
            piece += sign
            continue
        canvas.drawString(x, y, piece)
        x += stringWidth(piece, FONT, SIZE)
        piece = ""
        letter = text[place + 1]
        start = x + (stringWidth(letter, FONT, SIZE) - stringWidth(sign, FONT, SIZE)) / 2
        canvas.drawString(start, y + (2.2 if letter.isupper() and sign != "¸" else 0.05), sign)
    canvas.drawString(x, y, piece)
    return x + stringWidth(piece, FONT, SIZE)


async def test_accents_of_their_own_are_joined_to_their_letters(reads, a_pdf):
    lines = [
        "The house of M¨uller, which Fr´echet and G¨odel built in the forgot-",
        "ten town of `Evora, stands at the ¨Ottinger road; the façade is old.",
        "It is said that ¸Celik, too, was of the family of P¨oschl and H¨older,",
        "whose notes of 1933 are lost `a jamais, as Poincar´e wrote of them.",
    ]

    def draw(canvas):
        canvas.setFont(FONT, SIZE)
        for number, line in enumerate(lines):
            draw_accented(canvas, 50, 740 - 12 * number, line)

    assert (await reads(a_pdf(draw), "pdf")).markdown == (
        "The house of Müller, which Fréchet and Gödel built in the forgotten town of Èvora, stands at the Öttinger road;"
        " the façade is old. It is said that Çelik, too, was of the family of Pöschl and Hölder, whose notes of 1933 are"
        " lost à jamais, as Poincaré wrote of them."
    )


async def test_signs_like_accents_between_letters_stay_as_they_are(reads, a_pdf):
    def draw(canvas):
        canvas.setFont(FONT, SIZE)
        canvas.drawString(50, 740, "Write `name` for the name, rock´n´roll for the music, and 5 ´ 4 ¨ for the rest.")
        canvas.drawString(50, 728, "The keepers of the ferry have nothing to do with any of this, as they say.")

    assert "Write `name` for the name, rock´n´roll for the music, and 5 ´ 4 ¨ for the rest." in (
        await reads(a_pdf(draw), "pdf")
    ).markdown.replace("\\", "")
