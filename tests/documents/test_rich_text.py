"""RTF files as Word, OpenOffice and old programs write them."""

import pytest
from tests.support.processor_time import assert_linear

from assay.documents.document_parser import parse

BOX = rb"{\shp{\*\shpinst\shpleft0{\sp{\sn fHidden}{\sv %d}}{\shptxt \pard %s\par}}{\shprslt{\*\do{\dptxbxtext copy\par}}}}"


@pytest.mark.parametrize(
    ("code", "markdown"),
    [
        (rb"one {\*\cs12\cf2 two} {\*\unknown three}four\par", "one two four"),
        (rb"a" + BOX % (0, rb"in {\b the} box\par second") + rb" b\par c\par", "a b\n\nin **the** box\n\nsecond\n\nc"),
        (rb"a" + BOX % (1, rb"unseen") + rb"\par", "a"),
        (rb"{\v a" + BOX % (0, rb"unseen") + rb"}b\par", "b"),
        (rb"a" + BOX % (0, BOX % (0, rb"inner") + rb"outer") + rb"\par", "a\n\nouter\n\ninner"),
        (rb"{\*\do\dobxpage{\dptxbxtext old box\par}}a\par", "a\n\nold box"),
        (
            rb"a" + BOX % (0, rb"\trowd\intbl x\cell y\cell\row\pard z") + rb"\par",
            "a\n\n| x | y |\n| --- | --- |\n\nz",
        ),
        (
            rb"\trowd\intbl a\cell b" + BOX % (0, rb"boxed") + rb"\cell\row\pard",
            "| a | b<br>boxed |\n| --- | --- |",
        ),
        (rb"a" + BOX % (0, rb"b{\footnote Note.}") + rb"\par", "a\n\nb[^1]\n\n[^1]: Note."),
    ],
)
async def test_text_boxes_and_starred_styles_are_read(reads, code, markdown):
    assert (await reads(rb"{\rtf1\ansi " + code + rb"}", "rtf")).markdown == markdown


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (rb"\mac", "é"),
        (rb"\pc", "Ä"),
        (rb"\ansi", "Ž"),
        (rb"\ansi{\fonttbl{\f0\cpg1253 Arial;}}\f0 ", "\ufffd"),
        (rb"\ansi{\fonttbl{\f0\cpg1251 Arial;}}\f0 ", "Ћ"),
    ],
)
async def test_characters_of_other_systems_and_code_pages(reads, head, text):
    assert (await reads(rb"{\rtf1" + head + rb" x\'8e y\par}", "rtf")).markdown.replace(" ", "") == f"x{text}y"


FONTS = (
    rb"{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset2{\*\panose 05050102}Symbol;}{\f2\fcharset2 Wingdings;}"
    rb"{\f3\fcharset2 Elsewhere;}}"
)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (rb"5 {\f1 m}m", "5 μm"),
        (rb"{\f1 a \'a3 b}", "α ≤ β"),
        (rb"{\f2\'fc}\u-3996?", "✓δ"),
        (rb"{\f1\u-3996?}", "δ"),
        (rb"{\f3 ab}", "ab"),
        (rb"{\listtext\f1\'b7\tab}item", "- item"),
    ],
)
async def test_characters_of_symbol_fonts(reads, code, text):
    assert (await reads(rb"{\rtf1\ansi" + FONTS + code + rb"\par}", "rtf")).markdown == text


COLOURS = rb"{\colortbl;\red255\green255\blue255;\red0\green0\blue128;}"
ROW = rb"\trowd\clcbpat%d\cellx900\cellx1800 \pard\intbl{\cf1 head}\cell b\cell\row\pard "


@pytest.mark.parametrize(
    ("code", "markdown"),
    [
        (ROW % 2, "| head | b |\n| --- | --- |"),
        (ROW % 1, "|  | b |\n| --- | --- |"),
        (ROW % 2 + ROW % 0, "| head | b |\n| --- | --- |\n|  | b |"),
        (rb"\pard\cbpat2{\cf1 seen}\par\pard{\cf1 unseen}\par", "seen"),
        (
            rb"\pard\cbpat2{\cf1\cb1 unseen}{\cf1 seen}\par\pard\cbpat1{\cf1 unseen}{\cf1\highlight2  too}\par",
            "seen\n\ntoo",
        ),
        (rb"a" + BOX % (0, rb"{\cf1 unseen}seen") + rb"{\cf1 unseen}\par", "a\n\nseen"),
    ],
)
async def test_white_text_on_a_fill_is_read(reads, code, markdown):
    assert (await reads(rb"{\rtf1\ansi" + COLOURS + code + rb"}", "rtf")).markdown == markdown


WHITE_BOX = rb"{\shp{\*\shpinst\shpleft0\shpright900\shptop0\shpbottom500%s{\shptxt{\cf1 white}\par}%s}}"
NO_FILL = rb"{\sp{\sn fFilled}{\sv 0}}"
BLUE = rb"{\sp{\sn fillColor}{\sv 8388608}}"
PHOTO = rb"{\pict\picwgoal%d\pichgoal900 0a0b}"
OLD_PROGRAM = rb"{\*\do\dobxpage{\dptxbxtext{\cf1 white}\par}}"


@pytest.mark.parametrize(
    ("code", "is_read"),
    [
        (WHITE_BOX % (b"", b""), False),
        (WHITE_BOX % (NO_FILL, b""), False),
        (WHITE_BOX % (BLUE, b""), True),
        (WHITE_BOX % (b"", BLUE), True),
        (WHITE_BOX % (BLUE, NO_FILL), False),
        (WHITE_BOX % (BLUE, rb"{\sp{\sn fillOpacity}{\sv 0}}"), False),
        (WHITE_BOX % (BLUE, rb"{\sp{\sn fillOpacity}{\sv 6000}}"), False),
        (WHITE_BOX % (BLUE, rb"{\sp{\sn fillOpacity}{\sv 7000}}"), True),
        (rb"\pard\cbpat2 " + WHITE_BOX % (NO_FILL, b""), True),
        (rb"\pard\cbpat1 " + WHITE_BOX % (NO_FILL, b""), False),
        (WHITE_BOX % (rb"{\sp{\sn fillColor}{\sv 16645629}}", b""), False),
        (WHITE_BOX % (rb"{\sp{\sn fillColor}{\sv 134217750}}", b""), True),
        (WHITE_BOX % (rb"{\sp{\sn fillType}{\sv 7}}", b""), True),
        (WHITE_BOX % (NO_FILL, b"") + PHOTO % 2000, True),
        (WHITE_BOX % (b"", b"") + PHOTO % 2000, False),
        (WHITE_BOX % (NO_FILL, b"") + PHOTO % 200, False),
        (PHOTO % 200 + WHITE_BOX % (NO_FILL, b""), False),
        (rb"{\pict 0a}" + WHITE_BOX % (NO_FILL, b""), True),
        (WHITE_BOX % (NO_FILL, b"") + BOX % (0, b"") + BLUE, False),
        (WHITE_BOX % (NO_FILL, b"") + rb"{\shp{\*\shpinst" + BLUE + rb"}}", True),
        (OLD_PROGRAM, True),
    ],
)
async def test_white_text_shows_in_a_shape_with_a_fill(reads, code, is_read):
    document = await reads(rb"{\rtf1\ansi" + COLOURS + rb"a" + code + rb"\par}", "rtf")
    assert document.markdown == ("a\n\nwhite" if is_read else "a")
    assert document.notes == (() if is_read else ("1 hidden piece(s) of text were left out.",))


@pytest.mark.parametrize(("ground", "shape", "is_read"), [(2, NO_FILL, True), (2, b"", False), (0, NO_FILL, False)])
async def test_white_text_shows_in_a_shape_without_a_fill_in_a_filled_cell(reads, ground, shape, is_read):
    row = rb"\trowd\clcbpat%d\cellx900 \pard\intbl a%s\cell\row" % (ground, WHITE_BOX % (shape, b""))
    document = await reads(rb"{\rtf1\ansi" + COLOURS + row + rb"}", "rtf")
    assert ("white" in document.markdown) is is_read


HIDDEN = rb"{\sp{\sn fHidden}{\sv 1}}"
GROUP = rb"{\shpgrp{\*\shpinst%s" + BOX % (0, b"unseen") + rb"%s}}"


@pytest.mark.parametrize(
    "code",
    [
        rb"{\shp{\*\shpinst{\shptxt unseen\par}" + HIDDEN + rb"}}",
        rb"{\shp{\*\shpinst{\shptxt unseen" + BOX % (0, b"unseen") + rb"\par}" + HIDDEN + rb"}}",
        GROUP % (HIDDEN, b""),
        GROUP % (b"", HIDDEN),
    ],
)
async def test_a_shape_is_hidden_wherever_it_says_so(reads, code):
    body = rb"{\rtf1\ansi a" + code + BOX % (0, b"seen") + rb"\par}"
    assert (await reads(body, "rtf")).markdown == "a\n\nseen"


@pytest.mark.parametrize(
    "repeated",
    [
        rb"\shpinst{\shptxt\cf1 a}",
        rb"{\*\shpinst{\shptxt\cf1 a}" + HIDDEN + rb"}",
        rb"{\*\shpinst" + NO_FILL + rb"{\shptxt\cf1 a}}{\pict\picwgoal1}",
    ],
)
def test_many_shapes_are_read_in_linear_time(repeated):
    assert_linear(lambda body: parse(body, "rtf"), lambda many: rb"{\rtf1 a{" + COLOURS + repeated * many + rb"}}")


async def test_the_text_of_a_field_may_be_starred(reads):
    link = rb'{\field{\*\fldinst {\f0{\*\listtag0} HYPERLINK "https://a.example/x"}}{\*\fldrslt{\f0{\*\listtag0}the site}}}'
    assert (
        await reads(rb"{\rtf1 See " + link + rb" or {\field{\*\fldinst PAGE}{\*\fldrslt 3}}.\par}", "rtf")
    ).markdown == ("See [the site](https://a.example/x) or 3.")  # as AbiWord writes it


async def test_the_words_of_an_ornament_stand_in_their_place(reads):
    ornament = rb"{\shp{\*\shpinst\shpleft0%s{\sp{\sn gtextUNICODE}{\sv %s}}}{\shprslt unread}}"
    hidden = ornament % (rb"{\sp{\sn fHidden}{\sv 1}}", b"unseen")
    body = rb"{\rtf1 {\header " + ornament % (b"", b"DRAFT") + rb"}a " + ornament % (b"", b"Thank you *all*!") + hidden
    assert (await reads(body + rb" b\par}", "rtf")).markdown == "a Thank you \\*all\\*! b"
