"""The local server: whom it answers, what it shows, how it ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
from tests.support.forked_commands import ForkedCommand

from assay.entrypoints.http.local_server import next_steps
from assay.entrypoints.http.rest import ROUTES
from assay.toolkit import tool_registry


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`assay serve` as a process of its own; the address it says it listens on."""
    home = str(tmp_path_factory.mktemp("home"))
    with process(
        {"ASSAY_HOME": home, "ALLOW_PRIVATE_IPS": "true", "ASSAY_READERS": "1", "ASSAY_UNCONFIGURED_TOOLS": "show"}
    ) as (_, url):
        yield url


def serve(environ: dict[str, str], **more: int) -> ForkedCommand:
    return ForkedCommand("serve", "--port", "0", env=os.environ | environ, text=True, **more)


class process:
    def __init__(self, environ: dict[str, str]) -> None:
        self._environ = environ

    def __enter__(self) -> tuple[ForkedCommand, str]:
        self.child = serve(self._environ, stderr=subprocess.DEVNULL)
        return self.child, self.child.stdout.readline().split()[3]

    def __exit__(self, *_: object) -> None:
        self.child.send_signal(signal.SIGTERM)
        self.child.communicate(timeout=60)


def test_it_shows_what_there_is(server):
    names = [card["name"] for card in httpx.get(server + "/tools", timeout=60).json()["tools"]]
    assert names == list(tool_registry.tool_names())
    document = httpx.get(server + "/openapi.json", timeout=60).json()
    routes = {route.path for route in ROUTES} | {"/v1/calls/{id}"}
    assert set(document["paths"]) == {f"/tools/{name}" for name in names} | routes
    operations = [each["operationId"] for path in document["paths"].values() for each in path.values()]
    assert len(operations) == len(set(operations))
    assert not re.search(r'"#/\$defs', json.dumps(document))
    assert httpx.get(server + "/health/live", timeout=60).json()["status"] == "live"
    ready = httpx.get(server + "/health/ready", timeout=60).json()
    assert ready["status"] == "ready"
    assert set(ready["breakers"].values()) == {"closed"}


@pytest.mark.parametrize(
    "path",
    ["/", "/health/live", "/health/ready", "/tools", "/openapi.json", "/console", "/console/tools", "/docs/connect"],
)
def test_what_is_read_can_be_asked_for_without_its_body(server, path):
    head, whole = httpx.head(server + path, timeout=60), httpx.get(server + path, timeout=60)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == whole.headers["content-length"]


def test_a_tool_is_called_by_post(server, article):
    answer = httpx.post(server + "/tools/scrape_page", json={"url": article}, timeout=60)
    assert answer.status_code == 200
    assert "Otters" in answer.json()["content"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "[::1"}, 421),
        ({"host": ""}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost.evil.example"}, 403),
        ({"origin": "http://localhost:3000"}, 200),
        ({"host": "localhost:8787"}, 200),
    ],
)
def test_pages_from_elsewhere_cannot_reach_it(server, headers, status):
    answer = httpx.get(server + "/tools", headers=headers, timeout=60)
    assert answer.status_code == status
    if status != 200:
        assert answer.json()["error"]["message"]


def exchange(server: str, raw: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", int(server.rsplit(":", 1)[1])), timeout=60) as wire:
        wire.sendall(raw)
        wire.settimeout(30)
        answer = b""
        try:
            while chunk := wire.recv(65536):
                answer += chunk
        except TimeoutError:
            pass
        return answer


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /tools HTTP/1.1\r\nconnection: close\r\n\r\n",
        b"GET /tools HTTP/1.1\r\nhost: 127.0.0.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n",
        b"POST /tools/scrape_page HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 99999999\r\nconnection: close\r\n\r\n",
        b"POST /tools/scrape_page HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: -5\r\nconnection: close\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"POST /tools/scrape_page HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: 3\r\n\r\n\xff\xfe\x00",
    ],
)
def test_broken_requests_are_4xx(server, raw):
    answer = exchange(server, raw)
    assert re.match(rb"HTTP/1.1 4\d\d ", answer)
    assert b"Traceback" not in answer


def test_a_body_without_end_is_stopped_at_the_cap(server):
    def endless() -> Iterator[bytes]:
        for _ in range(20):
            yield b"x" * 1_000_000

    answer = httpx.post(server + "/tools/scrape_page", content=endless(), timeout=60)
    assert answer.status_code == 413


def test_a_call_in_flight_ends_well_when_the_server_is_told_to_stop(environ, site, article):
    release = threading.Event()
    site.pages["/otters"].before = lambda: release.wait(10)
    answers = []
    with process(environ) as (child, url):
        asking = threading.Thread(
            target=lambda: answers.append(httpx.post(url + "/tools/scrape_page", json={"url": article}, timeout=60))
        )
        asking.start()
        while not site.requests:
            time.sleep(0.01)
        child.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        release.set()
        asking.join()
    assert answers[0].status_code == 200
    assert child.returncode == 0


def test_its_address_tells_a_person_what_it_is_and_how_to_connect(server):
    answer = httpx.get(server + "/", timeout=60)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert f"claude mcp add --transport http assay {server}/mcp" in answer.text
    assert "<script" not in answer.text


def test_each_call_is_a_line_and_the_next_step_is_reported(environ, article):
    child = serve(environ)
    first, *steps = (child.stdout.readline() for _ in range(4))  # communicate would miss what is buffered here
    url = first.split()[3]
    httpx.post(url + "/tools/scrape_page", json={"url": article}, timeout=60)
    httpx.post(url + "/tools/scrape_page", json={"url": "ftp://example.org/"}, timeout=60)
    child.send_signal(signal.SIGTERM)
    _, stderr = child.communicate(timeout=60)
    assert f"claude mcp add --transport http assay {url}/mcp" in "".join(steps)
    well, wrong = stderr.splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d scrape_page ok \d+\.\d\d s https.*", well)
    assert " scrape_page validation " in wrong
    assert "otters" not in stderr


def test_the_next_step_has_the_key_where_one_is_needed():
    lines = next_steps("127.0.0.1:8787", needs_key=True).splitlines()
    assert [line.split()[0] for line in lines if "Authorization: Bearer $ASSAY_KEY" in line] == ["Try:", "Connect:"]
    assert "Authorization" not in next_steps("127.0.0.1:8787", needs_key=False)


def test_told_to_stop_as_soon_as_it_listens_it_stops(environ):
    command = [sys.executable, "-m", "assay.entrypoints.cli.main", "serve", "--port", "0"]
    child = subprocess.Popen(
        command, env=os.environ | environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=60)
    assert child.returncode == 0


def test_a_request_that_cannot_be_read_is_not_a_line_of_the_log(environ):
    child = serve(environ)
    url = child.stdout.readline().split()[3]
    assert b" 400 " in exchange(url, b"nonsense\r\n\r\n")
    child.send_signal(signal.SIGTERM)
    _, stderr = child.communicate(timeout=60)
    assert "Invalid HTTP request" not in stderr
