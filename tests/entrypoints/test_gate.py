"""What stands before the local server's entry points: origins, keys before bodies, room for bodies, codings, the last word."""

import asyncio
import gzip
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import zlib

import httpx
import pytest
import pytest_asyncio
import uvicorn
import zstandard

from assay.entrypoints import mcp_function
from assay.entrypoints.http import http_api, rest, service_info
from assay.entrypoints.http.host_origin_guard import HostOriginMiddleware
from assay.entrypoints.http.http_protocol import LimitedHttpProtocol
from assay.entrypoints.http.local_server import create_app, listen
from assay.entrypoints.http.request_body import UNAUTHENTICATED_BYTES, BodyMemory
from assay.search.circuit_breakers import KEY as BREAKER
from assay.settings import Settings

KEY = "assay_" + "k" * 43
ENTRY = {"name": "ada", "sha256": hashlib.sha256(KEY.encode()).hexdigest(), "scopes": ["tool:dedupe_rank"]}
PAGE = "https://app.example"
DOCUMENTS = {"docs": [{"id": "a", "text": "Otters hold hands."}]}
BROWSER = {"origin": PAGE, "access-control-request-method": "POST", "access-control-request-headers": "authorization"}
MCP = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
ADDRESSES = [("GET", "/health/live"), ("POST", "/tools/dedupe_rank"), ("POST", "/mcp"), ("GET", "/nope")]


@pytest.fixture
def environ(environ):
    return environ | {"ASSAY_API_KEYS": json.dumps([ENTRY]), "ALLOWED_ORIGINS": f"{PAGE}, https://other.example"}


@pytest.fixture
def mine():
    return {"authorization": f"Bearer {KEY}"}


@pytest_asyncio.fixture
async def entry_point(services):
    wire = httpx.ASGITransport(create_app(services, any_host=True))
    async with httpx.AsyncClient(transport=wire, base_url="http://assay.example") as client:
        yield client


@pytest.mark.parametrize("path", ["/tools/dedupe_rank", "/mcp", "/v1/scrape"])
async def test_a_page_of_an_allowed_origin_is_told_that_it_may_call(path, entry_point):
    answer = await entry_point.options(path, headers=BROWSER)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert {"authorization", "content-type", "idempotency-key"} <= set(
        answer.headers["access-control-allow-headers"].split(", ")
    )
    assert answer.headers["vary"] == "Origin"


async def test_a_browser_mcp_client_may_send_and_read_the_headers_of_mcp(entry_point, mine):
    preflight = await entry_point.options("/mcp", headers=BROWSER)
    allowed = set(preflight.headers["access-control-allow-headers"].split(", "))
    assert {"mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name", "accept", "last-event-id"} <= allowed
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    answer = await entry_point.post("/mcp", json=message, headers=mine | MCP | {"origin": PAGE})
    assert answer.status_code == 200
    assert answer.headers["mcp-session-id"]
    assert "mcp-session-id" in answer.headers["access-control-expose-headers"].split(", ")


async def test_a_page_of_another_origin_is_told_nothing(entry_point):
    answer = await entry_point.options("/tools/dedupe_rank", headers=BROWSER | {"origin": "https://evil.example"})
    assert answer.status_code == 403
    assert answer.json()["error"]["kind"] == "forbidden"
    assert "access-control-allow-origin" not in answer.headers


async def test_the_answer_itself_may_be_read_by_that_page(entry_point, mine):
    called = await entry_point.post("/tools/dedupe_rank", json=DOCUMENTS, headers=mine | {"origin": PAGE})
    refused = await entry_point.post("/tools/dedupe_rank", json=DOCUMENTS, headers={"origin": PAGE})
    assert (called.status_code, refused.status_code) == (200, 401)
    for answer in (called, refused):
        assert answer.headers["access-control-allow-origin"] == PAGE
        assert "x-request-id" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize(("method", "path"), ADDRESSES)
async def test_every_answer_says_what_it_may_not_be_used_for(method, path, entry_point, mine):
    for headers in ({}, mine):
        answer = await entry_point.request(method, path, headers=headers)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"


HANDLERS = {
    "tools": (lambda services: http_api.handler_for("dedupe_rank", services), "POST", "/tools/dedupe_rank"),
    "mcp": (mcp_function.handler_for, "POST", "/mcp"),
    "tools at the Function URL": (mcp_function.handler_for, "POST", "/tools/dedupe_rank"),
    "REST at the Function URL": (mcp_function.handler_for, "POST", "/v1/search"),
    "rest": (rest.handler, "POST", "/v1/search"),
    "service_info": (service_info.handler_for, "GET", "/health/live"),
}


@pytest.fixture(params=HANDLERS)
def on_lambda(request, services):
    """`on_lambda(headers, method)`: the response of a Lambda handler to an event of API Gateway."""
    make_handler, usual, path = HANDLERS[request.param]
    handler = make_handler(lambda: services)

    def call(headers, method=usual):
        http = {"method": method, "path": path, "sourceIp": "127.0.0.1"}
        return handler(
            {
                "version": "2.0",
                "rawPath": path,
                "rawQueryString": "",
                "headers": {"host": "assay.example"} | headers,
                "requestContext": {"http": http, "requestId": "r-1"},
                "body": "" if usual == "GET" else json.dumps(DOCUMENTS),
                "isBase64Encoded": False,
            },
            None,
        )

    return call


def test_every_lambda_function_sends_the_security_headers(on_lambda, mine):
    for headers in ({}, mine):
        answer = on_lambda(headers)
        assert answer["headers"]["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer["headers"]["content-security-policy"]
        assert answer["headers"]["x-frame-options"] == "DENY"
        assert answer["headers"]["referrer-policy"] == "no-referrer"


def test_every_lambda_function_lets_pages_of_allowed_origins_call(on_lambda, mine):
    preflight = on_lambda(BROWSER, "OPTIONS")
    assert (preflight["statusCode"], preflight["body"]) == (204, "")
    assert preflight["headers"]["access-control-allow-origin"] == PAGE
    assert "mcp-session-id" in preflight["headers"]["access-control-allow-headers"]
    answer = on_lambda(mine | {"origin": PAGE})
    assert answer["headers"]["access-control-allow-origin"] == PAGE
    assert "mcp-session-id" in answer["headers"]["access-control-expose-headers"]


def test_no_lambda_function_lets_pages_of_other_origins_call(on_lambda, mine):
    for method, headers in (("OPTIONS", BROWSER), ("POST", mine), ("GET", mine)):
        answer = on_lambda(headers | {"origin": "https://evil.example"}, method)
        assert not [name for name in answer["headers"] if name.startswith("access-control-")]
        assert answer["statusCode"] != 204


@pytest.mark.parametrize(("method", "path"), [*ADDRESSES[:3], ("GET", "/tools"), ("POST", "/v1/scrape")])
@pytest.mark.parametrize("second", [KEY, "x"])
async def test_two_keys_are_none(second, method, path, entry_point):
    rows = [("Authorization", f"Bearer {KEY}"), ("Authorization", f"Bearer {second}"), *MCP.items()]
    answer = await entry_point.request(method, path, headers=rows, content=b"{}" if method == "POST" else None)
    assert answer.status_code == 401
    assert answer.json()["error"]["kind"] == "auth_required"


async def test_a_key_that_does_not_reach_a_tool_is_distinguished_from_one_that_is_unknown(entry_point, mine):
    refused = await entry_point.post("/tools/web_search", json={"query": "otters"}, headers=mine)
    assert refused.status_code == 403
    assert refused.json()["error"]["kind"] == "forbidden"


async def test_readiness_takes_no_key_and_tells_which_providers_rest(entry_point, services):
    answer = (await entry_point.get("/health/ready")).json()
    assert answer["status"] == "ready"
    assert answer["breakers"]["searxng"] == "closed"
    open_until = json.dumps({"failures": 9, "open_until": services.clock() + 60})
    await services.table.put(BREAKER, "searxng", open_until.encode())
    await asyncio.sleep(1.1)  # what was seen is believed for a second
    assert (await entry_point.get("/health/ready")).json()["breakers"]["searxng"] == "open"


async def test_a_server_that_cannot_keep_state_is_not_ready_and_names_no_class_of_ours(entry_point, services):
    (services.settings.home / "assay.sqlite3").mkdir(parents=True)
    answer = await entry_point.get("/health/ready")
    assert (answer.status_code, answer.json()["status"]) == (503, "unhealthy")
    assert "Error" not in answer.text


@pytest.mark.parametrize(
    ("coding", "encode"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("zstd", zstandard.compress), ("identity", bytes)],
)
async def test_a_coded_body_is_decoded(coding, encode, entry_point, services, mine):
    body = encode(json.dumps(DOCUMENTS).encode())
    headers = mine | {"content-encoding": coding, "content-type": "application/json"}
    assert (await entry_point.post("/tools/dedupe_rank", content=body, headers=headers)).status_code == 200
    import base64

    event = {"headers": headers, "body": base64.b64encode(body).decode(), "isBase64Encoded": True}
    assert (await http_api.answer("dedupe_rank", event, None, services))["statusCode"] == 200


@pytest.mark.parametrize(
    ("coding", "body", "status"),
    [
        ("gzip", gzip.compress(b" " * 11_000_000), 413),
        ("gzip", gzip.compress(json.dumps(DOCUMENTS).encode())[:-9], 400),
        ("gzip", b"{}", 400),
        ("br, gzip", b"{}", 415),
        ("compress", b"{}", 415),
    ],
    ids=["a bomb", "half", "none", "two", "another"],
)
async def test_a_body_that_cannot_be_decoded_is_refused_in_words(coding, body, status, entry_point, services, mine):
    import base64

    headers = mine | {"content-encoding": coding}
    refused = await entry_point.post("/tools/dedupe_rank", content=body, headers=headers)
    event = {"headers": headers, "body": base64.b64encode(body).decode(), "isBase64Encoded": True}
    on_lambda = await http_api.answer("dedupe_rank", event, None, services)
    assert (refused.status_code, on_lambda["statusCode"]) == (status, status)
    for output in (refused.json(), json.loads(on_lambda["body"])):
        assert output["error"]["kind"] == "validation"


# Bodies, over a real connection.


class SmallLimitsProtocol(LimitedHttpProtocol):
    max_connections = 5


@pytest_asyncio.fixture
async def port(services):
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(create_app(services), http=SmallLimitsProtocol, ws="none", log_level="error")
    )
    serving = asyncio.create_task(server.serve([listening]))
    yield listening.getsockname()[1]
    server.should_exit = True
    await serving


def head(path: str, length: int, more: str = "", method: str = "POST") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {length}\r\n{more}\r\n".encode()


async def first_answer(port: int, raw: bytes) -> tuple[int, dict]:
    """What comes back before the whole request is sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(raw)
    answer = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    top, _, body = answer.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(body)


@pytest.mark.parametrize("path", ["/tools/dedupe_rank", "/mcp", "/v1/scrape", "/nope"])
async def test_a_body_is_not_waited_for_where_no_key_is_shown(path, port):
    status, answer = await first_answer(port, head(path, 9_000_000) + b"x" * 1000)
    assert (status, answer["error"]["kind"]) == (401, "auth_required")


async def test_where_no_key_is_asked_for_a_body_is_small(port):
    status, _ = await first_answer(port, head("/health/live", UNAUTHENTICATED_BYTES + 1, method="GET"))
    assert status == 413


async def test_connections_are_capped_and_the_next_is_told_to_come_again(port):
    held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
    await asyncio.sleep(0.05)
    status, answer = await first_answer(port, b"")
    assert (status, answer["error"]["retryable"]) == (503, True)
    held.pop()[1].close()
    await asyncio.sleep(0.05)
    assert (await first_answer(port, head("/nope", 0, "connection: close\r\n", "GET")))[0] == 404
    for _, writer in held:
        writer.close()


async def test_the_bodies_of_all_requests_together_have_bounded_room(services, mine):
    release = asyncio.Event()

    async def app(scope, receive, send) -> None:
        await receive()
        await release.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    wire = httpx.ASGITransport(HostOriginMiddleware(app, any_host=True, memory=BodyMemory(1000)))
    async with httpx.AsyncClient(transport=wire, base_url="http://assay.example") as client:
        first = asyncio.create_task(client.post("/tools/x", content=b"x" * 800))
        await asyncio.sleep(0.05)
        second = await client.post("/tools/x", content=b"x" * 300)
        assert second.status_code == 503
        assert second.headers["retry-after"] == "1"
        release.set()
        assert (await first).status_code == 200
        assert (await client.post("/tools/x", content=b"x" * 1000)).status_code == 200


# The process.


STUCK = """
import asyncio, os, threading, time
from assay.bootstrap import local_services
from assay.entrypoints.http.local_server import serve
from assay.settings import Settings

class Hanging:
    async def close(self):
        print("closing", flush=True)
        await asyncio.Event().wait()

services = local_services(Settings.read(os.environ))
if os.environ["STUCK"] == "thread":
    threading.Thread(target=time.sleep, args=(60,)).start()
else:
    services.model = Hanging()
serve("127.0.0.1", 0, lambda: services)
"""


@pytest.mark.parametrize("stuck", ["thread", "close"])
def test_it_ends_within_its_grace_whatever_does_not_end(stuck, environ):
    own = {"STUCK": stuck, "SHUTDOWN_GRACE_SECONDS": "2", "ASSAY_READERS": "1"}
    command = [sys.executable, "-c", STUCK]
    child = subprocess.Popen(
        command, env=os.environ | environ | own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert "listens" in child.stdout.readline()
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=50)
    finally:
        child.kill()
        child.wait()


async def test_the_audit_is_for_its_owner_alone(services, mine):
    path = services.settings.home / "audit.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(0o644)
    for _ in range(2):
        await http_api.answer("dedupe_rank", {"headers": mine, "body": json.dumps(DOCUMENTS)}, None, services)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.unlink(missing_ok=True)


def test_settings_say_how_long_it_may_take_to_end():
    assert Settings.read({"SHUTDOWN_GRACE_SECONDS": "7"}).shutdown_seconds == 7
