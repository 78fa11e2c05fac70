"""Blocks of code as highlighters and editors write them: their lines, signs, numbers, languages and labels."""

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


def fence(language, *lines):
    return "\n".join([f"```{language}", *lines, "```"])


CODE = {
    "numbers in a column of their own": (
        ("<pre><code style='float:left'><span class='react-syntax-highlighter-line-number'>1\n</span>"
        "<span class='react-syntax-highlighter-line-number'>2\n</span></code><code>a\nb</code></pre>"),
        fence("", "a", "b"),
    ),
    "lines that a style keeps": (
        "<div><code class='language-js' style='color:black;white-space:pre'><span>let a;\n</span><span>  let b;\n</span></code></div>",
        fence("js", "let a;", "  let b;"),
    ),
    "lines of an editor": (
        ("<div class='ql-code-block-container'><div class='ql-code-block' data-language='js'>let a;</div>"
        "<div class='ql-code-block'><br></div><div class='ql-code-block'>  let b;</div></div>"),
        fence("js", "let a;", "", "  let b;"),
    ),
    "lines in rows": (
        ("<table class='codetable'><tr><td class='linenos'><a href='#1'><code data-line-number='1'></code></a></td><td><code>def f():\n</code></td></tr>"
        "<tr><td class='linenos'><a href='#2'><code data-line-number='2'></code></a></td><td><code>    pass\n</code></td></tr></table>"),
        fence("", "def f():", "    pass"),
    ),
    "folded lines": (
        ("<pre data-language='js'><code><div class='ec-line'>a</div><details class='ec-section'><summary>2 lines</summary>"
        "<div class='ec-line'>b</div><div class='ec-line'>c</div></details></code></pre>"),
        fence("js", "a", "b", "c"),
    ),
    "lines added and removed": (
        ("<pre class='shiki'><code><span class='line'>a</span>\n<span class='line diff remove'><span>b</span></span>\n"
        "<span class='line diff add'>c</span>\n<span class='line add'>d</span></code></pre>"),
        fence("diff", " a", "-b", "+c", " d"),
    ),
    "blocks added and removed": (
        "<pre data-language='diff'><code><div class='ec-line del'>a</div><div class='ec-line ins'>b</div><div class='ec-line'>c</div></code></pre>",
        fence("diff", "-a", "+b", " c"),
    ),
    "a language alone": ("<pre><code class='python hljs'>a\nb</code></pre>", fence("python", "a", "b")),
    "the language of a figure": (
        ("<figure class='highlight go'><figcaption><span>main.go</span></figcaption><table><tr><td class='gutter'><pre>1</pre></td>"
        "<td class='code'><pre>package main</pre></td></tr></table></figure>"),
        f"main.go\n\n{fence('go', 'package main')}",
    ),
    "another class": ("<pre class='wide'><code class='snippet'>a\nb</code></pre>", fence("", "a", "b")),
    "a label above": (
        "<div><div><span>python</span><button>Copy code</button></div><pre><code>a\nb</code></pre></div>",
        fence("python", "a", "b"),
    ),
    "a label below": (
        ("<div class='code-toolbar'><pre><code class='language-javascript'>let a = count(herons);\nlet b = a;</code></pre><div class='toolbar'>"
        "<div class='toolbar-item'><span>JavaScript</span></div><div class='toolbar-item'><button>Copy</button></div></div></div>"),
        fence("javascript", "let a = count(herons);", "let b = a;"),
    ),
    "a paragraph that names a language": (
        "<div><p>Python</p><pre><code>a\nb</code></pre></div>",
        f"Python\n\n{fence('', 'a', 'b')}",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), CODE.values(), ids=CODE)
def test_code_is_read_as_it_is_shown(html, expected):
    assert read(html) == expected


def test_code_in_a_line_stays_there():
    assert (
        read("<p>Call <code class='language-js' style='white-space:pre-wrap'>f(a)</code> now.</p>")
        == "Call `f(a)` now."
    )
    alone = "<p>Call <code class='language-js'>f(a)\n+ g</code></p>"
    assert read(alone) == "Call `f(a) + g`"
