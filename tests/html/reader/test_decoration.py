"""What pages show beside their text is left out: labels, drawn lines, heads of printed pages, words for devices."""

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks, find_base_url, read_main_content
from assay.html.reader.markdown_renderer import MarkdownRenderer

URL = "https://docs.example/guide/start.html"
TEXT = "Herons wade in the shallows of the river and wait for fish, often for an hour without a move."
END = "Otters sleep in holes below the roots of old trees near the water, and hunt when it grows dark."

LEFT_OUT = {
    "a line of signs": "<p>----------</p>",
    "signs apart": "<p>* * *</p>",
    "a line in bold": "<p><b>– – – – –</b></p>",
    "snowflakes": "<div>❄ ❄ ❄</div>",
    "a dash": "<p>—</p>",
    "the end of a sentence": "<div>.</div>",
    "a heading without a word": "<h3>*</h3>",
    "how an image is enlarged": "<div>Press enter or click to view image in full size</div>",
}
KEPT = {
    "what is left out of a text": ("<p>[…]</p>", "[…]"),
    "a rating": ("<p>★★★★☆</p>", "★★★★☆"),
    "a missing value": ("<ul><li>Nests</li><li>-</li></ul>", "- Nests"),
    "a heading with a name": ("<h3>C++</h3><p>It is fast.</p>", "### C++"),
}


def read(between: str) -> str:
    page = f"<article><h1>Herons</h1><p>{TEXT}</p>{between}<p>{END}</p></article>"
    return read_main_content(parse_html(page), URL).markdown


def markdown(html: str) -> str:
    tree = parse_html(html)
    page = collect_blocks(tree)
    return MarkdownRenderer(page, find_base_url(tree, URL)).render(page.blocks)


@pytest.mark.parametrize("between", LEFT_OUT.values(), ids=LEFT_OUT)
def test_signs_between_texts_are_left_out(between):
    assert f"{TEXT}\n\n{END}" in read(between)


@pytest.mark.parametrize(("between", "written"), KEPT.values(), ids=KEPT)
def test_texts_without_letters_may_say_something(between, written):
    assert written in read(between)


PARTS = {
    "a unit for devices that read aloud": (
        '<div><span>15<span class="sr-only"> minutes</span></span> <span aria-hidden="true">minutes</span></div>',
        "15 minutes",
    ),
    "a unit that is seen once": (
        '<p>Costs <span>12<span class="sr-only"> euros</span></span> <span>each</span></p>',
        "Costs 12 euros each",
    ),
    "the sign of a box": ('<ul><li><span class="sr-only">▢ </span>Salt</ul>', "- Salt"),
    "the sign of a note": (
        '<div class="kg-callout-card"><div class="kg-callout-emoji">💡</div><div>Ask first.</div></div>',
        "Ask first.",
    ),
    "the label of an abstract": ('<div><span class="descriptor">Abstract:</span>Herons</div>', "Abstract: Herons"),
    "a link to the top": ('<h2><a id="n" href="#n"></a>NAME &nbsp; <a href="#start"><b>top</b></a></h2>', "## NAME"),
    "a heading that is such a link": ('<h2><a href="#top">Top</a></h2>', "## Top"),
    "a heading with such a word": ('<h2><a href="#tip">Tip</a> Top</h2>', "## Tip Top"),
    "the number of a reference": (
        "<ul><li><span class=label>1.</span><cite>Roe J. Herons. 2018.</cite> [DOI]</ul>",
        "- 1\\. Roe J. Herons. 2018. [DOI]",
    ),
    "a number within a text": ("<p>See <b>2.</b><i>1</i> and more</p>", "See **2**.*1* and more"),
    "tasks of Confluence": (
        '<ul class="inline-task-list"><li class="checked"><span>Write</span></li><li>Wait</li></ul>',
        "- [x] Write\n- [ ] Wait",
    ),
}


@pytest.mark.parametrize(("html", "expected"), PARTS.values(), ids=PARTS)
def test_parts_of_texts(html, expected):
    assert markdown(html) == expected


def note(sign):
    cells = f"<td class=icon>{sign}</td><td class=content>Herons wade in the shallows of the river all day.</td>"
    return f"<div class='admonitionblock note'><table><tr>{cells}</table></div>"


SIGNS = {
    "a sign of a font": '<i class="fa icon-note" title="Note"></i>',
    "an image": '<img src="icons/note.png" alt="Note">',
    "a word": "<div class=title>Note</div>",
}


@pytest.mark.parametrize("sign", SIGNS.values(), ids=SIGNS)
def test_the_kind_of_a_note_stands_above_it(sign):
    assert markdown(note(sign)) == "**Note**\n\nHerons wade in the shallows of the river all day."


def test_an_image_in_another_cell_stays_one():
    page = '<table><tr><td class=icon><img src="a.png" alt="A grey heron"></td><td>It wades.</td></tr></table>'
    assert "![A grey heron](https://docs.example/guide/a.png)" in markdown(page)


def test_the_number_of_a_callout_begins_its_explanation():
    rows = "".join(
        f'<tr><td><i class="conum" data-value="{number}"></i><b>{number}</b></td><td>{text}</td></tr>'
        for number, text in enumerate(("Herons wade in the river.", "Otters swim."), 1)
    )
    explained = "**1** Herons wade in the river.\n\n**2** Otters swim."
    assert explained in read(f"<div class=colist><table>{rows}</table></div>")


FOOT = "Lee                         Standards Track                     [Page 1]"
HEAD = "RFC 9999                    Herons                          May 2020"


def test_the_last_and_first_lines_of_printed_pages_are_no_text():
    page = f"<pre>   A heron sends\n\n\n\n{FOOT}\n\f\n{HEAD}\n\n\n   one message.\n\n   It waits.\n\n{FOOT}\n</pre>"
    assert markdown(page) == "```\n   A heron sends\n   one message.\n\n   It waits.\n```"


def test_pages_of_elements_of_their_own_begin_with_their_text():
    page = f"<pre>   It waits.\n\n{FOOT}</pre><pre>{HEAD}\n\n\n2.  Otters\n</pre>"
    assert markdown(page) == "```\n   It waits.\n```\n\n```\n2.  Otters\n```"


def test_code_that_names_pages_stays():
    assert (
        markdown("<pre>A[Page 1] --> B\nprint  [Page 2] # x</pre>") == "```\nA[Page 1] --> B\nprint  [Page 2] # x\n```"
    )
