"""Stopping a crawl: at once, for good, and without losing what was read."""

import asyncio
import threading

import pytest


@pytest.fixture
async def running(ask, site):
    """A crawl of an endless site that has read a few pages."""

    def endless(n):
        text = f"Otter {n} swims on and on towards the next weir and the one behind it. " * 4
        return f"<title>{n}</title><article><h1>{n}</h1><p>{text}</p><a href='/{n + 1}'>on</a></article>"

    for n in range(300):
        site.says(f"/{n}", endless(n))
    begun = (await ask("cinder_crawl", url=site.url + "/0", maxDepth=10, maxPages=1000)).wire["crawlId"]
    while (await ask("cinder_get_crawl_status", id=begun)).wire["pagesCrawled"] < 2:
        await asyncio.sleep(0.02)
    return begun


async def test_it_ends_and_what_was_read_stays(ask, site, running):
    reply = (await ask("cinder_cancel_crawl", id=running)).wire
    assert reply["status"] == "cancelled"
    status = (await ask("cinder_get_crawl_status", id=running)).wire
    assert status["status"] == "cancelled"
    assert len(status["pages"]) == status["pagesCrawled"] == reply["pagesCrawled"] >= 2
    assert status["hasMore"] is False
    assert status["completedAt"]
    await asyncio.sleep(0.3)
    request = len(site.requests)
    await asyncio.sleep(0.3)
    assert len(site.requests) == request
    assert (await ask("cinder_get_crawl_status", id=running)).wire == status


async def test_twice_is_once(ask, running):
    first = await ask("cinder_cancel_crawl", id=running)
    again = await ask("cinder_cancel_crawl", id=running)
    assert again.wire == first.wire


async def test_one_at_its_end_is_left_as_it_is(ask, article):
    begun = (await ask("cinder_crawl", url=article)).wire["crawlId"]
    await ask("cinder_get_crawl_status", id=begun, waitSeconds=30)
    assert (await ask("cinder_cancel_crawl", id=begun)).wire["status"] == "completed"


async def test_one_that_nobody_began_ends_too(ask, article, services):
    services.runs_workers = False
    begun = (await ask("cinder_crawl", url=article)).wire["crawlId"]
    assert (await ask("cinder_cancel_crawl", id=begun)).wire["status"] == "cancelled"
    services.runs_workers = True
    status = (await ask("cinder_get_crawl_status", id=begun, waitSeconds=1)).wire
    assert (status["status"], status["pages"]) == ("cancelled", [])


async def test_another_crawl_goes_on(ask, site, running):
    release = threading.Event()
    site.says("/other", "<article><p>" + "Another tale of another river and its own otters. " * 5 + "</p></article>")
    site.pages["/other"].before = lambda: release.wait(10)
    other = (await ask("cinder_crawl", url=site.url + "/other")).wire["crawlId"]
    await ask("cinder_cancel_crawl", id=running)
    release.set()
    assert (await ask("cinder_get_crawl_status", id=other, waitSeconds=30)).wire["status"] == "completed"
