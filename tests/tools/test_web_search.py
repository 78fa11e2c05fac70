"""Searching the web, by the path that every caller takes."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.caller import Caller
from assay.sessions import recording
from assay.settings import Settings

RESULTS = [
    {
        "title": f"Page {n}",
        "url": f"https://p{n}.example/a/longer/path-of-a-page",
        "content": f"Snippet {n}: vaccines do not cause autism, as {n + 2} studies of children show. " * 2,
    }
    for n in range(10)
]


@pytest.fixture
def serve_results(site):
    def says(results=RESULTS, status=200, **more):
        site.says("/searxng/search", json.dumps({"results": results} | more), status, "application/json")

    says()
    return says


def sent_queries(site):
    return [parse_qs(urlsplit(one.path).query) for one in site.requests]


async def test_the_answer_has_its_shape(ask, serve_results):
    reply = await ask("web_search", query="cats", num_results=2)
    assert reply.error is None
    assert set(reply.wire) == {"query", "urls", "resultCount", "results", "trust"}
    assert reply.wire["urls"] == [result["url"] for result in RESULTS[:2]]
    assert reply.wire["resultCount"] == 2
    assert reply.wire["trust"] == "untrusted-external-content"
    assert reply.wire["results"][0]["displayLink"] == "p0.example"
    assert reply.meta["cached"] is False
    assert "routing" not in reply.meta


async def test_that_several_providers_could_be_asked_is_reported_of_a_kept_answer_too(
    ask, services, site, serve_results
):
    routing = {"SEARCH_ROUTING": "searxng,duckduckgo", "DUCKDUCKGO_BASE_URL": site.url + "/ddg"}
    services.settings = Settings.read({**services.settings.environ, **routing})
    fresh, stored = await ask("web_search", query="otters"), await ask("web_search", query="otters")
    assert (fresh.meta["cached"], stored.meta["cached"]) == (False, True)
    assert fresh.meta["routing"]["provider_used"] == "searxng"
    assert stored.meta["routing"] == {"cache_hit": True, "latency_ms": stored.meta["routing"]["latency_ms"]}
    assert len(site.requests) == 1


async def test_one_question_is_one_request_and_then_none(ask, serve_results, site, services, new_session):
    sessions = [await new_session(), await new_session()]
    for session in sessions:
        reply = await ask("web_search", query="cats", sessionId=session)
    assert reply.meta["cached"] is True
    assert len(site.requests) == 1
    for session in sessions:
        seen = await recording.list_sources(services.table, "local", "local", session)
        assert {source["url"] for source in seen} == {result["url"] for result in RESULTS[:5]}
        assert {source["relevance"] for source in seen} == {"search"}


@pytest.mark.parametrize(
    "change",
    [
        {"num_results": 6},
        {"time_range": "day"},
        {"safe": "off"},
        {"language": "de"},
        {"site": "p1.example"},
        {"exact_terms": "x"},
        {"exclude_terms": "x"},
        {"country": "DE"},
        {"lens": "legal"},
        {"provider": "searxng"},
        {"claim": "x"},
    ],
)
async def test_another_question_is_another_answer(ask, serve_results, site, change):
    await ask("web_search", query="cats")
    before = len(site.requests)
    await ask("web_search", query="cats", **change)
    assert len(site.requests) > before


async def test_tenants_do_not_share_answers(ask, serve_results, site):
    for tenant in ("a", "b"):
        await ask("web_search", Caller(tenant=tenant), query="cats")
    assert len(site.requests) == 2


async def test_ten_results_read_in_under_three_kilobytes_and_a_half(ask, serve_results):
    reply = await ask("web_search", query="cats", num_results=10)
    assert reply.text.startswith(
        "10 results for: cats\n1. Page 0\n   https://p0.example/a/longer/path-of-a-page\n   Snippet 0"
    )
    assert reply.text.endswith("trust: untrusted-external-content")
    assert len(reply.text.encode()) < 3_500


async def test_nothing_found_says_why_and_how_to_go_on_and_is_not_kept(ask, serve_results, site):
    serve_results([])
    for _ in range(2):
        reply = await ask("web_search", query="cats", time_range="day", exact_terms="no such phrase")
    hints = reply.wire["hints"]
    assert reply.wire["urls"] == []
    assert hints["reason"] == "filters_too_restrictive"
    assert hints["filtersApplied"] == {"time_range": "day", "exact_terms": "no such phrase"}
    assert hints["providersAttempted"] == ["searxng"]
    assert [action["action"] for action in hints["suggestedActions"]] == [
        "remove_filter",
        "remove_filter",
        "try_different_provider",
    ]
    assert hints["suggestedActions"][2]["value"] == "duckduckgo"
    assert hints["epistemicWarning"]
    assert "does not mean" in reply.text
    assert len(site.requests) == 2
    serve_results()
    assert (await ask("web_search", query="cats", time_range="day", exact_terms="no such phrase")).wire[
        "resultCount"
    ] == 5


async def test_without_filters_there_is_simply_no_match(ask, serve_results):
    serve_results([])
    assert (await ask("web_search", query="cats")).wire["hints"]["reason"] == "no_match"


async def test_an_outage_is_not_an_empty_answer(ask, serve_results):
    serve_results([], unresponsive_engines=[["google", "timeout"]])
    reply = await ask("web_search", query="cats")
    assert reply.error.kind == "upstream_unavailable"
    assert reply.error.provider == "searxng"


async def test_a_claim_marks_every_result(ask, serve_results):
    serve_results([*RESULTS[:2], {"title": "Weather", "url": "https://w.example/", "content": "It rains."}])
    reply = await ask("web_search", query="cats", claim="Vaccines cause autism")
    signals = [result["claimSignal"] for result in reply.wire["results"]]
    assert "vaccines do not cause autism" in signals[0]
    assert signals[2] == ""
    assert "claimSignal" not in (await ask("web_search", query="cats")).wire["results"][0]


async def test_a_host_that_is_known_comes_with_its_reputation(ask, serve_results):
    serve_results([{"title": "Health", "url": "https://www.who.int/health", "content": ""}, RESULTS[0]])
    known, unknown = (await ask("web_search", query="cats")).wire["results"]
    assert known["sourceReputation"]["tier"] == "high"
    assert "sourceReputation" not in unknown


async def test_a_lens_reaches_the_engine_and_the_results(ask, serve_results, site):
    serve_results([{"title": "Law", "url": "https://www.law.cornell.edu/uscode", "content": ""}, RESULTS[0]])
    reply = await ask("web_search", query="cats", lens="legal")
    assert reply.wire["urls"] == ["https://www.law.cornell.edu/uscode"]
    assert any("outside the lens legal" in warning for warning in reply.wire["warnings"])
    assert "site:law.cornell.edu" in "".join(query["q"][0] for query in sent_queries(site))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"query": ""}, "query"),
        ({}, "query"),
        ({"query": "x" * 501}, "query"),
        ({"query": "x", "num_results": 0}, "num_results"),
        ({"query": "x", "num_results": 11}, "num_results"),
        ({"query": "x", "time_range": "hour"}, "time_range"),
        ({"query": "x", "safe": "maybe"}, "safe"),
        ({"query": "x", "language": "english"}, "language"),
        ({"query": "x", "country": "usa"}, "country"),
        ({"query": "x", "site": "a.example", "lens": "legal"}, "site and lens"),
        ({"query": "x", "lens": "magic"}, "lens"),
        ({"query": "x", "claim": "x" * 2001}, "claim"),
        ({"query": "x", "max_results": 3}, "num_results"),
    ],
)
async def test_a_wrong_argument_is_the_callers_fault_and_named(ask, serve_results, site, wrong, said):
    reply = await ask("web_search", **wrong)
    assert reply.error.kind == "validation"
    assert said in reply.error.sentence()
    assert site.requests == []


async def test_what_is_blank_is_unset(ask, serve_results):
    blank = dict.fromkeys(["time_range", "language", "site", "exact_terms", "exclude_terms", "country", "lens"], "")
    assert (await ask("web_search", query="cats", **blank, provider=None, claim="")).error is None
    assert (await ask("web_search", query="cats", **dict.fromkeys(blank))).error is None


async def test_an_unknown_provider_lists_those_there_are(ask, serve_results):
    reply = await ask("web_search", query="cats", provider="altavista")
    assert reply.error.kind == "config"
    assert "duckduckgo" in reply.error.alternatives


async def test_a_provider_without_key_names_the_variable(ask, serve_results):
    reply = await ask("web_search", query="cats", provider="brave")
    assert reply.error.suggested_action == "check_api_key"
    assert "BRAVE_API_KEY" in reply.error.sentence()
