"""One written answer with its sources, by the path that every caller takes."""

import json

import pytest

from assay.sessions import recording
from assay.settings import Settings

CITED = {"title": "Purring", "url": "https://cats.example/purr", "publishedDate": "2026-07-01T00:00:00.000Z"}
SAID = {"answer": "Cats purr when they are content.", "citations": [CITED], "costDollars": {"total": 0.005}}
QUESTION = "Why do cats purr?"


@pytest.fixture
def with_keys(services, site):
    """Services with keys of these providers, which answer at `site`."""

    def set_keys(*names, **more):
        keys = {f"{name.upper()}_API_KEY": "k" for name in names}
        bases = {f"{name.upper()}_BASE_URL": f"{site.url}/{name}" for name in ("exa", "tavily", "brave")}
        services.settings = Settings.read(dict(services.settings.environ) | keys | bases | more)
        site.says("/exa/answer", json.dumps(SAID), kind="application/json")
        tavily = {"answer": SAID["answer"], "results": [{"title": "T", "url": "https://t.example/", "content": ""}]}
        site.says("/tavily/search", json.dumps(tavily), kind="application/json")

    return set_keys


async def test_the_answer_has_its_shape(ask, with_keys):
    with_keys("exa")
    reply = await ask("answer", query=QUESTION)
    assert reply.wire == {
        "answer": "Cats purr when they are content.",
        "citations": [
            {"title": "Purring", "url": "https://cats.example/purr", "publishedDate": "2026-07-01T00:00:00Z"}
        ],
        "provider": "exa",
        "costUsd": 0.005,
        "trust": "untrusted-external-content",
    }
    assert reply.text.startswith(
        "Cats purr when they are content.\n\n1. Purring (2026-07-01)\n   https://cats.example/purr"
    )
    assert reply.text.endswith("provider: exa · cost: $0.005 · trust: untrusted-external-content")


async def test_a_question_is_paid_once_an_hour(ask, with_keys, site, clock, services, new_session):
    with_keys("exa")
    for session in (await new_session(), await new_session()):
        reply = await ask("answer", query=QUESTION, sessionId=session)
        seen = await recording.list_sources(services.table, "local", "local", session)
        assert [(one["url"], one["relevance"]) for one in seen] == [("https://cats.example/purr", "cited")]
    assert reply.meta["cached"] is True
    assert len(site.requests) == 1
    clock.forward(3_601)
    await ask("answer", query=QUESTION)
    assert len(site.requests) == 2


async def test_the_only_provider_with_a_key_is_asked(ask, with_keys):
    with_keys("tavily", "brave", SEARCH_PROVIDER="brave")
    reply = await ask("answer", query=QUESTION)
    assert (reply.wire["provider"], reply.wire["costUsd"]) == ("tavily", 0.008)
    assert reply.wire["citations"] == [{"title": "T", "url": "https://t.example/"}]


async def test_with_two_keys_the_caller_chooses(ask, with_keys, site):
    with_keys("exa", "tavily")
    refused = (await ask("answer", query=QUESTION)).error
    assert (refused.kind, refused.field, refused.alternatives) == ("config", "provider", ("exa", "tavily"))
    assert site.requests == []
    for name in ("exa", "tavily"):
        assert (await ask("answer", query=QUESTION, provider=name)).wire["provider"] == name


async def test_the_operators_order_is_a_choice_too(ask, with_keys):
    with_keys("exa", "tavily", SEARCH_ROUTING='{"answer": "tavily,exa"}')
    assert (await ask("answer", query=QUESTION)).wire["provider"] == "tavily"


async def test_without_a_key_it_says_whose_would_do(ask, with_keys):
    with_keys()
    refused = (await ask("answer", query=QUESTION)).error
    assert (refused.kind, refused.suggested_action) == ("config", "check_api_key")
    assert refused.alternatives == ("exa", "tavily")
    assert "EXA_API_KEY or TAVILY_API_KEY" in refused.sentence()


@pytest.mark.parametrize("name", ["brave", "altavista", "tavily"])
async def test_a_provider_that_cannot_answer_is_refused(ask, with_keys, name):
    with_keys("exa", "brave")
    refused = (await ask("answer", query=QUESTION, provider=name)).error
    assert (refused.kind, refused.field) == ("config", "provider")
    assert "exa" in refused.alternatives


async def test_an_answer_to_something_else_is_marked(ask, with_keys, site):
    with_keys("exa")
    site.says("/exa/answer", json.dumps(SAID | {"answer": "It rains in Tucson."}), kind="application/json")
    hints = (await ask("answer", query=QUESTION)).wire["hints"]
    assert hints["confidence"] == "low"
    assert hints["reason"] == "weak_query_result_overlap"
    assert (hints["termsMatched"], hints["termsTotal"]) == (0, 2)


async def test_no_answer_is_reported_and_not_kept(ask, with_keys, site):
    with_keys("exa")
    site.says("/exa/answer", json.dumps({"answer": "", "citations": []}), kind="application/json")
    for _ in range(2):
        reply = await ask("answer", query=QUESTION)
        assert reply.wire["hints"]["reason"] == "no_answer"
    assert len(site.requests) == 2


async def test_an_outage_is_an_error(ask, with_keys, site):
    with_keys("exa")
    site.says("/exa/answer", "no", 500)
    refused = (await ask("answer", query=QUESTION)).error
    assert (refused.kind, refused.provider) == ("upstream_unavailable", "exa")


async def test_half_a_question_is_never_paid(ask, with_keys, site):
    with_keys("tavily")
    refused = (await ask("answer", query="x" * 401)).error
    assert (refused.kind, refused.field) == ("validation", "query")
    assert site.requests == []


@pytest.mark.parametrize("wrong", [{}, {"query": ""}, {"query": "x" * 2001}, {"query": "x", "model": "y"}])
async def test_a_wrong_argument_is_the_callers_fault(ask, with_keys, site, wrong):
    with_keys("exa")
    assert (await ask("answer", **wrong)).error.kind == "validation"
    assert site.requests == []
