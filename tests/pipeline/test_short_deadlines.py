"""A caller with little time neither leaves its failure in the cache nor passes its deadline on to others."""

import asyncio
import threading
from datetime import timedelta

from tests.conftest import ARTICLE

from assay.caller import Caller
from assay.context import Context
from assay.errors import Network, ToolError
from assay.invoke import invoke


def in_seconds(services, seconds):
    return Context(services, Caller(), deadline=asyncio.get_running_loop().time() + seconds)


def refuse_then_wait(site, path, release):
    """The page at `path` refuses the first request and delays those after it until `release` is set."""
    seen = []

    def before():
        seen.append(path)
        if len(seen) == 1:
            site.says(path, ARTICLE, before=lambda: release.wait(20))

    return site.says(path, "Forbidden", status=403, before=before)


async def test_a_failure_for_want_of_time_is_not_kept(services, site):
    release = threading.Event()
    url = refuse_then_wait(site, "/slow", release)
    hurried = await invoke("scrape_page", {"url": url}, in_seconds(services, 3))
    release.set()
    assert hurried.error is not None
    patient = await invoke("scrape_page", {"url": url}, in_seconds(services, 60))
    assert patient.error is None
    assert "otters" in patient.wire["content"].lower()


async def test_who_joins_a_hurried_call_goes_on_alone_when_its_time_is_up(services):
    """The first caller has no time left when its work begins again; the second still has."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def work(ctx):
        begun.set()
        await go_on.wait()
        ctx.time_left()
        return {"from": ctx.request_id}

    async def call(seconds, name):
        ctx = in_seconds(services, seconds)
        ctx.request_id = name
        return await ctx.get_or_compute("x", timedelta(60), lambda: work(ctx))

    first = asyncio.create_task(call(0.2, "hurried"))
    await begun.wait()
    second = asyncio.create_task(call(30, "patient"))
    await asyncio.sleep(0.4)
    go_on.set()
    outcomes = await asyncio.gather(first, second, return_exceptions=True)
    assert isinstance(outcomes[0], Network)
    assert outcomes[1] == {"from": "patient"}


async def test_a_failure_with_another_cause_is_shared(services):
    calls = []

    async def work():
        calls.append(1)
        await asyncio.sleep(0.5)  # until all have asked, on a busy machine too
        raise ToolError("broken")

    contexts = [in_seconds(services, 30) for _ in range(3)]
    outcomes = await asyncio.gather(
        *(ctx.get_or_compute("y", timedelta(60), work) for ctx in contexts), return_exceptions=True
    )
    assert len(calls) == 1
    assert [str(outcome) for outcome in outcomes] == ["broken"] * 3
