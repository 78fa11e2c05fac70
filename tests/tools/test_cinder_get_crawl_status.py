"""How a crawl fares: counts that add up, pages that keep their places, an end that comes."""

import threading

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke

ADA, EVE = Caller("acme", "ada"), Caller("evil", "eve")


def page(links=(), n=0):
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    text = f"Otter {n} holds stone {n} and swims upstream with it until the evening comes. " * 4
    return f"<title>Otter {n}</title><article><h1>{n}</h1><p>{text}</p></article><nav>{anchors}</nav>"


@pytest.fixture
def star(site):
    """A page that links to twelve."""
    for n in range(1, 13):
        site.says(f"/{n}", page(n=n))
    return site.says("/0", page([f"/{n}" for n in range(1, 13)]))


@pytest.fixture
async def crawl_id(ask, star):
    return (await ask("cinder_crawl", url=star)).wire["crawlId"]


@pytest.fixture
async def finished_crawl(ask, crawl_id):
    status = await ask("cinder_get_crawl_status", id=crawl_id, waitSeconds=30)
    assert status.wire["status"] == "completed"
    return crawl_id


async def test_waiting_ends_with_the_crawl(ask, finished_crawl):
    reply = (await ask("cinder_get_crawl_status", id=finished_crawl)).wire
    assert (reply["pagesFound"], reply["pagesCrawled"], reply["progress"], len(reply["pages"])) == (13, 13, 100, 13)
    assert reply["hasMore"] is False
    assert "nextOffset" not in reply
    assert "error" not in reply
    assert reply["createdAt"] <= reply["completedAt"] < reply["expiresAt"]
    assert reply["trust"] == "untrusted-external-content"


async def test_pages_follow_each_other_without_gap_or_double(ask, finished_crawl):
    for limit in (1, 4, 5, 13, 100):
        results, offset = [], 0
        while offset is not None:
            reply = (await ask("cinder_get_crawl_status", id=finished_crawl, offset=offset, limit=limit)).wire
            assert len(reply["pages"]) <= limit
            assert reply["hasMore"] is ("nextOffset" in reply)
            results += [row["url"] for row in reply["pages"]]
            offset = reply.get("nextOffset")
        assert [url.rpartition("/")[2] for url in results] == [str(n) for n in range(13)], limit


async def test_an_offset_past_the_end_is_an_empty_list(ask, finished_crawl):
    reply = (await ask("cinder_get_crawl_status", id=finished_crawl, offset=999)).wire
    assert reply["pages"] == []
    assert reply["hasMore"] is False


async def test_while_it_runs_pages_keep_their_places_and_progress_never_falls(ask, site, star):
    guard = threading.Semaphore(0)
    for n in range(1, 13):
        site.pages[f"/{n}"].before = lambda: guard.acquire(timeout=20)
    crawl_id = (await ask("cinder_crawl", url=star)).wire["crawlId"]
    seen, progress = [], 0
    for n in range(13):
        guard.release()
        while True:
            reply = (await ask("cinder_get_crawl_status", id=crawl_id, waitSeconds=0.1)).wire
            if len(reply["pages"]) > n or reply["status"] == "completed":
                break
        urls = [row["url"] for row in reply["pages"]]
        assert urls[: len(seen)] == seen
        assert reply["progress"] >= progress
        assert len(urls) <= reply["pagesFound"] <= 13
        assert reply["pagesCrawled"] == len(urls)
        if reply["status"] == "running":
            assert reply["nextOffset"] == len(urls)
            assert reply["hasMore"] is True
            assert reply["progress"] < 100
        seen, progress = urls, reply["progress"]
    assert (await ask("cinder_get_crawl_status", id=crawl_id, waitSeconds=20)).wire["progress"] == 100


async def test_content_comes_when_asked_for(ask, finished_crawl):
    reply = await ask("cinder_get_crawl_status", id=finished_crawl, includeContent=True, limit=3)
    assert [f"Otter {n} holds" in row["content"] for n, row in enumerate(reply.wire["pages"])] == [True] * 3
    assert "Otter 2 holds" in reply.text
    assert "content" not in (await ask("cinder_get_crawl_status", id=finished_crawl)).wire["pages"][0]


async def test_content_that_is_large_is_kept_aside_and_can_be_read(ask, site):
    long = "".join(
        f"<p>{n}: {'Long tales of rivers and their otters are told here at night. ' * 8}</p>" for n in range(80)
    )
    url = site.says("/long", f"<article><h1>Long</h1>{long}</article>")
    crawl_id = (await ask("cinder_crawl", url=url)).wire["crawlId"]
    await ask("cinder_get_crawl_status", id=crawl_id, waitSeconds=20)
    linked = (await ask("cinder_get_crawl_status", id=crawl_id, includeContent=True)).wire
    assert (linked["linked"], linked["status"], linked["pagesCrawled"]) == (True, "completed", 1)
    piece = (await ask("read_artifact", id=linked["resource"])).wire
    assert "Long tales" in piece["content"]


async def test_what_a_model_reads_says_where_it_stands(ask, finished_crawl):
    text = (await ask("cinder_get_crawl_status", id=finished_crawl, limit=2)).text
    assert text.startswith(f"Crawl {finished_crawl} of")
    assert "13 pages found, 13 crawled" in text
    assert "- 1: http" in text
    assert "offset 2" in text


async def test_progress_is_reported_while_waiting(services, crawl_id):
    response = []

    async def report(progress, total, message):
        response.append((progress, total, message))

    ctx = Context(services, Caller(), report=report)
    await invoke("cinder_get_crawl_status", {"id": crawl_id, "waitSeconds": 30}, ctx)
    assert [each[0] for each in response] == sorted({each[0] for each in response})
    assert response[-1] == (13, 13, "13 of 13 pages")


async def test_waiting_ends_in_time(ask, site):
    release = threading.Event()
    url = site.says("/slow", page())
    site.pages["/slow"].before = lambda: release.wait(20)
    crawl_id = (await ask("cinder_crawl", url=url)).wire["crawlId"]
    reply = (await ask("cinder_get_crawl_status", id=crawl_id, waitSeconds=0.5)).wire
    release.set()
    assert reply["status"] in ("queued", "running")
    assert reply["hasMore"] is True
    assert reply["nextOffset"] == 0


@pytest.mark.parametrize("name", ["0" * 32, "x", "../crawl", "crawl/active", "a\u202eb", "%00"])
async def test_an_unknown_crawl_is_not_found(ask, name):
    assert (await ask("cinder_get_crawl_status", id=name)).error.kind == "not_found"


async def test_a_crawl_of_another_tenant_is_not_found(ask, star):
    mine = (await ask("cinder_crawl", ADA, url=star)).wire["crawlId"]
    for tool in ("cinder_get_crawl_status", "cinder_cancel_crawl"):
        theirs = await ask(tool, EVE, id=mine)
        unknown = await ask(tool, EVE, id="0" * 32)
        assert theirs.error.wire() == unknown.error.wire()
    assert (await ask("cinder_get_crawl_status", ADA, id=mine, waitSeconds=30)).wire["status"] == "completed"


async def test_after_seven_days_it_is_gone(ask, finished_crawl, clock):
    clock.forward(7 * 86_400 - 60)
    reply = (await ask("cinder_get_crawl_status", id=finished_crawl, includeContent=True, limit=1)).wire
    assert reply["pages"][0]["content"]
    clock.forward(120)
    assert (await ask("cinder_get_crawl_status", id=finished_crawl)).error.kind == "not_found"


@pytest.mark.parametrize(
    ("field", "value"), [("offset", -1), ("limit", 0), ("limit", 101), ("waitSeconds", 51), ("waitSeconds", -1)]
)
async def test_what_is_out_of_range_is_refused(ask, field, value):
    reply = await ask("cinder_get_crawl_status", id="0" * 32, **{field: value})
    assert (reply.error.kind, reply.error.field) == ("validation", field)
