"""Limits at every HTTP entry point: what is left is in the headers; a refusal names the limit and its reset."""

import asyncio
import json
import re

import httpx
import pytest
import pytest_asyncio
from tests.support.table_factories import FrozenClock

from assay.bootstrap import local_services
from assay.entrypoints import mcp_function, runtime
from assay.entrypoints.http import http_api, rest, service_info
from assay.entrypoints.http.local_server import create_app
from assay.settings import Settings

HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
MCP = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read_artifact", "arguments": {"id": "x"}}}
RESOURCE = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "research://artifact/x"}}
CALLS = {
    "a tool": ("POST", "/tools/read_artifact", {"id": "x"}),
    "the REST route of a tool": ("POST", "/v1/scrape", {"url": "no address"}),
    "GET": ("GET", "/v1/crawl/x", None),
    "DELETE": ("DELETE", "/v1/crawl/x", None),
    "MCP": ("POST", "/mcp", MCP),
}
LIMITS = {
    "RATE_LIMIT_PER_TENANT": ("tenant-minute", 60),
    "DAILY_QUOTA_PER_TENANT": ("tenant-day", 86_400),
    "MAX_CALLS_PER_DAY": ("user-day", 86_400),
    "RATE_LIMIT_GLOBAL": ("global-second", 1),
}


@pytest.fixture
def clock():
    return FrozenClock()


@pytest_asyncio.fixture
async def connect(services, environ):
    """A client of the local server with these settings."""
    clients = []

    def connect(**settings):
        services.settings = Settings.read(environ | settings)
        wire = httpx.ASGITransport(create_app(services), client=("192.0.2.7", 4711))
        clients.append(httpx.AsyncClient(transport=wire, base_url="http://127.0.0.1:8787", headers=HEADERS))
        return clients[-1]

    yield connect
    for client in clients:
        await client.aclose()


def read_error(answer):
    """The error of an answer over REST or MCP; {} without one."""
    document = answer.json()
    if "result" in document:
        return json.loads(document["result"]["content"][0]["text"].partition("\n\n")[2])["error"]
    return document.get("error", {})


@pytest.mark.parametrize("variable", LIMITS)
@pytest.mark.parametrize("call", CALLS)
async def test_the_limit_is_told_counted_down_and_enforced(connect, clock, call, variable):
    http = connect(**{variable: "2"})
    (name, seconds), (method, path, body) = LIMITS[variable], CALLS[call]
    left = []
    for _ in range(2):
        answer = await http.request(method, path, json=body)
        assert answer.headers["ratelimit-policy"] == f'"{name}";q=2;w={seconds}'
        assert read_error(answer)["kind"] != "rate_limited"
        left.append(re.fullmatch(rf'"{name}";r=(\d);t=(\d+)', answer.headers["ratelimit"]).groups())
    assert [row[0] for row in left] == ["1", "0"]
    assert 0 < int(left[0][1]) <= seconds
    refused = await http.request(method, path, json=body)
    error = read_error(refused)
    assert (error["kind"], error["limit"], error["suggestedAction"]) == ("rate_limited", name, "retry_after_delay")
    assert error["retryAfterSeconds"] == int(left[0][1])
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", error["resetsAt"])
    assert refused.headers["ratelimit"].startswith(f'"{name}";r=0;')
    if call != "MCP":
        assert (refused.status_code, refused.headers["retry-after"]) == (429, left[0][1])
    clock.now += error["retryAfterSeconds"]
    assert read_error(await http.request(method, path, json=body))["kind"] != "rate_limited"


async def test_resources_count_as_calls(connect):
    http = connect(RATE_LIMIT_PER_TENANT="1")
    assert read_error(await http.post("/mcp", json=RESOURCE))["data"]["error"]["kind"] != "rate_limited"
    assert read_error(await http.post("/mcp", json=RESOURCE))["data"]["error"]["limit"] == "tenant-minute"


async def test_a_stream_of_events_begins_with_the_limits(connect, article, site):
    http = connect(RATE_LIMIT_PER_TENANT="5")
    found = {"results": [{"url": article, "title": "On otters", "content": "Otters hold hands"}]}
    site.says("/searxng/search", json.dumps(found), kind="application/json")
    params = {"name": "search_and_scrape", "arguments": {"query": "otters"}, "_meta": {"progressToken": "p"}}
    answer = await http.post("/mcp", json=MCP | {"params": params})
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.headers["ratelimit"].startswith('"tenant-minute";r=4;')


ADDRESSED = [*((method, path, body) for method, path, body in CALLS.values()), ("GET", "/tools", None)] + [
    ("GET", path, None) for path in ("/", "/openapi.json", "/health/ready", "/.well-known/oauth-protected-resource")
]


@pytest.mark.parametrize(("method", "path", "body"), ADDRESSED, ids=lambda value: str(value)[:20])
async def test_an_address_that_asks_too_often_is_refused_before_anybody_signs_in(connect, method, path, body):
    http = connect(
        RATE_LIMIT_PER_IP="2", TRUST_PROXY="true", ASSAY_API_KEYS=json.dumps([{"name": "a", "sha256": "0" * 64}])
    )
    statuses = [(await http.request(method, path, json=body)).status_code for _ in range(2)]
    assert 429 not in statuses
    refused = await http.request(method, path, json=body)
    assert (refused.status_code, refused.json()["error"]["limit"]) == (429, "ip-minute")
    assert int(refused.headers["retry-after"]) <= 60
    forged = {"x-forwarded-for": "198.51.100.1, 192.0.2.7"}  # the proxy appends the address that it sees
    assert (await http.request(method, path, json=body, headers=forged)).status_code == 429
    other = {"x-forwarded-for": "192.0.2.7, 198.51.100.1"}
    assert (await http.request(method, path, json=body, headers=other)).status_code == statuses[0]


@pytest.fixture
def function_services(environ, clock):
    """Services on the event loop that functions share between calls."""
    services = local_services(Settings.read(environ | {"RATE_LIMIT_PER_IP": "1", "RATE_LIMIT_PER_TENANT": "9"}), clock)
    yield services
    runtime.wait_for(services.close())
    asyncio.set_event_loop(None)


@pytest.mark.parametrize("function", ["tool", "rest", "mcp", "service_info"])
def test_the_functions_refuse_such_an_address_too(function_services, function):
    services = function_services
    handlers = {
        "tool": lambda: http_api.handler_for("read_artifact", lambda: services),
        "rest": lambda: rest.handler(lambda: services),
        "mcp": lambda: mcp_function.handler_for(lambda: services),
        "service_info": lambda: service_info.handler_for(lambda: services),
    }
    method, path, body = {
        "tool": CALLS["a tool"], "rest": CALLS["GET"], "mcp": CALLS["MCP"], "service_info": ("GET", "/tools", None)
    }[function]  # fmt: skip

    def call(address):
        http = {"method": method, "path": path, "sourceIp": address, "protocol": "HTTP/1.1", "userAgent": "test"}
        event = {
            "version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": "", "headers": HEADERS,
            "requestContext": {"http": http, "requestId": "r", "stage": "$default", "domainName": "assay.example"},
            "body": json.dumps(body) if body else "", "isBase64Encoded": False,
        }  # fmt: skip
        return handlers[function]()(event, None)

    first, second, other = call("192.0.2.7"), call("192.0.2.7"), call("192.0.2.8")
    assert second["statusCode"] == 429
    assert json.loads(second["body"])["error"]["limit"] == "ip-minute"
    assert first["statusCode"] == other["statusCode"] != 429
    if function != "service_info":
        assert first["headers"]["ratelimit"].startswith('"tenant-minute";r=8;')
