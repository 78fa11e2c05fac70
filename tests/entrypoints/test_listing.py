"""Which tools are listed: those that can answer as this deployment is configured, at every entry point."""

import json

import httpx
import pytest
import pytest_asyncio

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.entrypoints.cli.main import main
from assay.entrypoints.http.local_server import create_app
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.methods import answer
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue, parse_entries, serialize_entries
from assay.invoke import invoke
from assay.settings import Settings
from assay.toolkit import tool_registry

MEMORY = {"memory_export", "memory_forget", "memory_recall", "memory_save"}
MONITORING = {"monitor_delete", "monitor_list", "monitor_query_check", "monitor_query_save"}
WORKSPACE = {"workspace_contribute", "workspace_read", "workspace_withdraw"}
BARE = {"answer", "crossref_search", "filing_search", "image_search", "local_search", "searxng_search", "structured_search", "get_my_analytics"} | MEMORY | WORKSPACE | MONITORING  # fmt: skip


async def names_by_mcp(services):
    exchange = Exchange(ToolCatalogue(), services, Caller(), "2025-11-25")
    return {card["name"] for card in (await answer("tools/list", {}, exchange))["tools"]}


async def names_by_frozen_mcp(services):
    frozen = parse_entries(serialize_entries(ToolCatalogue().entries()))
    exchange = Exchange(ToolCatalogue(frozen=frozen), services, Caller(), "2025-11-25")
    return {card["name"] for card in (await answer("tools/list", {}, exchange))["tools"]}


async def got(services, path):
    transport = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as client:
        return (await client.get(path)).json()


async def names_by_http(services):
    return {card["name"] for card in (await got(services, "/tools"))["tools"]}


async def names_by_openapi(services):
    paths = (await got(services, "/openapi.json"))["paths"]
    return {path.removeprefix("/tools/") for path in paths if path.startswith("/tools/")}


ENTRY_POINTS = [names_by_mcp, names_by_frozen_mcp, names_by_http, names_by_openapi]


@pytest_asyncio.fixture
async def configure(environ):
    """Services with these settings and no others of ours."""
    opened = []

    def configure(**more):
        stripped = {name: value for name, value in environ.items() if name != "SEARXNG_URL"}
        opened.append(local_services(Settings.read(stripped | more)))
        return opened[-1]

    yield configure
    for services in opened:
        await services.close()


@pytest.mark.parametrize("listed", ENTRY_POINTS)
@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({}, set()),
        ({"TAVILY_API_KEY": "k"}, {"answer"}),
        ({"EXA_API_KEY": "k"}, {"answer", "structured_search"}),
        ({"BRAVE_API_KEY": "k"}, {"image_search", "local_search"}),
        ({"SEARXNG_BASE_URL": "http://127.0.0.1:1"}, {"image_search", "searxng_search"}),
        ({"GOOGLE_CUSTOM_SEARCH_API_KEY": "k"}, set()),
        ({"GOOGLE_CUSTOM_SEARCH_API_KEY": "k", "GOOGLE_CUSTOM_SEARCH_ID": "s"}, {"image_search"}),
        ({"OPENALEX_EMAIL": "a@example.org"}, {"crossref_search", "filing_search"}),
        ({"MEMORY_ENABLED": "true"}, MEMORY),
        ({"MEMORY_ENABLED": "false"}, set()),
    ],
)
async def test_a_tool_without_its_configuration_is_not_listed(configure, listed, more, found):
    services = configure(**more)
    assert await listed(services) == set(tool_registry.tool_names()) - BARE | found


async def test_listed_with_the_reason_where_that_is_asked_for(configure):
    services = configure(ASSAY_UNCONFIGURED_TOOLS="show")
    exchange = Exchange(ToolCatalogue(), services, Caller(), "2025-11-25")
    cards = {card["name"]: card for card in (await answer("tools/list", {}, exchange))["tools"]}
    assert set(cards) == set(tool_registry.tool_names())
    assert cards["structured_search"]["description"].endswith("Not configured here: set EXA_API_KEY.")
    assert cards["memory_save"]["description"].endswith("Not configured here: set MEMORY_ENABLED=true.")
    assert "Not configured" not in cards["web_search"]["description"]


@pytest.mark.parametrize("name", sorted(BARE))
async def test_a_call_of_an_unlisted_tool_says_what_to_set(configure, name):
    services = configure()
    exchange = Exchange(ToolCatalogue(), services, Caller(), "2025-11-25")
    schema = tool_registry.find_tool(name).input_schema
    arguments = dict.fromkeys(
        (*schema.get("required", ()), *(["query"] if "query" in schema["properties"] else [])), "otters"
    )
    result = await answer("tools/call", {"name": name, "arguments": arguments}, exchange)
    assert result["isError"]
    output = json.loads(result["content"][0]["text"].partition("\n\n")[2])["error"]
    assert output["kind"] == "config"
    assert (await invoke(name, arguments, Context(services, Caller()))).error.kind == "config"


def test_the_command_line_says_which_are_not_listed_and_why(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.setenv("BRAVE_API_KEY", "k")
    assert main(["tools"]) == 0
    response = capsys.readouterr()
    assert "local_search" in {line.split()[0] for line in response.out.splitlines()}
    assert "structured_search" not in {line.split()[0] for line in response.out.splitlines()}
    assert "structured_search" in response.err
    assert main(["tools", "--all"]) == 0
    assert "Not configured here: set EXA_API_KEY." in capsys.readouterr().out


def test_the_doctor_says_which_tools_lack_what(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    monkeypatch.setenv("CHROME_PATH", "disabled")
    main(["doctor", "--json"])
    findings = {each["what"]: each for each in json.loads(capsys.readouterr().out)}
    assert findings["tool local_search"] == {
        "what": "tool local_search",
        "state": "missing",
        "detail": "set BRAVE_API_KEY",
    }
    assert "local_search" not in findings["tools"]["detail"]
    assert findings["provider brave"]["detail"].endswith("image_search, local_search would work with it")
    assert "would work" not in findings["provider unpaywall"]["detail"]
