"""Copies of pages: each asked for once, asked for again where none is confirmed, given up with a reason."""

import asyncio
import json

import pytest

from assay.errors import Network
from assay.jobs.job_timing import DAY
from assay.net.provider_client import ProviderClient

A = "http://93.184.215.14/paper"


async def test_a_copy_is_made_once_and_named(archive, watch_urls, passes, states, clock):
    await watch_urls(A, jobs=("archive",))
    done = await passes("archive")
    assert dict(done.outcomes) == {"archived": 1}
    state = (await states("archive"))[A]
    assert state["state"] == "done"
    assert state["archivedUrl"].startswith("https://web.archive.org/web/")
    clock.forward(30 * DAY)
    assert (await passes("archive")).done == 0
    assert archive.captured == {A: 1}


async def test_who_watches_it_again_has_it_archived_again(archive, watch_urls, passes, clock):
    await watch_urls(A, jobs=("archive",))
    await passes("archive")
    clock.forward(DAY)
    await watch_urls(A, jobs=("archive",))
    assert dict((await passes("archive")).outcomes) == {"archived": 1}
    assert archive.captured == {A: 2}


async def test_a_refusal_is_asked_again_later(archive, watch_urls, passes, states, clock, timing):
    archive.refusals = [429]
    await watch_urls(A, jobs=("archive",))
    done = await passes("archive")
    assert done.retried == 1
    state = (await states("archive"))[A]
    assert state["outcome"] == "pending"
    assert state["reason"]
    clock.forward(timing.pauses[0] + 5)
    assert dict((await passes("archive")).outcomes) == {"archived": 1}
    assert archive.captured == {A: 1}


async def test_what_is_not_public_is_parked_at_once(archive, watch_urls, passes, states):
    await watch_urls("http://127.0.0.1/admin", jobs=("archive",))
    assert (await passes("archive")).parked == 1
    [state] = (await states("archive")).values()
    assert (state["outcome"], state["state"]) == ("unchecked", "parked")
    assert archive.captured == {}


async def test_two_who_run_at_a_time_archive_each_page_once(archive, watch_urls, passes):
    urls = [f"{A}/{n}" for n in range(20)]
    await watch_urls(*urls, jobs=("archive",))
    first, second = await asyncio.gather(passes("archive"), passes("archive"))
    assert first.done + second.done == 20
    assert archive.captured == dict.fromkeys(urls, 1)


async def test_a_worker_that_lost_its_claim_does_not_undo_what_another_did(
    services, archive, watch_urls, timing, clock
):
    """Its lease ends while it works; another does the work; the first comes back and finds that it is done."""
    from assay.jobs import due_index, job_registry, leases
    from assay.jobs import task as tasks
    from assay.jobs.runner import run

    await watch_urls(A, jobs=("archive",))
    [row] = [row async for row in due_index.iter_due_rows(services.table, "archive", clock())]
    claim = await leases.claim_task(services, timing, await leases.load_claim(services, timing, "archive", row))
    clock.forward(timing.lease + timing.grace + 1)
    assert (await run("archive", services, timing=timing)).done == 1
    late = tasks.TaskResult("retry", "pending", reason="too slow")
    assert await leases.complete_task(services, timing, job_registry.find_job("archive"), claim, late) is None
    [stored] = (await tasks.load_tasks_by_owner(services.table, "archive", claim.task.owner)).values()
    assert stored[0].state == "done"
    assert archive.captured == {A: 1}


async def test_the_report_names_the_copies(services, archive, watch_urls, passes):
    await watch_urls(A, jobs=("archive",))
    done = await passes("archive")
    markdown, as_json = [await services.bucket.get(name) for name in done.reports]
    assert json.loads(as_json)["items"][0]["archivedUrl"].startswith("https://web.archive.org/web/")
    assert "[archived copy](https://web.archive.org/web/" in markdown.decode()


class SuspendedTable:
    """A table of a machine that falls asleep between two writes, while another clears away what stands alone."""

    def __init__(self, inner, asleep):
        self.inner, self.asleep = inner, asleep

    async def put(self, key, *given, **more):
        version = await self.inner.put(key, *given, **more)
        if key.startswith("due/") and self.asleep:
            await self.asleep.pop()()
        return version

    def __getattr__(self, name):
        return getattr(self.inner, name)


async def test_a_machine_that_sleeps_between_two_writes_loses_nothing(
    services, archive, watch_urls, passes, clock, timing
):
    awake, sleepy = services.table, SuspendedTable(services.table, [])

    async def asleep():
        clock.forward(timing.grace + 30)
        services.table = awake
        await passes("archive")
        services.table = sleepy

    sleepy.asleep, services.table = [asleep], sleepy
    await watch_urls(A, jobs=("archive",))
    assert dict((await passes("archive")).outcomes) == {"archived": 1}


class UnavailableTable:
    """A table that fails once a claim is to be written."""

    def __init__(self, inner):
        self.inner = inner

    async def put(self, key, *given, **more):
        if key.startswith("errands/"):
            raise Network("The table is away.", retry_after=1)
        return await self.inner.put(key, *given, **more)

    def __getattr__(self, name):
        return getattr(self.inner, name)


async def test_an_outage_of_the_table_ends_the_pass_in_its_own_words_and_loses_nothing(
    services, archive, watch_urls, passes
):
    await watch_urls(A, f"{A}/2", jobs=("archive",))
    there, services.table = services.table, UnavailableTable(services.table)
    with pytest.raises(Network, match="The table is away"):
        await passes("archive")
    services.table = there
    assert dict((await passes("archive")).outcomes) == {"archived": 2}


async def test_the_archive_is_asked_slowly_by_all_together(archive, watch_urls, passes, timing, clock):
    """One request, then a pause that other processes keep, too; who has no turn has not failed."""
    from dataclasses import replace

    slow = replace(timing, saving=3600.0, saving_patience=0.05)
    await watch_urls(*(f"{A}/{n}" for n in range(3)), jobs=("archive",))
    first, second = await asyncio.gather(passes("archive", slow), passes("archive", slow))
    assert sum(archive.captured.values()) == 1
    assert first.retried + second.retried == 2
    assert first.parked + second.parked == 0
    clock.forward(3601)
    await passes("archive", slow)
    assert sum(archive.captured.values()) == 2


async def test_what_is_never_confirmed_is_parked_with_the_archives_own_reason(
    archive, watch_urls, passes, states, clock
):
    from assay.jobs.job_timing import JobTiming

    quick = JobTiming(pauses=(60.0, 120.0), saving=0.0)
    archive.refusals = [429] * 3
    await watch_urls(A, jobs=("archive",))
    for pause in (0, 700, 700):
        clock.forward(pause)
        done = await passes("archive", quick)
    assert done.parked == 1
    state = (await states("archive"))[A]
    assert "failed 3 times in a row" in state["reason"]
    assert "No fresh capture" in state["reason"]
    assert state["outcome"] == "pending"  # which does not say that there is no copy


async def test_what_may_have_been_captured_is_not_asked_again_while_nobody_can_tell(
    services, archive, watch_urls, passes, states, clock, timing
):
    """A worker died after it had asked, and the index is away: the page is left for later, not captured twice."""
    from assay.caller import Caller
    from assay.context import Context
    from assay.state.json_documents import save
    from assay.verification.web_archive import LEASE_SECONDS, row_key

    await watch_urls(A, jobs=("archive",))
    archive.captured[A] = 1
    await save(services.table, row_key(Context(services, Caller("acme", "ada")), A), "-", {"began": clock()})
    clock.forward(LEASE_SECONDS + 1)
    archive.index_status = 503
    services.http = ProviderClient(services.settings, pause=0)
    assert (await passes("archive")).retried == 1
    assert "does not report" in (await states("archive"))[A]["reason"]
    archive.index_status = 200
    clock.forward(timing.pauses[0] + 5)
    assert dict((await passes("archive")).outcomes) == {"archived": 1}
    assert archive.captured == {A: 1}
