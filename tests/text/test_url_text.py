"""URLs in texts: what stands around them is no part of them."""

import pytest
from tests.support.processor_time import assert_quick

from assay.text.url_text import find_url, trim_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("See (http://x.example/a_(b)).", "http://x.example/a_(b)"),
        ("[http://x.example/a[1]]", "http://x.example/a[1]"),
        ("(http://x.example/a).)", "http://x.example/a"),
        ("http://x.example/(a)(b", "http://x.example/(a)(b"),
        ("www.x.example/a, and more", "www.x.example/a"),
        ("mail ada@www.x.example", None),
    ],
)
def test_marks_around_a_url_are_no_part_of_it(text, url):
    assert find_url(text) == url


@pytest.mark.parametrize("end", [")", "].", ")]", "."])
def test_many_marks_behind_a_url_cost_little_time(end):
    assert_quick(lambda: trim_url("http://x.example/" + end * 100_000), 0.5)
