"""Wrong arguments: the error says what is wrong in the words of JSON."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from assay.errors import InvalidInput
from assay.toolkit import tool_registry

PAGE = "https://o.example/"
WRONG: list[Any] = [5, "x", [], {}, [5], [[]], {"a": [1]}, ["a"] * 6_000]
PYTHON = re.compile(r"\b(?:tuple|dictionary|instance|sets?|frozenset|validation|None)\b", re.IGNORECASE)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("cinder_crawl", {"url": PAGE, "includePatterns": "x"}, "includePatterns: input should be a valid list"),
        ("searxng_search", {"q": "x", "categories": "news"}, "categories: input should be a valid list"),
        ("citation_pack", {"doc": 5}, "doc: input should be a valid object"),
        ("format_bibliography", {"sources": [5]}, "sources.0: input should be a valid object"),
        ("cinder_extract", {"urls": [], "prompt": "x"}, "urls: list should have at least 1 item, not 0"),
        ("cinder_extract", {"urls": [PAGE] * 11, "prompt": "x"}, "urls: list should have at most 10 items, not 11"),
        ("http_fetch", {"url": PAGE, "max_bytes": 1e30}, "max_bytes: input should be a valid integer, this number is"),
    ],
)
def test_a_wrong_type_is_named_in_the_words_of_json(tool, arguments, said):
    with pytest.raises(InvalidInput) as wrong:
        tool_registry.find_tool(tool).parse(arguments)
    assert said in wrong.value.message


def refusals(name: str) -> Iterator[str]:
    tool = tool_registry.find_tool(name)
    for field in tool.input_schema.get("properties", {}):
        for value in WRONG:
            try:
                tool.parse({field: value})
            except InvalidInput as wrong:
                yield wrong.message


@pytest.mark.parametrize("name", tool_registry.tool_names())
def test_no_wrong_type_is_named_in_the_words_of_python(name):
    assert [message for message in refusals(name) if PYTHON.search(message)] == []


def outcome(name: str, arguments: dict[str, Any]) -> str:
    try:
        return repr(tool_registry.find_tool(name).parse(arguments))
    except InvalidInput as wrong:
        return wrong.message


@pytest.mark.parametrize("name", tool_registry.tool_names())
def test_null_is_as_good_as_no_argument(name):
    absent = outcome(name, {})
    fields = tool_registry.find_tool(name).input_schema.get("properties", {})
    assert {field: outcome(name, {field: None}) for field in fields} == dict.fromkeys(fields, absent)


def test_null_is_as_good_as_no_argument_in_nested_objects():
    references = {"entries": [{"url": PAGE, "doi": None, "claim": None}]}
    assert outcome("audit_bibliography", references) == outcome("audit_bibliography", {"entries": [{"url": PAGE}]})


def test_unknown_arguments_are_refused_even_if_they_are_null():
    assert "has no field 'depthh'" in outcome("brand_research", {"url": PAGE, "depthh": None})


def test_the_reason_of_an_error_is_passed_on_as_it_is():
    assert outcome("legal_search", {"query": "x", "date_from": "1966-13-01"}).endswith(": month must be in 1..12.")
