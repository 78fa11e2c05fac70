"""Fixtures for all tests: a web server on loopback, and services over a temporary folder."""

import gc
import gzip
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from socketserver import TCPServer
from typing import Any

import pytest
import pytest_asyncio
from tests.support.fake_hosts import FakeHosts

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.services import Services
from assay.settings import Settings

PARAGRAPH = (
    "Otters hold hands while they sleep so that the river does not part them. They keep a favourite stone in a "
    "pocket under the arm and use it to open shells, and they teach their young to do the same. "
)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell started the tests in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # or the programs they start would ignore it, too

ARTICLE = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>On otters | River News</title>
<meta name="author" content="Ada Brook"><meta property="og:site_name" content="River News">
<meta property="article:published_time" content="2025-03-04T05:06:07Z"></head>
<body><nav><a href="/">Home</a></nav><article><h1>On otters</h1>
<p>{PARAGRAPH}</p><p>{PARAGRAPH}</p><h2>Stones</h2><p>{PARAGRAPH}<a href="/stones">More on stones</a></p></article>
<footer>All rights reserved</footer></body></html>"""

TESTS = Path(__file__).parent
# Where pytest makes the folders of tests: in memory, if there is room and programs may run. Most tests open a database
# and an audit trail there, and synchronizing them with a disk takes longer than the rest of such a test.
MEMORY, ROOM = Path("/dev/shm"), 4 << 30


def has_room(folder: Path) -> bool:
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        return False
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize >= ROOM and not state.f_flag & os.ST_NOEXEC


if has_room(MEMORY):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers for each processor with `-n auto`, because tests wait for programs, servers and the clock."""
    return 2 * (os.process_cpu_count() or 1)


def pytest_configure(config: pytest.Config) -> None:
    """Let each worker begin to collect elsewhere: pytest compiles a module of tests where it finds no bytecode of it, so
    workers that collect the same one at the same time would all compile it.
    """
    worker = getattr(config, "workerinput", None)
    if worker:
        from tests.support.distribution import send_only_results

        send_only_results(config)
    if worker and [Path(argument).resolve() for argument in config.args] == [TESTS]:
        files = sorted(map(str, TESTS.rglob("test_*.py")))
        first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
        config.args = [*files[first:], *files[:first]]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.support.distribution import build_scheduler

    return build_scheduler(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let workers begin with the tests that last longest: with one of them at the end, the others would wait for it."""
    if not hasattr(config, "workerinput"):
        return
    from tests.support.distribution import find_scope, weigh_scopes

    weights = weigh_scopes(item.nodeid for item in items)
    items.sort(key=lambda item: (-weights[scope := find_scope(item.nodeid)], scope, item.nodeid.partition("::")[0]))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Pause garbage collection while tests are collected: it would visit the growing number of objects again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Exempt the 23,000 collected tests from garbage collection: each full collection would visit their 2 million objects.

    What is garbage among them stays, too: to find those 30 MB takes longer than to keep them.
    """
    gc.freeze()


@dataclass
class RecordedRequest:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class CannedResponse:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None  # runs before the answer leaves: waits, counts


class Handler(BaseHTTPRequestHandler):
    """Answers one connection with the pages of a site."""

    server: "SiteServer"
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one segment: the second of two waits 40 ms for a delayed acknowledgement

    def do_GET(self) -> None:
        site = self.server.site
        length = int(self.headers.get("content-length") or 0)
        site.requests.append(
            RecordedRequest(
                self.command,
                self.path,
                {k.lower(): v for k, v in self.headers.items()},
                self.rfile.read(length),
            )
        )
        response = site.pages.get(self.path) or site.pages.get(self.path.partition("?")[0])
        response = response or CannedResponse(b"<title>No</title>", 404, {"content-type": "text/html"})
        response.before()
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":  # a body here would be read as the next answer
            self.wfile.write(response.body)

    do_POST = do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


class SiteServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, site: "Site") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.site = site
        self.socket.setblocking(False)  # a client that hung up before it was accepted holds nobody up

    def server_bind(self) -> None:
        """Bind the socket; `HTTPServer` would look up the name of the address, too."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address

    def handle_error(self, *_: object) -> None:
        pass  # a client that hung up


class Acceptor:
    """Accepts the connections of all sites on one thread: most tests have a site, and few of them connect to it."""

    def __init__(self) -> None:
        self._selector = DefaultSelector()
        threading.Thread(target=self._run, daemon=True).start()

    def add(self, server: SiteServer) -> None:
        self._selector.register(server.socket, EVENT_READ, server)

    def remove(self, server: SiteServer) -> None:
        self._selector.unregister(server.socket)

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select():
                key.data._handle_request_noblock()


@cache
def open_acceptor() -> Acceptor:
    return Acceptor()


class Site:
    """A web server on loopback: serves the pages it is given and records the requests."""

    def __init__(self) -> None:
        self.pages: dict[str, CannedResponse] = {}
        self.requests: list[RecordedRequest] = []
        self._server = SiteServer(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        open_acceptor().add(self._server)

    def says(
        self, path: str, body: str | bytes, status: int = 200, kind: str = "text/html; charset=utf-8", **more: Any
    ) -> str:
        """Serve `body` at `path` and give back the address."""
        headers = {"content-type": kind} | more.pop("headers", {})
        self.pages[path] = CannedResponse(body.encode() if isinstance(body, str) else body, status, headers, **more)
        return self.url + path

    def says_zipped(self, path: str, body: str) -> str:
        return self.says(path, gzip.compress(body.encode()), headers={"content-encoding": "gzip"})

    def close(self) -> None:
        open_acceptor().remove(self._server)
        self._server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def environ(tmp_path: Path, site: Site) -> dict[str, str]:
    """A laptop that may call itself, with a SearXNG at `site`."""
    home = str(tmp_path / "home")
    here = {"ASSAY_HOME": home, "ALLOW_PRIVATE_IPS": "true", "CHROME_PATH": "disabled"}
    return here | {"SEARXNG_URL": site.url + "/searxng"}


@pytest.fixture
def settings(environ: dict[str, str]) -> Settings:
    return Settings.read(environ)


class Clock:
    """The time of day, which a test can move forward."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self._ahead

    def forward(self, seconds: float) -> None:
        self._ahead += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture
async def services(settings: Settings, clock: Clock) -> AsyncIterator[Services]:
    services = local_services(settings, clock)
    yield services
    await services.close()


@pytest.fixture
def canary() -> Iterator[Site]:
    """Another server on loopback. Any request to it is a breach."""
    other = Site()
    yield other
    other.close()


@pytest.fixture
def ask(services: Services) -> Callable[..., Any]:
    """`await ask("scrape_page", url=…)`: the reply, through `invoke`, like every entry point. It has the shape it should."""
    from assay.invoke import invoke

    async def run_tool(tool: str, /, caller: Caller | None = None, **arguments: Any) -> Any:
        reply = await invoke(tool, arguments, Context(services, caller or Caller()))
        if reply.error is None:
            output_validator(tool).validate(reply.wire)
        return reply

    return run_tool


@pytest.fixture
def new_session(ask: Callable[..., Any]) -> Callable[..., Any]:
    """`await new_session(caller)`: the id of a research session that the person begins."""

    async def begin(caller: Caller | None = None) -> str:
        step = {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True}
        session: str = (await ask("sequential_search", caller, **step)).wire["sessionId"]
        return session

    return begin


@cache
def output_validator(tool: str) -> Any:
    """The validator of a tool's answers."""
    from jsonschema import Draft202012Validator

    from assay.toolkit import tool_registry

    return Draft202012Validator(tool_registry.find_tool(tool).output_schema)


@pytest.fixture
def article(site: Site) -> str:
    """The address of an ordinary article."""
    return site.says("/otters", ARTICLE)


@pytest_asyncio.fixture
async def fake_hosts(services: Services) -> AsyncIterator[FakeHosts]:
    """All public hosts, served on one loopback port."""
    fake_hosts = await FakeHosts().start()
    services.web_overrides |= fake_hosts.seams
    yield fake_hosts
    await fake_hosts.close()


@pytest.fixture(scope="session")
def closed_port() -> Iterator[int]:
    """A port that refuses connections: it is held, so that no other test listens there."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture(scope="session")
def engine_url() -> Iterator[str]:
    """The address of an engine that plays DynamoDB, S3, SSM and SQS: one for all tests, each with a table of its own."""
    from tests.support.local_dynamodb import engine

    with engine(services="dynamodb,s3,ssm,sqs") as url:
        yield url
