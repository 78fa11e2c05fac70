"""Every tool's input schema is one that the model APIs take."""

import pytest
from tests.model_apis import bedrock, gemini, nodes, openai_strict

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
        ({"oneOf": [{"type": "string"}], "type": "string"}, (openai_strict, gemini)),
    ],
)
def test_the_checkers_see_what_is_refused(wrong, apis):
    schema = {"type": "object", "properties": {"a": wrong}, "additionalProperties": False}
    assert {api for api in APIS if list(api("tool", schema))} == set(apis)
