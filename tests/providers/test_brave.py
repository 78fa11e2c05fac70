"""What Brave is asked, and how it is read."""

import pytest

from assay.errors import AuthRequired, PaymentRequired, RateLimited, Refused
from assay.models.common import WebHit, WebQuery
from assay.models.search_queries import PlaceQuery
from assay.providers.brave.web_search import Brave
from assay.settings import Settings

FOUND = {
    "title": "Cats &amp; <strong>dogs</strong>",
    "url": "https://cats.example",
    "description": "All about <strong>cats</strong>",
    "page_age": "2026-07-01T09:30:00",
    "age": "3 weeks ago",
    "extra_snippets": ["One <b>more</b>", None, ""],
    "meta_url": {"hostname": "cats.example"},
}


@pytest.fixture
def brave(upstream, http, now):
    environ = {"BRAVE_API_KEY": "test-key", "BRAVE_BASE_URL": upstream.url + "/res/v1", "BRAVE_EXTRA_SNIPPETS": "true"}
    return Brave(http, Settings(environ=environ), clock=lambda: now)


async def test_brave_is_asked_for_everything_it_understands(brave, upstream):
    upstream.says({"web": {"results": []}})
    await brave.ask(
        "web",
        WebQuery(
            query="cats",
            num_results=3,
            time_range="week",
            safe="high",
            language="pt-BR",
            country="br",
            site="cats.example",
            exact_terms='black "cat"',
            exclude_terms="dog mouse",
        ),
    )
    [request] = upstream.requests
    assert request.path == "/res/v1/web/search"
    assert request.query == {
        "q": 'cats "black cat" -"dog mouse" site:cats.example',
        "count": "3",
        "country": "BR",
        "search_lang": "pt-br",
        "safesearch": "strict",
        "freshness": "pw",
        "extra_snippets": "1",
    }
    assert request.headers["x-subscription-token"] == "test-key"
    assert request.headers["api-version"] == "2023-01-01"
    assert request.headers["accept"] == "application/json"


async def test_what_is_not_asked_is_not_sent(brave, upstream):
    upstream.says({"web": {"results": []}})
    brave.settings = Settings()
    await brave.ask("web", WebQuery(query="cats"))
    assert upstream.requests[0].query == {"q": "cats", "count": "5", "safesearch": "moderate"}


async def test_brave_is_read(brave, upstream):
    upstream.says({"query": {"more_results_available": True}, "web": {"results": [FOUND]}})
    hits = await brave.ask("web", WebQuery(query="cats"))
    assert hits == [
        WebHit(
            title="Cats & dogs",
            url="https://cats.example/",
            snippet="All about cats",
            display_link="cats.example",
            published_at="2026-07-01T09:30:00Z",
            extra_snippets=["One more"],
        )
    ]
    assert hits.more is True


@pytest.mark.parametrize(
    ("language", "code"), [("ja", "jp"), ("zh", "zh-hans"), ("pt", "pt-pt"), ("de-CH", "de"), ("en", "en")]
)
async def test_languages_go_by_braves_names(brave, upstream, language, code):
    upstream.says({"type": "search"})
    await brave.ask("web", WebQuery(query="cats", language=language))
    assert upstream.requests[0].query["search_lang"] == code


async def test_a_country_or_language_brave_lacks_is_ignored_with_a_notice(brave, upstream):
    upstream.says({"type": "search"})
    hits = await brave.ask("web", WebQuery(query="cats", language="eo", country="VA"))
    assert not {"country", "search_lang"} & set(upstream.requests[0].query)
    assert len(hits.warnings) == 2


async def test_a_question_too_long_for_brave_is_cut_at_a_word_with_a_notice(brave, upstream):
    upstream.says({"type": "search"})
    hits = await brave.ask("web", WebQuery(query="meaning " * 60, site="cats.example"))
    sent = upstream.requests[0].query["q"]
    assert len(sent) <= 400
    assert len(sent.split()) <= 50
    assert sent.endswith("meaning site:cats.example")
    assert hits.warnings


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("SUBSCRIPTION_TOKEN_INVALID", 422, AuthRequired),
        ("SUBSCRIPTION_TOKEN_INVALID", 403, AuthRequired),
        ("SUBSCRIPTION_TOKEN_INVALID", 200, AuthRequired),
        ("OPTION_NOT_IN_PLAN", 400, PaymentRequired),
        ("RATE_LIMITED", 429, RateLimited),
        ("QUOTA_LIMITED", 429, RateLimited),
        ("VALIDATION", 422, Refused),
    ],
)
@pytest.mark.parametrize("shape", [lambda code: {"error": {"code": code}}, lambda code: {"errors": [{"code": code}]}])
async def test_brave_tells_by_a_code_what_it_refuses(brave, upstream, code, status, error, shape):
    upstream.says({"type": "ErrorResponse"} | shape(code), status=status)
    with pytest.raises(error) as failure:
        await brave.ask("web", WebQuery(query="cats"))
    assert type(failure.value) is error
    assert failure.value.provider == "brave"


@pytest.mark.parametrize(
    ("remaining", "reset", "wait"),
    [("0, 900", "1, 1419704", 1), ("0, 0", "1, 1419704", 3600), ("1, 1", "1, 2", 60), ("x", "y", 60), ("0", "²", 60)],
)
async def test_the_wait_is_read_off_the_window_that_is_used_up(brave, upstream, remaining, reset, wait):
    upstream.says({"error": {"code": "RATE_LIMITED"}}, 429, x_ratelimit_remaining=remaining, x_ratelimit_reset=reset)
    with pytest.raises(RateLimited) as failure:
        await brave.ask("web", WebQuery(query="cats"))
    assert failure.value.retry_after == wait


async def test_a_used_up_month_is_named(brave, upstream):
    upstream.says({"error": {"code": "RATE_LIMITED", "meta": {"quota_limit": 2000, "quota_current": 2000}}}, 429)
    with pytest.raises(RateLimited, match="monthly quota"):
        await brave.ask("web", WebQuery(query="cats"))


@pytest.mark.parametrize(
    ("policy", "interval"),
    [("1;w=1, 15000;w=2592000", 1.0), ("2;w=1", 0.5), ("50;w=1, 0;w=2592000", 0.0), ("0;w=1", 0.0), ("junk", 0.0)],
)
async def test_the_plans_pace_is_kept(brave, upstream, policy, interval):
    upstream.says({"type": "search"}, x_ratelimit_policy=policy)
    await brave.ask("web", WebQuery(query="cats"))
    assert brave.min_interval == interval


async def test_a_place_without_a_printable_id_is_left_out(brave, upstream):
    places = [{"id": "loc0", "title": "Otter Café"}, {"id": "\ud800", "title": "No id that JSON could hold"}]
    upstream.says({"type": "search", "locations": {"results": [{"id": "loc0"}]}, "results": places})
    found = await brave.local(PlaceQuery(query="cafés"))
    assert [place.id for place in found] == ["loc0"]
