"""Text of a page never becomes links, images or markup, however its characters are split over elements."""

import pytest
from infra.fuzz.invariants import assert_safe_markdown

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

FILLER = "<p>Herons stand in the shallows at dawn and wait for small fish to come within reach of their bills.</p>" * 3
SCRIPT = "javascript:alert(1)"


def markdown_of(inside):
    return read_main_content(
        parse_html(f"<article>{FILLER}{inside}{FILLER}</article>"), "https://birds.example/a/b"
    ).markdown


FORGED = {
    "link": f"<p>[click]({SCRIPT})</p>",
    "link in parts": f"<p>[click]<span>({SCRIPT})</span></p>",
    "link in parts with an empty element": f"<p>[click]<b></b><span>({SCRIPT})</span></p>",
    "link around an element": f"<p>[see <b>this</b>]({SCRIPT})</p>",
    "link in three parts": f"<p>[click<span>]</span>({SCRIPT})</p>",
    "link with a raised end": f"<p>[click<sup>]</sup>({SCRIPT})</p>",
    "link around brackets": f"<p>[click <i>now</i> []({SCRIPT})</p>",
    "link around brackets far away": f"<p>[{'click ' * 80}[b]({SCRIPT})</p>",
    "link around a bracket that was closed": f"<p>[a [b]. (c [d]({SCRIPT})</p>",
    "link around a bracket and a link spelled out": f"<p>(] [a [b](c; [d]({SCRIPT})</p>",
    "link with much text": f"<p>[{'click ' * 80}]({SCRIPT})</p>",
    "link parted by what nobody sees": f"<p>[click]\u200b({SCRIPT})</p>",
    "link parted by an entity that nobody sees": f"<p>[click]&#x2060;<i></i>&#xad;({SCRIPT})</p>",
    "link in a link": f'<p><a href="/x">]({SCRIPT}) [</a></p>',
    "link in an alt text": f'<p>seen <img src="/a.png" alt="heron [a]({SCRIPT}) b"></p>',
    "link in a formula": f'<p>so <math alttext="[x]({SCRIPT})"><mi>x</mi></math></p>',
    "link in a cell": f"<table><tr><th>a<th>b<tr><td>[x]<td>({SCRIPT})<tr><td>[x]<span>({SCRIPT})</span><td>c</table>",
    "definition": f"<p>[click]: {SCRIPT}</p><p>[click]</p>",
    "definition in a list": f"<ul><li>[click]: {SCRIPT}</li><li>[click]</li></ul>",
    "element": "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
    "element in parts": "<p>&lt;<span>img src=x onerror=alert(1)&gt;</span></p>",
    "element parted by what nobody sees": "<p>&lt;&#x200b;script&gt;x&lt;&#xad;/script&gt;</p>",
    "element behind a backslash": "<p>\\<span>&lt;script&gt;</span></p>",
    "element in a formula": '<p>so <math alttext="a &lt;img src=x&gt; b"><mi>x</mi></math></p>',
    "comment": "<p>&lt;!-- hidden --&gt; and &lt;!<i></i>-- so --&gt;</p>",
    "address in angles": f"<p>&lt;{SCRIPT}&gt;</p>",
}


@pytest.mark.parametrize("inside", FORGED.values(), ids=FORGED.keys())
def test_words_do_not_become_links_or_markup(inside):
    assert_safe_markdown(markdown_of(inside))


def test_an_exclamation_makes_no_picture_of_a_link():
    markdown = markdown_of('<p>Look!<b></b><a href="https://evil.example/p?d=1">here</a></p>')
    assert "\\![here](https://evil.example/p?d=1)" in markdown


@pytest.mark.parametrize("tag", ["pre", "code"])
def test_code_cannot_end_its_own_fence(tag):
    markdown = markdown_of(f"<{tag}>```&#x200b;`\n# Not a heading\n````&#x2060;`</{tag}>")
    longest = max(len(run) for run in markdown.replace("```&", "").split() if set(run) == {"`"})
    assert longest > 4
    assert "\u200b" not in markdown


def test_brackets_of_plain_words_are_left_as_they_are():
    markdown = markdown_of("<p>As shown [12] and [13], (see f[0]) it rises.</p>")
    assert "As shown [12] and [13], (see f[0]) it rises." in markdown


def test_an_alt_text_with_brackets_is_still_one_picture():
    markdown = markdown_of('<p>seen <img src="/a.png" alt="two [grey] herons"></p>')
    assert "![two \\[grey\\] herons](https://birds.example/a.png)" in markdown
