"""Links of PDFs to web addresses stand in the text, each at its words."""

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from tests.support.processor_time import assert_linear

from assay.documents import pdf

A, B, C = "https://example.org/a", "https://example.org/b", "https://example.org/c"
LEFT, STEP = 60, 14


def write(canvas, row, *pieces, font="Helvetica", left=LEFT):
    """Write a line of texts and of links, which are pairs of a text and an address."""
    canvas.setFont(font, 10)
    bottom = 740 - STEP * row
    for piece in pieces:
        text, address = (piece, "") if isinstance(piece, str) else piece
        right = left + stringWidth(text, font, 10)
        canvas.drawString(left, bottom, text)
        if address:
            canvas.linkURL(address, (left - 1, bottom - 3, right + 1, bottom + 9))
        left = right


def write_pages(a_pdf, *lines, **options):
    return a_pdf(lambda canvas: [write(canvas, row, *line, **options) for row, line in enumerate(lines)])


async def test_links_stand_at_their_words(reads, a_pdf):
    body = write_pages(
        a_pdf, ["The office keeps ", ("a list", A), " of boats, mail ", ("the clerk", "mailto:c@example.org"), "."]
    )
    found = (await reads(body, "pdf")).markdown
    assert found == f"The office keeps [a list]({A}) of boats, mail [the clerk](mailto:c@example.org)."


async def test_equal_words_have_each_their_own_address(reads, a_pdf):
    body = write_pages(
        a_pdf, ["Oak is ", ("here", A), " and ash is ", ("here", B), " and here is elm, ", ("here", C), "."]
    )
    found = (await reads(body, "pdf")).markdown
    assert found == f"Oak is [here]({A}) and ash is [here]({B}) and here is elm, [here]({C})."


async def test_a_link_over_several_lines_is_one(reads, a_pdf):
    body = write_pages(
        a_pdf,
        ["The harbour office of the north keeps since long ago ", ("a long list of all of the wooden boats of", A)],
        [("the coast that were built in small yards", A), " and shows it each spring to those who ask for it there."],
    )
    found = (await reads(body, "pdf")).markdown
    assert f"ago [a long list of all of the wooden boats of the coast that were built in small yards]({A}) and" in found


async def test_an_address_over_several_lines_is_whole(reads, a_pdf):
    address = "https://example.org/boats/of_the/north/built/in/small/yards/since/1900/list.html"
    body = write_pages(
        a_pdf,
        ["The list of the boats of the coast that the office keeps is at ", ("https://example.org/boats/", address)],
        [("of_the/north/built/in/small/yards/since/1900/", address)],
        [("list.html", address), " for all who want to read it."],
        font="Courier",
    )
    found = (await reads(body, "pdf")).markdown
    assert f"is at {address} for all" in found
    assert "```" not in found


async def test_signs_that_a_link_has_around_its_letters_are_in_it(reads, a_pdf):
    body = write_pages(
        a_pdf, ["The list is at ", (f"{A}/", f"{A}/"), ", with ", ("(notes)", B), " (", ("ropes", C), ")."]
    )
    found = (await reads(body, "pdf")).markdown
    assert found == f"The list is at {A}/, with [(notes)]({B}) ([ropes]({C}))."


async def test_headings_items_notes_and_cells_keep_their_links(reads, a_pdf):
    def draw(canvas):
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(LEFT, 770, "Boats of the north")
        canvas.linkURL(A, (LEFT + 110, 766, LEFT + 160, 786))
        write(canvas, 1, "The office keeps a list of all boats that were built here since the year 1900 in yards")
        canvas.setFont("Helvetica", 6)
        canvas.drawString(
            LEFT
            + stringWidth(
                "The office keeps a list of all boats that were built here since the year 1900 in yards",
                "Helvetica",
                10,
            ),
            730,
            "1",
        )
        write(canvas, 3, "• ", ("Oak boats", A))
        write(canvas, 4, "• Boats of ", ("ash", B), " wood")
        for row, (name, address) in enumerate((("Name", ""), ("Oak", A), ("Ash", B), ("Elm", C)), 6):
            write(canvas, row, name)
            write(canvas, row, ("PDF", address) if address else "File", left=200)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(LEFT, 80, "1 See the yearly list of boats.")
        canvas.linkURL(C, (LEFT + 28, 77, LEFT + 80, 88))

    found = (await reads(a_pdf(draw), "pdf")).markdown
    assert f"# Boats of the [north]({A})" in found
    assert f"- [Oak boats]({A})\n- Boats of [ash]({B}) wood" in found
    assert f"| Oak | [PDF]({A}) |\n| Ash | [PDF]({B}) |\n| Elm | [PDF]({C}) |" in found
    assert f"]({C})" in found.partition("[^1]: ")[2]


async def test_code_areas_places_in_the_file_and_other_schemes_are_no_links(reads, a_pdf):
    def draw(canvas):
        canvas.bookmarkPage("end")
        write(
            canvas, 0, "The office keeps ", ("a list", "javascript:alert(1)"), " of boats for all who ask for it at the"
        )
        write(
            canvas,
            1,
            "harbour. It is ",
            ("on disk", "file:///etc/passwd"),
            ", and it is shown once a year to the town.",
        )
        canvas.linkRect("", "end", (LEFT, 720, LEFT + 60, 736))
        canvas.linkURL(A, (0, 0, 600, 800))
        write(canvas, 4, ("boats = count(yards)", B), font="Courier")
        write(canvas, 5, "print(boats)", font="Courier")
        canvas.linkURL(C, (300, 300, 400, 320))

    found = (await reads(a_pdf(draw), "pdf")).markdown
    assert "](" not in found
    assert "```\nboats = count(yards)\nprint(boats)\n```" in found


async def test_an_address_does_not_break_the_markdown_and_names_no_password(reads, a_pdf):
    address = "https://ada:secret@example.org/a_(b)?x=1 2&y=<z>"
    found = (await reads(write_pages(a_pdf, ["See [", ("the list", address), "] of boats."]), "pdf")).markdown
    assert found == "See [[the list](https://example.org/a_%28b%29?x=1%202&y=%3Cz%3E)] of boats."


async def test_links_of_hidden_text_are_left_out_with_it(reads, a_pdf):
    def draw(canvas):
        write(canvas, 0, "The office keeps a list of boats.")
        canvas.setFillGray(1)
        write(canvas, 2, ("Send the list to the clerk", A))

    assert (await reads(a_pdf(draw), "pdf")).markdown == "The office keeps a list of boats."


async def test_links_of_long_files_and_of_paragraphs_over_pages_are_kept(reads, a_pdf):
    def draw(number):
        def page(canvas):
            for row in range(45):
                write(
                    canvas, row, f"Line {row} of page {number} tells of boats and yards that the town has built since"
                )
            write(
                canvas,
                45,
                f"then on page {number}, as ",
                (f"report {number}", f"{A}/{number}"),
                " says with many words and",
            )

        return page

    found = (await reads(a_pdf(*map(draw, range(44))), "pdf")).markdown
    assert all(f"[report {number}]({A}/{number}) says" in found for number in range(44))


@pytest.mark.parametrize("text", ["here", "a", "list of boats "])
def test_many_links_take_time_in_proportion(a_pdf, text):
    def make(count):
        lines = [[(f"{text}{row} ", f"{A}/{row}"), (text, B), " and ", (text, C)] for row in range(count)]
        return a_pdf(
            *[
                lambda canvas, first=first: [
                    write(canvas, row, *line) for row, line in enumerate(lines[first : first + 50])
                ]
                for first in range(0, count, 50)
            ]
        )

    assert_linear(pdf.parse, make, first=100, largest=1_600)
