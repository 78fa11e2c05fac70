"""Pages, answers and schemas that are built to keep extraction busy: what they cost is counted in operations."""

import json
import sys

import pytest

from assay.extraction.coercion import coerce_to_schema, is_valid, list_missing_fields
from assay.extraction.prompt import parse_reply
from assay.extraction.target_schema import parse_schema
from assay.language_models.grounding import QuoteFinder


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 60_000,
        "```" + " " * 400_000,
        "```json" * 60_000,
        "{" * 400_000,
        "[" * 400_000,
        '{"a":' * 60_000,
        '{"data": ' + "[" * 50_000,
        "NaN",
        '{"data": NaN}',
        "\x00",
        "",
    ],
    ids=lambda text: text[:10],
)
def test_an_answer_without_json_is_none(text):
    assert parse_reply(text, ["a"]) is None


def test_numbers_of_any_length_are_read():
    answer = parse_reply('{"a": 1' + "0" * 4_000 + "}", ["a"])
    assert coerce_to_schema(answer.data if answer else None, {"properties": {"a": {"type": "number"}}}).data is not None
    assert parse_reply('{"a": ' + "9" * 5_000 + "}", ["a"]) is None  # more digits than Python reads


@pytest.mark.parametrize(
    "page",
    [
        "a" * 400_000,
        "1," * 200_000,
        "9" * 400_000,
        "… " * 200_000,
        "]" * 400_000,
        "a\u0301" * 200_000,
        "\u200b" * 400_000,
    ],
    ids=lambda page: repr(page[:3]),
)
def test_a_page_of_one_letter_is_searched_to_its_end(page):
    witness = QuoteFinder(page)
    for value in ("b", " " * 300_000 + "b", "a", 9, 9.5, "2025-01-01", "a " * 100, "…"):
        witness.find_value(value)
        witness.find_quote(value)
    assert witness.find_value("otter") is None


def test_alternatives_within_alternatives_are_tried_once_each():
    node = {"type": "string", "pattern": "^x+$"}
    for _ in range(7):
        node = {"anyOf": [{"type": "object", "properties": {"a": node}}, {"type": "array", "items": node}]}
    value = "y"
    for _ in range(7):
        value = {"a": value}
    calls = 0

    def counting(frame, event, _):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(counting)
    try:
        result = coerce_to_schema(value, node)
    finally:
        sys.setprofile(None)
    assert result.lost
    assert calls < 20_000


def test_deep_data_ends_where_nobody_would_go():
    value = "x"
    for _ in range(500):
        value = {"a": value}
    assert json.dumps(coerce_to_schema(value, {"type": "object"}).data).count("{") < 40


def test_a_long_list_is_cut():
    node = {"type": "array", "items": {"type": "integer"}}
    assert len(coerce_to_schema(list(range(100_000)), node).data) == 1_000


@pytest.mark.parametrize(
    ("value", "node", "fit"),
    [
        ("5", {"type": "integer"}, 5),
        ("5.5", {"type": "integer"}, None),
        (5.0, {"type": "integer"}, 5),
        (5, {"type": "string"}, "5"),
        (True, {"type": "string"}, None),
        (True, {"type": "number"}, None),
        ("$1,299.00", {"type": "number"}, 1299),
        ("1.299,50 €", {"type": "number"}, 1299.5),
        ("4.5 of 5", {"type": "number"}, None),
        ("InStock", {"type": "boolean"}, True),
        ("yes", {"type": ["boolean", "null"]}, True),
        ("maybe", {"type": "boolean"}, None),
        ("red", {"enum": ["red", "blue"]}, "red"),
        ("green", {"enum": ["red", "blue"]}, None),
        ({"a": 1}, {"type": "string"}, None),
        ([1, "x", None, 3], {"type": "array", "items": {"type": "integer"}}, [1, 3]),
        ({"a": 1, "b": 2}, {"properties": {"a": {}}}, {"a": 1}),
        ({"a": 1, "b": 2}, {"properties": {"a": {}}, "additionalProperties": True}, {"a": 1, "b": 2}),
        ({"b": "2"}, {"additionalProperties": {"type": "integer"}}, {"b": 2}),
        ("x", {"type": "object", "properties": {"a": {}, "b": {}}}, {"a": None, "b": None}),
        ({"a": "1"}, {"allOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["a"]}]}, {"a": 1}),
        ({"a": 1}, {"anyOf": [{"type": "string"}, {"properties": {"a": {"type": "number"}}}]}, {"a": 1}),
        (float("inf"), {"type": "number"}, None),
    ],
)
def test_a_value_is_made_to_fit_or_is_null(value, node, fit):
    assert coerce_to_schema(value, node).data == fit


def test_a_null_that_the_schema_does_not_allow_counts_as_absent():
    node = {"properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}, "required": ["b"]}
    assert is_valid({"a": None, "b": None}, node)
    assert list_missing_fields({"a": None, "b": None}, node) == ["a", "b"]
    assert not is_valid({"a": "x", "b": None}, node | {"properties": {"b": {"type": "string"}}})
    assert not is_valid(None, node)


def test_a_schema_that_says_nothing_is_none():
    assert parse_schema({}) is None
    assert parse_schema({"$schema": "https://json-schema.org/draft/2020-12/schema"}) is None


def test_who_names_fields_means_an_object():
    assert parse_schema({"properties": {"a": {"properties": {"b": {}}}}}).node == {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {}}}},
    }


def test_a_thing_or_null_is_the_thing_or_null():
    price = {"type": "number", "minimum": 0}
    assert parse_schema(
        {"properties": {"price": {"anyOf": [price, {"type": "null"}], "description": "in euro"}}}
    ).node == {
        "type": "object",
        "properties": {"price": {"type": ["number", "null"], "minimum": 0, "description": "in euro"}},
    }
    stored = {"anyOf": [{"type": "string"}, {"type": "number"}]}
    assert parse_schema({"properties": {"price": stored}}).node["properties"]["price"] == stored


def test_names_that_are_keywords_are_names_where_names_stand():
    result = parse_schema(
        {"properties": {"items": {"type": "string"}, "$ref": {"type": "string"}, "id": {"type": "integer"}}}
    )
    assert set(result.node["properties"]) == {"items", "$ref", "id"}
    assert result.required_fields == {"items", "$ref", "id"}
