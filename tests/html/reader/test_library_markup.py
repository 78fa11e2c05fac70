"""The markdown of what wikis, forums, word processors and libraries of components write."""

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks, find_base_url, read_main_content
from assay.html.reader.markdown_renderer import MarkdownRenderer

URL = "https://docs.example/guide/start.html"


def markdown(html: str, url: str = URL) -> str:
    tree = parse_html(html)
    page = collect_blocks(tree)
    return MarkdownRenderer(page, find_base_url(tree, url)).render(page.blocks)


CODE_AND_NOTES = {
    "the language of a wiki's code": (
        '<div class="mw-highlight mw-highlight-lang-python mw-content-ltr"><pre>x = 1</pre></div>',
        "```python\nx = 1\n```",
    ),
    "a language after the word code": ('<pre class="code python">x = 1</pre>', "```python\nx = 1\n```"),
    "a language of a file": (
        '<dl><dt>a.php<dd><pre class="code file php">x</pre></dl>',
        "**a.php**\n: ```php\n  x\n  ```",
    ),
    "code without a language": ('<pre class="code literal-block">x = 1</pre>', "```\nx = 1\n```"),
    "a note's mark with a bracket behind": ('<p>Herons<sup><a href="#fn1">1)</a></sup> wade.', "Herons[1] wade."),
    "a note's mark before its text": (
        '<div id="n1"><p><a href="#r1">1</a>Herons wade.</p></div>',
        "[1] Herons wade.",
    ),
    "a note's mark before a sign": ('<p><a href="#r1">1</a>: Herons wade.', "\\[1]: Herons wade."),
    "lines of code in a paragraph": (
        "<p><code>cd herons<br>make &nbsp;all\n<br />\nls</code></p>",
        "```\ncd herons\nmake  all\nls\n```",
    ),
    "lines of code in a definition": (
        "<dl><dt>Code:<dd><code>a = 1<br>&nbsp; b = 2</code></dl>",
        "**Code:**\n: ```\n  a = 1\n    b = 2\n  ```",
    ),
    "lines of code beside words": ("<p>Type <code>a<br>b</code>", "Type `a b`"),
    "lines of code in a cell": (
        "<table><tr><th>A<th>B<tr><td><code>a<br>b</code><td>c<tr><td>d<td>e</table>",
        "| A | B |\n| --- | --- |\n| `a b` | c |\n| d | e |",
    ),
}


@pytest.mark.parametrize(("html", "expected"), CODE_AND_NOTES.values(), ids=CODE_AND_NOTES)
def test_code_and_notes_are_those_of_the_page(html, expected):
    assert markdown(html) == expected


BOXES = {
    "tags of a component": (
        '<div><span class="ant-tag">sour</span><span class="ant-tag ant-tag-blue">old</span></div>',
        "sour old",
    ),
    "a badge after a tag": (
        '<p><a class="MuiChip" href="/a">tea</a><span class="q-badge">12</span>',
        "[tea](https://docs.example/a) 12",
    ),
    "badges behind words": ('<p>New: <b class="badge">sour</b><b class="badge">old</b>', "New: **sour old**"),
    "names in badges behind words": ("<p>New: <b class=badge>Sour</b><b class=badge>Old</b>", "New: **Sour Old**"),
    "a label and its value": ('<div><span class="label">weight</span><span>low</span></div>', "weight low"),
    "an old and a new price": ("<div><s>€29,90</s><span>€19,90</span></div>", "~~€29,90~~ €19,90"),
    "parts of a word": ('<div><span class="s1">wei</span><span class="s1">ght</span></div>', "weight"),
    "a style sheet between lines": (
        "<div><style>.a{margin:0}</style><span>Late frost</span><style>.b{margin:0}</style><span>April 14</span></div>",
        "Late frost April 14",
    ),
}


@pytest.mark.parametrize(("html", "expected"), BOXES.values(), ids=BOXES)
def test_boxes_in_a_line_are_words_of_their_own(html, expected):
    assert markdown(html) == expected


BODY = "<tr><td>Tea<td>12<tr><td>Rye<td>7"
TABLES = {
    "a head as a table of its own": (
        f"<div><div><table><thead><tr><th>Name<th>Bags<th></table></div><div><table>{BODY}</table></div></div>",
        "| Name | Bags |\n| --- | --- |\n| Tea | 12 |\n| Rye | 7 |",
    ),
    "a foot as a table of its own": (
        f"<table><thead><tr><th>Name<th>Bags<tbody>{BODY}</table><div><table><tfoot><tr><td>All<td>19</table></div>",
        "| Name | Bags |\n| --- | --- |\n| Tea | 12 |\n| Rye | 7 |\n| All | 19 |",
    ),
    "a head above a table that has one": (
        f"<table><thead><tr><th>Key<th>Value</table><table><tr><th>Name<th>Bags{BODY}</table>",
        "Key\n\nValue\n\n| Name | Bags |\n| --- | --- |\n| Tea | 12 |\n| Rye | 7 |",
    ),
    "a head of other columns": (
        f"<table><thead><tr><th>Key<th>Value<th>Sum<th>Note</table><table>{BODY}<tr><td>Oat<td>9</table>",
        "Key\n\nValue\n\nSum\n\nNote\n\n| Tea | 12 |\n| --- | --- |\n| Rye | 7 |\n| Oat | 9 |",
    ),
    "a title and its subtitle in the head": (
        f"<table><thead><tr><td colspan=2>Stock<tr><td colspan=2>by name<tr><th>Name<th>Bags<tbody>{BODY}</table>",
        "Stock\n\nby name\n\n| Name | Bags |\n| --- | --- |\n| Tea | 12 |\n| Rye | 7 |",
    ),
    "a grid with a fixed column": (
        (
            "<div role=grid><div><div role=row aria-rowindex=1><div role=columnheader aria-colindex=1>Name</div></div></div>"
            "<div><div role=row aria-rowindex=1><div role=columnheader aria-colindex=2>Bags</div></div></div>"
            "<div><div role=row aria-rowindex=3><div role=gridcell aria-colindex=1>Rye</div></div>"
            "<div role=row aria-rowindex=2><div role=gridcell aria-colindex=1>Tea</div></div></div>"
            "<div><div role=row aria-rowindex=2><div role=gridcell aria-colindex=2>12</div></div>"
            "<div role=row aria-rowindex=3><div role=gridcell aria-colindex=2>7</div></div></div></div>"
        ),
        "| Name | Bags |\n| --- | --- |\n| Tea | 12 |\n| Rye | 7 |",
    ),
}


@pytest.mark.parametrize(("html", "expected"), TABLES.values(), ids=TABLES)
def test_tables_have_the_rows_that_a_page_shows(html, expected):
    assert markdown(html) == expected


NUMBERED = {
    "numbers as text": ("<ol><li>1. Herons wade.<li>2. Terns dive.</ol>", "1. Herons wade.\n2. Terns dive."),
    "numbers as text in paragraphs": (
        "<ol start=1><li><p>4. Herons wade.<p>Deep.<li><p>5. Terns dive.</ol>",
        "4. Herons wade.\n\n   Deep.\n5. Terns dive.",
    ),
    "numbers in a list with bullets": (
        "<ul><li>1) Herons wade.<li>2) Terns dive.</ul>",
        "1. Herons wade.\n2. Terns dive.",
    ),
    "letters as text": ("<ol><li>(a) wade;<li>(b) dive.</ol>", "- (a) wade;\n- (b) dive."),
    "Roman numbers as text": ("<ol><li>ii) wade;<li>iii) dive.</ol>", "- ii) wade;\n- iii) dive."),
    "numbers of two levels": (
        "<ol><li>1. Birds<ol><li>1.1 Herons<li>1.2 Terns</ol><li>2. Fish</ol>",
        "1. Birds\n   - 1.1 Herons\n   - 1.2 Terns\n2. Fish",
    ),
    "a number that begins a text": ("<ol><li>5. is odd<li>Herons wade.</ol>", "1. 5\\. is odd\n2. Herons wade."),
    "headings with numbers": (
        "<ul><li><h3>1. Birds</h3><p>Herons.<li><h3>2. Fish</h3><p>Trout.</ul>",
        "- ### 1. Birds\n\n  Herons.\n- ### 2. Fish\n\n  Trout.",
    ),
    "headings by their role with numbers": (
        "<ul><li><div role=heading><button>1. Birds</button></div><li><div role=heading><button>2. Fish</button></div></ul>",
        "- ## 1. Birds\n- ## 2. Fish",
    ),
    "amounts": ("<ol><li>1.5 kg of rye<li>2.5 kg of tea</ol>", "1. 1.5 kg of rye\n2. 2.5 kg of tea"),
    "years": ("<ul><li>1998. Founded.<li>1999. Sold.</ul>", "- 1998\\. Founded.\n- 1999\\. Sold."),
    "the number of a clause in an element": ("<p><span>(a)</span><span>the tree</span>", "(a) the tree"),
}


@pytest.mark.parametrize(("html", "expected"), NUMBERED.values(), ids=NUMBERED)
def test_numbers_that_are_text_are_those_of_the_items(html, expected):
    assert markdown(html) == expected


TICK = "<path d='M0 0h9'/>"
ICONS = {
    "the label of a drawing": (f"<svg role=img aria-label=Included>{TICK}</svg>", "Included"),
    "the title of a drawing": (f"<div><svg><title>Not  included</title>{TICK}</svg></div>", "Not included"),
    "the label of an image": (f"<span role=img aria-label=Included><svg>{TICK}</svg></span>", "Included"),
    "a drawing beside words": (f"<svg aria-label=Included>{TICK}</svg> in all", "in all"),
    "a drawing that is hidden from screen readers": (f"<svg aria-hidden=true aria-label=Included>{TICK}</svg>", ""),
    "a drawing that is not shown": (f"<svg style=display:none aria-label=Included>{TICK}</svg>", ""),
    "several drawings": (f"<svg aria-label=Star>{TICK}</svg><svg aria-label=Star>{TICK}</svg>", ""),
    "a drawing without a name": (f"<svg>{TICK}</svg>", ""),
}


@pytest.mark.parametrize(("html", "expected"), ICONS.values(), ids=ICONS)
def test_a_cell_with_only_an_icon_has_its_name(html, expected):
    table = f"<table><tr><th>Name<th>Plan<tr><td>Tea<td>{html}<tr><td>Rye<td>on</table>"
    assert markdown(table) == f"| Name | Plan |\n| --- | --- |\n| Tea | {expected} |\n| Rye | on |"


def test_the_names_of_icons_outside_of_tables_are_not_read():
    assert markdown(f"<p>Menu <svg aria-label=Open>{TICK}</svg><span role=img aria-label=Star></span>") == "Menu"


def test_texts_for_screen_readers_are_known_by_the_names_of_design_systems():
    name = '<a href="/a">Tea<span class="usa-sr-only">{}</span></a>'
    assert markdown(f"<p>{name.format('External link icon')}") == "[Tea](https://docs.example/a)"
    assert markdown(f"<p>{name.format('as a list')}") == "[Tea as a list](https://docs.example/a)"


@pytest.mark.parametrize("said", [", sort ascending", "Sort by bags", "sorted descending", "Activate to sort"])
def test_what_a_head_says_about_sorting_is_left_out(said):
    head = f"<tr><th>Name<th>Bags <button><span class=sr-only>{said}</span></button>"
    assert markdown(f"<table>{head}{BODY}</table>").startswith("| Name | Bags |\n")


def test_other_texts_for_screen_readers_in_a_head_are_read():
    head = "<tr><th>Name<th><span class=sr-only>Sorts of tea</span>"
    assert markdown(f"<table>{head}{BODY}</table>").startswith("| Name | Sorts of tea |\n")


TEXT = "<p>The herons of the lower river stand in the reeds at dawn, when the water is low and the fish are slow.</p>"


def test_the_heading_of_a_table_of_contents_that_is_left_out_is_left_out():
    contents = "<div><h3>On this page</h3><ul><li><a href=#a>Range</a><li><a href=#b>Food</a></ul></div>"
    page = f"<body><main><h1>Herons</h1>{TEXT}{contents}<h2 id=a>Range</h2>{TEXT}<h2 id=b>Food</h2>{TEXT}</main>"
    found = read_main_content(parse_html(page), URL).markdown
    assert "On this page" not in found
    assert "## Range" in found


def test_a_heading_above_a_button_stays():
    page = f"<body><main><h1>Herons</h1>{TEXT}<div><h3>See the reeds</h3><div><a href=#book>Book</a></div></div>{TEXT}</main>"
    assert "### See the reeds" in read_main_content(parse_html(page), URL).markdown


def test_items_of_a_filtered_export_of_a_word_processor_are_a_list():
    gap = "<span style='font:7.0pt \"Times New Roman\"'>&nbsp;&nbsp; </span>"
    item = (
        "<p class=MsoListParagraph style='{}text-indent:-.25in'><span lang=EN style='font-family:{}'>{}{}</span>{}</p>"
    )
    items = [
        item.format("", "Symbol", "·", gap, "Herons"),
        item.format("margin-left:1.0in;", "Courier", "o", gap, "<span lang=EN>Grey</span>"),
        item.format("margin-left:36pt;", "Symbol", "·", gap, "Terns"),
        item.format("", "Arial", "1.", gap, "Wade"),
    ]
    assert markdown("".join(items)) == "- Herons\n  - Grey\n- Terns\n1. Wade"
    assert markdown("<p style='text-indent:-1em'><span>·</span> Herons") == "· Herons"
