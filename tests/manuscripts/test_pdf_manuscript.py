"""PDF manuscripts: the pages of paragraphs, and references that readers of the page do not see."""

import pytest

from assay.manuscripts.manuscript_reader import read_manuscript

VISIBLE = "[1] Smith, J. (2020). Otters in the kelp. Journal of Ecology, 12(3), 45–67."
HIDDEN = "[2] Ghost, G. (2016). You cannot see me here. Nature, 1(2), 1–2."


def write_white(canvas) -> None:
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(50, 640, HIDDEN)


def write_tiny(canvas) -> None:
    canvas.setFont("Helvetica", 0.5)
    canvas.drawString(50, 640, HIDDEN)


def write_outside(canvas) -> None:
    canvas.drawString(50, -300, HIDDEN)


@pytest.mark.parametrize("write_hidden", [write_white, write_tiny, write_outside])
async def test_a_reference_that_no_reader_sees_is_reported_as_hidden(a_pdf, sandbox, write_hidden) -> None:
    def draw(canvas) -> None:
        canvas.drawString(50, 740, "Otters eat urchins [1]. Nothing supports this [2].")
        canvas.drawString(50, 700, "References")
        canvas.drawString(50, 670, VISIBLE)
        write_hidden(canvas)

    manuscript = await read_manuscript(a_pdf(draw), sandbox=sandbox)

    assert [(each.work.authors[0].family, each.hidden) for each in manuscript.references] == [
        ("Smith", False),
        ("Ghost", True),
    ]
    assert [(each.references, each.unlisted) for each in manuscript.citations] == [((1,), ()), ((), ("2",))]
    assert any("You cannot see me here" in note for note in manuscript.notes)


async def test_paragraphs_have_the_page_on_which_they_begin(a_pdf, sandbox) -> None:
    pages = [lambda canvas, text=text: canvas.drawString(50, 700, text) for text in ("One paragraph.", "Another one.")]

    manuscript = await read_manuscript(a_pdf(*pages), sandbox=sandbox)

    assert [(each.text, each.page) for each in manuscript.paragraphs] == [("One paragraph.", 1), ("Another one.", 2)]


async def test_signs_of_text_and_references_stay(a_pdf, sandbox) -> None:
    text = "Otters [1] ate *all* urchins <b>here</b>, p < 0.05** in [x](y) of a_b, &amp; # more."
    entry = "Smith, J. (2020). *Otters* <in> the _kelp_. Journal of Ecology, 12(3), 45–67."

    def draw(canvas) -> None:
        for place, line in enumerate(["# One", text, "References", f"[1] {entry}"]):
            canvas.drawString(50, 740 - 40 * place, line)

    manuscript = await read_manuscript(a_pdf(draw), sandbox=sandbox)

    assert [each.text for each in manuscript.paragraphs] == ["# One", text]
    assert [each.work.printed for each in manuscript.references] == [entry]
    assert [each.references for each in manuscript.citations] == [(1,)]


async def test_links_are_those_of_the_text_and_a_reference_has_the_doi_behind_its_link(a_pdf, sandbox) -> None:
    def draw(canvas) -> None:
        canvas.setFont("Helvetica", 10)
        for bottom, text, linked, address in (
            (740, "Otters eat urchins [1], as in ", "these data", "https://example.org/data"),
            (700, "References", "", ""),
            (670, f"{VISIBLE} ", "[CrossRef]", "https://doi.org/10.1000/kelp.12"),
        ):
            canvas.drawString(50, bottom, text + linked)
            left = 50 + canvas.stringWidth(text)
            if linked:
                canvas.linkURL(address, (left, bottom - 3, left + canvas.stringWidth(linked), bottom + 9))

    manuscript = await read_manuscript(a_pdf(draw), sandbox=sandbox)

    [reference] = manuscript.references
    assert (reference.work.title, reference.work.doi) == ("Otters in the kelp", "10.1000/kelp.12")
    assert manuscript.links == ("https://example.org/data",)
    assert [each.references for each in manuscript.citations if each.style == "numeric"] == [(1,)]
