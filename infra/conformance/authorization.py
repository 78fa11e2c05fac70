"""Runs the suite's scenarios for authorization servers, the Inspector and mcp-remote against the local server.

`authorization.py RESULTS`; the programs must be on PATH. It plays the person who signs in, and exits with 1 on failure.
"""

import asyncio
import hashlib
import html
import json
import os
import re
import socket
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx
import uvicorn

from assay.bootstrap import local_services
from assay.entrypoints.http.local_server import create_app
from assay.settings import Settings

KEY = "assay_conformance"
RING = json.dumps([{"name": "suite", "sha256": hashlib.sha256(KEY.encode()).hexdigest()}])
FIELD = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)"')


def read_form(page: str) -> dict[str, str]:
    return {html.unescape(name): html.unescape(value) for name, value in FIELD.findall(page)}


async def sign_in(base: str, address: str) -> None:
    """Open the address as a person does, show the key, and allow what is asked."""
    async with httpx.AsyncClient(base_url=base, headers={"origin": base}) as browser:
        page = await browser.get(address)
        page = await post(browser, "/oauth/sign-in", page, {"key": KEY})
        done = await post(browser, "/oauth/consent", page, {"decision": "allow"})
        for _ in range(100):
            with suppress(httpx.ConnectError):  # some clients listen only after they have shown the address
                await browser.get(done.headers["location"])
                return
            await asyncio.sleep(0.1)


async def post(browser: httpx.AsyncClient, path: str, page: httpx.Response, more: Mapping[str, str]) -> httpx.Response:
    return await browser.post(path, data=read_form(page.text) | more)


async def run_suite(base: str, results: str) -> bool:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    metadata = {"client_name": "Conformance", "redirect_uris": [f"http://127.0.0.1:{port}/callback"]}
    async with httpx.AsyncClient(base_url=base) as http:
        client = (await http.post("/oauth/register", json=metadata)).json()["client_id"]
    options = ["--url", base, "--client-id", client, "--resource", f"{base}/mcp", "--port", str(port), "-o", results]
    code, _ = await run_program(base, "conformance", "authorization", *options)
    return code == 0


async def run_clients(base: str) -> bool:
    """Let each client sign in and list the tools."""
    url, succeeded = f"{base}/mcp", True
    for command in (
        ("mcp-inspector", "--cli", url, "--transport", "http", "--method", "tools/list"),
        ("mcp-remote-client", url, "--allow-http"),
    ):
        code, output = await run_program(base, *command)
        is_listed = '"academic_search"' in output
        print(f"{command[0]}: {'lists the tools' if is_listed else f'failed with {code}: {output[-2000:]}'}")
        succeeded = succeeded and is_listed
    return succeeded


async def run_program(base: str, *command: str) -> tuple[int, str]:
    """Run the program and sign in where it asks to; its exit code and its output."""
    with tempfile.TemporaryDirectory() as home:  # where clients keep their tokens
        program = await asyncio.create_subprocess_exec(
            *("timeout", "60", *command),
            stdin=asyncio.subprocess.PIPE,  # mcp-remote ends where its input ends
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            limit=1 << 24,  # bytes of a line
            env=os.environ | {"HOME": home, "MCP_AUTO_OPEN_ENABLED": "true", "DISPLAY": ""},
        )
        assert program.stdout is not None
        lines = []
        async for raw in program.stdout:
            lines.append(raw.decode().rstrip())
            if address := re.search(rf"{re.escape(base)}/oauth/authorize\?[^\s\"']+", lines[-1]):
                await sign_in(base, address[0])
        if command[0] == "conformance":
            print("\n".join(lines))
        return await program.wait(), "\n".join(lines)


class AnnouncingServer(uvicorn.Server):
    """Server that says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.listening.set_result(self.servers[0].sockets[0].getsockname()[1])


async def main(results: str) -> int:
    with tempfile.TemporaryDirectory() as home:
        services = local_services(Settings.read({"ASSAY_HOME": home, "ASSAY_API_KEYS": RING}))
        server = AnnouncingServer(uvicorn.Config(create_app(services), port=0, log_level="warning"))
        serving = asyncio.create_task(server.serve())
        base = f"http://127.0.0.1:{await server.listening}"
        succeeded = [await run_suite(base, results), await run_clients(base)]
        server.should_exit = True
        await serving
    return 0 if all(succeeded) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
