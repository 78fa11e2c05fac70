"""Papers as PDFs: headings told by their numbers, lists of references, and addresses that go over the end of a line."""

import pytest
from tests.support.processor_time import assert_linear

from assay.documents.pdf_paragraphs import build_blocks
from assay.documents.pdf_text_page import PdfLine

TEXT = "The keepers of the ferry wrote down each day what they saw on the water."
NUMBERED = [
    ("[1] A. Brook and B. Dale, “The books of the keepers,” Journal of Fer-", "ries, vol. 12, no. 3, pp. 1–9, 2001."),
    (
        "[2] C. Ford, “What the ice did to the landing stage in the winter of",
        "1901,” in Proc. Conf. on Ice. IEEE, 2004.",
    ),
    ("[3] D. Weir, E. Lock, F. Mill, and G. Pond, Ferries of the Upper River,", "3rd ed. Upton: Water Press, 1999."),
    ("[4] H. Bank, A Short List.",),
    ("[5] I. Shore, “Boats that were lost on the river, and those that came", "back to it,” Letters, vol. 4, 1988."),
]
NAMED = [tuple(line.partition("] ")[2] if line.startswith("[") else line for line in entry) for entry in NUMBERED]


def write(canvas, x, y, text, font="Helvetica", size=10):
    canvas.setFont(font, size)
    canvas.drawString(x, y, text)


def write_right(canvas, x, y, text, right):
    """Write a line that ends at the right edge, as justified ones do."""
    words = text.split(" ")
    space = (right - x - sum(canvas.stringWidth(word) for word in words)) / (len(words) - 1)
    for word in words:
        canvas.drawString(x, y, word)
        x += canvas.stringWidth(word) + space


@pytest.mark.parametrize("entries", [NUMBERED, NAMED], ids=["numbered", "named"])
async def test_each_entry_of_a_list_of_references_is_one_paragraph(reads, a_pdf, entries):
    def draw(canvas):
        write(canvas, 50, 740, "References", "Helvetica-Bold")
        canvas.setFont("Helvetica", 10)
        y = 720
        for entry in entries:
            for place, line in enumerate(entry):
                if place + 1 < len(entry):
                    write_right(canvas, 50, y, line, 390)
                else:
                    canvas.drawString(70 if place else 50, y, line)
                y -= 12

    paragraphs = (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n")
    assert paragraphs[1:] == [" ".join(entry).replace("Fer- ries", "Ferries") for entry in entries]


async def test_a_quotation_below_a_paragraph_is_a_paragraph_of_its_own(reads, a_pdf):
    def draw(canvas):
        for place in range(4):
            write(canvas, 50, 740 - 12 * place, TEXT)
        for place in range(3):
            write(canvas, 70, 692 - 12 * place, "Ice was on the water when the boats came back, and the keepers slept.")

    assert len((await reads(a_pdf(draw), "pdf")).markdown.split("\n\n")) == 2


def test_the_lines_of_a_long_item_are_joined_in_linear_time():
    def make_lines(many):
        lefts = [50, *[70] * 10 * many, 55, *[70, 50] * 5 * many]
        return [
            PdfLine("a boat" if place else "• a boat", left, 150, -12.0 * place, 10) for place, left in enumerate(lefts)
        ]

    assert_linear(lambda lines: build_blocks(lines, 14, has_code=False), make_lines)


@pytest.mark.parametrize(
    ("one", "two", "read"),
    [
        ("The list is at https://ferries.example/", "books/list.html, and it is long.", "ferries.example/books/list"),
        ("The list is at https://ferries.example/the-", "list.html, and it is long.", "ferries.example/the-list"),
        ("The paper of the keepers is doi:10.1234/", "Ferry.99, and it is long.", "doi:10.1234/Ferry.99,"),
        ("The list of the keepers is at https://www.", "ferries.example, and it is long.", "www.ferries.example"),
        ("The crystals of the ice are (1 0 0)-", "oriented, and they are long.", "(1 0 0)-oriented"),
        ("The keepers used a layer of GaInP/", "GaAs on the floor of the boat.", "GaInP/GaAs on"),
        ("The list was begun by Ku, W.-", "S., and it is long.", "Ku, W.-S., and"),
        ("The list is at https://ferries.example/a.", "It is long and was not finished.", "example/a. It is long"),
        ("The list is at https://ferries.example/a?", "Nobody has finished it so far.", "example/a? Nobody"),
        ("This is what is at https://ferries.example/a:", "the list of the ferries.", "example/a: the list"),
        ("The paper of the keepers is doi:", "10.1234/Ferry.99, and it is long.", "doi:10.1234/Ferry.99,"),
        ("The list is at https://ferries.example/", "and it is long and was not finished.", "example/ and it"),
        ("Die Liste ist bei https://ferries.example/", "und sie ist lang und nicht fertig.", "example/ und sie"),
        ("The list is at https://ferries.example/", "about, and it is long.", "example/about, and it"),
        ("The list is at https://ferries.example/", "and/it.html, and it is long.", "example/and/it.html,"),
        ("The list is at https://ferries.example/a", "and it is long and was not finished.", "example/a and it"),
    ],
)
async def test_what_goes_over_the_end_of_a_line_within_a_word_is_whole(reads, a_pdf, one, two, read):
    def draw(canvas):
        canvas.drawString(50, 740, one)
        canvas.drawString(50, 728, two)

    assert read in (await reads(a_pdf(draw), "pdf")).markdown


def draw_sections(titles):
    def draw(canvas):
        y = 760
        for title in titles:
            write(canvas, 300 - len(title) * 3, y, title, size=8 if title.isupper() else 10)
            for _ in range(2):
                y -= 16
                write(canvas, 50, y, TEXT)
            y -= 30

    return draw


async def test_capitals_with_roman_numerals_are_headings(reads, a_pdf):
    titles = [
        "I. INTRODUCTION",
        "II. METHODS",
        "A. Boats",
        "B. Ice and Water",
        "III. RESULTS",
        "A. Books",
        "REFERENCES",
    ]
    markdown = (await reads(a_pdf(draw_sections(titles)), "pdf")).markdown
    assert [line for line in markdown.split("\n") if line.startswith("#")] == [
        "# I. INTRODUCTION",
        "# II. METHODS",
        "## A. Boats",
        "## B. Ice and Water",
        "# III. RESULTS",
        "## A. Books",
        "# REFERENCES",
    ]


async def test_the_entries_of_a_table_of_contents_are_not_the_headings_that_they_name(reads, a_pdf):
    titles = ["I. INTRODUCTION", "II. METHODS", "III. RESULTS"]
    contents = [f"{title} {'. ' * 20}{place}" for place, title in enumerate(titles, 1)]
    markdown = (await reads(a_pdf(draw_sections([*contents, *titles])), "pdf")).markdown
    assert [line for line in markdown.split("\n") if line.startswith("#")] == [f"# {title}" for title in titles]


async def test_names_in_the_list_of_references_are_no_headings(reads, a_pdf):
    titles = [
        "I. INTRODUCTION",
        "II. METHODS",
        "III. RESULTS",
        "REFERENCES",
        "A. Brook, Ferries, 1999",
        "B. Dale, Ice, 2001",
    ]
    markdown = (await reads(a_pdf(draw_sections(titles)), "pdf")).markdown
    assert [line for line in markdown.split("\n") if line.startswith("#")] == [f"# {title}" for title in titles[:4]]


async def test_roman_numerals_that_do_not_follow_each_other_are_no_headings(reads, a_pdf):
    titles = ["I. FERRY", "IV. FERRY", "C. Boats", "X. ICE", "V. WATER"]
    markdown = (await reads(a_pdf(draw_sections(titles)), "pdf")).markdown
    assert "#" not in markdown


def draw_numbered(titles):
    """Sections in bold letters and what is below them in italics, each with two lines of text."""

    def draw(canvas):
        y = 760
        for title in titles:
            is_section = "." not in title.split(" ", 1)[0].rstrip(".")
            write(canvas, 50, y, title, "Helvetica-Bold" if is_section else "Helvetica-Oblique")
            for _ in range(2):
                y -= 12
                write(canvas, 50, y, TEXT)
            y -= 24

    return draw


@pytest.mark.parametrize("dot", [".", ""], ids=["dot", "no dot"])
async def test_numbers_below_those_of_sections_are_headings(reads, a_pdf, dot):
    titles = ["1 Ferries", "2 Boats", "2.1 Wood and Iron", "2.1.1 Oak", "2.1.2 Ash", "2.2 Sails", "3 Ice", "3.1 Depth"]
    titles = [title.replace(" ", f"{dot} ", 1) for title in titles]
    markdown = (await reads(a_pdf(draw_numbered(titles)), "pdf")).markdown
    found = [line for line in markdown.split("\n") if line.startswith("#")]
    assert found == [f"{'#' * len(title.split()[0].rstrip('.').split('.'))} {title}" for title in titles]


@pytest.mark.parametrize(
    "titles",
    [
        ["1. Ferries", "2. Boats", "3.1. Ice", "2.3. Sails", "2.2.1. Iron"],  # not the next number
        ["1. Ferries", "2. Boats", "2.1. boats were counted", "2.1. The boats were counted."],  # text
        ["2.1 Ice", "2.2 Water"],  # below no section
    ],
)
async def test_numbers_that_do_not_follow_a_section_are_no_headings(reads, a_pdf, titles):
    markdown = (await reads(a_pdf(draw_numbered(titles)), "pdf")).markdown
    sections = [f"# {title}" for title in titles if "." not in title.split(" ", 1)[0].rstrip(".")]
    assert [line for line in markdown.split("\n") if line.startswith("#")] == sections


async def test_numbered_lines_without_text_between_them_are_no_headings(reads, a_pdf):
    def draw(canvas):
        draw_numbered(["1. Ferries", "2. Boats"])(canvas)
        for place in range(1, 7):
            write(canvas, 50, 600 - 24 * place, f"2.{place}. Boat of the year 19{place}0")

    markdown = (await reads(a_pdf(draw), "pdf")).markdown
    assert markdown.count("#") == 2


async def test_bold_lines_of_an_abstract_that_begin_with_numbers_are_one_paragraph(reads, a_pdf):
    lines = [
        "Abstract—The keepers of the ferry wrote down what they saw on the water in the",
        "51 years of the ice, and the books were kept in the mill, where nobody reads the",
        "33 volumes of them until this day.",
    ]

    def draw(canvas):
        for place, line in enumerate(lines):
            write(canvas, 50, 740 - 11 * place, line, "Helvetica-Bold", 9)
        write(canvas, 50, 696, "Index Terms—ferry, ice, water", "Helvetica-Bold", 9)
        for place in range(12):
            write(
                canvas,
                50,
                660 - 12 * place,
                "The water has never been so high since then, and nobody remembers it.",
                size=9,
            )

    abstract, terms, *_ = (await reads(a_pdf(draw), "pdf")).markdown.split("\n\n")
    assert (abstract, terms) == (" ".join(lines), "Index Terms—ferry, ice, water")


async def test_an_address_in_a_typewriter_font_is_no_code(reads, a_pdf):
    def draw(canvas):
        write(canvas, 50, 740, "The University of the Upper River, Department of Ferries")
        write(canvas, 90, 716, "keeper@ferry.example.org", "Courier", 9)
        for place in range(6):
            write(canvas, 50, 690 - 12 * place, "The water has never been so high since then, and nobody remembers it.")

    assert "```" not in (await reads(a_pdf(draw), "pdf")).markdown
