"""Audit events of calls over HTTP say which address they came from, on Lambda and locally."""

import json
from dataclasses import replace

import httpx
import pytest
from tests.support.lambda_context import FakeLambdaContext

from assay.entrypoints import mcp_function
from assay.entrypoints.http.http_api import handler_for
from assay.entrypoints.http.local_server import create_app
from assay.entrypoints.mcp.tool_catalogue import load_catalogue

BODY = {"docs": [{"id": "a", "text": "otters"}]}
MCP_CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "dedupe_rank", "arguments": BODY},
}
CASES = [
    ("203.0.113.9", {}, "203.0.113.9"),
    ("2001:DB8::1", {}, "2001:db8::1"),
    ("203.0.113.9", {"x-forwarded-for": "198.51.100.1, 192.0.2.7"}, "192.0.2.7"),
    ("203.0.113.9", {"x-forwarded-for": "unknown"}, None),
    ("127.0.0.1", {}, None),
]


@pytest.fixture
def events(services):
    """The audit events of calls, as they are made."""
    services.settings = replace(services.settings, trust_proxy=True)
    made = []
    services.observers = [lambda call: made.append(call.event())]
    return made


def build_event(peer, headers, body, path):
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", "host": "x.on.aws", **headers},
        "requestContext": {"http": {"method": "POST", "path": path, "sourceIp": peer}, "domainName": "x.on.aws"},
        "body": json.dumps(body),
        "isBase64Encoded": False,
    }


@pytest.mark.parametrize(("peer", "headers", "expected"), CASES)
def test_on_lambda(services, events, peer, headers, expected):
    handle = handler_for("dedupe_rank", lambda: services)
    answer = handle(build_event(peer, headers, BODY, "/tools/dedupe_rank"), FakeLambdaContext())
    assert answer["statusCode"] == 200, answer
    catalogue = load_catalogue()
    mcp = mcp_function.handler_for(lambda: services, lambda: catalogue)
    accept = {"accept": "application/json, text/event-stream", **headers}
    assert mcp(build_event(peer, accept, MCP_CALL, "/mcp"), FakeLambdaContext())["statusCode"] == 200
    assert [event.get("source_ip") for event in events] == [expected, expected]


@pytest.mark.parametrize(("peer", "headers", "expected"), CASES)
async def test_locally(services, events, peer, headers, expected):
    transport = httpx.ASGITransport(create_app(services), client=(peer, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        assert (await client.post("/tools/dedupe_rank", json=BODY, headers=headers)).status_code == 200
        await client.post("/tools/dedupe_rank", json=BODY)
    assert events[0].get("source_ip") == expected
    assert events[1].get("source_ip") == (None if peer == "127.0.0.1" else peer.lower())
