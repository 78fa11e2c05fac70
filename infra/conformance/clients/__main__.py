"""Let the clients that hosts are built with use a local server with Assay's tools: python -m infra.conformance.clients

Prints which features work with which client, `--write` also into docs/connect.md. `uv` installs each Python client from
PyPI into an environment of its own; `infra/conformance/run` installs those from npm. Exits with 1 if anything fails.
"""

import asyncio
import datetime as dt
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import uvicorn
from infra.conformance.authorization import AnnouncingServer
from infra.conformance.clients.client_site import ClientSite
from infra.scripts.generate.markdown import format_table

from assay.bootstrap import local_services
from assay.entrypoints.http.host_origin_guard import App, Receive, Scope, Send
from assay.entrypoints.http.local_server import create_app
from assay.settings import Settings

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PACKAGES = ROOT / ".tools" / "conformance"  # from npm
PAGE = ROOT / "docs" / "connect.md"
MARKS = "<!-- clients -->", "<!-- end of clients -->"
FEATURES = ("list", "call", "structured", "artifact", "progress", "cancel", "task")
SECONDS = 240  # for each client; the first run installs it
BRIDGE = "mcp-remote {url} --allow-http"
# Script, URL or command it connects to, argument, and what is said of the client.
CLIENTS = (
    ("python_sdk.py", "{url}", "auto", "Python SDK"),
    ("python_sdk.py", "{url}", "legacy", "Python SDK"),
    ("python_sdk_1.py", "{url}", "", "Python SDK, version 1"),
    ("typescript.mjs", "{url}", "auto", "TypeScript SDK"),
    ("typescript.mjs", "{url}", "legacy", "TypeScript SDK"),
    ("typescript.mjs", "{url}", "1", "TypeScript SDK, version 1"),
    ("fastmcp_slim.py", "{url}", "", "FastMCP"),
    ("langchain.py", "{url}", "", "LangChain's adapters"),
    ("openai_agents.py", "{url}", "", "OpenAI agents SDK"),
    ("pydantic_ai_slim.py", "{url}", "", "Pydantic AI"),
    ("python_sdk.py", BRIDGE, "legacy", "mcp-remote, before the Python SDK"),
    ("inspector.py", "{url}", "modern", "Inspector"),
    ("inspector.py", "{url}", "legacy", "Inspector"),
)


class VersionRecorder:
    """An ASGI application that notes which revisions of the protocol requests name, and passes them on."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.versions: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        for name, value in scope.get("headers", ()):
            if name == b"mcp-protocol-version":
                self.versions.add(value.decode())
        await self._app(scope, receive, send)


async def run_client(script: str, *arguments: str) -> dict[str, Any]:
    """Run the client's script; what its last line says."""
    python = ("uv", "run", "--no-project", "--python", sys.executable)
    start = ("node",) if script.endswith(".mjs") else python
    with tempfile.TemporaryDirectory() as home:  # where mcp-remote keeps its state
        program = await asyncio.create_subprocess_exec(
            *("timeout", str(SECONDS), *start, str(HERE / script), *arguments),
            cwd=PACKAGES,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ
            | {"PATH": f"{PACKAGES}/node_modules/.bin:{os.environ['PATH']}", "MCP_REMOTE_CONFIG_DIR": home},
        )
        output, errors = await program.communicate()
    lines = output.decode().splitlines()
    if program.returncode or not lines:
        return {"client": "", "results": {"list": f"the client failed: {errors.decode()[-2_000:]}"}}
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


def read_version(package: str) -> str:
    document = json.loads((PACKAGES / "node_modules" / package / "package.json").read_text())
    return f"{package} {document['version']}"


async def run_clients(url: str, site: str, recorder: VersionRecorder) -> tuple[str, bool]:
    """The table of all clients, and whether everything works that they have."""
    rows, succeeded = [], True
    for script, target, argument, title in CLIENTS:
        recorder.versions.clear()
        more = [read_version("@modelcontextprotocol/inspector").split()[1]] if script == "inspector.py" else []
        answer = await run_client(script, target.format(url=url), site, argument, *more)
        results, client = answer["results"], answer["client"]
        if target == BRIDGE:
            client = f"{read_version('mcp-remote')}, {client}"
        cells = ["–" if name not in results else "✓" if results[name] == "works" else "✗" for name in FEATURES]
        rows.append((f"{title} ({client})", ", ".join(sorted(recorder.versions)), *cells))
        print(" | ".join(rows[-1]), flush=True)
        for name, result in results.items():
            if result != "works":
                succeeded = False
                print(f"    {name}: {result}", flush=True)
    return format_table(("client", "revision", *FEATURES), rows), succeeded


def write_table(table: str) -> None:
    begin, end = MARKS
    text = f"{begin}\nMeasured on {dt.datetime.now(dt.UTC):%Y-%m-%d}.\n\n{table}{end}"
    page = PAGE.read_text()
    PAGE.write_text(re.sub(f"{begin}.*?{end}", lambda _: text, page, flags=re.DOTALL))


async def main() -> int:
    site = ClientSite()
    await site.start()
    with tempfile.TemporaryDirectory() as home:
        environ = {"ASSAY_HOME": home, "ALLOW_PRIVATE_IPS": "true", "CHROME_PATH": "disabled"}
        services = local_services(Settings.read(environ | {"SEARXNG_URL": f"{site.url}/searxng"}))
        recorder = VersionRecorder(create_app(services))
        server = AnnouncingServer(uvicorn.Config(recorder, port=0, log_level="warning"))
        serving = asyncio.create_task(server.serve())
        url = f"http://127.0.0.1:{await server.listening}/mcp"
        table, succeeded = await run_clients(url, site.url, recorder)
        server.should_exit = True
        await serving
    site.close()
    if "--write" in sys.argv:
        write_table(table)
    return 0 if succeeded else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
