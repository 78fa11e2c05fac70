"""What providers owe us that answer questions, read fields off pages, or know brands."""

import copy
import json
import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.upstream import CUT, SILENT, Upstream

from assay import providers
from assay.errors import (
    AuthRequired,
    Blocked,
    InvalidInput,
    Network,
    PaymentRequired,
    RateLimited,
    Refused,
    ToolError,
    UpstreamFailed,
)
from assay.models import DomainQuery, NameQuery, Question, StructuredQuery
from assay.net.http import Http
from assay.settings import Settings

KEY = "sooo-secret-123"
CITED = {"title": "Cats", "url": "https://cats.example/a", "publishedDate": "2026-07-01T00:00:00.000Z"}
SAMPLES = {
    ("exa", "answer"): {"answer": "Cats purr.", "citations": [CITED], "costDollars": {"total": 0.005}},
    ("tavily", "answer"): {
        "answer": "Cats purr.",
        "results": [{"title": "Cats", "url": "https://cats.example/a", "content": "x", "published_date": "2026-07-01"}],
        "usage": {"credits": 1},
    },
    ("exa", "structured"): {
        "results": [CITED | {"author": "Ada", "summary": '{"name": "Cat", "age": null}', "highlights": ["Purr"]}],
        "costDollars": {"total": 0.008},
    },
    ("brandfetch", "brand"): {
        "name": "Acme",
        "domain": "acme.example",
        "description": "Makes everything.",
        "links": [{"name": "twitter", "url": "https://twitter.com/acme"}],
        "logos": [{"type": "logo", "formats": [{"src": "https://cdn.example/l.svg", "format": "svg"}]}],
        "colors": [{"hex": "#ff0000", "type": "brand", "brightness": 54}],
        "fonts": [{"name": "Inter", "type": "body", "origin": "google", "originId": "Inter", "weights": [400]}],
        "company": {"foundedYear": 1949, "industries": [{"name": "Anvils"}], "location": {"city": "Tucson"}},
    },
    ("brandfetch", "voice"): {
        "meta": {"domain": "acme.example"},
        "identity": {"tagline": "Acme has it."},
        "brand": {"voice": {"summary": "Bold.", "attributes": ["bold"]}},
    },
    ("brandfetch", "domains"): [{"name": "Acme", "domain": "acme.example", "claimed": True}],
}  # fmt: skip
QUESTIONS = {
    "answer": Question(query="Do cats purr?"),
    "structured": StructuredQuery(query="cats", num_results=1),
    "brand": DomainQuery(domain="acme.example"),
    "voice": DomainQuery(domain="acme.example"),
    "domains": NameQuery(name="Acme"),
}
OFFERS = [
    (name, operation)
    for name in providers.names()
    for operation in sorted(providers.find(name).honours)
    if operation in QUESTIONS
]


@pytest.fixture(params=OFFERS, ids="-".join)
def offer(request):
    return request.param


def built(name, http, url, **more):
    kind = providers.find(name)
    keys = {kind.key_name: KEY, "BRANDFETCH_CLIENT_ID": KEY}
    return kind(http, Settings(environ=keys | {f"{name.upper()}_BASE_URL": url}), **more)


@pytest.fixture
def source(offer, upstream, http, now):
    return built(offer[0], http, upstream.url, clock=lambda: now)


async def asked(source, offer):
    return await source.ask(offer[1], QUESTIONS[offer[1]])


def test_every_offer_has_a_sample():
    assert set(SAMPLES) == set(OFFERS)


async def test_an_ordinary_answer_is_read(source, offer, upstream):
    upstream.says(SAMPLES[offer])
    [found] = await asked(source, offer)
    said = json.dumps(found.model_dump(by_alias=True, exclude_none=True))
    assert "Cat" in said or "Acme" in said
    assert len(upstream.asked) == 1


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": "invalid key"}, AuthRequired),
        ({"error": {"code": 429, "message": "Rate limit exceeded"}}, RateLimited),
        ({"errors": [{"message": "internal"}]}, UpstreamFailed),
        ({"error": True}, UpstreamFailed),
    ],
)
async def test_an_error_under_status_200_is_an_error(source, offer, upstream, body, error):
    upstream.says(body)
    with pytest.raises(error) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize("body", ["<html>Just a moment</html>", "", "null", "5", '"x"', '{"results": 5, "answer": 5}'])
async def test_what_is_no_answer_of_theirs_is_an_upstream_failure(source, offer, upstream, body):
    upstream.says(body)
    with pytest.raises(UpstreamFailed) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, Refused),
        (401, AuthRequired),
        (402, PaymentRequired),
        (403, Blocked),
        (429, RateLimited),
        (500, UpstreamFailed),
    ],
)
async def test_a_refusal_is_told_in_our_words(source, offer, upstream, status, error):
    upstream.says({"detail": "no"}, status=status, retry_after="7")
    with pytest.raises(error) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize("trouble", [CUT, SILENT])
async def test_no_answer_is_network_trouble(source, offer, upstream, trouble):
    source.seconds = 0.1
    upstream.says(trouble)
    with pytest.raises(Network) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize("told", [(b"", 401), (b"", 500), ({"error": f"bad key {KEY}"}, 200), (CUT, 0), ("x", 200)])
async def test_the_key_is_never_told(source, offer, upstream, told, caplog):
    caplog.set_level(logging.DEBUG)
    upstream.says(*told)
    with pytest.raises(ToolError) as failure:
        await asked(source, offer)
    assert KEY not in f"{failure.value!r}{failure.value.text()}{failure.value.__cause__!r}{caplog.text}"


JUNK = st.sampled_from([None, True, 5, -1, 2**70, 1.5, "", "<b>", "\ud800", "https://[::1", [], {}, [1], {"a": {}}])


def _places(node, path=()):
    yield path
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in inner:
        yield from _places(value, (*path, name))


def _mutated(body, data):
    body = copy.deepcopy(body)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(_places(body))))
        junk = copy.deepcopy(data.draw(JUNK))
        if not path:
            return junk
        node = body
        for step in path[:-1]:
            node = node[step]
        if isinstance(node, dict) and data.draw(st.booleans()):
            del node[path[-1]]
        else:
            node[path[-1]] = junk
    return body


@given(data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.parametrize("offer", OFFERS, ids="-".join)
async def test_no_answer_however_broken_raises_anything_but_a_tool_error(offer, data):
    body = json.dumps(_mutated(SAMPLES[offer], data)).encode()  # drawn before anything is opened
    upstream, http = await Upstream().start(), Http(pause=0)
    upstream.says(body)
    try:
        for found in await built(offer[0], http, upstream.url).ask(offer[1], QUESTIONS[offer[1]]):
            json.dumps(found.model_dump(mode="json"), allow_nan=False).encode()
    except ToolError as failure:
        assert not isinstance(failure, InvalidInput)  # either way is right, but not this one
    finally:
        await http.close()
        await upstream.close()


async def test_exa_is_asked_for_an_answer(http, upstream):
    upstream.says(SAMPLES["exa", "answer"])
    [answer] = await built("exa", http, upstream.url).ask("answer", QUESTIONS["answer"])
    assert (upstream.asked[0].path, upstream.asked[0].json()) == ("/answer", {"query": "Do cats purr?"})
    assert answer.citations[0].published_date == "2026-07-01T00:00:00Z"


async def test_tavily_is_asked_for_an_answer(http, upstream):
    upstream.says(SAMPLES["tavily", "answer"])
    [answer] = await built("tavily", http, upstream.url).ask("answer", QUESTIONS["answer"])
    assert upstream.asked[0].path == "/search"
    assert upstream.asked[0].json() == {
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
    [item] = await built("exa", http, upstream.url).ask("structured", question)
    assert upstream.asked[0].path == "/search"
    assert upstream.asked[0].json() == {
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
    [item] = await built("exa", http, upstream.url).ask("structured", QUESTIONS["structured"])
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
        built("exa", http, "http://x").vet("structured", StructuredQuery(query="cats", schema=schema))
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
    built("exa", http, "http://x").vet("structured", StructuredQuery(query="cats", schema=schema, category="People"))


def test_an_unknown_category_is_answered_with_those_there_are(http):
    with pytest.raises(InvalidInput, match="company, people, research paper") as failure:
        built("exa", http, "http://x").vet("structured", StructuredQuery(query="cats", category="cats"))
    assert failure.value.field == "category"


def test_tavily_is_not_paid_for_half_a_question(http):
    with pytest.raises(InvalidInput, match="400"):
        built("tavily", http, "http://x").vet("answer", Question(query="x" * 401))
