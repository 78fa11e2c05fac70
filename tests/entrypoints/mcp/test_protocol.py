"""What the wire may bring and must not do: hostile bodies, headers that lie, methods that hang elsewhere."""

import asyncio
import json

import pytest

from assay.state import artifacts

SENT = {"content-type": "application/json", "accept": "application/json, text/event-stream", "host": "127.0.0.1"}
BOTH = pytest.mark.parametrize("era", ["legacy", "modern"])


async def test_a_request_that_names_no_version_is_of_march_2025(thin):
    got = await thin.legacy("tools/call", {"name": "echo", "arguments": {"query": "a"}}, version=None)
    assert got.result["structuredContent"]["text"] == "a"
    assert "resultType" not in got.result


async def test_an_envelope_whose_header_got_lost_is_refused(thin):
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    for version in (None, "2025-11-25"):
        got = await thin.legacy("tools/list", {"_meta": meta}, version=version)
        assert (got.status, got.error["code"]) == (400, -32020)


async def test_the_body_alone_decides_what_runs_and_a_header_that_lies_is_refused(thin):
    got = await thin.modern("tools/call", {"name": "kept", "arguments": {"query": "a"}}, headers={"mcp-name": "echo"})
    assert (got.status, got.error["code"]) == (400, -32020)


@pytest.mark.parametrize("name", ["mcp-method", "mcp-name", "mcp-protocol-version"])
async def test_a_routing_header_sent_twice_is_refused(name, thin, modern_request):
    body, headers = modern_request("tools/call", {"name": "echo", "arguments": {"query": "a"}})
    got = await thin.send(body, [*headers.items(), (name, headers[name])])
    assert (got.status, got.error["code"]) == (400, -32020)


@BOTH
async def test_a_batch_is_refused(era, thin):
    body = json.dumps([{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(2)]).encode()
    headers = SENT | {"mcp-protocol-version": "2026-07-28" if era == "modern" else "2025-03-26"}
    got = await thin.send(body, headers)
    assert (got.status, got.error["code"]) == (400, -32600)


async def test_an_unknown_method_is_404_in_the_newest_revision(thin):
    got = await thin.modern("tools/nope")
    assert (got.status, got.error["code"], got.json["id"]) == (404, -32601, 1)


@BOTH
async def test_null_arguments_are_not_arguments(era, thin):
    ask = thin.modern if era == "modern" else thin.legacy
    got = await ask("tools/call", {"name": "echo", "arguments": None})
    assert got.result["isError"] is True
    assert "query is required" in got.result["content"][0]["text"]


@BOTH
@pytest.mark.parametrize("arguments", [[], "x", 5, True])
async def test_arguments_that_are_not_an_object_are_refused(era, arguments, thin):
    ask = thin.modern if era == "modern" else thin.legacy
    got = await ask("tools/call", {"name": "echo", "arguments": arguments})
    assert got.error["code"] == -32602


@BOTH
@pytest.mark.parametrize(
    ("arguments", "told"),
    [({"query": "a", "times": 1_000_000}, "10"), ({"query": "a" * 501}, "500"), ({"query": ""}, "1")],
)
async def test_a_limit_that_is_passed_is_named(era, arguments, told, thin):
    got = await thin.call(era, "echo", **arguments)
    text = got.result["content"][0]["text"]
    assert got.result["isError"] is True
    assert told in text.splitlines()[0]
    assert json.loads(text.splitlines()[-1])["error"]["kind"] == "validation"


@BOTH
async def test_a_failing_tool_is_an_error_that_a_model_can_read(era, thin):
    got = await thin.call(era, "limited")
    assert got.status == 200
    assert got.result["isError"] is True
    assert "structuredContent" not in got.result
    sentence, _, envelope = got.result["content"][0]["text"].split("\n")
    assert sentence == "Too many questions. Wait a little."
    assert json.loads(envelope)["error"] == {
        "kind": "rate_limited",
        "retryable": True,
        "retryAfterSeconds": 7,
        "suggestedAction": "retry_after_delay",
        "provider": "example",
    }


@BOTH
async def test_an_unknown_tool_is_a_protocol_error_with_the_envelope(era, thin):
    got = await thin.call(era, "nope")
    assert got.status == (400 if era == "modern" else 200)
    assert got.error["code"] == -32602
    assert "nope" in got.error["message"]
    assert got.error["data"]["error"]["kind"] == "not_found"


@pytest.mark.parametrize(
    ("accept", "status"),
    [("text/html", 406), ("text/event-stream", 406), ("application/json", 200), ("*/*", 200), ("application/*", 200),
     (None, 200), ("", 200)],
)  # fmt: skip
async def test_only_who_reads_json_is_answered(accept, status, thin):
    """Without the header a client accepts every type (RFC 9110); many HTTP libraries send none by themselves."""
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    headers = {name: value for name, value in (SENT | {"accept": accept}).items() if value is not None}
    got = await thin.send(body, headers)
    assert got.status == status


async def test_another_content_type_is_refused(thin):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json-seq", ""):
        got = await thin.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}', SENT | {"content-type": kind})
        assert got.status == 415


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
async def test_anything_but_post_is_refused_at_once(method, thin):
    async with asyncio.timeout(60):
        got = await thin.send(b"", SENT | {"accept": "text/event-stream"}, method=method)
    assert (got.status, got.headers["allow"]) == (405, "POST")


@BOTH
@pytest.mark.parametrize(
    "uri",
    [
        "research://artifact/../../secrets",
        "research://artifact/%2e%2e%2fsecrets",
        "research://artifact/" + "0" * 64,
        "research://artifact/" + "0" * 64 + "/..",
        "research://artifact/",
        "RESEARCH://artifact/" + "0" * 64,
        "file:///etc/passwd",
        "",
    ],
)
async def test_a_resource_that_is_not_there_is_not_found(era, uri, thin):
    ask = thin.modern if era == "modern" else thin.legacy
    got = await ask("resources/read", {"uri": uri})
    assert got.error["code"] == (-32602 if era == "modern" else -32002)
    assert got.error["data"]["error"]["kind"] == "not_found"
    assert got.error["data"]["uri"] == uri


async def test_an_artifact_is_read_by_its_own_tenant_alone(thin, services):
    mine = await artifacts.store(services.bucket, "local", b'{"mine":1}', services.clock())
    others = await artifacts.store(services.bucket, "other", b'{"theirs":1}', services.clock())
    got = await thin.modern("resources/read", {"uri": mine.uri})
    assert got.result["contents"] == [{"uri": mine.uri, "mimeType": "application/json", "text": '{"mine":1}'}]
    assert got.result["cacheScope"] == "private"
    assert (await thin.modern("resources/read", {"uri": others.uri})).error["code"] == -32602


async def test_a_resource_too_large_for_one_answer_names_the_tool_that_pages_it(thin, services):
    large = await artifacts.store(services.bucket, "local", b'"' + b"a" * 3_000_000 + b'"', services.clock())
    got = await thin.legacy("resources/read", {"uri": large.uri})
    assert got.error["code"] == -32602
    assert "read_artifact" in got.error["message"]


@pytest.mark.parametrize("state", [{"requestState": "forged"}, {"requestState": "forged", "inputResponses": {}}])
@pytest.mark.parametrize(
    ("method", "params"),
    [("tools/call", {"name": "echo", "arguments": {"query": "a"}}), ("resources/read", {"uri": "research://x"})],
)
async def test_a_state_that_this_server_never_gave_is_refused(state, method, params, thin):
    got = await thin.modern(method, params | state)
    assert (got.status, got.error["code"]) == (400, -32602)


@BOTH
@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","name":"large"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":Infinity}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"} {}',
        b"\xef\xbb\xbf" + b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"),
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 200 + b"]" * 200 + b"}}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 500_000,
    ],
)
async def test_what_two_readers_would_read_differently_is_not_read(era, body, thin):
    headers = SENT | ({"mcp-protocol-version": "2026-07-28"} if era == "modern" else {})
    got = await thin.send(body, headers)
    assert (got.status, got.error["code"], got.json["id"]) == (400, -32700, None)
    assert len(got.body) < 1500


@BOTH
async def test_half_a_surrogate_pair_is_refused_in_arguments_and_never_sent_back(era, thin):
    for arguments in ({"query": "\ud800"}, {"\udc00": "a"}):
        got = await thin.call(era, "echo", **arguments)
        assert got.json["result"]["isError"] is True
        got.body.decode("utf-8")
    for method, params in (("tools/call", {"name": "\ud800"}), ("resources/read", {"uri": "\ud800"})):
        got = await (thin.modern if era == "modern" else thin.legacy)(method, params)
        assert got.error["code"] in (-32602, -32020)


@pytest.mark.parametrize(
    "body", ['{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}']
)
async def test_half_a_surrogate_pair_is_not_an_id_and_no_method(body, thin):
    got = await thin.send(body.encode(), SENT)
    assert (got.status, got.error["code"]) == (400, -32600)


async def test_a_posted_response_is_dropped_by_the_older_era_and_refused_by_the_newest(thin):
    body = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert (await thin.send(body, SENT)).status == 202
    got = await thin.send(body, SENT | {"mcp-protocol-version": "2026-07-28"})
    assert (got.status, got.error["code"]) == (400, -32600)


async def test_a_notification_is_taken_and_dropped(thin):
    got = await thin.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', SENT)
    assert (got.status, got.body) == (202, b"")
    assert "content-type" not in got.headers


async def test_a_version_not_served_is_told_which_are(thin):
    got = await thin.send(
        b'{"jsonrpc":"2.0","method":"notifications/cancelled"}', SENT | {"mcp-protocol-version": "2099-01-01"}
    )
    assert (got.status, got.error["code"]) == (400, -32022)
    assert (got.error["data"]["supported"], got.error["data"]["requested"]) == (["2026-07-28"], "2099-01-01")


@pytest.mark.parametrize("version", ["2025-06-19", "2099-01-01", "latest"])
async def test_a_header_that_names_an_unknown_revision_is_told_which_are_served(version, thin):
    """Also where the body has no envelope, as in the older revisions: the version is what is wrong there."""
    got = await thin.legacy("tools/list", version=version)
    assert (got.status, got.error["code"]) == (400, -32022)
    assert (got.error["data"]["supported"], got.error["data"]["requested"]) == (["2026-07-28"], version)
    assert "2025-11-25" in got.error["message"]


async def test_a_long_unknown_name_is_not_repeated_whole(thin):
    got = await thin.call("modern", "x" * 100_000)
    assert got.error["code"] == -32602
    assert len(got.body) < 2000


async def test_a_client_that_hangs_up_stops_its_call(registry, catalogue, services):
    from assay.entrypoints.mcp.local_http import LocalMcp

    registry.STOPPED.clear()
    begun = asyncio.Event()
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait", "arguments": {"seconds": 60}}}
    ).encode()

    async def receive():
        if not begun.is_set():
            begun.set()
            return {"type": "http.request", "body": body, "more_body": False}
        await asyncio.sleep(0.05)
        return {"type": "http.disconnect"}

    async def send(_):
        raise AssertionError("nobody listens")

    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b""}
    scope["headers"] = [(name.encode(), value.encode()) for name, value in SENT.items()]
    async with asyncio.timeout(60):
        await LocalMcp(services, catalogue).app(scope, receive, send)
        while not registry.STOPPED:
            await asyncio.sleep(0)


@BOTH
async def test_an_id_that_is_too_long_is_refused_and_not_sent_back(era, thin):
    headers = SENT | ({"mcp-protocol-version": "2026-07-28"} if era == "modern" else {})
    for identity in ("i" * 257, 10**256):
        body = json.dumps({"jsonrpc": "2.0", "id": identity, "method": "tools/list"}).encode()
        got = await thin.send(body, headers)
        assert (got.status, got.error["code"], got.json["id"]) == (400, -32600, None)
        assert "256" in got.error["message"]
        assert len(got.body) < 500
    longest = "ä" * 256
    got = await thin.send(json.dumps({"jsonrpc": "2.0", "id": longest, "method": "ping"}).encode(), SENT)
    assert (got.status, got.json["id"]) == (200, longest)


@BOTH
async def test_a_progress_token_that_is_too_long_is_refused(era, thin):
    ask = thin.modern if era == "modern" else thin.legacy
    params = {"name": "wait", "arguments": {"seconds": 0}, "_meta": {"progressToken": "t" * 257}}
    got = await ask("tools/call", params)
    assert got.error["code"] == -32602
    assert len(got.body) < 800
