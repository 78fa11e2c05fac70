"""What reaches the local server before it is a request, and what never becomes one."""

import asyncio
import gc
import http.client
import json
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import uvicorn

from assay.entrypoints.http.http_protocol import HEAD_BYTES, LimitedHttpProtocol
from assay.entrypoints.http.local_server import create_app, listen
from assay.errors import ConfigError


class ShortTimeoutProtocol(LimitedHttpProtocol):
    seconds = 0.2


@pytest_asyncio.fixture
async def port(services) -> AsyncIterator[int]:
    """A server that waits a fifth of a second for a request."""
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(create_app(services), http=ShortTimeoutProtocol, ws="none", log_level="error")
    )
    serving = asyncio.create_task(server.serve([listening]))
    yield listening.getsockname()[1]
    server.should_exit = True
    await serving


async def exchange(port: int, raw: bytes) -> tuple[int, dict]:
    """The status and the object that come back before the server hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(raw)
    answer = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


HEAD = b"POST /tools/read_artifact HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"


@pytest.mark.parametrize("raw", [b"", HEAD, HEAD + b"content-length: 9\r\n\r\n{"], ids=["silence", "a head", "a body"])
async def test_a_request_that_never_ends_is_hung_up_on(port, raw):
    status, answer = await exchange(port, raw)
    assert status == 408
    assert answer["error"]["retryable"] is True


@pytest.mark.parametrize("path", ["/tools/scrape_page", "/mcp", "/none"])
async def test_a_client_that_sends_all_of_a_large_body_reads_why_it_is_refused(port, path):
    def send() -> tuple[int, dict]:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        client.request("POST", path, b"a" * 12_000_000, {"content-type": "application/json"})
        with client.getresponse() as response:
            return response.status, json.loads(response.read())

    status, answer = await asyncio.to_thread(send)
    assert status == 413
    assert "over 10 MB" in answer["error"]["message"]


async def test_what_follows_a_refused_body_is_no_request(port, services):
    calls = []
    services.observers.append(calls.append)
    body = b"a" * 300_000
    head = b"POST /tools/scrape_page HTTP/1.1\r\nhost: evil.example\r\ncontent-length: %d\r\n\r\n" % len(body)
    again = HEAD.replace(b"read_artifact", b"scrape_page") + b"content-length: 2\r\n\r\n{}"
    status, _ = await exchange(port, head + body + again)
    assert (status, calls) == (421, [])


async def test_a_body_that_never_ends_is_not_read_for_ever(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD + b"content-length: 99999999\r\n\r\n{")
    assert b" 413 " in await asyncio.wait_for(reader.read(), 60)
    with pytest.raises(ConnectionError):
        await asyncio.wait_for(send_for_ever(writer), 60)
    writer.close()


async def send_for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"a")
        await writer.drain()
        await asyncio.sleep(0.02)


async def test_a_call_may_take_longer_than_a_request_may_take_to_arrive(port, site, article):
    site.pages["/otters"].before = lambda: time.sleep(0.6)
    body = json.dumps({"url": article}).encode()
    status, answer = await exchange(
        port, HEAD.replace(b"read_artifact", b"scrape_page") + b"content-length: %d\r\n\r\n" % len(body) + body
    )
    assert status == 200
    assert "Otters" in answer["content"]


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\xfc", 400),
        (HEAD + b"content-length: -5\r\n\r\n", 400),
        (HEAD + b"content-length: 3\r\ncontent-length: 4\r\n\r\n{ }", 400),
        (HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n", 400),
        (HEAD + b"x-load: " + b"a" * (HEAD_BYTES + 1) + b"\r\n\r\n", 431),
        (HEAD + b"x-load: " + b"a" * HEAD_BYTES, 431),
        (b"GET /" + b"a" * HEAD_BYTES + b" HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", 431),
    ],
)
async def test_what_is_not_a_request_is_reported_in_the_envelope(port, raw, status):
    result, answer = await exchange(port, raw)
    assert result in (status, 400)
    assert answer["error"]["kind"] == "validation"


@pytest.mark.parametrize(
    "path", ["/nope", "/tools/", "/tools/web_search/", "/tools/web_search/x", "/tools/../tools", "/health", "*"]
)
async def test_an_address_that_is_not_here_is_reported_in_the_envelope(port, path):
    for method in ("GET", "PUT", "OPTIONS", "DELETE", "PATCH", "POST"):
        status, answer = await exchange(
            port, HEAD.replace(b"POST /tools/read_artifact", f"{method} {path}".encode()) + b"\r\n"
        )
        assert (status, answer["error"]["kind"]) == (404, "not_found"), method


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", "/tools"), ("GET", "/tools/web_search"), ("OPTIONS", "/tools/web_search"), ("POST", "/health/live")],
)
async def test_a_method_that_is_not_taken_is_reported_in_the_envelope(port, method, path):
    status, answer = await exchange(
        port, HEAD.replace(b"POST /tools/read_artifact", f"{method} {path}".encode()) + b"\r\n"
    )
    assert (status, answer["error"]["kind"]) == (405, "validation")
    assert ("POST" if "web_search" in path else "GET") in answer["error"]["message"]


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_not_a_failure_of_ours(port, caplog):
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD + b"content-length: 9\r\n\r\n{")
    await writer.drain()
    await asyncio.sleep(0.05)
    writer.close()
    assert (await exchange(port, HEAD + b"content-length: 2\r\n\r\n{}"))[0] == 400
    assert "Traceback" not in caplog.text


async def test_a_port_that_cannot_be_listened_on_is_reported_and_not_waited_for(port):
    for wrong in (port, 99999):
        with pytest.raises(ConfigError, match=str(wrong)):
            listen("127.0.0.1", wrong)


async def test_connections_that_are_refused_leave_nothing_behind(port):
    for _ in range(40):
        status, _ = await exchange(port, HEAD + b"x-load: " + b"a" * HEAD_BYTES + b"\r\n\r\n")
        assert status == 431
    await asyncio.sleep(0.1)
    gc.collect()
    assert sum(isinstance(one, LimitedHttpProtocol) for one in gc.get_objects()) < 5


async def test_a_page_of_the_console_names_the_methods_it_takes(port):
    status, answer = await exchange(port, HEAD.replace(b"POST /tools/read_artifact", b"PUT /console") + b"\r\n")
    assert (status, answer["error"]["message"]) == (405, "'/console' does not accept PUT; use GET, HEAD.")
