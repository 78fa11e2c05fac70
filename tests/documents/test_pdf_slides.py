"""Slides that are PDFs, as LaTeX (beamer) and presentation programs write them: small pages with few lines."""

from io import BytesIO

import pytest
from reportlab.pdfgen.canvas import Canvas

WIDE, HIGH = 363, 272  # points, as beamer has them


@pytest.fixture
def slides():
    """A PDF with a page for each list of texts: left, baseline, font, size and text."""

    def make(*pages):
        body = BytesIO()
        canvas = Canvas(body, pagesize=(WIDE, HIGH))
        for page in pages:
            for left, bottom, font, size, text in page:
                canvas.setFont(font, size)
                canvas.drawString(left, bottom, text)
            canvas.showPage()
        canvas.save()
        return body.getvalue()

    return make


def text(left, bottom, words, size=10.9, font="Helvetica"):
    return left, bottom, font, size, words


def foot(number):
    cells = [(2, "Ada Lovelace (University)"), (150, "Sea otters and kelp"), (280, "May 2026"), (345, f"{number} / 3")]
    return [text(left, 3, words, 6) for left, words in cells]


TWO_COLUMNS = [
    text(18, 158, "• left one"), text(18, 142, "• left two is rather long and"), text(29, 128, "goes over its line"),
    text(18, 112, "• left three"), text(196, 153, "• right one"), text(196, 136, "• right two"),
    text(207, 122, "• within two"), text(196, 106, "• right three"),
]  # fmt: skip


async def test_lists_beside_each_other_are_read_one_after_the_other(slides, reads):
    pages = [[text(8, 252, f"Slide {number}", 14.3), *TWO_COLUMNS, *foot(number)] for number in (1, 2, 3)]
    document = await reads(slides(*pages), "pdf")
    assert document.markdown.replace("\n\n", "\n").split("\n")[:9] == [
        "# Slide 1", "- left one", "- left two is rather long and goes over its line", "- left three", "- right one",
        "- right two", "  - within two", "- right three", "# Slide 2",
    ]  # fmt: skip


TITLES = ("Why sea otters matter", "What they eat", "Conclusions", "Thanks")


async def test_bold_titles_above_indented_text_are_headings(slides, reads):
    pages = [
        [text(10, 253, title, 12, "Helvetica-Bold"), text(60 - number, 150, f"Text on slide {number} is here."),
         text(60 - number, 136, "And a second line that is not long")]
        for number, title in enumerate(TITLES)
    ]  # fmt: skip
    document = await reads(slides(*pages), "pdf")
    assert [line for line in document.markdown.split("\n") if line.startswith("#")] == [
        f"# {title}" for title in TITLES
    ]


SIDEBAR = [text(4, 230, "Sea otters and kelp", 6), text(4, 200, "Introduction", 6), text(4, 180, "Methods", 6)]


async def test_navigation_at_the_side_is_read_once(slides, reads):
    pages = [[*SIDEBAR, text(90, 250, title, 14.3), text(90, 150, f"{title}: a text.")] for title in TITLES]
    document = await reads(slides(*pages), "pdf")
    assert document.markdown.count("Methods") == 1
    assert document.markdown.count("Sea otters and kelp") == 1
    assert all(f"# {title}\n\n{title}: a text." in document.markdown for title in TITLES)
