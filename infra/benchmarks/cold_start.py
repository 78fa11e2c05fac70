"""Compare cold starts with that of an empty handler: `cold_start.py [ROUNDS [WORD…]] [--quota]`.

With WORDs only cases are measured whose names contain one. With --quota calls get the share of a processor that Lambda
gives the function's memory (0.29 at 512 MB), but INIT a whole one, as on Lambda. That needs root and the cpu controller
of cgroups.

Each round starts each function under the Lambda emulator, one after the other, so that load affects all alike. "whole"
is the time from request to response in ms: runtime start, INIT and first call. AWS is emulated on loopback, so network
latency is not included; the cost of the client library is.
"""

import asyncio
import hashlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import boto3

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.scripts import emulator, stack
from tests.support.local_dynamodb import engine

from assay.aws.dynamodb_table import DynamoTable
from assay.oauth.grants import Authorization, create_grant
from assay.oauth.principals import Principal
from assay.state.key_store import build_key, save_key

KEY = "assay_bench"
RING = json.dumps([{"name": "bench", "sha256": hashlib.sha256(KEY.encode()).hexdigest()}])
FAKE = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}
HOST = "bench.execute-api.us-east-1.amazonaws.com"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
EMPTY = "def handler(event, context):\n    return {}\n"
MEMORY_OF_ONE_PROCESSOR = 1_769  # MB
PERIOD = 20_000  # microseconds, of the scheduler's quota
CGROUPS = Path("/sys/fs/cgroup")
# Lambda limits the processor from the first event on: the runtime joins the group when it asks for that event.
JOIN_GROUP = """
import os
from awslambdaric.lambda_runtime_client import LambdaRuntimeClient as client
def wait(self, ask=client.wait_next_invocation):
    client.wait_next_invocation = ask
    open({path!r}, "w").write(str(os.getpid()))
    return ask(self)
client.wait_next_invocation = wait
"""


type Quota = Callable[[int], AbstractContextManager[str]]


@contextmanager
def limit_processor(memory: int) -> Iterator[str]:
    """Yield statements with which a runtime joins a group that has the share of a processor for `memory` MB."""
    is_second_version = (CGROUPS / "cgroup.controllers").exists()
    group = (CGROUPS if is_second_version else CGROUPS / "cpu") / f"cold_start_{os.getpid()}"
    group.mkdir()
    try:
        quota = round(PERIOD * memory / MEMORY_OF_ONE_PROCESSOR)
        if is_second_version:
            (group / "cpu.max").write_text(f"{quota} {PERIOD}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        yield JOIN_GROUP.format(path=str(group / "cgroup.procs"))
    finally:
        while (group / "cgroup.procs").read_text():  # the killed runtime is still in it
            time.sleep(0.01)
        group.rmdir()


@contextmanager
def leave_processor(memory: int) -> Iterator[str]:  # noqa: ARG001  # has the signature of `limit_processor`
    """Yield no statements: the runtime keeps a whole processor."""
    yield ""


@dataclass
class Case:
    """A function, its event, and the measurements."""

    name: str
    function: stack.Function
    request_body: Any = None
    environment: Mapping[str, str] = field(default_factory=dict)
    credential: str = KEY
    path: str = ""  # of a GET
    loop: str = emulator.RUNTIME_LOOP
    init: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)

    def measure(self, quota: Quota) -> None:
        with (
            quota(self.function.memory) as prelude,
            emulator.running(
                self.function,
                self.environment,
                wrap=with_preference if prelude else with_priority,
                prelude=prelude,
                loop=self.loop,
            ) as running,
        ):
            for _ in range(3):
                answer = running.call(event(self.request_body, self.credential, self.path))
                assert "errorMessage" not in answer, answer
                assert answer.get("statusCode") != 500, answer
            self.init.append(running.init_milliseconds())
            self.total.append(running.took[0])
            self.warm.append(running.took[-1])


def event(request_body: Any, credential: str, path: str) -> dict[str, Any]:
    envelope = ((request_body or {}).get("params") or {}).get("_meta", {})
    headers = {
        "host": HOST,
        "authorization": f"Bearer {credential}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": envelope.get("io.modelcontextprotocol/protocolVersion", "2025-11-25"),
        "mcp-method": (request_body or {}).get("method", ""),
    }
    http = {"method": "GET" if path else "POST", "path": path or "/", "sourceIp": "127.0.0.1"}
    return {
        "version": "2.0",
        "rawPath": path or "/",
        "rawQueryString": "",
        "headers": headers,
        "requestContext": {"http": http, "requestId": "bench"},
        "body": None if path else json.dumps(request_body),
        "isBase64Encoded": False,
    }


def with_priority(command: list[str]) -> list[str]:
    """Prefix the command with high priority on one CPU, where the process may set that."""
    return ["chrt", "-f", "10", "taskset", "-c", "1", *command] if os.geteuid() == 0 else command


def with_preference(command: list[str]) -> list[str]:
    """Prefix the command with preference on one CPU; quotas do not apply to processes with realtime priority."""
    return ["nice", "-n", "-20", "taskset", "-c", "1", *command]


@contextmanager
def cloud() -> Iterator[dict[str, str]]:
    """Yield the environment of an emulated AWS with the template's table and the parameter with the API keys."""
    with engine(services="dynamodb,s3,ssm") as url:
        table = stack.template()["Resources"]["Table"]["Properties"]
        properties = {name: table[name] for name in ("BillingMode", "AttributeDefinitions", "KeySchema")}
        boto3.client("dynamodb", endpoint_url=url, **FAKE).create_table(TableName="bench", **properties)
        boto3.client("ssm", endpoint_url=url, **FAKE).put_parameter(Name="/keys", Value=RING, Type="SecureString")
        yield {"AWS_ENDPOINT_URL": url, "ASSAY_TABLE": "bench", "ASSAY_BUCKET": "bench"}


def issue_token(url: str) -> str:
    """An access token for the tools, as signing in with the key issues it."""
    digest = json.loads(RING)[0]["sha256"]
    person = Principal("bench", "bench", frozenset({"*"}), "bench", digest)
    allowed = Authorization(person, "client", "Bench", "app.example", frozenset({"tool:*"}), f"https://{HOST}")
    table = DynamoTable("bench", boto3.client("dynamodb", endpoint_url=url, **FAKE))
    return asyncio.run(create_grant(table, allowed, time.time())).access


def create_key(url: str) -> str:
    """A key of the table."""
    secret, key = build_key("bench", time.time())
    table = DynamoTable("bench", boto3.client("dynamodb", endpoint_url=url, **FAKE))
    asyncio.run(save_key(table, key))
    return secret


def cases(built: Mapping[str, stack.Function], empty: Path, environment: Mapping[str, str]) -> list[Case]:
    """Build an event that the tool rejects: it covers key check, limits, import and schema, but no upstream request."""
    refused = {"noSuchField": 1}
    list_request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    refused_call = list_request | {"method": "tools/call", "params": {"name": "web_search", "arguments": refused}}
    ring_in_environment, ring_in_parameter = (
        {**environment, "ASSAY_API_KEYS": RING},
        {**environment, "ASSAY_API_KEYS": "ssm:/keys"},
    )
    token, stored = issue_token(environment["AWS_ENDPOINT_URL"]), create_key(environment["AWS_ENDPOINT_URL"])
    tools = [function for function in built.values() if "TOOL" in function.environment]
    # The emulator has the lenses elsewhere than Lambda and names their folder in a setting that an operator uses for
    # lenses of their own; those change the list of tools.
    built_in_lenses = {"CUSTOM_LENSES_PATH": ""}
    return [
        Case("empty handler", replace(built["Jobs"], code=empty, layers=())),
        Case(
            "MCP: tools/list, ring in the environment",
            built["Mcp"],
            list_request,
            ring_in_environment | built_in_lenses,
        ),
        *(
            Case(
                f"MCP: {method} of 2026-07-28, ring in the environment",
                built["Mcp"],
                list_request | {"method": method, "params": {"_meta": ENVELOPE}},
                ring_in_environment | built_in_lenses,
            )
            for method in ("server/discover", "tools/list")
        ),
        Case("MCP: tools/list, ring in a parameter", built["Mcp"], list_request, ring_in_parameter | built_in_lenses),
        Case(
            "MCP: tools/list, own loop",
            built["Mcp"],
            list_request,
            ring_in_environment | built_in_lenses,
            loop=emulator.STREAMING_LOOP,
        ),
        Case("MCP: tools/call, ring in a parameter", built["Mcp"], refused_call, ring_in_parameter),
        *(
            Case(f"ServiceInfo: {path}", built["ServiceInfo"], None, ring_in_parameter | built_in_lenses, path=path)
            for path in ("/health/live", "/tools", "/openapi.json", "/")
        ),
        *(
            Case(
                f"OAuth: {tool.environment['TOOL']}, {name}", tool, {"noSuchField": 1}, ring_in_environment, credential
            )
            for tool in tools
            if tool.environment["TOOL"] in ("web_search", "format_bibliography")
            for name, credential in (("key", KEY), ("token of the table", token), ("key of the table", stored))
        ),
        *(Case(tool.environment["TOOL"], tool, refused, ring_in_parameter) for tool in tools),
    ]


def main(arguments: list[str]) -> int:
    quota: Quota = limit_processor if "--quota" in arguments else leave_processor
    arguments = [each for each in arguments if each != "--quota"]
    rounds, words = int(arguments[0]) if arguments else 5, arguments[1:] or [""]
    with cloud() as environment, tempfile.TemporaryDirectory() as folder:
        Path(folder, "handler.py").write_text(EMPTY)
        measured = cases(stack.functions(stack.build()), Path(folder), environment)
        measured = [case for case in measured if case is measured[0] or any(word in case.name for word in words)]
        for _ in range(rounds):
            for case in measured:
                case.measure(quota)
    print(f"{'median of ' + str(rounds):44}{'INIT':>8}{'whole':>8}{'warm':>8}   whole / empty")
    floor = statistics.median(measured[0].total)
    for case in measured:
        init, total, warm = (statistics.median(each) for each in (case.init, case.total, case.warm))
        print(f"{case.name:44}{init:8.0f}{total:8.0f}{warm:8.1f}{total / floor:11.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
