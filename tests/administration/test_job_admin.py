"""Jobs of tenants, parked ones and dead letters: administrators list, retry and drop them."""

import json

import pytest
from infra.benchmarks.console_data import CountingTable, fill_failed_jobs

from assay.caller import Caller
from assay.context import Context
from assay.crawl.job import CRAWLS
from assay.crawl.start import start_crawl
from assay.work_queue import sweeper


@pytest.fixture
def begin(services, site):
    """`await begin(tenant)`: the id of a crawl that no worker has taken up."""
    services.runs_workers = False

    async def start(tenant):
        url = site.says("/", "<title>Otters</title><p>Otters hold hands.</p>")
        limits = {"max_pages": 1, "max_depth": 1, "include": (), "exclude": ()}
        return (await start_crawl(Context(services, Caller(tenant, "ada")), url, **limits)).id

    return start


@pytest.fixture
def park(begin, services, clock):
    """`await park(tenant)`: the id of a crawl that was given up, because no worker took it up."""

    async def give_up(tenant):
        crawl = await begin(tenant)
        while not (await CRAWLS.load(services.table, crawl)).is_ended:
            clock.forward(130)
            await sweeper.sweep(services)
        return crawl

    return give_up


async def test_jobs_that_have_not_ended_are_listed_page_by_page_and_cancelled(administer, begin):
    crawls = {await begin("acme"), await begin("acme"), await begin("burrow")}
    listed, after = [], {}
    while True:
        page = await administer("GET", "/admin/jobs", limit=2, **after)
        listed += page["jobs"]
        if "next" not in page:
            break
        after = {"after": page["next"]}
    assert {job["id"] for job in listed} == crawls
    own = (await administer("GET", "/admin/jobs", tenant_id="acme"))["jobs"]
    assert [(job["tenantId"], job["userId"], job["status"]) for job in own] == [("acme", "ada", "queued")] * 2
    dropped = await administer("DELETE", "/admin/jobs", kind="crawl", id=own[0]["id"])
    assert dropped["status"] == "cancelled"
    assert len((await administer("GET", "/admin/jobs", tenant_id="acme"))["jobs"]) == 1


async def test_the_jobs_of_a_tenant_are_listed_without_reading_those_of_others(administer, services):
    for number in range(9):  # some of them sort before acme's
        await fill_failed_jobs(services.table, Caller(f"tenant-{number}", "ada"), 3)
    await fill_failed_jobs(services.table, Caller("acme", "ada"), 3)
    services.table = counted = CountingTable(services.table)
    found = await administer("GET", "/admin/jobs", tenant_id="acme", state="parked", limit=2)
    assert [job["tenantId"] for job in found["jobs"]] == ["acme"] * 2
    assert counted.rows <= 4  # two of the list, and their jobs
    rest = await administer("GET", "/admin/jobs", tenant_id="acme", state="parked", after=found["next"])
    assert len({job["id"] for job in found["jobs"] + rest["jobs"]}) == 3


async def test_a_parked_job_is_retried_and_completes(administer, park, work, services):
    crawl = await park("acme")
    [parked] = (await administer("GET", "/admin/jobs", state="parked"))["jobs"]
    assert (parked["id"], parked["status"], "abandoned" in parked["error"]) == (crawl, "failed", True)
    retried = await administer("POST", "/admin/jobs/retry", kind="crawl", id=crawl)
    assert (retried["status"], "error" in retried) == ("queued", False)
    assert (await administer("GET", "/admin/jobs", state="parked"))["jobs"] == []
    assert [job["id"] for job in (await administer("GET", "/admin/jobs"))["jobs"]] == [crawl]
    await work()
    ended = await CRAWLS.load(services.table, crawl)
    assert (ended.status, ended.units) == ("completed", 1)
    refused = await administer("POST", "/admin/jobs/retry", kind="crawl", id=crawl, status=404)
    assert "not parked" in refused["error"]["message"]


async def test_a_retry_that_was_interrupted_can_be_repeated(administer, park, services, clock):
    crawl = await park("acme")
    await CRAWLS.reopen(services.table, await CRAWLS.load(services.table, crawl), clock())  # then the server died
    assert (await administer("POST", "/admin/jobs/retry", kind="crawl", id=crawl))["status"] == "queued"


async def test_a_parked_job_is_dropped_and_one_that_is_too_old_is_not_retried(administer, park, clock):
    crawl = await park("acme")
    clock.forward(86_400)
    refused = await administer("POST", "/admin/jobs/retry", kind="crawl", id=crawl, status=400)
    assert "Start a new one" in refused["error"]["message"]
    await administer("DELETE", "/admin/jobs", kind="crawl", id=crawl)
    assert (await administer("GET", "/admin/jobs", state="parked"))["jobs"] == []


async def test_an_administrator_of_another_tenant_cannot_tell_that_there_is_a_job(administer, park, lend_key):
    crawl, chief = await park("acme"), await lend_key("burrow", "admin")
    assert (await administer("GET", "/admin/jobs", chief, state="parked"))["jobs"] == []
    there = await administer("POST", "/admin/jobs/retry", chief, 404, kind="crawl", id=crawl)
    assert there == await administer("POST", "/admin/jobs/retry", chief, 404, kind="crawl", id="0" * 32)
    await administer("DELETE", "/admin/jobs", chief, 404, kind="crawl", id=crawl)
    assert len((await administer("GET", "/admin/jobs", state="parked"))["jobs"]) == 1


async def kill_messages(services):
    """Deliver each message until it is a dead letter."""
    while messages := await services.queue.receive(visible=60):
        for message in messages:
            await services.queue.extend(message.receipt, 0)


async def test_dead_letters_are_listed_retried_and_dropped_by_their_tenant_alone(administer, begin, services, lend_key):
    crawls = [await begin("acme"), await begin("acme")]
    for body in ("none of ours", '"crawl"', '["crawl"]', "7"):
        await services.queue.send(body)
    await kill_messages(services)
    letters = (await administer("GET", "/admin/dead-letters"))["deadLetters"]
    assert len(letters) == 6
    own = [letter for letter in letters if letter.get("tenantId") == "acme"]
    assert {letter["jobId"] for letter in own} == set(crawls)
    chief = await lend_key("burrow", "admin")
    assert (await administer("GET", "/admin/dead-letters", chief))["deadLetters"] == []
    for method, path in (("POST", "/admin/dead-letters/retry"), ("DELETE", "/admin/dead-letters")):
        await administer(method, path, chief, 404, id=own[0]["id"])
    assert (await administer("POST", "/admin/dead-letters/retry", id=own[0]["id"]))["jobId"] == own[0]["jobId"]
    [message] = await services.queue.receive(visible=60)
    assert json.loads(message.body)["crawl"] == own[0]["jobId"]
    await administer("DELETE", "/admin/dead-letters", id=own[1]["id"])
    left = (await administer("GET", "/admin/dead-letters"))["deadLetters"]
    assert [letter.get("jobId") for letter in left] == [None] * 4
