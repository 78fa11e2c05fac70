"""Servers that mean harm, by the path that every caller takes: bounded time, bounded attempts, honest answers."""

import asyncio
import contextlib
import json
import threading
import time

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke

URL = "http://river.example/otters"
TEXT = "<p>Otters hold hands while they sleep so that the river does not part them, and keep a favourite stone.</p>" * 8
ROW = {"url": "https://river.example/", "title": "Otters", "content": "They swim."}


async def test_a_server_that_drips_is_left_at_the_deadline(services, ask, site):
    release = threading.Event()
    site.says("/otters", TEXT, before=lambda: release.wait(120))
    loop = asyncio.get_running_loop()
    began = time.monotonic()
    context = Context(services, Caller(), deadline=loop.time() + 1)
    reply = await invoke("scrape_page", {"url": URL}, context)
    release.set()
    assert time.monotonic() - began < 90
    assert reply.error is not None
    assert reply.error.retryable


async def test_a_flood_of_headers_is_refused(ask, site):
    site.says("/otters", TEXT, headers={f"x-{number}": "otter" for number in range(100_000)})
    reply = await ask("scrape_page", url=URL)
    assert reply.error is not None
    assert "x-9" not in reply.error.text()


@pytest.mark.parametrize("wait", ["999999999", "soon", "-5", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_a_wait_is_reported_and_never_sat_out(wait, ask, site):
    site.says("/otters", "busy", 429, headers={"retry-after": wait})
    began = time.monotonic()
    reply = await ask("scrape_page", url=URL)
    assert time.monotonic() - began < 120
    assert reply.error.kind == "rate_limited"
    assert (reply.error.retry_after or 0) <= 86_400
    assert len(site.requests) <= 4


async def test_a_peer_that_always_says_later_is_asked_a_few_times_only(ask, site):
    site.says("/searxng/search", "busy", 429)
    for _ in range(12):
        reply = await ask("web_search", query="otters")
        assert reply.error is not None
    assert len(site.requests) <= 12


async def test_money_is_an_error_of_its_own_and_costs_one_request(ask, site):
    site.says("/otters", "pay", 402)
    reply = await ask("scrape_page", url=URL)
    assert reply.error.kind == "payment_required"
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    "shell", ["<body>Loading...</body>", "<body><div id=root></div><script src=/a.js></script></body>"]
)
async def test_a_shell_is_never_called_complete(shell, ask, site):
    site.says("/otters", shell)
    reply = await ask("scrape_page", url=URL)
    assert reply.error is not None or reply.wire["extractionQuality"] == "partial"


@pytest.mark.parametrize("row", [{"title": None, "url": None}, {}, None, {"title": "x", "url": "javascript:alert(1)"}])
async def test_a_row_that_is_invalid_is_left_out_and_the_others_are_kept(row, ask, site):
    site.says("/searxng/search", json.dumps({"results": [row, ROW]}), kind="application/json")
    reply = await ask("web_search", query="otters")
    assert reply.wire["urls"] == ["https://river.example/"]
    assert "javascript" not in reply.text


async def test_an_error_under_status_200_is_not_an_empty_answer(ask, site):
    site.says("/searxng/search", '{"error": "invalid key"}', kind="application/json")
    reply = await ask("web_search", query="otters")
    assert reply.error is not None


async def test_a_file_name_and_cookies_of_a_peer_stay_with_it(ask, site):
    headers = {"content-disposition": "attachment; filename=../../x", "set-cookie": "track=1; Path=/"}
    site.says("/otters", f"<html><body>{TEXT}</body></html>", headers=headers)
    site.says("/again", f"<html><body>{TEXT}</body></html>")
    first = await ask("scrape_page", url=URL)
    await ask("scrape_page", url="http://river.example/again", caller=Caller(tenant="t2"))
    assert "../x" not in json.dumps(first.wire)
    assert all("cookie" not in one.headers for one in site.requests)


async def test_a_body_longer_than_it_says_is_not_read_on(ask, services):
    """The length is a promise: what stands behind it belongs to no answer."""
    sent = 0

    async def serve(reader, writer):
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\n0123456789")
        with contextlib.suppress(ConnectionError):
            for _ in range(200):
                writer.write(b"x" * 65_536)
                await writer.drain()
                sent += 65_536
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    services.web_overrides |= {"connect": lambda address, asked: ("127.0.0.1", port)}
    async with server:
        reply = await ask("scrape_page", url=URL, mode="raw")
    assert reply.wire["content"] == "0123456789"
    assert sent < 12 << 20
