"""Who shows no key, or another's, or a clever one: 401 on every door, no tool runs, and the audit says so."""

import base64
import hashlib
import json
import logging

import httpx
import pytest
import pytest_asyncio

from assay.entrypoints.http.local_server import create_app
from assay.settings import Settings

KEY = "assay_" + "k" * 43
ENTRY = {
    "name": "ada",
    "sha256": hashlib.sha256(KEY.encode()).hexdigest(),
    "tenant": "acme",
    "scopes": ["tool:read_artifact"],
}
MCP = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "read_artifact", "arguments": {"id": "x"}},
}


def jwt(**head: object) -> str:
    claims = {"sub": "a#tenantB", "exp": 0, "scope": "tool:* admin"}
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in (head, claims)]
    return ".".join([*parts, "c2lnbmF0dXJl"])


SHOWN = [
    None,
    "",
    "Bearer",
    f"Basic {base64.b64encode(KEY.encode()).decode()}",
    f"Bearer {KEY}x",
    f"Bearer {KEY[:-1]}",
    f"Bearer {KEY.upper()}",
    f"Bearer {KEY},Bearer {KEY}",
    f"Bearer {ENTRY['sha256']}",
    "Bearer " + "k" * 7000,
    f"Token {KEY}",
    f"Bearer {jwt(alg='none')}",
    f"Bearer {jwt(alg='HS256', kid='../../dev/null')}",
    "Bearer " + jwt(alg="RS256", kid="' OR 1=1"),
    f"Bearer {jwt(alg='RS256', x5u='http://127.0.0.1:9/cert', jku='http://127.0.0.1:9/jwks')}",
    f"Bearer {jwt(alg='RS256', jwk={'kty': 'oct', 'k': 'YQ'})}",
    f"Bearer {jwt(alg='dir', enc='A256GCM', zip='DEF')}",
]
DOORS = [
    ("POST", "/tools/read_artifact"),
    ("POST", "/mcp"),
    ("GET", "/tools"),
    ("GET", "/openapi.json"),
    ("POST", "/v1/crawl"),
    ("GET", "/v1/crawl/x"),
    ("DELETE", "/v1/crawl/x"),
]


@pytest.fixture
def environ(environ):
    return environ | {"ASSAY_API_KEYS": json.dumps([ENTRY])}


@pytest_asyncio.fixture
async def door(services):
    wire = httpx.ASGITransport(create_app(services, any_host=True))
    async with httpx.AsyncClient(transport=wire, base_url="http://assay.example") as client:
        yield client


@pytest.mark.parametrize(("method", "path"), DOORS)
@pytest.mark.parametrize("shown", SHOWN)
async def test_nobody_comes_in_with_that(shown, method, path, door, audit, caplog):
    caplog.set_level(logging.DEBUG)
    headers = MCP | ({} if shown is None else {"authorization": shown})
    answer = await door.request(method, path, headers=headers, json=CALL if path == "/mcp" else {"id": "x"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.json()["error"]["kind"] == "auth_required"
    [event] = audit()
    assert (event["event_type"], event["success"]) == ("auth.failure", False)
    written = answer.text + json.dumps(event) + "".join(r.getMessage() for r in caplog.records if r.name != "httpx")
    secret = (shown or "").rpartition(" ")[2]
    assert len(secret) < 10 or secret[:60] not in written


@pytest.mark.parametrize("query", [f"access_token={KEY}", f"key={KEY}", f"authorization=Bearer%20{KEY}"])
async def test_a_key_in_the_address_is_not_taken_and_not_written_down(query, door, audit):
    answer = await door.post(f"/tools/read_artifact?{query}", json={"id": "x"})
    assert answer.status_code == 401
    assert KEY not in answer.text + json.dumps(audit())


async def test_a_key_reaches_as_far_as_its_scopes_and_no_further(door, audit):
    mine = {"authorization": f"Bearer {KEY}"}
    assert (await door.post("/tools/read_artifact", json={"id": "x"}, headers=mine)).status_code == 404
    refused = await door.post("/tools/web_search", json={"query": "otters", "scope": "tool:*"}, headers=mine)
    assert refused.status_code == 403
    assert [event["tenant_id"] for event in audit()] == ["acme", "acme"]
    assert KEY not in json.dumps(audit())


async def test_the_header_does_not_choose_what_the_body_calls(door):
    """A key for one tool, the other named in the body: the body counts."""
    other = CALL | {"params": {"name": "web_search", "arguments": {"query": "otters"}}}
    headers = MCP | {"authorization": f"Bearer {KEY}", "mcp-name": "read_artifact", "mcp-method": "tools/call"}
    answer = (await door.post("/mcp", json=other, headers=headers)).json()
    assert answer.get("error") or answer["result"]["isError"]
    assert "scopes" in json.dumps(answer) or "mcp-name" in json.dumps(answer)


async def test_a_callers_key_is_shown_to_no_upstream(services, site, environ, tmp_path):
    open_entry = ENTRY | {"scopes": ["*"]}
    services.settings = Settings.read(environ | {"ASSAY_API_KEYS": json.dumps([open_entry])})
    site.says("/otters", "<h1>Otters</h1><p>Otters hold hands.</p>")
    site.says("/searxng/search", json.dumps({"results": []}), kind="application/json")
    wire = httpx.ASGITransport(create_app(services, any_host=True))
    async with httpx.AsyncClient(transport=wire, base_url="http://assay.example") as client:
        mine = {"authorization": f"Bearer {KEY}", "cookie": f"session={KEY}", "x-request-id": "r1"}
        await client.post("/tools/scrape_page", json={"url": "http://river.example/otters"}, headers=mine)
        await client.post("/tools/web_search", json={"query": "otters"}, headers=mine)
    assert len(site.requests) >= 2
    assert KEY not in str(site.requests)
    stored = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert stored == []
