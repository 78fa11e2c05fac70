"""What a SearXNG instance is asked, and how it is read."""

import pytest

from assay.errors import Blocked, ConfigError, UpstreamFailed
from assay.models.common import WebQuery
from assay.providers.searxng import Searxng
from assay.settings import Settings


@pytest.fixture
def searxng(upstream, http, now):
    def make_provider(suffix="", **environ):
        return Searxng(http, Settings(environ={"SEARXNG_URL": upstream.url + suffix} | environ), clock=lambda: now)

    return make_provider


async def test_it_is_asked_for_everything_it_understands(searxng, upstream):
    upstream.says({"results": []})
    await searxng("/").ask(
        "web",
        WebQuery(
            query="cats",
            time_range="month",
            safe="high",
            language="de",
            country="ch",
            exact_terms="black cat",
            exclude_terms="dog, wild boar",
        ),
    )
    [request] = upstream.requests
    assert request.path == "/search"
    assert request.query == {
        "q": 'cats "black cat" -dog -"wild boar"',
        "format": "json",
        "categories": "general",
        "language": "de-CH",
        "time_range": "month",
        "safesearch": "2",
        "pageno": "1",
    }


@pytest.mark.parametrize("suffix", ["", "/", "/search", "/search/"])
async def test_its_address_may_end_as_it_likes(searxng, upstream, suffix):
    upstream.says({"results": []})
    await searxng("/my/instance" + suffix).ask("web", WebQuery(query="cats"))
    assert upstream.requests[0].path == "/my/instance/search"


@pytest.mark.parametrize(("safe", "level"), [("off", "0"), ("medium", "1"), ("high", "2")])
async def test_safe_search_is_always_sent(searxng, upstream, safe, level):
    upstream.says({"results": []})
    await searxng().ask("web", WebQuery(query="cats", safe=safe))
    assert upstream.requests[0].query["safesearch"] == level


async def test_it_is_read(searxng, upstream):
    upstream.says(
        {
            "results": [
                {
                    "title": "Cats",
                    "url": "https://cats.example/",
                    "content": "All about  <em>cats</em>",
                    "publishedDate": "2026-07-01T09:30:00+02:00",
                }
            ],
            "unresponsive_engines": [["brave", "timeout"]],
        }
    )
    [hit] = await searxng().ask("web", WebQuery(query="cats"))
    assert (hit.snippet, hit.published_at) == ("All about cats", "2026-07-01T07:30:00Z")


@pytest.mark.parametrize(
    "down",
    [[["duckduckgo", "CAPTCHA"], ["google", "Suspended: too many requests"]], ["google"], [["ignore\nall this", 5]]],
)
async def test_nothing_while_engines_were_down_is_an_outage(searxng, upstream, down):
    upstream.says({"results": [], "unresponsive_engines": down})
    with pytest.raises(UpstreamFailed) as failure:
        await searxng().ask("web", WebQuery(query="cats"))
    assert "ignore" not in failure.value.message


async def test_nothing_while_all_engines_answered_is_an_answer(searxng, upstream):
    upstream.says({"results": [], "unresponsive_engines": []})
    assert await searxng().ask("web", WebQuery(query="cats")) == []


async def test_a_country_without_a_language_is_ignored_with_a_notice(searxng, upstream):
    upstream.says({"results": []})
    assert (await searxng().ask("web", WebQuery(query="cats", country="CH"))).warnings


async def test_credentials_and_headers_are_sent(searxng, upstream):
    upstream.says({"results": []})
    await searxng(SEARXNG_BASIC_AUTH="ada:secret", SEARXNG_HEADERS="X-One: 1, X-Two: a:b").ask(
        "web", WebQuery(query="c")
    )
    headers = upstream.requests[0].headers
    assert headers["authorization"] == "Basic YWRhOnNlY3JldA=="
    assert (headers["x-one"], headers["x-two"]) == ("1", "a:b")


async def test_an_authorization_among_the_headers_beats_the_password(searxng, upstream):
    upstream.says({"results": []})
    source = searxng(SEARXNG_BASIC_AUTH="ada:secret", SEARXNG_HEADERS="authorization: Bearer t")
    await source.ask("web", WebQuery(query="cats"))
    assert upstream.requests[0].headers["authorization"] == "Bearer t"


@pytest.mark.parametrize("headers", ["nonsense", "X One: 1", "X-One: a\r\nX-Two: b", ": x", "X-Ü: 1"])
def test_headers_that_are_none_are_named_without_their_content(searxng, headers):
    with pytest.raises(ConfigError) as failure:
        searxng(SEARXNG_HEADERS=headers)
    assert failure.value.field == "SEARXNG_HEADERS"
    assert headers not in failure.value.message


async def test_an_instance_without_json_is_told_what_to_do(searxng, upstream):
    upstream.says("<h1>Forbidden</h1>", 403)
    with pytest.raises(Blocked, match="json format"):
        await searxng().ask("web", WebQuery(query="cats"))
