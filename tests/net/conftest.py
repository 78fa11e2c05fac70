"""What tests of the way out need: peers that say exactly the bytes they are told, and names that lead to them."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
import pytest_asyncio
import trustme

from assay.net.guarded_client import GuardedClient
from assay.settings import Settings

PUBLIC = "93.184.216.34"  # never dialled: the seam leads it to a peer


@dataclass
class RecordedRequest:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


def response_bytes(body=b"", status=200, headers=(), *, length=True):
    """An answer as bytes."""
    lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in headers)]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def redirect(to, status=302, body=b"", headers=()):
    return response_bytes(body, status, [("Location", to), *headers])


@dataclass
class Peer:
    """A server: `tells` maps a target to the bytes of its answer or to a function that writes them."""

    port: int = 0
    tells: dict[str, bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]] = field(default_factory=dict)
    default: bytes = field(default_factory=lambda: response_bytes(b"hello", headers=[("Content-Type", "text/plain")]))
    requests: list[RecordedRequest] = field(default_factory=list)
    connections: int = 0
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    keep: bool = True

    async def serve(self, reader, writer):
        self.connections += 1
        self.writers.append(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, *lines = head.decode("latin-1").strip().split("\r\n")
                method, target, _ = line.split(" ")
                headers = {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.requests.append(RecordedRequest(method, target, headers, body))
                await self._answer(method, target, writer)
                if not self.keep:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, method, target, writer):
        response = self.tells.get(target, self.default)
        if callable(response):
            await response(writer)
        elif method == "HEAD":
            writer.write(response.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")
        else:
            writer.write(response)
        await writer.drain()

    @property
    def targets(self):
        return [request.target for request in self.requests]


@pytest_asyncio.fixture
async def peers():
    """Make peers; `tls` is a context of a server."""
    servers, created = [], []

    async def make(tls: ssl.SSLContext | None = None) -> Peer:
        peer = Peer()
        created.append(peer)
        server = await asyncio.start_server(peer.serve, "127.0.0.1", 0, ssl=tls, limit=1 << 20)
        peer.port = server.sockets[0].getsockname()[1]
        servers.append(server)
        return peer

    yield make
    for server in servers:
        server.close()
    for writer in [writer for peer in created for writer in peer.writers]:
        writer.transport.abort()
    await asyncio.sleep(0)


@pytest_asyncio.fixture
async def peer(peers):
    return await peers()


@dataclass
class FakeNetwork:
    """Names and what they lead to, what was asked of the resolver, what was dialled."""

    peer: Peer
    names: dict[str, list[str]] = field(default_factory=dict)
    ports: dict[int, int] = field(default_factory=dict)  # of a URL → of a peer; the first peer's for all others
    lookups: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)

    async def resolve(self, host: str, port: int) -> list[str]:
        self.lookups.append(host)
        return self.names.get(host, [PUBLIC])

    def connect(self, address: str, port: int) -> tuple[str, int]:
        self.dialled.append((address, port))
        return "127.0.0.1", self.ports.get(port, self.peer.port)


@pytest.fixture
def network(peer):
    return FakeNetwork(peer)


@pytest_asyncio.fixture
async def web_of(network):
    """Make a Web in this world, of these settings."""
    created = []

    def make(**settings) -> GuardedClient:
        web = GuardedClient(Settings(**settings), resolve=network.resolve, connect=network.connect)
        created.append(web)
        return web

    yield make
    for web in created:
        await web.close()


@pytest.fixture
def web(web_of):
    return web_of()


@pytest.fixture(params=[False, True], ids=["plain", "stealth"])
def stealth(request):
    return request.param


@pytest.fixture(scope="session")
def authority():
    return trustme.CA()


@pytest.fixture
def trusting_environment(authority, tmp_path):
    """The environment in which the test's authority is trusted."""
    path = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(path)
    return {"SSL_CERT_FILE": str(path)}


@pytest.fixture
def server_context(authority):
    """Make a server's context with a certificate for names; more arguments go to `issue_cert`."""

    def make(*names: str, by: trustme.CA = authority, **more) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        by.issue_cert(*names, **more).configure_cert(context)
        return context

    return make
