"""Underscores of names that LaTeX draws as short rules on the baseline."""

from reportlab.pdfbase.pdfmetrics import stringWidth

RULE = 3.0  # points, at a size of 10 points


def draw_names(canvas, bottom, text):
    """Draw a line in which each `_` is a rule; the letters beside leave the room of LaTeX."""
    canvas.setFont("Times-Roman", 10)
    canvas.setLineWidth(0.4)
    left = 60
    for piece in text:
        if piece == "_":
            canvas.line(left + 0.6, bottom + 0.2, left + 0.6 + RULE, bottom + 0.2)
            left += RULE + 0.6
        else:
            canvas.drawString(left, bottom, piece)
            left += canvas.stringWidth(piece, "Times-Roman", 10)


async def read(reads, a_pdf, *lines):
    def draw(canvas):
        for number, line in enumerate(lines):
            draw_names(canvas, 740 - 12 * number, line)

    return (await reads(a_pdf(draw), "pdf")).markdown.replace("\\", "")


async def test_rules_between_letters_are_underscores(reads, a_pdf):
    lines = ["The keepers call run_all and max_len_of_x before", "the ice, and __init__ behind it; foo_ is old."]
    assert await read(reads, a_pdf, *lines) == " ".join(lines)


async def test_spaces_that_the_spacing_of_characters_makes_stay_in_their_places(reads, a_raw_pdf):
    left = 50 + stringWidth("The keepers call ", "Helvetica", 10)
    names = f"(The keepers call) Tj 1 0 0 1 {left + RULE + 0.6} 730 Tm (run) Tj 1 0 0 1 50 716 Tm "
    spaced = "".join(
        f"{spacing} Tc ({piece}) Tj 0 Tc [{300 * (spacing > 0)}] TJ "
        for piece, spacing in [("The cats slept", 0), (",a", 3), ("nd the dogs did not", 0), (";t", 3), ("hey went", 0)]
    )
    content = f"BT /F1 10 Tf 1 0 0 1 50 730 Tm {names}{spaced} ET 0.4 w {left} 730.2 m {left + RULE} 730.2 l S"
    text = (await reads(a_raw_pdf(content.encode()), "pdf")).markdown
    assert text.replace("\\", "") == "The keepers call _run The cats slept, and the dogs did not; they went"


async def test_a_rule_with_ticks_is_the_sign_of_a_space(reads, a_pdf):
    def draw(canvas):
        draw_names(canvas, 740, "The otter_river of the ferry")
        start = 60 + canvas.stringWidth("The otter", "Times-Roman", 10) + 0.6
        for left in (start, start + RULE):
            canvas.line(left, 740, left, 741.6)

    assert (await reads(a_pdf(draw), "pdf")).markdown == "The otter river of the ferry"


async def test_other_short_rules_are_none(reads, a_pdf):
    def draw(canvas):
        draw_names(canvas, 740, "The keepers of the ferry wrote down what they saw in")
        draw_names(canvas, 728, "the years of the ice, a and b and c beside each other.")
        canvas.setLineWidth(0.4)
        for left, bottom in [(100, 725.5), (140, 731), (200, 736), (330, 728.2)]:
            canvas.line(left, bottom, left + RULE, bottom)

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert "_" not in markdown
