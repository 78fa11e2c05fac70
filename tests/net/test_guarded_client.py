"""The way out, both engines alike: where they go, what they carry along, what they take home and when they stop."""

import asyncio
import contextlib
import datetime as dt
import gzip
import tracemalloc
import zlib

import brotli
import pytest
import trustme
import uvloop
import zstandard

from assay.errors import ConfigError, InvalidInput, Network
from assay.net import curl_transport
from assay.net.exceptions import BodyTooLarge, TooManyRedirects
from assay.net.guarded_client import GuardedClient
from assay.settings import Settings

CAP = 1 << 20
SITE = "http://site.example"


def response_bytes(body=b"", status=200, headers=(), *, length=True):
    lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in headers)]
    if length:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def redirect(to, status=302, body=b"", headers=()):
    return response_bytes(body, status, [("Location", to), *headers])


# What a fetch is


async def test_a_page_is_fetched(web, peer, network, stealth):
    peer.default = response_bytes(
        b"<p>hi", headers=[("Content-Type", 'Text/HTML; Charset="UTF-8"'), ("X-A", "1"), ("x-a", "2")]
    )
    page = await web.fetch("HTTP://Site.example:80/a b?q=1#part", cap=CAP, stealth=stealth)
    assert (page.url, page.status, page.body, page.truncated, page.hops) == (
        "http://site.example/a%20b?q=1",
        200,
        b"<p>hi",
        False,
        0,
    )
    assert (page.content_type, page.charset, page.headers["x-a"]) == ("text/html", "utf-8", "1, 2")
    assert peer.requests[0].target == "/a%20b?q=1"
    assert peer.requests[0].headers["host"] == "site.example"
    assert network.dialled == [("93.184.216.34", 80)]


@pytest.mark.parametrize(
    "status", [200, 201, 204, 206, 300, 304, 400, 401, 402, 403, 404, 410, 429, 451, 500, 503, 599]
)
async def test_any_status_is_an_answer(status, web, peer, stealth):
    peer.default = response_bytes(b"" if status in {204, 304} else b"words", status, length=status not in {204, 304})
    page = await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert page.status == status
    assert page.body == (b"" if status in {204, 304} else b"words")
    assert page.content_type == ""
    assert page.charset is None


async def test_we_say_who_we_are_and_what_we_can_read(web, peer):
    await web.fetch(SITE, cap=CAP, accept="text/markdown, text/html;q=0.9")
    headers = peer.requests[0].headers
    assert headers["user-agent"].startswith("Mozilla/5.0 (compatible; Assay/")
    assert headers["accept"] == "text/markdown, text/html;q=0.9"
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"


@pytest.mark.parametrize("host", ["en.wikipedia.org", "upload.wikimedia.org", "www.wikidata.org"])
async def test_wikimedia_is_told_how_to_reach_the_operator(web_of, peer, host, stealth):
    web = web_of(contact="ada@river.example")
    await web.fetch(f"http://{host}/", cap=CAP, stealth=stealth)
    await web.fetch(f"http://{host}/", cap=CAP, headers={"user-agent": "somebody's/1.0 (own@contact.example)"})
    ours, theirs = (seen.headers["user-agent"] for seen in peer.requests)
    assert ours.startswith("Mozilla/5.0 (compatible; Assay/")
    assert ours.endswith(" (ada@river.example)")
    assert theirs == "somebody's/1.0 (own@contact.example)"


async def test_nobody_else_is_told_how_to_reach_the_operator(web_of, peer):
    web = web_of(contact="ada@river.example")
    await web.fetch("http://notwikipedia.org/", cap=CAP)
    assert "ada@" not in peer.requests[0].headers["user-agent"]


async def test_in_stealth_we_look_like_a_browser(web, peer):
    await web.fetch(SITE, cap=CAP, stealth=True)
    headers = peer.requests[0].headers
    assert "Chrome/" in headers["user-agent"]
    assert "Assay" not in headers["user-agent"]
    assert headers["accept"].startswith("text/html")
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert "sec-ch-ua" in headers
    await web.fetch(SITE, cap=CAP, stealth=True, accept="text/markdown")
    assert peer.requests[1].headers["accept"] == "text/markdown"


async def test_method_headers_and_content_are_sent(web, peer, stealth):
    headers = {"X-Key": "a b", "Content-Type": "application/json", "User-Agent": "Own"}
    await web.fetch(SITE, cap=CAP, method="post", headers=headers, content=b'{"a":1}', stealth=stealth)
    [seen] = peer.requests
    assert (seen.method, seen.body) == ("POST", b'{"a":1}')
    assert (seen.headers["x-key"], seen.headers["content-type"], seen.headers["user-agent"]) == (
        "a b",
        "application/json",
        "Own",
    )


async def test_a_request_has_nothing_of_those_before_it(web, peer, stealth):
    first = await web.fetch(SITE, cap=CAP, stealth=stealth)
    await web.fetch(SITE, cap=CAP, method="PUT", headers={"X-Key": "a"}, content=b"secret words", stealth=stealth)
    await web.fetch(SITE, cap=CAP, method="HEAD", stealth=stealth)
    await web.fetch(SITE, cap=1, stealth=stealth)  # its transfer is ended early
    last = await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert (last.status, last.body, last.headers) == (first.status, first.body, first.headers)
    before, after = peer.requests[0], peer.requests[-1]
    assert (after.method, after.body, after.headers) == ("GET", b"", before.headers)


async def test_a_page_request_has_nothing_of_the_page_requests_before_it(peers, stealth):
    first, second = await peers(), await peers()

    async def resolve(host, port):
        return {"first.example": ["93.184.216.34"], "second.example": ["1.1.1.1"]}[host]

    web = GuardedClient(
        Settings(),
        resolve=resolve,
        connect=lambda address, _: ("127.0.0.1", (second if address == "1.1.1.1" else first).port),
    )
    await web.fetch("http://second.example/", cap=CAP, stealth=stealth)
    await web.fetch("http://first.example/?token=a", cap=CAP, headers={"X-Key": "a", "Cookie": "b=c"}, stealth=stealth)
    await web.fetch("http://second.example/", cap=CAP, stealth=stealth)
    await web.fetch("http://first.example/", cap=CAP, stealth=stealth)
    assert (first.targets, second.targets) == (["/?token=a", "/"], ["/", "/"])
    before, after = second.requests
    assert after == before
    assert {**first.requests[-1].headers, "host": "second.example"} == before.headers
    await web.close()


async def test_head_brings_no_body(web, peer, stealth):
    peer.default = response_bytes(b"long words", headers=[("X-A", "1")])
    page = await web.fetch(SITE, cap=CAP, method="HEAD", stealth=stealth)
    assert (page.status, page.body, page.truncated, page.headers["content-length"]) == (200, b"", False, "10")


@pytest.mark.parametrize(
    "headers",
    [
        {"X": "a\r\nX-Evil: b"},
        {"X\r\nEvil": "a"},
        {"X: y": "a"},
        {"": "a"},
        {"X": "a\x00"},
        {"X": "ä"},
        {"Host": "evil.example"},
        {"content-length": "5"},
        {"Transfer-Encoding": "chunked"},
        {"Connection": "upgrade"},
        {"Proxy-Authorization": "x"},
        {"Accept-Encoding": "x"},
    ],
)
async def test_headers_that_change_how_a_request_is_read_are_refused(headers, web, network, stealth):
    with pytest.raises(InvalidInput):
        await web.fetch(SITE, cap=CAP, headers=headers, stealth=stealth)
    assert network.dialled == []


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "GET / HTTP/1.1\r\nX: y", ""])
async def test_methods_that_are_none_are_refused(method, web, network, stealth):
    with pytest.raises(InvalidInput):
        await web.fetch(SITE, cap=CAP, method=method, stealth=stealth)
    assert network.dialled == []


# Where it goes


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://[::1]/", "http://0x7f.1/", "http://localhost/", "http://metadata.google.internal/",
     "http://[64:ff9b::7f00:1]/", "ftp://site.example/", "http://u:p@site.example/", "//site.example/", "http://intranet/"],
)  # fmt: skip
async def test_what_the_gate_refuses_opens_no_socket(url, web, peer, network, stealth):
    with pytest.raises(InvalidInput):
        await web.fetch(url, cap=CAP, stealth=stealth)
    with pytest.raises(InvalidInput):
        await web.check(url)
    assert network.dialled == []
    assert peer.connections == 0


async def test_a_name_with_one_inward_address_opens_no_socket(web, network, stealth):
    network.names["mixed.example"] = ["93.184.216.34", "10.0.0.1"]
    with pytest.raises(InvalidInput) as refusal:
        await web.fetch("http://mixed.example/", cap=CAP, stealth=stealth)
    assert "10.0.0.1" not in refusal.value.text()
    assert network.dialled == []


async def test_a_name_is_resolved_once_and_the_checked_address_is_dialled(peer, network, stealth):
    answers = iter([["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]])

    async def rebinding(host, port):
        network.lookups.append(host)
        return next(answers)

    web = GuardedClient(Settings(), resolve=rebinding, connect=network.connect)
    assert (await web.fetch("http://rebound.example/", cap=CAP, stealth=stealth)).status == 200
    assert network.lookups == ["rebound.example"]
    assert network.dialled == [("93.184.216.34", 80)]
    await web.close()


async def test_no_resolver_but_ours_is_asked(peer, web, network, stealth):
    # The system knows no such name, so an engine that looked it up could not answer.
    assert (await web.fetch("http://surely.nowhere.invalid/", cap=CAP, stealth=stealth)).status == 200


async def test_an_ipv6_host_is_dialled_and_named(peer, web, network, stealth):
    page = await web.fetch("http://[2606:4700:4700:0::1111]:8080/", cap=CAP, stealth=stealth)
    assert page.url == "http://[2606:4700:4700::1111]:8080/"
    assert network.dialled == [("2606:4700:4700::1111", 8080)]
    assert peer.requests[0].headers["host"] == "[2606:4700:4700::1111]:8080"


async def test_a_proxy_of_the_environment_is_not_used(peer, peers, network, stealth, monkeypatch):
    trap = await peers()
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{trap.port}")
    web = GuardedClient(Settings(), resolve=network.resolve, connect=network.connect)
    assert (await web.fetch(SITE, cap=CAP, stealth=stealth)).status == 200
    assert trap.connections == 0
    assert peer.connections == 1
    await web.close()


async def test_loopback_is_fetched_when_the_operator_opens_it(peer, stealth):
    web = GuardedClient(Settings(allow_private_ips=True))
    page = await web.fetch(f"http://127.0.0.1:{peer.port}/x", cap=CAP, stealth=stealth)
    assert page.body == b"hello"
    await web.close()


async def test_the_next_address_is_tried_when_one_is_dead(peer, network, stealth, unused_tcp_port):
    network.names["two.example"] = ["93.184.216.35", "93.184.216.34"]

    def connect(address, port):
        network.dialled.append((address, port))
        return "127.0.0.1", unused_tcp_port if address.endswith("35") else peer.port

    web = GuardedClient(Settings(), resolve=network.resolve, connect=connect)
    assert (await web.fetch("http://two.example/", cap=CAP, stealth=stealth)).status == 200
    assert [address for address, _ in network.dialled] == ["93.184.216.35", "93.184.216.34"]
    await web.close()


async def test_a_kept_connection_is_used_only_while_its_address_is_an_answer(peers, stealth):
    old, new = await peers(), await peers()
    at = ["93.184.216.34"]

    async def moving(host, port):
        return list(at)

    web = GuardedClient(
        Settings(), resolve=moving, connect=lambda a, _: ("127.0.0.1", (old if a == "93.184.216.34" else new).port)
    )
    await web.fetch(SITE, cap=CAP, stealth=stealth)
    at[0] = "1.1.1.1"
    web.guard.clear_cache()
    await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert (len(old.requests), len(new.requests)) == (1, 1)
    await web.close()


async def test_check_gives_the_canonical_url(web, network):
    assert await web.check("HTTP://Site.example:80/a/../b#c") == "http://site.example/b"
    assert network.dialled == []


# Redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_followed(status, web, peer, stealth):
    peer.tells["/a"] = redirect("/b?c#d", status)
    page = await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert (page.url, page.hops, page.status) == (SITE + "/b?c", 1, 200)
    assert peer.targets == ["/a", "/b?c"]


INWARD = [
    "//127.0.0.1/", "http://127.0.0.1/", "http://10.0.0.1/", "\\\\127.0.0.1\\", "http:\\\\127.0.0.1", "http://0x7f.1/",
    "http://[::1]/", "http://[::ffff:a9fe:a9fe]/", "http://localhost/", "http://inward.example/", "http://2130706433/",
    "file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "javascript:alert(1)", "data:text/html,x", "ftp://site.example/",
    "http://u:p@other.example/", "http://metadata.google.internal/", "/\t/127.0.0.1/", "https://[64:ff9b::a9fe:a9fe]/",
    "http://other.example:99999/", "http://", "http://１２７.0.0.1/",
]  # fmt: skip


@pytest.mark.parametrize("to", INWARD)
@pytest.mark.parametrize("status", [302, 307])
async def test_a_redirect_inward_is_refused(to, status, web, peer, network, stealth):
    network.names["inward.example"] = ["10.0.0.1"]
    location = to.encode().decode("latin-1")
    peer.tells["/a"] = redirect(location, status, headers=[("Connection", "close")])
    with pytest.raises(InvalidInput) as refusal:
        await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert refusal.value.kind == "validation"
    assert len(network.dialled) == 1
    assert peer.targets == ["/a"]


@pytest.mark.parametrize("status", [307, 308])
async def test_a_body_is_not_sent_again_to_a_refused_place(status, web, peer, network, stealth):
    peer.tells["/a"] = redirect("http://10.0.0.1/", status)
    with pytest.raises(InvalidInput):
        await web.fetch(SITE + "/a", cap=CAP, method="POST", content=b"secret", stealth=stealth)
    assert [seen.body for seen in peer.requests] == [b"secret"]
    assert len(network.dialled) == 1


BECOMES = [(301, "GET", b""), (302, "GET", b""), (303, "GET", b""), (307, "POST", b"x"), (308, "POST", b"x")]


@pytest.mark.parametrize(("status", "method", "body"), BECOMES)
async def test_a_redirected_post_becomes_what_browsers_make_of_it(status, method, body, web, peer, stealth):
    peer.tells["/a"] = redirect("/b", status)
    await web.fetch(
        SITE + "/a", cap=CAP, method="POST", content=b"x", headers={"Content-Type": "text/x"}, stealth=stealth
    )
    assert (peer.requests[1].method, peer.requests[1].body) == (method, body)
    assert peer.requests[1].headers.get("content-type") == (None if method == "GET" else "text/x")


SECRET = {"Authorization": "Bearer t", "Cookie": "a=b", "X-Api-Key": "k", "Accept-Language": "de"}


@pytest.mark.parametrize("to", ["http://other.example/b", "http://site.example:8080/b", "http://sub.site.example/b"])
async def test_secrets_do_not_cross_to_another_origin_nor_come_back(to, web, peer, stealth):
    peer.tells["/a"] = redirect(to)
    peer.tells["/b"] = redirect(SITE + "/c")
    await web.fetch(SITE + "/a", cap=CAP, headers=SECRET, stealth=stealth)
    first, second, third = (seen.headers for seen in peer.requests)
    assert (first["authorization"], first["cookie"], first["x-api-key"]) == ("Bearer t", "a=b", "k")
    for headers in (second, third):
        assert not {"authorization", "cookie", "x-api-key"} & headers.keys()
        assert headers["accept-language"] == "de"


async def test_secrets_stay_within_an_origin(web, peer, stealth):
    peer.tells["/a"] = redirect("/b")
    await web.fetch(SITE + "/a", cap=CAP, headers=SECRET, stealth=stealth)
    assert peer.requests[1].headers["authorization"] == "Bearer t"
    assert peer.requests[1].headers["cookie"] == "a=b"


@pytest.mark.parametrize("chain", [["/a"], ["/a", "/b"], ["/a", "/b", "/c"]])
async def test_a_circle_ends_with_a_name(chain, web, peer, stealth):
    for at, to in zip(chain, [*chain[1:], chain[0]], strict=True):
        peer.tells[at] = redirect(to)
    with pytest.raises(TooManyRedirects, match="circle") as failure:
        await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert isinstance(failure.value, Network)
    assert not failure.value.retryable
    assert len(peer.requests) == 6


async def test_five_redirects_are_followed_and_six_are_not(web, peer, stealth):
    for step in range(9):
        peer.tells[f"/{step}"] = redirect(f"/{step + 1}")
    page = await web.fetch(SITE + "/4", cap=CAP, stealth=stealth)
    assert page.hops == 5
    peer.requests.clear()
    with pytest.raises(TooManyRedirects, match="more than 5"):
        await web.fetch(SITE + "/3", cap=CAP, stealth=stealth)
    assert len(peer.requests) == 6


async def test_with_no_redirects_wanted_the_redirect_is_the_answer(web, peer, stealth):
    peer.tells["/a"] = redirect("http://10.0.0.1/", 301, b"moved")
    page = await web.fetch(SITE + "/a", cap=CAP, max_redirects=0, stealth=stealth)
    assert (page.status, page.headers["location"], page.hops) == (301, "http://10.0.0.1/", 0)


async def test_a_redirect_that_leads_nowhere_is_an_answer(web, peer, stealth):
    peer.tells["/a"] = response_bytes(b"nowhere", 302)
    peer.tells["/b"] = redirect("", 302, b"nowhere")
    for target in ("/a", "/b"):
        page = await web.fetch(SITE + target, cap=CAP, stealth=stealth)
        assert (page.status, page.body) == (302, b"nowhere")


async def test_a_redirect_in_utf8_is_read(web, peer, stealth):
    peer.tells["/a"] = redirect("/caf\u00c3\u00a9")  # the bytes of é in UTF-8
    page = await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert page.url == SITE + "/caf%C3%A9"


async def test_allowed_domains_hold_on_every_hop(web_of, peer, network, stealth):
    peer.tells["/a"] = redirect("http://sub.site.example/b")
    peer.tells["/b"] = redirect("http://other.example/c")
    web = web_of(allowed_domains=("site.example",))
    with pytest.raises(InvalidInput, match="ALLOWED_DOMAINS"):
        await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert peer.targets == ["/a", "/b"]
    assert (await web.fetch("http://sub.site.example/ok", cap=CAP, stealth=stealth)).status == 200


# Cookies


async def test_cookies_live_for_one_call_and_one_origin(web, peer, stealth):
    peer.tells["/a"] = redirect(
        "/b", headers=[("Set-Cookie", "id=1; Path=/; Domain=site.example"), ("Set-Cookie", "x=2")]
    )
    peer.tells["/b"] = redirect("http://other.example/c", headers=[("Set-Cookie", "id=3")])
    peer.tells["/c"] = redirect(SITE + "/d", headers=[("Set-Cookie", "spy=9")])
    await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert [seen.headers.get("cookie") for seen in peer.requests] == [None, "id=1; x=2", None, "id=3; x=2"]
    await web.fetch(SITE + "/d", cap=CAP, stealth=stealth)
    assert "cookie" not in peer.requests[-1].headers


async def test_cookies_do_not_grow_without_end(web, peer, stealth):
    flood = [("Set-Cookie", f"c{n}=v") for n in range(90)] + [
        ("Set-Cookie", "big=" + "x" * 5000),
        ("Set-Cookie", "junk"),
    ]
    peer.tells["/a"] = redirect("/b", headers=flood)
    await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert len(peer.requests[1].headers["cookie"].split("; ")) == 50


# Bodies


CODED = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
    "gzip, br": lambda text: brotli.compress(gzip.compress(text)),
    "GZip": bytes,  # a lie
}


@pytest.mark.parametrize(("coding", "pack"), CODED.items())
async def test_a_coded_body_is_read_by_our_decoders(coding, pack, web, peer, stealth):
    peer.default = response_bytes(pack(b"otters " * 5000), headers=[("Content-Encoding", coding)])
    page = await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert page.body == b"otters " * 5000
    assert not page.truncated


BOMB = 512 << 20


@pytest.fixture(scope="module")
def bomb():
    packer = brotli.Compressor(quality=3)
    piece = bytes(1 << 20)
    return b"".join(packer.process(piece) for _ in range(BOMB >> 20)) + packer.finish()


@pytest.mark.parametrize("coding", ["br", "br, gzip"])
async def test_a_bomb_stops_at_the_cap(coding, web, peer, bomb, stealth):
    wire = gzip.compress(bomb) if "gzip" in coding else bomb
    peer.default = response_bytes(wire, headers=[("Content-Encoding", coding)])
    await web.fetch(SITE + "/warm", cap=100, stealth=stealth)
    tracemalloc.start()
    page = await web.fetch(SITE, cap=CAP, stealth=stealth)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(page.body) == CAP
    assert page.truncated
    assert peak < 3 * CAP
    with pytest.raises(BodyTooLarge, match=f"exceeds the limit of {CAP} bytes"):
        await web.fetch(SITE, cap=CAP, over_cap="refuse", stealth=stealth)


async def endless(writer):
    writer.write(response_bytes(headers=[("Content-Type", "text/plain")], length=False))
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()


async def test_an_endless_body_is_cut_at_the_cap(web, peer, stealth):
    peer.tells["/a"] = endless
    page = await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert (len(page.body), page.truncated) == (CAP, True)
    with pytest.raises(BodyTooLarge):
        await web.fetch(SITE + "/a", cap=CAP, over_cap="refuse", stealth=stealth)


async def test_a_body_of_exactly_the_cap_is_whole(web, peer, stealth):
    peer.default = response_bytes(bytes(1000))
    assert not (await web.fetch(SITE, cap=1000, over_cap="refuse", stealth=stealth)).truncated
    page = await web.fetch(SITE, cap=999, stealth=stealth)
    assert (len(page.body), page.truncated) == (999, True)


async def test_a_body_announced_too_large_is_not_read(web, peer, stealth):
    async def announce(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        await writer.drain()

    peer.tells["/a"] = announce
    with pytest.raises(BodyTooLarge):
        await web.fetch(SITE + "/a", cap=CAP, over_cap="refuse", seconds=10, stealth=stealth)


async def test_what_stands_behind_the_announced_length_is_not_read(web, peer, stealth):
    peer.tells["/a"] = (
        response_bytes(b"0123456789").replace(b"hello", b"")
        + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil" * 9999
    )
    page = await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert page.body == b"0123456789"
    page = await web.fetch(SITE + "/b", cap=CAP, stealth=stealth)
    assert page.body == b"hello"  # the surplus did not become the next answer


@pytest.mark.parametrize("surplus", [response_bytes(b"evil"), b"\r\n", b"junk"])
@pytest.mark.parametrize("chunked", [False, True])
async def test_bytes_behind_the_end_of_a_body_do_not_become_the_next_answer(surplus, chunked, web, peer, stealth):
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
    peer.tells["/a"] = (chunks if chunked else response_bytes(b"one")) + surplus
    assert (await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)).body == b"one"
    assert (await web.fetch(SITE + "/b", cap=CAP, stealth=stealth)).body == b"hello"


async def test_what_comes_unasked_does_not_become_an_answer(web, peer, stealth):
    async def late(writer):
        writer.write(response_bytes(b"one"))
        await writer.drain()
        await asyncio.sleep(0.02)
        writer.write(response_bytes(b"evil"))
        await writer.drain()

    peer.tells["/a"] = late
    assert (await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)).body == b"one"
    await asyncio.sleep(0.1)
    assert (await web.fetch(SITE + "/b", cap=CAP, stealth=stealth)).body == b"hello"


@pytest.mark.parametrize("coding", ["identity", "gzip"])
async def test_a_body_that_breaks_off_is_marked(coding, web, peer, stealth):
    full = bytes(range(256)) * 400
    wire = gzip.compress(full, 0) if coding == "gzip" else full

    async def cut(writer):
        writer.write(response_bytes(wire, headers=[("Content-Encoding", coding)])[:50_000])
        await writer.drain()
        writer.close()

    peer.tells["/a"] = cut
    page = await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert page.truncated
    assert 40_000 < len(page.body) < len(full)
    assert full.startswith(page.body)


async def test_a_chunked_body_is_read(web, peer, stealth):
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (b"a" * 10, b"b" * 5000)) + b"0\r\nX-T: 1\r\n\r\n"
    peer.default = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
    page = await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert (page.body, page.truncated) == (b"a" * 10 + b"b" * 5000, False)


async def test_too_many_codings_are_reported(web, peer, stealth):
    peer.default = response_bytes(b"x", headers=[("Content-Encoding", "gzip, br, gzip, br, gzip")])
    with pytest.raises(Network, match="3 content codings") as failure:
        await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert not failure.value.retryable


async def test_a_file_name_of_the_peer_is_only_a_header(web, peer, stealth, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    peer.default = response_bytes(b"x", headers=[("Content-Disposition", 'attachment; filename="../../x"')])
    page = await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert page.headers["content-disposition"].endswith('"../../x"')
    assert list(tmp_path.iterdir()) == []


# Time, and peers that mean harm


async def drip(writer):
    writer.write(response_bytes(length=False))
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.01)


async def drip_headers(writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    with contextlib.suppress(ConnectionError):
        while True:
            writer.write(b"X-A: 1\r\n"[:1] + b"X: 1\r\n")
            await writer.drain()
            await asyncio.sleep(0.01)


async def silence(writer):
    await asyncio.sleep(120)


@pytest.mark.parametrize("peer_does", [drip, drip_headers, silence])
async def test_the_clock_is_for_the_whole_call(peer_does, web, peer, stealth):
    peer.tells["/a"] = peer_does
    began = asyncio.get_running_loop().time()
    with pytest.raises(Network, match=r"0\.3 seconds") as failure:
        await web.fetch(SITE + "/a", cap=CAP, seconds=0.3, stealth=stealth)
    assert failure.value.reason == "timeout"
    assert asyncio.get_running_loop().time() - began < 100


async def test_redirects_share_one_clock(web, peer, stealth):
    async def slow(writer):
        await asyncio.sleep(0.2)
        writer.write(redirect("/a"))

    peer.tells["/a"] = slow
    with pytest.raises(Network) as failure:
        await web.fetch(SITE + "/a", cap=CAP, seconds=0.5, stealth=stealth)
    assert failure.value.reason == "timeout"


async def test_a_slow_resolver_is_on_the_clock_too(network, stealth):
    async def stuck(host, port):
        await asyncio.sleep(30)

    web = GuardedClient(Settings(), resolve=stuck, connect=network.connect)
    with pytest.raises(Network):
        await web.fetch(SITE, cap=CAP, seconds=0.1, stealth=stealth)
    await web.close()


@pytest.mark.parametrize("count", [600, 100_000])
async def test_a_flood_of_headers_is_refused(count, web, peer, stealth):
    async def flood(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n")
        with contextlib.suppress(ConnectionError):
            for number in range(count):
                writer.write(b"X-%d: 1\r\n" % number)
                if number % 1000 == 0:
                    await writer.drain()
            writer.write(b"\r\n")

    peer.tells["/a"] = flood
    with pytest.raises(Network) as failure:
        await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert failure.value.reason == "protocol"


async def test_one_header_of_a_megabyte_is_refused(web, peer, stealth):
    peer.default = response_bytes(b"x", headers=[("X-A", "y" * (1 << 20))])
    with pytest.raises(Network):
        await web.fetch(SITE, cap=CAP, stealth=stealth)


@pytest.mark.parametrize(
    "answer",
    [b"SSH-2.0-OpenSSH_9.6\r\n", b"\x00\x01\x02\x03" * 20, b"HTTP/1.1 OK 200\r\n\r\n", b"hello\r\n\r\n", b"+PONG\r\n"],
)
async def test_a_peer_that_speaks_no_http_is_reported(answer, web, peer, stealth):
    async def talk(writer):
        writer.write(answer)
        await writer.drain()
        writer.close()

    peer.tells["/a"] = talk
    with pytest.raises(Network) as failure:
        await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert failure.value.reason in {"protocol", "reset"}


@pytest.mark.parametrize("hints", [1, 5])
async def test_hints_before_the_answer_are_passed_over(hints, web, peer, stealth):
    peer.default = b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n" * hints + response_bytes(b"answer")
    page = await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert (page.status, page.body) == (200, b"answer")
    assert "link" not in page.headers


async def test_an_endless_row_of_hints_ends(web, peer, stealth):
    peer.default = b"HTTP/1.1 100 Continue\r\n\r\n" * 5000 + response_bytes(b"answer")
    with pytest.raises(Network):
        await web.fetch(SITE, cap=CAP, stealth=stealth)


async def test_a_switch_to_another_protocol_is_refused(web, peer, stealth):
    head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    peer.default = head + b"frames of another protocol"
    with pytest.raises(Network) as failure:
        await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert failure.value.reason == "protocol"


async def test_a_body_of_crumbs_is_cut(web, peer, stealth):
    crumbs = b"1\r\nx\r\n" * 80_000 + b"0\r\n\r\n"
    peer.default = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + crumbs
    page = await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert page.truncated
    assert 0 < len(page.body) <= 50_001


async def test_a_refused_connection_is_reported_without_an_address(network, stealth, unused_tcp_port):
    web = GuardedClient(
        Settings(), resolve=network.resolve, connect=lambda address, port: ("127.0.0.1", unused_tcp_port)
    )
    with pytest.raises(Network) as failure:
        await web.fetch(SITE, cap=CAP, stealth=stealth)
    assert failure.value.reason == "refused"
    assert "site.example" in failure.value.message
    assert "93.184" not in failure.value.text()
    assert "127.0" not in failure.value.text()
    await web.close()


async def test_a_connection_closed_without_a_word_is_reported(web, peer, stealth):
    async def hang_up(writer):
        writer.close()

    peer.tells["/a"] = hang_up
    with pytest.raises(Network) as failure:
        await web.fetch(SITE + "/a", cap=CAP, stealth=stealth)
    assert failure.value.reason == "reset"


# Connections


async def test_connections_are_kept_between_calls(web, peer, stealth):
    for number in range(5):
        await web.fetch(f"{SITE}/{number}", cap=CAP, stealth=stealth)
    assert peer.connections == 1


async def test_a_kept_connection_that_died_is_replaced_unseen(web, peer, stealth):
    peer.keep = False
    for number in range(3):
        page = await web.fetch(f"{SITE}/{number}", cap=CAP, stealth=stealth)
        assert page.status == 200
    assert len(peer.requests) == 3


async def test_a_post_is_not_sent_on_a_kept_connection(web, peer, stealth):
    await web.fetch(SITE, cap=CAP, stealth=stealth)
    await web.fetch(SITE, cap=CAP, method="POST", content=b"once", stealth=stealth)
    assert peer.connections == 2  # a kept one may be dead, and the request would be repeated


async def test_many_calls_at_once_get_each_their_own_answer(web, peer, stealth):
    for number in range(40):
        peer.tells[f"/{number}"] = response_bytes(str(number).encode() * 50)
    pages = await asyncio.gather(*(web.fetch(f"{SITE}/{number}", cap=CAP, stealth=stealth) for number in range(40)))
    assert [page.body for page in pages] == [str(number).encode() * 50 for number in range(40)]


async def test_a_call_given_up_harms_no_other(web, peer, stealth):
    peer.tells["/slow"] = silence
    task = asyncio.create_task(web.fetch(SITE + "/slow", cap=CAP, stealth=stealth))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await web.fetch(SITE + "/ok", cap=CAP, stealth=stealth)).body == b"hello"


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_web_outlives_the_loop_it_was_first_used_in(loop, stealth):
    async def once(web):
        async def answer(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(response_bytes(b"hello", headers=[("Connection", "close")]))
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        page = await web.fetch(f"http://127.0.0.1:{port}/", cap=CAP, stealth=stealth)
        server.close()
        await web.close()
        return page.body

    web = GuardedClient(Settings(allow_private_ips=True))
    for _ in range(2):
        with asyncio.Runner(loop_factory=loop) as runner:
            assert runner.run(once(web)) == b"hello"


# TLS


@pytest.fixture
def secure(peers, network, trusting_environment, server_context):
    """Make a Web that reaches a TLS peer with a certificate; `issue` says for which names and times."""
    created = []

    async def make(*names, **issue):
        served = await peers(server_context(*names, **issue))
        network.ports[443] = served.port
        web = GuardedClient(Settings(environ=trusting_environment), resolve=network.resolve, connect=network.connect)
        created.append(web)
        return web

    return make


async def test_a_certificate_for_the_name_is_accepted(secure, network, stealth):
    web = await secure("site.example")
    page = await web.fetch("https://site.example/", cap=CAP, stealth=stealth)
    assert page.body == b"hello"
    assert network.dialled == [("93.184.216.34", 443)]
    await web.close()


async def test_a_redirect_from_https_to_http_is_remembered(secure, network, peer, peers, server_context, stealth):
    served = await peers(server_context("site.example"))
    web = await secure("site.example")
    network.ports[443] = served.port
    served.default = redirect("http://other.example/")
    page = await web.fetch("https://site.example/", cap=CAP, stealth=stealth)
    assert (page.url, page.left_https) == ("http://other.example/", True)
    served.default = response_bytes(b"hello")
    assert (await web.fetch("https://site.example/", cap=CAP, stealth=stealth)).left_https is False
    assert (await web.fetch("http://other.example/", cap=CAP, stealth=stealth)).left_https is False


async def test_a_certificate_counts_for_its_own_name_only(secure, stealth):
    web = await secure("site.example")
    assert (await web.fetch("https://site.example/", cap=CAP, stealth=stealth)).body == b"hello"
    with pytest.raises(Network) as failure:
        await web.fetch("https://other.example/", cap=CAP, stealth=stealth)
    assert failure.value.reason == "tls"
    assert (await web.fetch("https://site.example/", cap=CAP, stealth=stealth)).body == b"hello"
    await web.close()


async def test_the_limit_for_one_of_several_addresses_is_not_that_of_an_only_address(
    secure, network, stealth, monkeypatch
):
    monkeypatch.setattr(curl_transport, "TRY_MILLISECONDS", 200)
    web = await secure("site.example")
    served = network.ports[443]

    async def copy(reader, writer):
        while piece := await reader.read(4096):
            writer.write(piece)
        writer.close()

    async def relay_late(reader, writer):
        await asyncio.sleep(0.5)
        onward_reader, onward_writer = await asyncio.open_connection("127.0.0.1", served)
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(copy(reader, onward_writer), copy(onward_reader, writer))

    relay = await asyncio.start_server(relay_late, "127.0.0.1", 0)
    network.ports[443] = relay.sockets[0].getsockname()[1]
    network.names["two.example"] = network.names["site.example"] = ["93.184.216.35", "93.184.216.34"]
    with pytest.raises(Network):
        await web.fetch("https://site.example/", cap=CAP, stealth=stealth)
    assert (await web.fetch("http://two.example/", cap=CAP, stealth=stealth)).status == 200
    network.names["site.example"] = ["93.184.216.34"]
    web.guard.clear_cache()
    assert (await web.fetch("https://site.example/", cap=CAP, stealth=stealth)).body == b"hello"
    await web.close()
    relay.close()


def long_ago(days):
    return dt.datetime.now(dt.UTC) - dt.timedelta(days=days)


@pytest.mark.parametrize(
    ("names", "issue"),
    [
        (["other.example"], {}),
        (["93.184.216.34"], {}),
        (["127.0.0.1"], {}),
        (["site.example"], {"not_before": long_ago(30), "not_after": long_ago(2)}),
        (["site.example"], {"by": trustme.CA()}),
    ],
    ids=["another name", "the address", "where it is dialled", "expired", "unknown authority"],
)
async def test_a_certificate_that_proves_nothing_is_refused(names, issue, secure, peer, stealth):
    web = await secure(*names, **issue)
    with pytest.raises(Network) as failure:
        await web.fetch("https://site.example/", cap=CAP, stealth=stealth)
    assert failure.value.reason == "tls"
    assert "site.example" in failure.value.message
    await web.close()


async def test_the_authority_of_a_test_is_unknown_without_the_setting(peers, network, server_context, stealth):
    served = await peers(server_context("site.example"))
    network.ports[443] = served.port
    web = GuardedClient(Settings(), resolve=network.resolve, connect=network.connect)
    with pytest.raises(Network) as failure:
        await web.fetch("https://site.example/", cap=CAP, stealth=stealth)
    assert failure.value.reason == "tls"
    assert served.requests == []
    await web.close()


async def test_plain_http_on_a_tls_port_is_reported(network, stealth):
    async def complain(reader, writer):
        writer.write(response_bytes(b"speak up", 400))
        await writer.drain()
        await reader.read(4096)
        writer.close()

    server = await asyncio.start_server(complain, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    web = GuardedClient(Settings(), resolve=network.resolve, connect=lambda *_: ("127.0.0.1", port))
    with pytest.raises(Network) as failure:
        await web.fetch("https://site.example/", cap=CAP, stealth=stealth)
    assert failure.value.reason == "tls"
    await web.close()
    server.close()


@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_a_bundle_that_cannot_be_read_is_reported_to_the_operator(content, network, stealth, tmp_path):
    path = tmp_path / "bundle.pem"
    if content:
        path.write_text(content)
    web = GuardedClient(
        Settings(environ={"SSL_CERT_FILE": str(path)}), resolve=network.resolve, connect=network.connect
    )
    with pytest.raises(ConfigError, match="trusted certificates"):
        await web.fetch("https://site.example/", cap=CAP, stealth=stealth)
    await web.close()
