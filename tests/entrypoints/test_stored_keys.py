"""Keys of the table: whom they let in at which entry point, what checking one costs, and how they end."""

import json
import logging
from time import monotonic

import httpx
import pytest
import pytest_asyncio
from tests.support import table_factories

from assay.entrypoints.cli.main import main
from assay.entrypoints.http.local_server import create_app, refuse_open
from assay.errors import ConfigError
from assay.oauth.grants import Authorization, create_grant
from assay.oauth.principals import Principal
from assay.state.key_store import build_key, list_keys, revoke_key, save_key

BASE = "https://assay.example"
MCP = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "read_artifact", "arguments": {"id": "x"}},
}
ENTRY_POINTS = [
    ("POST", "/tools/read_artifact"),
    ("POST", "/mcp"),
    ("GET", "/tools"),
    ("GET", "/openapi.json"),
    ("POST", "/v1/scrape"),
    ("GET", "/v1/crawl/x"),
    ("DELETE", "/v1/crawl/x"),
]


class CountingTable:
    """A table that records which of its methods are called."""

    def __init__(self, table):
        self._table, self.calls = table, []

    def __getattr__(self, name):
        method = getattr(self._table, name)

        async def call(*args, **kwargs):
            self.calls.append(name)
            return await method(*args, **kwargs)

        return call


@pytest.fixture
def environ(environ):
    return environ | {"ASSAY_PUBLIC_URL": BASE}


@pytest_asyncio.fixture
async def world(services):
    services.requires_keys = True
    services.table = CountingTable(services.table)
    return services


@pytest_asyncio.fixture
async def http(world):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(create_app(world)), base_url=BASE) as client:
        yield client


@pytest.fixture
def add_key(world):
    async def add(name="ada", **options):
        secret, key = build_key(name, world.clock(), **options)
        await save_key(world.table, key)
        return secret, key

    return add


def bearer(secret):
    return {"authorization": f"Bearer {secret}"}


@pytest.mark.parametrize("store", ["sqlite", "dynamodb"])
@pytest.mark.parametrize(("method", "path"), ENTRY_POINTS)
async def test_a_key_opens_every_entry_point_until_it_is_revoked(
    store, method, path, world, add_key, request, http, caplog
):
    if store == "dynamodb":
        url = request.getfixturevalue("engine_url")
        world.table = table_factories.open_engine_table(url, table_factories.create_engine_table(url), world.clock)
    caplog.set_level(logging.DEBUG)
    body = CALL if path == "/mcp" else {"url": "no address"} if path == "/v1/scrape" else {"id": "x"}

    async def call(secret):
        return await http.request(method, path, headers=MCP | bearer(secret), json=body)

    secret, key = await add_key()
    assert (await call(secret)).status_code in (200, 400, 404)
    await revoke_key(world.table, key.id)
    answers = [await call(shown) for shown in (secret, secret[:-1] + "-", secret + "x", secret.upper())]
    assert [answer.status_code for answer in answers] == [401] * 4
    audit = (world.settings.home / "audit.jsonl").read_text()
    logged = "".join(record.getMessage() for record in caplog.records if record.name != "httpx")
    assert secret[:30] not in audit + logged + "".join(answer.text for answer in answers)
    if store == "dynamodb":
        await world.table.close()


async def test_checking_a_key_takes_one_read_whether_it_is_known_or_not(world, add_key, clock):
    from assay.entrypoints.http.http_api import authenticate_headers
    from assay.errors import Unauthenticated

    known, _ = await add_key()
    revoked, gone = await add_key("bob")
    await revoke_key(world.table, gone.id)
    expired, _ = await add_key("cy", seconds=60)
    clock.forward(61)
    await authenticate_headers(bearer(known), world, "https", "r")  # a first use is recorded
    costs = []
    for secret in (known, revoked, expired, known[:-3] + "abc"):
        world.table.calls.clear()
        try:
            await authenticate_headers(bearer(secret), world, "https", "r")
        except Unauthenticated as refusal:
            costs.append((refusal.message, world.table.calls.copy()))
        else:
            costs.append(("known", world.table.calls.copy()))
    refused = ("The key is not valid. Ask the operator for one.", ["get"])
    assert costs == [("known", ["get"]), refused, refused, refused]


async def test_the_last_use_is_known_to_the_hour(world, add_key, clock, http):
    secret, _ = await add_key(seconds=7 * 86_400)

    async def read_last_use():
        [key] = await list_keys(world.table)
        return key.used

    assert await read_last_use() is None
    await http.get("/tools", headers=bearer(secret))
    first = await read_last_use()
    assert abs(first - clock()) < 60
    await http.get("/tools", headers=bearer(secret))
    assert await read_last_use() == first
    clock.forward(3601)
    await http.get("/tools", headers=bearer(secret))
    assert await read_last_use() > first + 3600
    clock.forward(7 * 86_400)
    assert (await http.get("/tools", headers=bearer(secret))).status_code == 401
    assert await list_keys(world.table) == []


async def test_a_read_only_key_changes_nothing(add_key, http):
    secret, _ = await add_key(read_only=True)
    assert (await http.get("/v1/crawl/x", headers=bearer(secret))).status_code == 404
    for method, path, body in (("POST", "/v1/crawl", {"url": f"{BASE}/"}), ("DELETE", "/v1/crawl/x", None)):
        refused = await http.request(method, path, headers=bearer(secret), json=body)
        assert refused.status_code == 403
        assert "read-only" in refused.json()["error"]["message"]


async def test_a_key_reaches_as_far_as_its_scopes(add_key, http):
    secret, _ = await add_key(scopes=["tool:cinder_get_crawl_status"])
    assert (await http.get("/v1/crawl/x", headers=bearer(secret))).status_code == 404
    assert (await http.delete("/v1/crawl/x", headers=bearer(secret))).status_code == 403


async def test_a_token_ends_within_seconds_of_the_key_that_it_rests_on(world, add_key, http, clock):
    _, key = await add_key(read_only=True)
    principal = Principal(key.tenant, key.user, key.scopes, key.name, key.digest)
    allowed = Authorization(principal, "client-1", "Otter", "app.example", frozenset({"tool:*"}), BASE)
    token = (await create_grant(world.table, allowed, clock())).access
    assert (await http.get("/tools", headers=bearer(token))).status_code == 200
    assert (await http.delete("/v1/crawl/x", headers=bearer(token))).status_code == 403  # as read-only as the key
    world.table.calls.clear()
    assert (await http.get("/tools", headers=bearer(token))).status_code == 200
    assert world.table.calls == ["get"]
    await revoke_key(world.table, key.id)
    world.recent_keys.expire(monotonic() + 6)  # six seconds pass, whatever the clock shows
    assert (await http.get("/tools", headers=bearer(token))).status_code == 401


def test_a_server_with_keys_of_the_table_listens_for_others(environ, services, monkeypatch, capsys):
    with pytest.raises(ConfigError, match="assay key create"):
        refuse_open("0.0.0.0", services)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert main(["key", "create", "ada"]) == 0
    refuse_open("0.0.0.0", services)
    assert services.requires_keys
    assert json.loads(capsys.readouterr().out)["name"] == "ada"
