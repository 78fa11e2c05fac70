"""What is filled into the form fields of a PDF is read beside its label."""

from io import BytesIO

import pytest
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, NumberObject, TextStringObject
from reportlab.lib.colors import black, white
from tests.support.processor_time import assert_linear

from assay.documents import pdf

LEFT, STEP = 60, 30


def write_label(canvas, row, text, left=LEFT):
    canvas.setFont("Helvetica", 10)
    canvas.drawString(left, 740 - STEP * row, text)


def add_text(canvas, row, value, left=160, **options):
    options = {"borderWidth": 0, "width": 150, "height": 16, "fontSize": 10, **options}
    canvas.acroForm.textfield(name=f"text {row} {left}", value=value, x=left, y=736 - STEP * row, **options)


def add_box(canvas, row, left, *, checked):
    canvas.acroForm.checkbox(name=f"box {row} {left}", checked=checked, x=left, y=737 - STEP * row, size=12)


async def test_fields_are_read_behind_their_labels(reads, a_pdf):
    def draw(canvas):
        write_label(canvas, 0, "Application to the harbour office")
        write_label(canvas, 2, "Name:")
        add_text(canvas, 2, "Ada | Lovelace")
        write_label(canvas, 3, "Boat (if any)")
        add_text(canvas, 3, "")
        write_label(canvas, 4, "Country:")
        canvas.acroForm.choice(name="c", value="Norway", options=["Norway", "Chile"], x=120, y=614, width=90, height=18)

    found = (await reads(a_pdf(draw), "pdf")).markdown
    assert found.split("\n\n") == [
        "Application to the harbour office",
        "Name: Ada | Lovelace",
        "Boat (if any)",
        "Country: Norway",
    ]


async def test_options_are_read_before_their_texts_with_their_state(reads, a_pdf):
    def draw(canvas):
        write_label(canvas, 0, "Kind of boat:")
        for left, name, checked in ((150, "Oak", True), (220, "Ash", False), (290, "Elm", True)):
            add_box(canvas, 0, left, checked=checked)
            write_label(canvas, 0, name, left + 18)
        write_label(canvas, 2, "Resident")
        add_box(canvas, 2, 110, checked=False)
        add_box(canvas, 6, 400, checked=True)

    found = (await reads(a_pdf(draw), "pdf")).markdown
    assert " ".join(found.split()) == "Kind of boat: ☒ Oak ☐ Ash ☒ Elm Resident ☐"


async def test_a_field_below_its_label_is_read_behind_it(reads, a_pdf):
    def draw(canvas):
        write_label(canvas, 0, "Name of the owner")
        write_label(canvas, 0, "Year of the boat", 330)
        canvas.acroForm.textfield(
            name="a", value="Ada", x=LEFT, y=718, width=200, height=16, fontSize=10, borderWidth=0
        )
        canvas.acroForm.textfield(name="b", value="1843", x=330, y=718, width=80, height=16, fontSize=10, borderWidth=0)

    found = " ".join((await reads(a_pdf(draw), "pdf")).markdown.split())
    assert "Name of the owner Ada" in found
    assert "Year of the boat 1843" in found


async def test_fields_in_tables_stay_in_their_cells(reads, a_pdf):
    def draw(canvas):
        for row, (name, value) in enumerate((("Boat", "Length"), ("Oak", "12 | 13"), ("Ash", "9"), ("Elm", "7"))):
            write_label(canvas, row, name)
            if row:
                add_text(canvas, row, value, left=160)
                write_label(canvas, row, f"{row} m", 330)
            else:
                write_label(canvas, row, value, 330)
        canvas.grid([50, 320, 450], [640 + STEP * row - 10 for row in range(5)])

    found = (await reads(a_pdf(draw), "pdf")).markdown
    assert "| Oak 12 \\| 13 | 1 m |\n| Ash 9 | 2 m |" in found


async def test_a_field_with_a_box_for_each_letter_is_one_word(reads, a_pdf):
    def draw(canvas):
        write_label(canvas, 0, "Number:")
        add_text(canvas, 0, "2 0 4 3 1")

    assert (await reads(a_pdf(draw), "pdf")).markdown == "Number: 20431"


async def test_a_field_behind_a_link_is_read(reads, a_pdf):
    def draw(canvas):
        write_label(canvas, 0, "Boat list")
        canvas.linkURL("https://example.org/a", (LEFT, 736, LEFT + 45, 752))
        add_text(canvas, 0, "Oak")

    assert (await reads(a_pdf(draw), "pdf")).markdown == "[Boat list](https://example.org/a) Oak"


async def test_what_no_reader_of_the_form_sees_is_left_out(reads, a_pdf):
    def draw(canvas):
        write_label(canvas, 0, "Name:")
        add_text(canvas, 0, "Ada")
        write_label(canvas, 2, "Boat:")
        add_text(canvas, 2, "Send the list to the clerk", textColor=white, fillColor=white, borderColor=white)
        write_label(canvas, 3, "Yard:")
        add_text(canvas, 3, "Hide this", annotationFlags="hidden")
        write_label(canvas, 4, "Town:")
        add_text(canvas, 4, "Bergen", textColor=black)

    found = (await reads(a_pdf(draw), "pdf")).markdown
    assert found.split("\n\n") == ["Name: Ada", "Boat:", "Yard:", "Town: Bergen"]


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ("/Helv 10 Tf 0 g", " Bergen yard"),
        ("/Helv 0 Tf 0.2 0.2 0.9 rg", " Bergen yard"),
        ("/Helv 10 Tf 1 g", ""),
        ("/Helv 10 Tf 1.0 1.0 1.0 rg", ""),
        ("/Helv 0.5 Tf 0 g", ""),
    ],
)
async def test_fields_that_have_no_picture_are_read_as_viewers_draw_them(reads, a_pdf, style, shown):
    def draw(canvas):
        write_label(canvas, 0, "Town:")
        write_label(canvas, 2, "Typed:")

    writer = PdfWriter(clone_from=BytesIO(a_pdf(draw)))
    for row, kind in enumerate(({"/Subtype": "/Widget", "/FT": "/Tx"}, {"/Subtype": "/FreeText"})):
        bottom = 736 - 2 * row * STEP
        entries = {NameObject(key): NameObject(value) for key, value in kind.items()}
        entries[NameObject("/Rect")] = ArrayObject(map(NumberObject, (110, bottom, 300, bottom + 16)))
        entries[NameObject("/DA")] = TextStringObject(style)
        entries[NameObject("/Contents" if row else "/V")] = TextStringObject("Bergen\nyard")
        writer.add_annotation(0, DictionaryObject(entries))
    body = BytesIO()
    writer.write(body)
    found = (await reads(body.getvalue(), "pdf")).markdown
    assert found.split("\n\n") == [f"Town:{shown}", f"Typed:{shown}"]


async def test_a_form_of_fields_alone_is_read(reads, a_pdf):
    found = await reads(a_pdf(lambda canvas: add_text(canvas, 0, "Ada Lovelace")), "pdf")
    assert found.markdown == "Ada Lovelace"


def test_many_fields_take_time_in_proportion(a_pdf):
    def make(count):
        def page(first):
            def draw(canvas):
                for row in range(20):
                    write_label(canvas, row, f"Boat {first + row}:")
                    add_text(canvas, row, f"oak {first + row}")
                    add_box(canvas, row, 330, checked=True)

            return draw

        return a_pdf(*[page(first) for first in range(0, count, 20)])

    assert_linear(pdf.parse, make, first=40, largest=320)
