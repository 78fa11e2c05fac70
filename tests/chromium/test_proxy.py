"""The proxy by itself: one connection in, one checked connection out, and nothing that was not asked for."""

import asyncio
import contextlib

import pytest
import pytest_asyncio

from assay.chromium.proxy import Proxy
from assay.net.exceptions import OffLimits, Unreachable
from assay.net.ssrf_guard import SsrfGuard
from assay.settings import Settings


@pytest_asyncio.fixture
async def proxy(fake_hosts):
    async with Proxy(
        SsrfGuard(Settings.read({}), resolve=fake_hosts.resolve), fake_hosts.dial, max_bytes=200_000
    ) as proxy:
        yield proxy


async def exchange(proxy, sent: bytes, *, more: bytes = b"", wait: float = 3.0) -> bytes:
    """What comes back on one connection until it is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(sent)
    if more:
        await asyncio.sleep(0.05)
        writer.write(more)
    try:
        async with asyncio.timeout(wait):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


def get(url, *lines, method="GET"):
    return "\r\n".join([f"{method} {url} HTTP/1.1", *lines, "", ""]).encode()


async def test_a_plain_request_goes_to_the_host_that_its_address_names(fake_hosts, proxy):
    fake_hosts.says("/page", "hello")
    answer = await exchange(
        proxy, get("http://site.example/page?a=b", "Host: other.example", "Proxy-Connection: keep-alive")
    )
    head, _, body = answer.partition(b"\r\n\r\n")
    assert (body, b"Connection: close" in head) == (b"hello", True)
    assert fake_hosts.requests == ["site.example/page?a=b"]
    assert b"Proxy" not in fake_hosts.heads[0]
    assert fake_hosts.heads[0].startswith(b"GET /page?a=b HTTP/1.1\r\nHost: site.example\r\n")


async def test_a_body_is_passed_on_whole_and_nothing_behind_it(fake_hosts, proxy):
    fake_hosts.says("/form", "got it")
    second = get("http://127.0.0.1/second", "Host: 127.0.0.1")
    answer = await exchange(
        proxy, get("http://site.example/form", "Content-Length: 5", method="POST") + b"a=b&c" + second
    )
    assert fake_hosts.requests == ["site.example/form"]
    assert answer.count(b"HTTP/1.1") <= 1


async def test_a_second_request_on_a_connection_is_not_carried_to_the_first_host(fake_hosts, proxy):
    fake_hosts.says("/page", "hello")
    await exchange(proxy, get("http://site.example/page"), more=get("http://inward.example/second"))
    assert fake_hosts.requests == ["site.example/page"]


async def test_a_body_of_unknown_length_is_not_guessed_at(fake_hosts, proxy):
    sent = get("http://site.example/form", "Transfer-Encoding: chunked", method="POST") + b"5\r\nhello\r\n0\r\n\r\n"
    assert await exchange(proxy, sent) == b""


async def test_hints_before_the_answer_are_left_out(fake_hosts, proxy):
    async def send_early_hints(writer):
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    fake_hosts.writes("/hinted", send_early_hints)
    assert (await exchange(proxy, get("http://site.example/hinted"))).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    "target",
    ["127.0.0.1:80", "[::1]:443", "localhost:443", "169.254.169.254:80", "inward.example:443", "mixed.example:443",
     "10.0.0.1:22", "0.0.0.0:80", "[::ffff:127.0.0.1]:80", "[64:ff9b::7f00:1]:80", "metadata.google.internal:80",
     "user:pass@site.example:443", "site.example:0x50", "site.example:99999", "", "a b"],
)  # fmt: skip
async def test_a_tunnel_to_what_may_not_be_reached_is_not_dug(fake_hosts, proxy, target):
    fake_hosts.names |= {"inward.example": ["127.0.0.1"], "mixed.example": [fake_hosts.public, "10.0.0.1"]}
    answer = await exchange(proxy, f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    assert answer == b""
    assert fake_hosts.dialled == []


@pytest.mark.parametrize(
    "url", ["ftp://site.example/", "file:///etc/passwd", "/page", "http://", "http://127.0.0.1/", "*"]
)
async def test_a_request_for_what_may_not_be_reached_is_closed(fake_hosts, proxy, url):
    assert await exchange(proxy, get(url, "Host: site.example")) == b""
    assert fake_hosts.dialled == []


@pytest.mark.parametrize(
    "sent",
    [b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01" + b"x" * 99, b"x" * 200_000, b"GET http://site.example/ HTTP/1.1"],
)
async def test_what_is_not_a_request_is_closed_or_waited_for_in_vain(fake_hosts, proxy, sent):
    with contextlib.suppress(TimeoutError):
        assert await exchange(proxy, sent, wait=0.3) == b""
    assert fake_hosts.dialled == []


async def test_a_tunnel_carries_bytes_both_ways(fake_hosts, proxy):
    fake_hosts.says("/page", "hello")
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(b"CONNECT site.example:443 HTTP/1.1\r\n\r\n")
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connected\r\n\r\n"
    for _ in range(3):
        writer.write(get("/page", "Host: site.example"))
        assert (await reader.readuntil(b"hello")).startswith(b"HTTP/1.1 200")
    writer.close()
    assert fake_hosts.dialled == [(fake_hosts.public, 443)]


async def test_a_render_takes_so_many_bytes_and_no_more(fake_hosts, proxy):
    fake_hosts.says("/large", b"x" * 150_000)
    assert len(await exchange(proxy, get("http://site.example/large"))) > 150_000
    assert len(await exchange(proxy, get("http://site.example/large"))) < 100_000
    assert proxy.spent


async def test_why_a_host_was_not_reached_is_known_afterwards(fake_hosts, proxy, closed_port):
    with_names = {"inward.example": ["127.0.0.1"]}
    fake_hosts.names |= with_names
    await exchange(proxy, get("http://inward.example/"))
    assert isinstance(await proxy.fault("http://inward.example/anything"), OffLimits)
    assert isinstance(await proxy.fault("http://127.0.0.1:9/"), OffLimits)
    assert await proxy.fault("http://site.example/") is None
    guard = SsrfGuard(Settings.read({}), resolve=fake_hosts.resolve)
    async with Proxy(guard, lambda *_: ("127.0.0.1", closed_port)) as other:
        await exchange(other, get("http://site.example/"))
        assert isinstance(await other.fault("http://site.example/"), Unreachable)


async def test_no_connection_outlives_its_render(fake_hosts):
    async def silent(_):
        await asyncio.sleep(30)

    fake_hosts.writes("/silent", silent)
    async with Proxy(SsrfGuard(Settings.read({}), resolve=fake_hosts.resolve), fake_hosts.dial) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(get("http://site.example/silent"))
        while not fake_hosts.requests:
            await asyncio.sleep(0.01)
    with contextlib.suppress(ConnectionError):
        assert await reader.read() == b""
    writer.close()
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.1", proxy.port)
