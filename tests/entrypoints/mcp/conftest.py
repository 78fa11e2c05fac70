"""Our engine and the official SDK's behind one way of asking: an HTTP request in, its status, headers and JSON out."""

import asyncio
import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import pytest_asyncio
import uvicorn
from tests.entrypoints.mcp.oracle import manager_for, server_for
from tests.support.forked_commands import ForkedCommand

from assay.caller import Caller
from assay.entrypoints.http.local_server import create_app
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.local_http import LocalMcp
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.services import Services

REGISTRY = Path(__file__).with_name("registry.py")
MODERN = "2026-07-28"
LATEST = "2025-11-25"
SENT = {"content-type": "application/json", "accept": "application/json, text/event-stream", "host": "127.0.0.1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture
def clock() -> Callable[[], float]:
    """A clock that stands: what two engines say one after the other is then said at one moment."""
    now = time.time()
    return lambda: now


@dataclass
class McpReply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def result(self) -> Any:
        return self.json["result"]

    @property
    def error(self) -> Any:
        return self.json["error"]


class McpClient:
    """Asks an ASGI application, in the words of either era."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def send(
        self, body: bytes, headers: dict[str, str] | list[tuple[str, str]], method: str = "POST", query: str = ""
    ) -> McpReply:
        sent: list[Any] = []
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return waiting.pop() if waiting else await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        pairs = headers.items() if isinstance(headers, dict) else headers
        raw = [(name.encode(), value.encode("latin-1")) for name, value in pairs]
        scope = {"type": "http", "method": method, "path": "/mcp", "query_string": query.encode(), "headers": raw}
        async with asyncio.timeout(60):
            await self._app(scope, receive, send)
        answered = {name.decode().lower(): value.decode() for name, value in sent[0].get("headers", [])}
        return McpReply(sent[0]["status"], answered, b"".join(message.get("body", b"") for message in sent[1:]))

    async def legacy(self, method: str, params: Any = None, *, version: str | None = LATEST, **more: Any) -> McpReply:
        message = {"jsonrpc": "2.0", "id": 1, "method": method} | ({} if params is None else {"params": params})
        headers = SENT | ({"mcp-protocol-version": version} if version else {})
        return await self.send(json.dumps(message).encode(), headers, **more)

    async def modern(self, method: str, params: Any = None, *, headers: Any = None, **more: Any) -> McpReply:
        body, sent = modern_request(method, params)
        return await self.send(body, sent | (headers or {}), **more)

    async def call(self, era: str, name: str, /, **arguments: Any) -> McpReply:
        ask = self.modern if era == "modern" else self.legacy
        return await ask("tools/call", {"name": name, "arguments": arguments})


def modern_request(method: str, params: Any = None) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a sound request of 2026-07-28."""
    params = params or {}
    full = params | {"_meta": ENVELOPE | params.get("_meta", {})}
    headers = SENT | {"mcp-protocol-version": MODERN, "mcp-method": method}
    named = params.get("name", params.get("uri"))
    if isinstance(named, str) and named.isascii():
        headers["mcp-name"] = named
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": full}).encode(), headers


@pytest.fixture
def asker() -> type[McpClient]:
    return McpClient


@pytest.fixture(name="modern_request")
def _modern_request() -> Callable[..., Any]:
    return modern_request


@pytest.fixture(scope="session")
def registry() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mcp_registry", REGISTRY)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # get_type_hints looks there
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def catalogue(registry: ModuleType) -> ToolCatalogue:
    return registry.catalogue()


@pytest.fixture
def thin(services: Services, catalogue: ToolCatalogue) -> McpClient:
    """The local server."""
    return McpClient(LocalMcp(services, catalogue).app)


@pytest_asyncio.fixture
async def sdk(services: Services, catalogue: ToolCatalogue) -> AsyncIterator[McpClient]:
    """The SDK's own Streamable HTTP application over the same answers, with nothing of ours before it."""
    manager = manager_for(server_for(Exchange(catalogue, services, Caller(), LATEST)))
    # The manager's task group must be left by the task that entered it, and fixtures may be closed by another one.
    begun, ended = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with manager.run():
            begun.set()
            await ended.wait()

    task = asyncio.create_task(hold())
    await begun.wait()
    yield McpClient(manager.handle_request)
    ended.set()
    await task


@pytest_asyncio.fixture
async def address(services: Services) -> AsyncIterator[str]:
    """The local server on a real socket."""
    server = uvicorn.Server(
        uvicorn.Config(create_app(services), port=0, log_level="error", timeout_graceful_shutdown=2)
    )
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    server.should_exit = True
    await serving


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The local server as a process of its own."""
    environ = environment({"ASSAY_HOME": str(tmp_path_factory.mktemp("home"))})
    with subprocess.Popen(
        [sys.executable, str(REGISTRY), "http"], env=environ, stdout=subprocess.PIPE, text=True
    ) as child:
        yield f"http://127.0.0.1:{int(child.stdout.readline())}/mcp"
        child.terminate()
        child.communicate(timeout=60)


@pytest.fixture
def child(environ: dict[str, str]) -> Iterator[Callable[[], ForkedCommand]]:
    """Starts the server on standard input and output, with further variables if need be."""
    begun: list[ForkedCommand] = []

    def start(**more: str) -> ForkedCommand:
        module = "tests.entrypoints.mcp.registry"
        given = environment(environ | more)
        begun.append(ForkedCommand("stdio", module=module, env=given, stdin=subprocess.PIPE))
        return begun[-1]

    yield start
    for process in begun:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def environment(environ: dict[str, str]) -> dict[str, str]:
    shared = Path(__file__).parents[3] / "shared"
    return os.environ | environ | {"PYTHONPATH": str(shared)}
