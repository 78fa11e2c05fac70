"""Markdown without its invisible comments."""

from functools import partial

import pytest
from tests.support.processor_time import assert_quick

from assay.text.markdown_comments import without_comments


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("a<!-- hidden -->b", "ab"),
        ("a\n<!--\nhidden\n\n```\nstill hidden\n```\n-->\nb", "a\n\nb"),
        ("a <!-- never closed\nhidden", "a "),
        ("a\n[//]: # (hidden)\nb", "a\nb"),
        ('a\n[comment]: <> "hidden"\nb', "a\nb"),
        ("[home]: https://a.example/\n[home]", "[home]: https://a.example/\n[home]"),
        (
            "```html\n<!-- shown -->\n[//]: # (shown)\n```\n<!-- hidden -->z",
            "```html\n<!-- shown -->\n[//]: # (shown)\n```\nz",
        ),
        ("~~~\n```\n<!-- shown -->\n~~~\nx", "~~~\n```\n<!-- shown -->\n~~~\nx"),
        ("```\n<!-- shown, the fence is open", "```\n<!-- shown, the fence is open"),
        ("plain", "plain"),
    ],
)
def test_comments_are_dropped_and_code_is_kept(written, seen):
    assert without_comments(written) == seen


def test_many_open_comments_cost_no_time():
    for text in ("<!-- \n" * 200_000, "[" * 200_000 + "]:"):
        assert_quick(partial(without_comments, text), 2)
