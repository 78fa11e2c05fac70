"""Filings and laws: amounts, facts, pages of paper, and numbers of paragraphs in cells of their own."""

import pytest

from assay.html.parser.html_tree import open_html
from assay.html.reader.main_content import read_main_content

URL = "https://filings.example/report"
PROSE = "<p>The company counted the herons of the valley in every season of the year, and this is what it found of them.</p>"


def read(inner: str) -> str:
    html = f"<html><body><main><article><h1>Herons</h1>{PROSE}{inner}{PROSE}</article></main></body></html>"
    with open_html(html) as tree:
        lines = read_main_content(tree, URL).markdown.split("\n\n")
    return "\n\n".join(lines[2:-1])


def row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


HEAD = '<tr><td></td><td colspan="2">2031</td><td></td><td></td><td colspan="2">2030</td><td></td></tr>'
TABLES = {
    "signs in columns of their own": (
        HEAD
        + row("Nests", "$", "1,234", "", "", "$", "987", "")
        + row("Eggs", "", "(56", ")", "", "", "—", "")
        + row("Share", "", "12.5", "%", "", "", "(3.1", ")%"),
        "|  | 2031 | 2030 |\n| --- | --- | --- |\n| Nests | $ 1,234 | $ 987 |\n| Eggs | (56) | — |\n| Share | 12.5% | (3.1)% |",
    ),
    "signs in bold": (
        row("Year", "", "2031") + row("Nests", "<b>€</b>", "<b>5</b>") + row("Eggs", "", "<b>7</b>"),
        "| Year | 2031 |\n| --- | --- |\n| Nests | **€ 5** |\n| Eggs | **7** |",
    ),
    "a column of currencies": (
        row("Country", "Sign", "Rate") + row("Here", "$", "1.25") + row("There", "€", "0.75"),
        "| Country | Sign | Rate |\n| --- | --- | --- |\n| Here | $ | 1.25 |\n| There | € | 0.75 |",
    ),
    "a unit in the head": (
        row("Name", "Eggs", "%") + row("Heron", "12", "5") + row("Egret", "9", "4"),
        "| Name | Eggs | % |\n| --- | --- | --- |\n| Heron | 12 | 5 |\n| Egret | 9 | 4 |",
    ),
}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_an_amount_is_one_cell(name):
    rows, wanted = TABLES[name]
    assert read(f"<table>{rows}</table>") == wanted


FACTS = {
    "<p>Sales of (<ix:nonFraction sign='-'>1,234</ix:nonFraction>) and <ix:nonFraction><span>14.7</span></ix:nonFraction>% of all.</p>": (
        "Sales of (1,234) and 14.7% of all."
    ),
    "<p>Filed on <ix:nonNumeric name='date'>March 3, 2031</ix:nonNumeric>.</p>": "Filed on March 3, 2031.",
    "<ix:nonNumeric><p>One nest.</p><p>Two nests.</p></ix:nonNumeric>": "One nest.\n\nTwo nests.",
    "<ix:header><ix:hidden><ix:nonNumeric>0001234567</ix:nonNumeric></ix:hidden></ix:header><p>One nest.</p>": "One nest.",
    "<p>Herons of <st1:City>Bristol</st1:City>, and egrets.</p>": "Herons of Bristol, and egrets.",
}


@pytest.mark.parametrize("markup", FACTS)
def test_marked_facts_are_words_of_the_text(markup):
    assert read(markup) == FACTS[markup]


LONG = "<p>The number of nests depends on the water of the valley, which may fall in any dry season before</p>"
BREAKS = {
    "by its own style": '<hr style="page-break-after:always"/>',
    "by an element before": '<p style="PAGE-BREAK-BEFORE: always"></p><hr size="3">',
    "by an element around": '<div style="break-after:page"><hr></div>',
    "without a rule": '<div style="page-break-after: always"></div>',
    "by a box around the number": '<div style="page-break-before:always"><p>F-3</p></div>',
}


@pytest.mark.parametrize("name", sorted(BREAKS))
def test_a_sentence_goes_on_over_the_end_of_a_page(name):
    text = read(
        f'{LONG}<p align="center">5</p>{BREAKS[name]}<h5><a href="#c">Table of Contents</a></h5><p>the eggs hatch.</p>'
    )
    assert text.endswith("in any dry season before the eggs hatch.")
    assert "\n" not in text


def test_a_sentence_may_go_on_over_a_whole_page():
    page = "<hr style='page-break-before:always'><p>F-3</p>"
    text = read(
        f"{LONG}{page}<p>the eggs of the herons and of the egrets in the valley hatch, or any time after</p>{page}<p>that.</p>"
    )
    assert text.endswith("before the eggs of the herons and of the egrets in the valley hatch, or any time after that.")


def test_repeated_titles_of_pages_are_left_out():
    pages = [
        f"<p>Herons Inc. | Report | {page}</p><hr style='page-break-after:always'><p>There are {page} nests in this part of the valley.</p>"
        for page in (5, 6, 7)
    ]
    assert read("".join(pages)) == "\n\n".join(
        f"There are {page} nests in this part of the valley." for page in (5, 6, 7)
    )


def test_pages_may_be_boxes_that_begin_anew():
    pages = [
        f"<div style='page-break-before: always'><p>Herons Inc. | Report</p><p>There are {page} nests in this valley.</p></div>"
        for page in (5, 6, 7)
    ]
    nests = [f"There are {page} nests in this valley." for page in (5, 6, 7)]
    assert read("".join(pages)) == "\n\n".join(["Herons Inc. | Report", *nests])


def test_other_rules_divide_texts():
    assert read(f"{LONG}<hr><p>the eggs hatch.</p>").endswith("dry season before\n\nthe eggs hatch.")
    break_ = "<hr style='page-break-after:always'>"
    assert read(f"{LONG}{break_}<p>Eggs hatch.</p>").endswith("dry season before\n\nEggs hatch.")


def note(marker: str, text: str) -> str:
    return f"<table>{row(marker, text)}</table>"


MARKED = {
    "boxes of forms": (
        note("☒", "Herons wade in the river.") + note("☐", "<b>Egrets do so, too.</b>"),
        "☒ Herons wade in the river.\n☐ **Egrets do so, too.**",
    ),
    "bullets": (
        note("•", "Herons wade in the river.") + note("•", "Egrets do so, too."),
        "- Herons wade in the river.\n- Egrets do so, too.",
    ),
    "numbers": (
        note("1.", "Herons wade in the river.") + note("2.", "Egrets do so, too."),
        "1. Herons wade in the river.\n\n2. Egrets do so, too.",
    ),
    "letters": (
        note("(a)", "<p>Herons wade in the river:</p>" + note("(i)", "<p>the grey ones;</p>")),
        "(a) Herons wade in the river:\n\n(i) the grey ones;",
    ),
    "rows of one table": (
        f"<table>{row('•', 'Herons wade.')}{row('•', 'Egrets wade, too.')}</table>",
        "- Herons wade.\n- Egrets wade, too.",
    ),
    "a title": (note("<b>Item 1A.</b>", "<b>Risks of herons</b>"), "**Item 1A. Risks of herons**"),
    "a note": (note("<sup>(1)</sup>", "Includes the nests of egrets."), "(1) Includes the nests of egrets."),
    "a sign of a note": ("<div><span>*</span> <div>Includes egrets.</div></div>", "\\* Includes egrets."),
    "a grade": ("<div><span>9.1</span> <div>Herons wade.</div></div>", "9.1\nHerons wade."),
    "numbers alone": ("<div><div>1.</div><div>2.</div></div>", "1\\.\n2\\."),
    "an item with a number": ("<ul><li><span>(a)</span><div>Herons wade.</div></ul>", "- (a) Herons wade."),
    "a heading": ("<div><div>2.</div><h3>Where do herons wade?</h3></div>", "### 2. Where do herons wade?"),
    "boxes": ("<div><span>(1)</span> <div>The name of the maker.</div></div>", "(1) The name of the maker."),
    "a bullet in a line": (
        "<div><span>•</span><span style='padding-left:9pt'>Herons wade.</span></div>",
        "• Herons wade.",
    ),
}


@pytest.mark.parametrize("name", sorted(MARKED))
def test_a_marker_in_a_cell_of_its_own_begins_its_text(name):
    markup, wanted = MARKED[name]
    assert "\n".join(line for line in read(markup).split("\n") if line) == "\n".join(
        line for line in wanted.split("\n") if line
    )


def test_the_numbered_title_of_a_paragraph_stays_with_it():
    law = "<div><span>(a)</span> <span>Duty to label</span><div><p>No person may sell a tool in the valley unless a label states its maker.</p></div></div>"
    assert read(law * 3).startswith("(a) Duty to label\n\nNo person")


def test_a_table_of_numbered_rows_with_more_columns_is_data():
    rows = row("1.", "Heron", "5") + row("2.", "Egret", "7")
    assert "| 1. | Heron | 5 |" in read(f"<table>{row('Place', 'Name', 'Eggs')}{rows}</table>")


NOTES = {
    '<p>Covered by a law&nbsp;<a id="c1" href="#r1">(<span>1</span>)</a>, as before.</p>': "Covered by a law (1), as before.",
    '<p>A label [<a href="#c1">F1</a>in English] is needed.</p>': "A label [F1 in English] is needed.",
    '<p>They sent 412 comments <span class="printed-page-inline">( printed page 6372) </span> from all sides.</p>': "They sent 412 comments from all sides.",
}  # fmt: skip


@pytest.mark.parametrize("markup", NOTES)
def test_marks_in_laws_are_apart_from_the_words(markup):
    assert read(markup) == NOTES[markup]
