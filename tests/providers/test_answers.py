"""How those are asked and read that answer questions, read fields off pages, or know brands."""

import pytest
from tests.providers.contract_case import build_provider
from tests.providers.samples.answers import CITED, QUESTIONS, SAMPLES

from assay.errors import InvalidInput
from assay.models.common import Question, StructuredQuery


async def test_exa_is_asked_for_an_answer(http, upstream):
    upstream.says(SAMPLES["exa", "answer"])
    [answer] = await build_provider("exa", http, upstream.url).ask("answer", QUESTIONS["answer"])
    assert (upstream.requests[0].path, upstream.requests[0].json()) == ("/answer", {"query": "Do cats purr?"})
    assert answer.citations[0].published_date == "2026-07-01T00:00:00Z"


async def test_tavily_is_asked_for_an_answer(http, upstream):
    upstream.says(SAMPLES["tavily", "answer"])
    [answer] = await build_provider("tavily", http, upstream.url).ask("answer", QUESTIONS["answer"])
    assert upstream.requests[0].path == "/search"
    assert upstream.requests[0].json() == {
        "query": "Do cats purr?",
        "search_depth": "basic",
        "topic": "general",
        "max_results": 5,
        "include_answer": "advanced",
        "include_usage": True,
    }
    assert [cited.url for cited in answer.citations] == ["https://cats.example/a"]


async def test_exa_is_asked_for_fields(http, upstream):
    upstream.says(SAMPLES["exa", "structured"])
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    question = StructuredQuery(query="cats", category="News", num_results=3, schema=schema)
    [item] = await build_provider("exa", http, upstream.url).ask("structured", question)
    assert upstream.requests[0].path == "/search"
    assert upstream.requests[0].json() == {
        "query": "cats",
        "type": "auto",
        "numResults": 3,
        "category": "news",
        "contents": {"highlights": True, "summary": {"schema": schema}},
    }
    assert item.wire() == {
        "title": "Cats",
        "url": "https://cats.example/a",
        "publishedDate": "2026-07-01T00:00:00Z",
        "author": "Ada",
        "summary": {"name": "Cat", "age": None},
        "highlights": ["Purr"],
    }


@pytest.mark.parametrize(
    ("summary", "read"),
    [
        ("Only <b>text</b>\u200b", "Only text"),
        ('{"a": "<i>x</i>"}', {"a": "x"}),
        ("{broken", "{broken"),
        ('{"a": NaN}', '{"a": NaN}'),
        ("[" * 200_000, None),
        ("42", "42"),
        (None, None),
    ],
)
async def test_a_summary_is_data_where_it_is_data(http, upstream, summary, read):
    upstream.says({"results": [CITED | {"summary": summary}]})
    [item] = await build_provider("exa", http, upstream.url).ask("structured", QUESTIONS["structured"])
    assert item.summary == read or (read is None and set(item.summary) <= {"[", "…"})


FLAT = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({}, "type"),
        ({"type": "array"}, "type"),
        ({"type": "object"}, "properties"),
        ({"type": "object", "properties": {}}, "properties"),
        ({"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(11)}}, "10 properties"),
        ({"type": "object", "properties": {"a": {"type": "object"}}}, "'a' is nested"),
        ({"type": "object", "properties": {"a": {"type": "array"}}}, "array"),
        ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object"}}}}, "array"),
        ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "array"}}}}, "array"),
        ({"type": "object", "properties": {"a": {"$ref": "#"}}}, "no plain type"),
        ({"type": "object", "properties": {"a": 5}}, "no plain type"),
        ({"type": "object", "properties": {"a": {"type": [5]}}}, "no plain type"),
        (FLAT | {"required": ["b"]}, "required"),
        (FLAT | {"description": "x" * 20_000}, "characters"),
    ],
)
def test_exa_is_not_paid_for_a_schema_it_cannot_fill(http, schema, said):
    with pytest.raises(InvalidInput, match=said) as failure:
        build_provider("exa", http, "http://x").validate("structured", StructuredQuery(query="cats", schema=schema))
    assert failure.value.field == "schema"


@pytest.mark.parametrize(
    "schema",
    [
        FLAT,
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "integer"}}},
        {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}}}, "required": ["a"]},
        None,
    ],
)
def test_exa_takes_flat_schemas(http, schema):
    build_provider("exa", http, "http://x").validate(
        "structured", StructuredQuery(query="cats", schema=schema, category="People")
    )


def test_an_unknown_category_is_answered_with_those_there_are(http):
    with pytest.raises(InvalidInput, match="company, people, research paper") as failure:
        build_provider("exa", http, "http://x").validate("structured", StructuredQuery(query="cats", category="cats"))
    assert failure.value.field == "category"


def test_tavily_is_not_paid_for_half_a_question(http):
    with pytest.raises(InvalidInput, match="400"):
        build_provider("tavily", http, "http://x").validate("answer", Question(query="x" * 401))
