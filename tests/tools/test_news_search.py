"""Searching the news, by the path that every caller takes."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.sessions import recording

RESULTS = [
    {"title": "Old", "url": "https://www.reuters.com/old", "content": "a", "publishedDate": "2026-01-01T00:00:00"},
    {"title": "Undated", "url": "https://river.example/undated", "content": "b"},
    {"title": "New", "url": "https://news.reuters.com/new", "content": "c", "publishedDate": "2026-02-01T00:00:00Z"},
    {"title": "Talk", "url": "https://www.reddit.com/r/otters/comments/x", "content": "d"},
    {"title": "Fake", "url": "https://reuters.com.evil.example/", "content": "e"},
]


@pytest.fixture
def serve_results(site):
    def says(results=RESULTS, status=200):
        site.says("/searxng/search", json.dumps({"results": results}), status, "application/json")

    says()
    return says


def sent_queries(site):
    return [{name: value[0] for name, value in parse_qs(urlsplit(one.path).query).items()} for one in site.requests]


async def test_the_answer_has_its_shape(ask, serve_results, site):
    reply = await ask("news_search", query="otters", num_results=1)
    assert reply.error is None
    assert set(reply.wire) == {"articles", "query", "resultCount", "trust"}
    article = reply.wire["articles"][0]
    assert article.pop("sourceReputation")["tier"] == "high"
    assert article == {
        "title": "Old",
        "url": "https://www.reuters.com/old",
        "source": "reuters.com",
        "publishedAt": "2026-01-01T00:00:00Z",
        "snippet": "a",
        "sourceType": "news_publication",
    }
    [sent] = sent_queries(site)
    assert (sent["categories"], sent["time_range"]) == ("news", "week")
    assert "safesearch" not in sent
    assert "1. Old (reuters.com, 2026-01-01 00:00)" in reply.text


async def test_what_people_talk_is_distinguished_from_what_papers_write(ask, serve_results):
    articles = {one["title"]: one for one in (await ask("news_search", query="otters")).wire["articles"]}
    assert articles["Talk"]["isSocialMedia"] is True
    assert "isSocialMedia" not in articles["Old"]
    assert "sourceType" not in articles["Undated"]


async def test_an_outlet_is_asked_for_and_every_result_is_checked(ask, serve_results, site):
    reply = await ask("news_search", query="otters", news_source="https://www.Reuters.com/")
    assert [article["title"] for article in reply.wire["articles"]] == ["Old", "New"]
    assert reply.wire["warnings"] == ["3 result(s) that are not from reuters.com were left out."]
    assert sent_queries(site)[0]["q"] == "otters site:reuters.com"


async def test_newest_first_is_done_here_where_the_provider_cannot(ask, serve_results):
    reply = await ask("news_search", query="otters", sort_by="date")
    assert [article["title"] for article in reply.wire["articles"]][:2] == ["New", "Old"]
    assert reply.wire["warnings"] == [
        "searxng cannot sort by date; its most relevant results were sorted by date afterwards."
    ]


async def test_an_hour_becomes_a_day_with_a_notice(ask, serve_results, site):
    reply = await ask("news_search", query="otters", time_range="hour")
    assert sent_queries(site)[0]["time_range"] == "day"
    assert any("shorter than a day" in warning for warning in reply.wire["warnings"])


async def test_safe_goes_by_the_names_of_news(ask, serve_results, site):
    await ask("news_search", query="otters", safe="strict")
    assert sent_queries(site)[0]["safesearch"] == "2"
    assert (await ask("news_search", query="otters", safe="high")).error.field == "safe"


async def test_one_question_is_one_request_and_the_session_sees_it_twice(
    ask, serve_results, site, services, new_session
):
    for session in (await new_session(), await new_session()):
        reply = await ask("news_search", query="otters", sessionId=session)
        seen = await recording.list_sources(services.table, "local", "local", session)
        assert {source["url"] for source in seen} == {result["url"] for result in RESULTS}
    assert reply.meta["cached"] is True
    assert reply.meta["maxAgeSeconds"] == 900
    assert len(site.requests) == 1


async def test_nothing_found_names_the_window_first(ask, serve_results, site):
    serve_results([])
    for _ in range(2):
        reply = await ask("news_search", query="otters", news_source="reuters.com")
    hints = reply.wire["hints"]
    assert hints["filtersApplied"] == {"freshness": "week", "news_source": "reuters.com"}
    assert hints["suggestedActions"][0]["parameter"] == "time_range"
    assert hints["suggestedActions"][0]["value"] == "year"
    assert hints["suggestedActions"][-1] == {
        "action": "try_different_provider",
        "parameter": "provider",
        "value": "github",
    }
    assert len(site.requests) == 2
    reply = await ask("news_search", query="otters", time_range="year")
    assert all(action["parameter"] != "time_range" for action in reply.wire["hints"]["suggestedActions"])


@pytest.mark.parametrize("source", ["Reuters", "a b", "http://", "u:p@x.example", "reuters.com OR site:x.example"])
async def test_an_outlet_that_is_not_a_domain_is_refused(ask, serve_results, site, source):
    reply = await ask("news_search", query="otters", news_source=source)
    assert (reply.error.kind, reply.error.field) == ("validation", "news_source")
    assert site.requests == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"num_results": 51}, "num_results"),
        ({"time_range": "decade"}, "time_range"),
        ({"sort_by": "newest"}, "sort_by"),
        ({"language": "english"}, "language"),
        ({"source": "reuters.com"}, "news_source"),
    ],
)
async def test_a_wrong_argument_is_named(ask, serve_results, site, wrong, said):
    reply = await ask("news_search", query="otters", **wrong)
    assert reply.error.kind == "validation"
    assert said in reply.error.sentence()
    assert site.requests == []


async def test_what_is_blank_is_unset(ask, serve_results, site):
    blank = dict.fromkeys(["time_range", "news_source", "country", "language", "safe", "provider"], "")
    assert (await ask("news_search", query="otters", **blank)).error is None
    assert sent_queries(site)[0]["time_range"] == "week"


async def test_an_outage_is_not_an_empty_answer(ask, serve_results):
    serve_results([], status=500)
    reply = await ask("news_search", query="otters")
    assert reply.error.kind == "upstream_unavailable"
    assert "github" in reply.error.alternatives
