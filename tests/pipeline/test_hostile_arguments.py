"""Arguments as large as a body may be: refused in a moment, since all other calls wait for it."""

import pytest
from tests.support.processor_time import assert_quick

from assay.errors import InvalidInput
from assay.toolkit import tool_registry

MILLIONS = [1] * 3_000_000


@pytest.mark.parametrize(
    "arguments",
    [
        {"a": MILLIONS},
        {"query": MILLIONS},
        {"query": "cats", "a": [{"b": "\u00e9"}] * 1_000_000},
        {"a" * 5_000_000: 1, "query": "cats"},
    ],
    ids=["an unknown list", "a known list", "unknown text", "a name"],
)
def test_large_arguments_are_refused_in_a_moment(arguments):
    def refuse():
        with pytest.raises(InvalidInput):
            tool_registry.find_tool("web_search").parse(arguments)

    assert_quick(refuse, 1)


def test_an_unknown_name_is_looked_up_in_a_moment():
    def look_up():
        with pytest.raises(Exception, match="no tool called") as failure:
            tool_registry.find_tool("n" * 5_000_000)
        return failure.value

    assert len(assert_quick(look_up, 0.5).text()) < 1000


@pytest.mark.parametrize("text", ["a\u0000", "a\ud800"])
@pytest.mark.parametrize(
    ("shape", "field"),
    [
        (lambda t: {"query": t}, "query"),
        (lambda t: {"query": "x", "lens": {"in": [t]}}, "lens"),
        (lambda t: {t: 1}, None),
    ],
)
def test_nul_and_half_pairs_are_refused_wherever_they_stand(text, shape, field):
    with pytest.raises(InvalidInput, match=f"{field or 'the name of an argument'} holds") as wrong:
        tool_registry.find_tool("web_search").parse(shape(text))
    assert wrong.value.field == field


def test_text_is_composed_before_it_is_asked():
    assert tool_registry.find_tool("web_search").parse({"query": "cafe\u0301"}).query == "caf\u00e9"
