"""Certificates of companies' own authorities, and what is said where no connection comes about."""

import asyncio
import socket

import pytest
import pytest_asyncio
from tests.net.authority import Authority
from tests.net.conftest import response_bytes

from assay.errors import Network
from assay.net.guarded_client import GuardedClient
from assay.net.provider_client import ProviderClient
from assay.settings import Settings

CAP = 10_000


@pytest_asyncio.fixture
async def http():
    created = []

    def make(**environ):
        created.append(ProviderClient(Settings(environ=environ), pause=0))
        return created[-1]

    yield make
    for one in created:
        await one.close()


@pytest.mark.parametrize("key_usage", [True, False], ids=["no key identifier", "no key usage either"])
async def test_a_certificate_that_browsers_take_is_taken(key_usage, peers, network, http, stealth, tmp_path):
    company = Authority(key_usage=key_usage)
    served = await peers(company.context("wiki.example", tmp_path))
    network.ports[443] = served.port
    web = GuardedClient(Settings(environ=company.environ(tmp_path)), resolve=network.resolve, connect=network.connect)
    assert (await web.fetch("https://wiki.example/", cap=CAP, stealth=stealth)).body == b"hello"
    await web.close()


async def test_an_upstream_behind_such_an_authority_is_reached(peers, http, tmp_path):
    company = Authority()
    served = await peers(company.context("localhost", tmp_path))
    served.default = response_bytes(b"{}")
    got = await http(**company.environ(tmp_path)).request("searxng", "GET", f"https://localhost:{served.port}/")
    assert got.body == {}


@pytest.mark.parametrize(
    ("host", "days", "is_trusted", "words"),
    [
        ("wiki.example", -1, True, "expired"),
        ("other.example", 30, True, "wiki.example"),
        ("wiki.example", 30, False, "SSL_CERT_FILE"),
    ],
    ids=["expired", "another name", "unknown authority"],
)
async def test_names_times_and_authorities_are_still_checked(host, days, is_trusted, words, peers, network, tmp_path):
    company = Authority()
    served = await peers(company.context(host, tmp_path, days=days))
    network.ports[443] = served.port
    environ = company.environ(tmp_path) if is_trusted else {}
    web = GuardedClient(Settings(environ=environ), resolve=network.resolve, connect=network.connect)
    with pytest.raises(Network, match=words) as failure:
        await web.fetch("https://wiki.example/", cap=CAP)
    assert failure.value.reason == "tls"
    assert served.requests == []
    await web.close()


@pytest_asyncio.fixture
async def plain():
    """The port of a server that answers a TLS handshake in plain HTTP."""

    async def complain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response_bytes(b"speak up", 400))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(complain, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def test_an_upstream_that_is_not_reached_is_reported_with_the_reason(http, peers, server_context, plain):
    untrusted = await peers(server_context("localhost"))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        refusing = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        output = {}
        for name, url in {
            "refused": refusing,
            "name": "http://nowhere.invalid/",
            "certificate": f"https://localhost:{untrusted.port}/",
            "no tls": f"https://localhost:{plain}/",
        }.items():
            with pytest.raises(Network) as failure:
                await http().request("searxng", "GET", url, seconds=5)
            output[name] = failure.value.message
            assert failure.value.provider == "searxng"
    assert "refuses connections" in output["refused"]
    assert "has no address; check the name" in output["name"]
    assert "no trusted certificate" in output["certificate"]
    assert "fails at TLS" in output["no tls"]
    assert len(set(output.values())) == 4
