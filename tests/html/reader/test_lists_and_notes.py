"""Lists, boxes of tasks and labels of footnotes as editors and markdown engines write them."""

import pytest

from assay.html.parser.html_tree import open_html
from assay.html.reader.main_content import read_main_content

PROSE = "<p>The survey counted the herons of the valley in every season, and this is what it found of them.</p>"


def read(inner):
    html = f"<html><body><main><article><h1>Herons</h1>{PROSE}{inner}{PROSE}</article></main></body></html>"
    with open_html(html) as tree:
        return (
            read_main_content(tree, "https://docs.example/page")
            .markdown.partition("them.\n\n")[2]
            .rpartition("\n\n")[0]
        )


BOX = "<input type='checkbox'{} disabled>"
TASKS = {
    "in a paragraph": f"<li><p>{BOX.format(' checked')} count</p></li><li><p>{BOX.format('')} ring</p></li>",
    "in a line": f"<li>{BOX.format(' checked')} count</li><li>{BOX.format('')} ring</li>",
    "in a label": f"<li><label>{BOX.format(' checked')}<i></i></label><div><p>count</p></div></li><li><label>{BOX.format('')}</label><p>ring</p></li>",
    "before a paragraph": f"<li>{BOX.format(' checked')}<p>count</p></li><li>{BOX.format('')}<p>ring</p></li>",
    "an attribute": "<li data-checked='true'><p>count</p></li><li data-checked='false'><p>ring</p></li>",
    "an attribute of the list": "<li data-list='checked'>count</li><li data-list='unchecked'>ring</li>",
    "a role": "<li role='checkbox' aria-checked='true'>count</li><li role='checkbox' aria-checked='false'>ring</li>",
    "an empty element": "<li><div class='checkbox checkbox-on'></div> count</li><li><div class='checkbox checkbox-off'></div> ring</li>",
}


@pytest.mark.parametrize("items", TASKS.values(), ids=TASKS)
def test_tasks_keep_whether_they_are_done(items):
    assert read(f"<ul>{items}</ul>") == "- [x] count\n- [ ] ring"


def test_the_class_of_an_item_or_its_list_says_that_it_is_a_task():
    html = "<ul class='tox-checklist'><li class='tox-checklist--checked'>count</li><li>ring</li></ul>"
    assert read(html) == "- [x] count\n- [ ] ring"
    assert read("<ul data-checked='true'><li>count</li></ul><p>Then.</p>") == "- [x] count\n\nThen."


def test_a_box_that_a_reader_can_use_is_no_task():
    box = "<input type='checkbox' id='fold'>"
    assert (
        read(f"<ul><li><div>{box}<p>count</p></div></li><li><label>{box}</label><p>ring</p></li></ul>")
        == "- count\n- ring"
    )


def test_a_box_within_an_item_is_no_task():
    html = f"<ul><li>count <span>{BOX.format('')}</span></li><li><input type='text'><p>ring</p></li></ul>"
    assert read(html) == "- count\n- ring"


FLAT = {
    "kinds and levels in one list": (
        ("<ol><li data-list='bullet'>a</li><li data-list='ordered' class='ql-indent-1'>b</li><li data-list='ordered' class='ql-indent-1'>c</li>"
        "<li data-list='bullet'>d</li><li data-list='ordered' class='ql-indent-1'>e</li></ol>"),
        "- a\n  1. b\n  2. c\n- d\n  1. e",
    ),
    "levels in one list": (
        "<ol><li>a</li><li class='ql-indent-1'>b</li><li class='ql-indent-1'>c</li><li>d</li></ol>",
        "1. a\n   1. b\n   2. c\n2. d",
    ),
    "a list that counts on": ("<ol><li>a</li></ol><ol start='2'><li>b</li></ol><ol start='3'><li>c</li></ol>", "1. a\n\n2. b\n\n3. c"),
    "a list that begins again": ("<ol><li>a</li></ol><ol><li>b</li></ol>", "1. a\n1) b"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), FLAT.values(), ids=FLAT)
def test_items_are_numbered_as_they_are_shown(html, expected):
    assert read(html) == expected


MARK = "<p>Herons nest<sup><a href='#n1' id='r1'>{}</a></sup> here.</p>"
NOTES = {
    "in a box beside its text": "<div class='footnote'><a id='n1' href='#r1'>1</a><div><p>In reeds.</p></div></div>",
    "in a table": "<table><tr><td><a href='#r1' id='n1'>[1]</a></td><td>In reeds.</td></tr></table>",
}


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_the_label_of_a_note_stands_before_its_text(note):
    assert read(f"{MARK.format(1)}{PROSE}{note}").endswith("\n\n[1] In reeds.")


def test_the_second_mark_of_a_note_is_written_as_the_first():
    note = "<ol><li id='n1'>In reeds. <a href='#r1'>↩</a> <a href='#r2'>↩<sup>2</sup></a></li></ol>"
    text = read(f"{MARK.format('[1:1]')}{PROSE}{note}")
    assert text.startswith("Herons nest[1] here.")
    assert text.endswith("\n\n1. In reeds.")


ROWS = {
    "numbers": (
        "<table><tr><td>1.</td><td>Herons of the lake.</td></tr></table><table><tr><td>2.</td><td>Herons of the sea.</td></tr></table>",
        "1. Herons of the lake.\n\n2. Herons of the sea.",
    ),
    "signs": (
        "<table><tr><td><p>•</p></td><td></td><td><p>Herons of the lake.</p></td></tr></table>",
        "- Herons of the lake.",
    ),
    "letters": ("<table><tr><td>(a)</td><td>Herons of the lake.</td></tr></table>", "(a) Herons of the lake."),
    "a number without a text": (
        "<table><tr><td>1.</td></tr></table><p>They nest in reeds.</p>",
        "1\\.\n\nThey nest in reeds.",
    ),
    "a text that begins like a list": (
        "<table><tr><td>1.</td><td>2. herons</td></tr></table>",
        "1. 2\\. herons",
    ),
    "a table of data": (
        "<table><tr><th>Place</th><th>Lake</th></tr><tr><td>1.</td><td>Aral</td></tr><tr><td>2.</td><td>Tana</td></tr></table>",
        "| Place | Lake |\n| --- | --- |\n| 1. | Aral |\n| 2. | Tana |",
    ),
}


@pytest.mark.parametrize(("html", "expected"), ROWS.values(), ids=ROWS)
def test_numbers_and_signs_in_a_cell_belong_to_the_text_beside_them(html, expected):
    assert read(html) == expected


INITIAL = "<span style='display:block;float:left;font-size:100px'>{}</span>"


def test_a_large_first_letter_is_part_of_its_word():
    assert read(f"<p>{INITIAL.format('H')}erons nest in reeds.</p>") == "Herons nest in reeds."
    assert read(f"<p>{INITIAL.format('2.')} Herons nest in reeds.</p>") == "2\\. Herons nest in reeds."
    assert read(f"<p>{INITIAL.format('By night')} Herons nest.</p>") == "By night\n\nHerons nest."
