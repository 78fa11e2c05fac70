"""An outage of the first provider is never silence: whoever asks is answered by the second, and soon."""

import asyncio
import time

import pytest
import pytest_asyncio
from tests.support.upstream import CUT, HALF, SILENT, Upstream

from assay.errors import ConfigError, DependencyUnavailable, RateLimited
from assay.invoke import invoke
from assay.local.cipher import Cipher
from assay.local.sqlite_table import SqliteTable
from assay.models.common import WebQuery
from assay.models.search_queries import ImageQuery, NewsQuery
from assay.search.circuit_breakers import Breakers
from assay.search.router import Router
from assay.settings import Settings

FOUND = {"results": [{"title": "T", "url": "https://t.example/", "content": "s", "img_src": "https://i.example/"}]}
NULLS = {"type": "search", "web": {"results": [{"title": None, "url": None, "description": None}] * 3}}
WAYS = {
    "refused": None,
    "hangs": (SILENT, 200),
    "cut": (CUT, 200),
    "half": (HALF, 200),
    "429": ({}, 429),
    "500": ({}, 500),
    "200 with an error": ({"error": "internal"}, 200),
    "html": ("<html><title>Just a moment</title></html>", 200),
    "nulls": (NULLS, 200),
    "null": ("null", 200),
    "empty": ({"type": "search", "web": {"results": []}}, 200),
    "nothing": ("", 200),
}


@pytest_asyncio.fixture
async def table(tmp_path):
    table = SqliteTable(tmp_path / "rows", Cipher.of(Settings(home=tmp_path)))
    yield table
    await table.close()


@pytest_asyncio.fixture
async def brave():
    upstream = await Upstream().start()
    yield upstream
    await upstream.close()


@pytest.fixture
def router(brave, upstream, http, table):
    upstream.says(FOUND)

    def make_router(**environ):
        keys = {"BRAVE_API_KEY": "k", "BRAVE_BASE_URL": brave.url, "SEARXNG_URL": upstream.url}
        return Router(Settings.read({name: v for name, v in (keys | environ).items() if v}), http, table)

    return make_router


async def ask_fifty(router):
    """What fifty who ask at once find."""
    return await asyncio.gather(*(router.web(WebQuery(query=f"cats {number}")) for number in range(50)))


@pytest.mark.parametrize("way", WAYS)
async def test_fifty_callers_get_fifty_answers_however_the_first_is_down(router, brave, way, closed_port):
    asking = router()
    if WAYS[way] is None:
        asking.source("brave").base_url = f"http://127.0.0.1:{closed_port}"
    else:
        body, status = WAYS[way]
        brave.says(body, status)
    if way == "hangs":
        asking.source("brave").seconds = 0.4
    for _ in range(2):  # the breaker opens in the first round, where there is a fault that opens it
        before = len(brave.requests)
        results = await ask_fifty(asking)
        assert [one.provider for one in results] == ["searxng"] * 50
        assert all(one.hits and one.fallback for one in results)
    is_open = bool((await asking.breakers.read("brave")).open_until)
    assert is_open == (way != "empty")
    assert len(brave.requests) - before == (0 if is_open else 50)


async def test_ten_equal_questions_at_once_are_one_request(services, site):
    from assay.caller import Caller
    from assay.context import Context

    for tool, path in [("web_search", "general"), ("news_search", "news"), ("image_search", "images")]:
        site.requests.clear()
        body = '{"results": [{"title": "T", "url": "https://t.example/", "img_src": "https://i.example/"}]}'
        site.says("/searxng/search", body, kind="application/json", before=lambda: time.sleep(0.05))
        asking = (invoke(tool, {"query": "otters"}, Context(services, Caller())) for _ in range(10))
        replies = await asyncio.gather(*asking)
        assert {reply.wire.get("resultCount") for reply in replies} == {1}
        assert len(site.requests) == 1
        assert f"categories={path}" in site.requests[0].path


# Hedging


async def test_nobody_is_asked_early_unless_that_is_wanted(router, brave, upstream):
    brave.says(SILENT)
    asking = router()
    asking.source("brave").seconds = 0.4
    result = await asking.web(WebQuery(query="cats"))
    assert (result.provider, result.fallback_reason) == ("searxng", "primary_unavailable")
    assert result.latency_ms >= 400


async def test_with_a_hedge_a_slow_first_is_not_waited_for(router, brave, upstream):
    brave.says(SILENT)
    result = await router(SEARCH_HEDGE_MS="30").web(WebQuery(query="cats"))
    assert (result.provider, result.fallback_reason) == ("searxng", "primary_slow")
    assert result.attempted == ["brave", "searxng"]
    assert result.latency_ms < 5_000


async def test_with_a_hedge_a_quick_first_is_asked_alone(router, brave, upstream):
    brave.says({"web": {"results": [{"title": "T", "url": "https://b.example/"}]}})
    result = await router(SEARCH_HEDGE_MS="300").web(WebQuery(query="cats"))
    assert (result.provider, result.attempted, upstream.requests) == ("brave", ["brave"], [])


# Thin answers


async def test_a_thin_answer_is_asked_for_again_without_small_words(router, upstream):
    upstream.then({"results": []})
    result = await router().web(WebQuery(query="What is the diet of otters?"), provider="searxng")
    assert [request.query["q"] for request in upstream.requests] == ["What is the diet of otters?", "diet otters"]
    assert len(result.hits) == 1
    assert result.warnings == ["searxng returned few results; the query was retried without stop words: diet otters"]


@pytest.mark.parametrize(
    ("ask", "environ"),
    [
        (WebQuery(query="otters kelp"), {}),
        (WebQuery(query='the "diet of otters"'), {}),
        (WebQuery(query="the diet -otters"), {}),
        (WebQuery(query="the diet of otters", num_results=1), {}),
        (WebQuery(query="the diet of otters"), {"SEARCH_THIN_THRESHOLD": "0"}),
        (WebQuery(query="what is it"), {}),
    ],
)
async def test_a_question_with_no_words_to_spare_is_asked_once(router, upstream, ask, environ):
    await router(**environ).web(ask, provider="searxng")
    assert len(upstream.requests) == 1


async def test_the_longer_list_is_kept_and_a_failure_of_the_second_is_reported(router, upstream):
    upstream.then(FOUND)
    upstream.says({"results": []})
    result = await router().news(NewsQuery(query="the diet of otters"), provider="searxng")
    assert (len(result.hits), result.warnings) == (1, [])
    upstream.then(FOUND)
    upstream.says({}, status=500)
    result = await router().images(ImageQuery(query="the diet of otters"), provider="searxng")
    assert len(result.hits) == 1
    assert result.warnings == ["searxng returned few results, and the retry failed (upstream_unavailable)."]


# The operator's order


async def test_who_stands_in_the_order_in_vain_is_reported(router, upstream):
    asking = router(SEARCH_ROUTING="serper,searxng")
    result = await asking.web(WebQuery(query="cats"))
    assert result.provider == "searxng"
    assert result.warnings == ["SEARCH_ROUTING lists serper, which is not configured (SERPER_API_KEY); skipped."]
    asking = router(SEARCH_ROUTING='{"images": "duckduckgo,searxng", "default": "brave"}')
    result = await asking.images(ImageQuery(query="cats"))
    assert result.warnings == ["SEARCH_ROUTING lists duckduckgo, which does not support images; skipped."]


@pytest.mark.parametrize(
    ("routing", "operation", "names"),
    [
        ("searxng,brave", "web", ["searxng", "brave"]),
        ("searxng,brave", "images", ["searxng", "brave"]),
        ("searxng,brave", "local", ["brave"]),
        ("searxng", "local", ["brave"]),
        ('{"news": "searxng", "default": "brave"}', "news", ["searxng"]),
        ('{"news": "searxng", "default": "brave"}', "images", ["brave"]),
        ('{"news": "searxng"}', "web", ["brave", "searxng"]),
        ("", "news", ["brave", "searxng"]),
    ],
)
def test_each_operation_has_its_own_order(router, routing, operation, names):
    assert router(SEARCH_ROUTING=routing).order(operation) == names


@pytest.mark.parametrize(
    ("environ", "operation", "provider", "alternatives"),
    [
        ({"SEARCH_PROVIDER": "duckduckgo"}, "images", None, ("brave", "searxng")),
        ({"SEARCH_ROUTING": "duckduckgo"}, "images", None, ("brave", "searxng")),
        ({}, "images", "hackernews", ("brave", "searxng")),
        ({}, "news", "bluesky", ("brave", "github", "hackernews", "reddit", "searxng")),
        ({}, "local", "google", ("brave",)),
        ({"BRAVE_API_KEY": ""}, "local", "google", ("brave",)),
    ],
)
async def test_who_cannot_do_it_is_refused_with_those_who_can(router, environ, operation, provider, alternatives):
    with pytest.raises(ConfigError) as failure:
        router(**environ).order(operation, provider)
    assert failure.value.suggested_action == "try_different_provider"
    assert failure.value.alternatives == alternatives


async def test_who_was_chosen_by_the_operator_needs_no_excuse(router, upstream):
    upstream.says({"hits": [{"objectID": "1", "title": "T", "url": "https://t.example/"}]})
    asking = router(BRAVE_API_KEY="", SEARXNG_URL="", HACKERNEWS_BASE_URL=upstream.url, SEARCH_PROVIDER="hackernews")
    assert (await asking.news(NewsQuery(query="cats"))).warnings == []


async def test_an_input_is_named_where_it_cannot_be_honoured_even_if_it_is_what_nobody_need_say(router, upstream):
    upstream.says({"hits": [{"objectID": "1", "title": "T", "url": "https://t.example/"}]})
    asking = router(HACKERNEWS_BASE_URL=upstream.url)
    query = WebQuery(query="cats", safe="medium")
    assert (await asking.web(query, provider="hackernews")).warnings == ["hackernews does not support safe; ignored."]
    query = NewsQuery(query="cats", sort_by="relevance", time_range="week")
    assert (await asking.news(query, provider="hackernews")).warnings == []


async def test_without_any_key_news_is_asked_of_hacker_news_with_a_notice(router, upstream):
    upstream.says({"hits": [{"objectID": "1", "title": "T", "url": "https://t.example/"}]})
    asking = router(BRAVE_API_KEY="", SEARXNG_URL="", HACKERNEWS_BASE_URL=upstream.url)
    result = await asking.news(NewsQuery(query="cats"))
    assert result.provider == "hackernews"
    assert result.warnings == ["No news provider is configured; hackernews was used, which covers technology only."]


class UnreadableTable:
    """A table that cannot be read once `fails` is set."""

    def __init__(self, table):
        self._table, self.fails = table, False

    def __getattr__(self, name):
        return getattr(self._table, name)

    async def get(self, *arguments, **options):
        if self.fails:
            raise DependencyUnavailable("dynamodb is busy (ThrottlingException).", provider="dynamodb")
        return await self._table.get(*arguments, **options)


async def test_while_the_table_cannot_be_read_the_last_known_state_of_a_breaker_holds(services, clock):
    table = UnreadableTable(services.table)
    breakers = Breakers(table, services.settings, clock)
    await breakers.record_failure("brave", RateLimited("slow down", retry_after=60), trial=False)
    table.fails = True
    clock.forward(2)
    assert (await breakers.read("brave")).state(clock()) == "open"
    assert (await breakers.read("tavily")).state(clock()) == "closed"
    assert (await breakers.admit("tavily"))[0] is None
