"""Pages of programs that write documentation: terms and their kinds, numbered equations, notes and code."""

import pytest
from tests.html.reader.test_markdown_renderer import markdown

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
        '<div class="stemblock"><div class="title">One</div><div class="content">two</div></div>', "One\n\ntwo",
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
    "a title for printers": ('<div class="onlyprint"><h1>One</h1></div><h1>One</h1>', "# One"),
    "a tooltip": ('<p>One</p><div class="ttc"><div class="ttdoc">Two</div></div>', "One"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), CASES.values(), ids=CASES.keys())
def test_documentation(html, expected):
    assert markdown(html) == expected
