"""The Lambda function: events in, responses out; a cold start that imports next to nothing."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.lambda_context import FakeLambdaContext

from assay.bootstrap import local_services
from assay.entrypoints import mcp_function
from assay.entrypoints.mcp import freeze_catalogue
from assay.entrypoints.mcp.tool_catalogue import load_catalogue
from assay.entrypoints.mcp.tool_selection import ALL_TOOLS
from assay.settings import Settings

KEY = "assay_test-key"
RING = json.dumps(
    [
        {
            "name": "ada",
            "sha256": "8c8cd0d8f5e4b4ee4a3e8bc2c6b4bfa9c8c4f9e2f6b4d83d3e7c8d5c2b1a0f99",
            "tenant": "acme",
            "user": "ada",
            "scopes": ["*"],
        }
    ]
)


def event(message, method="POST", domain="x.lambda-url.eu-west-1.on.aws", **more):
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream", "host": domain}
    return {
        "version": "2.0",
        "rawPath": "/mcp",
        "rawQueryString": more.pop("query", ""),
        "headers": headers | more.pop("headers", {}),
        "requestContext": {
            "domainName": domain,
            "requestId": "r-1",
            "http": {"method": method, "path": "/mcp", "sourceIp": "127.0.0.1", "protocol": "HTTP/1.1"},
        },
        "body": message if isinstance(message, str) or message is None else json.dumps(message),
        "isBase64Encoded": False,
    } | more


def call(name="echo", /, number=1, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.fixture
def handle(tmp_path, catalogue):
    services = local_services(Settings.read({"ASSAY_HOME": str(tmp_path / "home")}))
    return mcp_function.handler_for(lambda: services, lambda: catalogue)


@pytest.fixture
def keyed_handler(tmp_path, catalogue):
    """The handler of a deployment that knows one key."""
    import hashlib

    ring = json.loads(RING)
    ring[0]["sha256"] = hashlib.sha256(KEY.encode()).hexdigest()
    environ = {
        "ASSAY_HOME": str(tmp_path / "home"),
        "ASSAY_API_KEYS": json.dumps(ring),
        "AWS_LAMBDA_FUNCTION_NAME": "mcp",
    }
    services = local_services(Settings.read(environ))
    return mcp_function.handler_for(lambda: services, lambda: catalogue)


def test_a_call_is_answered_again_and_again(handle):
    for number in range(3):
        response = handle(event(call(query="ä 🐻", number=number)), FakeLambdaContext(60))
        assert response["statusCode"] == 200
        answer = json.loads(response["body"])
        assert (answer["id"], answer["result"]["structuredContent"]["text"]) == (number, "ä 🐻")


def test_a_body_in_base64_is_the_same_body(handle):
    body = base64.b64encode(json.dumps(call(query="a")).encode()).decode()
    assert (
        json.loads(handle(event(body, isBase64Encoded=True), FakeLambdaContext(60))["body"])["result"]["isError"]
        is False
    )
    response = handle(event("%%%", isBase64Encoded=True), FakeLambdaContext(60))
    assert response["statusCode"] == 400


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_get_and_delete_are_refused(handle, method):
    response = handle(event(None, method), FakeLambdaContext(60))
    assert response["statusCode"] == 405
    assert response["headers"]["allow"] == "POST"


def test_a_notification_is_acknowledged_without_a_body(handle):
    response = handle(event({"jsonrpc": "2.0", "method": "notifications/initialized"}), FakeLambdaContext(60))
    assert (response["statusCode"], response["body"]) == (202, "")


@pytest.mark.parametrize("body", ["", "[]", "not json", "\ud800", '{"a":' * 50_000])
def test_what_is_not_a_message_is_refused(handle, body):
    response = handle(event(body), FakeLambdaContext(60))
    assert response["statusCode"] == 400
    assert json.loads(response["body"])["error"]["code"] in (-32700, -32600)


def test_a_body_over_ten_megabytes_is_too_large(handle):
    response = handle(event("a" * (10 * 1024 * 1024 + 1)), FakeLambdaContext(60))
    assert response["statusCode"] == 413


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://evil.example", 403),
        ("null", 403),
        ("http://[", 403),
        ("https://x.lambda-url.eu-west-1.on.aws", 200),
        (None, 200),
    ],
)
def test_a_page_of_another_origin_is_refused(handle, origin, status):
    headers = {} if origin is None else {"Origin": origin}
    assert handle(event(call(query="a"), headers=headers), FakeLambdaContext(60))["statusCode"] == status


@pytest.mark.parametrize(
    ("domain", "left", "least", "most"),
    [
        ("x.lambda-url.eu-west-1.on.aws", 120, 110, 120),
        ("x.execute-api.eu-west-1.amazonaws.com", 120, 25, 29),
        ("research.example.org", 120, 25, 29),  # a domain of the operator's in front of the HTTP API
        ("x.execute-api.eu-west-1.amazonaws.com", 10, 8, 10),
    ],
)
def test_the_deadline_is_the_doors(tmp_path, catalogue, domain, left, least, most):
    services = local_services(Settings.read({"ASSAY_HOME": str(tmp_path)}))
    seen = []
    run = catalogue.run

    async def run_and_record(name, arguments, ctx):
        seen.append(ctx.time_left())
        return await run(name, arguments, ctx)

    catalogue.run = run_and_record
    mcp_function.handler_for(lambda: services, lambda: catalogue)(
        event(call(query="a"), domain=domain), FakeLambdaContext(left)
    )
    assert least <= seen[0] <= most


def test_a_call_that_takes_too_long_is_reported_before_lambda_ends(handle):
    response = handle(event(call("wait", seconds=30)), FakeLambdaContext(1.3))
    result = json.loads(response["body"])["result"]
    assert result["isError"] is True
    assert '"kind":"network"' in result["content"][0]["text"]


@pytest.mark.parametrize("shown", [None, "Bearer wrong", "Bearer", "Basic " + KEY, KEY, "Bearer " + "a" * 10_000])
def test_without_a_known_key_nothing_is_answered(keyed_handler, shown):
    headers = {} if shown is None else {"Authorization": shown}
    response = keyed_handler(event(call(query="a"), headers=headers), FakeLambdaContext(60))
    assert response["statusCode"] == 401
    assert response["headers"]["www-authenticate"].startswith("Bearer")
    assert json.loads(response["body"])["error"]["kind"] == "auth_required"


def test_a_known_key_brings_its_tenant(keyed_handler):
    response = keyed_handler(event(call(query="a"), headers={"Authorization": f"Bearer {KEY}"}), FakeLambdaContext(60))
    assert json.loads(response["body"])["result"]["structuredContent"]["tenant"] == "acme"


def test_a_key_is_asked_for_before_anything_is_read(keyed_handler):
    response = keyed_handler(event("not json"), FakeLambdaContext(60))
    assert response["statusCode"] == 401


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("toolset=core", ["echo", "kept"]),
        ("toolset=json,core", ["echo", "empty", "kept", "limited", "noisy"]),
        ("", ["echo", "empty", "kept", "large", "limited", "noisy", "stuck", "wait"]),
        ("tools=large,core", ["echo", "kept", "large"]),
        ("toolset=core&tools=large", ["echo", "kept", "large"]),
        ("toolset=json&exclude=core", ["empty", "limited", "noisy"]),
        ("exclude=echo,%20KEPT&exclude=large", ["empty", "limited", "noisy", "stuck", "wait"]),
        ("readonly=1&toolset=json", ["empty", "noisy"]),
        ("readonly=0&toolset=core", ["echo", "kept"]),
    ],
)
def test_the_address_chooses_the_toolset(handle, query, names):
    listed = handle(event({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, query=query), FakeLambdaContext(60))
    assert [tool["name"] for tool in json.loads(listed["body"])["result"]["tools"]] == names


def test_a_tool_outside_the_toolset_is_not_called(handle):
    response = handle(event(call("limited"), query="toolset=core"), FakeLambdaContext(60))
    error = json.loads(response["body"])["error"]
    assert error["code"] == -32602
    assert "toolset" in error["message"]


@pytest.mark.parametrize("query", ["exclude=limited", "readonly=1", "tools=echo"])
def test_a_tool_that_is_left_out_is_not_called(handle, query):
    response = handle(event(call("limited"), query=query), FakeLambdaContext(60))
    assert json.loads(response["body"])["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("tools=ecko", "Did you mean echo?"),
        ("exclude=scholars", "Did you mean scholar?"),
        ("exclude=all", "'all'"),
        ("tools=*", "The toolsets are core"),
        ("readonly=maybe", "readonly is 1 or 0"),
    ],
)
def test_an_unknown_name_is_refused_with_what_there_is(handle, query, told):
    response = handle(event(call(query="a"), query=query), FakeLambdaContext(60))
    assert response["statusCode"] == 400
    assert told in json.loads(response["body"])["error"]["message"]


def test_an_unknown_toolset_is_told_which_there_are(handle):
    response = handle(event(call(query="a"), query="toolset=everything"), FakeLambdaContext(60))
    assert response["statusCode"] == 400
    assert "scholar" in response["body"]


def test_the_frozen_list_is_the_live_one(tmp_path, catalogue, registry):
    out = tmp_path / "frozen.json"
    assert freeze_catalogue.freeze(out, catalogue) == len(registry.TOOLS)
    frozen = load_catalogue(out)
    assert frozen.cards() == catalogue.cards()
    assert json.dumps(frozen.cards()) == json.dumps(registry.catalogue().cards())
    assert not frozen.offers("nope", ALL_TOOLS)


def test_two_processes_freeze_the_same_bytes(tmp_path, environ):
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import registry
from pathlib import Path
from assay.entrypoints.mcp.freeze_catalogue import freeze
freeze(Path(sys.argv[1]), registry.catalogue())
"""
    for name in ("a", "b"):
        subprocess.run([sys.executable, "-c", script, str(tmp_path / name)], env=environment(name), check=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_cold_start_imports_no_library():
    script = "import sys, assay.entrypoints.mcp_function; print(sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment("0"), capture_output=True, check=True, text=True
    )
    assert not {"pydantic", "mcp", "mcp_types", "httpx", "boto3", "starlette", "anyio", "mangum"} & set(
        eval(done.stdout)
    )


def environment(seed):
    seed = {"a": "1", "b": "2"}.get(seed, "0")
    return os.environ | {"PYTHONPATH": str(Path(__file__).parents[3] / "shared"), "PYTHONHASHSEED": seed}
