"""Underscores of names that LaTeX draws as short rules on the baseline."""

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
