"""Word 97 to 2003 files (DOC): what their program shows, with its structure, without what it hides."""

import random
import struct
from io import BytesIO
from itertools import accumulate

import pytest
import xlwt
from tests.support.powerpoint97 import a_shape as a_drawing
from tests.support.powerpoint97 import a_slide, a_text, write_ppt97
from tests.support.word97 import (
    a_level,
    a_plc,
    a_record,
    a_row,
    a_shape,
    a_style,
    a_style_sheet,
    paragraph,
    some_drawings,
    some_fonts,
    some_lists,
    sprm,
    write_compound_file,
    write_summary,
    write_word97,
)

from assay.documents import detect_kind
from assay.errors import ContentEmpty, InvalidInput, UpstreamFailed

BOLD, ITALIC, VANISH, RAISED = (sprm(code, 1) for code in (0x0835, 0x0836, 0x083C, 0x2A48))
DELETED, SPECIAL = sprm(0x0800, 1), sprm(0x0855, 1)
WHITE = sprm(0x2A42, 8)
STYLES = a_style_sheet(
    a_style(0, "Normal"),
    a_style(1, "Überschrift 1", base=0),
    a_style(0xFFE, "Kapitel", base=1),
    a_style(62, "Titel", base=0),
    a_style(0xFFE, "Source Code", base=0),
    a_style(180, "Quote", base=0, run=ITALIC),
    a_style(0xFFE, "Strong", kind=2, run=BOLD),
    a_style(0xFFE, "Outlined", base=0, properties=sprm(0x2640, 2)),
    a_style(54, "Aufzählungszeichen 2", base=0, properties=sprm(0x460B, 1)),
    a_style(0xFFE, "Turns", base=10, run=sprm(0x4A30, 10)),
    a_style(0xFFE, "Around", base=9, run=BOLD + sprm(0x4A30, 9)),
)


async def reading(reads, *paragraphs, parts=None, **options):
    body = write_word97(list(paragraphs), parts={"styles": STYLES} | (parts or {}), **options)
    return await reads(body, "doc")


def a_field(code, result, shown=()):
    ends = [("\x13", SPECIAL), code, ("\x14", SPECIAL), *([result] if result else []), ("\x15", SPECIAL)]
    return [*ends[:2], *shown, *ends[2:]]


def a_shading(color):
    return bytes.fromhex("000000ff") + bytes.fromhex(color) + b"\0\0\0"


@pytest.mark.parametrize(
    ("given", "markdown"),
    [
        (paragraph("One", style=1), "# One"),
        (paragraph("Two", style=2), "# Two"),
        (paragraph("Three", style=3), "# Three"),
        (paragraph("Four", style=7), "### Four"),
        (paragraph("Five", properties=sprm(0x2640, 1)), "## Five"),
        (paragraph("Six", properties=sprm(0x2640, 9)), "Six"),
        (paragraph("Seven", style=999), "Seven"),
        (paragraph("Eight", style=9), "Eight"),
        (paragraph("if a:\x0b    b()", style=4), "```\nif a:\n    b()\n```"),
        (paragraph("Said.", style=5), "> Said."),
        (paragraph("a ", ("b", BOLD), " ", ("c", BOLD + ITALIC)), "a **b *c***"),
        (paragraph("a ", ("b", sprm(0x4A30, 6)), ("c", sprm(0x4A30, 6) + sprm(0x0835, 0x81))), "a **b**c"),
        (paragraph("a", ("b", sprm(0x0836, 0x80)), style=5), "> ab"),
        (paragraph("a", ("b", sprm(0x0836, 0)), style=5), "> ab"),
        (paragraph("10", ("6", RAISED), " and 10", ("7", sprm(0x4845, 6))), "10^6 and 10^7"),
        (paragraph("a\x1eb\x1fc\xa0d\te\x0bf"), "a-bc\xa0d e\nf"),
        (paragraph("🦦 ", ("𝒳", BOLD)), "🦦 **𝒳**"),
        (paragraph("x\x06a\x07javascript:alert(1)\x08\x10[a](b)\x11", mark="\r"), "xa\n\njavascript:alert(1)[a\\](b)"),
        (paragraph("a", ("\x0c", b""), "b"), "a\nb"),
        (paragraph("O", properties=sprm(0x442C, 1)) , "O"),
    ],
)  # fmt: skip
async def test_paragraphs_and_their_runs(reads, given, markdown):
    assert (await reading(reads, given)).markdown == markdown


@pytest.mark.parametrize(
    ("runs", "text", "hidden"),
    [
        ([("no", VANISH), "yes"], "yes", 1),
        ([("no", DELETED), ("yes", sprm(0x0801, 1))], "yes", 0),
        ([("no", sprm(0x4A43, 1)), "yes"], "yes", 1),
        ([("no", sprm(0x4852, 1)), "yes"], "yes", 1),
        ([("no", WHITE), ("yes", WHITE + sprm(0x2A0C, 6))], "yes", 1),
        ([("no", sprm(0x6870, b"\xff\xff\xff\0")), ("yes", WHITE + sprm(0xCA71, a_shading("00007000")))], "yes", 1),
        ([("no", WHITE + sprm(0x4866, 8 << 5)), ("yes", WHITE + sprm(0x4866, 1 << 5))], "yes", 1),
        ([("no", VANISH), ("yes", VANISH + sprm(0x083C, 0)), (" now", VANISH + sprm(0x2A33, 1))], "yes now", 1),
    ],
)  # fmt: skip
async def test_hidden_and_deleted_text_is_left_out(reads, runs, text, hidden):
    document = await reading(reads, paragraph(*runs))
    assert document.markdown == text
    assert document.notes == ((f"{hidden} hidden run(s) of text were left out.",) if hidden else ())


async def test_a_paragraph_whose_mark_is_deleted_runs_on(reads):
    drop = paragraph("O", properties=sprm(0x442C, 1))
    document = await reading(
        reads, paragraph("one ", mark_properties=DELETED), paragraph("two"), drop, paragraph("nce")
    )
    assert document.markdown == "one two\n\nOnce"


async def test_white_text_shows_on_the_fill_of_its_paragraph_or_cell(reads):
    fill = sprm(0xC64D, a_shading("00007000"))
    fills = sprm(0xD612, a_shading("00007000") + a_shading("FFFFFF00"))
    document = await reading(
        reads,
        paragraph(("blue", WHITE), properties=fill),
        *a_row([paragraph(("head", WHITE))], [paragraph("x", ("gone", WHITE))], properties=fills),
        *a_row([paragraph(("gone", WHITE), "y")], "z"),
    )
    assert document.markdown == "blue\n\n| head | x |\n| --- | --- |\n| y | z |"


async def test_fields_show_their_results_and_links_are_links(reads):
    document = await reading(
        reads,
        paragraph("See ", *a_field(' HYPERLINK "https://a.example/x" ', "the page"), "."),
        paragraph("Page ", *a_field(" PAGE ", "7"), *a_field(' XE "unseen" ', ""), "."),
        paragraph(*a_field(' HYPERLINK "javascript:alert(1)" ', "harm")),
        paragraph(*a_field(' HYPERLINK "https://a.example/" ', ("gone", VANISH)), "end"),
        paragraph(*[("\x13", SPECIAL), r" EQ \* jc0 \o(\s\up 10(かんじ),漢字)", ("\x15", SPECIAL)]),
    )
    assert document.markdown == "See [the page](https://a.example/x).\n\nPage 7.\n\nharm\n\nend\n\n漢字"


async def test_lists_have_the_numbers_that_word_shows(reads):
    parts = some_lists(
        [a_level(0, "\0."), a_level(4, "\1)"), a_level(2, "\0.\2", 4, 4), *[a_level(23, "·")] * 6], [a_level(23, "·")]
    )

    def item(text, number, depth=0, style=0):
        return paragraph(text, style=style, properties=sprm(0x460B, number) + sprm(0x260A, depth))

    document = await reading(
        reads,
        *[item("a", 1), item("b", 1, 1), item("c", 1, 1), item("d", 1, 2), item("e", 1), item("f", 1, 1)],
        *[item("g", 2), item("no", 0), item("lost", 0xF802), paragraph("styled", style=8), item("Head", 1, 0, 1)],
        parts=parts,
    )
    assert document.markdown == (
        "1. a\n   - a) b\n   - b) c\n      - 1.4 d\n2. e\n   - a) f\n- g\n\nno\n\nlost\n\n   3. styled\n\n# 4. Head"
    )


async def test_an_override_sets_the_first_number(reads):
    parts = some_lists([a_level(1, "\0.")])
    named = struct.pack("<I8xBBBB", 1, 1, 0, 0, 0)
    parts["overrides"] = struct.pack("<I", 1) + named + b"\xff" * 4 + struct.pack("<II", 7, 0x10)
    document = await reading(reads, paragraph("a", properties=sprm(0x460B, 1)), parts=parts)
    assert document.markdown == "- VII. a"


async def test_tables_have_their_cells_in_their_columns(reads):
    inner = a_row("x", "y", depth=2)
    document = await reading(
        reads,
        *a_row([paragraph(("a", BOLD))], "b", "c"),
        *a_row("wide", "d", edges=[0, 2000, 3000]),
        *a_row("e", [paragraph("f"), *inner, paragraph("g")], "h", flags=(0x60, 0, 0)),
        *a_row("", "i", "j", flags=(0x20, 0, 0)),
        paragraph("End."),
        *a_row([paragraph("framed", style=1), paragraph("text")]),
    )
    assert document.markdown == (
        "| a | b | c |\n| --- | --- | --- |\n| wide |  | d |\n| e | f<br>x \\| y<br>g | h |\n|  | i | j |\n\n"
        "End.\n\n# framed\n\ntext"
    )


async def test_properties_of_a_wide_row_are_in_the_data_stream(reads):
    *cells, (runs, properties) = a_row("a", "b", "c")
    data = b"...." + struct.pack("<H", len(properties) - 2) + properties[2:]
    row = [*cells, (runs, b"\0\0" + sprm(0x6646, 4))]
    document = await reading(reads, *a_row("wide", "d", edges=[0, 2000, 3000]), *row, data=data)
    assert document.markdown == "| wide |  | d |\n| --- | --- | --- |\n| a | b | c |"


async def test_footnotes_and_endnotes_follow_the_text(reads):
    mark = ("\x02", SPECIAL)
    main = [paragraph("One", mark, " two", mark, " three", ("*", RAISED), ".")]
    notes = [paragraph(mark, " First ", mark), paragraph("* Own.")]
    parts = {
        "footnote marks": a_plc([3, 15, 18], [b"\1\0", b"\0\0"]),
        "footnote texts": a_plc([0, 10, 17, 18], []),
        "endnote marks": a_plc([8, 18], [b"\1\0"]),
        "endnote texts": a_plc([0, 7, 8], []),
    }
    document = await reading(
        reads, *main, parts=parts, footnotes=[*notes, paragraph()], headers=[paragraph("head")],
        comments=[paragraph("said")], endnotes=[paragraph(mark, " Last"), paragraph()],
    )  # fmt: skip
    assert document.markdown == ("One[^1] two[^2] three[^3]*.\n\n[^1]: First\n\n[^2]: Last\n\n[^3]: \\* Own.")


def box_parts(*numbers, anchors, texts, shapes):
    """The parts of text boxes: of these shapes, at these characters, with texts of these lengths."""
    items = [struct.pack("<14xI4x", number) for number in (*numbers, 0)]
    placed = [struct.pack("<I4iHI", number, 0, 0, 2000, 1000, 0, 0) for number in anchors.values()]
    starts = list(accumulate(texts, initial=0))
    boxes = a_plc([*starts, starts[-1] + 2], items)
    return {"anchors": a_plc([*anchors, 999], placed), "boxes": boxes, "drawings": some_drawings(*shapes)}


async def test_text_boxes_follow_the_paragraph_that_they_are_anchored_in(reads):
    hidden, group = [(0x03BF, 0x20002)], a_record(0xF003, a_shape(20) + a_shape(21) + a_shape(22), 0, 15)
    parts = box_parts(
        21, 30, 40,
        anchors={1: 20, 3: 30, 4: 40},
        texts=[6, 6, 6],
        shapes=[group, a_shape(30, hidden), a_shape(40, [(0x181, 0xFF0000)], "a [plan]")],
    )  # fmt: skip
    boxes = [paragraph("inner"), paragraph("gone!"), paragraph(("white", WHITE)), paragraph()]
    drawn = ("\x08", SPECIAL)
    document = await reading(reads, paragraph("a", drawn), paragraph(drawn, drawn), parts=parts, boxes=boxes)
    assert document.markdown == "a\n\ninner\n\n![a \\[plan\\]]\n\nwhite"


async def test_white_text_does_not_show_in_a_box_without_a_fill(reads):
    for options, text in (([(0x1BF, 0x100000)], "ab"), ([(0x181, 0x0000FF)], "ab\n\nwhite")):
        parts = box_parts(20, anchors={1: 20}, texts=[6], shapes=[a_shape(20, options)])
        boxes = [paragraph(("white", WHITE)), paragraph()]
        document = await reading(reads, paragraph("a", ("\x08", SPECIAL), "b"), parts=parts, boxes=boxes)
        assert document.markdown == text


async def test_a_picture_has_its_alternative_text(reads):
    shape = a_shape(9, description="An otter")
    data = struct.pack("<IH62x", 68 + len(shape), 68) + shape
    document = await reading(reads, paragraph("a ", ("\x01", SPECIAL + sprm(0x6A03, 0)), " b"), data=data)
    assert document.markdown == "a ![An otter] b"


def a_form(kind, state, default, *entries):
    texts = struct.pack("<HH", 0, 0)
    body = b"\xff" * 4 + struct.pack("<HHH", kind | state << 2, 0, 0) + texts + struct.pack("<H", default) + 5 * texts
    body += struct.pack("<HHH", 0xFFFF, len(entries), 0)
    body += b"".join(struct.pack("<H", len(entry)) + entry.encode("utf-16-le") for entry in entries)
    return struct.pack("<IH62x", 68 + len(body), 68) + body


@pytest.mark.parametrize(
    ("code", "form", "text"),
    [
        (" FORMCHECKBOX ", a_form(1, 1, 0), "☒"),
        (" FORMCHECKBOX ", a_form(1, 25, 0), "☐"),
        (" FORMDROPDOWN ", a_form(2, 1, 0, "one", "two"), "two"),
        (" FORMDROPDOWN ", a_form(2, 9, 0, "one", "two"), ""),
        (" FORMTEXT ", a_form(0, 0, 0), ""),
        (' HYPERLINK "x" ', a_form(1, 1, 0), ""),
    ],
)
async def test_form_fields_show_their_state(reads, code, form, text):
    drawn = ("\x01", SPECIAL + sprm(0x0806, 1) + sprm(0x6A03, 0))
    document = await reading(reads, paragraph("a", *a_field(code, "", [drawn]), "b"), data=form)
    assert document.markdown == f"a{text}b"


async def test_symbols_and_fonts_of_signs(reads):
    parts = {"fonts": some_fonts("Times New Roman", "Symbol", "Wingdings", "Courier New")}
    symbol = sprm(0x6A09, struct.pack("<HH", 1, 0xF06D)) + SPECIAL
    document = await reading(
        reads,
        paragraph("5 ", ("(", symbol), "m ", ("\uf0fc", sprm(0x4A4F, 2))),
        paragraph(("x = 1", sprm(0x4A4F, 3))),
        paragraph("A long line of ordinary text."),
        parts=parts,
    )
    assert document.markdown == "5 μm ✓\n\n```\nx = 1\n```\n\nA long line of ordinary text."


@pytest.mark.parametrize("options", [{"is_compressed": True}, {"pieces": [(2, 0), (3, 0x5C << 1 | 1 << 8), (9, 1)], "changes": [BOLD]}])  # fmt: skip
async def test_the_pieces_of_a_text(reads, options):
    document = await reading(reads, paragraph("abcde – “f”."), **options)
    assert document.markdown == ("ab **– “f”.**" if "pieces" in options else "abcde – “f”.")


async def test_the_declared_properties(reads):
    summary = write_summary(title="Grüße\0", author="Ann  Doe", pages=3)
    document = await reading(reads, paragraph("x"), summary=summary)
    assert (document.title, document.author, document.page_count) == ("Grüße", "Ann Doe", 3)


async def test_properties_that_declare_too_many_items_end_in_time(reads):
    summary = bytearray(write_summary(title="T", author="A", pages=3))
    for place in range(48, len(summary) - 4, 4):
        body = bytes(summary[:place] + b"\xff\xff\xff\x7f" + summary[place + 4 :])
        assert (await reading(reads, paragraph("x"), summary=body)).markdown == "x"


async def test_a_file_is_known_by_its_streams():
    body = write_word97([paragraph("x")])
    assert detect_kind(body, "application/msword", "https://a.example/x") == "doc"
    assert detect_kind(body.replace(b"W\0o\0r\0d\0D", b"W\0o\0r\0d\0E"), "", "https://a.example/x.doc") is None


async def test_a_workbook_with_a_word_document_in_it_is_a_workbook(reads):
    book, body = xlwt.Workbook(), BytesIO()
    book.add_sheet("S").write(0, 0, "x")
    book.save(body)
    file = body.getvalue() + "WordDocument".encode("utf-16-le")
    assert detect_kind(file, "", "") == "doc"
    assert (await reads(file, "doc")).kind == "xls"


async def test_a_presentation_with_a_word_document_in_it_is_a_presentation(reads):
    file = write_ppt97(a_slide(a_drawing(a_text("x")))) + "WordDocument".encode("utf-16-le")
    assert detect_kind(file, "", "") == "doc"
    assert (await reads(file, "doc")).kind == "ppt"


async def test_a_file_that_cannot_be_read_says_why(reads):
    with pytest.raises(InvalidInput, match="The Word document is encrypted"):
        await reading(reads, paragraph("x"), flags=0x300)
    with pytest.raises(InvalidInput, match="Word 95 or earlier"):
        await reading(reads, paragraph("x"), version=0x68)
    with pytest.raises(UpstreamFailed, match="The Word document is broken"):
        await reads(write_compound_file({"WordDocument": b"x"}), "doc")
    with pytest.raises(ContentEmpty, match="The Word document contains no text"):
        await reading(reads, paragraph())


async def test_the_text_is_no_longer_than_the_file(reads):
    document = await reading(reads, paragraph("otter " * 400), pieces=[(2_401, 0, True)] * 400)
    assert document.truncated
    assert len(document.markdown) < 60_000


async def test_notes_and_boxes_that_repeat_each_other_are_read_once(reads):
    marks = ("\x02" * 999, SPECIAL)
    parts = {"footnote marks": a_plc(range(1_001), [b"\1\0"] * 1_000), "footnote texts": a_plc([0, 1_000] * 501, [])}
    document = await reading(reads, paragraph(marks), parts=parts, footnotes=[paragraph(marks)])
    assert document.truncated
    assert len(document.markdown) < 60_000
    parts = box_parts(20, anchors=dict.fromkeys(range(999), 20), texts=[901], shapes=[a_shape(20)])
    document = await reading(reads, paragraph(("\x08" * 999, SPECIAL)), parts=parts, boxes=[paragraph("otter " * 150)])
    assert document.markdown.count("otter") == 150


@pytest.mark.parametrize("seed", range(60))
async def test_a_damaged_file_is_one_error_or_is_read(reads, seed):
    choices = random.Random(seed)
    parts = {"styles": STYLES, **some_lists([a_level(0, "\0.")])}
    parts |= box_parts(20, anchors={2: 20}, texts=[4], shapes=[a_shape(20)])
    rows = [*a_row("a", "b"), *a_row("c", [paragraph("d"), *a_row("x", depth=2), paragraph("e")])]
    text = paragraph("a", ("\x08", SPECIAL), *a_field(' HYPERLINK "https://a.example" ', ("b", BOLD)), style=1)
    body = bytearray(write_word97([text, *rows, paragraph("f", properties=sprm(0x460B, 1))], parts=parts, boxes=[paragraph("box")]))  # fmt: skip
    for _ in range(choices.randint(1, 30)):
        place = choices.randrange(512, len(body) - 8)
        body[place : place + 4] = choices.choice(
            (b"\xff\xff\xff\xff", b"\xff\x7f\0\0", b"\0\0\0\0", choices.randbytes(4))
        )
    try:
        assert (await reads(bytes(body), "doc")).kind == "doc"
    except (UpstreamFailed, InvalidInput, ContentEmpty) as error:
        assert "Word document" in str(error)


async def test_the_words_of_an_ornament_stand_in_their_place(reads):
    hidden = [(0x03BF, 0x20002)]
    shapes = [a_shape(20, words="Thank\r\nyou *all*!", description="unread"), a_shape(30, hidden, words="unseen")]
    parts = box_parts(anchors={2: 20, 4: 30}, texts=[], shapes=shapes)
    drawn = ("\x08", SPECIAL)
    document = await reading(reads, paragraph("a ", drawn, " ", drawn, "b"), parts=parts)
    assert document.markdown == "a Thank you \\*all\\*! b"


def comment_parts(*comments, texts):
    """The parts of comments, each of an author, its place, and the places of its words; `texts` are their lengths."""
    marks = [struct.pack("<20xHHHI", number, 0, 0, number) for number in range(len(comments))]
    tags = b"".join(struct.pack("<HHII", 0, 0x100, number, 0xFFFFFFFF) for number in range(len(comments)))
    begins = [struct.pack("<HH", number, 0) for number in range(len(comments))]
    names = b"".join(struct.pack("<H", len(name)) + name.encode("utf-16-le") for name, *_ in comments)
    return {
        "comment marks": a_plc([*(place for _, place, *_ in comments), 999], marks),
        "comment texts": a_plc([*accumulate(texts, initial=0), sum(texts) + 1], []),
        "comment authors": names,
        "comment bookmarks": struct.pack("<HHH", 0xFFFF, len(comments), 10) + tags,
        "comment begins": a_plc([*(start for *_, start, _ in comments), 999], begins),
        "comment ends": a_plc([*(end for *_, end in comments), 999], []),
    }


async def test_comments_follow_the_text(reads):
    call = ("\x05", SPECIAL)
    parts = comment_parts(
        ("Ada Löwe", 17, 4, 17), ("", 18, 0, 0), ("Eve", 19, 0, 3), ("Bob", 26, 21, 30), texts=[15, 6, 8, 10]
    )
    document = await reading(
        reads,
        paragraph("The ", ("sea ", BOLD), ("secret ", VANISH), "ot", call, call, ("\x05", SPECIAL + VANISH)),
        paragraph("\x13 X \x14", call, "Two"),
        comments=[
            paragraph(call, "Which *ones*?"), paragraph(call, "Why?"), paragraph(call, "unseen"), paragraph(call, "And this"),
            paragraph(),
        ],
        parts=parts,
    )  # fmt: skip
    assert document.markdown == "The **sea** ot\n\nTwo\n\n" + document.comments
    assert document.comments.split("\n\n") == [
        r"Comment by Ada Löwe on “sea ot”: Which \*ones\*?", "Comment: Why?", "Comment by Bob on “Two”: And this",
    ]  # fmt: skip
