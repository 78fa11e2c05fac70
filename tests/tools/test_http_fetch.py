"""http_fetch, through `invoke`, like every entry point."""

import gzip
import zlib
from base64 import b64decode

import brotli
import pytest
from tests.support.upstream import CUT, HALF, SILENT

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.settings import Settings

TEXT = b"Otters hold hands. " * 50


@pytest.fixture
def fetch(ask):
    async def fetch(url, **more):
        return await ask("http_fetch", url=url, **more)

    return fetch


def body(reply) -> bytes:
    assert reply.error is None, reply.error
    return b64decode(reply.wire["body_base64"])


def hop(site, path, to, status=302):
    return site.says(path, b"", status, headers={"location": to})


async def test_status_headers_and_body_come_as_they_are(fetch, site):
    reply = await fetch(site.says("/a", TEXT, kind="text/plain", headers={"x-powered-by": "otters"}))
    assert body(reply) == TEXT
    assert reply.wire["status"] == 200
    assert reply.wire["truncated"] is False
    assert reply.wire["headers"]["Content-Type"] == "text/plain"
    assert reply.wire["headers"]["X-Powered-By"] == "otters"
    assert "Assay/" in site.requests[0].headers["user-agent"]
    assert "agentcli-http-fetch" in site.requests[0].headers["user-agent"]


@pytest.mark.parametrize("status", [201, 400, 404, 429, 500, 503])
async def test_every_status_is_an_answer(fetch, site, status):
    reply = await fetch(site.says("/a", b"x", status))
    assert (reply.wire["status"], body(reply)) == (status, b"x")
    assert len(site.requests) == 1


async def test_of_repeated_headers_the_first_is_reported(fetch, upstream):
    upstream._always = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 0\r\n\r\n"
    assert (await fetch(upstream.url)).wire["headers"]["Set-Cookie"] == "a=1"


async def test_an_empty_body_and_head_have_no_body_field(fetch, site):
    assert "body_base64" not in (await fetch(site.says("/e", b""))).wire
    reply = await fetch(site.says("/a", b""), method="head")
    assert "body_base64" not in reply.wire
    assert site.requests[-1].method == "HEAD"


@pytest.mark.parametrize("size", [1, 99, 100, 101, 5000])
async def test_the_cap_is_reported_only_where_it_cuts(fetch, site, size):
    reply = await fetch(site.says("/a", b"A" * size), max_bytes=100)
    assert len(body(reply)) == min(size, 100)
    assert reply.wire["truncated"] is (size > 100)


@pytest.mark.parametrize("asked", [0, -1, None])
async def test_no_cap_that_counts_is_a_mebibyte(fetch, site, asked):
    reply = await fetch(site.says("/a", b"A" * ((1 << 20) + 1)), max_bytes=asked)
    assert len(body(reply)) == 1 << 20
    assert reply.wire["truncated"] is True


async def test_no_answer_is_larger_than_lambda_lets_out(services, site):
    url = site.says("/a", b"A" * 5_000_000)
    reply = await invoke(
        "http_fetch", {"url": url, "max_bytes": 10**9}, Context(services, Caller(), entrypoint="cli", allow_large=True)
    )
    assert len(body(reply)) == 4_400_000
    assert reply.wire["truncated"] is True
    assert len(str(reply.wire)) < 6_000_000


async def test_a_large_answer_is_linked_where_readers_have_small_windows(fetch, site):
    reply = await fetch(site.says("/a", b"A" * 2_000_000), max_bytes=2_000_000)
    assert reply.linked is not None


@pytest.mark.parametrize(
    ("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli.compress)]
)
async def test_a_coded_body_is_decoded_and_the_headers_that_belie_it_go(fetch, site, coding, pack):
    url = site.says("/a", pack(TEXT), headers={"content-encoding": coding})
    reply = await fetch(url)
    assert body(reply) == TEXT
    assert not {"Content-Encoding", "Content-Length"} & set(reply.wire["headers"])
    assert (await fetch(url, max_bytes=10)).wire["truncated"] is True


async def test_without_decompress_nothing_is_asked_for_and_nothing_undone(fetch, site):
    packed = gzip.compress(TEXT)
    reply = await fetch(site.says("/a", packed, headers={"content-encoding": "gzip"}), decompress=False)
    assert body(reply) == packed
    assert reply.wire["headers"]["Content-Encoding"] == "gzip"
    assert "accept-encoding" not in site.requests[0].headers


async def test_a_bomb_ends_at_the_cap(fetch, site):
    bomb = gzip.compress(b"\0" * 50_000_000)
    reply = await fetch(site.says("/a", bomb, headers={"content-encoding": "gzip"}), max_bytes=1000)
    assert (len(body(reply)), reply.wire["truncated"]) == (1000, True)


async def test_a_body_that_breaks_off_is_not_an_answer(fetch, site, upstream):
    packed = gzip.compress(TEXT * 20)
    reply = await fetch(site.says("/a", packed[: len(packed) // 2], headers={"content-encoding": "gzip"}))
    assert reply.error.message == "read body: unexpected EOF"
    upstream.says(HALF)
    assert (await fetch(upstream.url)).error.message == "read body: unexpected EOF"


async def test_a_connection_that_is_cut_is_network_trouble(fetch, upstream):
    upstream.says(CUT)
    reply = await fetch(upstream.url)
    assert (reply.error.kind, reply.error.message.startswith("http: ")) == ("network", True)


async def test_time_is_bounded(fetch, upstream, environ):
    upstream.says(SILENT)
    reply = await fetch(upstream.url, timeout_ms=100)
    assert reply.error.message == "http: timeout: no whole answer within 0.1 seconds"
    environ["HTTP_TIMEOUT_MS"] = "150"
    services = local_services(Settings.read(environ))
    reply = await invoke("http_fetch", {"url": upstream.url}, Context(services, Caller()))
    await services.close()
    assert "0.15 seconds" in reply.error.message


@pytest.mark.parametrize("count", [1, 4, 5])
async def test_five_redirects_are_followed(fetch, site, count):
    for number in range(count):
        hop(site, f"/r{number}", f"/r{number + 1}", [301, 302, 303, 307, 308][number])
    site.says(f"/r{count}", b"end")
    assert body(await fetch(site.url + "/r0")) == b"end"


async def test_six_redirects_and_circles_are_not(fetch, site):
    for number in range(6):
        hop(site, f"/r{number}", f"/r{number + 1}")
    hop(site, "/round", "/round")
    for path in ("/r0", "/round"):
        assert (await fetch(site.url + path)).error.message == "http: too many redirects"
    assert len(site.requests) <= 12


async def test_a_redirect_that_leads_nowhere_is_the_answer(fetch, site):
    assert (await fetch(site.says("/a", b"x", 302))).wire["status"] == 302


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "url is required"),
        ("  ", "url is required"),
        ("ftp://example.org/", "only http/https are allowed"),
        ("file:///etc/passwd", "only http/https are allowed"),
        ("//example.org/", "only http/https are allowed"),
        ("example.org", "only http/https are allowed"),
        ("javascript:alert(1)", "only http/https are allowed"),
        ("http://", "invalid host"),
        ("http:///", "invalid host"),
        ("http://?x", "invalid host"),
        ("http://abc.ONION/", "SSRF blocked: onion domains are not allowed"),
        ("http://abc.onion./", "SSRF blocked: onion domains are not allowed"),
    ],
)
async def test_an_address_that_is_invalid_is_refused_in_fixed_words(fetch, url, words):
    reply = await fetch(url)
    assert (reply.error.kind, reply.error.message) == ("validation", words)


async def test_a_missing_address_is_named(ask):
    assert (await ask("http_fetch")).error.message == "url is required"


@pytest.mark.parametrize("method", ["POST", "DELETE", "TRACE", "G ET"])
async def test_only_get_and_head(fetch, site, method):
    assert (await fetch(site.url, method=method)).error.message == "method must be GET or HEAD"
    assert site.requests == []


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
        "[::]",
        "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1",
        "255.255.255.255", "[fe80::1]", "[fc00::1]", "[ff02::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
    ],
)  # fmt: skip
async def test_no_private_address_is_reached(environ, host):
    del environ["ALLOW_PRIVATE_IPS"]
    services = local_services(Settings.read(environ))
    reply = await invoke("http_fetch", {"url": f"http://{host}/"}, Context(services, Caller()))
    await services.close()
    assert reply.error.message == "SSRF blocked: private or loopback address"
    assert reply.error.hint


async def call_tool(environ, tool, **arguments):
    seams = {"resolve": _resolve, "connect": lambda _, port: ("127.0.0.1", port)}
    services = local_services(Settings.read(environ))
    services.web_overrides = seams
    reply = await invoke(tool, arguments, Context(services, Caller()))
    await services.close()
    return reply


async def _resolve(host: str, _: int) -> list[str]:
    return {"public.example": ["93.184.215.14"], "inside.example": ["93.184.215.14", "10.0.0.7"]}.get(host, [])


async def test_names_are_judged_by_where_they_lead(environ, site):
    del environ["ALLOW_PRIVATE_IPS"]
    port = site.url.rpartition(":")[2]
    site.says("/a", b"x")
    assert (await call_tool(environ, "http_fetch", url=f"http://public.example:{port}/a")).wire["status"] == 200
    reply = await call_tool(environ, "http_fetch", url=f"http://inside.example:{port}/a")
    assert reply.error.message == "SSRF blocked: private or loopback address"
    reply = await call_tool(environ, "http_fetch", url="http://nowhere.example/a")
    assert reply.error.message == "SSRF blocked: cannot resolve host"


@pytest.mark.parametrize(
    ("to", "words"),
    [
        ("http://127.0.0.1:1/", "SSRF blocked: private or loopback address"),
        ("http://169.254.169.254/latest/", "SSRF blocked: private or loopback address"),
        ("http://x.onion/", "SSRF blocked: onion domains are not allowed"),
        ("ftp://public.example/", "http: unsupported protocol scheme"),
    ],
)
async def test_each_hop_is_judged_again(environ, site, to, words):
    del environ["ALLOW_PRIVATE_IPS"]
    hop(site, "/a", to)
    port = site.url.rpartition(":")[2]
    reply = await call_tool(environ, "http_fetch", url=f"http://public.example:{port}/a")
    assert reply.error.message == words
    assert len(site.requests) == 1


@pytest.mark.parametrize("tool", ["http_fetch", "rss_fetch", "robots_check"])
async def test_the_override_opens_this_machine_to_one_tool_alone(environ, site, tool):
    del environ["ALLOW_PRIVATE_IPS"]
    site.says("/robots.txt", b"", kind="text/plain")
    site.says("/a", b"<rss/>")
    environ[f"{tool.upper()}_ALLOW_LOCAL"] = "1"
    for other in ("http_fetch", "rss_fetch", "robots_check"):
        services = local_services(Settings.read(environ))
        reply = await invoke(other, {"url": site.url + "/a"}, Context(services, Caller()))
        await services.close()
        assert (reply.error is None) is (other == tool), reply.error


async def test_the_override_opens_neither_metadata_nor_onion_nor_lambda(environ, site):
    del environ["ALLOW_PRIVATE_IPS"]
    environ["HTTP_FETCH_ALLOW_LOCAL"] = "1"
    for url in ("http://169.254.169.254/", "http://x.onion/"):
        assert (await call_tool(environ, "http_fetch", url=url)).error.message.startswith("SSRF blocked: ")
    environ["AWS_LAMBDA_FUNCTION_NAME"] = "x"
    assert (await call_tool(environ, "http_fetch", url=site.url)).error.message.startswith("SSRF blocked: ")
    del environ["AWS_LAMBDA_FUNCTION_NAME"]
    environ["HTTP_FETCH_ALLOW_LOCAL"] = "true"
    assert (await call_tool(environ, "http_fetch", url=site.url)).error.message.startswith("SSRF blocked: ")
