"""The same requests to our engine and to the official SDK's: the same statuses, codes, results."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

CLIENT = {"name": "t", "version": "1"}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
V, C, I = (f"io.modelcontextprotocol/{key}" for key in ("protocolVersion", "clientCapabilities", "clientInfo"))
SERVER = "io.modelcontextprotocol/serverInfo"
SENT = {"content-type": "application/json", "accept": "application/json, text/event-stream", "host": "127.0.0.1"}
NOWHERE = "research://artifact/" + "0" * 64


def _build_completion(prompt: Any, argument: Any, value: Any) -> Any:
    return {"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": value}}


# Methods and their params, for both eras.
METHODS: dict[str, tuple[str, Any]] = {
    "initialize": ("initialize", INITIALIZE),
    "initialize, oldest": ("initialize", INITIALIZE | {"protocolVersion": "2024-11-05"}),
    "initialize, unknown version": ("initialize", INITIALIZE | {"protocolVersion": "1999-01-01"}),
    "initialize, modern version": ("initialize", INITIALIZE | {"protocolVersion": "2026-07-28"}),
    "initialize without params": ("initialize", None),
    "initialize without client": ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}),
    "initialize, client without version": ("initialize", INITIALIZE | {"clientInfo": {"name": "t"}}),
    "initialize, capabilities are a list": ("initialize", INITIALIZE | {"capabilities": []}),
    "ping": ("ping", None),
    "discover": ("server/discover", None),
    "tools": ("tools/list", None),
    "tools, null cursor": ("tools/list", {"cursor": None}),
    "tools, foreign cursor": ("tools/list", {"cursor": "abc"}),
    "tools, cursor is a number": ("tools/list", {"cursor": 5}),
    "resources": ("resources/list", None),
    "resources, foreign cursor": ("resources/list", {"cursor": "abc"}),
    "templates": ("resources/templates/list", {}),
    "templates, cursor is a list": ("resources/templates/list", {"cursor": []}),
    "read nothing": ("resources/read", {"uri": NOWHERE}),
    "read outside": ("resources/read", {"uri": "research://artifact/../../secrets"}),
    "read elsewhere": ("resources/read", {"uri": "file:///etc/passwd"}),
    "read without uri": ("resources/read", {}),
    "read a number": ("resources/read", {"uri": 5}),
    "read with state": ("resources/read", {"uri": NOWHERE, "requestState": "x"}),
    "call": ("tools/call", {"name": "echo", "arguments": {"query": "höhle 🐻"}}),
    "call with text for a number": ("tools/call", {"name": "echo", "arguments": {"query": "a", "times": "2"}}),
    "call with extra param": ("tools/call", {"name": "echo", "arguments": {"query": "a"}, "more": 1}),
    "call without a required argument": ("tools/call", {"name": "echo", "arguments": {}}),
    "call without arguments": ("tools/call", {"name": "echo"}),
    "call with null": ("tools/call", {"name": "echo", "arguments": None}),
    "call with a list": ("tools/call", {"name": "echo", "arguments": []}),
    "call with text": ("tools/call", {"name": "echo", "arguments": "query"}),
    "call with unknown argument": ("tools/call", {"name": "echo", "arguments": {"query": "a", "querry": "b"}}),
    "call out of range": ("tools/call", {"name": "echo", "arguments": {"query": "a", "times": 1_000_000}}),
    "call with 501": ("tools/call", {"name": "echo", "arguments": {"query": "a" * 501}}),
    "call with NUL": ("tools/call", {"name": "echo", "arguments": {"query": "a\x00"}}),
    "call nothing": ("tools/call", {"arguments": {}}),
    "call a number": ("tools/call", {"name": 5}),
    "call unknown": ("tools/call", {"name": "nope", "arguments": {}}),
    "call unknown with null": ("tools/call", {"name": "nope"}),
    "call with a forged state": ("tools/call", {"name": "echo", "arguments": {"query": "a"}, "requestState": "x"}),
    "call with answers": ("tools/call", {"name": "echo", "arguments": {"query": "a"}, "inputResponses": {}}),
    "call that is limited": ("tools/call", {"name": "limited", "arguments": {}}),
    "call that finds nothing": ("tools/call", {"name": "empty", "arguments": {}}),
    "call with a large answer": ("tools/call", {"name": "large", "arguments": {}}),
    "call with a small answer": ("tools/call", {"name": "large", "arguments": {"size": 10}}),
    "call kept": ("tools/call", {"name": "kept", "arguments": {"query": "a"}}),
    "progress token is a list": ("tools/list", {"_meta": {"progressToken": []}}),
    "unknown method": ("tools/nope", None),
    "unknown method with params": ("x", {"a": 1}),
    "prompts": ("prompts/list", None),
    "prompts, foreign cursor": ("prompts/list", {"cursor": "abc"}),
    "prompt": ("prompts/get", {"name": "greet", "arguments": {"who": "Ada `x` </a>"}}),
    "prompt without a required argument": ("prompts/get", {"name": "greet"}),
    "prompt with an unknown argument": ("prompts/get", {"name": "greet", "arguments": {"who": "Ada", "whom": "Bob"}}),
    "prompt with a number": ("prompts/get", {"name": "greet", "arguments": {"who": 5}}),
    "prompt with a list": ("prompts/get", {"name": "greet", "arguments": []}),
    "prompt unknown": ("prompts/get", {"name": "p"}),
    "prompt without a name": ("prompts/get", {"arguments": {}}),
    "prompt with state": ("prompts/get", {"name": "greet", "arguments": {"who": "Ada"}, "requestState": "x"}),
    "completion": ("completion/complete", _build_completion("greet", "tone", "w")),
    "completion of free text": ("completion/complete", _build_completion("greet", "who", "A")),
    "completion of nothing": ("completion/complete", _build_completion("greet", "x", "")),
    "completion of no prompt": ("completion/complete", _build_completion("p", "a", "b")),
    "completion with a number": ("completion/complete", _build_completion("greet", "tone", 5)),
    "completion without a reference": ("completion/complete", {"argument": {"name": "a", "value": "b"}}),
    "completion of another kind": (
        "completion/complete",
        {"ref": {"type": "ref/tool", "name": "echo"}, "argument": {"name": "a", "value": "b"}},
    ),
    "completion of a template": (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "research://artifact/{id}"}, "argument": {"name": "id", "value": ""}},
    ),
    "completion of no template": (
        "completion/complete",
        {"ref": {"type": "ref/resource", "uri": "research://x/{id}"}, "argument": {"name": "id", "value": ""}},
    ),
    "log level": ("logging/setLevel", {"level": "info"}),
    "subscribe": ("resources/subscribe", {"uri": NOWHERE}),
    "listen": ("subscriptions/listen", {"notifications": {}}),
    "sampling": ("sampling/createMessage", {}),
}

OLDER = {"meta is a list": ("tools/list", {"_meta": []})}

# Changes to a sound modern request: (params, headers).
BROKEN: dict[str, tuple[dict[str, Any], dict[str, str | None]]] = {
    "no envelope": ({"_meta": None}, {}),
    "no version in the envelope": ({"_meta": {C: {}}}, {}),
    "no capabilities in the envelope": ({"_meta": {V: "2026-07-28"}}, {}),
    "capabilities are a list": ({"_meta": {V: "2026-07-28", C: []}}, {}),
    "client without version": ({"_meta": {V: "2026-07-28", C: {}, I: {"name": "t"}}}, {}),
    "client is null": ({"_meta": {V: "2026-07-28", C: {}, I: None}}, {}),
    "header names another version": ({}, {"mcp-protocol-version": "2099-01-01"}),
    "version is not served": ({"_meta": {V: "2099-01-01", C: {}}}, {"mcp-protocol-version": "2099-01-01"}),
    "version is a number": ({"_meta": {V: 5, C: {}}}, {}),
    "no method header": ({}, {"mcp-method": None}),
    "method header differs": ({}, {"mcp-method": "tools/list"}),
    "no name header": ({}, {"mcp-name": None}),
    "name header differs": ({}, {"mcp-name": "large"}),
    "name header in base64": ({}, {"mcp-name": "=?base64?ZWNobw==?="}),
    "name header in bad base64": ({}, {"mcp-name": "=?base64?ZWNobw?="}),
    "no json accepted": ({}, {"accept": "text/html"}),
    "anything accepted": ({}, {"accept": "*/*"}),
}

# Bodies that are no sound message: (modern header, body).
BODIES: dict[str, str] = {
    "not json": "not json",
    "empty": "",
    "half": '{"jsonrpc": "2.0", "id": 1, "method"',
    "batch": '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    "empty batch": "[]",
    "a number": "5",
    "text": '"x"',
    "null": "null",
    "null id": '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    "id true": '{"jsonrpc":"2.0","id":true,"method":"ping"}',
    "id 1.5": '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    "id object": '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    "jsonrpc 1.0": '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    "no jsonrpc": '{"id":1,"method":"ping"}',
    "no method": '{"jsonrpc":"2.0","id":1}',
    "method is a number": '{"jsonrpc":"2.0","id":1,"method":5}',
    "params are a list": '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    "deep": '{"jsonrpc":"2.0","id":1,"method":"ping","params":' + '{"a":' * 100_000 + "1" + "}" * 100_001,
    "long number": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + "9" * 5000 + "}}",
}
NOTIFICATIONS = {
    "initialized": '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    "cancelled": '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    "unknown": '{"jsonrpc":"2.0","method":"notifications/unknown"}',
}

# Where ours says the better thing, on purpose: what the SDK's code is there.
BETTER = {
    ("legacy", "null id"): "the SDK takes it for a notification",
    **{
        ("legacy", name): "the SDK answers -32602, which is for params; a message that is none is -32600"
        for name in BODIES
        if name not in ("not json", "empty", "half", "deep", "long number", "null id")
    },
}


def comparable_parts(got: Any) -> Any:
    """What a client can tell: the status, and the result or the error. The kernel's own errors differ in words only."""
    if not got.body:
        return got.status, None
    message = got.json
    if "error" not in message:
        result = message["result"]
        for server in (result.get("serverInfo", {}), result.get("_meta", {}).get(SERVER, {})):
            server.pop("icons", None)  # ours stand in two answers, the SDK's would in every one
        return got.status, message
    return got.status, message["id"], message["error"]["code"]


def shared_words(got: Any) -> Any:
    """The error of an answer that both engines share, in full."""
    return got.error if got.body and "error" in got.json and isinstance(got.error.get("data"), dict) else None


@pytest.fixture
def same(thin: Any, sdk: Any) -> Callable[..., Awaitable[Any]]:
    async def both(ask: Callable[[Any], Awaitable[Any]], *, warm: bool = False) -> Any:
        if warm:
            await ask(thin)
        ours, theirs = await ask(thin), await ask(sdk)
        assert comparable_parts(ours) == comparable_parts(theirs)
        if shared_words(theirs):
            assert shared_words(ours) == shared_words(theirs) or theirs.error["code"] == -32022
        return ours

    return both


@pytest.mark.parametrize("name", [*METHODS, *OLDER])
@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25", None])
async def test_older_revisions_are_answered_alike(name, version, same):
    method, params = (METHODS | OLDER)[name]
    await same(lambda engine: engine.legacy(method, params, version=version), warm=name == "call kept")


@pytest.mark.parametrize("name", METHODS)
async def test_the_newest_revision_is_answered_alike(name, same):
    method, params = METHODS[name]
    await same(lambda engine: engine.modern(method, params), warm=name == "call kept")


@pytest.mark.parametrize("name", BROKEN)
async def test_broken_envelopes_and_headers_are_refused_alike(name, same):
    more, changed = BROKEN[name]
    meta = {V: "2026-07-28", C: {}, I: CLIENT}
    params = {"name": "echo", "arguments": {"query": "a"}, "_meta": meta} | more
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers = SENT | {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo"} | changed
    headers = {key: value for key, value in headers.items() if value is not None}

    async def ask(engine):
        got = await engine.send(body, headers)
        if got.status == 406:  # no message was read, so there is none to answer
            got.body = b""
        return got

    await same(ask)


@pytest.mark.parametrize("name", [*BODIES, *NOTIFICATIONS])
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_what_is_not_a_message_is_refused_alike(era, name, thin, sdk):
    body = (BODIES | NOTIFICATIONS)[name].encode()
    headers = SENT | {"mcp-protocol-version": "2026-07-28" if era == "modern" else "2025-11-25"}
    ours, theirs = await thin.send(body, headers), await sdk.send(body, headers)
    if (era, name) in BETTER:
        assert comparable_parts(ours) != comparable_parts(theirs), "no longer a difference; take it off the list"
        assert (ours.status, ours.error["code"]) in ((400, -32600), (400, -32700))
        return
    assert (ours.status, ours.body and ours.error["code"]) == (theirs.status, theirs.body and theirs.error["code"])


def test_there_are_enough_requests():
    assert len(METHODS) * 5 + len(BROKEN) + 2 * len(BODIES | NOTIFICATIONS) > 300
