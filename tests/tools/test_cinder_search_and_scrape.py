"""Searching and scraping in one call, by the path that every caller takes."""

import threading

import pytest
from tests.support.pages import RIVER, WEIR, article, html, prose
from tests.support.time_limits import try_limits

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke

FIELDS = {"id", "title", "url", "domain", "summary", "relevance", "statusCode", "content", "metadata", "loadTime"}


@pytest.fixture
def gather(ask):
    async def search_and_scrape(**more):
        reply = await ask("cinder_search_and_scrape", **({"query": "old weir"} | more))
        assert reply.error is None, reply.error
        return reply.wire

    return search_and_scrape


def visits(site):
    return [one.path for one in site.requests if "/searxng" not in one.path]


async def test_the_top_results_come_with_their_pages(gather, site, serve_results):
    urls = [site.says(f"/weir{n}", article(head="<title>The weir</title>")) for n in range(5)]
    serve_results(*urls)
    answer = await gather()
    assert [page["url"] for page in answer["results"]] == urls[:3]
    for page in answer["results"]:
        assert set(page) >= FIELDS
        assert (page["statusCode"], "error" in page) == (200, False)
        assert "Engineers measured the flow" in page["content"]
    assert (answer["hasMore"], answer["nextOffset"]) == (True, 3)
    assert answer["totalTime"] >= answer["searchTime"] >= 0
    assert answer["trust"] == "untrusted-external-content"


async def test_a_pages_failure_is_its_own_and_nobody_takes_its_place(gather, site, serve_results, upstream):
    upstream.says("cut")
    urls = [site.says("/weir", article()), upstream.url + "/x", site.says("/gone", article(), status=404)]
    serve_results(*urls, site.says("/spare", article()))
    answer = await gather()
    first, second, third = answer["results"]
    assert [page["url"] for page in answer["results"]] == urls
    assert second["error"]["kind"] == "network"
    assert second["error"]["retryable"] is True
    assert "content" not in second
    assert (third["statusCode"], "error" in third) == (404, False)
    assert first["statusCode"] == 200


async def test_pages_are_scraped_side_by_side(gather, site, serve_results):
    together = threading.Barrier(4, timeout=60)
    serve_results(*(site.says(f"/weir{n}", article(), before=together.wait) for n in range(4)))
    answer = await gather(numResults=4)
    assert [page["statusCode"] for page in answer["results"]] == [200] * 4


async def test_a_page_that_takes_too_long_does_not_hold_the_others(services, site, serve_results):
    import asyncio

    release = threading.Event()
    serve_results(site.says("/slow", article(), before=lambda: release.wait(60)), site.says("/weir", article()))

    async def gather(seconds):
        context = Context(services, Caller(), deadline=asyncio.get_running_loop().time() + seconds)
        reply = await invoke("cinder_search_and_scrape", {"query": "old weir"}, context)
        assert reply.error is None
        slow, quick = reply.wire["results"]
        assert slow["error"]["kind"] == "network"
        assert quick["statusCode"] == 200

    try:
        await try_limits(gather, 3, 30)
    finally:
        release.set()


async def test_long_pages_are_cut_and_say_so(ask, site, serve_results):
    serve_results(site.says("/long", html(f"<article>{prose(RIVER, WEIR, times=200)}</article>")))
    answer = (await ask("cinder_search_and_scrape", query="weir", numResults=1)).wire
    [page] = answer["results"]
    assert page["truncated"] is True
    assert len(page["content"].encode()) < 20_100


async def test_only_a_page_that_is_cut_here_is_said_to_be_read_whole_elsewhere(ask, site, serve_results):
    too_wide = f"<table>{('<tr>' + '<td>low' * 70) * 20}</table>"
    serve_results(
        site.says("/wide", html(f"<article>{prose(RIVER, WEIR)}{too_wide}</article>")),
        site.says("/long", html(f"<article>{prose(RIVER, WEIR, times=200)}</article>")),
    )
    reply = await ask("cinder_search_and_scrape", query="weir", numResults=2)
    assert [page["truncated"] for page in reply.wire["results"]] == [True, True]
    wide, long = reply.text.split("/long", 1)
    assert "Note: The page is larger than what is read of one page" in wide
    assert "cinder_scrape reads it whole" not in wide
    assert "cinder_scrape reads it whole" in long


async def test_the_parts_caches_are_used(gather, ask, site, serve_results):
    url = site.says("/weir", article())
    serve_results(url)
    await ask("cinder_scrape", url=url)
    await ask("cinder_search", query="old weir", numResults=3)
    before = len(site.requests)
    assert (await gather())["results"][0]["statusCode"] == 200
    assert len(site.requests) == before


async def test_nothing_found_is_not_a_failure(gather, serve_results):
    serve_results()
    answer = await gather()
    assert (answer["results"], answer["hasMore"]) == ([], False)
    assert "does not mean" in answer["note"]


async def test_an_outage_of_the_search_is_an_error(ask, site, at_once):
    site.says("/searxng/search", "no", status=500)
    reply = await ask("cinder_search_and_scrape", query="weir")
    assert (reply.error.kind, reply.error.retryable) == ("upstream_unavailable", True)


async def test_dynamic_without_a_browser_is_each_pages_error(gather, site, serve_results):
    serve_results(site.says("/weir", article()))
    [page] = (await gather(scrapeMode="dynamic"))["results"]
    assert page["error"]["kind"] == "browser_unavailable"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"numResults": 0}, "numResults"),
        ({"numResults": 11}, "numResults"),
        ({"mode": "deep"}, "mode"),
        ({"scrapeMode": "fast"}, "scrapeMode"),
        ({"query": "  "}, "query"),
        ({"offset": 3}, "offset"),
    ],
)
async def test_what_is_out_of_range_is_refused_by_name(ask, site, wrong, field):
    reply = await ask("cinder_search_and_scrape", **({"query": "weir"} | wrong))
    assert (reply.error.kind, reply.error.field) == ("validation", field)
    assert site.requests == []


class TestGuarded:
    @pytest.fixture
    def environ(self, environ):
        return environ | {"ALLOW_PRIVATE_IPS": "false"}

    async def test_results_that_point_inward_are_not_fetched(self, gather, site, serve_results):
        serve_results(site.says("/inside", article()), "http://169.254.169.254/latest/meta-data/")
        answer = await gather()
        assert {page["error"]["kind"] for page in answer["results"]} == {"validation"}
        assert visits(site) == []
