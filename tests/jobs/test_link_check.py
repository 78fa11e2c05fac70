"""What becomes of watched links: checked when due, retried with patience, given up with a reason, never accused."""

import asyncio
import json

import pytest

from assay.caller import Caller
from assay.jobs import job_report
from assay.jobs.job_timing import DAY, HOUR
from assay.sessions.session_keys import build_owner

A, B = "http://a.example/paper", "http://b.example/paper"


async def test_a_watched_link_is_checked_at_once_and_again_when_it_is_due(
    fake_hosts, watch_urls, passes, states, clock
):
    fake_hosts.says("a.example", "/paper", "text")
    await watch_urls(A)
    done = await passes()
    assert (done.done, dict(done.outcomes), done.has_more_due) == (1, {"live": 1}, False)
    state = (await states())[A]
    assert (state["outcome"], state["httpStatus"], state["verified"], state["state"]) == ("live", 200, True, "due")
    assert (await passes()).done == 0
    clock.forward(DAY - 60)
    assert (await passes()).done == 0
    clock.forward(120)
    assert (await passes()).done == 1
    assert len(fake_hosts.list_requests("HEAD")) == 2


async def test_a_time_between_two_looks_may_be_named(fake_hosts, watch_urls, passes, clock):
    fake_hosts.says("a.example", "/paper", "text")
    await watch_urls(A, every=HOUR)
    await passes()
    clock.forward(HOUR + 1)
    assert (await passes()).done == 1


@pytest.mark.parametrize("status", [404, 410])
async def test_dead_is_evidence_and_comes_with_the_copy_that_there_is(
    fake_hosts, archive, watch_urls, passes, states, status
):
    fake_hosts.says("a.example", "/paper", "gone", status)
    archive.captured[A] += 1
    await watch_urls(A)
    assert dict((await passes()).outcomes) == {"dead": 1}
    assert (await states())[A]["archivedUrl"].endswith("/" + A)


@pytest.mark.parametrize(("status", "outcome"), [(403, "blocked"), (429, "blocked"), (503, "blocked")])
async def test_a_refusal_says_nothing_of_the_page(fake_hosts, watch_urls, passes, states, status, outcome):
    fake_hosts.says("a.example", "/paper", "no", status)
    await watch_urls(A)
    done = await passes()
    assert dict(done.outcomes) == {outcome: 1}
    assert (done.retried, done.parked) == (0, 0)
    assert (await states())[A]["verified"] is False


async def test_a_name_that_is_not_there_is_dead_only_while_other_names_are(
    services, fake_hosts, watch_urls, passes, states
):
    await watch_urls(A)
    assert dict((await passes()).outcomes) == {"dead": 1}


async def test_where_no_name_is_known_nobody_is_accused(services, fake_hosts, watch_urls, passes, states):
    fake_hosts.knows_names = False
    await watch_urls(A)
    done = await passes()
    assert dict(done.outcomes) == {"unreachable": 1}
    assert done.retried == 1
    assert (await states())[A]["linkFailure"] == "dns_failure"


async def test_what_cannot_be_checked_is_tried_again_ever_later_and_then_parked_with_its_reason(
    fake_hosts, watch_urls, passes, states, clock, timing
):
    fake_hosts.says("a.example", "/paper", "trouble", 500)
    await watch_urls(A)
    for pause in timing.pauses:
        done = await passes()
        assert (done.done, done.retried, done.parked) == (1, 1, 0)
        clock.forward(pause - 5)
        assert (await passes()).done == 0
        clock.forward(10)
    done = await passes()
    assert (done.retried, done.parked) == (0, 1)
    state = (await states())[A]
    assert state["state"] == "parked"
    assert state["outcome"] == "unreachable"
    assert "failed 8 times in a row" in state["reason"]
    assert "HTTP 500" in state["reason"]
    assert "nextAt" not in state
    clock.forward(10 * DAY)
    assert (await passes()).done == 0


async def test_what_was_parked_is_tried_again_when_it_is_watched_again(
    fake_hosts, watch_urls, passes, states, clock, timing
):
    await test_what_cannot_be_checked_is_tried_again_ever_later_and_then_parked_with_its_reason(
        fake_hosts, watch_urls, passes, states, clock, timing
    )
    fake_hosts.says("a.example", "/paper", "text")
    await watch_urls(A)
    assert dict((await passes()).outcomes) == {"live": 1}
    assert "reason" not in (await states())[A]


async def test_one_success_ends_the_row_of_failures(fake_hosts, watch_urls, passes, states, clock, timing):
    fake_hosts.says("a.example", "/paper", "trouble", 500)
    await watch_urls(A)
    for pause in timing.pauses[:3]:
        await passes()
        clock.forward(pause + 5)
    fake_hosts.says("a.example", "/paper", "text")
    assert dict((await passes()).outcomes) == {"live": 1}
    fake_hosts.says("a.example", "/paper", "trouble", 500)
    clock.forward(DAY + 5)
    assert (await passes()).retried == 1
    clock.forward(timing.pauses[0] + 5)
    assert (await passes()).done == 1


async def test_an_address_that_may_not_be_asked_is_parked_at_once(environ, clock, fake_hosts, watch_urls, states):
    from assay.bootstrap import local_services
    from assay.jobs.runner import run
    from assay.jobs.watched_urls import list_watched, watch
    from assay.settings import Settings

    services = local_services(Settings.read(environ | {"ALLOW_PRIVATE_IPS": "false"}), clock)
    await watch(services, Caller(), ["http://127.0.0.1:9/admin", "http://169.254.169.254/latest"])
    done = await run("link_check", services)
    assert done.parked == 2
    results = await list_watched(services, Caller(), ["link_check"])
    assert {(one["outcome"], one["linkFailure"], one["state"]) for one in results} == {
        ("unreachable", "ssrf_blocked", "parked")
    }
    await services.close()


async def test_a_link_watched_within_the_same_millisecond_is_due(environ):
    from assay.bootstrap import local_services
    from assay.jobs.runner import run
    from assay.jobs.watched_urls import watch
    from assay.settings import Settings

    services = local_services(Settings.read(environ | {"ALLOW_PRIVATE_IPS": "false"}), lambda: 1_800_000_000.0006)
    await watch(services, Caller(), ["http://127.0.0.1:9/admin"])
    assert (await run("link_check", services)).done == 1
    await services.close()


async def test_no_host_is_asked_by_two_at_a_time(fake_hosts, watch_urls, passes):
    for n in range(6):
        fake_hosts.says("a.example", f"/{n}", "text")
    fake_hosts.seconds = 0.02
    await watch_urls(*(f"http://a.example/{n}" for n in range(6)))
    assert dict((await passes()).outcomes) == {"live": 6}
    assert fake_hosts.most_at_once == 1


async def test_hosts_are_asked_side_by_side(fake_hosts, watch_urls, passes):
    for host in "abcd":
        fake_hosts.says(f"{host}.example", "/", "text")
    fake_hosts.seconds = 0.3
    await watch_urls(*(f"http://{host}.example/" for host in "abcd"))
    assert dict((await passes()).outcomes) == {"live": 4}
    assert fake_hosts.most_at_once == 4


async def test_turns_at_a_host_are_shared_with_crawls_and_other_processes(
    fake_hosts, watch_urls, passes, services, timing
):
    from assay.crawl.politeness import HostSlots
    from assay.work_queue.work_timing import DEFAULT_TIMING as CRAWL

    fake_hosts.says("a.example", "/paper", "text")
    await watch_urls(A)
    crawl = HostSlots(services.table, services.clock, CRAWL, 1, "a crawl")
    from dataclasses import replace

    async with crawl.acquire("a.example", 1.0):
        done = await passes(timing=replace(timing, patience=0.05))
    assert (done.done, done.retried, dict(done.outcomes)) == (1, 1, {})
    assert fake_hosts.list_requests("HEAD") == []


async def test_a_link_whose_host_was_busy_has_not_failed(
    fake_hosts, watch_urls, passes, services, timing, clock, states
):
    await test_turns_at_a_host_are_shared_with_crawls_and_other_processes(
        fake_hosts, watch_urls, passes, services, timing
    )
    assert (await states())[A]["state"] == "due"
    clock.forward(timing.busy + 1)
    assert dict((await passes()).outcomes) == {"live": 1}


async def test_a_host_that_asks_for_fewer_requests_is_left_alone_for_a_while(
    fake_hosts, watch_urls, passes, timing, clock
):
    from dataclasses import replace

    for n in range(4):
        fake_hosts.says("a.example", f"/{n}", "slow down", 429)
    await watch_urls(*(f"http://a.example/{n}" for n in range(4)))
    done = await passes(timing=replace(timing, patience=0.05))
    assert dict(done.outcomes) == {"blocked": 1}
    assert done.retried == 3
    clock.forward(timing.busy + 1)
    assert (await passes(timing=replace(timing, patience=0.05))).outcomes["blocked"] == 1


async def test_two_who_run_at_a_time_check_each_link_once(fake_hosts, watch_urls, passes):
    urls = [f"http://h{n}.example/" for n in range(30)]
    for n in range(30):
        fake_hosts.says(f"h{n}.example", "/", "text")
    await watch_urls(*urls)
    first, second = await asyncio.gather(passes(), passes())
    assert first.done + second.done == 30
    assert len(fake_hosts.list_requests("HEAD")) == 30


async def test_a_pass_ends_in_time_and_the_next_goes_on(fake_hosts, watch_urls, passes, timing):
    fake_hosts.says("a.example", "/paper", "text")
    await watch_urls(A)
    done = await passes(seconds=timing.spare + 1.0)
    assert (done.done, done.has_more_due) == (0, True)
    done = await passes(seconds=timing.spare + 60.0)
    assert (done.done, done.has_more_due) == (1, False)


async def test_the_report_says_what_changed_and_accuses_nobody(services, fake_hosts, watch_urls, passes, clock):
    fake_hosts.says("a.example", "/paper", "text")
    fake_hosts.says("b.example", "/paper", "no", 403)
    await watch_urls(A, B)
    await passes()
    clock.forward(DAY + 60)
    fake_hosts.says("a.example", "/paper", "gone", 404)
    done = await passes()
    markdown, as_json = [await services.bucket.get(name) for name in done.reports]
    output = json.loads(as_json)
    assert output["counts"] == {"blocked": 1, "dead": 1}
    assert output["changed"] == 1
    assert output["trust"] == "untrusted-external-content"
    by_url = {item["url"]: item for item in output["items"]}
    assert by_url[A]["changedFrom"] == "live"
    assert "changedFrom" not in by_url[B]
    text = markdown.decode()
    assert "only dead speaks against a link" in text
    assert text.index("## Changed") < text.index("a.example") < text.index("## All others") < text.index("b.example")


async def test_each_person_has_reports_of_their_own(services, fake_hosts, watch_urls, passes):
    fake_hosts.says("a.example", "/paper", "text")
    fake_hosts.says("b.example", "/paper", "text")
    await watch_urls(A)
    await watch_urls(B, caller=Caller("other", "bob"))
    done = await passes()
    assert len(done.reports) == 4
    [ada] = [name for name in done.reports if build_owner("acme", "ada") in name and name.endswith("json")]
    assert [item["url"] for item in json.loads(await services.bucket.get(ada))["items"]] == [A]


async def test_no_markup_of_an_address_reaches_the_report(services, fake_hosts, watch_urls, passes):
    fake_hosts.says("a.example", "/x%3Cscript%3E)%20[click](http://evil.example/)", "text")
    await watch_urls("http://a.example/x<script>) [click](http://evil.example/)")
    done = await passes()
    text = (await services.bucket.get(done.reports[0])).decode()
    assert "<script>" not in text
    assert r"\[click\](http://evil.example" in text  # what is escaped is no link
    assert "%20%5Bclick%5D%28http://evil.example" in text


async def test_the_report_of_a_day_that_was_never_is_none(services):
    assert (
        await job_report.load_latest(services.bucket, build_owner("acme", "ada"), "link_check", ["2026-01-01"]) is None
    )


async def test_who_lets_go_of_a_link_has_it_checked_no_more(services, fake_hosts, watch_urls, passes, states):
    from assay.jobs.watched_urls import unwatch

    fake_hosts.says("a.example", "/paper", "text")
    await watch_urls(A)
    assert await unwatch(services, Caller("acme", "bob"), [A], jobs=["link_check"]) == 0
    assert await unwatch(services, Caller("acme", "ada"), [A], jobs=["link_check"]) == 1
    assert (await passes()).done == 0
    assert await states() == {}


async def test_what_is_watched_during_its_check_loses_neither(services, fake_hosts, watch_urls, passes, states):
    """Somebody asks for it while a worker has it: both writes count, and it is checked once."""
    fake_hosts.says("a.example", "/paper", "text")
    fake_hosts.seconds = 0.2
    await watch_urls(A)
    running = asyncio.create_task(passes())
    while not fake_hosts.visits:
        await asyncio.sleep(0.005)
    await watch_urls(A, every=HOUR)
    done = await running
    assert dict(done.outcomes) == {"live": 1}
    assert len(fake_hosts.list_requests("HEAD")) == 1
    assert (await states())[A]["outcome"] == "live"


async def test_a_link_over_which_workers_die_is_looked_at_alone_and_then_parked(
    services, fake_hosts, watch_urls, passes, states, clock, timing
):
    """Who dies says nothing more: so its claims are made here, and nothing after them."""
    from assay.jobs import due_index, leases

    fake_hosts.says("a.example", "/paper", "text")
    await watch_urls(A)
    for _ in range(timing.max_crashes):
        async for row in due_index.iter_due_rows(services.table, "link_check", clock()):
            claim = await leases.load_claim(services, timing, "link_check", row)
            if claim:
                await leases.claim_task(services, timing, claim)
        clock.forward(timing.lease + 1)
    done = await passes()
    assert done.parked == 1
    state = (await states())[A]
    assert "crashed on it 5 times" in state["reason"]
    assert state["outcome"] == "unchecked"
    assert fake_hosts.list_requests("HEAD") == []
