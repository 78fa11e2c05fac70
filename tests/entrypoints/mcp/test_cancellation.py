"""A call that its client no longer wants stops, and with it the connection that it had opened, on every transport."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

SENT = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
SOON = 1.0  # seconds


class SilentUpstream:
    """A web server that takes a request and never answers it."""

    def __init__(self) -> None:
        self.url = ""
        self.requests = asyncio.Event()
        self.left = asyncio.Event()  # whoever asked has closed the connection

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        if b"/robots.txt" in request:
            writer.write(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        else:
            self.requests.set()
            with contextlib.suppress(ConnectionError):
                await reader.read()
            self.left.set()
        writer.close()


@pytest_asyncio.fixture
async def upstream() -> AsyncIterator[SilentUpstream]:
    silent = SilentUpstream()
    server = await asyncio.start_server(silent.take, "127.0.0.1", 0)
    silent.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/page"
    yield silent
    server.close()


def call(url, number=1, meta=None):
    params = {"name": "scrape_page", "arguments": {"url": url}} | ({"_meta": meta} if meta else {})
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def cancel(number):
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}


async def open_session(client, address):
    """The session that `initialize` names."""
    info = {"name": "t", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    begun = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    got = await client.post(address, json=begun, headers=SENT)
    return {"mcp-session-id": got.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}


async def wait_until_cancelled(upstream):
    async with asyncio.timeout(SOON):
        await upstream.left.wait()


@pytest.mark.parametrize("token", [None, {"progressToken": "p"}])
@pytest.mark.parametrize("has_session", [True, False])
async def test_a_cancelled_call_of_the_older_revisions_stops_over_http(has_session, token, address, upstream):
    async with httpx.AsyncClient(timeout=60) as client:
        session = await open_session(client, address) if has_session else {}
        waiting = asyncio.create_task(client.post(address, json=call(upstream.url, 7, token), headers=SENT | session))
        await upstream.requests.wait()
        got = await client.post(address, json=cancel(7), headers=SENT | session)
        assert (got.status_code, got.content) == (202, b"")
        await wait_until_cancelled(upstream)
        assert "isError" not in (await waiting).text


async def test_a_cancellation_after_the_end_and_a_second_one_stop_no_later_call(address):
    async with httpx.AsyncClient(timeout=60) as client:
        session = await open_session(client, address)
        quick = {"name": "read_artifact", "arguments": {"id": "0" * 64}}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": quick}
        for _ in range(2):
            got = await client.post(address, json=request, headers=SENT | session)
            assert "not_found" in got.json()["result"]["content"][0]["text"]
            for _ in range(2):
                assert (await client.post(address, json=cancel(1), headers=SENT | session)).status_code == 202


async def test_another_clients_cancellation_of_the_same_id_stops_nothing(address, upstream):
    async with httpx.AsyncClient(timeout=60) as client:
        mine, theirs = await open_session(client, address), await open_session(client, address)
        assert mine != theirs
        waiting = asyncio.create_task(client.post(address, json=call(upstream.url), headers=SENT | mine))
        await upstream.requests.wait()
        for headers in (theirs, {}):
            await client.post(address, json=cancel(1), headers=SENT | headers)
        for wrong in ("1", True, None, [1], 2):
            await client.post(address, json=cancel(wrong), headers=SENT | mine)
        await asyncio.sleep(0.2)
        assert not upstream.left.is_set()
        await client.post(address, json=cancel(1), headers=SENT | mine)
        await wait_until_cancelled(upstream)
        await waiting


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("token", [{}, {"progressToken": "p"}])
async def test_a_client_that_hangs_up_stops_its_call_over_http(era, token, address, upstream):
    modern = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "scrape_page"}
    headers = modern if era == "modern" else {"mcp-protocol-version": "2025-11-25"}
    meta = token | (MODERN if era == "modern" else {})
    async with httpx.AsyncClient(timeout=60) as client:
        waiting = asyncio.create_task(client.post(address, json=call(upstream.url, 1, meta), headers=SENT | headers))
        await upstream.requests.wait()
        waiting.cancel()
        await wait_until_cancelled(upstream)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_gives_up_a_call_over_http(mode, address, upstream):
    async with Client(address, mode=mode) as client:
        waiting = asyncio.create_task(client.call_tool("scrape_page", {"url": upstream.url}))
        await upstream.requests.wait()
        waiting.cancel()
        await wait_until_cancelled(upstream)
        assert (await client.list_tools()).tools


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_gives_up_a_call_over_standard_input_and_output(mode, environ, upstream):
    shared = str(Path(__file__).parents[3] / "shared")
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "assay.entrypoints.cli.main", "mcp"],
        env=os.environ | environ | {"PYTHONPATH": shared},
    )
    async with Client(stdio_client(command), mode=mode) as client:
        waiting = asyncio.create_task(client.call_tool("scrape_page", {"url": upstream.url}))
        await upstream.requests.wait()
        waiting.cancel()
        await wait_until_cancelled(upstream)
        assert (await client.list_tools()).tools


async def test_a_page_that_two_wait_for_is_given_up_when_the_last_has_left(address, upstream):
    async with httpx.AsyncClient(timeout=60) as client:
        both = [
            asyncio.create_task(client.post(address, json=call(upstream.url, number), headers=SENT))
            for number in (1, 2)
        ]
        await upstream.requests.wait()
        await asyncio.sleep(0.2)
        both[0].cancel()
        await asyncio.sleep(0.3)
        assert not upstream.left.is_set()
        both[1].cancel()
        await wait_until_cancelled(upstream)
