"""Calls over HTTPS that go on in the background: on request, and where the connection ends before the call."""

import asyncio
import json
import threading
from dataclasses import replace

import httpx
import jsonschema_rs
import pytest
import pytest_asyncio
from tests.oauth.browsers import KEY, RING
from tests.support.lambda_context import FakeLambdaContext

from assay.entrypoints.http import http_api, openapi, rest
from assay.entrypoints.http.local_server import create_app
from assay.entrypoints.mcp import stateless_server
from assay.entrypoints.mcp.tool_catalogue import load_catalogue
from assay.work_queue.work_timing import WorkTiming
from assay.work_queue.worker import Worker

ASYNC = {"prefer": "respond-async"}
ASK = {"query": "otters", "num_results": 1}
QUICK = WorkTiming(idle=0.05, lease=2.0, beat=0.2, sweep=0.2)


@pytest_asyncio.fixture
async def client(services):
    wire = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=wire, base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def found(site, article):
    results = [{"title": "Otters", "url": article, "content": "A snippet."}]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
    return article


@pytest.fixture
def hang(site, found):
    """The search engine answers only after `hang.set()`."""
    freed = threading.Event()
    page = site.pages["/searxng/search"]
    site.pages["/searxng/search"] = replace(page, before=lambda: freed.wait(20))
    yield freed
    freed.set()


def is_documented(path, method, response):
    """Whether the OpenAPI document describes the response."""
    described = openapi.document(["search_and_scrape"])["paths"][path][method]["responses"][str(response.status_code)]
    schema = described["content"]["application/json"]["schema"]
    return jsonschema_rs.is_valid(schema, response.json())


async def test_a_call_is_accepted_polled_and_answered_as_ever(client, hang):
    accepted = await client.post("/tools/search_and_scrape", json=ASK, headers=ASYNC)
    assert accepted.status_code == 202
    assert accepted.headers["preference-applied"] == "respond-async"
    assert is_documented("/tools/search_and_scrape", "post", accepted)
    place = accepted.headers["location"]
    assert place == f"/v1/calls/{accepted.json()['callId']}"
    pending = await client.get(place)
    assert (pending.status_code, pending.json()["status"]) == (202, "working")
    assert int(pending.headers["retry-after"]) > 0
    assert is_documented("/v1/calls/{id}", "get", pending)
    hang.set()
    done = await client.get(place, params={"waitSeconds": 20})
    at_once = await client.post("/tools/search_and_scrape", json=ASK)
    assert (done.status_code, at_once.status_code) == (200, 200)
    assert done.json()["sources"] == at_once.json()["sources"]
    assert done.json().keys() == at_once.json().keys()


async def test_a_call_may_be_waited_for_at_first(client, found):
    answered = await client.post("/tools/search_and_scrape", json=ASK, headers={"prefer": "respond-async, wait=20"})
    assert answered.status_code == 200
    assert answered.json()["sources"][0]["url"] == found


async def test_a_preference_that_cannot_be_followed_is_ignored(client):
    for prefer in ("respond-async", "wait=5", "return=minimal, RESPOND-ASYNC"):
        answered = await client.post("/tools/read_artifact", json={"id": "0" * 64}, headers={"prefer": prefer})
        assert answered.status_code == 404


async def test_a_crawl_can_be_polled_to_its_end(client, article):
    accepted = await client.post("/v1/crawl", json={"url": article}, headers=ASYNC)
    done = await client.get(accepted.headers["location"], params={"waitSeconds": 20})
    assert (done.status_code, done.json()["status"]) == (200, "completed")


async def test_errors_are_immediate(client, services):
    wrong = await client.post("/tools/search_and_scrape", json={"querry": "x"}, headers=ASYNC)
    assert (wrong.status_code, wrong.json()["error"]["kind"]) == (400, "validation")
    unknown = await client.post("/tools/search_and_scrapes", json=ASK, headers=ASYNC)
    assert unknown.status_code == 404
    services.settings = replace(services.settings, calls_per_tenant=1)
    services.runs_workers = False
    first, second = [await client.post("/tools/search_and_scrape", json=ASK, headers=ASYNC) for _ in range(2)]
    assert (first.status_code, second.status_code) == (202, 429)


async def test_the_error_of_the_tool_has_its_status(client, site):
    site.says("/searxng/search", "broken", status=500)
    accepted = await client.post("/tools/search_and_scrape", json=ASK, headers=ASYNC)
    done = await client.get(accepted.headers["location"], params={"waitSeconds": 20})
    at_once = await client.post("/tools/search_and_scrape", json=ASK)
    assert done.status_code == at_once.status_code >= 400
    assert done.json()["error"]["kind"] == at_once.json()["error"]["kind"]


async def test_a_call_is_cancelled(client, hang):
    place = (await client.post("/tools/search_and_scrape", json=ASK, headers=ASYNC)).headers["location"]
    for _ in range(2):
        cancelled = await client.delete(place)
        assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
        assert is_documented("/v1/calls/{id}", "delete", cancelled)
    gone = await client.get(place)
    assert (gone.status_code, gone.json()["error"]["kind"]) == (410, "cancelled")


@pytest.mark.parametrize("call", ["0" * 32, "x", "../../health", "%2e%2e%2f", "a" * 3_000, "0" * 32 + "/x"])
async def test_a_forged_address_leads_nowhere(client, call):
    for method in ("GET", "DELETE"):
        refused = await client.request(method, f"/v1/calls/{call}")
        assert refused.status_code == 404


@pytest.mark.parametrize("seconds", ["-1", "1e3", "26", "x", "9" * 99, "0000009999999"])
async def test_a_wait_out_of_range_is_refused(client, found, seconds):
    place = (await client.post("/tools/search_and_scrape", json=ASK, headers=ASYNC)).headers["location"]
    assert (await client.get(place, params={"waitSeconds": seconds})).status_code == 400
    assert (await client.put(place)).status_code == 405


class TestOfTwoPeople:
    @pytest.fixture
    def environ(self, environ):
        return environ | {"ASSAY_API_KEYS": RING}

    async def test_the_call_of_somebody_else_is_unknown(self, client, services):
        services.runs_workers = False
        ada, bob = ({"authorization": f"Bearer {key}"} for key in (KEY, "assay_bob"))
        place = (await client.post("/tools/search_and_scrape", json=ASK, headers=ASYNC | ada)).headers["location"]
        for method in ("GET", "DELETE"):
            foreign = await client.request(method, place, headers=bob)
            unknown = await client.request(method, "/v1/calls/" + "0" * 32, headers=bob)
            assert (foreign.status_code, foreign.json()) == (unknown.status_code, unknown.json())
            assert (await client.request(method, place)).status_code == 401
        assert (await client.get(place, headers=ada)).status_code == 202


async def test_a_call_that_outlives_its_connection_goes_on(services, hang):
    """On Lambda, where the HTTP API ends a request after 30 seconds; here the function has fewer left."""
    services.runs_workers = False
    event = {"headers": {}, "body": json.dumps(ASK), "requestContext": {"http": {"method": "POST"}}}
    response = await http_api.answer("search_and_scrape", event, FakeLambdaContext(4.0), services)
    assert response["statusCode"] == 202
    message = json.loads(response["body"])["message"]
    assert "get_tool_call" in message
    assert response["headers"]["location"] in message
    hang.set()
    await Worker(services, services.queue, QUICK).run()
    poll = {"rawPath": response["headers"]["location"], "requestContext": {"http": {"method": "GET"}}}
    done = await rest.answer(poll, FakeLambdaContext(), services)
    assert done["statusCode"] == 200
    assert json.loads(done["body"])["sources"]


async def test_a_model_is_told_how_to_fetch_a_call_that_goes_on(services, hang, ask):
    services.runs_workers = False
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search_and_scrape", "arguments": ASK},
    }
    headers = {"content-type": "application/json", "accept": "application/json", "mcp-protocol-version": "2025-11-25"}
    event = {"headers": headers, "body": json.dumps(message), "requestContext": {"http": {"method": "POST"}}}
    response = await stateless_server.handle_event(event, FakeLambdaContext(4.0), services, load_catalogue())
    text = json.loads(response["body"])["result"]["content"][0]["text"]
    error = json.loads(text.partition("\n\n")[2])["error"]
    assert (error["kind"], error["suggestedAction"]) == ("pending", "fetch_later")
    assert f"get_tool_call, id {error['callId']}" in text
    hang.set()
    worker = asyncio.create_task(Worker(services, services.queue, QUICK).run())
    fetched = await ask("get_tool_call", id=error["callId"], waitSeconds=20)
    await worker
    assert fetched.wire["status"] == "completed"
    assert fetched.wire["result"]["sources"]
