"""A worker that is in the middle of a job of an erased person leaves nothing behind."""

import asyncio
import json
from dataclasses import replace

import pytest
from tests.crawl.conftest import QUICK, page
from tests.support import sample_calls

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient
from assay.own_stores import OwnStores
from assay.personal_data.erasure import erase_person, finish_erasure
from assay.personal_data.namespaces import Person
from assay.sessions.session_keys import build_index_key, build_key
from assay.state.table_rows import query_all
from assay.work_queue.worker import Worker

ADA = Caller("acme", "ada")
MANUSCRIPT = (
    "Otters sleep at night, and they hold hands (Brook, 2020).\n\n# References\n\nBrook, A. (2020). On otters. {url}"
)
TIMING = replace(QUICK, beat=60.0, lease=30.0, sweep=60.0)  # no heartbeat finds out that the job is gone
JOBS = {
    "crawl": ("cinder_crawl", lambda url: {"url": url, "maxDepth": 1}),
    "audit": ("audit_document", lambda url: {"text": MANUSCRIPT.format(url=url), "wait_seconds": 0}),
    "tool-call": (
        "start_tool_call",
        lambda _: {"tool": "search_and_scrape", "arguments": json.dumps({"query": "otters", "num_results": 1})},
    ),
}


@pytest.fixture
def environ(environ, site):
    return environ | sample_calls.environ(site.url)


@pytest.fixture
def erases_while_served(services, site):
    """`erases_while_served("/page")`: the address of a page during whose first request Ada is erased."""
    receipts = []

    async def erase():
        receipts.append(await erase_person(services, Person("acme", "ada"), OwnStores(services, ADA).consents))
        await finish_erasure(services, Person("acme", "ada"))

    def serve(path):
        loop = asyncio.get_running_loop()

        def wait_for_erasure():
            if not receipts:
                asyncio.run_coroutine_threadsafe(erase(), loop).result(20)

        return site.says(path, page(), before=wait_for_erasure), receipts

    return serve


@pytest.mark.parametrize("kind", JOBS)
async def test_a_worker_that_reads_a_page_of_an_erased_person_leaves_nothing(
    services, site, erases_while_served, list_stored, kind
):
    services.runs_workers = False  # no other worker than the one that is run here
    tool, build_arguments = JOBS[kind]
    url, receipts = erases_while_served("/otters")
    services.http = ProviderClient(services.settings, pause=0)
    site.says("/searxng/search", json.dumps({"results": [{"title": "Otters", "url": url}]}), kind="application/json")
    started = await invoke(tool, build_arguments(url), Context(services, ADA))
    assert started.error is None, started.error
    await Worker(services, services.queue, TIMING).run()
    [receipt] = receipts
    assert receipt["deleted"]["jobs"] == 1
    rest = {row for row in list_stored() if row[0].startswith((f"{kind}/", f"{kind}s/", "file", "owned"))}
    assert rest == set()


class LateTable:
    """A table to which a worker writes one more page when the record of its job is about to be deleted."""

    def __init__(self, services):
        self._table, self._bucket = services.table, services.bucket

    def __getattr__(self, name):
        return getattr(self._table, name)

    async def delete(self, key, sort="-", **more):
        if sort == "-" and key.startswith("crawl/"):
            await self._bucket.put(f"{key}/late", b"Otters")
            await self._table.put(key, "page/000000", json.dumps({"body": f"{key}/late"}).encode())
        await self._table.delete(key, sort, **more)


async def test_what_a_worker_writes_until_the_record_of_its_job_is_deleted_is_deleted_too(services, site, list_stored):
    services.runs_workers = False
    await invoke("cinder_crawl", {"url": site.says("/otters", page())}, Context(services, ADA))
    services.table = LateTable(services)
    await erase_person(services, Person("acme", "ada"), OwnStores(services, ADA).consents)
    assert {row for row in list_stored() if row[0].startswith(("crawl", "file", "owned"))} == set()


class ErasingTable:
    """A table where the person is erased between a look for a session and what is written to it."""

    def __init__(self, services):
        self._table, self._services = services.table, services

    def __getattr__(self, name):
        return getattr(self._table, name)

    async def get(self, key, sort="-"):
        row = await self._table.get(key, sort)
        if sort == "head" and row is not None and self._services.table is self:
            self._services.table = self._table
            await erase_person(self._services, Person("acme", "ada"), OwnStores(self._services, ADA).consents)
        return row


@pytest.mark.parametrize("tool", ["scrape_page", "sequential_search"])
async def test_a_call_in_a_session_that_is_erased_meanwhile_leaves_nothing(services, site, ask, new_session, tool):
    session = await new_session(ADA)
    services.table = ErasingTable(services)
    if tool == "scrape_page":
        assert (await ask(tool, ADA, url=site.says("/otters", page()), sessionId=session)).meta["sessionNotFound"]
    else:
        step = {"searchStep": "Look", "stepNumber": 2, "nextStepNeeded": True}
        assert (await ask(tool, ADA, **step, sessionId=session)).error.kind == "session_not_found"
    assert await query_all(services.table, build_key("acme", "ada", session)) == []
    assert await query_all(services.table, build_index_key("acme")) == []
