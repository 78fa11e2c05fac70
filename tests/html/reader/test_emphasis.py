"""Emphasis in markdown is what a reader of CommonMark shows as emphasis, and no marker is shown as text."""

import random

import pytest
from markdown_it import MarkdownIt
from tests.html.reader.test_markdown_renderer import markdown

CASES = {
    "emphasis that goes on in a link": ("<em>See the </em><a href='/a'><em>log</em></a><em> too</em>", "*See the* [*log*](A) *too*"),
    "emphasis of a part of a link": ("<b>One </b><a href='/a'><b>two</b> three</a>", "**One** [**two** three](A)"),
    "a link within emphasis": ("<b>One <a href='/a'><b>two</b></a> three</b>", "**One [two](A) three**"),
    "emphasis within emphasis that goes on": ("<b>One </b><i><b>two</b></i><b>, three</b>", "**One *two*, three**"),
    "emphasis behind emphasis": ("<b>One</b><b><i>two</i></b>", "**One*two***"),
    "emphasis that only its sign ends": ("<b>Tools :</b>find", "**Tools** :find"),
    "emphasis of a sign": ("<b><i>“</i></b>We will", "“We will"),
    "emphasis of both kinds before a letter": ("<b><i>1</i></b>2", "***1***2"),
    "a star beside emphasis": ("<b>One</b> two* three", "**One** two\\* three"),
    "stars in two lines": ("No. (*)<br>Box (*)", "No. (\\*)\nBox (\\*)"),
    "a single star": ("Two* three", "Two* three"),
    "names with low lines in parts": ("payment_<wbr>method_<wbr>id", "payment_method_id"),
    "empty elements in emphasis": ("<b>One<code></code><a href='/a'></a><sup></sup><i></i></b>two", "**One**two"),
    "code beside code": ("<code>a</code><code>b</code>", "`a` `b`"),
    "a link that is never closed": ("<a href='/b'>One <a href='/a'>two</a>", "[One](https://docs.example/b) [two](A)"),
    "lines in a link": ("<a href='/a'>One<br>two</a>", "[One\ntwo](A)"),
    "lines in a link with emphasis": ("<a href='/a'><b>One<br>two</b></a>", "[**One**\n**two**](A)"),
    "deleted words beside others": ("<del><b>One</b></del>two", "~~One~~two"),
    "italic that ends within bold": ("<i>One <b>two</b></i><b> three</b>", "*One **two*** **three**"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), CASES.values(), ids=CASES.keys())
def test_lines_with_emphasis(html, expected):
    assert markdown(f"<p>{html}").replace("https://docs.example/a", "A") == expected


WORDS = ["one", "two ", " three", "four", " five ", "six.", "seven, ", "(eight)", "“nine”", "ten: "]
TAGS = ["b", "i", "strong", "em", "a", "span"]


def write_inline(choices: random.Random, depth: int = 0) -> str:
    parts = []
    for _ in range(choices.randint(1, 3)):
        if depth > 1 or choices.random() < 0.6:
            parts.append("".join(choices.choices(WORDS, k=choices.randint(1, 3))))
        else:
            tag = choices.choice(TAGS)
            parts.append(f"<{tag} href=/a>{write_inline(choices, depth + 1)}</{tag}>")
    return "".join(parts)


def read_shown(text: str) -> str:
    """Return the letters and signs that a reader of CommonMark shows."""
    tokens = [token for block in MarkdownIt().parse(text) for token in block.children or []]
    return "".join("".join(token.content.split()) for token in tokens)


@pytest.mark.parametrize("seed", range(300))
def test_no_marker_is_shown(seed):
    html = write_inline(random.Random(seed))
    words = "".join(part.partition(">")[2] if at else part for at, part in enumerate(html.split("<")))
    assert read_shown(markdown(f"<p>{html}")) == "".join(words.split())
