"""Every tool's input schema is one that the model APIs take."""

import json

import pytest
from tests.model_apis import bedrock, gemini, nodes, openai_strict

from assay.errors import InvalidInput
from assay.toolkit import tool_registry

NAMES = tool_registry.tool_names()
APIS = (openai_strict, gemini, bedrock)


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_the_arguments_of_a_tool_are_reported_in_words_that_it_takes(name, api):
    assert list(api(name, tool_registry.find_tool(name).input_schema)) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_object_of_the_arguments_takes_fields_it_does_not_name(name):
    outputs = [node for _, node in nodes(tool_registry.find_tool(name).input_schema) if "properties" in node]
    assert outputs
    assert all(node["additionalProperties"] is False for node in outputs)


@pytest.mark.parametrize(
    ("tool", "place", "fields"),
    [
        ("dedupe_rank", (), ["docs"]),
        ("citation_pack", (), ["doc"]),
        ("citation_pack", ("properties", "doc"), ["url"]),
        ("format_bibliography", ("properties", "sources", "items"), ["url"]),
    ],
)
def test_what_a_tool_cannot_do_without_is_required(tool, place, fields):
    node = tool_registry.find_tool(tool).input_schema
    for word in place:
        node = node[word]
    assert node["required"] == fields


@pytest.mark.parametrize(
    ("wrong", "apis"),
    [
        ({"enum": ["a"]}, APIS),
        ({"enum": ["a", ""], "type": "string"}, (gemini,)),
        ({"enum": [1], "type": "integer"}, (gemini,)),
        ({"type": "array"}, (gemini,)),
        ({"$ref": "#/$defs/A"}, (gemini, bedrock)),
        ({"type": "object", "properties": {"b": {"type": "string"}}}, (openai_strict,)),
        ({"type": "object"}, (openai_strict, gemini)),
        ({"type": "object", "additionalProperties": {"type": "string"}}, (openai_strict, gemini)),
        ({"oneOf": [{"type": "string"}], "type": "string"}, (openai_strict, gemini)),
    ],
)
def test_the_checkers_see_what_is_refused(wrong, apis):
    schema = {"type": "object", "properties": {"a": wrong}, "additionalProperties": False}
    assert {api for api in APIS if list(api("tool", schema))} == set(apis)


SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}


@pytest.mark.parametrize(
    ("name", "field", "arguments", "value"),
    [
        ("cinder_extract", "schema", {"urls": ["https://a.example/"], "prompt": "The animal"}, SCHEMA),
        ("structured_search", "schema", {"query": "otters"}, SCHEMA),
        ("start_tool_call", "arguments", {"tool": "audit_bibliography"}, {"bibliography": "Otters, 2020."}),
        ("monitor_query_save", "filters", {"kind": "web", "query": "otters"}, {"language": "de"}),
    ],
)
def test_an_object_of_the_callers_own_fields_is_taken_as_json_text_and_as_it_is(name, field, arguments, value):
    tool = tool_registry.find_tool(name)
    assert tool.input_schema["properties"][field]["type"] == "string"
    given = tool.parse(arguments | {field: value})
    assert tool.parse(arguments | {field: json.dumps(value)}) == given
    assert tool.key(tool.parse(arguments | {field: json.dumps(value, indent=3)})) == tool.key(given)
    for wrong in ("{", "[1]", "5", '{"a": NaN}', '{"a": "\\ud800"}', '{"a": "\\u0000"}', "[" * 200_000):
        with pytest.raises(InvalidInput) as failure:
            tool.parse(arguments | {field: wrong})
        assert field in (failure.value.field, *failure.value.message.split(": "))
