"""A call that writes is made once, however often its request comes."""

import asyncio
import json

import httpx
import pytest
import pytest_asyncio

from assay.entrypoints.http import http_api, openapi
from assay.entrypoints.http.local_server import create_app

STEP = {"searchStep": "Ask", "stepNumber": 1, "totalStepsEstimate": 2, "nextStepNeeded": True}
KEY = {"idempotency-key": "6f1c1c1e-0d7e-4d51-9d80-5f7c6f0a2b11"}


@pytest_asyncio.fixture
async def entry_point(services):
    wire = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=wire, base_url="http://127.0.0.1") as client:
        yield client


async def test_the_same_request_gets_the_stored_answer(entry_point, services):
    first, second = [await entry_point.post("/tools/sequential_search", json=STEP, headers=KEY) for _ in range(2)]
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    event = {"headers": KEY, "body": json.dumps(dict(reversed(STEP.items())))}
    on_lambda = await http_api.answer("sequential_search", event, None, services)
    assert json.loads(on_lambda["body"]) == first.json()


async def test_without_a_key_each_request_is_a_call(entry_point):
    answers = [(await entry_point.post("/tools/sequential_search", json=STEP)).json() for _ in range(2)]
    assert answers[0]["sessionId"] != answers[1]["sessionId"]


async def test_the_key_with_another_request_is_refused(entry_point):
    await entry_point.post("/tools/sequential_search", json=STEP, headers=KEY)
    refused = await entry_point.post("/tools/sequential_search", json=STEP | {"searchStep": "Other"}, headers=KEY)
    assert refused.status_code == 422
    assert refused.json()["error"]["field"] == "Idempotency-Key"
    other_tool = await entry_point.post("/v1/crawl", json={"url": "nonsense"}, headers=KEY)
    assert other_tool.status_code == 400


async def test_while_the_first_is_at_work_the_second_is_told_to_wait(entry_point, site):
    entered, release = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold() -> None:
        loop.call_soon_threadsafe(entered.set)
        asyncio.run_coroutine_threadsafe(release.wait(), loop).result(10)

    site.says("/searxng/search", json.dumps({"results": []}), kind="application/json", before=hold)
    ask = STEP | {"depth": "thorough"}
    first = asyncio.create_task(entry_point.post("/tools/sequential_search", json=ask, headers=KEY))
    await asyncio.wait_for(entered.wait(), 60)
    waiting = await entry_point.post("/tools/sequential_search", json=ask, headers=KEY)
    assert waiting.status_code == 409
    assert waiting.json()["error"]["retryable"] is True
    assert waiting.headers["retry-after"] == "2"
    release.set()
    answer = (await first).json()
    assert (await entry_point.post("/tools/sequential_search", json=ask, headers=KEY)).json() == answer


async def test_a_call_that_failed_gives_its_key_back(entry_point):
    wrong = await entry_point.post("/tools/sequential_search", json=STEP | {"stepNumber": 0}, headers=KEY)
    assert wrong.status_code == 400
    assert (await entry_point.post("/tools/sequential_search", json=STEP, headers=KEY)).status_code == 200


async def test_an_answer_is_forgotten_after_a_day(entry_point, clock):
    first = (await entry_point.post("/tools/sequential_search", json=STEP, headers=KEY)).json()
    clock.forward(25 * 3600)
    second = (await entry_point.post("/tools/sequential_search", json=STEP, headers=KEY)).json()
    assert first["sessionId"] != second["sessionId"]


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "one,two"])
async def test_what_is_not_a_key_is_refused(key, entry_point):
    refused = await entry_point.post("/tools/sequential_search", json=STEP, headers={"idempotency-key": key})
    assert refused.status_code == 400
    assert refused.json()["error"]["field"] == "Idempotency-Key"


async def test_a_tool_that_only_reads_takes_no_notice(entry_point, article):
    for mode in ("full", "preview"):
        answer = await entry_point.post("/tools/scrape_page", json={"url": article, "mode": mode}, headers=KEY)
        assert answer.status_code == 200


def test_it_is_described():
    names = ["sequential_search", "web_search", "cinder_crawl", "cinder_cancel_crawl"]
    paths = openapi.document(names)["paths"]
    writing = [paths["/tools/sequential_search"]["post"], paths["/v1/crawl"]["post"], paths["/v1/crawl/{id}"]["delete"]]
    for operation in writing:
        assert "Idempotency-Key" in {each["name"] for each in operation["parameters"]}
        assert {"409", "422", "default"} <= set(operation["responses"])
    assert "parameters" not in paths["/tools/web_search"]["post"]
