"""Tables of both worlds, and what people allow clients."""

import contextlib

import httpx
import pytest
import pytest_asyncio
from tests.oauth.browsers import RING, Browser, Client
from tests.oauth.live_server import LiveServer
from tests.support import table_factories

from assay.entrypoints.http.local_server import create_app
from assay.oauth.grants import Authorization
from assay.oauth.principals import Principal


@pytest.fixture
def frozen():
    return table_factories.FrozenClock()


@pytest_asyncio.fixture(params=["sqlite", "dynamodb"])
async def table(request, tmp_path, frozen):
    """A table on a laptop, and one on AWS."""
    if request.param == "sqlite":
        table = table_factories.sqlite(tmp_path, frozen)
    else:
        url = request.getfixturevalue("engine_url")
        table = table_factories.open_engine_table(url, table_factories.create_engine_table(url), frozen)
    yield table
    await table.close()


@pytest.fixture
def allowed():
    ada = Principal("acme", "ada", frozenset({"*"}), "ada-laptop", "d" * 64)
    return Authorization(ada, "client-1", "Otter", "app.example", frozenset({"tool:*"}), "https://assay.example/mcp")


@pytest.fixture
def environ(environ):
    return environ | {"ASSAY_API_KEYS": RING}


@pytest.fixture
def app(services):
    return create_app(services)


@pytest_asyncio.fixture
async def connect(app):
    """Connections of different programs to one server: cookies are not shared."""
    async with contextlib.AsyncExitStack() as open_connections:

        async def connect(address="192.0.2.7", url="http://127.0.0.1:8787"):
            wire = httpx.ASGITransport(app, client=(address, 50_000))
            return await open_connections.enter_async_context(httpx.AsyncClient(transport=wire, base_url=url))

        yield connect


@pytest_asyncio.fixture
async def browser(connect):
    return Browser(await connect())


@pytest_asyncio.fixture
async def client(connect):
    return await Client(await connect("192.0.2.9")).register()


@pytest_asyncio.fixture
async def tokens(browser, client):
    """The tokens of a client that Ada has allowed."""
    consent = await browser.sign_in(await browser.open("/oauth/authorize", **client.query))
    answer = await client.exchange((await browser.allow(consent))["code"])
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest_asyncio.fixture
async def call_tool(connect):
    """The answer of /mcp to a call of a tool with this token."""
    http = await connect("192.0.2.10")

    async def post(token, tool="format_bibliography", path="/mcp"):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}
        headers = {
            "authorization": f"Bearer {token}",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-11-25",
        }
        return await http.post(path, json=call, headers=headers)

    return post


@pytest.fixture
def live(environ):
    """A server with connections, sessions and a state of its own."""
    live = LiveServer(environ)
    yield live
    live.stop()
