"""Polls for calls in the background have a limit of their own, at every door, and do not count as calls."""

import json

import httpx
import pytest
import pytest_asyncio
from tests.entrypoints.mcp.conftest import modern_request
from tests.support.table_factories import FrozenClock

from assay.entrypoints.http.local_server import create_app
from assay.settings import Settings

TASKS = {"_meta": {"io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}}
LEGACY = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
ASK = {"query": "otters", "num_results": 1}


@pytest.fixture
def clock():
    return FrozenClock()


@pytest_asyncio.fixture
async def http(services, environ):
    """A client of a server that allows two polls and two calls a minute, and makes no call in the background."""
    services.runs_workers = False
    services.settings = Settings.read(environ | {"RATE_LIMIT_POLLS": "2", "RATE_LIMIT_PER_TENANT": "2"})
    wire = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=wire, base_url="http://127.0.0.1:8787") as client:
        yield client


@pytest_asyncio.fixture
async def call(http):
    """The id of a call in the background."""
    accepted = await http.post("/tools/search_and_scrape", json=ASK, headers={"prefer": "respond-async"})
    return accepted.json()["callId"]


async def send_modern(http, method, call):
    body, headers = modern_request(method, {"taskId": call} | TASKS)
    return await http.post("/mcp", content=body, headers=headers | {"host": "127.0.0.1:8787"})


def send_legacy(http, method, params):
    return http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers=LEGACY)


def get_call(http, call):
    return http.get(f"/v1/calls/{call}")


def cancel_unknown_call(http, _):
    return http.delete("/v1/calls/" + "0" * 32)


def call_tool(http, call):
    return http.post("/tools/get_tool_call", json={"id": call, "waitSeconds": 0})


def get_task(http, call):
    return send_modern(http, "tasks/get", call)


def list_tasks(http, _):
    return send_legacy(http, "tasks/list", {})


def update_task(http, call):
    body, headers = modern_request("tasks/update", {"taskId": call, "inputResponses": {}} | TASKS)
    return http.post("/mcp", content=body, headers=headers | {"host": "127.0.0.1:8787"})


POLLS = [get_call, cancel_unknown_call, call_tool, get_task, list_tasks, update_task]


@pytest.mark.parametrize("poll", POLLS)
async def test_two_polls_pass_and_the_third_is_told_when_to_come_back(http, call, clock, poll):
    for left in (1, 0):
        reply = await poll(http, call)
        assert "polls-minute" not in reply.text
        if poll is not cancel_unknown_call:
            assert reply.headers["ratelimit"].startswith(f'"polls-minute";r={left};')
    refused = await poll(http, call)
    error = refused.json()["error"]
    error = error.get("data", {}).get("error") or error
    assert (error["kind"], error["limit"]) == ("rate_limited", "polls-minute")
    assert refused.headers["retry-after"] == str(error["retryAfterSeconds"])
    if poll in (get_task, list_tasks, update_task):
        assert refused.json()["error"]["data"]["pollIntervalMs"] == error["retryAfterSeconds"] * 1000
    else:
        assert refused.status_code == 429
    for other in POLLS:
        assert "polls-minute" in (await other(http, call)).text
    clock.now += error["retryAfterSeconds"]
    assert "polls-minute" not in (await poll(http, call)).text


async def test_polls_are_no_calls_and_calls_no_polls(http, call):
    for _ in range(2):
        await get_call(http, call)
    assert (await http.post("/tools/read_artifact", json={"id": "x"})).status_code != 429
    refused = await http.post("/tools/read_artifact", json={"id": "x"})
    assert json.loads(refused.text)["error"]["limit"] == "tenant-minute"
