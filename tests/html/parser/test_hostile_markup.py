"""Hostile pages: parsing ends in bounded time, raises nothing and returns bounded output."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.processor_time import assert_quick

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

SECONDS = 6.0  # CPU seconds; an idle machine needs a tenth
MARKER = "zebramarker"
PROSE = "Herons stand in the shallows at dawn and wait for small fish to come near. " * 4


def attributes(count: int, value: str = "1") -> str:
    return " ".join(f'a{number}="{value}"' for number in range(count))


def opened_again(font: str) -> str:
    return "<p>" + "".join(font.format(number) for number in range(500)) + "<p>x" * 50_000


def nested_tables(count: int) -> str:
    return "<table><tr><td>" * count + "x"


HOSTILE = {
    "nothing": lambda: "",
    "space": lambda: " \n\t ",
    "NULs": lambda: "\x00" * 1000 + "<p>a\x00b</p>",
    "half surrogates": lambda: "<p>\ud800\udfff</p>",
    "only signs": lambda: "<" * 2_000_000,
    "deep divs": lambda: "<div>" * 200_000 + PROSE,
    "deep divs, closed": lambda: "<div>" * 100_000 + PROSE + "</div>" * 100_000,
    "deep inline": lambda: "<b><i><a href=x>" * 50_000 + PROSE,
    "deep lists": lambda: "<ul><li>x" * 60_000,
    "deep quotes": lambda: "<blockquote>x" * 60_000,
    "deep tables": lambda: nested_tables(20_000),
    "a million tags": lambda: "<p>x" * 1_000_000,
    "a million breaks": lambda: "x<br>" * 1_000_000,
    "a million spans": lambda: "<p>" + "<span>x</span>" * 500_000,
    "a million links": lambda: "<a href='/x'>x</a> " * 400_000,
    "stray ends": lambda: "</div></p></b>" * 500_000,
    "crossed": lambda: "<a><b><i><u></a></b>" * 200_000,
    "attributes": lambda: f"<p {attributes(100_000)}>x</p>",
    "attributes with signs": lambda: f"<p {attributes(100_000, '>')}>x</p>",
    "attributes of a script": lambda: f"<script {attributes(100_000)}></script><p>x</p>",
    "open tags": lambda: "<a " * 100_000 + "x" * 3_000_000,
    "open tags with quotes": lambda: "<a b=\"<i c='" * 100_000,
    "tags that end with a slash": lambda: "<div style='color:red' />" * 150_000,
    "headings within headings": lambda: (
        "<style>.x{display:none}</style>" + "<h2 class=x>x</h2><p>" + "<h2 a=1 " * 75_000
    ),
    "headings in values": lambda: (
        "<style>.x{display:none}</style><h2 class=x>x</h2><p><h2>" + "<b c='<h2>'>" * 75_000 + "</h2>"
    ),
    "scripts in scripts": lambda: "<script><!--" + "<script></script>" * 75_000,
    "one long attribute": lambda: f'<p class="{"a " * 500_000}">x</p>',
    "one long style": lambda: f'<p style="{"color:red;" * 500_000}">x</p>',
    "an open quote": lambda: '<a href="' + "x" * 3_000_000,
    "open comments": lambda: "<!--" * 1_000_000 + "x",
    "open scripts": lambda: "<script>" * 500_000 + "x",
    "one long text": lambda: "<p>" + "word " * 1_500_000,
    "one long word": lambda: "<p>" + "x" * 7_000_000,
    "stars": lambda: "<p>" + "*" * 250_000,
    "underscores": lambda: "<p>" + "_a" * 500_000,
    "brackets": lambda: "<p>" + "[" * 500_000 + "](" * 200_000,
    "backticks": lambda: "<code>" + "`" * 1_000_000 + "</code><pre>" + "`" * 1_000_000,
    "spaces": lambda: "<p>" + " \n" * 1_000_000 + "x" + " " * 1_000_000,
    "entities": lambda: "<p>" + "&lt;&amp;&#x1F600;" * 100_000,
    "declared entities": lambda: (
        '<!DOCTYPE x [<!ENTITY a "' + "b" * 1000 + '"><!ENTITY c "' + "&a;" * 1000 + '">]><p>' + "&c;" * 1000
    ),
    "a wide cell": lambda: "<table><tr><td colspan=1000000000>x<td>y</tr><tr><td>z<td>w</table>",
    "a wide and high cell": lambda: "<table>" + "<tr><td colspan=100000 rowspan=100000>x<td>y</tr>" * 200 + "</table>",
    "many cells": lambda: "<table>" + ("<tr>" + "<td rowspan=9 colspan=9>x" * 100) * 500 + "</table>",
    "a long row": lambda: "<table><tr>" + "<td>x" * 100_000 + "<tr><td>y<td>z</table>",
    "a span that is no number": lambda: "<table><tr><th colspan='٣'>x<th colspan=-4>y<tr><td>a<td>b</table>",
    "a list from far away": lambda: f"<ol start={'9' * 5000}><li value={'9' * 5000}>x</ol>",
    "rules and elements": lambda: (
        "<style>"
        + "".join(f".a{number % 50}.b{{display:none}}" for number in range(15_000))
        + "</style>"
        + "".join(f"<p class='a{number % 50} c'>x</p>" for number in range(20_000))
    ),
    "rules that look far up": lambda: (
        "<style>"
        + ".a .a .a .a .a .a .b{display:none}" * 2_000
        + "</style>"
        + "<div class=a>" * 150
        + "<p class='a b'>x</p>" * 5_000
    ),
    "rules that look far back": lambda: (
        "<style>" + ".a ~ .b ~ .c{display:none}" * 2_000 + "</style>" + "<p class='b c'>x</p>" * 20_000
    ),
    "many selectors": lambda: (
        "<style>" + ",".join(".a" for _ in range(200_000)) + "{display:none}</style>" + "<p class=a>x</p>" * 2000
    ),
    "open braces": lambda: "<style>" + "a{" * 125_000 + "display:none</style><p>x</p>",
    "braces": lambda: "<style>" + "{}" * 800_000 + "}" * 100_000 + "</style><p>x</p>",
    "open brackets in selectors": lambda: "<style>" + "a:not(" * 100_000 + "{display:none}</style><p>x</p>",
    "selector of commas and brackets": lambda: "<style>" + ",(" * 200_000 + "{display:none}</style><p>x</p>",
    "open strings in style": lambda: "<style>" + "a{content:'" * 200_000 + "</style><p>x</p>",
    "escapes in style": lambda: "<style>" + "\\64 " * 100_000 + "{display:none}</style><p>x</p>",
    "open comments in style": lambda: "<style>" + "/*" * 800_000 + "</style><p>x</p>",
    "functions in style": lambda: f"<p style='transform:{'scale(' * 50_000}'>x</p>",
    "numbers in style": lambda: f"<p style='clip:rect({'1' * 300_000});font:{'1 ' * 100_000}'>x</p>",
    "joiners": lambda: "<p>" + "ا\u200c" * 125_000,
    "a base and many links": lambda: f"<base href='{'x/' * 1000}'>" + "<a href='../../y'>x</a>" * 20_000,
    "long addresses": lambda: "".join(f"<a href='{number}{'x' * 5000}'>x</a>" for number in range(1000)),
    "brackets in an address": lambda: "<p><a href='http://[x'>x</a><a href='//[::1'>y</a></p>",
    "JSON that nests": lambda: f"<script type='application/ld+json'>{'[' * 200_000}</script><p>x</p>",
    "elements ended early, deep in others": lambda: (
        "<style>.a{display:none}</style><small>" + "<div id=x>" * 180 + "<div><small><p>x</p></small></div>" * 25_000
    ),
    "ends that are passed over": lambda: "<nav>" + "<div>" * 200 + "</nav>x" + "<li><div></nav>" * 45_000,
    "ends of pages": lambda: "<p>x</p></body></html>" * 50_000,
    "numbers of lines in each other": lambda: "<div class=gutter>" * 190 + "<b>1</b>" * 60_000,
    "readers without scripts": lambda: "<noscript><p>x y z</p></noscript>" * 30_000,
    "readers without scripts in each other": lambda: "<noscript>" * 100_000 + "x",
    "readers without scripts, and formatting": lambda: "<noscript><b>" * 100_000 + "x",
    "templates": lambda: "<template>" * 100_000 + "x",
    "slots": lambda: "".join(f"<div hidden id='S:{number}'>x</div>" for number in range(20_000)),
    "formatting that each paragraph opens again": lambda: opened_again("<font a{}>"),
    "formatting that a value seems to end": lambda: opened_again('<font a{}=">x</font>">'),
    "formatting that a comment seems to end": lambda: opened_again("<font a{}><!--</font>-->"),
    "formatting that a table keeps": lambda: opened_again("<p><font a{}><table></font></table></p>"),
    "formatting around paragraphs": lambda: "".join(f"<p><font a{number}>" for number in range(20_000)),
    "formatting that ends across blocks": lambda: "<b><i><u><s><tt><p></b>" * 25_000,
    "attributes of bodies": lambda: "".join(f"<body a{number}=1>" for number in range(50_000)),
    "options that a button shows": lambda: (
        "<select><button>" + "<selectedcontent>" * 100 + "</button>" + "<option selected><b>y</b>" * 20_000
    ),
    "formulas": lambda: "<math><mrow>" * 20_000 + "x",
    "images of one figure": lambda: "<figure>" + "<img src=/a.png>" * 30_000,
    "boxes beside each other": lambda: (
        "<div>" + "".join(f"<a href=/{number}>ab</a><i>c</i>" for number in range(20_000))
    ),
    "texts that are there again": lambda: "<div>" + "<p>a<p>b<p>c" * 3_000 + "</div><div>" + "<p>a<p>b" * 3_000,
    "terms": lambda: "<dl>" + "<dt>a:<dd>b" * 4_000,
    "bold texts in a row": lambda: "<p>" + "<b>a</b> <b>b<br>\n</b>" * 20_000,
    "scattered formulas": lambda: "<span class=katex>" * 150 + "<span class=katex>x</span>" * 5_000,
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_reading_ends_and_is_bounded(make):
    html = make()
    reading = assert_quick(lambda: read_main_content(parse_html(html), "https://a.example/b"), SECONDS)
    assert len(reading.markdown) < 3 * len(html) + 100_000
    reading.markdown.encode()


def test_the_tree_of_a_page_is_not_a_larger_than_the_limit():
    html = "<p>" + "<b><i><u><s><tt><em><big><code><small><strong><strike><nobr>" * 3 + "<p>x" * 100_000
    assert sum(1 for _ in parse_html(html).iter()) < 700_000


def test_control_characters_are_left_out_and_the_rest_stays():
    html = f"<p\fclass=x>\x01{PROSE}&#1;&#x1f;&#12;\ufffe<b>bold&#9;text&#133;&#xffff;</b></p>"
    paragraph = next(parse_html(html).iter("p"))
    assert (paragraph.get("class"), [*paragraph.itertext()]) == ("x", [PROSE, "bold\ttext\u2026"])


def test_text_that_lies_deep_is_read():
    assert (
        "Herons stand"
        in read_main_content(parse_html("<div>" * 100_000 + f"<p>{PROSE}</p>"), "https://a.example/").markdown
    )


def test_text_that_is_hidden_deep_stays_hidden():
    html = f"<p>{PROSE}</p>" + "<div>" * 400 + f"<div style='display:none'>{MARKER}</div><p>{PROSE}</p>"
    markdown = read_main_content(parse_html(html), "https://a.example/").markdown
    assert MARKER not in markdown
    assert "Herons" in markdown


def test_quotes_in_text_and_scripts_swallow_nothing():
    html = f"<script>if (a<b && c=='\"') d=\"<p\" </script><p>5 <b x='don't'>6</b> isn't</p><p>{PROSE}</p>{'<!-- - -->' * 20_000}<p>{PROSE} end</p>"
    assert read_main_content(parse_html(html), "https://a.example/").markdown.rstrip().endswith("end")


def test_the_tree_is_left_as_it_was():
    tree = parse_html(
        f"<style>.x{{display:none}}</style><h1>A</h1><p>{PROSE}</p><p class=x>b</p><table><tr><td>c</table>"
    )
    before = [(element.tag, dict(element.attributes), element.text, element.tail) for element in tree.iter()]
    first, second = read_main_content(tree, "https://a.example/"), read_main_content(tree, "https://a.example/")
    assert first == second
    assert before == [(element.tag, dict(element.attributes), element.text, element.tail) for element in tree.iter()]


WORDS = (
    "div p span b i a ul ol li table tr td th pre code blockquote h1 h2 section article dl dt dd details summary figure br img "
    "math script style template noscript svg select x-y"
)
NAMES = st.sampled_from(WORDS.split())
STYLES = st.sampled_from(
    [
        "",
        ' class="x"',
        ' style="color:red"',
        ' href="/a"',
        ' alt="b c"',
        " hidden",
        ' style="display:none"',
        " colspan=3",
    ]
)
TEXTS = st.text(max_size=12).map(lambda text: text.replace("'", ""))  # opens no value that the hidden tag would end
PIECES = st.one_of(
    st.builds("<{}{}>".format, NAMES, STYLES),
    st.builds("</{}>".format, NAMES),
    TEXTS,
    st.just("<"),
    st.just("&lt;"),
    st.just('"'),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=40))
def test_no_markup_raises_or_leaks(pieces):
    body = (
        "".join(pieces)
        .replace("<template", "<div")
        .replace("<noscript", "<div")
        .replace("<svg", "<div")
        .replace("<select", "<div")
    )
    html = f"<p>{PROSE} okapimarker</p>{body}><p style='display:none'>{MARKER}</p>"  # a ">" ends what "<?" begins
    markdown = read_main_content(parse_html(html), "https://a.example/").markdown
    markdown.encode()
    assert MARKER not in markdown
    assert "okapimarker" in markdown
