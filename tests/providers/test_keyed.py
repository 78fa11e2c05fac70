"""What Google, Serper, SearchApi, Tavily, Exa and GitHub are asked, and how they are read."""

import pytest

from assay.errors import AuthRequired, PaymentRequired, RateLimited, Refused
from assay.models.common import WebQuery
from assay.provider_base import provider_lookup
from assay.provider_base.provider import FilteredWebQuery
from assay.settings import Settings

FULL = {
    "query": "cats",
    "num_results": 4,
    "time_range": "week",
    "safe": "high",
    "language": "de",
    "country": "CH",
    "site": "cats.example/a",
    "exact_terms": "black cat",
    "exclude_terms": "dog",
}
TEXT = 'cats "black cat" -dog'


@pytest.fixture
def source(upstream, http, now):
    def make_provider(name, **environ):
        kind = provider_lookup.find_provider(name)
        keys = {kind.key_name: "test-key", "GOOGLE_CUSTOM_SEARCH_ID": "engine"} if kind.key_name else {}
        settings = Settings(environ=keys | environ | {f"{name.upper()}_BASE_URL": upstream.url})
        return kind(http, settings, clock=lambda: now)

    return make_provider


async def test_google_is_asked_for_everything(source, upstream):
    upstream.says({"items": []})
    await source("google").ask("web", WebQuery(**FULL))
    assert upstream.requests[0].query == {
        "key": "test-key",
        "cx": "engine",
        "q": "cats site:cats.example/a",
        "num": "4",
        "safe": "active",
        "lr": "lang_de",
        "cr": "countryCH",
        "gl": "ch",
        "exactTerms": "black cat",
        "excludeTerms": "dog",
        "dateRestrict": "w1",
    }


@pytest.mark.parametrize(("language", "sent"), [("zh-TW", "lang_zh-TW"), ("zh", "lang_zh-CN"), ("pt-BR", "lang_pt")])
async def test_google_knows_languages_by_its_own_names(source, upstream, language, sent):
    upstream.says({"items": []})
    await source("google").ask("web", WebQuery(query="cats", language=language, safe="off"))
    assert upstream.requests[0].query["lr"] == sent
    assert upstream.requests[0].query["safe"] == "off"


async def test_google_passes_on_what_the_page_says_of_its_date(source, upstream):
    metatags = [{"article:published_time": "2026-07-01T09:30:00+02:00"}]
    upstream.says({"items": [{"title": "T", "link": "https://x.example/", "pagemap": {"metatags": metatags}}]})
    [hit] = await source("google").ask("web", WebQuery(query="cats"))
    assert hit.published_at == "2026-07-01T07:30:00Z"


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, {"code": 400, "message": "API key not valid. Please pass a valid API key."}, AuthRequired),
        (403, {"code": 403, "message": "Quota exceeded for quota metric 'Queries'"}, RateLimited),
        (400, {"code": 400, "message": "Request contains an invalid argument."}, Refused),
    ],
)
async def test_google_says_in_words_what_its_status_does_not(source, upstream, status, error, kind):
    upstream.says({"error": error}, status)
    with pytest.raises(kind) as failure:
        await source("google").ask("web", WebQuery(query="cats"))
    assert type(failure.value) is kind


def test_google_needs_both_of_its_variables():
    google = provider_lookup.find_provider("google")
    key = {"GOOGLE_CUSTOM_SEARCH_API_KEY": "k"}
    assert not google.is_configured(Settings(environ=key))
    assert google.required_setting(Settings(environ=key)) == "GOOGLE_CUSTOM_SEARCH_ID"
    assert google.is_configured(Settings(environ=key | {"GOOGLE_CUSTOM_SEARCH_ID": "c"}))


async def test_serper_is_asked_for_everything_it_understands(source, upstream):
    upstream.says({"organic": []})
    await source("serper").ask("web", WebQuery(**FULL))
    [request] = upstream.requests
    assert request.headers["x-api-key"] == "test-key"
    assert request.json() == {"q": f"{TEXT} site:cats.example/a", "num": 4, "gl": "ch", "hl": "de", "tbs": "qdr:w"}


async def test_searchapi_is_asked_with_the_key_in_a_header(source, upstream):
    upstream.says({"organic_results": []})
    await source("searchapi").ask("web", WebQuery(**FULL))
    [request] = upstream.requests
    assert request.headers["authorization"] == "Bearer test-key"
    assert request.path == "/search"
    assert request.query == {
        "engine": "google",
        "q": f"{TEXT} site:cats.example/a",
        "gl": "ch",
        "hl": "de",
        "safe": "active",
        "time_period": "last_week",
    }


async def test_tavily_is_asked_for_hosts_in_a_parameter(source, upstream):
    upstream.says({"results": []})
    await source("tavily").ask("web", WebQuery(**FULL))
    [request] = upstream.requests
    assert request.headers["authorization"] == "Bearer test-key"
    assert request.json() == {
        "query": TEXT,
        "max_results": 4,
        "search_depth": "basic",
        "topic": "general",
        "time_range": "week",
        "include_domains": ["cats.example"],
        "country": "switzerland",
    }


async def test_a_country_that_tavily_cannot_prefer_is_ignored_with_a_notice(source, upstream):
    upstream.says({"results": []})
    result = await source("tavily").ask("web", WebQuery(query="cats", country="fm"))
    assert "country" not in upstream.requests[0].json()
    assert result.warnings == ["tavily does not support the country FM; it was ignored."]


@pytest.mark.parametrize("status", [432, 433])
async def test_tavilys_own_statuses_mean_money(source, upstream, status):
    upstream.says({"detail": {"error": "This request exceeds your plan's set usage limit."}}, status)
    with pytest.raises(PaymentRequired):
        await source("tavily").ask("web", WebQuery(query="cats"))


async def test_exa_is_asked_for_hosts_and_dates_in_parameters(source, upstream):
    upstream.says({"results": []})
    await source("exa").ask("web", WebQuery(**FULL))
    [request] = upstream.requests
    assert request.headers["x-api-key"] == "test-key"
    assert request.json() == {
        "query": "cats",
        "includeText": ["black cat"],
        "excludeText": ["dog"],
        "type": "auto",
        "numResults": 4,
        "includeDomains": ["cats.example"],
        "startPublishedDate": "2026-07-18T17:20:00Z",
        "userLocation": "CH",
        "moderation": True,
        "contents": {"highlights": True},
    }


async def test_exa_takes_one_phrase_of_five_words_and_says_which_it_left(source, upstream):
    upstream.says({"results": []})
    long = "one two three four five six"
    ask = WebQuery(query="batteries", exact_terms=long, exclude_terms="lead acid, nickel")
    result = await source("exa").ask("web", ask)
    sent = upstream.requests[0].json()
    assert (sent["query"], sent.get("includeText"), sent["excludeText"]) == ("batteries", None, ["lead acid"])
    assert result.warnings == [
        f"exa accepts one phrase of up to 5 words in exact_terms; ignored: '{long}'.",
        "exa accepts one phrase of up to 5 words in exclude_terms; ignored: 'nickel'.",
    ]


@pytest.mark.parametrize("name", ["brave", "duckduckgo", "serper", "searchapi", "searxng", "hackernews", "github"])
async def test_words_to_keep_out_are_one_phrase_unless_commas_part_them(source, upstream, name):
    upstream.says({"web": {}, "organic": [], "organic_results": [], "results": [], "hits": [], "items": []})
    if name == "duckduckgo":
        upstream.says('<div id="links"><div class="no-results">No results.</div></div>')
    for terms in ("lead acid", '-"lead acid"', "lead acid, nickel"):
        await source(name).ask("web", WebQuery(query="batteries", exclude_terms=terms))
    requests = [one.query.get("q") or one.query.get("query") or one.json()["q"] for one in upstream.requests]
    assert requests == ['batteries -"lead acid"', 'batteries -"lead acid"', 'batteries -"lead acid" -nickel']


async def test_google_takes_one_phrase_to_keep_out_by_its_parameter_and_several_in_the_question(source, upstream):
    upstream.says({"items": []})
    for terms in ("lead acid", "lead acid, nickel"):
        await source("google").ask("web", WebQuery(query="batteries", exclude_terms=terms))
    one, several = (request.query for request in upstream.requests)
    assert (one["q"], one["excludeTerms"]) == ("batteries", "lead acid")
    assert (several["q"], several.get("excludeTerms")) == ('batteries -"lead acid" -nickel', None)


@pytest.mark.parametrize(
    ("site", "asked"),
    [
        ("github.com", "cats"),
        ("github.com/ada", "cats user:ada"),
        ("github.com/ada/otters", "cats repo:ada/otters"),
        ("river.example", 'cats "river.example"'),
    ],
)
async def test_github_is_asked_for_a_site(source, upstream, site, asked):
    upstream.says({"items": []})
    await source("github").ask("web", WebQuery(query="cats", site=site))
    assert upstream.requests[0].query["q"] == asked


async def test_exas_highlights_are_snippets(source, upstream):
    row = {"title": "T", "url": "https://x.example/", "publishedDate": "2026-07-01", "highlights": ["One", 5, "Two"]}
    upstream.says({"results": [row]})
    [hit] = await source("exa").ask("web", WebQuery(query="cats"))
    assert (hit.snippet, hit.extra_snippets, hit.published_at) == ("One", ["Two"], "2026-07-01T00:00:00Z")
    assert hit.engagement is None


@pytest.mark.parametrize("name", ["tavily", "exa"])
async def test_a_whole_lens_is_one_question(source, upstream, name):
    upstream.says({"results": []})
    ask = FilteredWebQuery(query="cats", sites=tuple(f"h{n}.example/p" for n in range(25)))
    await source(name).ask("web", ask)
    sent = upstream.requests[0].json()
    assert sent.get("include_domains", sent.get("includeDomains")) == [f"h{n}.example" for n in range(25)]


async def test_github_is_asked_for_issues(source, upstream):
    upstream.says({"items": []})
    github = source("github", GITHUB_TOKEN="test-key")
    await github.ask("web", WebQuery(query="cats", num_results=4, time_range="week", exclude_terms="dog"))
    [request] = upstream.requests
    assert request.path == "/search/issues"
    assert request.query == {"q": "cats -dog created:>2026-07-18", "per_page": "4"}
    assert request.headers["authorization"] == "Bearer test-key"
    assert request.headers["x-github-api-version"] == "2022-11-28"


async def test_github_needs_no_key(source, upstream):
    upstream.says({"items": []})
    await source("github").ask("web", WebQuery(query="cats"))
    assert "authorization" not in upstream.requests[0].headers


async def test_githubs_used_up_allowance_is_a_rate_limit(source, upstream, now):
    limits = {"x_ratelimit_remaining": "0", "x_ratelimit_reset": str(int(now) + 40)}
    upstream.says({"message": "API rate limit exceeded"}, 403, **limits)
    with pytest.raises(RateLimited) as failure:
        await source("github").ask("web", WebQuery(query="cats"))
    assert failure.value.retry_after == 40
    upstream.says({"message": "You have exceeded a secondary rate limit."}, 403, retry_after="9")
    with pytest.raises(RateLimited) as failure:
        await source("github").ask("web", WebQuery(query="cats"))
    assert failure.value.retry_after == 9
