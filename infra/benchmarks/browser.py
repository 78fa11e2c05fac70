"""Compare the cost of rendering a page with Playwright on the same Chromium, in interleaved rounds.

    .venv/bin/python infra/benchmarks/browser.py [--peer VENV/bin/python] [--rounds 15] [--many 500] [--image]

`--peer` is a Python interpreter with playwright installed (its own browser is not needed). `--many` renders one page
that many times and reports memory and processes; `--image` runs the function under the Lambda emulator with a
read-only root file system.
"""

import argparse
import asyncio
import json
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from assay.chromium import browser_process, launch_options
from assay.chromium.browser import Chromium
from assay.chromium.proxy import Proxy
from assay.settings import Settings

TEXT = "<p>" + "Otters hold hands while they sleep so that the river does not part them. " * 200
PAGES = {
    "/static": f"<!doctype html><title>static</title><h1>Otters</h1>{TEXT}",
    "/built": "<!doctype html><title>built</title><div id=root></div><script>setTimeout(async () => {"
    "root.innerHTML = await (await fetch('/api')).text(); document.title = 'done' }, 200)</script>",
    "/endless": "<!doctype html><title>endless</title><div id=list></div><div id=end>…</div><script>let rows = 0;"
    "const add = () => { for (let i = 0; i < 20; i++) { const row = document.createElement('p'); row.style.height ="
    "'90px'; row.textContent = 'row ' + rows++; list.append(row) } }; add(); new IntersectionObserver(async seen => {"
    "if (seen[0].isIntersecting && rows < 100) { await fetch('/api'); add() } }).observe(end)</script>",
    "/api": TEXT,
    "/many": "<!doctype html><title>many</title><script>onload = async () => { const from = performance.now();"
    "await Promise.all([...Array(100).keys()].map(n => fetch('/api?' + n).then(r => r.text())));"
    "document.title = performance.now() - from }</script>",
}
PLAYWRIGHT_PROGRAM = """
import asyncio, json, os, sys, time
began = time.perf_counter()
from playwright.async_api import async_playwright

def process_tree(pid):
    found = [pid]
    for each in open(f"/proc/{pid}/task/{pid}/children").read().split():
        found += process_tree(int(each))
    return found

def memory_of(pid):
    try:
        lines = open(f"/proc/{pid}/smaps_rollup")
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except OSError:
        return 0

async def render(browser, url, kind):
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url, wait_until="load" if kind == "static" else "networkidle")
    if kind == "endless":
        for _ in range(12):
            await page.mouse.wheel(0, 100000)
            await page.wait_for_timeout(60)
    html = await page.content()
    await context.close()
    return html

async def main():
    path, url, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        html = await render(browser, url + "/static", "static")
        figures = {"first": (time.perf_counter() - began) * 1000}
        for kind in ("static", "built", "endless"):
            times = []
            for _ in range(rounds):
                since = time.perf_counter()
                html = await render(browser, f"{url}/{kind}", kind)
                times.append((time.perf_counter() - since) * 1000)
            figures[kind] = sorted(times)[len(times) // 2]
            figures[kind + "_rows"] = html.count("<p")
        figures["memory"] = sum(map(memory_of, process_tree(os.getpid()))) - memory_of(os.getpid())
        await browser.close()
    print(json.dumps(figures))

asyncio.run(main())
"""
ASSAY_PROGRAM = """
import asyncio, json, sys, time
began = time.perf_counter()
sys.path.insert(0, sys.argv[4])
from assay.chromium.browser import Chromium
from assay.settings import Settings

def memory_of(pid):
    return next(int(line.split()[1]) * 1024 for line in open(f"/proc/{pid}/smaps_rollup") if line.startswith("Pss:"))

async def main():
    path, url, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    chromium = Chromium(Settings.read({"CHROME_PATH": path, "ALLOW_PRIVATE_IPS": "true"}))
    await chromium.render(url + "/static", settle=0.5, seconds=20)
    figures = {"first": (time.perf_counter() - began) * 1000}
    for kind in ("static", "built", "endless"):
        times = []
        for _ in range(rounds):
            since = time.perf_counter()
            page = await chromium.render(f"{url}/{kind}", settle=0.5, seconds=20)
            times.append((time.perf_counter() - since) * 1000)
        figures[kind] = sorted(times)[len(times) // 2]
        figures[kind + "_rows"] = page.html.count("<p")
    process = chromium._engine.process
    figures["memory"] = process.memory() + memory_of(process.supervisor.pid)
    await chromium.close()
    print(json.dumps(figures))

asyncio.run(main())
"""


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ")[1].decode().partition("?")[0]
            body = PAGES.get(path, "").encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        writer.close()


async def run(python: str, script: str, *arguments: str) -> dict[str, float]:
    child = await asyncio.create_subprocess_exec(
        python, "-c", script, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, wrong = await child.communicate()
    if child.returncode:
        raise RuntimeError(wrong.decode()[-2000:])
    figures: dict[str, float] = json.loads(out)
    return figures


async def compare(path: str, peer: str | None, rounds: int) -> None:
    """Measure Assay and the peer three times in turn; print the median of each."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    shared = str(Path(browser_process.__file__).parents[2])
    assay_runs, peer_runs = [], []
    for _ in range(3):
        assay_runs.append(await run(sys.executable, ASSAY_PROGRAM, path, url, str(rounds), shared))
        if peer:
            peer_runs.append(await run(peer, PLAYWRIGHT_PROGRAM, path, url, str(rounds)))
    server.close()
    print(f"{'':24}{'assay':>10}{'playwright':>12}{'ratio':>8}")
    for name in assay_runs[0]:
        assay = statistics.median(run_figures[name] for run_figures in assay_runs)
        peer_value = statistics.median(run_figures[name] for run_figures in peer_runs) if peer_runs else float("nan")
        scale, unit = (1 << 20, "MB") if name == "memory" else (1, "") if name.endswith("rows") else (1, "ms")
        print(f"{name + ' ' + unit:24}{assay / scale:10.0f}{peer_value / scale:12.0f}{assay / peer_value:8.2f}")


async def measure_proxy(path: str, rounds: int) -> None:
    """Measure a hundred HTTPS requests of a page with and without the proxy, in turn."""
    import trustme

    authority, context = trustme.CA(), ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/many"
    settings = Settings.read({"CHROME_PATH": path, "ALLOW_PRIVATE_IPS": "true"})
    chromium = Chromium(settings)
    words = [*launch_options.arguments(settings, 9), "--ignore-certificate-errors", "--no-proxy-server"]
    words = [word for word in words if not word.startswith(("--proxy", "--host-resolver"))]
    process = await browser_process.connect(launch_options.spawn_browser(settings, lambda *_: words))
    times: dict[bool, list[float]] = {True: [], False: []}
    async with Proxy(chromium._gate) as proxy:  # noqa: SLF001
        for turn in range(2 * rounds):
            by = bool(turn % 2)
            proxy_options = (
                {"proxyServer": f"http://127.0.0.1:{proxy.port}", "proxyBypassList": "<-loopback>"} if by else {}
            )
            times[by].append(await measure_requests(process, url, proxy_options))
    await process.end()
    server.close()
    with_one, without = statistics.median(times[True]), statistics.median(times[False])
    print(f"100 https requests: {without:.0f} ms without the proxy, {with_one:.0f} by it, {with_one - without:+.0f} ms")


async def measure_requests(process: browser_process.Process, url: str, proxy_options: dict[str, str]) -> float:
    """Return the milliseconds that the page measured."""
    pipe = process.pipe
    context = (await pipe.send("Target.createBrowserContext", **proxy_options))["browserContextId"]
    target = (await pipe.send("Target.createTarget", url=url, browserContextId=context))["targetId"]
    session = (await pipe.send("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
    while True:
        reply = await pipe.send("Runtime.evaluate", session, expression="document.title")
        try:
            return float(reply["result"].get("value", ""))
        except ValueError:
            await asyncio.sleep(0.02)


async def measure_many(path: str, count: int) -> None:
    """Render one page many times; memory and process count must not grow."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/built"
    chromium = Chromium(Settings.read({"CHROME_PATH": path, "ALLOW_PRIVATE_IPS": "true"}), max_renders=count + 1)
    for number in range(1, count + 1):
        await chromium.render(url, settle=0.05, seconds=20)
        if number in (1, 10) or number % max(1, count // 5) == 0:
            process = chromium._engine.process  # noqa: SLF001
            alive = len(browser_process._session(process.supervisor.pid))  # noqa: SLF001
            print(f"{number:5} renders: {process.memory() >> 20} MB, {alive} processes")
    await chromium.close()
    server.close()


def measure_in_emulator(rounds: int) -> None:
    """Measure first and warm calls of the function in its image's root."""
    import http.server
    import threading

    from infra.scripts import browser_image

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = PAGES.get(self.path, "").encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    code = Path(__file__).parents[2] / "tests/lambda/rendering"
    event = {"url": "http://site.example/static", "settle": 0.5, "seconds": 20}
    with tempfile.TemporaryDirectory() as folder:
        layer, firsts, warm = browser_image.build_layer(Path(folder)), [], []
        for _ in range(5):
            with browser_image.running(layer, {"PORT": str(server.server_port)}, code) as function:
                for _ in range(rounds):
                    answer = function.call(event)
                    assert answer["rendered"]["title"] == "static", function.log()
                firsts.append(function.took[0])
                warm += function.took[1:]
    print(f"first call {statistics.median(firsts):.0f} ms, warm static {statistics.median(warm):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer")
    parser.add_argument("--chrome", default=launch_options.executable(Settings.read({})))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--many", type=int, default=0)
    parser.add_argument("--image", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    if options.many:
        asyncio.run(measure_many(options.chrome, options.many))
    elif options.image:
        measure_in_emulator(options.rounds)
    else:
        asyncio.run(compare(options.chrome, options.peer, options.rounds))
        asyncio.run(measure_proxy(options.chrome, options.rounds))
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
