"""The local server over a real socket: the SDK's own client in both eras, progress, cancellation, many callers."""

import asyncio
import json

import httpx
import jsonschema
import pytest
from mcp.client.client import Client

from assay.entrypoints.mcp.local_http import LocalMcp

SENT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
BOTH = pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])


def call(name, /, token=None, **arguments):
    params = {"name": name, "arguments": arguments} | ({"_meta": {"progressToken": token}} if token else {})
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@BOTH
async def test_the_sdks_own_client_is_served_in_both_eras(mode, url):
    async with Client(url, mode=mode) as client:
        if mode != "2026-07-28":  # adopted without asking
            assert client.server_info.name == "assay"
            assert len(client.instructions) <= 2048
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, arguments in (
            ("echo", {"query": "a"}),
            ("large", {"size": 5}),
            ("large", {}),
            ("kept", {"query": "a"}),
        ):
            result = await client.call_tool(name, arguments)  # validates the answer against outputSchema too
            jsonschema.validate(result.structured_content, tools[name].output_schema)
        link = (await client.call_tool("large", {})).content[1]
        assert (link.type, link.name, link.title, link.mime_type) == (
            "resource_link",
            "research-artifact",
            "Many letters.",
            "application/json",
        )
        text = (await client.read_resource(link.uri)).contents[0].text
        assert len(text.encode()) == link.size
        templates = await client.list_resource_templates()
        assert "research://artifact/{id}" in [each.uri_template for each in templates.resource_templates]
        limited = await client.call_tool("limited", {})
        assert limited.is_error
        assert limited.structured_content is None


@BOTH
async def test_progress_comes_while_the_tool_runs(mode, url):
    read_head = []

    async def progress(done, total, message):
        read_head.append((done, total, message))

    async with Client(url, mode=mode) as client:
        response = await client.call_tool("wait", {"seconds": 0.1}, progress_callback=progress)
    assert response.structured_content["text"] == "waited"
    assert read_head == [(0, 3, "step 0"), (1, 3, "step 1"), (2, 3, "step 2")]


@pytest.mark.parametrize("accept", ["application/json", ""])
async def test_who_wants_progress_but_reads_no_stream_gets_json(accept, url):
    async with httpx.AsyncClient(timeout=60) as client:
        got = await client.post(url, json=call("wait", token=5, seconds=0), headers=SENT | {"accept": accept})
    assert got.headers["content-type"] == "application/json"
    assert got.json()["result"]["structuredContent"]["text"] == "waited"


async def test_a_sound_looking_stream_request_with_a_lying_header_is_refused(url):
    headers = SENT | {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo"}
    async with httpx.AsyncClient(timeout=60) as client:
        got = await client.post(url, json=call("wait", token=5), headers=headers)
    assert got.status_code == 400


async def test_get_is_refused_at_once(url):
    async with httpx.AsyncClient(timeout=60) as client:
        for _ in range(2):
            got = await client.get(url, headers={"accept": "text/event-stream"})
            assert (got.status_code, got.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "http://evil.example"}])
async def test_a_page_elsewhere_reaches_nothing(headers, url):
    async with httpx.AsyncClient(timeout=60) as client:
        got = await client.post(url, json=call("echo", query="a"), headers=SENT | headers)
    assert got.status_code in (403, 421)


async def test_thirty_two_callers_are_served_side_by_side(url):
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=32), timeout=60) as client:
        got = await asyncio.gather(*[client.post(url, json=call("wait", others=31), headers=SENT) for _ in range(32)])
        assert all(one.json()["result"]["isError"] is False for one in got)


async def test_a_body_in_many_pieces_is_one_body(url):
    async def pieces():
        for byte in json.dumps(call("echo", query="ä")).encode():
            yield bytes([byte])

    async with httpx.AsyncClient(timeout=60) as client:
        got = await client.post(url, content=pieces(), headers=SENT)
    assert got.json()["result"]["structuredContent"]["text"] == "ä"


async def test_a_body_without_end_is_stopped_at_the_cap(url):
    async def endless():
        for _ in range(12):
            yield b"x" * 1_000_000

    async with httpx.AsyncClient(timeout=60) as client:
        got = await client.post(url, content=endless(), headers=SENT)
    assert got.status_code == 413


async def test_the_local_server_continues_the_trace_of_meta_before_that_of_headers(thin, services):
    events = []
    services.observers.append(lambda call: events.append(call.event()))
    trace, other = "0af7651916cd43dd8448eb211c80319c", "11111111111111111111111111111111"
    sent = {name: f"00-{name}-b7ad6b7169203331-01" for name in (trace, other)}
    params = {"name": "format_bibliography", "arguments": {"sources": [{"url": "https://a.example/", "title": "A"}]}}
    client = type(thin)(LocalMcp(services).app)
    await client.modern(
        "tools/call", params | {"_meta": {"traceparent": sent[trace]}}, headers={"traceparent": sent[other]}
    )
    await client.modern("tools/call", params, headers={"traceparent": sent[trace]})
    assert [event["trace_id"] for event in events] == [trace, trace]
