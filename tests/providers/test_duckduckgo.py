"""What DuckDuckGo is asked, and how its page is read."""

import pytest

from assay.errors import RateLimited, UpstreamFailed
from assay.models.common import WebQuery
from assay.providers.duckduckgo import REGIONS, DuckDuckGo
from assay.settings import Settings


def page(*results):
    return f'<html><body><div id="links" class="results">{"".join(results)}</div></body></html>'


def result(href, title="Cats", snippet="All about <b>cats</b> &amp; dogs", marks="web-result", extras=""):
    return f"""<div class="result results_links results_links_deep {marks}"><div class="links_main result__body">
      <h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>
      <div class="result__extras"><span>{extras}</span></div>
      <a class="result__snippet" href="{href}">{snippet}</a></div></div>"""


PUZZLE = """<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&cc=botnet" method="POST">
  <div class="anomaly-modal__mask">Select all squares with a duck</div></form></body></html>"""


@pytest.fixture
def duckduckgo(upstream, http, now):
    return DuckDuckGo(http, Settings(environ={"DUCKDUCKGO_BASE_URL": upstream.url + "/html"}), clock=lambda: now)


async def test_it_is_asked_as_a_browser_asks(duckduckgo, upstream):
    upstream.says(page(result("https://cats.example/")))
    ask = WebQuery(query="cats", time_range="day", safe="off", country="gb", site="cats.example", exclude_terms="dog")
    await duckduckgo.ask("web", ask)
    [request] = upstream.requests
    assert request.path == "/html/"
    assert request.query == {"q": "cats -dog site:cats.example", "kl": "uk-en", "df": "d", "p": "-2"}
    assert request.headers["user-agent"].startswith("Mozilla/5.0")


@pytest.mark.parametrize(("safe", "level"), [("off", "-2"), ("medium", "-1"), ("high", "1")])
async def test_safe_search_is_always_sent(duckduckgo, upstream, safe, level):
    upstream.says(page())
    await duckduckgo.ask("web", WebQuery(query="cats", safe=safe))
    assert upstream.requests[0].query == {"q": "cats", "kl": "wt-wt", "p": level}


@pytest.mark.parametrize(
    ("country", "language", "region"),
    [
        ("US", None, "us-en"),
        ("CH", None, "ch-de"),
        ("CH", "it", "ch-it"),
        ("ch", "fr-CH", "ch-fr"),
        ("UK", None, "uk-en"),
    ],
)
async def test_country_and_language_choose_the_region(duckduckgo, upstream, country, language, region):
    upstream.says(page())
    await duckduckgo.ask("web", WebQuery(query="cats", country=country, language=language))
    assert upstream.requests[0].query["kl"] == region


async def test_a_country_without_region_is_ignored_with_a_notice(duckduckgo, upstream):
    upstream.says(page())
    assert (await duckduckgo.ask("web", WebQuery(query="cats", country="VA"))).warnings
    assert upstream.requests[0].query["kl"] == "wt-wt"


def test_the_regions_are_well_formed():
    assert len(REGIONS) >= 50
    assert all(
        region.count("-") == 1 and region.islower() for regions in REGIONS.values() for region in regions.split()
    )


async def test_it_is_read(duckduckgo, upstream):
    wrapped = "//duckduckgo.com/l/?uddg=https%3A%2F%2Fcats.example%2Fa%3Fb%3D1%26c%3D2&amp;rut=abc"
    upstream.says(
        page(
            result(wrapped, extras="&nbsp; 2026-06-30T00:00:00.0000000"), result("https://b.example/", "B &lt;i&gt; C")
        )
    )
    first, second = await duckduckgo.ask("web", WebQuery(query="cats"))
    assert (first.url, first.snippet) == ("https://cats.example/a?b=1&c=2", "All about cats & dogs")
    assert first.published_at == "2026-06-30T00:00:00Z"
    assert second.title == "B <i> C"


async def test_advertisements_are_skipped(duckduckgo, upstream):
    detour = "https://duckduckgo.com/y.js?ad_domain=shop.example&u3=https%3A%2F%2Fwww.bing.com%2Faclick"
    upstream.says(
        page(
            result("https://shop.example/", marks="result--ad"),
            result("https://shop.example/2").replace("<h2", '<button class="badge--ad">Ad</button><h2'),
            result(detour),
            result("https://cats.example/"),
        )
    )
    assert [hit.url for hit in await duckduckgo.ask("web", WebQuery(query="cats"))] == ["https://cats.example/"]


async def test_a_wrapped_address_is_checked_like_any_other(duckduckgo, upstream):
    wrap = "//duckduckgo.com/l/?uddg="
    upstream.says(page(result(wrap + "javascript%3Aalert(1)"), result(wrap), result("https://cats.example/")))
    assert [hit.url for hit in await duckduckgo.ask("web", WebQuery(query="cats"))] == ["https://cats.example/"]


async def test_no_results_is_an_answer(duckduckgo, upstream):
    upstream.says(page('<div class="result result--no-result"><div class="no-results">No results.</div></div>'))
    assert await duckduckgo.ask("web", WebQuery(query="cats")) == []


@pytest.mark.parametrize(("body", "status"), [(PUZZLE, 202), (PUZZLE, 200), ("", 202), (page(), 202)])
async def test_a_puzzle_for_robots_is_a_rate_limit_not_an_empty_answer(duckduckgo, upstream, body, status):
    upstream.says(body, status)
    with pytest.raises(RateLimited) as failure:
        await duckduckgo.ask("web", WebQuery(query="cats"))
    assert failure.value.retry_after == 60


async def test_a_result_about_puzzles_is_none(duckduckgo, upstream):
    upstream.says(
        page(result("https://cats.example/", "class=anomaly-modal explained", '<b class="anomaly-modal">x</b>'))
    )
    assert len(await duckduckgo.ask("web", WebQuery(query="cats"))) == 1


@pytest.mark.parametrize("body", ['{"results": []}', "<html><body>Welcome</body></html>", "", "garbage", "[]"])
async def test_another_page_is_a_failure_not_an_empty_answer(duckduckgo, upstream, body):
    upstream.says(body)
    with pytest.raises(UpstreamFailed):
        await duckduckgo.ask("web", WebQuery(query="cats"))


async def test_a_question_longer_than_it_takes_is_cut_with_a_notice(duckduckgo, upstream):
    upstream.says(page())
    hits = await duckduckgo.ask("web", WebQuery(query="x" * 480, exact_terms="black cat " * 10))
    assert len(upstream.requests[0].query["q"]) <= 499
    assert hits.warnings
