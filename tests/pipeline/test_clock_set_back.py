"""What a clock that was ahead has left does not count once the clock was set right."""

import asyncio
import json

import pytest
import pytest_asyncio
from tests.conftest import ARTICLE
from tests.crawl.conftest import QUICK, page
from tests.support.watch_fixtures import grant  # noqa: F401  a fixture

from assay.caller import Caller
from assay.context import Context
from assay.crawl.job import CRAWLS
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient
from assay.search.distributed_throttle import make_reserve
from assay.statistics.call_history import read_history
from assay.text.timestamps import format_utc
from assay.work_queue.job_record import Lease
from assay.work_queue.worker import Worker

DAYS = 30 * 86_400
ADA = Caller("acme", "ada")


@pytest.fixture
def environ(environ):
    return environ | {"MONITORING_ENABLED": "true", "SEARCH_ROUTING": '{"default": "searxng"}'}


@pytest_asyncio.fixture
async def set_back(services, clock):
    """`set_back()`: the clock is right again; until then it is a month ahead."""
    services.http = ProviderClient(services.settings, pause=0)
    services.runs_workers = False
    clock.forward(DAYS)
    return lambda: clock.forward(-DAYS)


async def test_answers_of_an_unknown_age_are_asked_for_anew(ask, site, article, set_back):
    await ask("scrape_page", url=article)
    set_back()
    site.says("/otters", ARTICLE.replace("Otters hold hands", "Beavers build dams"))
    reply = await ask("scrape_page", url=article)
    assert "cached" not in reply.meta
    assert "Beavers build dams" in reply.wire["content"]


async def test_a_changed_page_is_new_and_not_unchanged(ask, site, grant, clock, set_back):  # noqa: F811
    await grant()
    site.says("/page", page(n="one"))
    await ask("monitor_query_save", ADA, query=site.url + "/page", kind="page")
    set_back()
    site.says("/page", page(n="two"))
    reply = await ask("monitor_query_check", ADA, query=site.url + "/page", kind="page")
    assert len(reply.wire["newResults"]) == 1
    assert reply.wire["lastRunAt"] == reply.wire["newResults"][0]["foundAt"]
    [entry] = (await ask("monitor_list", ADA)).wire["watches"]
    assert entry["nextRunAt"] < format_utc(clock() + DAYS / 2)  # so that the schedule goes on


async def test_a_provider_that_failed_is_asked_again(ask, site, set_back):
    site.says("/searxng/search", "No", 500)
    for number in range(8):
        await ask("web_search", query=f"otters {number}", provider="searxng")
    assert "paused" in (await ask("web_search", query="otters", provider="searxng")).error.message
    set_back()
    found = [{"title": "Otters", "url": "https://otters.example/", "content": "They sleep."}]
    site.says("/searxng/search", json.dumps({"results": found}), kind="application/json")
    reply = await ask("web_search", query="otters", provider="searxng")
    assert reply.error is None
    assert reply.wire["resultCount"] == 1


@pytest.fixture
def crawl(services, ask):
    """`await start(url)`: the id of a new crawl; `await finish(id)`: its status after a worker has done its work."""

    async def start(url):
        return (await invoke("cinder_crawl", {"url": url, "maxDepth": 1}, Context(services, ADA))).wire["crawlId"]

    async def finish(identity):
        await asyncio.wait_for(Worker(services, services.queue, QUICK).run(), 10)
        return (await ask("cinder_get_crawl_status", ADA, id=identity)).wire["status"]

    return start, finish


async def test_a_host_that_was_read_can_be_read_again(site, crawl, set_back):
    start, finish = crawl
    url = site.says("/page", page())
    assert await finish(await start(url)) == "completed"
    set_back()
    assert await finish(await start(url)) == "completed"


async def test_a_crawl_whose_worker_died_goes_on(services, site, crawl, set_back):
    start, finish = crawl
    identity = await start(site.says("/page", page()))
    await services.queue.receive(visible=60)
    lease = Lease(services.table, CRAWLS.key_of(identity), "a worker that died")
    assert await lease.take(services.clock(), QUICK.lease, services.clock() + DAYS) == 0
    set_back()
    assert await finish(identity) == "completed"


async def test_the_slots_of_a_provider_begin_anew(services, set_back):
    reserve = make_reserve(services.table, "slow", services.clock)
    await reserve(1.0, 5.0)
    set_back()
    assert await reserve(1.0, 5.0) == 0


async def test_calls_are_counted_in_the_history_at_once(services, set_back):
    async def call_and_count():
        await invoke("dedupe_rank", {"docs": []}, Context(services, ADA, "https"))
        history = await read_history(services.table, ADA.tenant, "hour", services.clock(), 1)
        return sum(each.calls for figures in history.values() for each in figures.tools.values())

    assert await call_and_count() == 1
    set_back()
    assert await call_and_count() == 1
