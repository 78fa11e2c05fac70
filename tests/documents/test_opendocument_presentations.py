"""OpenDocument presentations, as LibreOffice Impress writes them."""

import pytest
from tests.support.opendocument import HEAD, SPACES

from assay.documents.file_type import detect_kind
from assay.errors import ContentEmpty

MIMETYPE = "application/vnd.oasis.opendocument.presentation"
NAMESPACES = f'{SPACES} xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
STYLES = """
<style:style style:name="seen" style:family="drawing-page"><style:drawing-page-properties/></style:style>
<style:style style:name="unseen" style:family="drawing-page">
  <style:drawing-page-properties presentation:visibility="hidden"/></style:style>
<style:style style:name="dark" style:family="drawing-page">
  <style:drawing-page-properties draw:fill="solid" draw:fill-color="#102040"/></style:style>
<style:style style:name="blue" style:family="table-cell">
  <style:graphic-properties draw:fill="solid" draw:fill-color="#204080"/></style:style>
<style:style style:name="white" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>
<style:style style:name="bold" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
<text:list-style style:name="numbers">
  <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/></text:list-style>
"""
MASTERS = """
<office:automatic-styles><style:page-layout style:name="PM1">
  <style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="M" style:page-layout-name="PM1"/></office:master-styles>
"""


@pytest.fixture
def an_odp(a_package):
    """A presentation of slides."""

    def make(*slides):
        content = (
            f"{HEAD}<office:document-content {NAMESPACES}><office:automatic-styles>{STYLES}</office:automatic-styles>"
            f"<office:body><office:presentation>{''.join(slides)}</office:presentation></office:body>"
            "</office:document-content>"
        )
        styles = f"{HEAD}<office:document-styles {NAMESPACES}>{MASTERS}</office:document-styles>"
        return a_package(MIMETYPE, {"content.xml": content, "styles.xml": styles})

    return make


def slide(*drawings, style="seen"):
    return f'<draw:page draw:style-name="{style}" draw:master-page-name="M">{"".join(drawings)}</draw:page>'


def frame(inside, kind="", **place):
    named = f'presentation:class="{kind}"' if kind else ""
    placed = " ".join(f'svg:{name}="{length}"' for name, length in place.items())
    return f"<draw:frame {named} {placed}>{inside}</draw:frame>"


def box(text, kind="", **place):
    return frame(f"<draw:text-box>{text}</draw:text-box>", kind, **place)


def paragraph(text):
    return f"<text:p>{text}</text:p>"


def white(text):
    return paragraph(f'<text:span text:style-name="white">{text}</text:span>')


async def read(reads, body):
    return (await reads(body, "odp")).markdown.split("\n\n")


def test_the_kind_is_told_by_its_type(an_odp):
    assert detect_kind(an_odp(slide()), "", "https://a.example/x") == "odp"


async def test_slides_have_titles_lists_tables_pictures_and_notes(reads, an_odp):
    items = (
        "<text:list><text:list-item><text:p>one <text:span text:style-name='bold'>bold</text:span></text:p><text:list>"
        "<text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item></text:list>"
        "<text:list text:style-name='numbers'><text:list-item><text:p>first</text:p></text:list-item>"
        "<text:list-item><text:p>second</text:p></text:list-item></text:list>"
    )
    rows = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell>{paragraph(cell)}</table:table-cell>' for cell in row)}</table:table-row>"
        for row in (("Weir", "Width"), ("Upper", "12.5"))
    )
    notes = f"<presentation:notes>{box(paragraph('Say this.'), 'notes')}{box(paragraph('7'), 'page-number')}</presentation:notes>"
    body = an_odp(
        slide(box(paragraph("The *river*"), "title"), box(items, "outline"), box(paragraph("3"), "page-number"), notes),
        slide(
            box(paragraph("Text"), x="1cm", y="1cm", width="4cm", height="1cm"),
            frame(f"<table:table>{rows}</table:table><draw:image/>"),
            frame("<draw:image/><svg:desc>A weir in spring</svg:desc>"),
            f"<draw:g><draw:custom-shape>{paragraph('In a shape')}</draw:custom-shape></draw:g>",
        ),
    )
    assert await read(reads, body) == [
        "## The \\*river\\*",
        "- one **bold**\n   - inner\n1. first\n2. second",
        "Notes: Say this.",
        "## Slide 2",
        "Text",
        "| Weir | Width |\n| --- | --- |\n| Upper | 12.5 |",
        "![A weir in spring]",
        "In a shape",
    ]


async def test_hidden_slides_and_what_is_off_a_slide_are_left_out(reads, an_odp):
    place = {"y": "1cm", "width": "4cm", "height": "1cm"}
    body = an_odp(
        slide(
            box(paragraph("Seen")),
            box(paragraph("Right"), x="29cm", **place),
            box(paragraph("Left"), x="-5cm", **place),
        ),
        slide(box(paragraph("Unseen")), style="unseen"),
        slide(box(paragraph("Half"), x="-3cm", **place)),
    )
    document = await reads(body, "odp")
    assert document.markdown.split("\n\n") == ["## Slide 1", "Seen", "## Slide 3", "Half"]
    assert (document.page_count, document.notes) == (3, ("1 hidden slide(s) were left out.",))


async def test_white_text_is_read_on_a_fill_only(reads, an_odp):
    cell = f'<table:table-row table:default-cell-style-name="blue"><table:table-cell>{white("Head")}</table:table-cell>'
    cell += f"<table:table-cell>{white('Size')}</table:table-cell></table:table-row>"
    document = await reads(
        an_odp(
            slide(box(white("On paper") + paragraph("Text"))),
            slide(box(white("On the dark")), style="dark"),
            slide(frame(f"<table:table>{cell}</table:table>")),
        ),
        "odp",
    )
    assert document.markdown.split("\n\n") == [
        *("## Slide 1", "Text", "## Slide 2", "On the dark", "## Slide 3", "| Head | Size |\n| --- | --- |"),
    ]
    assert document.notes == ("1 hidden piece(s) of text were left out.",)


async def test_a_presentation_without_text_is_empty(reads, an_odp):
    with pytest.raises(ContentEmpty, match="OpenDocument presentation contains no text"):
        await reads(an_odp(slide()), "odp")
