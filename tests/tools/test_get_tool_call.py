"""Fetching the answer of a tool that works in the background."""

import asyncio
import threading
from dataclasses import replace

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.tool_calls.call_job import CALLS

ASK = {"tool": "search_and_scrape", "arguments": {"query": "otters", "num_results": 1}}


@pytest.fixture
def start(ask):
    async def start_call(**asked):
        return (await ask("start_tool_call", **ASK | asked)).wire["callId"]

    return start_call


async def test_it_is_the_answer_that_the_tool_gives(ask, start, serve_results, article):
    serve_results(article)
    fetched = await ask("get_tool_call", id=await start(), waitSeconds=20)
    direct = await ask("search_and_scrape", **ASK["arguments"])
    assert fetched.wire["result"]["sources"] == direct.wire["sources"]
    assert direct.text in fetched.text


async def test_an_error_of_the_tool_is_told_as_such(ask, start, site):
    site.says("/searxng/search", "broken", status=500)
    fetched = await ask("get_tool_call", callId=await start(), waitSeconds=20)
    assert (fetched.wire["status"], "result" in fetched.wire) == ("completed", False)
    assert fetched.wire["error"]["kind"] == "upstream_unavailable"
    assert fetched.wire["error"]["message"] in fetched.text


async def test_until_then_it_says_how_far_the_call_is(ask, start, site, serve_results, article):
    freed, entered = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    serve_results(article)

    def hold():
        loop.call_soon_threadsafe(entered.set)
        freed.wait(20)

    site.pages["/otters"] = replace(site.pages["/otters"], before=hold)
    call = await start()
    try:
        await asyncio.wait_for(entered.wait(), 60)
        while "done" not in (state := (await ask("get_tool_call", id=call, waitSeconds=0))).wire:
            await asyncio.sleep(0.05)
    finally:
        freed.set()
    assert (state.wire["status"], state.wire["done"], state.wire["total"]) == ("working", 1, 2)
    assert "1 of 2 steps" in state.text


async def test_a_large_answer_is_linked(ask, start, site, serve_results):
    words = "".join(f"<p>{n} otters swim {'and dive ' * 40}.</p>" for n in range(900))
    serve_results(*[site.says(f"/{n}", f"<title>{n}</title><article>{words}{n}</article>") for n in range(4)])
    arguments = {"query": "otters", "num_results": 4, "max_length_per_source": 20_000, "deduplicate": False}
    call = await start(arguments=arguments)
    fetched = await ask("get_tool_call", id=call, waitSeconds=20)
    assert fetched.wire["linked"] is True
    assert fetched.wire["status"] == "completed"
    stored = await ask("read_artifact", id=fetched.wire["resource"], length=200)
    assert '{"callId"' in stored.text


async def test_the_answer_expires_after_a_day(ask, start, clock, services):
    services.runs_workers = False
    call = await start()
    clock.forward(86_402)
    assert (await ask("get_tool_call", id=call)).error.kind == "not_found"


async def test_progress_is_reported_while_it_waits(services, start, serve_results, article):
    serve_results(article)
    services.runs_workers = False
    call = await start()
    job = await CALLS.load(services.table, call)
    await CALLS.change(services.table, job, done=1, total=2, message="Found 1 results", updated=services.clock())
    reports = []

    async def report(*progress):
        reports.append(progress)

    ctx = Context(services, Caller(), report=report)
    await invoke("get_tool_call", {"id": call, "waitSeconds": 0.2}, ctx)
    assert reports == [(1, 2, "Found 1 results")]
