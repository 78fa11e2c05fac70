"""Arguments as large as a body may be: refused in a moment, since all other calls wait for it."""

import time

import pytest

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
    began = time.process_time()
    with pytest.raises(InvalidInput):
        tool_registry.find_tool("web_search").parse(arguments)
    assert time.process_time() - began < 1


def test_an_unknown_name_is_looked_up_in_a_moment():
    began = time.process_time()
    with pytest.raises(Exception, match="no tool called") as failure:
        tool_registry.find_tool("n" * 5_000_000)
    assert len(failure.value.text()) < 1000
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("text", ["a\u0000", "a\ud800"])
@pytest.mark.parametrize(
    "shape", [lambda t: {"query": t}, lambda t: {"query": "x", "lens": {"in": [t]}}, lambda t: {t: 1}]
)
def test_nul_and_half_pairs_are_refused_wherever_they_stand(text, shape):
    with pytest.raises(InvalidInput):
        tool_registry.find_tool("web_search").parse(shape(text))


def test_text_is_composed_before_it_is_asked():
    assert tool_registry.find_tool("web_search").parse({"query": "cafe\u0301"}).query == "caf\u00e9"
