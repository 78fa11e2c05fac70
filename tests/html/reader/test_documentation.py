"""Pages of programs that write documentation: terms and their kinds, numbered equations, notes and code."""

import pytest
from tests.html.reader.test_markdown_renderer import markdown

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

CASES = {
    "a term with its kind": (
        '<dl><dt><b>size</b><span class="classifier">int</span><dd>Eggs.</dl>', "**size** : int\n: Eggs.",
    ),
    "a term with its kind behind a colon": (
        '<dl><dt>size <span class="classifier-delimiter">:</span> <span class="classifier">int</span><dd>Eggs.</dl>',
        "**size : int**\n: Eggs.",
    ),
    "a member of a module": (
        ('<dl><dt class="sig"><span class="sig-prename"><span class="pre">nests.</span></span><span class="sig-name">'
        '<span class="pre">Nest</span></span><dd>Eggs.</dl>'),
        "**nests.Nest**\n: Eggs.",
    ),
    "the kind of a parameter": (
        '<h4>Nest<span>(size, opts<span class="signature-attributes">opt</span>)</span></h4>', "#### Nest(size, opts opt)",
    ),
    "labels beside each other": ('<div><label>one</label><label>two</label></div>', "one two"),
    "an equation with its number": (
        '<div class="math" id="e"><span class="eqno">(1.2)<a class="headerlink" href="#e">¶</a></span>\\[x = 1\\]</div>',
        "$$x = 1 \\tag{1.2}$$",
    ),
    "an equation with another text": (
        '<div class="math"><span class="eqno">(see there)</span>\\[x = 1\\]</div>', "$$x = 1$$",
    ),
    "a number before words": (
        '<div class="math"><span class="eqno">(1)</span>no formula</div>', "(1)no formula",
    ),
    "an equation in a box": ('<div class="stemblock"><div class="content">\n\\[x = 1\\]\n</div></div>', "$$x = 1$$"),
    "a box with a title and an equation": (
        '<div class="stemblock"><div class="title">One</div><div class="content">two</div></div>', "**One**\n\ntwo",
    ),
    "a note with a sign": (
        '<aside role="doc-footnote"><span class="label">[*]</span><p>Not egrets.</p></aside>', "[*] Not egrets.",
    ),
    "a publication with its key": (
        '<div role="doc-biblioentry"><span class="label">[BF19]</span><p>Brook, 2019.</p></div>', "[BF19] Brook, 2019.",
    ),
    "code of a notebook": ('<div class="highlight hl-ipython3"><pre>x = 1</pre></div>', "```python\nx = 1\n```"),
    "a task in a paragraph": (
        "<ul><li><p><input type=checkbox> One</p><p><input type=checkbox> more</p><li><p><input type=checkbox checked> Two</ul>",
        "- [ ] One\n\n  more\n- [x] Two",
    ),
    "code with its title in a table": (
        ('<div class="language-py highlight"><table><tr><th colspan=2>nest.py</th></tr><tr><td class="linenos"><pre>1</pre></td>'
        "<td><div><pre><code>x = 1</code></pre></div></td></tr></table></div>"),
        "nest.py\n\n```py\nx = 1\n```",
    ),
    "labels of fields beside each other": (
        "<div><input type=radio><label>one</label><input type=radio><label>two</label></div>", "one two",
    ),
    "the language above code": (
        '<div class="language-js"><button></button><span class="lang">js</span><pre><code>x = 1</code></pre></div>',
        "```js\nx = 1\n```",
    ),
    "another word above code": (
        '<div class="language-js"><span>Wrong</span><pre><code>x = 1</code></pre></div>', "Wrong\n\n```js\nx = 1\n```",
    ),
    "a box of a site generator": (
        '<div class="tip custom-block"><p class="custom-block-title">TIP</p><p>One</div>', "**TIP**\n\nOne",
    ),
    "a box named by its class": ('<div class="NOTE"><p>Note</p><p>One</p></div>', "**Note**\n\nOne"),
    "a letter that is the class of a box": ('<div class="a"><p>A</p><p>Auk</p></div>', "A\n\nAuk"),
    "a word of the class within a box": ('<div class="note"><p>Two</p><p>Note</p></div>', "Two\n\nNote"),
    "the button of code": (
        "<pre><code>x = 1</code><button type=button>Copy</button></pre><pre><button>Copy</button>y = 2</pre><p>One",
        "```\nx = 1\n```\n\n```\ny = 2\n```\n\nOne",
    ),
    "code of Doxygen": (
        ('<div class="fragment"><div class="line"><a id="l1"></a><span class="lineno">    1</span>if (x)</div>\n'
        '<div class="line"><span class="lineno">    2</span> </div>\n'
        '<div class="line"><span class="lineno">    3</span>  y();</div>\n</div><p>One'),
        "```\nif (x)\n\n  y();\n```\n\nOne",
    ),
    "a fragment of slides": ('<div class="fragment">One</div>', "One"),
    "settings of a section": ('<div><div class="section-metadata"><div><div>Style</div><div>grey</div></div></div><p>One</p></div>', "One"),
    "a title for printers": ('<div class="onlyprint"><h1>One</h1></div><h1>One</h1>', "# One"),
    "a tooltip": ('<p>One</p><div class="ttc"><div class="ttdoc">Two</div></div>', "One"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), CASES.values(), ids=CASES.keys())
def test_documentation(html, expected):
    assert markdown(html) == expected


GRID = (
    '<div class="summary-table three-column-summary"><div class="table-header col-first">Type</div>'
    '<div class="table-header col-second">Method</div><div class="table-header col-last">Description</div>'
    '<div class="col-first even-row-color"><code>int</code></div><div class="col-second even-row-color"><code>lay</code></div>'
    '<div class="col-last even-row-color"><div class="block">Lays eggs.</div></div>'
    '<div class="col-first odd-row-color"><code>void</code></div><div class="col-second odd-row-color"><code>put</code></div>'
    '<div class="col-last odd-row-color"></div></div>'
)
CELLS = '<div class="{0}">{1}</div><div class="{0}">{2}</div>'
DIV_TABLES = {
    "a grid of cells": (
        GRID,
        "| Type | Method | Description |\n| --- | --- | --- |\n| `int` | `lay` | Lays eggs. |\n| `void` | `put` |  |",
    ),
    "rows by their class": (
        (
            f'<div class="divTable"><div class="divTableBody"><div class="divTableRow">{CELLS.format("divTableHead", "Bird", "Eggs")}</div>'
            f'<div class="divTableRow">{CELLS.format("divTableCell", "Heron", "5")}</div></div></div>'
        ),
        "| Bird | Eggs |\n| --- | --- |\n| Heron | 5 |",
    ),
    "rows of a library": (
        (
            f'<div class="table w-full"><div class="table-header-group"><div class="table-row">{CELLS.format("table-cell", "Bird", "Eggs")}</div></div>'
            f'<div class="table-row-group"><div class="table-row">{CELLS.format("table-cell", "Heron", "5")}</div></div></div>'
        ),
        "| Bird | Eggs |\n| --- | --- |\n| Heron | 5 |",
    ),
    "a class that says nothing": ('<div class="table"><div>Heron</div><div>Egret</div></div>', "Heron\n\nEgret"),
    "cells without a table": (CELLS.format("table-cell", "Heron", "5"), "Heron\n\n5"),
}


@pytest.mark.parametrize("name", sorted(DIV_TABLES))
def test_tables_of_other_elements_by_their_classes(name):
    markup, wanted = DIV_TABLES[name]
    assert markdown(markup) == wanted


def test_a_signature_is_a_line_of_code():
    rows = (
        '<tr><td class="memname">int <a href="n.html">Nest</a>&lt; T &gt;::lay </td><td>(</td><td class="paramtype">int&#160;</td>'
        '<td class="paramname"><em>number</em>, </td></tr><tr><td></td><td></td><td>char *&#160;</td><td><em>colour</em> = <code>nullptr</code>&#160;</td></tr>'
        "<tr><td></td><td>)</td><td></td><td> const</td></tr>"
    )
    assert markdown(f'<div class="memproto"><table class="memname">{rows}</table></div><p>Lays eggs.</p>') == (
        "`int Nest< T >::lay(int number, char * colour = nullptr) const`\n\nLays eggs."
    )
    assert markdown(
        '<div class="member-signature"><span>public</span>&nbsp;<span>int</span>&nbsp;lay(int&nbsp;number,\n String&nbsp;colour)</div>'
    ) == ("```\npublic int lay(int number,\n String colour)\n```")


def test_the_type_of_a_member_is_before_its_name():
    prose = "<p>The survey counted the herons of the valley in every season, and this is what it found of them.</p>"
    rows = "".join(
        f'<tr><td class="memItemLeft" align="right">{kind}&#160;</td><td class="memItemRight"><a href="#{name}">{name}</a> (int number) const</td></tr>'
        for kind, name in (("int", "lay"), ('<a href="t.html">Egg</a>', "put"))
    )
    html = f"<html><body><main><h1>Nests</h1>{prose}<table class='memberdecls'><tr><td colspan='2'><h2>Functions</h2></td></tr>{rows}</table>{prose}</main></body></html>"
    text = read_main_content(parse_html(html), "https://docs.example/n").markdown
    assert "int [lay](https://docs.example/n#lay) (int number) const" in text
    assert "[Egg](https://docs.example/t.html) [put](https://docs.example/n#put) (int number) const" in text
