"""`assay crawl`: a table at the end, an end when told to stop, and crawls that outlive their process."""

import json
import os
import signal
import subprocess
import sys
import time

import httpx
import pytest
from tests.support.forked_commands import ForkedCommand, run_command

from assay.caller import Caller
from assay.context import Context
from assay.crawl.job import CRAWLS, CrawlJob
from assay.entrypoints.cli.crawl_command import read_all_pages


def page(n, links=()):
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    text = f"Otter {n} keeps stone {n} under its arm and swims upstream with it all day. " * 4
    return f"<title>Otter {n}</title><article><h1>{n}</h1><p>{text}</p></article><nav>{anchors}</nav>"


@pytest.fixture
def star(site):
    for n in range(1, 5):
        site.says(f"/{n}", page(n))
    return site.says("/0", page(0, [f"/{n}" for n in range(1, 6)]))


@pytest.fixture
def endless(site):
    """A long way on foot: page after page, each after a moment."""
    for n in range(400):
        site.says(f"/{n}", page(n, [f"/{n + 1}", f"/{n + 2}", f"/{n + 3}"]), before=lambda: time.sleep(0.05))
    return site.url + "/0"


@pytest.fixture
def run(environ):
    def run(*arguments, **more):
        return run_command("crawl", *arguments, env=os.environ | environ, text=True, **more)

    return run


def test_it_ends_with_a_table_of_the_pages(run, star):
    done = run(star)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["status", "length", "page"]
    assert [line.split()[0] for line in lines[1:7]] == ["200", "200", "200", "200", "200", "404"]
    assert "completed: 5 pages crawled, 1 failed" in done.stdout


def test_all_of_it_comes_as_json_when_asked_for(run, star):
    status = json.loads(run(star, "--json", "--max-pages", "3", "--exclude", "/1$").stdout)
    assert [row["url"][-2:] for row in status["pages"]] == ["/0", "/2", "/3"]
    assert all("keeps stone" in row["content"] for row in status["pages"])


async def test_notes_on_the_first_pages_of_many_are_shown(services):
    now = services.clock()
    times = {"created": now, "until": now + 3600, "completed": now}
    job = CrawlJob(id="0" * 32, tenant="local", url="http://otters.example/", max_depth=2, max_pages=200, units=101, status="completed", **times)  # fmt: skip
    await CRAWLS.create(services.table, job)
    for number in range(101):
        row = {"url": f"http://otters.example/{number}", "status": 200, "depth": 1, "count": {"tried": number + 1}}
        row |= {"excluded": ["http://otters.example/closed"]} if number == 0 else {}
        await services.table.put(CRAWLS.key_of(job.id), f"page/{number:06}", json.dumps(row).encode())
    status = await read_all_pages(Context(services, Caller("local", "local")), job.id, content=False)
    assert len(status["pages"]) == 101
    assert ["robots.txt excludes links" in note for note in status["notes"]] == [True]


def test_a_crawl_that_fails_says_so(run, site):
    done = run(site.url + "/nothing")
    assert done.returncode == 1
    assert "failed: 0 pages crawled, 1 failed" in done.stdout
    assert "HTTP 404" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [(), ("ftp://example.org/",), ("http://example.org/", "--include", "["), ("http://example.org/", "--max-pages", "0"),
     ("http://example.org/", "--resume", "x")],
)  # fmt: skip
def test_a_wrong_question_is_one_line_on_standard_error(run, arguments):
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert json.loads(done.stderr)["error"]["kind"] == "validation"


def test_titles_cannot_move_the_cursor(run, site):
    done = run(site.says("/", page("\x1b[2Jotter\x07")))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_it_shows_what_it_has_and_cancels(environ, endless, site, stop):
    child = start_crawl(environ, endless)
    wait_for_requests(site, 3)
    child.send_signal(stop)
    stdout, stderr = child.communicate(timeout=60)
    assert (child.returncode, stderr) == (130, "")
    assert "cancelled: " in stdout
    assert "200" in stdout


def test_what_another_process_began_is_taken_up(run, environ, star):
    call = ("call", "cinder_crawl", json.dumps({"url": star}))
    output = run_command(*call, env=os.environ | environ, text=True)
    identity = json.loads(output.stdout)["crawlId"]
    status = json.loads(run("--resume", identity, "--json").stdout)
    assert (status["status"], status["pagesCrawled"]) == ("completed", 5)


def test_a_server_that_starts_goes_on_with_what_a_killed_process_left(environ, endless, site):
    child = start_crawl(environ, endless, "--max-pages", "8")
    wait_for_requests(site, 3)
    child.kill()
    child.communicate()
    identity = find_unfinished_crawl(environ)
    server = ForkedCommand("serve", "--port", "0", env=os.environ | environ, text=True)
    try:
        url = server.stdout.readline().split()[3]
        wait_for_requests(site, 9, seconds=60)
        arguments = {"waitSeconds": "20", "limit": "3"}
        answer = httpx.get(f"{url}/v1/crawl/{identity}", params=arguments, timeout=60)
        assert answer.status_code == 200, answer.text
        status = answer.json()
        assert (status["status"], status["pagesCrawled"]) == ("completed", 8)
        assert len(status["pages"]) == 3
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


def start_crawl(environ, *arguments):
    return ForkedCommand("crawl", *arguments, "--max-depth", "10", env=os.environ | environ, text=True)


def wait_for_requests(site, requests, seconds=60):
    """Until the site was asked so often."""
    until = time.monotonic() + seconds
    while len(site.requests) < requests:
        assert time.monotonic() < until, f"{len(site.requests)} of {requests} requests came"
        time.sleep(0.02)


def find_unfinished_crawl(environ):
    """The one crawl that is not at its end."""
    program = """
import asyncio
from assay.bootstrap import build_services
from assay.crawl.job import CRAWLS
async def main():
    services = build_services()
    [[identity, _]] = await CRAWLS.list_active(services.table)
    await services.close()
    print(identity)
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environ, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()
