"""Browser lifecycle: start on demand, supervision, restart, and complete removal."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.chromium.process_tree import family, main_of
from tests.support.proc_files import read_proc, stat_fields

from assay.chromium import browser_process, launch_options
from assay.chromium.page_loader import Patience
from assay.errors import BrowserUnavailable, Network, ToolError
from assay.settings import Settings

PAGE = "<title>Well</title><p id=p></p><script>p.textContent = 'all is well'</script>"


def descriptors() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def exists(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


async def wait_until_gone(processes, seconds=60.0):
    until = time.monotonic() + seconds
    while any(map(exists, processes)) and time.monotonic() < until:
        await asyncio.sleep(0.02)
    return not any(map(exists, processes))


async def test_nothing_is_started_before_it_is_needed(browser):
    assert browser._engine is None
    await browser.close()
    assert browser._engine is None


async def test_what_is_closed_leaves_no_process_no_file_and_no_descriptor(fake_hosts, browser_of):
    url = fake_hosts.says("/page", PAGE)
    await browser_of().close()
    before = descriptors()
    for _ in range(3):
        browser = browser_of()
        await browser.render(url, settle=0.1, seconds=5)
        process = browser._engine.process
        processes = [process.supervisor.pid, *family(process.supervisor.pid)]
        assert len(processes) >= 3
        await browser.close()
        assert not any(map(exists, processes))
        assert not os.path.lexists(process.folder)
    await asyncio.sleep(0.1)
    assert descriptors() <= before + 2


async def test_thirty_renders_leave_memory_and_processes_as_they_were(fake_hosts, render, browser):
    url = fake_hosts.says("/page", PAGE + "<p>" + "word " * 20_000)

    async def measure(renders: int) -> int:
        """The least memory after one of these renders: the process of a page may remain for a moment."""
        memory = []
        for _ in range(renders):
            await render(url, settle=0.05)
            memory.append(process.memory())
        return min(memory)

    for _ in range(4):
        await render(url, settle=0.05)
    process = browser._engine.process
    memory, before = await measure(4), len(family(process.supervisor.pid))
    await measure(18)
    later = await measure(4)
    assert browser._engine.process is process
    assert later < memory * 1.1 + (24 << 20)
    assert len(family(process.supervisor.pid)) <= before + 1
    dead = {one for one in family(process.supervisor.pid) if stat_fields(one)[0] == "Z"}
    assert await wait_until_gone(dead)  # whoever has just died is buried in a moment


async def test_a_browser_that_was_killed_is_restarted(fake_hosts, render, browser):
    url = fake_hosts.says("/page", PAGE)
    await render(url)
    for _ in range(3):
        process = browser._engine.process
        main = main_of(process.supervisor.pid)
        os.kill(main, signal.SIGKILL)
        page = await render(url)
        assert "all is well" in page.html
        assert browser._engine.process is not process
        assert await wait_until_gone([process.supervisor.pid, main])
        assert not os.path.lexists(process.folder)


async def test_a_browser_killed_while_it_renders_is_our_error_and_restarted(fake_hosts, render, browser):
    url = fake_hosts.says("/page", PAGE)
    await render(url)
    waiting = asyncio.create_task(
        render(fake_hosts.says("/busy", "<script>setInterval(() => document.title = Math.random(), 5)</script>"))
    )
    await asyncio.sleep(0.3)
    os.killpg(browser._engine.process.supervisor.pid, signal.SIGKILL)
    for one in family(browser._engine.process.supervisor.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    with pytest.raises(Network):
        await waiting
    assert "all is well" in (await render(url)).html


async def test_the_end_of_the_browser_ends_the_render_of_a_page_that_never_settles(fake_hosts, browser_of):
    """The render may wait for minutes, so only the event of the closed pipe can end it within the limit here."""
    browser = browser_of(patience=Patience(restless=300))
    url = fake_hosts.says("/busy", "<script>setInterval(() => document.title = Math.random(), 5)</script>")
    waiting = asyncio.create_task(browser.render(url, settle=0.3, seconds=300))
    while not fake_hosts.requests:
        await asyncio.sleep(0.05)
    await asyncio.sleep(1)
    os.kill(main_of(browser._engine.process.supervisor.pid), signal.SIGKILL)
    with pytest.raises(Network):
        await asyncio.wait_for(waiting, 60)


async def test_a_browser_that_hangs_is_ended_and_restarted(fake_hosts, browser_of):
    browser = browser_of()
    url = fake_hosts.says("/page", PAGE)
    await browser.render(url, settle=0.1, seconds=5)
    process = browser._engine.process
    processes = family(process.supervisor.pid)
    for one in processes:
        with contextlib.suppress(ProcessLookupError):  # the last page's own ends by itself
            os.kill(one, signal.SIGSTOP)
    assert "all is well" in (await browser.render(url, settle=0.1, seconds=20)).html
    assert browser._engine.process is not process
    assert await wait_until_gone(processes)


async def test_a_browser_is_restarted_after_enough_pages_and_with_too_much_memory(fake_hosts, browser_of):
    url = fake_hosts.says("/page", PAGE)
    for renders, seams in ((3, {"max_renders": 2}), (11, {"max_memory": 1})):  # memory is measured after ten
        browser = browser_of(**seams)
        seen = set()
        for _ in range(renders):
            await browser.render(url, settle=0.02, seconds=5)
            if browser._engine:
                seen.add(browser._engine.process.supervisor.pid)
        await browser.close()
        assert len(seen) == 2


async def test_pages_in_a_spent_browser_are_rendered_to_their_end(fake_hosts, browser_of):
    browser = browser_of(max_renders=1, environ={"MAX_SCRAPE_CONCURRENCY_BROWSER": "4"})
    url = fake_hosts.says("/page", PAGE)
    pages = await asyncio.gather(*(browser.render(url, settle=0.2, seconds=8) for _ in range(8)))
    assert all("all is well" in page.html for page in pages)


async def test_an_idle_browser_is_ended(fake_hosts, browser_of):
    browser = browser_of(environ={"BROWSER_IDLE_TIMEOUT_SECONDS": "1"})
    await browser.render(fake_hosts.says("/page", PAGE), settle=0.05, seconds=5)
    processes = family(browser._engine.process.supervisor.pid)
    assert await wait_until_gone(processes)
    assert browser._engine is None


async def test_a_render_that_is_called_off_leaves_nothing(fake_hosts, browser):
    async def silent(_):
        await asyncio.sleep(30)

    url = fake_hosts.writes("/silent", silent)
    for _ in range(3):
        waiting = asyncio.create_task(browser.render(url, settle=0.1, seconds=20))
        await asyncio.sleep(0.4)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    contexts = (await browser._engine.process.pipe.send("Target.getBrowserContexts"))["browserContextIds"]
    assert contexts == []
    assert "all is well" in (await browser.render(fake_hosts.says("/page", PAGE), settle=0.1, seconds=5)).html


CHILD = """
import asyncio, sys
sys.path.insert(0, {shared!r})
from assay.chromium import browser_process, launch_options
from assay.settings import Settings

async def main():
    process = await browser_process.connect(launch_options.spawn_browser(Settings.read({{"CHROME_PATH": {chrome!r}}})))
    print(process.supervisor.pid, process.folder, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


async def test_nothing_outlives_us_however_we_end(chrome):
    shared = str(Path(browser_process.__file__).parents[2])
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(shared=shared, chrome=chrome)], stdout=subprocess.PIPE, text=True
    )
    supervisor, folder = (await asyncio.to_thread(child.stdout.readline)).split()
    processes = [int(supervisor), *family(int(supervisor))]
    assert len(processes) >= 3
    child.kill()
    child.wait()
    child.stdout.close()
    assert await wait_until_gone(processes)
    assert not os.path.lexists(folder)


async def test_the_browser_learns_nothing_of_our_environment(fake_hosts, render, browser, monkeypatch):
    monkeypatch.setenv("BRAVE_API_KEY", "secret-key")
    await render(fake_hosts.says("/page", PAGE))
    supervisor = browser._engine.process.supervisor.pid
    for process in [supervisor, *family(supervisor)]:
        environment = read_proc(process, "environ")
        assert b"secret" not in environment
        assert b"AWS_" not in environment
        assert b"ASSAY" not in environment


async def test_every_process_has_its_limits(fake_hosts, render, browser):
    await render(fake_hosts.says("/page", PAGE))
    for process in family(browser._engine.process.supervisor.pid):
        limits = read_proc(process, "limits").decode()
        assert not limits or f"Max data size             {launch_options.PROCESS_BYTES}" in limits
        assert not limits or "Max core file size        0" in limits


@pytest.mark.parametrize("path", ["/nowhere/chromium", "/bin/false", "disabled"])
async def test_without_a_browser_that_is_reported(fake_hosts, browser_of, path):
    browser = browser_of(environ={"CHROME_PATH": path})
    with pytest.raises(BrowserUnavailable) as failure:
        await browser.render("http://site.example/", settle=0.1, seconds=5)
    assert "Chrome unavailable. Set CHROME_PATH or install Chrome." in failure.value.message
    assert failure.value.kind == "browser_unavailable"


async def test_no_room_in_time_is_reported(fake_hosts, browser_of):
    browser = browser_of(environ={"MAX_SCRAPE_CONCURRENCY_BROWSER": "1"})
    url = fake_hosts.says("/busy", "<script>setInterval(() => document.title = Math.random(), 5)</script>")
    first = asyncio.create_task(browser.render(url, settle=1, seconds=4))
    await asyncio.sleep(0.5)
    with pytest.raises(ToolError) as failure:
        await browser.render(url, settle=1, seconds=0.5)
    assert failure.value.kind == "network"
    await first


def test_a_sandbox_is_kept_where_there_can_be_one():
    read_proc = launch_options.arguments(Settings.read({}), 9)
    assert ("--no-sandbox" in read_proc) == (os.geteuid() == 0)
    assert "--no-sandbox" in launch_options.arguments(Settings.read({"CHROME_SANDBOX": "false"}), 9)
    assert "--no-sandbox" in launch_options.arguments(Settings.read({"AWS_LAMBDA_FUNCTION_NAME": "x"}), 9)
