"""A Chromium that renders pages served on loopback under public names; nothing leaves the machine."""

import asyncio
import ssl
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import pytest_asyncio
import trustme
from tests.support.citation_fixtures import citation_services, cited_services  # noqa: F401  fixtures

from assay.chromium.browser import Chromium
from assay.chromium.page_loader import Patience
from assay.settings import Settings

ROOT = Path(__file__).parents[2]
PUBLIC = "93.184.216.34"  # never dialled: the seam leads it to the town
QUICK = Patience(stuck=0.7, hung=0.6, restless=1.0, growing=3.0, reading=1.0)


@dataclass
class ChromiumHosts:
    """A server on loopback that has every name below `.example`: `pages` maps host/path, or /path, to bytes or a writer."""

    port: int = 0
    pages: dict[str, object] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)  # host/path of each request
    heads: list[bytes] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)  # what else names lead to
    turning: Callable[[], list[str]] = lambda: [PUBLIC]  # where a name leads that changes its mind
    public: str = PUBLIC
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def says(self, place: str, body: str | bytes, status: int = 200, **headers: str) -> str:
        """Serve `body` and give back an address; a place without a host is served by all."""
        body = body.encode() if isinstance(body, str) else body
        named = {"content-type": "text/html; charset=utf-8"} | {k.replace("_", "-"): v for k, v in headers.items()}
        lines = [f"HTTP/1.1 {status} Told", *(f"{k}: {v}" for k, v in named.items()), f"content-length: {len(body)}"]
        self.pages[place] = "\r\n".join([*lines, "", ""]).encode() + body
        return f"http://site.example{place}" if place.startswith("/") else f"http://{place}"

    def writes(self, place: str, writer: Callable[[asyncio.StreamWriter], object]) -> str:
        self.pages[place] = writer
        return f"http://site.example{place}"

    async def resolve(self, host: str, _: int) -> list[str]:
        return self.turning() if host == "turning.example" else self.names.get(host, [PUBLIC])

    def dial(self, address: str, port: int) -> tuple[str, int]:
        self.dialled.append((address, port))
        assert address == PUBLIC, "only what was checked is dialled"
        return "127.0.0.1", self.port

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        try:
            while True:
                await self._one(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        lines = head.decode("latin-1").split("\r\n")
        path = lines[0].split(" ")[1]
        host = next(line[5:].strip() for line in lines if line.lower().startswith("host:")).partition(":")[0]
        length = next((int(line[15:]) for line in lines if line.lower().startswith("content-length:")), 0)
        await reader.readexactly(length)
        self.requests.append(host + path)
        stripped = path.partition("?")[0]
        result = (
            self.pages.get(host + stripped)
            or self.pages.get(stripped)
            or b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n"
        )
        if callable(result):
            await result(writer)
        else:
            writer.write(result)
        await writer.drain()
        if b"connection: close" in head.lower():
            raise ConnectionError


@asynccontextmanager
async def serve_hosts() -> AsyncIterator[ChromiumHosts]:
    fake_hosts = ChromiumHosts()
    server = await asyncio.start_server(fake_hosts.serve, "127.0.0.1", 0)
    fake_hosts.port = server.sockets[0].getsockname()[1]
    yield fake_hosts
    await close_server(server)
    for task in fake_hosts.tasks:
        task.cancel()
    await asyncio.gather(*fake_hosts.tasks, return_exceptions=True)


@pytest_asyncio.fixture
async def fake_hosts() -> AsyncIterator[ChromiumHosts]:
    async with serve_hosts() as fake_hosts:
        yield fake_hosts


async def close_server(server: asyncio.Server) -> None:
    """Close it with all who are connected, those who are just being let in or shake hands too."""
    server.close()
    for _ in range(10):
        await asyncio.sleep(0.001)
        server.abort_clients()


@pytest.fixture(scope="session")
def chrome() -> str:
    """The path of a Chromium: the machine's own, or one unpacked beside the project."""
    done = subprocess.run([ROOT / "infra/scripts/chromium"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return str(ROOT / ".tools/chromium/bin/chromium-headless-shell")


@asynccontextmanager
async def open_browsers(chrome: str, fake_hosts: ChromiumHosts) -> AsyncIterator[Callable[..., Chromium]]:
    created: list[Chromium] = []

    def browser(patience: Patience = QUICK, resolve=None, connect=None, environ=None, **seams) -> Chromium:
        settings = Settings.read({"CHROME_PATH": chrome, "MAX_HTML_BYTES": "1000000"} | (environ or {}))
        created.append(
            Chromium(
                settings,
                resolve=resolve or fake_hosts.resolve,
                connect=connect or fake_hosts.dial,
                patience=patience,
                **seams,
            )
        )
        return created[-1]

    yield browser
    for each in created:
        await each.close()


@pytest_asyncio.fixture
async def browser_of(chrome: str, fake_hosts: ChromiumHosts) -> AsyncIterator[Callable[..., Chromium]]:
    """`browser_of(max_renders=2, ALLOWED_DOMAINS="a.example")`: a Chromium whose names lead to the town."""
    async with open_browsers(chrome, fake_hosts) as browser_of:
        yield browser_of


@pytest_asyncio.fixture
async def browser(browser_of) -> Chromium:
    return browser_of()


@pytest.fixture
def render(browser: Chromium):
    """`await render(url)`: the page, with little patience."""
    return render_with(browser)


def render_with(browser: Chromium):
    async def render_page(url: str, settle: float = 0.3, seconds: float = 8.0, **more: bool):
        return await browser.render(url, settle=settle, seconds=seconds, **more)

    return render_page


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def module_hosts() -> AsyncIterator[ChromiumHosts]:
    async with serve_hosts() as fake_hosts:
        yield fake_hosts


@pytest.fixture
def shared_hosts(module_hosts: ChromiumHosts) -> ChromiumHosts:
    """The hosts of a module whose tests differ in their pages only, without what the test before served and asked for."""
    for left in (module_hosts.pages, module_hosts.requests, module_hosts.heads, module_hosts.dialled):
        left.clear()
    return module_hosts


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_browser(chrome: str, module_hosts: ChromiumHosts) -> AsyncIterator[Chromium]:
    """One Chromium for them: to start it takes longer than to render a page, which has a context of its own."""
    async with open_browsers(chrome, module_hosts) as browser_of:
        yield browser_of()


@pytest.fixture
def behind_tls() -> Iterator[Callable[[ssl.SSLContext], int]]:
    """`behind_tls(context)`: the port of a server that shows the context's certificate."""
    with ExitStack() as ends:

        def serving(context: ssl.SSLContext) -> int:
            server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
            thread.start()
            ends.callback(thread.join)
            ends.callback(server.server_close)
            ends.callback(server.shutdown)
            return server.server_port

        yield serving


@pytest.fixture
def town_of_tls(behind_tls) -> int:
    """The port of a server whose certificate no browser trusts."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA().issue_cert("site.example").configure_cert(context)
    return behind_tls(context)
