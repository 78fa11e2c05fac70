"""One question, every entry point: the same answer, errors included."""

import asyncio
import json
import os
import subprocess
from typing import Any

import httpx
import pytest
from tests.conftest import Site
from tests.support.forked_commands import ForkedCommand, run_command

from assay import Assay, ToolError
from assay.bootstrap import local_services
from assay.entrypoints import lambda_schedule, mcp_function
from assay.entrypoints.http import http_api
from assay.entrypoints.http.local_server import create_app
from assay.entrypoints.mcp import stateless_server

type Body = dict[str, Any]


async def by_https(tool: str, arguments: Any, services, environ) -> Body:
    event = {"headers": {}, "body": json.dumps(arguments)}
    return json.loads((await http_api.answer(tool, event, None, services))["body"])


async def by_local_server(tool: str, arguments: Any, services, environ) -> Body:
    transport = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as client:
        return (await client.post(f"/tools/{tool}", json=arguments)).json()


async def by_schedule(tool: str, arguments: Any, services, environ) -> Body:
    return (await lambda_schedule.answer({"tool": tool, "arguments": arguments}, None, services)).body()


async def by_command_line(tool: str, arguments: Any, services, environ) -> Body:
    call = ("call", tool, json.dumps(arguments))
    done = await asyncio.to_thread(run_command, *call, env=os.environ | environ)
    return json.loads(done.stdout or done.stderr)


async def by_python(tool: str, arguments: Any, services, environ) -> Body:
    async with Assay(environ) as assay:
        try:
            return await assay.answer(tool, arguments)
        except ToolError as failure:
            return failure.wire()


def body_of_mcp(answer: Body) -> Body:
    """The body behind a JSON-RPC answer: the structured content, or the envelope with its sentence."""
    if "error" in answer:
        return {"error": answer["error"]["data"]["error"] | {"message": answer["error"]["message"]}}
    result = answer["result"]
    if not result.get("isError"):
        return result["structuredContent"]
    [item] = result["content"]
    sentence, _, envelope = item["text"].partition("\n\n")
    error = json.loads(envelope)["error"]
    return {"error": error | {"message": sentence}}


def call_of(tool: str, arguments: Any) -> Body:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


async def by_mcp_on_lambda(tool: str, arguments: Any, services, environ) -> Body:
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    event = {
        "headers": headers | {"mcp-protocol-version": "2025-11-25"},
        "requestContext": {"http": {"method": "POST"}},
        "body": json.dumps(call_of(tool, arguments)),
    }
    answer = await stateless_server.handle_event(event, None, services, mcp_function.catalogue_here())
    return body_of_mcp(json.loads(answer["body"]))


class StdioServer:
    """A process on standard input and output, which has one call after the other."""

    def __init__(self, environ: dict[str, str]) -> None:
        self._child = ForkedCommand("mcp", env=os.environ | environ, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self._say({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        self._read_answer(1)
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _say(self, message: Body) -> None:
        self._child.stdin.write(json.dumps(message).encode() + b"\n")
        self._child.stdin.flush()

    def _read_answer(self, identity: int) -> Body:
        while True:
            message = json.loads(self._child.stdout.readline())
            if message.get("id") == identity:
                return message

    def ask(self, message: Body) -> Body:
        self._say(message)
        return self._read_answer(message["id"])

    def close(self) -> None:
        self._child.communicate(timeout=60)


ENTRY_POINTS = [by_https, by_local_server, by_schedule, by_command_line, by_mcp_on_lambda, by_python]
QUESTIONS: dict[str, tuple[str, Any]] = {
    "a page": ("scrape_page", {"url": "{site}/otters"}),
    "a preview": ("scrape_page", {"url": "{site}/otters", "mode": "preview"}),
    "a large body": ("scrape_page", {"url": "{site}/large", "mode": "raw"}),
    "a search": ("web_search", {"query": "otters"}),
    "a search without results": ("web_search", {"query": "nothing"}),
    "no arguments": ("scrape_page", {}),
    "an unknown field": ("scrape_page", {"url": "{site}/otters", "max_lenght": 5}),
    "a refused scheme": ("scrape_page", {"url": "gopher://127.0.0.1:6379/_INFO"}),
    "a metadata address": ("scrape_page", {"url": "http://169.254.169.254/latest/"}),
    "a page that is not there": ("scrape_page", {"url": "{site}/nowhere"}),
    "a page behind a login": ("scrape_page", {"url": "{site}/login"}),
    "an unknown provider": ("web_search", {"query": "otters", "provider": "altavista"}),
    "a provider without its key": ("web_search", {"query": "otters", "provider": "brave"}),
    "an empty query": ("web_search", {"query": ""}),
    "a query of 501 characters": ("web_search", {"query": "x" * 501}),
    "an unknown tool": ("web_serach", {"query": "otters"}),
    "an unknown artifact": ("read_artifact", {"id": "0" * 64}),
}
VARYING = {"_meta", "accessedDate", "expiresAt", "searchTimeMs"}


def steady(body: Any) -> Any:
    """The body without what tells only of the moment."""
    if isinstance(body, dict):
        return {key: steady(value) for key, value in body.items() if key not in VARYING}
    return [steady(inner) for inner in body] if isinstance(body, list) else body


@pytest.fixture(scope="module")
def site():
    site = Site()
    yield site
    site.close()


@pytest.fixture(scope="module")
def stdio_server(site, tmp_path_factory):
    """One for all questions: its start is tested elsewhere."""
    here = {"ALLOW_PRIVATE_IPS": "true", "CHROME_PATH": "disabled", "SEARXNG_URL": site.url + "/searxng"}
    server = StdioServer(here | {"ASSAY_HOME": str(tmp_path_factory.mktemp("stdio"))})
    yield server
    server.close()


@pytest.fixture
def by_mcp_on_stdio(stdio_server):
    async def by_mcp_on_stdio(tool: str, arguments: Any, services, environ) -> Body:
        return body_of_mcp(await asyncio.to_thread(stdio_server.ask, call_of(tool, arguments)))

    return by_mcp_on_stdio


@pytest.fixture
def world(site, article):
    hits = [{"title": "Otters", "url": "https://otters.example/", "content": "All about <b>otters</b>"}]
    site.says("/searxng/search", json.dumps({"query": "otters", "results": hits}), kind="application/json")
    site.says("/searxng/search?empty", json.dumps({"query": "nothing", "results": []}), kind="application/json")
    site.says("/large", "x" * 40_000, kind="text/plain")
    site.says("/login", "Sign in", status=401)
    return site


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_answer_does_not_depend_on_the_door(question, world, settings, environ, by_mcp_on_stdio, tmp_path):
    tool, arguments = QUESTIONS[question]
    arguments = {
        key: value.replace("{site}", world.url) if isinstance(value, str) else value for key, value in arguments.items()
    }
    if arguments.get("query") == "nothing":
        world.pages["/searxng/search"] = world.pages["/searxng/search?empty"]
    bodies = {}
    for place, entry_point in enumerate((*ENTRY_POINTS, by_mcp_on_stdio)):
        fresh = environ | {"ASSAY_HOME": str(tmp_path / f"entry_point{place}")}
        services = local_services(type(settings).read(fresh))
        bodies[entry_point.__name__] = steady(await entry_point(tool, arguments, services, fresh))
        await services.close()
    [expected, *others] = bodies.items()
    assert expected[1]
    for name, body in others:
        if expected[1].get("linked") and name == "by_python":
            assert len(body["content"]) == 40_000  # a program gets the answer whole, with no window to fill
            continue
        assert body == expected[1], f"{name} answers otherwise than {expected[0]}"
