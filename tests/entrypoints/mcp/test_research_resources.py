"""The resources of the service: figures of the tenant, a person's sessions, crawls and stored answers."""

import asyncio
import json

import pytest
from mcp.client.client import Client

from assay.caller import Caller
from assay.context import Context
from assay.crawl.start import start_crawl
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.jsonrpc import RpcError
from assay.entrypoints.mcp.methods import answer
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue

BOTH = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
ADA, BOB, EVE = Caller("acme", "ada"), Caller("acme", "bob"), Caller("beta", "eve")
STEP = {"searchStep": "Look for otters", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": "Otters"}
LISTED = [
    "diagnostics://errors/recent",
    "diagnostics://health",
    "lenses://catalog",
    "stats://providers",
    "stats://rate-limits",
    "stats://sessions",
    "stats://tools",
]
TEMPLATES = ["research://artifact/{id}", "research://crawl/{id}", "research://session/{id}"]


@pytest.fixture
def environ(environ):
    return environ | {"RATE_LIMIT_PER_TENANT": "1000", "DAILY_QUOTA_PER_TENANT": "5000"}


@pytest.fixture
def exchange(services):
    def of(caller, version="2026-07-28"):
        return Exchange(ToolCatalogue(), services, caller, version)

    return of


@pytest.fixture
def read(exchange):
    """`await read(uri, caller)`: the resource as JSON."""

    async def read_resource(uri, caller=ADA, **more):
        result = await answer("resources/read", {"uri": uri}, exchange(caller, **more))
        [item] = result["contents"]
        assert (item["uri"], item["mimeType"]) == (uri, "application/json")
        return json.loads(item["text"])

    return read_resource


@pytest.fixture
def call(exchange):
    async def call_tool(name, caller=ADA, **arguments):
        return await answer("tools/call", {"name": name, "arguments": arguments}, exchange(caller))

    return call_tool


class CountingTable:
    """Counts the operations on a table by name."""

    def __init__(self, table):
        self._table, self.operations = table, []

    def __getattr__(self, name):
        self.operations.append(name)
        return getattr(self._table, name)


@BOTH
async def test_the_sdks_client_reads_every_resource(mode, address):
    async with Client(address, mode=mode) as client:
        session = (await client.call_tool("sequential_search", STEP)).structured_content["sessionId"]
        await client.call_tool("web_search", {})
        resources = (await client.list_resources()).resources
        assert sorted(str(each.uri) for each in resources) == LISTED
        templates = (await client.list_resource_templates()).resource_templates
        assert sorted(each.uri_template for each in templates) == TEMPLATES
        shown = {uri: json.loads((await client.read_resource(uri)).contents[0].text) for uri in LISTED}
        stored = json.loads((await client.read_resource(f"research://session/{session}")).contents[0].text)
    assert stored["researchGoal"] == "Otters"
    tools = shown["stats://tools"]["tools"]
    assert (tools["sequential_search"]["successCalls"], tools["web_search"]["errorCalls"]) == (1, 1)
    assert shown["stats://sessions"] == {"activeSessions": 1}
    minute, day = shown["stats://rate-limits"]["tenant"]["limits"]
    assert (minute["name"], minute["limit"], day["remaining"]) == ("tenant-minute", 1000, 5000 - day["used"])
    assert {"name": "searxng", "type": "web"}.items() <= {
        each["name"]: each for each in shown["stats://providers"]["providers"]
    }["searxng"].items()
    assert {each["name"]: each for each in shown["lenses://catalog"]["lenses"]}["academic"]["domainCount"] >= 10
    [error] = shown["diagnostics://errors/recent"]["errors"]
    assert (error["tool"], error["kind"], error["entryPoint"]) == ("web_search", "validation", "mcp")
    assert "query" in error["cause"]
    assert shown["diagnostics://health"]["status"] == "healthy"


async def test_figures_are_those_of_the_tenant_and_causes_those_of_the_person(call, read):
    await call("web_search", ADA)
    await call("sequential_search", ADA, **STEP)
    for caller in (ADA, BOB):
        assert (await read("stats://tools", caller))["tools"]["web_search"]["errorCalls"] == 1
        assert (await read("stats://sessions", caller)) == {"activeSessions": 1}
        [error] = (await read("diagnostics://errors/recent", caller))["errors"]
        assert ("cause" in error) == (caller is ADA)
    assert (await read("stats://tools", EVE)) == {"tools": {}}
    assert (await read("stats://sessions", EVE)) == {"activeSessions": 0}
    assert (await read("diagnostics://errors/recent", EVE)) == {"count": 0, "errors": []}


@pytest.mark.parametrize(("version", "code"), [("2025-11-25", -32002), ("2026-07-28", -32602)])
async def test_sessions_crawls_and_answers_of_others_do_not_exist(version, code, call, read, services):
    session = (await call("sequential_search", ADA, **STEP))["structuredContent"]["sessionId"]
    crawl = await start_crawl(
        Context(services, ADA), "https://a.example/", max_pages=3, include=(), exclude=(), max_depth=1
    )
    answered = (await Context(services, ADA).store_artifact(b'{"a": 1}')).id
    uris = [f"research://session/{session}", f"research://crawl/{crawl.id}", f"research://artifact/{answered}"]
    assert [set(await read(uri)) & {"researchGoal", "crawlId", "a"} for uri in uris] == [
        {"researchGoal"},
        {"crawlId"},
        {"a"},
    ]
    unknown = ["research://session/x", "research://crawl/x", "research://artifact/x", "stats://nothing"]
    for uri, caller in [*((uri, EVE) for uri in uris), (uris[0], BOB), *((uri, ADA) for uri in unknown)]:
        with pytest.raises(RpcError) as refusal:
            await read(uri, caller, version=version)
        assert (refusal.value.code, refusal.value.data["uri"]) == (code, uri)


@pytest.mark.parametrize("uri", LISTED)
async def test_a_read_costs_one_query_beside_the_limits(uri, read, services, call):
    await asyncio.gather(*(call("web_search", ADA) for _ in range(60)))
    services.table = counting = CountingTable(services.table)
    services.__dict__.pop("search", None)
    document = await read(uri)
    assert [each for each in counting.operations if each != "add"] in ([], ["query"])  # the limits add
    assert len(json.dumps(document)) < 40_000


async def test_a_key_without_the_tools_scope_reads_no_session(read, call):
    session = (await call("sequential_search", ADA, **STEP))["structuredContent"]["sessionId"]
    narrow = Caller("acme", "ada", scopes=frozenset({"tool:web_search"}))
    with pytest.raises(RpcError, match="scopes"):
        await read(f"research://session/{session}", narrow)
