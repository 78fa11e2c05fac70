"""Cancelling a tool that works in the background."""

import pytest

from assay.work_queue.work_timing import WorkTiming
from assay.work_queue.worker import Worker

ASK = {"tool": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}}
QUICK = WorkTiming(idle=0.05, lease=2.0, beat=0.2, sweep=0.2)


@pytest.fixture
async def waiting(ask, services):
    """A call that no worker has begun."""
    services.runs_workers = False
    return (await ask("start_tool_call", **ASK)).wire["callId"]


async def test_a_cancelled_call_is_not_made(ask, waiting, services, site):
    cancelled = [(await ask("cancel_tool_call", id=waiting)).wire for _ in range(2)]
    assert cancelled == [{"callId": waiting, "status": "cancelled"}] * 2
    await Worker(services, services.queue, QUICK).run()
    assert site.requests == []
    assert (await ask("get_tool_call", id=waiting)).wire["status"] == "cancelled"


async def test_one_that_has_ended_stays_as_it_is(ask, waiting, services, serve_results, article):
    serve_results(article)
    await Worker(services, services.queue, QUICK).run()
    assert (await ask("cancel_tool_call", id=waiting)).wire["status"] == "completed"
    assert (await ask("get_tool_call", id=waiting)).wire["result"]["sources"]


async def test_an_unknown_one_is_not_found(ask):
    assert (await ask("cancel_tool_call", id="0" * 32)).error.kind == "not_found"
