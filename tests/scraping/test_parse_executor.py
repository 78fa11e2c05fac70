"""Parse executors: inline, in a thread, or in worker processes that can crash without harm."""

import asyncio
import os
import subprocess
import sys
import threading
import time

import pytest
from tests.support.pages import article, html
from tests.support.proc_files import children_of, is_running, read_proc

from assay.errors import CorruptDocument, ToolError, UpstreamFailed
from assay.scraping.parse_executor import INLINE, INLINE_BYTES, ProcessExecutor


async def test_a_small_page_is_read_on_the_loop_and_a_large_one_beside_it():
    assert await INLINE(threading.get_ident, size=10) == threading.get_ident()
    assert await INLINE(threading.get_ident, size=INLINE_BYTES + 1) != threading.get_ident()


async def test_processes_read_while_the_loop_goes_on():
    readers = ProcessExecutor(2)
    try:
        pids = await asyncio.gather(*(readers(os.getpid, size=1) for _ in range(8)))
        assert os.getpid() not in pids
    finally:
        readers.close()


async def test_a_page_that_kills_its_reader_is_one_error_and_the_next_is_read():
    readers = ProcessExecutor(1)
    try:
        deadly, innocent = await asyncio.gather(
            readers(os._exit, 1, size=1), readers(len, "four", size=1), return_exceptions=True
        )
        assert isinstance(deadly, UpstreamFailed)
        assert innocent == 4
        assert await readers(len, "still", size=1) == 5
    finally:
        readers.close()


async def test_an_error_comes_back_as_it_was_raised():
    readers = ProcessExecutor(1)
    try:
        with pytest.raises(ValueError, match="invalid literal"):
            await readers(int, "x", size=1)
    finally:
        readers.close()


ENDLESS = (sum, range(10**13))  # computes for days and hears nobody
LOGIN = "<form><h1>Log in</h1><p>Please log in to continue.</p><input type=password></form>"


async def test_a_page_that_loops_for_ever_is_ended_with_its_process():
    readers = ProcessExecutor(1, seconds=0.5)
    try:
        with pytest.raises(CorruptDocument, match=r"within 0\.5 seconds"):
            await readers(*ENDLESS, size=1)
        assert await readers(len, "next", size=1) == 4
        await settle(lambda: len(workers()) == 1)
    finally:
        readers.close()
    await settle(lambda: not workers())


async def test_ordinary_pages_of_others_go_on_beside_the_endless_pages_of_one():
    readers = ProcessExecutor(1, seconds=120, slow=0.2)
    hostile = [asyncio.create_task(readers.on_behalf_of("mallory")(*ENDLESS, size=1)) for _ in range(20)]
    try:
        async with asyncio.timeout(100):
            for number in range(5):
                assert await readers.on_behalf_of("ada")(len, "x" * number, size=1) == number
        assert not any(task.done() for task in hostile)
        assert len(workers()) <= 4
    finally:
        for task in hostile:
            task.cancel()
        await asyncio.gather(*hostile, return_exceptions=True)
        readers.close()


async def test_ordinary_pages_of_the_same_caller_go_on_beside_a_slow_one():
    readers = ProcessExecutor(1, seconds=120, slow=0.2)
    slow = asyncio.create_task(readers(*ENDLESS, size=1))
    try:
        async with asyncio.timeout(100):
            assert await readers(len, "quick", size=1) == 5
        assert not slow.done()
    finally:
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)
        readers.close()


async def test_a_page_that_nobody_waits_for_any_more_is_ended(monkeypatch):
    monkeypatch.setattr("assay.scraping.parse_executor.ABANDONED_SECONDS", 0.1)
    readers = ProcessExecutor(1)
    try:
        assert await readers(len, "", size=1) == 0
        (first,) = workers()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await readers(*ENDLESS, size=1)
        await settle(lambda: first not in workers())
    finally:
        readers.close()


async def test_closing_ends_every_process_whatever_it_reads():
    readers = ProcessExecutor(2)
    busy = [asyncio.create_task(readers(*ENDLESS, size=1)) for _ in range(2)]
    assert await readers.on_behalf_of("ada")(len, "", size=1) == 0
    began = time.monotonic()
    readers.close()
    ended = await asyncio.gather(*busy, return_exceptions=True)
    assert all(isinstance(each, CorruptDocument) for each in ended)
    assert time.monotonic() - began < 60
    await settle(lambda: not workers())


def test_a_reader_does_not_outlive_a_server_that_is_killed(tmp_path):
    server = (
        "import asyncio\nfrom assay.scraping.parse_executor import ProcessExecutor\n"
        "async def main():\n"
        "    readers = ProcessExecutor(1)\n"
        "    work = asyncio.create_task(readers(sum, range(10**13), size=1))\n"
        "    await readers.on_behalf_of('ada')(len, '', size=1)\n"
        "    print(*[worker.process.pid for worker in readers._busy], flush=True)\n"
        "    await work\n"
        "asyncio.run(main())\n"
    )
    process = subprocess.Popen([sys.executable, "-c", server], stdout=subprocess.PIPE, text=True)
    reader = int(process.stdout.readline())
    process.kill()
    process.communicate()
    until = time.monotonic() + 60
    while time.monotonic() < until and is_running(reader):
        time.sleep(0.05)
    assert not is_running(reader)


async def test_pages_come_whole_out_of_a_process(services, site):
    services.readers = ProcessExecutor(1)
    page = await services.scrape.read(site.says("/weir", article()))
    assert "weir" in page.content
    snapshot = await services.scrape.fetch_snapshot(site.says("/weir", article()), markup=True)
    assert "<html" in snapshot.markup.lower()
    with pytest.raises(ToolError, match="login"):
        await services.scrape.read(site.says("/in", html(LOGIN, "<title>Log in</title>")))


async def settle(holds):
    until = time.monotonic() + 60
    while not holds() and time.monotonic() < until:
        await asyncio.sleep(0.02)
    assert holds()


def workers():
    """Reader processes of this one that run."""
    return [one for one in children_of(os.getpid()) if b"reader_worker" in read_proc(one, "cmdline")]
