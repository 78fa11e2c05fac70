"""The markdown that each HTML construct becomes."""

import pytest
from tests.support.processor_time import assert_linear

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks, find_base_url
from assay.html.reader.markdown_renderer import MarkdownRenderer

URL = "https://docs.example/guide/start.html"


def markdown(html: str, url: str = URL) -> str:
    tree = parse_html(html)
    page = collect_blocks(tree)
    return MarkdownRenderer(page, find_base_url(tree, url)).render(page.blocks)


BLOCKS = {
    "headings": ("<h1>One</h1><h2>Two</h2><h6>Six</h6>", "# One\n\n## Two\n\n###### Six"),
    "a heading on several lines": ("<h2>One\n <br> two</h2>", "## One two"),
    "a heading in bold": ("<h2><b>Bold</b> title</h2>", "## Bold title"),
    "a heading that links": ('<h2><a href="/a">Title</a></h2>', "## [Title](https://docs.example/a)"),
    "a heading within a link": ('<a href="/a"><h3>Title</h3></a>', "### [Title](https://docs.example/a)"),
    "a heading's link to itself": ('<h2 id="x">Title<a class="headerlink" href="#x">¶</a></h2>', "## Title"),
    "a heading that links to itself": ('<h2 id="x"><a href="#x">Title</a></h2>', "## Title"),
    "a heading with a note": ('<h2>Title<sup><a href="#n">1</a></sup></h2>', "## Title[1]"),
    "a term with a link to itself": (
        '<dl><dt>chain(<em>*parts</em>)<span class="viewcode-link">[source]</span><a class="headerlink" href="#c">¶</a><dd>Joins.</dl>',
        "**chain(*\\*parts*)**\n: Joins.",
    ),
    "terms with stars": (
        "<dl><dt><code>print(*args, **kwargs)</code><dd>Prints.<dt>The <b>term</b> in part<dd>A part.</dl>",
        "**`print(*args, **kwargs)`**\n: Prints.\n\nThe **term** in part\n: A part.",
    ),
    "definitions without terms": ("<p>One<dl><dd>Two<p>Three</dl>", "One\n\nTwo\n\nThree"),
    "a definition of a heading": ("<dl><dt><h3>How fast?</h3><dd><p>Very.<p>Indeed.</dl>", "### How fast?\n\nVery.\n\nIndeed."),
    "two definitions of a term": ("<dl><dt>A<dd>One<dd>Two</dl>", "**A**\n: One\n: Two"),
    "a note with its label": (
        ('<p>Herons<a href="#n" role="doc-noteref">1</a></p><aside role="doc-footnote" id="n"><span>[<a href="#r">1</a>]</span>'
        '<p>Not egrets.</aside><aside role="doc-footnote">[2]</aside>'),
        "Herons[1]\n\n[1] Not egrets.\n\n[2]",
    ),
    "the title of a box": ('<div class="admonition note"><p class="admonition-title">Note<p>One</div>', "**Note**\n\nOne"),
    "lines of code without line ends": (
        '<pre><code class="gatsby-code-jsx"><span class="line"><b>a</b> (</span><span class="line">  b</span>\n<span class="line">)</span></code></pre>',
        "```jsx\na (\n  b\n)\n```",
    ),
    "code of a guessed language": ('<pre><code class="lang-auto">a</code></pre>', "```\na\n```"),
    "who is quoted": (
        "<blockquote><div><cite>Ann wrote:</cite>with fish</div></blockquote><blockquote>Two<cite>Ann</cite></blockquote>",
        "> Ann wrote:\n>\n> with fish\n\n> Two\n>\n> Ann",
    ),
    "a post that vBulletin quotes": (
        '<div class="bbcode_container"><div class="bbcode_quote"><div>Posted by <b>Ann</b></div><div>One</div></div></div>Two',
        "> Posted by **Ann**\n>\n> One\n\nTwo",
    ),
    "posts in the element of quotations": (
        '<blockquote class="postcontent restore">One</blockquote><blockquote class="messageText">Two</blockquote>',
        "One\n\nTwo",
    ),
    "a date and how long ago it was, of which one is shown": (
        '<time><span class="ipsTime__long">3 May 2024</span><span class="ipsTime__short">1 yr</span></time>',
        "3 May 2024",
    ),
    "the switches of a quotation": (
        '<blockquote>One<div class="quoteExpand">Click to expand...</div><a class="bbCodeBlock-shrinkLink">Shrink</a></blockquote>',
        "> One",
    ),
    "who is quoted, in a line of its own": (
        "<blockquote><p>One</p><footer>Ann in <cite>Fish</cite></footer></blockquote><blockquote>Two<br><small>\u2014 <cite>Ann</cite></small></blockquote>",
        "> One\n>\n> Ann in Fish\n\n> Two\n> \u2014 Ann",
    ),
    "works in a quotation": (
        "<blockquote>As <cite>Emma</cite> says</blockquote><blockquote><cite>Emma</cite> is a novel</blockquote>",
        "> As Emma says\n\n> Emma is a novel",
    ),
    "the switch of a quotation": (
        '<blockquote><div>One</div><div class="bbCodeBlock-expandLink"><a role="button">Click to expand...</a></div></blockquote>',
        "> One",
    ),
    "inline elements shown as blocks": (
        '<p><span style="display:block">One</span><span style="margin: 0; display: flex !important">two</span> <span style="display:inline-block">three</span>',
        "One\n\ntwo\n\nthree",
    ),
    "a picture in a figure of its own": ('<p>One<figure><img src="/a.png" alt=""></figure>', "One\n\n![](https://docs.example/a.png)"),
    "a link or an icon in a figure": (
        '<p>One<figure><a href="/b"><img src="/a.png" alt=""></a></figure><figure><img width=32 src="/a.png" alt=""></figure>', "One"
    ),
    "a placeholder with its image": (
        ('<p><img alt="A ship" src="/misc/placeholder.svg" data-srcset="/a.jpg 1x, /b.jpg 2x"> <img alt="A boat" src="/blank.gif" '
        'data-wpfc-original-src="/c.jpg"> <img alt="A raft" nitro-lazy-src="https://cdn.example/d.jpg" src="data:image/svg+xml,x">'
        ' <img alt="A buoy" src="/img/loading.svg">'),
        "![A ship](https://docs.example/a.jpg) ![A boat](https://docs.example/c.jpg) ![A raft](https://cdn.example/d.jpg)",
    ),
    "a sign of that link without a link": ("<h2>Title ¶</h2>", "## Title"),
    "a heading with a sign of its own": ("<h2>C#</h2>", "## C#"),
    "a wiki's link to editing": (
        '<h2>Title<span class="mw-editsection">[<a href="/w/index.php?title=A&amp;action=edit">edit</a>]</span></h2>',
        "## Title",
    ),
    "text that poses as such a link": (
        f'<p>One<span class="mw-editsection"> {"two " * 30}</span></p>', f"One {'two ' * 30}".strip()
    ),
    "a mark of a footnote": (
        '<p>One.<sup class="reference"><a href="#cite_note-1"><span>[</span>1<span>]</span></a></sup> Two.</p>',
        "One.[1] Two.",
    ),
    "a mark by its whole address": (f'<p>One<sup><a href="{URL}#fn:2">2</a></sup>, two.</p>', "One[2], two."),
    "a note of another page": (
        '<p>One<sup><a href="/b#fn">2</a></sup>.</p>', "One[2](https://docs.example/b#fn)."
    ),
    "a link within the page": (
        '<p>See <a href="#next">the next section</a>.</p>',
        "See [the next section](https://docs.example/guide/start.html#next).",
    ),
    "a way back from a footnote": ('<ol><li>Note. <a href="#ref1">↩︎</a></li></ol>', "1. Note."),
    "ways back from a wiki's footnote": (
        '<ol><li><span class="mw-cite-backlink">^ <a href="#r0">a</a> <a href="#r1">b</a></span> <i>Note</i></li></ol>',
        "1. *Note*",
    ),
    "paragraphs": ("<p>One.</p><p>Two.</p>", "One.\n\nTwo."),
    "text in no paragraph": ("<div>One.<p>Two.</p>Three.</div>", "One.\n\nTwo.\n\nThree."),
    "text in the body": ("One.<div>Two.</div>Three.", "One.\n\nTwo.\n\nThree."),
    "a table by its roles": (
        ("<div role=table><div role=row><span role=columnheader>a</span><span role=columnheader aria-colspan=2>b</span>"
        "</div><div role=row><x-y role=cell>1</x-y><div role=cell>2</div><div role=cell>3</div></div></div>"),
        "| a | b | b |\n| --- | --- | --- |\n| 1 | 2 | 3 |",
    ),
    "roles of rows outside of a table": ("<div role=row><div role=cell>a</div><div role=cell>b</div></div>", "a\n\nb"),
    "roles of rows in a table of rows": (
        "<table><tr><th>a<th>b<tr><td><div role=row><div role=cell>1</div></div><td>2</table>",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ),
    "a list by its roles": (
        ("<div role=list><div role=listitem>a<div role=list><div role=listitem>b</div></div></div>"
        "<div><div role=listitem>c</div></div></div><div role=listitem>d</div>"),
        "- a\n  - b\n- c\n\nd",
    ),
    "numbered paragraphs of a word processor": (
        "".join(
            f"<p style='mso-list:l0 level{level} lfo1'><span style='mso-list:Ignore'>{mark}<span> </span></span>x</p>"
            for level, mark in ((1, "3."), (2, "a)"), (2, "b)"), (1, "4."), (1, "some long text in a mark stays"), (1, "§"))
        ),
        "3. x\n   1. x\n   2. x\n4. x\n- some long text in a mark stays x\n- x",
    ),
    "a gallery of terms": ("<dl><dt><img src=/a.png alt=Cat><dd>A cat.</dl>", "![Cat](https://docs.example/a.png)\n\nA cat."),
    "a break": ("<p>One<br>two</p>", "One\ntwo"),
    "two breaks": ("<p>One<br><br>two</p>", "One\n\ntwo"),
    "breaks with space between": ("<p>One<br/> \n <br/>two</p>", "One\n\ntwo"),
    "space across inline borders": ("<p>One <b>two</b> <i>three</i>, four</p>", "One **two** *three*, four"),
    "a name in bold before its value": ("<ul><li><b>Date</b><span>12 May</span></ul>", "- **Date** 12 May"),
    "words are not joined": ("<div>One</div><div>two</div>", "One\n\ntwo"),
    "words are not parted": ("<p>un<b>believ</b>able<span>!</span></p>", "un**believ**able!"),
    "space is collapsed": ("<p>  One \n\t two\u00a0three </p>", "One two three"),
    "a list": ("<ul><li>One<li>Two</ul>", "- One\n- Two"),
    "a list with paragraphs": ("<ul><li><p>One</p></li><li><p>Two</p></li></ul>", "- One\n- Two"),
    "a nested list": ("<ul><li>One<ul><li>Two</li></ul></li><li>Three</li></ul>", "- One\n  - Two\n- Three"),
    "a list nested beside": ("<ul><li>One</li><ul><li>Two</li></ul><li>Three</li></ul>", "- One\n  - Two\n- Three"),
    "a list in an item of its own": (
        "<ul><li>One</li><li><ul><li>Two</li></ul></li><li>Three</li></ul>", "- One\n  - Two\n- Three"
    ),
    "a list after another": ("<ol><li>One</ol><ol><li>Two</ol>", "1. One\n1) Two"),
    "bullets after others": ("<ul><li>One<li>Two</ul><ul><li>Three<li>Four</ul>", "- One\n- Two\n* Three\n* Four"),
    "items that are lists": ("<ul><li>One</ul><ul><li>Two</ul>", "- One\n- Two"),
    "numbers beyond those of items": ('<ol start="999999999"><li>One<li>Two</ol>', "999999999. One\n999999999. Two"),
    "numbers downwards": ("<ol reversed><li>One<li>Two</ol>", "2. One\n1. Two"),
    "numbers after one given": ('<ol><li>One<li value="4">Four<li>Five</ol>', "1. One\n4. Four\n5. Five"),
    "a column of the page that is an item": (
        "<ul><li>{}</li><li>Menu</li></ul>".format("<p>The herons of the marsh stand and wait for the small fish to come by.</p>" * 4),
        "{0}\n\n{0}\n\n{0}\n\n{0}\n\n- Menu".format("The herons of the marsh stand and wait for the small fish to come by."),
    ),
    "bullets typed in paragraphs": ("<p>Birds</p><p>• One</p><p>• Two<br>too</p>", "Birds\n\n- One\n\n- Two\n  too"),
    "bullets typed in bold": ("<p><b>• One</b> more</p><p><b>• Two</b></p>", "- **One** more\n\n- **Two**"),
    "numbers typed in bold": ("<p><b>1. One:</b> more</p><p><b>2. Two</b></p>", "**1. One:** more\n\n**2. Two**"),
    "stars typed in paragraphs": ("<div>* One</div><div>* Two</div>", "- One\n\n- Two"),
    "numbers typed in paragraphs": ("<p>1. One</p><p>2. Two</p><p>4. Four</p>", "1. One\n\n2. Two\n\n4\\. Four"),
    "a number typed in a paragraph": ("<p>1. One</p><p>Two</p>", "1\\. One\n\nTwo"),
    "numbers typed in lines": ("<p>Birds:<br>1. One<br>2. Two<br>Three</p>", "Birds:\n1. One\n2. Two\n\nThree"),
    "later numbers typed in lines": ("<p>Birds:<br>8) One<br>9) Two</p>", "Birds:\n\n8) One\n9) Two"),
    "bullets typed between lines": ("<p>Birds:<br>• One<br>• Two<br>Three</p>", "Birds:\n- One\n- Two\n\nThree"),
    "a bullet typed in a line": ("<p>Birds:<br>- One<br>Two</p>", "Birds:\n\\- One\nTwo"),
    "a term with a description": ("<dl><dt><a href=/a>Help</a><br>About help<dd>12</dl>", "**[Help](https://docs.example/a)**\nAbout help\n: 12"),
    "bullets typed in a paragraph": ("<p>Birds:<br>• One<br>• Two</p>", "Birds:\n- One\n- Two"),
    "deeper lists": (
        "<ul><li>1<ul><li>2<ul><li>3</ul></ul></ul>",
        "- 1\n  - 2\n    - 3",
    ),
    "numbers": ("<ol><li>One<li>Two</ol>", "1. One\n2. Two"),
    "numbers from elsewhere": ('<ol start="9"><li>One<li>Two</ol>', "9. One\n10. Two"),
    "numbers given": ('<ol><li value="4">One</ol>', "4. One"),
    "a list in numbers": ("<ol><li>One<ul><li>Two</ul><li>Three</ol>", "1. One\n   - Two\n2. Three"),
    "an item of two paragraphs": ("<ul><li><p>One</p><p>Two</p></li><li>Three</li></ul>", "- One\n\n  Two\n- Three"),
    "code in an item": ("<ul><li>Run<pre>a\n  b</pre></li></ul>", "- Run\n\n  ```\n  a\n    b\n  ```"),
    "a bullet in an item": ("<ul><li>• One</li></ul>", "- One"),
    "a task": ('<ul><li><input type="checkbox" checked> Done</li></ul>', "- [x] Done"),
    "a quote": ("<blockquote>One</blockquote>", "> One"),
    "a quote of paragraphs": ("<blockquote><p>One</p><p>Two</p></blockquote>", "> One\n>\n> Two"),
    "a quote in a quote": ("<blockquote>One<blockquote>Two</blockquote></blockquote>", "> One\n>\n> > Two"),
    "two quotes": ("<blockquote>One</blockquote><blockquote>Two</blockquote>", "> One\n\n> Two"),
    "a list in a quote": ("<blockquote><ul><li>One<li>Two</ul></blockquote>", "> - One\n> - Two"),
    "code": ("<pre><code>if a:\n    b\n</code></pre>", "```\nif a:\n    b\n```"),
    "code in a language": ('<pre><code class="language-python">a</code></pre>', "```python\na\n```"),
    "a language around": ('<div class="highlight-source-js"><pre>a</pre></div>', "```js\na\n```"),
    "a language as an attribute": ('<pre data-lang="rust">a</pre>', "```rust\na\n```"),
    "code in colours": ('<pre><span class="k">if</span> <span>a</span>:\n\n  b</pre>', "```\nif a:\n\n  b\n```"),
    "code of divs": ("<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"),
    "code with breaks": ("<pre>a<br>b</pre>", "```\na\nb\n```"),
    "code with fences": ("<pre>```\na\n```</pre>", "````\n```\na\n```\n````"),
    "code keeps its signs": ("<pre># a *b* [c](d) &lt;e&gt;</pre>", "```\n# a *b* [c](d) <e>\n```"),
    "numbered lines": (
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre>a\nb</pre></td></tr></table>',
        "```\na\nb\n```",
    ),
    "a term": ("<dl><dt>Term</dt><dd>Meaning</dd></dl>", "**Term**\n: Meaning"),
    "terms": ("<dl><dt>A</dt><dd>One</dd><dt>B</dt><dd>Two</dd></dl>", "**A**\n: One\n\n**B**\n: Two"),
    "details": ("<details><summary>More</summary><p>Text</p></details>", "**More**\n\nText"),
    "a figure": (
        '<figure><img src="/a.png" alt="A grey heron"><figcaption>At dawn</figcaption></figure>',
        "![A grey heron](https://docs.example/a.png)\n\nAt dawn",
    ),
    "a caption in the line below": (
        '<p><a href="/b"><img src="a.png" alt="A grey heron"></a><br>At dawn</p>',
        "[![A grey heron](https://docs.example/guide/a.png)](https://docs.example/b)\nAt dawn",
    ),
    "an image above a text": ('<div><img src="/a.png" alt="A heron"><br><br>Text</div>', "![A heron](https://docs.example/a.png)\n\nText"),
    "an image that says nothing": ('<p>A<img src="a.png" alt="image"><img src="b.png" alt=""><img src="c.png">B</p>', "AB"),
    "an image named like its address": ('<p>A <img src="/x/2012/Prince-getty-03.jpg" alt="prince-getty-03"> B</p>', "A B"),
    "an image that repeats its caption": (
        '<p><img src="/a.png" alt="A grey heron"></p><p>A grey heron</p>', "![](https://docs.example/a.png)\n\nA grey heron"
    ),
    "an image that repeats its caption before the source of that": (
        '<p><img src="/a.png" alt="A grey heron hunts."></p><p>A grey heron hunts (Ann Ray)</p>',
        "![](https://docs.example/a.png)\n\nA grey heron hunts (Ann Ray)",
    ),
    "an image that repeats its caption behind the number of that": (
        '<p><img src="/a.png" alt="A grey heron hunts"></p><p>Figure 3: A grey heron hunts</p>',
        "![](https://docs.example/a.png)\n\nFigure 3: A grey heron hunts",
    ),
    "a video whose title begins its caption": (
        '<iframe src="https://www.youtube.com/embed/abcdefghijk" title="A grey heron hunts"></iframe><p>A grey heron hunts (Ann Ray)</p>',
        "[A grey heron hunts](https://www.youtube.com/watch?v=abcdefghijk)\n\nA grey heron hunts (Ann Ray)",
    ),
    "an image of a word in the next sentence": (
        '<p><img src="/a.png" alt="A grey heron"></p><p>A grey heron hunts.</p>',
        "![A grey heron](https://docs.example/a.png)\n\nA grey heron hunts.",
    ),
    "an image that repeats the text of its link": (
        '<a href="/b"><img src="/a.png" alt="A grey heron"> A grey heron</a>', "[![](https://docs.example/a.png) A grey heron](https://docs.example/b)"
    ),
    "an image of a name with a hyphen": ('<p>A <img src="/ex-human.png" alt="ex-Human"> B</p>', "A ![ex-Human](https://docs.example/ex-human.png) B"),
    "an image named by a camera": ('<p>A <img src="a.png" alt="DSC_0042"> B</p>', "A B"),
    "an image named by its size": ('<p>A <img src="a.png" alt="divorce 672x372"> B</p>', "A B"),
    "a picture with its caption, named by its file": (
        '<figure><img src="/a.png" alt="DSC_0042.jpg"><figcaption>Dawn</figcaption></figure>', "![](https://docs.example/a.png)\n\nDawn"
    ),
    "an image named by its file": ('<p>A <img src="a.png" alt="IMG_20210304.jpg"> B</p>', "A B"),
    "an image loaded late": (
        '<p><img src="data:image/gif;base64,R0" data-src="/b.png" alt="Two egrets"></p>',
        "![Two egrets](https://docs.example/b.png)",
    ),
    "an image without address": ('<p>A <img alt="Two egrets" src="data:image/png;base64,R0"></p>', "A"),
    "a rule": ("<p>One</p><hr><p>Two</p>", "One\n\nTwo"),
    "a line that looks like a heading": ("<p># One</p>", "\\# One"),
    "a line that looks like a quote": ("<p>> One</p>", "\\> One"),
    "a line that looks like an item": ("<p>- One</p>", "\\- One"),
    "a line that looks numbered": ("<p>1986. A good year</p>", "1986\\. A good year"),
    "a second line that looks numbered": ("<p>Years:<br>3) One</p>", "Years:\n3\\) One"),
    "a line of dashes": ("<p>One<br>---</p>", "One\n\\---"),
    "a decimal at the start": ("<p>3.5 metres</p>", "3.5 metres"),
    "a hash within a word": ("<p>#heron is a tag</p>", "#heron is a tag"),
    "a section title in a list": ("<ul><li><h3>One</h3><p>Text</p></li></ul>", "- ### One\n\n  Text"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), BLOCKS.values(), ids=BLOCKS.keys())
def test_blocks(html, expected):
    assert markdown(html) == expected


LINES = {
    "bold and italic": ("<b>One</b> <strong>two</strong> <i>three</i> <em>four</em>", "**One two** *three four*"),
    "space stays outside": ("a<b> One </b>b", "a **One** b"),
    "nothing is emphasised": ("a<b> </b>b<i></i>c", "a bc"),
    "bold within bold": ("<b>One <strong>two</strong></b>", "**One two**"),
    "neighbours in bold": ("<b>One</b><b>two</b>", "**Onetwo**"),
    "bold and italic at once": ("<b><i>One</i></b>", "***One***"),
    "bold that ends in a sign before a word": ("<b>One:</b>two <b>注意：</b>三", "**One**:two **注意**：三"),
    "bold that ends in a link before a word": ('<b><a href="/b">One</a></b>two', "[One](https://docs.example/b)two"),
    "bold by its style": ('<span style="font-weight: 700">One</span> <b style="font-weight:normal">two</b>', "**One** two"),
    "struck": ("<del>One</del>", "~~One~~"),
    "bold over a break": ("<b>One<br>two</b>", "**One**\n**two**"),
    "code": ("<code>a*b_c</code>", "`a*b_c`"),
    "code with a backtick": ("<code>a`b</code>", "``a`b``"),
    "code that begins with a backtick": ("<code>`a</code>", "`` `a ``"),
    "keys": ("Press <kbd>Ctrl</kbd>", "Press `Ctrl`"),
    "bold within code": ("<code>a <b>b</b></code>", "`a b`"),
    "a link": ('<a href="https://a.example/b?c=d#e">One</a>', "[One](https://a.example/b?c=d#e)"),
    "a link in two": ('<a href="/b">On</a><a href="/b">e mar</a><a href="/b">sh</a>', "[One marsh](https://docs.example/b)"),
    "links to one place": (
        '<a href="/b">One</a> <a href="/b">two</a>', "[One](https://docs.example/b) [two](https://docs.example/b)"
    ),
    "a link in two styles": (
        '<b><a href="/b">On</a></b><a href="/b">e</a>', "**[On](https://docs.example/b)**[e](https://docs.example/b)"
    ),
    "a link from the root": ('<a href="/b">One</a>', "[One](https://docs.example/b)"),
    "a link from here": ('<a href="b.html">One</a>', "[One](https://docs.example/guide/b.html)"),
    "a link upwards": ('<a href="../b">One</a>', "[One](https://docs.example/b)"),
    "a link without scheme": ('<a href="//a.example/b">One</a>', "[One](https://a.example/b)"),
    "a link within the page": ('<a href="#b">One</a>', "[One](https://docs.example/guide/start.html#b)"),
    "a link with space and brackets": ('<a href="/a (b).html">One</a>', "[One](https://docs.example/a%20%28b%29.html)"),
    "mail": ('<a href="mailto:a@b.example">Write</a>', "[Write](mailto:a@b.example)"),
    "a script": ('<a href="javascript:alert(1)">One</a>', "One"),
    "a script in disguise": ('<a href=" java\nscript:alert(1)">One</a>', "One"),
    "a script in capitals": ('<a href="JavaScript:alert(1)">One</a>', "One"),
    "data": ('<a href="data:text/html,x">One</a>', "One"),
    "a file": ('<a href="file:///etc/passwd">One</a>', "One"),
    "an anchor": ('<a name="b">One</a>', "One"),
    "a link around nothing": ('A<a href="/b"></a>B', "AB"),
    "brackets in a link": ('<a href="/b">One [1]</a>', "[One [1]](https://docs.example/b)"),
    "half a bracket in a link": ('<a href="/b">One]</a>', "[One\\]](https://docs.example/b)"),
    "a cry before a link": ('Hello!<a href="/b">One</a>', "Hello\\![One](https://docs.example/b)"),
    "space around a link": ('See<a href="/b"> One </a>now', "See [One](https://docs.example/b) now"),
    "bold in a link": ('<a href="/b"><b>One</b></a>', "[**One**](https://docs.example/b)"),
    "an image in a link": (
        '<a href="/b"><img src="/c.png" alt="A heron"></a>',
        "[![A heron](https://docs.example/c.png)](https://docs.example/b)",
    ),
    "an image with a bracket": ('<img src="/c.png" alt="A ] heron">', "![A \\] heron](https://docs.example/c.png)"),
    "names with lines": ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
    "stars around a word": ("*One* two", "\\*One\\* two"),
    "lines around a word": ("_One_ __init__", "\\_One\\_ \\_\\_init\\_\\_"),
    "a backtick": ("a ` b", "a \\` b"),
    "a tag spelled out": ("a &lt;b&gt; c < d", "a \\<b> c < d"),
    "an entity spelled out": ("a &amp;lt; b &amp; c, R&amp;D; and &amp;#38;", "a \\&lt; b & c, R&D; and \\&#38;"),
    "a link spelled out": ("[a](b)", "[a\\](b)"),
    "brackets": ("an array[3] and [sic]", "an array[3] and [sic]"),
    "a backslash": (r"a\*b and C:\dir", r"a\\*b and C:\dir"),
    "a power": ("10<sup>6</sup> m<sup>2</sup>", "10^6 m^2"),
    "a power with a sign": ("p < 10<sup>-8</sup>, 3 s<sup>&minus;1</sup>, 10<sup>+4</sup>, 10<sup>− 3</sup>", "p < 10^-8, 3 s^−1, 10^+4, 10^− 3"),
    "a power of a bracket": ("(a+b)<sup>2</sup> and (1+r)<sup>n</sup>", "(a+b)^2 and (1+r)^n"),
    "a power of emphasis": ("<i>R</i><sup>2</sup> and <b>10</b><sup>-8</sup>", "*R*^2 and **10**^-8"),
    "an emphasised power": ("<b>10<sup>6</sup></b> x<sup><i>n</i></sup>", "**10^6** x^*n*"),
    "a power of a link": ('<a href="/b">10</a><sup>6</sup>', "[10](https://docs.example/b)^6"),
    "a power in code": ("<code>10<sup>-8</sup></code>", "`10-8`"),
    "a power with space": ("5 m<sup> 2 </sup>wide", "5 m^2 wide"),
    "a power with a fraction": ("10<sup>-0.5</sup> x<sup>1/2</sup> e<sup>-x</sup>", "10^-0.5 x^(1/2) e^-x"),
    "a power without a base": ("<sup>2</sup>H and 10 <sup>6</sup>", "2H and 10 6"),
    "ordinals": (
        "19<sup>th</sup> 1<sup>ST</sup> 2<sup>nd</sup> 3<sup>rd</sup> 1<sup>er</sup> 1<sup>re</sup> 1<sup>ère</sup> 2<sup>ème</sup>",
        "19th 1ST 2nd 3rd 1er 1re 1ère 2ème",
    ),
    "a letter that is no ordinal": ("x<sup>th</sup> 2<sup>n</sup> T<sup>me</sup> Smith<sup>a,b</sup>", "x^th 2^n T^me Smith^(a,b)"),
    "titles": ("M<sup>me</sup> Curie, M<sup>lle</sup> Noether", "Mme Curie, Mlle Noether"),
    "trade marks": ("Brand<sup>TM</sup> Care<sup>SM</sup> Name<sup>®</sup>", "BrandTM CareSM Name®"),
    "charges": ("Ca<sup>2+</sup> Na<sup>+</sup> Cl<sup>−</sup>", "Ca^(2+) Na+ Cl−"),
    "citations": (
        "others<sup>3,4</sup> 2010<sup>5, 6</sup> so<sup>7–9,11,13–16</sup> a<sup>2)</sup>",
        "others^(3,4) 2010^(5, 6) so^(7–9,11,13–16) a^2)",
    ),
    "a citation behind a sentence": ("It was 5.<sup>3</sup> So.<sup>4</sup>", "It was 5.^3 So.^4"),
    "cents": ("$4.<sup>99</sup> and 19,<sup>90</sup> €, $2,898<sup>00</sup>", "$4.99 and 19,90 €, $2,898.00"),
    "signs": ("a<sup>*</sup> b<sup>†</sup> c<sup>[1]</sup>", "a\\* b† c[1]"),
    "an index": ("H<sub>2</sub>O", "H2O"),
    "a note": ('Herons<sup><a href="#n1">[1]</a></sup>', "Herons[1]"),
    "a quotation": ("<q>One</q>", "“One”"),
    "a formula": ('<math alttext="a^2+b^2"><mi>a</mi></math>', "$a^2+b^2$"),
    "a formula with its source": (
        '<math><semantics><mi>a</mi><annotation encoding="application/x-tex">\\frac{a}{b}</annotation></semantics></math>',
        "$\\frac{a}{b}$",
    ),
    "a formula twice": (
        '<span class="katex"><span class="katex-mathml"><math><annotation encoding="application/x-tex">x_1</annotation></math></span><span class="katex-html" aria-hidden="true">x1</span></span>',
        "$x_1$",
    ),
    "a formula in a script": ('<script type="math/tex">e^x</script> is', "$e^x$ is"),
    "a formula on its own": ('<script type="math/tex; mode=display">e^x</script>', "$$e^x$$"),
    "a formula without source": ("<math><mi>a</mi><mo>+</mo><mi>b</mi></math>", "$a+b$"),
    "a wiki formula": (
        '<span class="mwe-math-element"><span style="display: none;"><math alttext="{\\displaystyle a}"><mi>a</mi></math></span><img src="/m.svg" alt="{\\displaystyle a}"></span>',
        "${\\displaystyle a}$",
    ),
    "ruby": ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
    "ruby without brackets": ("<ruby>漢字<rt>かんじ</rt></ruby>と<ruby>東<rt> とう </rt>京<rt>きょう</rt></ruby>", "漢字(かんじ)と東(とう)京(きょう)"),
    "ruby with brackets of its own": ("<ruby>漢<rt>（かん）</rt></ruby><ruby>字<rt></rt></ruby>", "漢（かん）字"),
    "ruby that is hidden": ('<ruby>漢<rt style="display:none">かん</rt>字<rt hidden>じ</rt></ruby>', "漢字"),
    "ruby in elements of its own": (
        "<ruby>漢<rt><span>か<b>ん</b></span></rt>字<rp></rp><rt>じ</rt><rp></rp></ruby>と<ruby>東<rt><span hidden>とう</span></rt></ruby>", "漢(かん)字(じ)と東"
    ),
    "ruby with brackets around elements": ("<ruby>漢<rp>(</rp><rt><span>かん</span></rt><rp>)</rp></ruby>", "漢(かん)"),
    "an annotation outside of ruby": ("漢<rt>かん</rt>字", "漢かん字"),
    "ruby in a link": ('<a href="/x"><ruby>漢<rt>かん</rt></ruby></a>', "[漢(かん)](https://docs.example/x)"),
    "emphasis of two kinds": ("<b>One</b><i>two</i> <b>three</b> and <b>four</b>", "**One***two* **three** and **four**"),
    "emphasis in parts": ("<b>One</b><b> two:</b> 3<br><b>4</b>", "**One two:** 3\n**4**"),
    "emphasis over lines": ("<b>One,<br>\n two</b> <i>three<br> \n four</i>", "**One,**\n**two** *three*\n*four*"),
    "an address for a script": (
        ('Ask <a href="/cdn-cgi/l/email-protection#6c05020a032c09140d011c0009420f0301"><span class="__cf_email__" '
        'data-cfemail="6c05020a032c09140d011c0009420f0301">[email&#160;protected]</span></a> or '
        '<a class="__cf_email__" href="/cdn-cgi/l/email-protection" data-cfemail="6c05020a032c09140d011c0009420f0301">[email protected]</a>.'),
        "Ask [info@example.com](mailto:info@example.com) or info@example.com.",
    ),
    "a malformed address for a script": (
        '<a href="/cdn-cgi/l/email-protection#6c"><span class="__cf_email__" data-cfemail="zz">[email protected]</span></a>',
        "[email protected]",
    ),
    "an icon beside its words": (
        '<img src="/p.png" alt="Phone" width="16" height="16"> Phone 123 <b>phone</b><img src="/s.svg" alt="phone icon" width="24px">x <img src="/e.png" alt="Email" width="20">',
        "Phone 123 **phone** x ![Email](https://docs.example/e.png)",
    ),
    "a large image beside its words": (
        '<img src="/p.png" alt="Phone" width="320" height="32"> The phone', "![Phone](https://docs.example/p.png) The phone",
    ),
    "an icon whose words are a part of others": ('<img src="/p.png" alt="pen" width="16"> open', "![pen](https://docs.example/p.png) open"),
    "an icon that says what a click does": ('Docs <img src="/x.svg" alt="External link"> <img src="/s.svg" alt="Share">', "Docs"),
    "an icon alone in a link": (
        '<a href="/x"><img src="/p.png" alt="PDF" width="16"></a> <a href="/x"><img src="/p.png" alt="PDF" width="16">PDF</a> (1 MB)',
        "[![PDF](https://docs.example/p.png)](https://docs.example/x) [PDF](https://docs.example/x) (1 MB)",
    ),
    "an icon that is a value": (
        'Yes or no? Wifi: <img src="/p.png" alt="Yes" width="16"> Pool: no', "Yes or no? Wifi: ![Yes](https://docs.example/p.png) Pool: no",
    ),
    "an icon beside its words, and again": (
        'Fire <img src="/p.png" alt="fire" width="16"> damage 3 <img src="/p.png" alt="fire" width="16"> cost',
        "Fire damage 3 ![fire](https://docs.example/p.png) cost",
    ),
    "an icon twice": (
        'Fire <img src="/p.png" alt="fire" width="16"><img src="/p.png" alt="fire" width="16">', "Fire ![fire](https://docs.example/p.png)",
    ),
    "icons with a legend": (
        '<img src="/p.png" alt="Attack" width="16">3 <img src="/p.png" alt="Defence" width="16">5 (Attack / Defence)',
        "![Attack](https://docs.example/p.png) 3 ![Defence](https://docs.example/p.png) 5 (Attack / Defence)",
    ),
    "an emoji as an image": (
        ('none <img class="wp-emoji" src="/e.png" alt="🤞">) <img class="smilie" src="data:image/gif;base64,R0" alt=":D">'
        '<img class="emoji" src="/f.png" alt=":frowning:"><img class="emoji" src="/f.png" alt="smile">'),
        "none 🤞) :D:frowning:![smile](https://docs.example/f.png)",
    ),
    "an avatar": ('<img class="user-avatar" src="/a.png" alt="Ann Otter"> Ann', "Ann"),
    "images beside words": (
        '<img src="/a.png" alt="A flag">Canada<img src="/b.png" alt="A ship"><img src="/c.png" alt="A boat">.',
        "![A flag](https://docs.example/a.png) Canada ![A ship](https://docs.example/b.png) ![A boat](https://docs.example/c.png).",
    ),
    "a sign in a link": ('<a href="/b">here</a><a href="/c">.</a>', "[here](https://docs.example/b)."),
    "boxes beside each other": (
        "<span>Sea to Summit</span><span>Boab bag</span><span>$20</span><small>Sale</small>", "Sea to Summit Boab bag $20 Sale"
    ),
    "links beside each other": (
        '<a href="/b">one</a><a href="/c">two</a>', "[one](https://docs.example/b) [two](https://docs.example/c)"
    ),
    "parts of words": (
        'a <span>Mc</span><span>Donald</span> <a href="/b">case stud</a><a href="/b">ies</a> <span>eig</span><span>hth</span>',
        "a McDonald [case studies](https://docs.example/b) eighth",
    ),
    "parts of names in code": ("<code><span>get</span><span>Value</span></code>", "`getValue`"),
    "a text for screen readers": (
        ('<del aria-hidden="true">$28</del><span class="screen-reader-text">Original price was: $28.</span>'
        '<ins aria-hidden="true">$19</ins><span class="screen-reader-text">Current price is: $19.</span>'),
        "~~$28~~ $19",
    ),
    "another text for screen readers": (
        '<span aria-hidden="true">★★★</span> <span class="sr-only">3 of 5 stars</span>', "★★★ 3 of 5 stars"
    ),
    "a text for screen readers alone": ('Price<span class="visually-hidden">per night</span>20', "Price per night 20"),
    "a link that opens a window": (
        '<a href="/b">One<span class="sr-only">(opens in a new tab)</span></a>', "[One](https://docs.example/b)"
    ),
    "a note that a click shows": (
        'Herons wade<sup><a href="javascript:void(0)">2</a></sup><span role="tooltip">In winter.</span> here',
        "Herons wade^2 here",
    ),
    "an icon": ('<i class="material-icons">arrow_back</i> Back', "Back"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), LINES.values(), ids=LINES.keys())
def test_lines(html, expected):
    assert markdown(f"<p>{html}</p>") == expected


EMBEDDED = {
    "a video with a title": (
        '<p>One</p><iframe src="https://www.youtube.com/embed/abcDEF12-_3?rel=0" title="Otters [2] swim"></iframe><p>Two',
        "One\n\n[Otters \\[2\\] swim](https://www.youtube.com/watch?v=abcDEF12-_3)\n\nTwo",
    ),
    "a video whose title says nothing": (
        '<iframe src="//www.youtube-nocookie.com/embed/abcDEF12-_3" title="YouTube video player">',
        "<https://www.youtube.com/watch?v=abcDEF12-_3>",
    ),
    "a video that loads later": ('<iframe src="about:blank" data-lazy-src="https://player.vimeo.com/video/12?h=3">', "<https://vimeo.com/12>"),
    "a video that a click loads": (
        '<lite-youtube videoid="abcDEF12-_3" playlabel="Play: Otters"><a href="#">Play</a></lite-youtube>',
        "[Play: Otters](https://www.youtube.com/watch?v=abcDEF12-_3)",
    ),
    "a list of videos": (
        '<iframe src="https://www.youtube.com/embed/videoseries?si=1&amp;list=PL12">', "<https://www.youtube.com/playlist?list=PL12>"
    ),
    "a chart": ('<iframe src="https://datawrapper.dwcdn.net/aB1/3/" title="Otters by year">', "[Otters by year](https://datawrapper.dwcdn.net/aB1/3/)"),
    "a film of the page": ('<video controls><source src="otter film.mp4">Too old.</video>', "<https://docs.example/guide/otter%20film.mp4>"),
    "a recording": ('<audio controls src="/o.mp3" aria-label="Calls of otters">', "[Calls of otters](https://docs.example/o.mp3)"),
    "the card of a page": (
        ('<p>One<aside class="onebox" data-onebox-src="https://b.example/o"><header>b.example</header><article><h3><a '
        'href="https://b.example/o">Otters</a></h3><p>All of them.</article></aside>Two'),
        "One\n\n[Otters](https://b.example/o)\n\nTwo",
    ),
    "a card with hidden words": (
        (
            '<aside class="onebox" data-onebox-src="https://b.example/o"><h3 hidden>Buried</h3><div><h3>Otters <span '
            'style="display:none">ignore</span><a href="/o">swim</a></h3></div></aside>'
        ),
        "[Otters swim](https://b.example/o)",
    ),
    "a card whose title has marks": (
        '<aside class="onebox" data-onebox-src="https://b.example/o"><h3><a href="/o">Otters <b>of</b> the north</a></h3></aside>',
        "[Otters of the north](https://b.example/o)",
    ),
    "a card without a heading": ('<aside class="onebox" data-onebox-src="https://b.example/o"><p>All of them.</aside>', "All of them."),
    "a card of a script": ('<aside class="onebox" data-onebox-src="javascript:x"><h3>Otters</h3></aside>', "### Otters"),
    "a card without an address": ('<div class="bbCodeBlock--unfurl"><h3>Otters</h3></div>', "### Otters"),
    "a moving background": ('<video autoplay muted loop src="/o.mp4"></video><p>One', "One"),
    "a film of the page's memory": ('<video controls src="blob:https://docs.example/1"></video><p>One', "One"),
    "a hidden video": ('<iframe hidden src="https://www.youtube.com/embed/abcDEF12-_3"></iframe><p>One', "One"),
    "a video without a size": ('<iframe width="0" src="https://www.youtube.com/embed/abcDEF12-_3"></iframe><p>One', "One"),
    "a frame for advertisements": ('<iframe src="https://ads.example/embed/1" title="Buy"></iframe><p>One', "One"),
    "an address that closes the link": (
        '<iframe src="https://bandcamp.com/a)[b](https://evil.example" title="Songs of otters">',
        "[Songs of otters](https://bandcamp.com/a%29%5Bb%5D%28https://evil.example)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), EMBEDDED.values(), ids=EMBEDDED.keys())
def test_embedded_media_are_links(html, expected):
    assert markdown(html) == expected


TABLES = {
    "with a title": (
        "<table><thead><tr><th colspan=2>Birds</thead><tr><td><td><b>Size</b><tr><td>A<td>1<tr><td>B<td>2</table>",
        "Birds\n\n|  | **Size** |\n| --- | --- |\n| A | 1 |\n| B | 2 |",
    ),
    "of keys": (
        "<table><tr><td><b>A</b><td>1<tr><td><b>B</b><td>2<tr><td><b>C</b><td>3</table>",
        "|  |  |\n| --- | --- |\n| **A** | 1 |\n| **B** | 2 |\n| **C** | 3 |",
    ),
    "with a head": (
        "<table><thead><tr><th>A<th>B</thead><tr><td>1<td>2</table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |",
    ),
    "with headers in the first row": ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
    "with headers in the first column": (
        "<table><tr><th>A<td>1<tr><th>B<td>2</table>",
        "|  |  |\n| --- | --- |\n| A | 1 |\n| B | 2 |",
    ),
    "without headers": (
        "<table><tr><td>A<td>B<tr><td>1<td>2<tr><td>3<td>4</table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
    ),
    "with pipes": ("<table><tr><th>A<th>B<tr><td>1|2<td>3</table>", "| A | B |\n| --- | --- |\n| 1\\|2 | 3 |"),
    "with lines in cells": ("<table><tr><th>A<th>B<tr><td>1<br>2<td><p>3</p><p>4</p></table>", "| A | B |\n| --- | --- |\n| 1<br>2 | 3<br>4 |"),
    "with a list in a cell": (
        "<table><tr><th>A<th>B<tr><td>1<td><ul><li>2<li>3</ul></table>",
        "| A | B |\n| --- | --- |\n| 1 | 2<br>3 |",
    ),
    "with a column span": ("<table><tr><th>A<th colspan=2>B<tr><td>1<td>2<td>3</table>", "| A | B | B |\n| --- | --- | --- |\n| 1 | 2 | 3 |"),
    "with columns in which no cell begins": (
        "<table><tr><th colspan=3>A<th colspan=2>B<tr><td colspan=3>1<td colspan=2>2<tr><td colspan=3>3<td>4<td>5</table>",
        "| A | B | B |\n| --- | --- | --- |\n| 1 | 2 | 2 |\n| 3 | 4 | 5 |",
    ),
    "with a value and a text across columns": (
        "<table><tr><th>A<th>B<th>C<tr><td>1<td colspan=2>not known<tr><td>2<td colspan=2>not measured in the summer</table>",
        "| A | B | C |\n| --- | --- | --- |\n| 1 | not known | not known |\n| 2 | not measured in the summer |  |",
    ),
    "with a column between others for space": (
        "<table><tr><th>A<th><th>B<tr><td>1<td>&nbsp;<td>2<tr><td>3<td><td>4</table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
    ),
    "with a row span": (
        "<table><tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td>3</table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |",
    ),
    "with a row span of a cell in a row of its own": (
        "<table><tr><th>A<th>B<tr><td rowspan=3>1<tr><td>2<td>3<tr><td>4<td>5</table>",
        "| A | B |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 1 | 2 | 3 |\n| 1 | 4 | 5 |",
    ),
    "with a row span that is too long": (
        "<table><tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td>3<td>4</table>",
        "| A | B |  |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 1 | 3 | 4 |",
    ),
    "with short rows": ("<table><tr><th>A<th>B<th>C<tr><td>1<td>2</table>", "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 |  |"),
    "with a caption": (
        "<table><caption>Birds</caption><tr><th>A<th>B<tr><td>1<td>2</table>",
        "Birds\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
    ),
    "with links": (
        '<table><tr><th>A<th>B<tr><td><a href="/x">1</a><td><b>2</b></table>',
        "| A | B |\n| --- | --- |\n| [1](https://docs.example/x) | **2** |",
    ),
    "of one column": ("<table><tr><td>One<tr><td>Two</table>", "One\n\nTwo"),
    "of one row": ("<table><tr><td>One<td>Two</table>", "One\n\nTwo"),
    "for layout": ('<table role="presentation"><tr><td>A<td>B<tr><td>C<td>D</table>', "A\n\nB\n\nC\n\nD"),
    "around a table": (
        "<table><tr><td>Side<td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>",
        "Side\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
    ),
    "in an item": ("<ul><li>One<table><tr><th>A<th>B<tr><td>1<td>2</table></ul>", "- One\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |"),
    "with a note across": (
        "<table><tr><th>A<th>B<tr><td>1<td>2<tr><td colspan=2>Note</table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n| Note |  |",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), TABLES.values(), ids=TABLES.keys())
def test_tables(html, expected):
    assert markdown(html) == expected


def test_a_base_moves_links():
    html = '<base href="/other/"><p><a href="a">One</a> <img src="b.png" alt="A heron"></p>'
    assert markdown(html) == "[One](https://docs.example/other/a) ![A heron](https://docs.example/other/b.png)"


def test_a_base_that_is_not_a_web_address_is_not_followed():
    assert markdown('<base href="javascript:x/"><p><a href="a">One</a></p>') == "[One](https://docs.example/guide/a)"


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("https://ada:secret@b.example/x?y=a@b", "https://b.example/x?y=a@b"),
        ("HTTPS://ada@b.example", "HTTPS://b.example"),
        ("//ada:secret@b.example/x", "https://b.example/x"),
        ("https:/ada:se@cret@b.example/x", "https:/b.example/x"),
        ("https:\\\\ada:secret@b.example", "https:%5C%5Cb.example"),
        ("ht\ntps://ada:se\tcret@b.example/", "https://b.example/"),
        ("ftp://ada:secret@b.example/x", "ftp://b.example/x"),
        ("/x", "https://docs.example/x"),
        ("https://b.example/@ada", "https://b.example/@ada"),
        ("https://b.example?to=a@b", "https://b.example?to=a@b"),
        ("mailto:ada@b.example", "mailto:ada@b.example"),
    ],
)
def test_user_names_and_passwords_in_addresses_are_left_out(link, address):
    assert markdown(f'<p><a href="{link}">One</a></p>', "https://ada:secret@docs.example/a/b") == f"[One]({address})"
    assert markdown(f'<base href="//ada:secret@docs.example"><p><a href="{link}">One</a></p>') == f"[One]({address})"
    if address.startswith("http"):
        assert markdown(f'<p><img src="{link}" alt="A heron"></p>') == f"![A heron]({address})"


def test_nothing_is_written_twice():
    html = "<table><tr><td><p>One</p></td><td><table><tr><td>Two</td></tr></table></td></tr></table>"
    assert markdown(html).split() == ["One", "Two"]


def test_no_html_remains():
    html = '<div onclick="x()"><p>One <span style="color:red">two</span> <font>three</font></p></div>'
    assert markdown(html) == "One two three"


def test_an_icon_above_its_words_is_left_out():
    icon = '<div><img src="/p.png" alt="Vegan" width="32" height="32"></div>'
    assert markdown(f"{icon}<div>Vegan</div>{icon}") == "Vegan"
    assert markdown(f"{icon}<div>Not vegan</div>") == "![Vegan](https://docs.example/p.png)\n\nNot vegan"


def test_an_icon_in_a_table_is_a_value():
    icon = '<img src="/p.png" alt="Yes" width="16">'
    html = f"<table><tr><th>Yes<th>No<tr><td>Wifi<td>{icon}<tr><td>{icon}Yes<td>Pool</table>"
    assert markdown(html).splitlines()[2:] == ["| Wifi | ![Yes](https://docs.example/p.png) |", "| Yes | Pool |"]


def test_an_icon_above_its_words_in_a_cell_of_a_layout_is_left_out():
    icon = '<div><img src="/p.png" alt="Vegan" width="32" height="32"></div>'
    html = f"<table><tr><td>{icon}<div>Vegan</div><h2>One</h2><td>{icon}<td><div>Vegan</div></table>"
    assert markdown(html).split() == ["Vegan", "##", "One", "![Vegan](https://docs.example/p.png)", "Vegan"]


def test_many_icons_are_compared_in_linear_time():
    assert_linear(markdown, lambda many: f"<p>{'<img src=/p.png alt=pen width=9> open ' * many}</p>")


LITERAL = {
    "a table in lines": ("<p>| a | b |<br>| --- | --- |<br>| c | d |", "| a | b |\n\\| --- | --- |\n| c | d |"),
    "a table of one column": ("<p>| a |<br>:-:<br>b", "| a |\n\\:-:\nb"),
    "a definition in lines": ("<p>[a<br>b]: /c", "\\[a\nb]: /c"),
    "a heading that ends with a sign": ("<h2>In C #</h2><h2>C#</h2>", "## In C \\#\n\n## C#"),
    "brackets of a link that are no pair": ('<p><a href="/a">]a[</a>', "[\\]a\\[](https://docs.example/a)"),
    "brackets of a link that are a pair": ('<p><a href="/a">[a]</a>', "[[a]](https://docs.example/a)"),
    "an entity in parts": ("<p>R<b>&amp;</b>amp;", "R\\&amp;"),
    "two tildes in parts": ("<p>a~<b>~</b>b~<b>~</b>c", "a~\\~b~\\~c"),
    "a backslash before the end of emphasis": ("<p>a <i>b\\ </i>c", "a *b\\\\* c"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), LITERAL.values(), ids=LITERAL.keys())
def test_text_that_would_be_markup_is_escaped(html, expected):
    assert markdown(html) == expected
