"""Pages that would keep, fill or end their browser: each ends in an answer or our error in time, and the next one renders."""

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.chromium.process_tree import renderers_of

from assay.errors import ToolError, UpstreamFailed

LIMIT = 3.5  # seconds that each may take
LONG_LIMIT = 30.0  # for a page that did not say what it has to say within LIMIT: the machine may be busy
SLACK = 60.0  # beyond which a page has kept us

ANSWERED = {  # pages that still say what they had to say
    "endless loop": "<p>otter</p><script>while (true) {}</script>",
    "loop after load": "<p>otter</p><script>onload = () => { while (true) {} }</script>",
    "loop in a timer": "<p>otter</p><script>setTimeout(() => { for (;;); }, 50)</script>",
    "loop of promises": "<p>otter</p><script>const on = () => Promise.resolve().then(on); setTimeout(on, 50)</script>",
    "loop of regular expressions": "<p>otter</p><script>/(a+)+$/.test('a'.repeat(60) + 'b')</script>",
    "alert": "<script>alert('x'); confirm('y'); prompt('z')</script><p>otter</p>",
    "alert in a loop": "<p>otter</p><script>while (true) alert('x')</script>",
    "print": "<script>print()</script><p>otter</p>",
    "beforeunload": "<p>otter</p><script>onbeforeunload = event => { event.preventDefault(); return 'stay' }</script>",
    "debugger": "<script>debugger; setInterval(() => { debugger }, 10)</script><p>otter</p>",
    "popups": "<p>otter</p><script>for (let i = 0; i < 30; i++) open('/other' + i)</script>",
    "workers": "<p>otter</p><script>for (let i = 0; i < 12; i++) new Worker(URL.createObjectURL(new Blob(['for(;;);'])))</script>",
    "download by link": "<p>otter</p><a id=a href='data:application/zip,x' download=x>x</a><script>a.click()</script>",
    "download by frame": "<p>otter</p><iframe src='/file'></iframe>",
    "downloads in a loop": "<p>otter</p><script>setInterval(() => { const a = document.createElement('a');"
    "a.href = URL.createObjectURL(new Blob(['x'.repeat(1e6)])); a.download = 'x'; a.click() }, 20)</script>",
    "changes without end": "<p>otter</p><b id=b></b><script>let n = 0; setInterval(() => { b.textContent = n++ }, 5)</script>",
    "requests without end": "<p>otter</p><script>const on = () => fetch('/none').then(on, on); on()</script>",
    "history without end": "<p>otter</p><script>setInterval(() => history.pushState(0, '', '?' + Math.random()), 5)</script>",
    "fullscreen and pointer": "<p>otter</p><script>document.body.requestFullscreen(); document.body.requestPointerLock()</script>",
    "file chooser": "<p>otter</p><input type=file id=f><script>f.click(); showOpenFilePicker && showOpenFilePicker()</script>",
    "sign in": "<p>otter</p><script>fetch('/login'); navigator.credentials.get({password: true})</script>",
    "sensors": "<p>otter</p><script>navigator.geolocation.getCurrentPosition(() => 0); Notification.requestPermission();"
    "navigator.mediaDevices && navigator.mediaDevices.getUserMedia({audio: true, video: true})</script>",
    "ten thousand nodes": "<p>otter</p><script>for (let i = 0; i < 10000; i++) document.body.append(document.createElement('p'))</script>",
    "an observer of ours deceived": "<p>otter</p><script>globalThis.assay = {quiet: () => 0, read: () => ({})};"
    "window.MutationObserver = null; JSON.stringify = () => 'x'; Object.prototype.then = 1</script>",
    "no document": "<p>otter</p><script>document.write = 0</script>",
    "a hundred thousand attributes": f"<p>otter</p><p {' '.join(f'a{number}=1' for number in range(100_000))}>x</p>",
}
ENDED = {  # pages of which little or nothing is left
    "deep nodes": "<p>otter</p><script>let at = document.body; for (let i = 0; i < 5000; i++)"
    "at = at.appendChild(document.createElement('div'))</script>",
    "navigation without end": "<p>otter</p><script>location.reload()</script>",
    "refresh without end": "<meta http-equiv=refresh content=0><p>otter</p>",
    "memory by strings": "<script>let s = 'x'.repeat(1e6), all = []; while (true) all.push(s + Math.random())</script>",
    "memory by buffers": "<script>const all = []; while (true) all.push(new Uint8Array(2 ** 26).fill(1))</script>",
    "memory by nodes": "<script>while (true) document.body.append(Object.assign(document.createElement('p'), {textContent: 'x'.repeat(1e5)}))</script>",
    "memory by pictures": "<script>for (;;) { const c = new OffscreenCanvas(8000, 8000); c.getContext('2d').fillRect(0, 0, 9, 9);"
    "(globalThis.all ||= []).push(c) }</script>",
    "document removed": "<script>document.documentElement.remove()</script>",
    "leaving for nowhere": "<script>location = 'about:blank'</script>",
}


async def ends(render, url, limit=LIMIT):
    """How it ended: the page, or our error; nothing else, and in time."""
    began = time.monotonic()
    try:
        return await render(url, settle=0.2, seconds=limit)
    except ToolError as failure:
        return failure
    finally:
        assert time.monotonic() - began < limit + SLACK


async def well(fake_hosts, render):
    page = await render(
        fake_hosts.says("/well", "<title>Well</title><p id=p></p><script>p.textContent = 'all is well'</script>")
    )
    assert (page.title, "all is well" in page.html) == ("Well", True)


def strays(browser) -> set[str]:
    """What lies where a browser may leave something: its own folder, and what it calls its own in the machine's."""
    own = [str(path) for path in Path(browser._engine.process.folder).rglob("*") if path.is_file()]
    marks = ("core", ".com.google", ".org.chromium", "com.google", "org.chromium")
    return {*own, *(name.name for name in Path("/tmp").iterdir() if name.name.startswith(marks))}


async def test_pages_that_misbehave_still_say_what_they_have_to_say(fake_hosts, render, browser):
    fake_hosts.says("/file", b"\0", content_type="application/zip")
    fake_hosts.says("/login", "", 401, www_authenticate='Basic realm="x"')
    await well(fake_hosts, render)
    before = strays(browser)
    for number, (name, html) in enumerate(ANSWERED.items()):
        url = fake_hosts.says(f"/page{number}", f"<!doctype html><body>{html}")
        page = await ends(render, url)
        if isinstance(page, ToolError) or "otter" not in page.html:
            page = await ends(render, url, LONG_LIMIT)
        assert not isinstance(page, ToolError), f"{name}: {page!r}"
        assert "otter" in page.html, name
    await well(fake_hosts, render)
    assert strays(browser) == before


async def test_pages_that_leave_nothing_end_in_our_error_or_an_answer(fake_hosts, render, browser):
    for number, (name, html) in enumerate(ENDED.items()):
        await ends(render, fake_hosts.says(f"/page{number}", f"<!doctype html><body>{html}"))
        await well(fake_hosts, render)
        assert browser._engine.process.alive, name


async def endless(writer):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>otter")
    while True:
        writer.write(b"<p>more")
        await writer.drain()
        await asyncio.sleep(0.01)


async def dribbling(writer):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9999\r\n\r\n<p>otter</p>")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.1)


async def flooding(writer):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<p>otter")
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()


async def silent(writer):
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 99\r\n\r\n")
    await writer.drain()
    await asyncio.sleep(60)


@pytest.mark.parametrize("writer", [endless, dribbling, flooding])
async def test_a_body_without_end_is_read_as_far_as_there_is_time(fake_hosts, render, writer):
    page = await ends(render, fake_hosts.writes("/body", writer))
    # so much text in one line may cost the page its renderer
    assert (
        isinstance(page, UpstreamFailed) if writer is flooding and isinstance(page, ToolError) else "otter" in page.html
    )
    await well(fake_hosts, render)


async def test_a_picture_that_never_comes_does_not_keep_the_page(fake_hosts, render):
    fake_hosts.writes("/picture", silent)
    began = time.monotonic()
    url = fake_hosts.says("/page", "<p>otter</p><img src=/picture><script>1</script>")
    page = await ends(render, url, LONG_LIMIT)
    assert "otter" in page.html
    assert time.monotonic() - began < LONG_LIMIT


async def test_fifty_megabytes_are_cut(fake_hosts, render):
    fake_hosts.says("/large", b"<title>Large</title><p>" + b"word " * 10_000_000)
    page = await ends(render, "http://site.example/large")
    assert isinstance(page, UpstreamFailed) or page.truncated
    await well(fake_hosts, render)


async def test_more_bytes_than_a_render_may_take_are_not_taken(fake_hosts, render):
    async def much(writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
        with_room = b"x" * (1 << 20)
        for _ in range(200):
            writer.write(with_room)
            await writer.drain()
            fake_hosts.sent = getattr(fake_hosts, "sent", 0) + 1

    fake_hosts.writes("/much", much)
    page = await ends(
        render, fake_hosts.says("/page", "<p>otter</p><script>fetch('/much').then(r => r.blob())</script>")
    )
    assert page.truncated
    assert fake_hosts.sent < 100


async def test_a_crash_is_reported_and_the_next_page_renders(fake_hosts, render, browser):
    await well(fake_hosts, render)
    before, process = strays(browser), browser._engine.process
    fake_hosts.writes("/running", silent)
    for number in range(3):
        script = f"fetch('/running?{number}'); setInterval(() => {{ document.body.append('x') }}, 5)"
        task = asyncio.create_task(ends(render, fake_hosts.says("/page", f"<p>x<script>{script}</script>")))
        await has_requested(fake_hosts, f"site.example/running?{number}")
        for renderer in renderers_of(process.supervisor.pid):
            with suppress(ProcessLookupError):
                os.kill(renderer, signal.SIGSEGV)
        assert isinstance(await task, ToolError)
        await well(fake_hosts, render)
    assert strays(browser) == before
    assert browser._engine.process is process


async def has_requested(fake_hosts, place):
    """Wait until the page's script runs, which shows that a renderer has the page."""
    async with asyncio.timeout(LONG_LIMIT):
        while place not in fake_hosts.requests:
            await asyncio.sleep(0.005)
