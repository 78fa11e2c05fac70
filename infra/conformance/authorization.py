"""Runs the suite's scenarios for authorization servers against the local server, and plays the person who signs in.

`authorization.py RESULTS`; the suite's command `conformance` must be on PATH. The exit code is the suite's.
"""

import asyncio
import hashlib
import html
import json
import re
import socket
import sys
import tempfile
from collections.abc import Mapping
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
        await browser.get(done.headers["location"])


async def post(browser: httpx.AsyncClient, path: str, page: httpx.Response, more: Mapping[str, str]) -> httpx.Response:
    return await browser.post(path, data=read_form(page.text) | more)


async def run_suite(base: str, results: str) -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    metadata = {"client_name": "Conformance", "redirect_uris": [f"http://127.0.0.1:{port}/callback"]}
    async with httpx.AsyncClient(base_url=base) as http:
        client = (await http.post("/oauth/register", json=metadata)).json()["client_id"]
    options = ["--url", base, "--client-id", client, "--resource", f"{base}/mcp", "--port", str(port), "-o", results]
    suite = await asyncio.create_subprocess_exec(
        "conformance", "authorization", *options, stdout=asyncio.subprocess.PIPE
    )
    assert suite.stdout is not None
    async for raw in suite.stdout:
        line = raw.decode().rstrip()
        print(line)
        if line.startswith(f"{base}/oauth/authorize?"):
            await sign_in(base, line)
    return await suite.wait()


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
        code = await run_suite(f"http://127.0.0.1:{await server.listening}", results)
        server.should_exit = True
        await serving
    return code


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
