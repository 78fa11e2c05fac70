"""/mcp/search: six tools that only read, with a list that directories have reviewed, and an identity of its own."""

import json
import os
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from tests.entrypoints.mcp.test_lambda import event
from tests.support.lambda_context import FakeLambdaContext

from assay.bootstrap import local_services
from assay.entrypoints import mcp_function
from assay.entrypoints.http.local_server import create_app
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.entrypoints.mcp.tool_selection import SEARCH_TOOLS
from assay.settings import Settings

ADDRESS = "http://127.0.0.1:8787"
SNAPSHOT = Path(__file__).with_name("search_profile.json")
HITS = [{"title": "Otters", "url": "http://river.example/otters", "content": "They hold hands."}]
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
BOTH = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])


@pytest.fixture
def connect(services):
    """The SDK's client, connected to the local server."""

    def connect(mode="legacy", app=None, path="/mcp/search"):
        wire = httpx2.AsyncClient(transport=httpx2.ASGITransport(app or create_app(services)), timeout=60)
        return Client(streamable_http_client(f"{ADDRESS}{path}", http_client=wire), mode=mode)

    return connect


def list_cards(result):
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in result.tools]


@BOTH
async def test_the_list_is_the_one_that_directories_reviewed(mode, connect):
    """`SNAPSHOTS=write pytest` writes it: then the listings in directories need another review."""
    async with connect(mode) as client:
        cards = list_cards(await client.list_tools())
    assert {card["name"] for card in cards} == SEARCH_TOOLS
    text = json.dumps(cards, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if os.environ.get("SNAPSHOTS") == "write":
        SNAPSHOT.write_text(text)
    assert SNAPSHOT.read_text() == text


def test_every_tool_of_it_only_reads():
    cards = [card for card in ToolCatalogue().cards() if card["name"] in SEARCH_TOOLS]
    assert len(cards) == 6
    assert all(card["annotations"]["readOnlyHint"] and not card["annotations"]["destructiveHint"] for card in cards)


@pytest.mark.parametrize(
    "environ",
    [{"ASSAY_TOOLSET": "core"}, {"ASSAY_UNCONFIGURED_TOOLS": "show"}, {"SEARCH_ROUTING": '{"default": "brave"}'}],
    indirect=True,
)
async def test_settings_do_not_change_the_list(connect, environ):
    async with connect() as client:
        cards = list_cards(await client.list_tools())
    assert json.loads(SNAPSHOT.read_text()) == cards


@pytest.fixture
def environ(environ, request):
    return environ | getattr(request, "param", {})


@BOTH
async def test_what_search_found_is_fetched_by_another_process(mode, connect, environ, site, fake_hosts):
    site.says("/searxng/search", json.dumps({"results": HITS}), kind="application/json")
    fake_hosts.says("river.example", "/otters", "<title>Otters</title><article><p>They hold hands.</p></article>")
    async with connect(mode) as client:
        found = await client.call_tool("search", {"query": "otters"})
    [item] = found.content
    assert json.loads(item.text) == found.structured_content
    [hit] = found.structured_content["results"]
    later = local_services(Settings.read(environ | {"ASSAY_HOME": f"{environ['ASSAY_HOME']}-2"}))
    later.web_overrides |= fake_hosts.seams
    async with connect(mode, create_app(later)) as client:
        read = await client.call_tool("fetch", {"id": hit["id"]})
    await later.close()
    [item] = read.content
    assert json.loads(item.text) == read.structured_content
    assert (read.structured_content["id"], read.structured_content["url"]) == (hit["id"], hit["url"])
    assert "They hold hands." in read.structured_content["text"]


async def test_no_other_tool_is_called_and_no_name_of_one_is_shown(connect):
    async with connect() as client:
        with pytest.raises(Exception, match="Connect to /mcp"):
            await client.call_tool("memory_save", {"note": "x"})
        assert "read_artifact" not in client.instructions


async def test_nothing_is_to_select_there(connect):
    with pytest.raises(Exception):
        async with connect(path="/mcp/search?tools=core") as client:
            await client.list_tools()


@pytest.fixture
def handle(tmp_path):
    services = local_services(Settings.read({"ASSAY_HOME": str(tmp_path / "home")}))
    return mcp_function.handler_for(lambda: services, ToolCatalogue)


@pytest.mark.parametrize("path", ["/mcp/search", "/mcp/search/"])
def test_lambda_serves_the_same_list(path, handle):
    answer = handle(event(LIST, rawPath=path), FakeLambdaContext(60))
    tools = json.loads(answer["body"])["result"]["tools"]
    assert {tool["name"] for tool in tools} == SEARCH_TOOLS
    expected = {card["name"]: card for card in json.loads(SNAPSHOT.read_text())}
    assert [tool["inputSchema"] for tool in tools] == [expected[tool["name"]]["inputSchema"] for tool in tools]


@pytest.mark.parametrize("path", ["/", "/mcp", "/mcp/", "/mcp/other"])
def test_any_other_path_of_lambda_serves_all_tools(path, handle):
    answer = handle(event(LIST, rawPath=path), FakeLambdaContext(60))
    assert len(json.loads(answer["body"])["result"]["tools"]) > 20
