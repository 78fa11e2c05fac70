"""Whom a question reaches: in order, past those that fail or rest, and never to one nobody configured."""

import asyncio
import logging
from collections import Counter

import pytest
import pytest_asyncio
from tests.support.upstream import CUT, HALF, SILENT, Upstream

from assay.errors import (
    AuthRequired,
    Blocked,
    ConfigError,
    InvalidInput,
    Network,
    PaymentRequired,
    RateLimited,
    UpstreamFailed,
)
from assay.local.cipher import Cipher
from assay.local.sqlite_table import SqliteTable
from assay.models.common import WebQuery
from assay.models.search_queries import NewsQuery
from assay.net.provider_client import ProviderClient
from assay.search.circuit_breakers import TRIAL_SECONDS
from assay.search.provider_order import PREFERRED
from assay.search.router import Router
from assay.settings import Settings

KEY = "sooo-secret-123"
CATS = WebQuery(query="cats")


def brave_says(*pages):
    return {"web": {"results": [{"title": "Brave's", "url": page, "description": "s"} for page in pages]}}


def searxng_says(*pages):
    return {"results": [{"title": "SearXNG's", "url": page, "content": "s"} for page in pages]}


class Clock:
    def __init__(self):
        self.now = 1_785_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest_asyncio.fixture
async def brave():
    upstream = await Upstream().start()
    upstream.says(brave_says("https://b.example/"))
    yield upstream
    await upstream.close()


@pytest_asyncio.fixture
async def searxng(upstream):
    upstream.says(searxng_says("https://s.example/"))
    return upstream


@pytest_asyncio.fixture
async def table(tmp_path, clock):
    table = SqliteTable(tmp_path / "rows", Cipher.of(Settings(home=tmp_path)), clock=clock)
    yield table
    await table.close()


@pytest.fixture
def environ(brave, searxng):
    return {"BRAVE_API_KEY": KEY, "BRAVE_BASE_URL": brave.url, "SEARXNG_URL": searxng.url}


@pytest.fixture
def router(environ, http, table, clock):
    def make_router(http=http, **more):
        return Router(Settings.read(environ | more), http, table, clock=clock)

    return make_router


async def test_the_first_that_is_configured_answers_and_nobody_else_is_asked(router, brave, searxng):
    result = await router().web(CATS)
    assert (result.provider, result.attempted, result.fallback) == ("brave", ["brave"], False)
    assert searxng.requests == []
    assert result.routing()["provider_used"] == "brave"


async def test_with_one_provider_there_is_nothing_to_tell_of_a_route(router):
    result = await router().web(CATS, provider="searxng")
    assert result.provider == "searxng"
    assert result.routing() is None


async def test_without_any_key_duckduckgo_is_asked(http, table, clock, upstream):
    upstream.says(
        '<div id="links"><div class="result"><a class="result__a" href="https://d.example/">D</a></div></div>'
    )
    router = Router(Settings.read({"DUCKDUCKGO_BASE_URL": upstream.url}), http, table, clock=clock)
    assert (await router.web(CATS)).provider == "duckduckgo"


async def test_search_provider_is_asked_alone(router, brave, searxng):
    searxng.says({}, status=500)
    with pytest.raises(UpstreamFailed) as failure:
        await router(SEARCH_PROVIDER="searxng").web(CATS)
    assert failure.value.provider == "searxng"
    assert "brave" in failure.value.alternatives
    assert brave.requests == []


async def test_search_routing_gives_the_order(router):
    assert (await router(SEARCH_ROUTING="searxng,brave").web(CATS)).provider == "searxng"
    assert (await router(SEARCH_ROUTING='{"web": "searxng", "default": "brave"}').web(CATS)).attempted == ["searxng"]
    assert (await router(SEARCH_ROUTING='{"default": "brave"}').web(CATS)).provider == "brave"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (CUT, 0),
        (HALF, 0),
        ("<html>", 200),
        ({"error": "invalid key"}, 200),
        *[({}, status) for status in (301, 400, 401, 402, 403, 404, 422, 429, 500, 503)],
    ],
)
async def test_when_the_first_fails_in_whatever_way_the_second_answers(router, brave, body, status):
    brave.says(body, status=status)
    result = await router().web(CATS)
    assert (result.provider, result.fallback, result.fallback_reason) == ("searxng", True, "primary_unavailable")
    assert result.attempted == ["brave", "searxng"]
    assert any("brave" in warning for warning in result.warnings)


async def test_silence_is_a_failure_too(router, brave):
    brave.says(SILENT)
    asking = router()
    asking.source("brave").seconds = 0.2
    assert (await asking.web(CATS)).provider == "searxng"


async def test_where_the_first_finds_nothing_the_second_is_asked(router, brave):
    brave.says(brave_says())
    result = await router().web(CATS)
    assert (result.provider, result.fallback_reason) == ("searxng", "primary_empty")


async def test_nothing_found_by_anybody_is_an_empty_answer(router, brave, searxng):
    brave.says(brave_says())
    searxng.says(searxng_says())
    result = await router().web(CATS)
    assert (result.hits, result.provider, result.attempted) == ([], "brave", ["brave", "searxng"])


EMPTY = {
    "google": {"searchInformation": {}},
    "serper": {"organic": []},
    "searchapi": {"organic_results": []},
    "tavily": {"results": []},
    "exa": {"results": []},
}


@pytest_asyncio.fixture
async def paid_too(brave, searxng):
    """Seven engines that find nothing; gives the settings of the five beside Brave and SearXNG, and all by name."""
    brave.says(brave_says())
    searxng.says(searxng_says())
    more = {name: await Upstream().start() for name in EMPTY}
    for name, upstream in more.items():
        upstream.says(EMPTY[name])
    environ = {f"{name.upper()}_BASE_URL": upstream.url for name, upstream in more.items()}
    environ |= {f"{name.upper()}_API_KEY": KEY for name in EMPTY}
    environ |= {"GOOGLE_CUSTOM_SEARCH_API_KEY": KEY, "GOOGLE_CUSTOM_SEARCH_ID": "mine"}
    yield environ, {"brave": brave, "searxng": searxng} | more
    for upstream in more.values():
        await upstream.close()


def requests(engines):
    return {name: len(upstream.requests) for name, upstream in engines.items() if upstream.requests}


async def test_an_empty_answer_sends_on_to_one_engine_that_costs_nothing(router, paid_too):
    environ, engines = paid_too
    result = await router(**environ).web(CATS)
    assert (result.hits, result.provider) == ([], "brave")
    assert requests(engines) == {"brave": 1, "searxng": 1}


async def test_an_empty_lensed_question_is_asked_in_fewer_words_once(router, paid_too, lenses):
    environ, engines = paid_too
    await router(CUSTOM_LENSES_PATH=lenses, **environ).web(WebQuery(query="the cats of the town"), lens="many")
    assert requests(engines) == {"brave": 3 + 1, "searxng": 3}  # three parts each; fewer words once
    assert [one.query["q"].startswith("cats town") for one in engines["brave"].requests] == [False, False, False, True]
    assert not any(one.query["q"].startswith("cats town") for one in engines["searxng"].requests)


@pytest.mark.parametrize(
    ("policy", "asked"),
    [("none", ["brave"]), ("free", ["brave", "searxng"]), ("all", [*PREFERRED["web"]])],
)
async def test_the_operator_says_whom_an_empty_answer_sends_on_to(router, paid_too, policy, asked):
    environ, engines = paid_too
    result = await router(SEARCH_SECOND_OPINION=policy, **environ).web(CATS)
    assert result.attempted == asked
    assert requests(engines) == dict.fromkeys(asked, 1)


async def test_an_empty_answer_after_a_failure_still_sends_on_to_one_that_costs_nothing(router, paid_too):
    environ, engines = paid_too
    engines["google"].says({}, status=403)
    result = await router(SEARCH_ROUTING="google,serper,tavily,searxng,exa", **environ).web(CATS)
    assert result.attempted == ["google", "serper", "searxng"]


async def test_a_single_pass_takes_an_empty_answer_as_it_is(router, paid_too):
    environ, engines = paid_too
    await router(**environ).web(WebQuery(query="the cats of the town"), single_pass=True)
    assert requests(engines) == {"brave": 1}


def test_a_second_opinion_that_nobody_knows_is_refused():
    with pytest.raises(ConfigError, match="SEARCH_SECOND_OPINION"):
        Settings.read({"SEARCH_SECOND_OPINION": "paid"})


async def test_nothing_found_while_somebody_was_down_says_so(router, brave, searxng):
    brave.says({}, status=500)
    searxng.says(searxng_says())
    result = await router().web(CATS)
    assert result.hits == []
    assert result.warnings == ["brave failed (upstream_unavailable)."]


@pytest.mark.parametrize(
    ("first", "second", "error", "provider"),
    [
        (500, 401, AuthRequired, "searxng"),
        (429, 402, PaymentRequired, "searxng"),
        (500, 429, RateLimited, "searxng"),
        (403, 500, Blocked, "brave"),
        (500, 500, UpstreamFailed, "brave"),
    ],
)
async def test_when_all_fail_the_most_telling_failure_is_reported(
    router, brave, searxng, first, second, error, provider
):
    brave.says({}, status=first)
    searxng.says({}, status=second)
    with pytest.raises(error) as failure:
        await router().web(CATS)
    assert failure.value.provider == provider
    assert failure.value.alternatives == ("bluesky", "duckduckgo", "github", "hackernews", "reddit")


async def test_an_unknown_provider_is_answered_with_those_there_are(router):
    with pytest.raises(ConfigError) as failure:
        await router().web(CATS, provider="altavista")
    assert failure.value.suggested_action == "try_different_provider"
    assert max(Counter(failure.value.alternatives).values()) == 1
    assert {"brave", "searxng"} <= set(failure.value.alternatives)
    assert "crossref" not in failure.value.alternatives  # it exists, and knows no web


async def test_a_provider_without_its_key_is_answered_with_the_name_of_the_key(http, table, searxng):
    router = Router(Settings.read({"SEARXNG_URL": searxng.url}), http, table)
    with pytest.raises(ConfigError) as failure:
        await router.web(CATS, provider="brave")
    assert "BRAVE_API_KEY" in failure.value.message
    assert failure.value.suggested_action == "check_api_key"
    assert failure.value.provider == "brave"


async def test_an_operation_a_provider_lacks_is_answered_with_those_that_have_it(router):
    with pytest.raises(ConfigError) as failure:
        router().order("teleport", "brave")
    assert failure.value.suggested_action == "try_different_provider"
    assert failure.value.alternatives == ()


async def test_fifty_callers_get_fifty_answers_though_the_first_is_down(router, brave):
    brave.says({}, status=500)
    asking = router()
    results = await asyncio.gather(*(asking.web(CATS) for _ in range(50)))
    assert {one.provider for one in results} == {"searxng"}
    assert len(results) == 50


async def test_fifty_callers_get_fifty_answers_when_all_is_well(router, brave):
    asking = router()
    assert len(await asyncio.gather(*(asking.web(CATS) for _ in range(50)))) == 50
    assert len(brave.requests) == 50


async def test_results_are_unique_and_no_more_than_asked_for(router, brave):
    brave.says(
        brave_says(
            "https://www.b.example/a/?utm_source=x",
            "http://b.example/a",
            "https://b.example/a#part",
            "https://b.example/a?page=2",
            *(f"https://b.example/{n}" for n in range(9)),
        )
    )
    result = await router().web(WebQuery(query="cats", num_results=4))
    urls = [hit.url for hit in result.hits]
    assert urls == [
        "https://www.b.example/a/?utm_source=x",
        "https://b.example/a?page=2",
        "https://b.example/0",
        "https://b.example/1",
    ]


async def test_the_wait_of_a_rate_limit_reaches_the_caller(router, brave):
    brave.says({}, status=429, retry_after="33")
    with pytest.raises(RateLimited) as failure:
        await router().web(CATS, provider="brave")
    assert failure.value.retry_after == 33


# The breaker


async def trip(router, brave, times=5):
    brave.says({}, status=500)
    for _ in range(times):
        with pytest.raises(UpstreamFailed):
            await router.web(CATS, provider="brave")


async def test_a_provider_that_fails_again_and_again_is_left_alone(router, brave, clock):
    asking = router()
    await trip(asking, brave)
    before = len(brave.requests)
    result = await asking.web(CATS)
    assert (result.provider, result.fallback_reason) == ("searxng", "circuit_open")
    with pytest.raises(UpstreamFailed) as failure:
        await asking.web(CATS, provider="brave")
    assert 60 <= failure.value.retry_after <= 72
    assert len(brave.requests) == before
    assert await asking.healthy("web") == ["bluesky", "duckduckgo", "github", "hackernews", "reddit", "searxng"]
    assert {
        "name": "brave",
        "offers": ["images", "local", "news", "web"],
        "breaker": "open",
        "available": False,
    } in await asking.health()


async def test_what_one_instance_has_learnt_another_knows(router, brave, clock):
    one, other = router(), router()
    assert (await other.web(CATS)).provider == "brave"
    await trip(one, brave)
    clock.now += 1.0
    before = len(brave.requests)
    assert (await other.web(CATS)).fallback_reason == "circuit_open"
    assert len(brave.requests) == before


async def test_failures_of_two_instances_add_up(router, brave, clock):
    one, other = router(), router()
    await trip(one, brave, 3)
    await trip(other, brave, 2)
    assert (await other.breakers.read("brave")).open_until > clock.now


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 418, 422])
async def test_what_is_not_the_providers_fault_never_closes_it_for_others(router, brave, status):
    brave.says({}, status=status)
    asking = router()
    for _ in range(12):
        with pytest.raises(Exception):  # which one is the client's test
            await asking.web(CATS, provider="brave")
    brave.says(brave_says("https://b.example/"))
    assert (await asking.web(CATS)).provider == "brave"


async def test_a_success_between_failures_begins_the_count_again(router, brave, clock):
    asking = router()
    for _ in range(3):
        await trip(asking, brave, 4)
        brave.says(brave_says("https://b.example/"))
        assert (await asking.web(CATS)).provider == "brave"


async def test_a_rate_limit_opens_at_once_for_as_long_as_was_told(router, brave, clock):
    asking = router()
    brave.says({}, status=429, retry_after="300")
    assert (await asking.web(CATS)).fallback_reason == "primary_unavailable"
    brave.says(brave_says("https://b.example/"))
    clock.now += 299
    assert (await asking.web(CATS)).fallback_reason == "circuit_open"
    with pytest.raises(RateLimited):
        await asking.web(CATS, provider="brave")
    clock.now += 62
    assert (await asking.web(CATS)).provider == "brave"


async def test_after_its_rest_one_trial_is_made_and_its_success_closes_the_breaker(router, brave, clock):
    instances = [router() for _ in range(3)]
    await trip(instances[0], brave)
    clock.now += 75
    brave.then(SILENT)
    brave.says(brave_says("https://b.example/"))
    instances[0].source("brave").seconds = 3  # the others are answered meanwhile
    before = len(brave.requests)
    trial = asyncio.create_task(instances[0].web(CATS))
    while len(brave.requests) == before:
        await asyncio.sleep(0.005)
    others = await asyncio.gather(*(router.web(CATS) for router in instances for _ in range(5)))
    assert {result.fallback_reason for result in others} == {"circuit_open"}
    assert len(brave.requests) == before + 1
    assert (await trial).fallback_reason == "primary_unavailable"  # the trial failed: open again
    clock.now += 75
    assert (await instances[1].web(CATS)).provider == "brave"
    clock.now += 1
    assert [(await router.web(CATS)).provider for router in instances] == ["brave"] * 3


async def test_of_many_that_come_at_once_after_the_rest_only_one_tries(router, brave, clock):
    instances = [router() for _ in range(4)]
    await trip(instances[0], brave)
    clock.now += 75
    before = len(brave.requests)
    brave.says({}, status=401)  # no retry of the client's own, so one request is one trial
    await asyncio.gather(*(router.web(CATS) for router in instances for _ in range(10)))
    assert len(brave.requests) == before + 1


async def test_a_trial_that_nobody_heard_of_again_does_not_block_for_ever(router, brave, clock):
    asking = router()
    await trip(asking, brave)
    clock.now += 75
    assert await asking.breakers.admit("brave") == (None, True)
    brave.says(brave_says("https://b.example/"))
    assert (await asking.web(CATS)).fallback_reason == "circuit_open"
    clock.now += TRIAL_SECONDS
    assert (await asking.web(CATS)).provider == "brave"


async def test_the_state_is_read_once_a_second_not_once_a_call(router, table, brave):
    reads = []
    real = table.get

    async def counting(key, sort="-"):
        reads.append(sort)
        return await real(key, sort)

    table.get = counting
    asking = router()
    for _ in range(20):
        await asking.web(CATS)
    await asyncio.gather(*(asking.web(CATS) for _ in range(20)))
    assert reads == ["brave"]


async def test_a_paced_provider_is_asked_in_turn_and_a_long_queue_goes_elsewhere(router, brave, searxng):
    asking = router()
    source = asking.source("brave")
    source.min_interval, source.queue_seconds = 0.5, 0.6
    results = await asyncio.gather(*(asking.web(CATS) for _ in range(12)))
    assert Counter(one.provider for one in results) == {"brave": 2, "searxng": 10}
    assert (await asking.breakers.read("brave")).open_until == 0


# Lenses and sites


@pytest.fixture
def lenses(tmp_path):
    folder = tmp_path / "lenses"
    folder.mkdir()
    hosts = ", ".join(f'"host{n}.example"' for n in range(23))
    (folder / "few.json").write_text(
        '{"name": "few", "domains": ["example.com", {"host": "sec.gov/edgar", "reason": "x"}]}'
    )
    (folder / "many.json").write_text(f'{{"name": "many", "domains": [{hosts}]}}')
    (folder / "boost.json").write_text('{"name": "boost", "goggle": "https://goggles.example/x.goggle"}')
    return str(folder)


async def test_results_outside_the_lens_are_dropped_and_counted(router, searxng, lenses):
    inside = [
        "https://example.com/a",
        "https://www.sub.example.com/b",
        "https://www.sec.gov/edgar/x",
        "https://EXAMPLE.com./c",
    ]
    outside = [
        "https://evilexample.com/",
        "https://example.com.evil.net/",
        "https://example.com@evil.net/",
        "https://evil.net/?q=example.com",
        "https://evil.net/example.com/",
        "https://www.sec.gov/edgarx",
        "https://www.sec.gov/",
        "https://evil.net\\@example.com/",
    ]
    searxng.says(searxng_says(*outside, *inside))
    result = await router(CUSTOM_LENSES_PATH=lenses).web(
        WebQuery(query="cats", num_results=10), provider="searxng", lens="few"
    )
    assert [hit.display_link for hit in result.hits] == [
        "example.com",
        "www.sub.example.com",
        "www.sec.gov",
        "example.com",
    ]
    assert any("outside the lens few" in warning for warning in result.warnings)
    [request] = searxng.requests
    assert request.query["q"] == "cats (site:example.com OR site:sec.gov/edgar)"


async def test_every_domain_of_a_lens_is_used_whatever_the_engines_limit(router, searxng, lenses):
    searxng.says(searxng_says("https://host0.example/", "https://host22.example/"))
    result = await router(CUSTOM_LENSES_PATH=lenses).web(CATS, provider="searxng", lens="many")
    response = " ".join(request.query["q"] for request in searxng.requests)
    assert len(searxng.requests) == 3
    assert all(request.query["q"].count("site:") <= 10 for request in searxng.requests)
    assert all(f"site:host{n}.example" in response for n in range(23))
    assert [hit.display_link for hit in result.hits] == ["host0.example", "host22.example"]


async def test_a_long_question_and_a_lens_fit_braves_four_hundred_characters(router, brave, lenses):
    brave.says(brave_says("https://host3.example/"))
    long = WebQuery(query="word " * 90)
    result = await router(CUSTOM_LENSES_PATH=lenses).web(long, provider="brave", lens="many")
    assert all(len(request.query["q"]) <= 400 and len(request.query["q"].split()) <= 50 for request in brave.requests)
    assert all("word" in request.query["q"] for request in brave.requests)
    assert any("cut off" in warning for warning in result.warnings)


async def test_when_one_of_a_lens_questions_fails_the_provider_has_failed(router, brave, searxng, lenses):
    brave.then({}, status=429)
    searxng.says(searxng_says("https://host1.example/"))
    result = await router(CUSTOM_LENSES_PATH=lenses).web(CATS, lens="many")
    assert result.provider == "searxng"


async def test_a_goggle_goes_to_brave(router, brave, lenses):
    await router(CUSTOM_LENSES_PATH=lenses).web(CATS, lens="boost")
    assert brave.requests[0].query["goggles"] == "https://goggles.example/x.goggle"


async def test_a_lens_with_an_engine_of_its_own_goes_to_google(router, upstream, tmp_path):
    (tmp_path / "own.json").write_text('{"name": "own", "domains": ["example.com"], "cx": "cx-of-the-lens"}')
    upstream.says({"items": [{"title": "T", "link": u} for u in ("https://example.com/", "https://evilexample.com/")]})
    google = {"GOOGLE_CUSTOM_SEARCH_API_KEY": KEY, "GOOGLE_CUSTOM_SEARCH_ID": "mine", "GOOGLE_BASE_URL": upstream.url}
    own = str(tmp_path / "own.json")
    result = await router(CUSTOM_LENSES_PATH=own, **google).web(CATS, lens="own")
    assert (result.provider, [hit.url for hit in result.hits]) == ("google", ["https://example.com/"])
    assert upstream.requests[0].query["cx"] == "cx-of-the-lens"
    assert (await router(CUSTOM_LENSES_PATH=own).web(CATS, lens="own")).provider == "brave"


async def test_a_lens_that_nobody_can_hold_to_is_refused_not_ignored(router, searxng, brave, lenses, tmp_path):
    (tmp_path / "only.json").write_text('{"name": "only", "cx": "cx-of-the-lens"}')
    with pytest.raises(ConfigError, match="GOOGLE_CUSTOM_SEARCH_API_KEY"):
        await router(CUSTOM_LENSES_PATH=str(tmp_path / "only.json")).web(CATS, lens="only")
    with pytest.raises(ConfigError, match="brave"):
        await router(CUSTOM_LENSES_PATH=lenses).web(CATS, provider="searxng", lens="boost")
    assert searxng.requests == brave.requests == []


async def test_an_unknown_lens_is_answered_with_those_there_are(router, lenses):
    with pytest.raises(InvalidInput) as failure:
        await router(CUSTOM_LENSES_PATH=lenses).web(CATS, lens="magic")
    assert failure.value.field == "lens"
    assert "academic" in failure.value.message
    assert "few" in failure.value.message


@pytest.mark.parametrize(
    "site", ["example.com", "https://www.Example.com/", "*.example.com", ".example.com", "EXAMPLE.COM."]
)
async def test_a_site_is_asked_for_and_checked(router, searxng, site):
    searxng.says(searxng_says("https://evilexample.com/", "https://docs.example.com/x"))
    result = await router().web(WebQuery(query="cats", site=site), provider="searxng")
    assert [hit.url for hit in result.hits] == ["https://docs.example.com/x"]
    assert searxng.requests[0].query["q"] == "cats site:example.com"


REDDIT = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>t3_1</id><title>Otters</title>
<link href="https://www.reddit.com/r/otters/comments/1/x/"/></entry></feed>"""
BLUESKY = {
    "uri": "at://did:plc:abc123/app.bsky.feed.post/3k",
    "author": {"handle": "ada.example"},
    "record": {"text": "Otters", "createdAt": "2026-07-01T09:30:00Z"},
}
GITHUB = {"title": "Otters", "html_url": "https://github.com/ada/otters/issues/1"}


@pytest.mark.parametrize(
    ("name", "said", "site", "sent", "linked"),
    [
        ("reddit", REDDIT, "river.example", {"q": "cats site:river.example"}, True),
        ("reddit", REDDIT, "reddit.com/r/otters", {"q": "cats subreddit:otters"}, False),
        ("reddit", REDDIT, "www.reddit.com", {"q": "cats"}, False),
        ("bluesky", {"posts": [BLUESKY]}, "river.example", {"q": "cats", "domain": "river.example"}, True),
        (
            "bluesky",
            {"posts": [BLUESKY]},
            "bsky.app/profile/ada.example",
            {"q": "cats", "author": "ada.example"},
            False,
        ),
        ("github", {"items": [GITHUB]}, "river.example/otters", {"q": 'cats "river.example"'}, True),
        ("github", {"items": [GITHUB]}, "github.com/ada/otters", {"q": "cats repo:ada/otters"}, False),
    ],
)
async def test_a_site_narrows_what_a_platform_finds(router, upstream, name, said, site, sent, linked):
    upstream.says(said)
    asking = router(**{f"{name.upper()}_BASE_URL": upstream.url})
    result = await asking.web(WebQuery(query="cats", site=site), provider=name)
    assert len(result.hits) == 1
    assert sent.items() <= upstream.requests[0].query.items()
    warned = [f"{name} returns only its own pages: these link to {site}, or mention it."] if linked else []
    assert result.warnings == warned


async def test_news_of_an_outlet_on_a_platform_is_what_links_to_it(router, upstream):
    upstream.says(REDDIT)
    asking = router(REDDIT_BASE_URL=upstream.url)
    result = await asking.news(NewsQuery(query="cats", news_source="river.example"), provider="reddit")
    assert upstream.requests[0].query["q"] == "cats site:river.example"
    assert [hit.title for hit in result.hits] == ["Otters"]
    assert result.warnings == ["reddit returns only its own pages: these link to river.example, or mention it."]


@pytest.mark.parametrize(
    "site", ["a b", "a.example OR site:b.example", "javascript:alert(1)", "u:p@x.example", "http://"]
)
async def test_a_site_that_is_invalid_is_refused(router, site, searxng):
    with pytest.raises(InvalidInput) as failure:
        await router().web(WebQuery(query="cats", site=site), provider="searxng")
    assert failure.value.field == "site"
    assert searxng.requests == []


async def test_what_cannot_be_honoured_is_reported(router, upstream):
    upstream.says({"hits": [{"objectID": "1", "title": "T", "url": "https://x.example/"}]})
    asking = router(HACKERNEWS_BASE_URL=upstream.url)
    result = await asking.web(WebQuery(query="cats", language="de", safe="high"), provider="hackernews")
    assert result.warnings == ["hackernews does not support safe, language; ignored."]
    assert (await asking.web(CATS, provider="hackernews")).warnings == []


async def test_no_key_is_disclosed_or_logged_when_everything_fails(router, brave, searxng, caplog):
    caplog.set_level(logging.DEBUG)
    brave.says(CUT)
    searxng.says(CUT)
    with pytest.raises(Network) as failure:
        await router().web(CATS)
    assert KEY not in f"{failure.value!r}{failure.value.text()}{caplog.text}"


async def test_a_client_of_its_own_can_be_given(environ, table):
    http = ProviderClient(pause=0)
    assert (await Router(Settings.read(environ), http, table).web(CATS)).provider == "brave"
    await http.close()
