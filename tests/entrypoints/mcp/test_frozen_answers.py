"""The frozen answers of the MCP function are those of the server, and only where that is certain."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.bootstrap import build_services
from assay.entrypoints import mcp_function
from assay.entrypoints.mcp import freeze_catalogue, frozen_answers
from assay.entrypoints.mcp.protocol_versions import LEGACY
from assay.entrypoints.mcp.tool_catalogue import load_catalogue
from assay.settings import Settings

KEY = "assay_a-key"
RING = json.dumps([{"name": "ada", "sha256": hashlib.sha256(KEY.encode()).hexdigest(), "scopes": ["core"]}])
AWS = {
    "ASSAY_API_KEYS": RING,
    "ASSAY_TABLE": "rows",
    "ASSAY_BUCKET": "objects",
    "AWS_LAMBDA_FUNCTION_NAME": "Mcp",
    "AWS_REGION": "us-east-1",
    "HOME": "/tmp",
}
QUEUE = {"ASSAY_QUEUE": "https://sqs.us-east-1.amazonaws.com/1/queue"}
UI = "io.modelcontextprotocol/ui"
CLIENT = {"clientInfo": {"name": "client", "version": "1"}, "capabilities": {"roots": {}}}


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frozen")
    assert freeze_catalogue.main([str(folder / "frozen.json")]) == 0
    return folder


@pytest.fixture
def doors(frozen):
    """`doors(environ)`: the frozen answers and the server of one deployment."""

    def open_doors(environ):
        answers = frozen_answers.FrozenAnswers(environ, frozen / "frozen_answers.json")
        services = build_services(Settings.read(environ), "")
        catalogue = load_catalogue(frozen / "frozen.json")
        return answers, mcp_function.handler_for(lambda: services, lambda: catalogue)

    return open_doors


def event(message, *, key=KEY, path="/", query="", method="POST", **headers):
    sent = {
        "Authorization": f"Bearer {key}",
        "content-type": "application/json; charset=utf-8",
        "accept": "application/json, text/event-stream",
        "host": "a.lambda-url.us-east-1.on.aws",
    } | {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {name: value for name, value in sent.items() if value is not None},
        "requestContext": {"http": {"method": method, "path": path}, "requestId": "request-1"},
        "body": message if isinstance(message, str) else json.dumps(message),
        "isBase64Encoded": False,
    }


def ask(method, params=None, identity=1):
    return {"jsonrpc": "2.0", "id": identity, "method": method} | ({} if params is None else {"params": params})


def envelope(capabilities=None, **more):
    prefix = "io.modelcontextprotocol/"
    client = {prefix + "clientInfo": CLIENT["clientInfo"]}
    return (
        {
            prefix + "protocolVersion": "2026-07-28",
            prefix + "clientCapabilities": {} if capabilities is None else capabilities,
        }
        | client
        | more
    )


def ask_stateless(method, meta=None, *, version="2026-07-28", header=None, **params):
    body = ask(method, params | {"_meta": envelope() if meta is None else meta})
    return event(body, path="/mcp", mcp_protocol_version=version, mcp_method=header or method)


TASKS, APPS = {"io.modelcontextprotocol/tasks": {}}, {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}
STATELESS = ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"]
LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping"]
DEPLOYMENTS = {
    "without settings": AWS,
    "with tasks": AWS | QUEUE,
    "with providers": AWS | QUEUE | {"BRAVE_API_KEY": "k", "EXA_API_KEY": "k", "EPO_OPS_CONSUMER_KEY": "k"},
    "with flags": AWS | {"MEMORY_ENABLED": "true", "MONITORING_ENABLED": "1", "ASSAY_TOOLSET": "all"},
}


@pytest.mark.parametrize("environ", DEPLOYMENTS.values(), ids=DEPLOYMENTS)
def test_an_answer_is_that_of_the_server_byte_for_byte(environ, doors):
    answers, serve = doors(environ)
    events = [
        *(event(ask("initialize", {"protocolVersion": version} | CLIENT)) for version in LEGACY),
        *(event(ask(method), mcp_protocol_version=version) for method in LISTS for version in LEGACY),
        *(event(ask(method, {}, identity="id-1"), path="/mcp") for method in LISTS),
        *(ask_stateless(method) for method in STATELESS),
        *(ask_stateless(method, envelope({"elicitation": {}, "extensions": TASKS})) for method in STATELESS),
        ask_stateless("tools/list", {key: value for key, value in envelope().items() if "clientInfo" not in key}),
        event(ask("tools/list"), accept_encoding="gzip, br", x_request_id="own"),
        event(ask("tools/list", identity=0), accept_encoding="gzip;q=0"),
        event(
            ask("initialize", {"protocolVersion": LEGACY[-1], "title": "x"} | CLIENT), accept="*/*, application/json"
        ),
    ]
    for each in events:
        answer = answers.find(each)
        assert answer is not None, each
        assert json.dumps(answer, sort_keys=True) == json.dumps(serve(each, None), sort_keys=True), each


UNCERTAIN = {
    "another key": event(ask("tools/list"), key="assay_other"),
    "no key": event(ask("tools/list"), Authorization=None),
    "a key of the table": event(ask("tools/list"), key="assaykey_" + "a" * 43),
    "an endless key": event(ask("tools/list"), key="a" * 513),
    "a web page": event(ask("tools/list"), origin="https://a.example"),
    "selected tools": event(ask("tools/list"), query="tools=core"),
    "another endpoint": event(ask("tools/list"), path="/mcp/search"),
    "another method": event(ask("tools/list"), method="GET"),
    "another type": event(ask("tools/list"), **{"content-type": "text/plain"}),
    "another answer": event(ask("tools/list"), accept="text/html"),
    "a coded body": event(ask("tools/list"), content_encoding="gzip"),
    "a version without initialize": event(ask("tools/list"), mcp_protocol_version="2026-07-28"),
    "an unknown version": event(ask("tools/list"), mcp_protocol_version="2020-01-01"),
    "an unknown version asked for": event(ask("initialize", {"protocolVersion": "2020-01-01"} | CLIENT)),
    "a client that draws app views": event(
        ask("initialize", {"protocolVersion": LEGACY[-1]} | CLIENT | {"capabilities": {"extensions": {UI: {}}}})
    ),
    "an address for clients that draw app views": event(ask("tools/list"), query="apps=1"),
    "no client": event(ask("initialize", {"protocolVersion": LEGACY[-1], "capabilities": {}})),
    "a cursor": event(ask("tools/list", {"cursor": "1"})),
    "meta": event(ask("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})),
    "an app view": ask_stateless("tools/list", envelope({"extensions": APPS})),
    "an app view found": ask_stateless("server/discover", envelope({"extensions": TASKS | APPS})),
    "extensions as a list": ask_stateless("tools/list", envelope({"extensions": ["io.modelcontextprotocol/tasks"]})),
    "capabilities as a list": ask_stateless("tools/list", envelope([])),
    "a stateless ping": ask_stateless("ping"),
    "a stateless initialize": ask_stateless("initialize", protocolVersion="2026-07-28", **CLIENT),
    "a method of its own": ask_stateless("subscriptions/listen"),
    "a call of a tool": ask_stateless("tools/call", name="web_search", arguments={}),
    "a trace": ask_stateless("tools/list", envelope(traceparent="00-" + "1" * 32 + "-" + "1" * 16 + "-01")),
    "progress": ask_stateless("tools/list", envelope(progressToken=1)),
    "a stateless cursor": ask_stateless("tools/list", cursor="1"),
    "another header": ask_stateless("tools/list", header="prompts/list"),
    "an older header": ask_stateless("tools/list", version="2025-11-25"),
    "a coming version": ask_stateless("tools/list", version="2027-01-01"),
    "no envelope": ask_stateless("tools/list", {}),
    "no capabilities": ask_stateless("tools/list", {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}),
    "another version in the envelope": ask_stateless(
        "tools/list", envelope() | {"io.modelcontextprotocol/protocolVersion": "2025-11-25"}
    ),
    "a client without version": ask_stateless(
        "tools/list", envelope() | {"io.modelcontextprotocol/clientInfo": {"name": "x"}}
    ),
    "no client at all": ask_stateless("tools/list", envelope() | {"io.modelcontextprotocol/clientInfo": None}),
    "meta of initialize": event(ask("initialize", {"protocolVersion": LEGACY[-1], "_meta": {}} | CLIENT)),
    "a list": event([ask("tools/list")]),
    "a notification": event({"jsonrpc": "2.0", "method": "ping"}),
    "null": event(ask("tools/list", identity=None)),
    "true": event(ask("tools/list", identity=True)),
    "a float": event(ask("tools/list", identity=1.5)),
    "a surrogate": event('{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}'),
    "a key twice": event('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'),
    "NaN": event(ask("initialize", {"protocolVersion": LEGACY[-1], "x": float("nan")} | CLIENT)),
    "a deep body": event(
        ask("initialize", {"protocolVersion": LEGACY[-1], "x": json.loads("[" * 70 + "]" * 70)} | CLIENT)
    ),
    "a call": event(ask("tools/call", {"name": "web_search", "arguments": {}})),
    "no body": event(""),
    "no JSON": event("{"),
}


@pytest.mark.parametrize("request_event", UNCERTAIN.values(), ids=UNCERTAIN)
def test_what_is_not_certain_is_left_to_the_server(request_event, doors):
    answers, _ = doors(AWS)
    assert answers.find(event(ask("ping"))) is not None
    assert answers.find(request_event) is None


@pytest.mark.parametrize(
    "environ",
    [
        {"ASSAY_TOOLSET": "core"},
        {"ASSAY_UNCONFIGURED_TOOLS": "show"},
        {"RATE_LIMIT_PER_IP": "5"},
        {"OAUTH_ISSUER_URL": "https://issuer.example"},
        {"ORIGIN_SECRET": "of-the-proxy"},
        {"CUSTOM_LENSES_PATH": "/var/task/lenses"},
        {"ASSAY_API_KEYS": "[]"},
        {"ASSAY_API_KEYS": "no JSON"},
        {"ASSAY_API_KEYS": json.dumps([*json.loads(RING), {"name": "no digest"}])},
    ],
    ids=lambda environ: next(iter(environ)),
)
def test_a_deployment_whose_answers_differ_has_none_frozen(environ, frozen):
    answers = frozen_answers.FrozenAnswers(AWS | environ, frozen / "frozen_answers.json")
    for method in LISTS:
        assert answers.find(event(ask(method))) is None


def test_a_request_around_the_proxy_gets_no_frozen_answer(frozen):
    answers = frozen_answers.FrozenAnswers(AWS | {"ORIGIN_SECRET": "new, former"}, frozen / "frozen_answers.json")
    for secret, is_answered in (("new", True), ("former", True), ("other", False), ("", False), ("new, former", False)):
        sent = event(ask("ping"))
        sent["headers"]["x-origin-secret"] = secret
        assert (answers.find(sent) is not None) == is_answered, secret
    assert answers.find(event(ask("ping"))) is None


def test_a_frozen_answer_imports_little_of_the_package(frozen):
    script = """
import json, sys
from pathlib import Path
from assay.entrypoints.mcp.frozen_answers import handler_for
handle = handler_for(json.loads(sys.argv[1]), Path(sys.argv[2]))
assert handle(json.loads(sys.argv[3]), None)["statusCode"] == 200
print(*sorted(sys.modules))
"""
    arguments = [json.dumps(AWS), str(frozen / "frozen_answers.json"), json.dumps(event(ask("tools/list")))]
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"asyncio", "boto3", "dataclasses", "pydantic", "assay.context", "assay.settings"}
    assert Path(frozen, "frozen_answers.json").stat().st_size < 1_000_000
