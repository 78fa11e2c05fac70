"""PowerPoint 97 to 2003 files (.ppt): text, lists, tables, notes and comments, without what slides do not show."""

import struct

import pytest
from tests.support.powerpoint97 import (
    BODY,
    BOLD,
    CENTER_BODY,
    HIDDEN,
    ITALIC,
    NOTES,
    TITLE,
    a_comment,
    a_container,
    a_field,
    a_level,
    a_link,
    a_master,
    a_master_style,
    a_record,
    a_run,
    a_shape,
    a_slide,
    a_table,
    a_text,
    numbers,
    outline_text,
    some_tags,
    write_ppt97,
)
from tests.support.word97 import write_compound_file, write_summary

from assay.documents.file_type import detect_kind
from assay.errors import ContentEmpty, InvalidInput, UpstreamFailed

WHITE, RED = 0xFE000000 | 0xFFFFFF, 0xFE0000FF


@pytest.fixture
def slides(reads):
    """The markdown of a file."""

    async def reading(*made, **options):
        return (await reads(write_ppt97(*made, **options), "ppt")).markdown

    return reading


def a_title(text):
    return a_shape(a_text(text, TITLE), placeholder=13)


async def test_a_slide_has_its_title_its_lists_and_its_other_text(slides):
    levels = [a_level(8), a_level(7, 1), a_level(5, bullet=0), a_level(6, bullet=1)]
    body = a_shape(a_text("Urchins\rPurple\rNone\rCrabs", BODY, levels=levels, is_short=True), placeholder=14)
    box = a_shape(a_text("A box\vof two lines # 1"))
    subtitle = a_shape(a_text("Ada – 2024", CENTER_BODY), placeholder=16)
    assert await slides(a_slide(a_title("Diet"), body, box), a_slide(subtitle)) == (
        "## Diet\n\n- Urchins\n  - Purple\nNone\n- Crabs\n\nA box of two lines # 1\n\n## Slide 2\n\nAda – 2024"
    )


async def test_texts_may_be_in_the_outline(slides):
    outline = a_text("Diet 🦦", TITLE, runs=[a_run(8)]) + a_text("One\rTwo", BODY, further=a_link(1, 0, 3))
    shapes = (
        a_shape(outline_text(0), placeholder=13),
        a_shape(outline_text(1), placeholder=14),
        a_shape(outline_text(1)),
    )
    made = await slides(a_slide(*shapes, outline=outline), links=[[(1, "https://a.example/"), (3, "b")]])
    assert made == "## Diet 🦦\n\n- [One](https://a.example/#b)\n- Two"


async def test_runs_and_links(slides):
    text = "🦦 bold both 106 α ok"
    runs = [a_run(3), a_run(4, BOLD), a_run(1), a_run(4, BOLD | ITALIC), a_run(3), a_run(1, position=30), a_run(4)]
    linked = a_link(1, 3, 7) + a_link(2, 18, 20) + a_link(1, 18, 20, event=1)
    made = await slides(
        a_slide(a_shape(a_text(text, runs=runs, further=linked))),
        links=[[(1, "https://a.example/x y")], [(1, "javascript:alert(1)")]],
    )
    assert made == "## Slide 1\n\n🦦 [**bold**](https://a.example/x%20y) ***both*** 10^6 α ok"


async def test_signs_of_symbol_fonts(slides):
    runs = [a_run(2), a_run(1, font=1), a_run(1, font=0, symbols=2)]
    made = await slides(a_slide(a_shape(a_text("5 m\uf0fc", runs=runs))), fonts=["Arial", "Symbol", "Wingdings"])
    assert made == "## Slide 1\n\n5 μ✓"


async def test_numbered_lists(slides):
    levels, runs = [a_level(14, bullet=1)], [a_run(10, group=1), a_run(4)]
    groups = a_shape(a_text("One\rThree\rNot", levels=levels, runs=runs), client=some_tags("___PPT9", numbers(None, 3)))
    listed = a_shape(a_text("A\rB\rC", levels=[a_level(6, bullet=1)]), client=some_tags("___PPT9", numbers(1, 1, None)))
    assert await slides(a_slide(groups, listed)) == "## Slide 1\n\n3. One\n4. Three\n- Not\n\n1. A\n2. B\n- C"


async def test_numbered_lists_in_the_outline(slides):
    tags = some_tags("___PPT9", a_container(0x0FAE, a_record(0x0FAF, struct.pack("<II", 256, BODY)), numbers(1)))
    made = await slides(
        a_slide(a_shape(outline_text(0), placeholder=14), outline=a_text("A\rB", BODY)),
        further=a_container(0x07D0, tags),
    )
    assert made == "## Slide 1\n\n1. A\n2. B"


async def test_the_master_says_which_levels_have_bullets(slides):
    master = a_master(further=a_master_style(BODY, False, True, None) + a_master_style(CENTER_BODY, True, False))
    levels = [a_level(4), a_level(4, 1), a_level(5, 2), a_level(5, 0, bullet=1), a_level(5, 3)]
    body, other = (
        a_text("one\rtwo\rdeep\rfour\rmore", BODY, levels=levels),
        a_text("a\rb", CENTER_BODY, levels=[a_level(2), a_level(2, 1)]),
    )
    made = await slides(a_slide(a_shape(body, placeholder=14), a_shape(other, placeholder=16)), masters=[master])
    assert made == "## Slide 1\n\none\n- two\n  - deep\n- four\n  - more\n\n- a\nb"


async def test_tables_and_groups(slides):
    table = a_table(["Name", "Mass | kg"], ["Otter", "30"], ["Both", None])
    group = a_shape(inner=[a_shape(a_text("In a group"), in_group=True)])
    hidden = a_shape(options=[(0x3BF, 0x20002)], inner=[a_shape(a_text("Hidden"), in_group=True)])
    assert await slides(a_slide(table, group, hidden)) == (
        "## Slide 1\n\n| Name | Mass \\| kg |\n| --- | --- |\n| Otter | 30 |\n| Both |  |\n\nIn a group"
    )


async def test_pictures_and_ornamental_lines(slides):
    picture = a_shape(options=[(0x4104, 1)], texts=[(0x381, "A red otter")])
    ornament = a_shape(texts=[(0xC0, "Thank you!")])
    plain = a_shape(a_text("x"), texts=[(0x381, "Not a picture")])
    assert await slides(a_slide(picture, ornament, plain)) == "## Slide 1\n\n![A red otter]\n\nThank you!\n\nx"


async def test_what_a_slide_does_not_show_is_left_out(reads):
    shapes = (
        a_shape(a_text("hidden"), options=[(0x3BF, 0x20002)]), a_shape(a_text("deleted"), flags=8),
        a_shape(a_text("outside"), box=(6000, 0, 6500, 100)), a_shape(a_text("tiny", runs=[a_run(5, size=1)])),
        a_shape(a_text("*", further=a_field(0x0FD8, 0)), placeholder=8), a_shape(a_text("Footer"), placeholder=9),
        a_shape(a_text("Page *", further=a_field(0x0FD8, 5))),
    )  # fmt: skip
    document = await reads(write_ppt97(a_slide(a_shape(a_text("secret")), show=HIDDEN), a_slide(*shapes)), "ppt")
    assert document.markdown == "## Slide 2\n\nPage 2"
    assert document.notes == ("1 hidden slide(s) were left out.",)
    assert document.page_count == 2


async def test_text_in_the_colour_of_what_is_behind_it_is_left_out(slides):
    unfilled, red = [(0x1BF, 0x100000)], [(0x181, 0x0000FF), (0x1BF, 0x100010)]

    def colored(text, color, options, box=(100, 100, 500, 200)):
        return a_shape(a_text(text, runs=[a_run(len(text) + 1, color=color)]), options=options, box=box)

    shapes = (
        colored("white", WHITE, unfilled), colored("scheme", 0x01000000, unfilled), colored("on red", WHITE, red, (0, 900, 500, 1000)),
        colored("red on red", RED, red, (0, 900, 500, 1000)), colored("white over red", WHITE, unfilled, (0, 950, 500, 1000)),
        colored("black", 0x02000000, unfilled), colored("unknown", WHITE, []),
    )  # fmt: skip
    master = a_master(background=0x08000001, colors=["000000", "ffffff", "101010"])
    made = await slides(a_slide(*shapes), masters=[master])
    assert made == "## Slide 1\n\non red\n\nwhite over red\n\nblack\n\nunknown"


async def test_notes_follow_their_slide(slides):
    parts = (
        a_shape(placeholder=11),
        a_shape(a_text("Say hello.\rGo on.", NOTES), placeholder=12),
        a_shape(a_text("7"), placeholder=8),
    )
    made = await slides(
        a_slide(a_title("One"), notes=512), a_slide(a_title("Two")), notes=[a_slide(*parts, kind=0x03F0)]
    )
    assert made == "## One\n\nNotes: Say hello.\nGo on.\n\n## Two"


async def test_comments_follow_the_text(reads):
    body = write_ppt97(
        a_slide(a_title("A*B*"), further=a_comment("Ada Lovelace", "Which *ones*?\rWhy?")),
        a_slide(further=a_comment("", "Empty slide.")), a_slide(show=HIDDEN, further=a_comment("Eve", "unseen")),
    )  # fmt: skip
    document = await reads(body, "ppt")
    assert document.comments == (
        "Comment by Ada Lovelace on “A\\*B\\*” (page 1): Which \\*ones\\*? Why?\n\nComment (page 2): Empty slide."
    )
    assert document.markdown == "## A\\*B\\*\n\n" + document.comments


async def test_only_the_newest_version_of_a_part_is_read(slides):
    old = [a_record(0x03E8, b"", 0, 15), a_slide(a_shape(a_text("old")))[0], a_slide(a_shape(a_text("deleted")))[0]]
    for broken_user in (False, True):
        made = await slides(a_slide(a_shape(a_text("new"))), older=old, broken_user=broken_user)
        assert made == "## Slide 1\n\nnew"


async def test_a_file_for_powerpoint_95_too_has_the_later_version_in_a_storage(slides):
    assert await slides(a_slide(a_title("x")), storage="PP97_DUALSTORAGE/") == "## x"


async def test_the_declared_properties(reads):
    document = await reads(
        write_ppt97(a_slide(a_title("x")), summary=write_summary(title="Grüße", author="Ann Doe")), "ppt"
    )
    assert (document.title, document.author, document.page_count) == ("Grüße", "Ann Doe", 1)


async def test_a_file_is_known_by_its_streams():
    body = write_ppt97(a_slide(a_title("x")))
    assert detect_kind(body, "application/vnd.ms-powerpoint", "https://a.example/x") == "ppt"


async def test_a_file_that_cannot_be_read_says_why(reads):
    slide = a_slide(a_title("x"))
    with pytest.raises(InvalidInput, match="The PowerPoint presentation is encrypted"):
        await reads(write_ppt97(slide, token=0xF3D1C4DF), "ppt")
    with pytest.raises(InvalidInput, match="The PowerPoint presentation is encrypted"):
        await reads(write_ppt97(slide, encrypted=bytes(4)), "ppt")
    with pytest.raises(UpstreamFailed, match="The PowerPoint presentation is broken"):
        await reads(write_compound_file({"PowerPoint Document": b"x"}), "ppt")
    with pytest.raises(ContentEmpty, match="The PowerPoint presentation contains no text"):
        await reads(write_ppt97(a_slide()), "ppt")


async def test_versions_that_name_each_other_end(slides):
    assert await slides(a_slide(a_title("x")), cycle=True) == "## x"


async def test_deep_groups_end(slides):
    shape = a_shape(a_text("deep"), in_group=True)
    for _ in range(10_000):
        shape = a_container(0xF003, a_shape(), shape)
    assert await slides(a_slide(a_title("x"), shape)) == "## x"


async def test_one_slide_cannot_be_read_many_times(reads):
    slide, _ = a_slide(a_shape(a_text("otter " * 2_000)))
    body = write_ppt97(
        (slide, b"".join(a_record(0x03F3, struct.pack("<IIIII", 2, 0, 0, 300, 0)) for _ in range(1_000)))
    )
    document = await reads(body, "ppt")
    assert document.truncated
    assert len(document.markdown) < 60_000


async def test_damaged_files_end_in_text_or_an_error(reads):
    runs = [a_run(4, BOLD, font=0, color=RED), a_run(90)]
    body = write_ppt97(
        a_slide(a_title("Title"), a_table(["a", "b"]), a_shape(a_text("Text of runs", runs=runs, further=a_link(1, 0, 3)),
                client=some_tags("___PPT9", numbers(1))), notes=512, further=a_comment("A", "b")),
        notes=[a_slide(a_shape(a_text("n", NOTES)), kind=0x03F0)], links=[[(1, "https://a.example/")]], fonts=["Arial"],
    )  # fmt: skip
    start = 512 * (1 + body[512:].index(b"\xe8\x03") // 512)
    for place in range(start, start + 3_000, 41):
        for damage in (b"\xff\xff\xff\xff", b"\0\0\0\x80"):
            try:
                await reads(body[:place] + damage + body[place + 4 :], "ppt")
            except (UpstreamFailed, InvalidInput, ContentEmpty):
                continue


async def test_monospaced_text_without_bullets_is_code(slides):
    code = "def f(x):\r    return x ** 2\v    # *done*\rWords."
    runs = [a_run(10, font=1), a_run(31, BOLD, font=1), a_run(9, font=0)]
    long = a_shape(a_text("This text of the slide is longer than the code that it is about, as it mostly is."))
    fonts = ["Arial", "Courier New"]
    assert await slides(a_slide(long, a_shape(a_text(code, runs=runs))), fonts=fonts) == (
        "## Slide 1\n\nThis text of the slide is longer than the code that it is about, as it mostly is.\n\n"
        "```\ndef f(x):\n    return x ** 2\n    # *done*\n```\nWords."
    )
    typed = a_shape(a_text("All of *this*\rwas typed", runs=[a_run(99, font=1)]))
    assert await slides(a_slide(typed), fonts=fonts) == "## Slide 1\n\nAll of \\*this\\*\nwas typed"
