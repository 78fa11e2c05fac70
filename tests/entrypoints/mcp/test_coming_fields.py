"""What coming revisions add to messages changes nothing: unknown fields are ignored, in every method of both eras."""

import json

import pytest
from tests.entrypoints.mcp.conftest import ENVELOPE, SENT

CALL = {"name": "echo", "arguments": {"query": "a"}}
CLIENT = {"name": "t", "version": "1"}
REQUESTS = {
    "tools/list": {},
    "tools/call": CALL,
    "prompts/list": {},
    "prompts/get": {"name": "greet", "arguments": {"who": "Ada"}},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "research://artifact/" + "0" * 64},
    "completion/complete": {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "who", "value": ""}},
}
LEGACY = REQUESTS | {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT},
    "ping": {},
}
MODERN = REQUESTS | {"server/discover": {}}
NEW = {"urgency": 5, "deep": {"list": [None, {"a": "b"}]}, "io.modelcontextprotocol/coming": True}


def add_fields(value):
    """The objects of the protocol with fields that it does not know; arguments belong to tools and prompts."""
    if not isinstance(value, dict):
        return value
    return {name: inner if name == "arguments" else add_fields(inner) for name, inner in value.items()} | NEW


async def send(client, method, params, *, modern, extended):
    meta = {"_meta": ENVELOPE | (NEW if extended else {})} if modern else {"_meta": NEW} if extended else {}
    capabilities = "io.modelcontextprotocol/clientCapabilities"
    if modern and extended:
        meta["_meta"] |= {capabilities: NEW | {"extensions": {"example.org/coming": {"a": 1}}}}
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": method,
        "params": (add_fields(params) if extended else params) | meta,
    }
    headers = SENT | {"mcp-protocol-version": "2026-07-28" if modern else "2025-11-25"}
    if modern:
        headers |= {"mcp-method": method, "mcp-coming": "1"}
        headers |= {"mcp-name": named} if (named := params.get("name", params.get("uri"))) else {}
    reply = await client.send(json.dumps(message | (NEW if extended else {})).encode(), headers)
    return reply.status, {name: value for name, value in reply.json.items() if name != "id"}


@pytest.mark.parametrize(
    ("method", "modern"), [*((method, False) for method in LEGACY), *((method, True) for method in MODERN)]
)
async def test_fields_of_coming_revisions_change_no_answer(method, modern, thin):
    params = (MODERN if modern else LEGACY)[method]
    usual, extended = [await send(thin, method, params, modern=modern, extended=each) for each in (False, True)]
    assert extended == usual
    assert ("result" in usual[1]) == (method != "resources/read")
