"""The blocks that the DOM walk collects, and its linear running time."""

import pytest
from tests.support.processor_time import assert_quick

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks

SECONDS = 6.0  # CPU seconds; an idle machine needs a sixth


def blocks(inside):
    return collect_blocks(parse_html(f"<html><body>{inside}</body></html>")).blocks


AGAIN = {
    "lines that nothing stands in": lambda: "<pre>" + "<div><b></b></div>" * 30_000 + "</pre>",
    "lines after a line": lambda: "<pre>x" + "<div><b></b></div>" * 30_000 + "</pre>",
    "shown within hidden": lambda: (
        "<div style=visibility:hidden><div style=visibility:visible>" * 80 + "x<b>y</b>" * 60_000
    ),
}


@pytest.mark.parametrize("make", AGAIN.values(), ids=AGAIN.keys())
def test_the_time_grows_with_the_page_alone(make):
    tree = parse_html(make())
    assert_quick(lambda: collect_blocks(tree), SECONDS)


def test_a_block_in_preformatted_text_begins_a_line_unless_one_has_begun():
    (block,) = blocks("<pre>a<div>b</div><div>c\n</div>d<br><div><i></i></div>e<x-y></x-y><div>f</div></pre>")
    text = "".join(token for token in block.tokens if isinstance(token, str))
    assert text == "a\nb\nc\nd\ne  \nf\n"


def test_space_that_nothing_stands_before_is_left_out():
    first, second = blocks("<div> \n <p> <a href=/x> herons</a> stand</p> \n <p>still</p> </div>")
    assert first.tokens == [("open", "a", "/x"), " herons", ("close", "a"), " stand"]
    assert second.tokens == ["still"]


def test_space_between_pictures_and_marks_is_kept():
    (block,) = blocks("<p> <img alt='A heron' src=a.png> <b>stands</b> <i>still</i></p>")
    assert [token for token in block.tokens if isinstance(token, str)] == [" ", "stands", " ", "still"]


def test_a_picture_alone_is_a_block_and_a_picture_without_words_is_none():
    assert [block.kind for block in blocks("<p>x</p><p><img alt='A heron' src=a.png></p><p><img src=b.png></p>")] == [
        "text",
        "image",
    ]


def test_of_a_quotation_that_cannot_be_seen_no_sign_is_left():
    (block,) = blocks("<p>a <q style='visibility:hidden'>b</q> c <q>d</q></p>")
    assert block.text == "a c “d”"


def test_text_after_what_is_closed_is_seen_as_what_is_around_it():
    (block,) = blocks("<p>a<i style='visibility:hidden'>b<u style='visibility:visible'>c</u>d</i>e</p>")
    assert block.text == "ace"


@pytest.mark.parametrize("name", ["math", "arithmatex", "latex", "tex", "tex2jax", "mathjax"])
def test_text_between_delimiters_is_a_formula_by_its_class(name):
    for names in (name, f"inline {name}", f"{name} inline"):
        (block,) = blocks(rf"<p>where <span class='{names}'>\(x^2\)</span> holds</p>")
        assert ("math", "x^2", "") in block.tokens


def test_a_class_that_only_begins_like_that_of_a_formula_is_no_formula():
    (block,) = blocks(r"<p>where <span class='text tex-like'>\(x^2\)</span> holds</p>")
    assert block.text == r"where \(x^2\) holds"
