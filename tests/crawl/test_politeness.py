"""How a crawl behaves: what robots.txt says, one request at a time, pauses, and several crawls of one host."""

import asyncio
import threading
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.work_queue.worker import Worker


@pytest.fixture
def busy(site, page):
    """A site of twelve pages that counts how many it is asked for at a time."""
    lock, now, most = threading.Lock(), [0], [0]

    def count_callers():
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.01)
        with lock:
            now[0] -= 1

    for n in range(12):
        site.says(f"/{n}", page([f"/{each}" for each in range(12)], n=n), before=count_callers)
    site.says("/robots.txt", "User-agent: *\nAllow: /", kind="text/plain", before=count_callers)
    return most


async def test_robots_txt_is_asked_first_and_once_and_obeyed(crawl, site, page, visited_paths):
    site.says("/robots.txt", "User-agent: assay\nDisallow: /private\nAllow: /private/open\n", kind="text/plain")
    url = site.says("/", page(["/private/x", "/private/open", "/public"]))
    for path in ("/private/x", "/private/open", "/public"):
        site.says(path, page(n=path))
    status = await crawl(url)
    assert visited_paths() == ["/", "/private/open", "/public"]
    assert site.requests[0].path == "/robots.txt"
    assert [request.path for request in site.requests].count("/robots.txt") == 1
    assert status["pagesFound"] == 3


async def test_links_that_robots_txt_excludes_are_named_once_and_not_read(crawl, site, page):
    site.says("/robots.txt", "User-agent: *\nDisallow: /private", kind="text/plain")
    closed = [f"/private/{number}" for number in range(12)]
    url = site.says("/", page([*closed, "/a"]))
    site.says("/a", page([*closed[:3], "/private/more"]))
    status = await crawl(url, maxDepth=3)
    assert [each["excludedLinks"] for each in status["pages"]] == [
        [f"{url.rstrip('/')}{path}" for path in closed[:10]],
        [f"{url.rstrip('/')}/private/more"],
    ]
    assert status["notes"] == ["robots.txt excludes links of these pages (excludedLinks), which were not read."]


async def test_links_whose_robots_txt_cannot_be_fetched_are_not_said_to_be_excluded(crawl, fake_hosts, page):
    fake_hosts.says("otters.example", "/robots.txt", "User-agent: *\nDisallow: /private", content_type="text/plain")
    fake_hosts.says("www.otters.example", "/robots.txt", "broken", 503)
    fake_hosts.says("otters.example", "/", page(["/private", "http://www.otters.example/a"]))
    status = await crawl("http://otters.example/", maxDepth=3)
    [first] = status["pages"]
    assert first["excludedLinks"] == ["http://otters.example/private"]
    assert first["unreadLinks"] == ["http://www.otters.example/a"]
    assert status["notes"] == [
        "robots.txt excludes links of these pages (excludedLinks), which were not read.",
        "Links of these pages were not read, because the robots.txt of their host cannot be fetched (unreadLinks).",
    ]


async def test_rules_for_others_are_not_ours(crawl, site, page, visited_paths):
    site.says("/robots.txt", "User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /x", kind="text/plain")
    url = site.says("/", page(["/a", "/x"]))
    site.says("/a", page())
    await crawl(url)
    assert visited_paths() == ["/", "/a"]


async def test_a_start_page_that_is_closed_to_robots_fails_the_crawl(crawl, site, page, visited_paths):
    site.says("/robots.txt", "User-agent: *\nDisallow: /", kind="text/plain")
    status = await crawl(site.says("/", page()))
    assert (status["status"], status["pages"]) == ("failed", [])
    assert "robots.txt" in status["error"]
    assert visited_paths() == []


async def test_a_robots_txt_that_cannot_be_had_closes_the_site(crawl, site, page, visited_paths):
    site.says("/robots.txt", "broken", status=503)
    status = await crawl(site.says("/", page()))
    assert status["status"] == "failed"
    assert "robots.txt cannot be fetched (HTTP 503)" in status["error"]
    assert visited_paths() == []
    assert len(site.requests) == 3  # it may have been a moment's trouble


async def test_a_redirect_does_not_lead_where_robots_may_not_go(crawl, site, page, visited_paths):
    site.says("/robots.txt", "User-agent: *\nDisallow: /private", kind="text/plain")
    url = site.says("/", page(["/door"]))
    site.says("/door", b"", status=302, headers={"location": "/private/room"})
    status = await crawl(url)
    assert visited_paths() == ["/", "/door"]
    assert "/private/room" in status["pages"][1]["error"]


async def test_one_request_at_a_time(crawl, site, busy):
    await crawl(site.url + "/0")
    assert busy == [1]


async def test_two_crawls_of_one_host_share_it(services, site, busy, quick):
    services.runs_workers = False
    ctx = Context(services, Caller())
    begun = [await invoke("cinder_crawl", {"url": site.url + "/0"}, ctx) for _ in range(3)]
    workers = [Worker(services, services.queue, quick) for _ in range(2)]
    await asyncio.gather(*(worker.run() for worker in workers))
    for each in begun:
        status = (await invoke("cinder_get_crawl_status", {"id": each.wire["crawlId"]}, ctx)).wire
        assert (status["status"], status["pagesCrawled"]) == ("completed", 12)
    assert busy == [1]


async def test_the_operator_may_allow_more_at_a_time(crawl, services, site, busy):
    services.settings = replace(services.settings, crawl_per_host=4)
    status = await crawl(site.url + "/0")
    assert status["pagesCrawled"] == 12
    assert 1 < busy[0] <= 4


async def test_a_pause_that_robots_txt_asks_for_is_kept(crawl, services, site, page):
    services.settings = replace(services.settings, crawl_per_host=4)
    site.says("/robots.txt", "User-agent: *\nCrawl-delay: 0.04", kind="text/plain")
    moments = []
    for n in range(4):
        site.says(
            f"/{n}", page([f"/{each}" for each in range(4)], n=n), before=lambda: moments.append(time.monotonic())
        )
    status = await crawl(site.url + "/0")
    assert status["pagesCrawled"] == 4
    assert min(later - earlier for earlier, later in pairwise(moments)) >= 0.035


async def test_a_long_pause_is_waited_out_by_the_queue_not_by_a_worker(services, site, page, quick):
    services.runs_workers = False
    ctx = Context(services, Caller())
    site.says("/robots.txt", "User-agent: *\nCrawl-delay: 1.5", kind="text/plain")
    for n in range(2):
        site.says(f"/{n}", page(["/0", "/1"], n=n))
    begun = (await invoke("cinder_crawl", {"url": site.url + "/0"}, ctx)).wire["crawlId"]
    worker = asyncio.ensure_future(Worker(services, services.queue, replace(quick, idle=30.0)).run())
    while (await invoke("cinder_get_crawl_status", {"id": begun}, ctx)).wire["pagesCrawled"] < 1:
        await asyncio.sleep(0.02)
    other = type(site)()
    other.says("/", page())
    quick_one = (await invoke("cinder_crawl", {"url": other.url + "/"}, ctx)).wire["crawlId"]
    while (await invoke("cinder_get_crawl_status", {"id": quick_one}, ctx)).wire["status"] != "completed":
        await asyncio.sleep(0.02)
    assert (await invoke("cinder_get_crawl_status", {"id": begun}, ctx)).wire["pagesCrawled"] == 1
    while (await invoke("cinder_get_crawl_status", {"id": begun}, ctx)).wire["status"] != "completed":
        await asyncio.sleep(0.02)
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    other.close()


@pytest.mark.parametrize("delay", ["86400", "1e12", "99999999999999999999"])
async def test_a_pause_of_a_day_ends_the_crawl_with_what_it_has(crawl, site, page, visited_paths, delay):
    site.says("/robots.txt", f"User-agent: *\nCrawl-delay: {delay}", kind="text/plain")
    status = await crawl(site.says("/", page(["/a", "/b"])))
    assert status["status"] == "completed"
    assert visited_paths() == ["/"]
    assert "seconds between two pages" in status["notes"][0]
    assert (status["pagesFound"], status["pagesCrawled"]) == (3, 1)


async def test_a_host_that_others_keep_busy_costs_a_crawl_time_and_no_page(crawl, services, site, page, quick):
    """Another crawl holds the host for longer than anybody waits for it."""
    for n in range(3):
        site.says(f"/{n}", page([f"/{each}" for each in range(3)], n=n))
    host = site.url.removeprefix("http://")
    held = b'{"crawl": "another", "until": %f}' % (services.clock() + 1.0)
    await services.table.put(f"crawl-host/{host}", "slot/0", held)
    status = await crawl(site.url + "/0", timing=replace(quick, slot=0.05, slice=0.1))
    assert (status["status"], status["pagesCrawled"]) == ("completed", 3)
