"""The function Mcp at its Function URL: tools and REST, for as long as the function runs."""

import asyncio
import json
import threading
import time
from dataclasses import replace

import pytest
from tests.support.lambda_context import FakeLambdaContext

from assay.entrypoints import mcp_function
from assay.entrypoints.http import http_api
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue

DOCUMENTS = {"docs": [{"title": "Otters", "url": "https://otters.example/"}]}
URL, API = "x.lambda-url.eu-west-1.on.aws", "x.execute-api.eu-west-1.amazonaws.com"


def event(method, path, body=None, *, domain=URL, context=None, **headers):
    http = {"method": method, "path": path, "sourceIp": "127.0.0.1"}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": headers,
        "requestContext": {"domainName": domain, "requestId": "r-1", "http": http, **(context or {})},
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }


@pytest.fixture
def send(services):
    """`send("POST", "/tools/dedupe_rank", {…})`: the response of the function."""

    async def send(*arguments, **named):
        asked = event(*arguments, **named)
        return await mcp_function.answer(asked, FakeLambdaContext(120), services, ToolCatalogue())

    return send


async def test_a_tool_answers_there_as_at_the_http_api(send, services):
    there = await send("POST", "/tools/dedupe_rank", DOCUMENTS)
    here = await http_api.answer("dedupe_rank", event("POST", "/tools/dedupe_rank", DOCUMENTS), None, services)
    assert there["statusCode"] == here["statusCode"] == 200
    assert json.loads(there["body"]) == json.loads(here["body"])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/tools/dedupe_rank", 405),
        ("POST", "/tools/no_such_tool", 404),
        ("POST", "/tools/dedupe_rank/more", 404),
        ("GET", "/v1/search", 405),
        ("POST", "/v1/no-such-route", 404),
        ("GET", "/v1/calls/no-such-call", 404),
        ("GET", "/admin/keys", 405),  # taken as MCP, whose only method is POST
    ],
)
async def test_what_is_not_there_is_an_error(method, path, status, send):
    response = await send(method, path, {} if method == "POST" else None)
    assert response["statusCode"] == status
    assert json.loads(response["body"])["error"]["message"]
    if status == 405 and not path.startswith("/v1/"):
        assert response["headers"]["allow"] == "POST"


async def test_a_call_may_last_longer_than_the_http_api_waits(send, site, article):
    results = [{"title": "Otters", "url": article, "content": "A snippet."}]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
    freed = threading.Event()
    site.pages["/searxng/search"] = replace(site.pages["/searxng/search"], before=lambda: freed.wait(20))
    asked, waited = {"query": "otters", "num_results": 1}, {"timeEpoch": (time.time() - 28.9) * 1000}
    ended = await send("POST", "/tools/search_and_scrape", asked, domain=API, context=waited)
    assert ended["statusCode"] == 202  # goes on in the background
    lasting = asyncio.create_task(send("POST", "/tools/search_and_scrape", asked, context=waited))
    await asyncio.sleep(0)
    freed.set()
    assert (await lasting)["statusCode"] == 200


async def test_a_call_of_the_function_url_goes_on_and_is_polled_there(send, site, article):
    results = [{"title": "Otters", "url": article, "content": "A snippet."}]
    site.says("/searxng/search", json.dumps({"results": results}), kind="application/json")
    asked = {"query": "otters", "num_results": 1}
    accepted = await send("POST", "/tools/search_and_scrape", asked, prefer="respond-async")
    assert accepted["statusCode"] == 202
    async with asyncio.timeout(60):
        while (done := await send("GET", accepted["headers"]["location"]))["statusCode"] == 202:
            await asyncio.sleep(0.05)
    assert (done["statusCode"], json.loads(done["body"])["sources"][0]["url"]) == (200, article)
