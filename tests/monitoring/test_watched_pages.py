"""Watches of pages: changed passages come as a diff; a page that cannot be read has not changed."""

import json
import time
from dataclasses import replace

import pytest
from tests.support.watch_fixtures import ADA

from assay.jobs.job_timing import JobTiming
from assay.monitoring.watch_feed import format_atom, format_json_feed
from assay.own_stores import OwnStores

PARAGRAPHS = [
    "Otters live in rivers and along the coasts, and they sleep on the water while they hold hands.",
    "The survey of last spring counted forty animals between the two weirs, more than in any year before.",
    "Visitors are asked to keep to the paths and to keep their dogs on a lead between March and July.",
]
STEP = {"searchStep": "Find what is new", "stepNumber": 1, "totalStepsEstimate": 3, "nextStepNeeded": True}
HOUR, DAY = 3_600, 86_400


@pytest.fixture
def serve_page(site):
    def says(*paragraphs, status=200):
        body = "".join(f"<p>{text}</p>" for text in paragraphs)
        html = f"<html><head><title>Otters</title></head><body><main><h1>Otters</h1>{body}</main></body></html>"
        return site.says("/otters", html, status)

    return says


async def test_changed_passages_are_a_diff(ask, grant, serve_page):
    await grant()
    watched = {"query": serve_page(*PARAGRAPHS), "kind": "page"}
    assert (await ask("monitor_query_save", ADA, **watched)).wire["status"] == "ok"
    assert (await ask("monitor_query_check", ADA, **watched)).wire["newCount"] == 0
    changed = PARAGRAPHS[1].replace("forty", "sixty")
    serve_page(PARAGRAPHS[0], changed, PARAGRAPHS[2])
    [result] = (await ask("monitor_query_check", ADA, **watched)).wire["newResults"]
    assert (result["url"], result["title"]) == (watched["query"], "Otters")
    lines = result["diff"].splitlines()
    assert [line for line in lines if line[0] in "+-"] == [f"-{PARAGRAPHS[1]}", f"+{changed}"]
    assert lines[0].startswith("@@ ")
    assert (await ask("monitor_query_check", ADA, **watched)).wire["newCount"] == 0


async def test_a_page_that_leads_elsewhere_names_where_it_was_read(ask, grant, serve_page, site):
    await grant()
    watched = {"query": serve_page(*PARAGRAPHS), "kind": "page"}
    await ask("monitor_query_save", ADA, **watched)
    home = site.says("/", f"<title>Home</title><main><h1>Welcome</h1><p>{PARAGRAPHS[2]}</p></main>")
    site.says("/otters", "", 302, headers={"location": home})
    [result] = (await ask("monitor_query_check", ADA, **watched)).wire["newResults"]
    assert (result["url"], result["title"]) == (home, "Home")
    assert f"-{PARAGRAPHS[0]}" in result["diff"]


@pytest.mark.parametrize("status", [404, 503])
async def test_a_page_that_cannot_be_read_has_not_changed(ask, grant, serve_page, passes, clock, status):
    await grant()
    watched = {"query": serve_page(*PARAGRAPHS), "kind": "page"}
    await ask("monitor_query_save", ADA, **watched)
    await passes()
    serve_page("Nothing here.", status=status)
    clock.forward(DAY + 60)
    assert dict((await passes()).outcomes) == {"failed": 1}
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert (listed["state"], listed["unreadCount"]) == ("due", 0)
    serve_page(*PARAGRAPHS)
    clock.forward(DAY)
    assert dict((await passes()).outcomes) == {"checked": 1}
    assert (await ask("monitor_query_check", ADA, **watched)).wire["newCount"] == 0


async def check_on_schedule(passes, clock):
    clock.forward(DAY + 60)
    return dict((await passes()).outcomes)


async def test_a_scheduled_look_obeys_robots_txt_and_a_check_does_not(ask, grant, serve_page, passes, clock, site):
    await grant()
    watched = {"query": serve_page(*PARAGRAPHS), "kind": "page"}
    site.says("/robots.txt", "User-agent: *\nDisallow: /otters", kind="text/plain")
    assert (await ask("monitor_query_save", ADA, **watched)).wire["status"] == "ok"
    site.requests.clear()
    assert await check_on_schedule(passes, clock) == {"failed": 1}
    assert [request.path for request in site.requests] == ["/robots.txt"]
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert "robots.txt of 127.0.0.1 excludes this page" in listed["failure"]
    assert "monitor_query_check" in listed["failure"]
    serve_page(*PARAGRAPHS[:2])
    assert (await ask("monitor_query_check", ADA, **watched)).wire["newCount"] == 1
    site.says("/robots.txt", "User-agent: *\nDisallow: /\n\nUser-agent: assay\nDisallow:", kind="text/plain")
    assert await check_on_schedule(passes, clock) == {"checked": 1}


async def test_a_page_whose_robots_txt_cannot_be_fetched_is_not_read(ask, grant, serve_page, passes, clock, site):
    await grant()
    await ask("monitor_query_save", ADA, query=serve_page(*PARAGRAPHS), kind="page")
    site.says("/robots.txt", "", 503)
    site.requests.clear()
    assert await check_on_schedule(passes, clock) == {"failed": 1}
    assert {request.path for request in site.requests} == {"/robots.txt"}
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert listed["failure"].endswith("its robots.txt cannot be fetched (HTTP 503). The check is repeated later.")


async def test_scheduled_checks_keep_the_crawl_delay_and_fetch_robots_txt_once(ask, grant, passes, clock, site):
    await grant()
    for name in ("one", "two"):
        page = site.says(f"/{name}", f"<main><h1>Otters</h1><p>{PARAGRAPHS[0]}</p></main>")
        await ask("monitor_query_save", ADA, query=page, kind="page")
    site.says("/robots.txt", "User-agent: *\nCrawl-delay: 30", kind="text/plain")
    site.requests.clear()
    clock.forward(DAY + 60)
    summary = await passes(timing=JobTiming(patience=0.1))
    assert (dict(summary.outcomes), summary.retried) == ({"checked": 1}, 1)
    paths = [request.path for request in site.requests]
    assert (len(paths), paths.count("/robots.txt")) == (2, 1)


async def test_robots_txt_is_fetched_once_also_where_a_host_takes_several_requests(
    ask, grant, passes, clock, site, services
):
    services.settings = replace(services.settings, crawl_per_host=4)
    await grant()
    for name in ("one", "two", "three"):
        page = site.says(f"/{name}", f"<main><h1>Otters</h1><p>{PARAGRAPHS[0]}</p></main>")
        await ask("monitor_query_save", ADA, query=page, kind="page")
    site.says("/robots.txt", "", 503, before=lambda: time.sleep(0.2))
    site.requests.clear()
    clock.forward(DAY + 60)
    assert dict((await passes()).outcomes) == {"failed": 3}
    assert [request.path for request in site.requests] == ["/robots.txt"]


async def look_each_hour(passes, clock, times):
    for _ in range(times):
        clock.forward(HOUR + 60)
        await passes()


@pytest.mark.parametrize("status", [404, 410])
async def test_a_page_that_two_checks_do_not_find_is_reported_missing_once(
    ask, grant, serve_page, passes, clock, status
):
    await grant()
    watched = {"query": serve_page(*PARAGRAPHS), "kind": "page"}
    await ask("monitor_query_save", ADA, **watched, everyHours=1)
    await passes()
    serve_page("Nothing here.", status=status)
    await look_each_hour(passes, clock, 4)
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert (listed["unreadCount"], "failure" in listed) == (1, False)
    assert listed["missingSince"] < listed["lastRunAt"]
    [result] = (await ask("monitor_query_check", ADA, **watched)).wire["newResults"]
    assert (result["url"], result["title"], result["change"]) == (watched["query"], "Otters", "missing")
    assert f"returned {status}" in result["snippet"]
    assert (await ask("monitor_query_check", ADA, **watched)).wire["newCount"] == 0


async def test_a_missing_page_that_is_there_again_is_reported_with_what_changed(ask, grant, serve_page, passes, clock):
    await grant()
    watched = {"query": serve_page(*PARAGRAPHS), "kind": "page"}
    await ask("monitor_query_save", ADA, **watched, everyHours=1)
    await passes()
    serve_page("Nothing here.", status=404)
    await look_each_hour(passes, clock, 3)
    serve_page(*PARAGRAPHS[:2])
    await look_each_hour(passes, clock, 2)
    missing, back = (await ask("monitor_query_check", ADA, **watched)).wire["newResults"]
    assert (missing["change"], back["change"]) == ("missing", "back")
    assert f"-{PARAGRAPHS[2]}" in back["diff"]
    [listed] = (await ask("monitor_list", ADA)).wire["watches"]
    assert "missingSince" not in listed


async def test_a_page_that_says_that_it_does_not_exist_is_missing(ask, grant, serve_page, passes, clock, site):
    await grant()
    watched = {"query": serve_page(*PARAGRAPHS), "kind": "page"}
    await ask("monitor_query_save", ADA, **watched, everyHours=1)
    await passes()
    site.says("/otters", "<title>Page not found</title><main><h1>Page not found</h1><p>We moved.</p></main>")
    await look_each_hour(passes, clock, 3)
    [result] = (await ask("monitor_query_check", ADA, **watched)).wire["newResults"]
    assert result["change"] == "missing"


async def test_a_check_that_finds_a_page_missing_first_is_an_error_and_takes_no_results(
    ask, grant, serve_page, passes, clock
):
    await grant()
    watched = {"query": serve_page(*PARAGRAPHS), "kind": "page"}
    await ask("monitor_query_save", ADA, **watched)
    await passes()
    serve_page(*PARAGRAPHS[:2])
    clock.forward(DAY + 60)
    await passes()
    serve_page("Nothing here.", status=404)
    for _ in range(2):
        assert (await ask("monitor_query_check", ADA, **watched)).error.kind == "not_found"
        clock.forward(60)
    serve_page(*PARAGRAPHS[:2])
    [result] = (await ask("monitor_query_check", ADA, **watched)).wire["newResults"]
    assert "change" not in result
    assert f"-{PARAGRAPHS[2]}" in result["diff"]


async def test_a_page_that_is_missing_at_the_start_is_not_watched(ask, grant, serve_page):
    await grant()
    watched = {"query": serve_page("Nothing here.", status=404), "kind": "page"}
    assert (await ask("monitor_query_save", ADA, **watched)).error.kind == "not_found"
    assert (await ask("monitor_list", ADA)).wire["total"] == 0


async def test_the_feed_and_the_webhook_say_that_a_page_is_missing(
    ask, grant, serve_page, passes, clock, services, receiver, received, work
):
    services.runs_workers = False
    await grant()
    url = serve_page(*PARAGRAPHS)
    saved = await ask("monitor_query_save", ADA, query=url, kind="page", everyHours=1, webhook=receiver)
    await passes()
    serve_page("Nothing here.", status=404)
    await look_each_hour(passes, clock, 3)
    await work()
    [message] = received()
    [result] = json.loads(message.body)["data"]["newResults"]
    assert (result["url"], result["change"]) == (url, "missing")
    watches = OwnStores(services, ADA).watches
    watch, state = await watches.load(saved.wire["id"]), await watches.load_state(saved.wire["id"])
    assert "<title>Page missing: Otters</title>" in format_atom(watch, state, "")
    [entry] = json.loads(format_json_feed(watch, state, ""))["items"]
    assert entry["title"] == "Page missing: Otters"
    assert "returned 404" in entry["content_text"]


async def test_a_session_gets_no_missing_page_as_a_source(ask, grant, serve_page, passes, clock):
    await grant()
    url = serve_page(*PARAGRAPHS)
    session = (await ask("sequential_search", ADA, **STEP)).wire["sessionId"]
    await ask("monitor_query_save", ADA, query=url, kind="page", everyHours=1, sessionId=session)
    await passes()
    serve_page("Nothing here.", status=404)
    await look_each_hour(passes, clock, 3)
    assert url not in str((await ask("get_research_session", ADA, sessionId=session)).wire)


def test_a_diff_is_bounded():
    from assay.monitoring.page_changes import MAX_DIFF, MAX_PASSAGES, format_diff, split_passages

    before = split_passages("\n".join(f"before {n}" for n in range(100_000)))
    after = split_passages("\n".join(f"after {n}" for n in range(100_000)))
    assert len(before) == MAX_PASSAGES
    assert len(format_diff(before, after)) <= MAX_DIFF + 100
    assert format_diff(before, after).endswith("the rest is left out.]")


def test_the_state_of_a_watch_always_fits_a_row():
    from assay.monitoring.novelty import WatchResult, merge_results
    from assay.monitoring.page_changes import split_passages
    from assay.monitoring.watch_records import PageState, WatchState
    from assay.state.ports import ROW_BYTES

    state = merge_results(WatchState(), [], 0.0, by_text=True)
    for check in range(30):
        found = [
            WatchResult(f"https://x.example/{check}/{n}/{'é' * 100}", "獺" * 400, "獺犬" * 400, "é" * 300)
            for n in range(100)
        ]
        state = merge_results(state, found, float(check), by_text=check < 2).drop_oldest()
    assert len(state.items) == 100 or state.dropped
    page = PageState(read=1.0, passages=split_passages("\n".join('"獺\\' * 300 for _ in range(5_000))))
    assert len(state.model_copy(update={"page": page}).encode()) < ROW_BYTES
