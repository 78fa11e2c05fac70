"""Titles and snippets as plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.processor_time import assert_quick

from assay.text.plain_text import to_plain_text


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("All <strong>about</strong>  cats &amp; dogs", "All about cats & dogs"),
        ("a<br>b<p>c</p>d", "a b c d"),
        ("List<String> and a < b > c", "List<String> and a < b > c"),
        ("x <script>alert(1)</script>y<!-- z -->", "x y"),
        ("x<img src=x onerror=alert(1)>y", "xy"),
        ("How to use the &lt;script&gt; tag", "How to use the <script> tag"),
        ("pay\u200bpal \u202egnp\u202c \ufeff\u00ad", "paypal gnp"),
        ("a\x00b\x1b[31m\x7f", "ab"),
        ("hidden \U000e0069\U000e0067\U000e006e", "hidden"),
        ("lone \ud800 half", "lone half"),
        ("10<sup>6</sup> cells, p &lt; 10<sup>-8</sup>", "10^6 cells, p < 10^-8"),
        ("the 19<sup>th</sup> report on Cu<sup>2+</sup> and CO<sub>2</sub>", "the 19th report on Cu2+ and CO2"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("pass\u200dword\u200c", "password"),
        ("❤\ufe0f", "❤\ufe0f"),
        (None, ""),
        (5, ""),
        (["x"], ""),
    ],
)
def test_only_what_a_reader_sees_is_left(given, read):
    assert to_plain_text(given) == read


def test_what_is_too_long_ends_in_an_ellipsis():
    assert to_plain_text("word " * 1000, 20) == "word word word word…"


@given(st.text())
def test_whatever_comes_can_be_sent_on_one_line(text):
    read = to_plain_text(text)
    assert read.encode().decode() == read
    assert "\n" not in read
    assert len(read) <= 2000


@pytest.mark.parametrize("unit", ["<br", "<script ", "<!--", "<b ", "\u200d", "&#", "م\u200d"])
def test_hostile_repetition_takes_no_time(unit):
    assert_quick(lambda: to_plain_text(unit * 100_000), 0.5)
