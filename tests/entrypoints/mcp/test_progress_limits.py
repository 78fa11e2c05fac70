"""Progress is bounded: many reports become few, and a client that does not read costs little and not for long."""

import asyncio
import json
import threading
from dataclasses import replace
from typing import Annotated, Any

import pytest
import pytest_asyncio
import uvicorn
from mcp.client.client import Client
from pydantic import Field

from assay.context import Context
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.progress import BURST, PER_SECOND
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.invoke import Reply, execute
from assay.models.common import Input, Output
from assay.toolkit.tool import tool

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "flood", "arguments": {}, "_meta": {"progressToken": "t"}},
}
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


STOPPED: list[str] = []  # which call was cancelled


class Flood(Input):
    steps: Annotated[int, Field(ge=1, description="How many.")] = 10_000
    size: Annotated[int, Field(ge=0, description="Characters of each message.")] = 0


class Flooded(Output):
    steps: int


@tool(open_world=False)
async def flood(ask: Flood, ctx: Context) -> Flooded:
    """Report every small step."""
    try:
        for step in range(ask.steps):
            await ctx.report(step, ask.steps, f"step {step} " + "x" * ask.size)
    except asyncio.CancelledError:
        STOPPED.append(ctx.request_id)
        raise
    return Flooded(steps=ask.steps)


async def run_flood(_: str, arguments: Any, ctx: Context) -> Reply:
    return await execute(flood, arguments, ctx)


@pytest.fixture
def catalogue():
    return ToolCatalogue(names=lambda: ("flood",), find=lambda _: flood, run=run_flood)


@pytest_asyncio.fixture
async def server(services, catalogue):
    """The endpoint on a socket, which gives up on a client that takes nothing for half a second."""
    app = LocalMcp(services, catalogue, stall_seconds=0.5).app
    server = uvicorn.Server(uvicorn.Config(app, port=0, interface="asgi3", lifespan="off", log_level="critical"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = server.force_exit = True
    await serving


async def test_ten_thousand_reports_become_few_notifications(server):
    reports = []

    async def progress(done, total, message):
        reports.append((done, total, message))

    async with asyncio.timeout(60), Client(f"http://127.0.0.1:{server}/mcp") as client:
        began = asyncio.get_running_loop().time()
        result = await client.call_tool("flood", {}, progress_callback=progress)
        seconds = asyncio.get_running_loop().time() - began
    assert not result.is_error
    assert 2 <= len(reports) <= BURST + PER_SECOND * (seconds + 1)
    assert [done for done, _, _ in reports] == sorted({done for done, _, _ in reports})


async def test_a_client_that_never_reads_loses_its_call_and_costs_little(server):
    STOPPED.clear()
    reader, writer = await asyncio.open_connection("127.0.0.1", server, limit=1)  # the kernel's buffers fill up
    call = json.loads(json.dumps(CALL))
    call["params"]["arguments"] = {"steps": 10_000_000, "size": 1_000_000}
    body = json.dumps(call).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    writer.write(f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n{head}content-length: {len(body)}\r\n\r\n".encode() + body)
    reader._transport.pause_reading()
    try:
        async with asyncio.timeout(60):
            while not STOPPED:
                await asyncio.sleep(0.05)
    finally:
        writer.transport.abort()
    assert len(STOPPED) == 1


async def test_a_tool_that_has_nothing_to_report_is_seen_to_work(address, site, article):
    freed, reported = threading.Event(), asyncio.Event()
    results = [{"title": "Otters", "url": article, "content": "A snippet."}]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
    page = site.pages["/searxng/search"]
    site.pages["/searxng/search"] = replace(page, before=lambda: freed.wait(20))
    reports = []

    async def progress(done, total, message):
        reports.append((done, total, message))
        reported.set()

    async with Client(address) as client:
        call = asyncio.create_task(client.call_tool("web_search", {"query": "otters"}, progress_callback=progress))
        try:
            await asyncio.wait_for(reported.wait(), 60)
        finally:
            freed.set()
        assert not (await call).is_error
    assert reports == [(0.5, None, "Working")]
