"""App views: clients that declare the extension are told of them at every door, all others see what they saw before."""

import json
import os
import re
import sys
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.extension import advertise
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from tests.entrypoints.mcp.test_lambda import event
from tests.support.lambda_context import FakeLambdaContext

from assay.entrypoints import mcp_function
from assay.entrypoints.http.local_server import create_app
from assay.entrypoints.mcp.app_pages import TITLES, build_page
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue

UI = "io.modelcontextprotocol/ui"
SETTINGS = {"mimeTypes": ["text/html;profile=mcp-app"]}
LINKED = {
    "audit_bibliography": "ui://assay/audit",
    "audit_document": "ui://assay/audit",
    "cinder_crawl": "ui://assay/crawl",
    "cinder_get_crawl_status": "ui://assay/crawl",
    "get_research_session": "ui://assay/session",
}
BOTH = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
HELLO = {"protocolVersion": "2025-11-25", "clientInfo": {"name": "t", "version": "1"}}


@pytest.fixture
def connect(services, environ):
    """`connect(door, mode, extensions)`: the official client at one of the doors."""

    def connect(door, mode, extensions=(), path="/mcp"):
        if door == "stdio":
            shared = str(Path(__file__).parents[3] / "shared")
            command = ["-m", "assay.entrypoints.cli.main", "mcp"]
            variables = os.environ | environ | {"PYTHONPATH": shared}
            server = stdio_client(StdioServerParameters(command=sys.executable, args=command, env=variables))
        else:
            wire = httpx2.AsyncClient(transport=httpx2.ASGITransport(create_app(services)), timeout=60)
            server = streamable_http_client(f"http://127.0.0.1:8787{path}", http_client=wire)
        return Client(server, mode=mode, extensions=list(extensions))

    return connect


async def list_tools(client):
    tools = (await client.list_tools()).tools
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


def find_links(cards):
    return {card["name"]: card["_meta"]["ui"]["resourceUri"] for card in cards if "ui" in card.get("_meta", {})}


@BOTH
@pytest.mark.parametrize("door", ["http", "stdio"])
async def test_the_official_client_that_draws_views_finds_and_reads_them(door, mode, connect):
    async with connect(door, mode, [advertise(UI, SETTINGS)]) as client:
        cards = await list_tools(client)
        pages = [(await client.read_resource(uri)).contents for uri in dict.fromkeys(LINKED.values())]
        listed = [str(each.uri) for each in (await client.list_resources()).resources]
        if mode == "legacy":
            assert UI in client.server_capabilities.extensions
    assert find_links(cards) == LINKED
    for [page] in pages:
        assert (page.mime_type, page.meta) == (SETTINGS["mimeTypes"][0], {"ui": {"prefersBorder": True}})
        assert page.text.startswith("<!doctype html>")
    assert not [uri for uri in listed if uri.startswith("ui:")]
    async with connect(door, mode) as client:
        plain = await list_tools(client)
        assert not ((client.server_capabilities and client.server_capabilities.extensions) or {}).get(UI)
    assert find_links(plain) == {}
    for card in cards:
        card.pop("_meta", None)
    assert cards == [{name: value for name, value in card.items() if name != "_meta"} for card in plain]


@BOTH
async def test_the_fixed_list_of_the_search_endpoint_is_the_same_for_all(mode, connect):
    async with connect("http", mode, path="/mcp/search") as client:
        plain = await list_tools(client)
    async with connect("http", mode, [advertise(UI, SETTINGS)], path="/mcp/search?apps=1") as client:
        assert await list_tools(client) == plain


@pytest.mark.parametrize(
    "capabilities",
    [{}, {"extensions": None}, {"extensions": []}, {"extensions": {UI: {}}}, {"extensions": {UI: None}},
     {"extensions": {UI: {"mimeTypes": "text/html;profile=mcp-app"}}}, {"extensions": {UI: {"mimeTypes": ["text/html"]}}},
     {"experimental": {UI: SETTINGS}}],
    ids=str,
)  # fmt: skip
async def test_a_client_that_declares_no_type_of_ours_sees_no_view(capabilities, services, asker):
    client = asker(LocalMcp(services).app)
    plain = await client.modern("tools/list")
    meta = {"io.modelcontextprotocol/clientCapabilities": capabilities}
    assert (await client.modern("tools/list", {"_meta": meta})).body == plain.body
    begun = await client.legacy("initialize", HELLO | {"capabilities": capabilities})
    assert UI not in begun.result["capabilities"].get("extensions", {})


async def test_a_list_with_views_is_not_kept_for_others_and_a_view_is(services, asker):
    client = asker(LocalMcp(services).app)
    meta = {"_meta": {"io.modelcontextprotocol/clientCapabilities": {"extensions": {UI: SETTINGS}}}}
    for method in ("tools/list", "server/discover"):
        assert (await client.modern(method)).result["cacheScope"] == "public"
        assert (await client.modern(method, meta)).result["cacheScope"] == "private"
    found = (await client.modern("server/discover", meta)).result["capabilities"]["extensions"]
    assert found == {UI: {}, "io.modelcontextprotocol/tasks": {}}
    assert (await client.modern("resources/read", {"uri": "ui://assay/audit"})).result["cacheScope"] == "public"
    assert "error" in (await client.modern("resources/read", {"uri": "ui://assay/../host.js"})).json


def test_an_address_tells_of_views_where_no_session_remembers_what_was_declared(services):
    handle = mcp_function.handler_for(lambda: services, ToolCatalogue)

    def ask(method, params, query):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answered = handle(event(message, rawQueryString=query), FakeLambdaContext(60))
        return answered["statusCode"], json.loads(answered["body"])

    for query, links in (
        ("", {}),
        ("apps=0", {}),
        ("apps=1", LINKED),
        ("apps=1&tools=crawl", {name: uri for name, uri in LINKED.items() if "crawl" in name}),
    ):
        status, answered = ask("tools/list", {}, query)
        assert (status, find_links(answered["result"]["tools"])) == (200, links)
    _, begun = ask("initialize", HELLO | {"capabilities": {"extensions": {UI: SETTINGS}}}, "")
    assert begun["result"]["capabilities"]["extensions"] == {UI: {}}
    status, refused = ask("tools/list", {}, "apps=perhaps")
    assert (status, refused["error"]["kind"]) == (400, "validation")


@pytest.mark.parametrize("view", TITLES)
def test_a_page_is_whole_and_admits_nothing_but_itself(view):
    page = build_page(view)
    assert len(page.encode()) < 64_000
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'; "
        r"base-uri 'none'; form-action 'none'",
        policy,
    )
    assert [page.count(tag) for tag in ("<script", "</script", "<style", "</style")] == [1, 1, 1, 1]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", page)
    assert set(re.findall(r"https?://[^\s\"\'`$]+", page)) <= {"http://www.w3.org/2000/svg", "https://doi.org/"}
