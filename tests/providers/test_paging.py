"""Later pages, hosts that are not wanted, ages in days: how each provider of web results is asked for them."""

import pytest

from assay.provider_base import provider_lookup
from assay.provider_base.provider import FilteredWebQuery
from assay.settings import Settings

EMPTY = {
    "brave": {"web": {"results": []}, "query": {}},
    "google": {"items": []},
    "serper": {"organic": []},
    "searchapi": {"organic_results": []},
    "searxng": {"results": []},
    "tavily": {"results": []},
    "exa": {"results": []},
}
DAY = "2026-07-15"  # ten days before `now`


@pytest.fixture
def source(upstream, http, now):
    def make_provider(name):
        kind = provider_lookup.find_provider(name)
        keys = {kind.key_name: "test-key", "GOOGLE_CUSTOM_SEARCH_ID": "engine"}
        return kind(http, Settings(environ=keys | {f"{name.upper()}_BASE_URL": upstream.url}), clock=lambda: now)

    return make_provider


@pytest.fixture
def sent_query(source, upstream):
    """`await sent(name, …)`: what the provider is sent for a page of a question."""

    async def asking(name, **more):
        upstream.says(EMPTY[name])
        question = FilteredWebQuery.model_construct(**{"query": "cats", "num_results": 10} | more)
        await source(name).ask("web", question)
        request = upstream.requests[-1]
        return request.query | (request.json() if request.body else {})

    return asking


@pytest.mark.parametrize(
    ("name", "field", "third"),
    [
        ("brave", "offset", "2"),
        ("google", "start", "21"),
        ("serper", "page", 3),
        ("searchapi", "page", "3"),
        ("searxng", "pageno", "3"),
    ],
)
async def test_a_later_page_is_asked_for_as_the_provider_counts(sent_query, name, field, third):
    assert (await sent_query(name, page=2))[field] == third
    assert (await sent_query(name)).get(field) in (None, "1")


@pytest.mark.parametrize("name", EMPTY)
async def test_unwanted_hosts_are_named(sent_query, name):
    output = await sent_query(name, unwanted=("x.example", "y.example"))
    hosts = output.get("exclude_domains") or output.get("excludeDomains")
    if hosts:
        assert hosts == ["x.example", "y.example"]
    else:
        assert (output.get("q") or output.get("query")) == "cats -site:x.example -site:y.example"


@pytest.mark.parametrize("name", EMPTY)
async def test_a_hundred_unwanted_hosts_leave_room_for_the_question(sent_query, name):
    output = await sent_query(name, unwanted=tuple(f"host-number-{n}.example" for n in range(100)))
    assert (output.get("q") or output.get("query")).startswith("cats")


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("brave", "freshness", f"{DAY}to2026-07-25"),
        ("google", "dateRestrict", "d10"),
        ("tavily", "start_date", DAY),
        ("exa", "startPublishedDate", DAY),
        ("serper", "tbs", "qdr:m"),
        ("searchapi", "time_period", "last_month"),
        ("searxng", "time_range", "month"),
    ],
)
async def test_an_age_in_days_is_asked_for_as_exactly_as_can_be(sent_query, name, field, value):
    output = await sent_query(name, days=10, time_range="month")
    assert output[field] == value
    assert provider_lookup.find_provider(name).supports_max_age == (name in ("brave", "google", "tavily", "exa"))


@pytest.mark.parametrize("name", EMPTY)
def test_pages_are_as_deep_as_the_provider_goes(name):
    kind = provider_lookup.find_provider(name)
    assert 1 <= kind.max_pages <= 10
    assert 10 <= kind.page_size <= 100
