"""PowerPoint files: what a slide does not show is left out; charts and diagrams are read."""

from datetime import date
from io import BytesIO
from zipfile import ZipFile

import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Inches, Pt

DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
WHITE, NAVY = RGBColor(255, 255, 255), RGBColor(0, 0, 128)


@pytest.fixture
def a_slide(a_pptx):
    """A presentation of one blank slide that a function fills."""

    def make(fill):
        return a_pptx(lambda slides: fill(slides.slides.add_slide(slides.slide_layouts[6])))

    return make


def add_text(slide, text, color=None, place=(1, 1), shapes=None):
    box = (slide.shapes if shapes is None else shapes).add_textbox(
        Inches(place[0]), Inches(place[1]), Inches(2), Inches(1)
    )
    run = box.text_frame.paragraphs[0].add_run()
    run.text = text
    if color is not None:
        run.font.color.rgb = color
    return box, run


def add_panel(slide, color, width=8):
    panel = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(0), Inches(0), Inches(width), Inches(5))
    panel.fill.solid()
    panel.fill.fore_color.rgb = color
    return panel


def white_on_white(slide):
    add_text(slide, "okapi", WHITE)


def in_the_colour_of_the_theme(slide):
    _, run = add_text(slide, "okapi")
    run.font.color.theme_color = MSO_THEME_COLOR.BACKGROUND_1


def in_the_colour_of_its_shape(slide):
    box, _ = add_text(slide, "okapi", NAVY)
    box.fill.solid()
    box.fill.fore_color.rgb = NAVY


def in_the_colour_of_the_panel_behind(slide):
    add_panel(slide, NAVY)
    add_text(slide, "okapi", NAVY)


def on_a_white_panel_over_a_dark_one(slide):
    add_panel(slide, NAVY)
    add_panel(slide, WHITE)
    add_text(slide, "okapi", WHITE)


def behind_a_hidden_panel(slide):
    add_panel(slide, NAVY)._element.nvSpPr.cNvPr.set("hidden", "1")
    add_text(slide, "okapi", WHITE)


def in_the_background_of_the_slide(slide):
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = NAVY
    add_text(slide, "okapi", NAVY)


def without_fill(slide):
    _, run = add_text(slide, "okapi")
    etree.SubElement(run._r.get_or_add_rPr(), f"{DRAWING}noFill")


def transparent(slide):
    _, run = add_text(slide, "okapi", NAVY)
    etree.SubElement(run._r.rPr.find(f".//{DRAWING}srgbClr"), f"{DRAWING}alpha", val="0")


def tiny_by_the_style_of_its_list(slide):
    box, _ = add_text(slide, "okapi")
    styles = box._element.txBody.find(f"{DRAWING}lstStyle")
    etree.SubElement(etree.SubElement(styles, f"{DRAWING}lvl1pPr"), f"{DRAWING}defRPr", sz="100")


def in_a_hidden_group(slide):
    group = slide.shapes.add_group_shape()
    add_text(slide, "okapi", shapes=group.shapes)
    group._element.nvGrpSpPr.cNvPr.set("hidden", "1")


def in_the_colour_of_its_cell(slide):
    cell = slide.shapes.add_table(1, 1, 0, 0, Inches(2), Inches(1)).table.cell(0, 0)
    cell.fill.solid()
    cell.fill.fore_color.rgb = NAVY
    run = cell.text_frame.paragraphs[0].add_run()
    run.text, run.font.color.rgb = "okapi", NAVY


HIDDEN = (
    white_on_white, in_the_colour_of_the_theme, in_the_colour_of_its_shape, in_the_colour_of_the_panel_behind,
    on_a_white_panel_over_a_dark_one, behind_a_hidden_panel, in_the_background_of_the_slide, without_fill, transparent,
    tiny_by_the_style_of_its_list, in_a_hidden_group, in_the_colour_of_its_cell,
)  # fmt: skip


@pytest.mark.parametrize("hide", HIDDEN, ids=lambda hide: hide.__name__)
async def test_text_that_a_slide_does_not_show_is_left_out(reads, a_slide, hide):
    def fill(slide):
        hide(slide)
        add_text(slide, "marker", place=(1, 6))

    document = await reads(a_slide(fill), "pptx")
    assert "okapi" not in document.markdown
    assert "marker" in document.markdown


def white_on_a_dark_panel(slide):
    add_panel(slide, NAVY)
    add_text(slide, "okapi", WHITE)


def white_across_the_edge_of_a_panel(slide):
    add_panel(slide, NAVY, width=2)
    add_text(slide, "okapi", WHITE)


def white_on_a_picture(slide):
    from PIL import Image

    picture = BytesIO()
    Image.new("RGB", (1, 1)).save(picture, "png")
    slide.shapes.add_picture(picture, 0, 0, Inches(9), Inches(7))
    add_text(slide, "okapi", WHITE)


def white_on_a_dark_background(slide):
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = NAVY
    add_text(slide, "okapi", WHITE)


def white_in_the_header_of_a_styled_table(slide):
    table = slide.shapes.add_table(2, 1, 0, 0, Inches(2), Inches(1)).table
    run = table.cell(0, 0).text_frame.paragraphs[0].add_run()
    run.text, run.font.color.rgb = "okapi", WHITE


def outlined(slide):
    _, run = add_text(slide, "okapi")
    properties = run._r.get_or_add_rPr()
    etree.SubElement(etree.SubElement(properties, f"{DRAWING}ln"), f"{DRAWING}solidFill")
    etree.SubElement(properties, f"{DRAWING}noFill")


def large_by_its_own_size(slide):
    tiny_by_the_style_of_its_list(slide)
    slide.shapes[0].text_frame.paragraphs[0].runs[0].font.size = Pt(20)


SHOWN = (
    white_on_a_dark_panel, white_across_the_edge_of_a_panel, white_on_a_picture, white_on_a_dark_background,
    white_in_the_header_of_a_styled_table, outlined, large_by_its_own_size,
)  # fmt: skip


@pytest.mark.parametrize("show", SHOWN, ids=lambda show: show.__name__)
async def test_text_that_a_slide_shows_is_read(reads, a_slide, show):
    assert "okapi" in (await reads(a_slide(show), "pptx")).markdown


CHART_TABLE = "Sales\n\n|  | 2023 | 2024 |\n| --- | --- | --- |\n| East | 19.2 | 20 |\n| West | 21.4 | 3 |"


async def test_a_chart_is_a_table_of_its_numbers(reads, a_slide):
    def fill(slide):
        data = CategoryChartData()
        data.categories = ["East", "West"]
        data.add_series("2023", (19.2, 21.4))
        data.add_series("2024", (20, 3))
        chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(3), data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "Sales"

    assert (await reads(a_slide(fill), "pptx")).markdown == f"## Slide 1\n\n{CHART_TABLE}"


def add_chart(kind, data, **axes):
    """Add a chart to a slide, with titles of its axes."""

    def fill(slide):
        chart = slide.shapes.add_chart(kind, 0, 0, Inches(4), Inches(3), data).chart
        for name, title in axes.items():
            getattr(chart, name).axis_title.text_frame.text = title

    return fill


def category_data(categories, number_format, values):
    data = CategoryChartData(number_format=number_format)
    data.categories = categories
    data.add_series("A", values)
    return data


async def test_numbers_of_a_chart_are_formatted_and_its_axes_named(reads, a_slide):
    days = category_data([date(2024, 5, 6), date(2024, 5, 7)], "0.0%", (0.07, 0.30000000000000004))
    fill = add_chart(XL_CHART_TYPE.LINE, days, category_axis="Day", value_axis="Share")
    assert (await reads(a_slide(fill), "pptx")).markdown == (
        "## Slide 1\n\nAxes: Day; Share\n\n|  | A |\n| --- | --- |\n| 2024-05-06 | 7% |\n| 2024-05-07 | 30% |"
    )


async def test_points_of_a_chart_stay_beside_their_own_places(reads, a_slide):
    points = XyChartData()
    for name, pairs in {"A": [(1, 10), (2, 20)], "B": [(5, 50), (6, 60)]}.items():
        series = points.add_series(name)
        for x, y in pairs:
            series.add_data_point(x, y)
    assert (await reads(a_slide(add_chart(XL_CHART_TYPE.XY_SCATTER, points)), "pptx")).markdown == (
        "## Slide 1\n\n|  | A |  | B |\n| --- | --- | --- | --- |\n| 1 | 10 | 5 | 50 |\n| 2 | 20 | 6 | 60 |"
    )


async def test_groups_of_categories_are_named(reads, a_slide):
    data = CategoryChartData()
    for year in ("2023", "2024"):
        group = data.add_category(year)
        group.add_sub_category("May")
        group.add_sub_category("June")
    data.add_series("A", (1, 2, 3, 4))
    lines = (await reads(a_slide(add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, data)), "pptx")).markdown.splitlines()
    assert lines[4:] == ["| 2023 May | 1 |", "| 2023 June | 2 |", "| 2024 May | 3 |", "| 2024 June | 4 |"]


DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DIAGRAM_DATA = (
    f'<dgm:dataModel xmlns:dgm="{DIAGRAM}" xmlns:a="{DRAWING[1:-1]}"><dgm:ptLst><dgm:pt type="doc"/>'
    "<dgm:pt><dgm:t><a:p><a:r><a:t>Collect</a:t></a:r></a:p></dgm:t></dgm:pt>"
    "<dgm:pt><dgm:t><a:p><a:r><a:t>Sort</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"
)
DIAGRAM_REFERENCE = f'<dgm:relIds xmlns:dgm="{DIAGRAM}" xmlns:r="{RELATIONS}" r:dm="data"/>'


async def test_a_diagram_is_a_list_of_its_texts(reads, a_slide, a_zip):
    with ZipFile(BytesIO(a_slide(lambda slide: add_text(slide, "marker")))) as archive:
        parts = {name: archive.read(name).decode("latin-1") for name in archive.namelist()}
    slide, relations = "ppt/slides/slide1.xml", "ppt/slides/_rels/slide1.xml.rels"
    frame = (
        f"<p:graphicFrame><a:graphic><a:graphicData>{DIAGRAM_REFERENCE}</a:graphicData></a:graphic></p:graphicFrame>"
    )
    parts[slide] = parts[slide].replace("</p:spTree>", f"{frame}</p:spTree>")
    link = f'<Relationship Id="data" Type="{RELATIONS}/diagramData" Target="../diagrams/data1.xml"/></Relationships>'
    parts[relations] = parts[relations].replace("</Relationships>", link)
    body = a_zip(
        {name: text.encode("latin-1") for name, text in parts.items()} | {"ppt/diagrams/data1.xml": DIAGRAM_DATA}
    )
    assert (await reads(body, "pptx")).markdown == "## Slide 1\n\nmarker\n\n- Collect\n- Sort"


async def test_a_diagram_in_a_word_file_follows_its_paragraph(reads, word_xml):
    link = f'<Relationship Id="data" Type="{RELATIONS}/diagramData" Target="diagrams/data1.xml"/>'
    parts = {
        "word/_rels/document.xml.rels": f"<Relationships>{link}</Relationships>",
        "word/diagrams/data1.xml": DIAGRAM_DATA,
    }
    inner = f"<w:p><w:r><w:t>marker</w:t></w:r><w:r><w:drawing>{DIAGRAM_REFERENCE}</w:drawing></w:r></w:p>"
    assert (await reads(word_xml(inner, parts), "docx")).markdown == "marker\n\n- Collect\n- Sort"


MATHS = "http://schemas.openxmlformats.org/officeDocument/2006/math"
LATE_DRAWING = "http://schemas.microsoft.com/office/drawing/2010/main"


async def test_formulas_stand_in_their_places(reads, a_slide):
    def fill(slide):
        _, run = add_text(slide, "Mass ")
        inner = (
            f'<a:m xmlns:a="{LATE_DRAWING}" xmlns:m="{MATHS}">{{}}<m:oMath><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r>'
            "<m:t>2</m:t></m:r></m:sup></m:sSup><m:m><m:mr><m:e><m:r><m:t>x</m:t></m:r></m:e></m:mr></m:m></m:oMath>{}</a:m>"
        )
        run._r.addnext(etree.fromstring(inner.format("", "")))
        run._r.getparent().append(etree.fromstring(inner.format("<m:oMathPara>", "</m:oMathPara>")))

    tex = "c^{2}\\begin{matrix}x\\end{matrix}"
    assert (await reads(a_slide(fill), "pptx")).markdown == f"## Slide 1\n\nMass ${tex}$$${tex}$$"


def add_code(slide, *lines, font="Courier New"):
    frame = slide.shapes.add_textbox(0, 0, Inches(5), Inches(2)).text_frame
    for number, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.text = line
        for run in paragraph.runs:
            run.font.name = font
    return frame


async def test_monospaced_text_without_bullets_is_code(reads, a_slide):
    def fill(slide):
        add_text(slide, "This text of the slide is longer than the code that it is about, as it mostly is.")
        frame = add_code(slide, "def f(x):", "    return x ** 2\v    # *done*")
        frame.paragraphs[1].runs[0].font.bold = True
        frame.add_paragraph().text = "Words."

    assert (await reads(a_slide(fill), "pptx")).markdown == (
        "## Slide 1\n\nThis text of the slide is longer than the code that it is about, as it mostly is.\n\n"
        "```\ndef f(x):\n    return x ** 2\n    # *done*\n```\nWords."
    )


async def test_slides_that_are_all_monospaced_are_no_code(reads, a_slide):
    made = a_slide(lambda slide: add_code(slide, "All of *this*", "was typed", font="Consolas"))
    assert (await reads(made, "pptx")).markdown == "## Slide 1\n\nAll of *this*\nwas typed".replace("*", "\\*")
