"""Measure the pages of the console in headless Chromium: time to the first paint, weight, and time of the server.

    uv run python infra/benchmarks/console.py [--rounds 5] [--page /console/tools ...]

A local server without keys and without data is started on loopback. Each round opens every page with an empty cache of
the browser; the first round warms the server up and does not count. Times are medians in milliseconds, weight is what
was transferred, compressed as it was sent. Expected: at most 300 ms on an idle machine, and 150 KB.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

import uvicorn

from assay.bootstrap import local_services
from assay.chromium.browser_process import connect
from assay.chromium.cdp import Pipe
from assay.chromium.launch_options import QUIET, spawn_browser
from assay.entrypoints.console.page_table import PAGES
from assay.entrypoints.http.local_server import create_app
from assay.settings import Settings

CHROMIUM = Path(__file__).parents[2] / ".tools/chromium/bin/chromium-headless-shell"
SAMPLES = ("/console/tools/web_search", "/docs/operations/audit_bibliography")  # of pages with a part to fill in
MOST_MS, MOST_KB = 300, 150
TIMES = """(async () => {
  const paint = () => performance.getEntriesByName('first-contentful-paint')[0];
  while (!paint()) await new Promise((resolve) => setTimeout(resolve, 10));
  const {responseEnd, requestStart} = performance.getEntriesByType('navigation')[0];
  return [paint().startTime, responseEnd - requestStart];
})()"""


class Measurement(NamedTuple):
    first_paint: float  # in milliseconds since the navigation began
    server: float
    weight: int  # in bytes


class MeasuredTab:
    """A tab that adds up what it receives."""

    def __init__(self, pipe: Pipe, session: str) -> None:
        self._pipe, self._session = pipe, session
        self._loaded, self._bytes = asyncio.Event(), 0
        pipe.listeners[session] = self._note

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded.set()
        elif method == "Network.loadingFinished":
            self._bytes += int(params["encodedDataLength"])

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        return await self._pipe.send(method, self._session, **params)

    async def measure(self, address: str) -> Measurement:
        """Open the page with an empty cache."""
        await self.send("Network.clearBrowserCache")
        self._loaded.clear()
        self._bytes = 0
        async with asyncio.timeout(30):
            await self.send("Page.navigate", url=address)
            await self._loaded.wait()
            answer = await self.send("Runtime.evaluate", expression=TIMES, awaitPromise=True, returnByValue=True)
        first_paint, server = answer["result"]["value"]
        return Measurement(first_paint, server, self._bytes)


async def measure_pages(address: str, pages: list[str], rounds: int) -> dict[str, list[Measurement]]:
    """The measurements of each page, without the first round."""
    settings = Settings.read({"CHROME_PATH": str(CHROMIUM)})
    process = await connect(spawn_browser(settings, lambda *_: [*QUIET, "--no-sandbox", "--disable-dev-shm-usage"]))
    try:
        target = await process.pipe.send("Target.createTarget", url="about:blank")
        attached = await process.pipe.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        tab = MeasuredTab(process.pipe, attached["sessionId"])
        for domain in ("Page", "Network", "Runtime"):
            await tab.send(f"{domain}.enable")
        seen: dict[str, list[Measurement]] = {page: [] for page in pages}
        for number in range(rounds + 1):
            for page in pages:
                measurement = await tab.measure(address + page)
                if number:
                    seen[page].append(measurement)
        return seen
    finally:
        await process.end()


def serve(home: str) -> tuple[uvicorn.Server, threading.Thread, str]:
    """A local server in a thread of its own."""
    services = local_services(Settings.read({"ASSAY_HOME": home}))
    server = uvicorn.Server(uvicorn.Config(create_app(services), port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    return server, thread, f"http://127.0.0.1:{port}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", action="append")
    options = parser.parse_args()
    pages = options.page or [one.path for one in PAGES if one.method == "GET" and "{" not in one.path] + list(SAMPLES)
    with tempfile.TemporaryDirectory() as home:
        server, thread, address = serve(home)
        try:
            seen = asyncio.run(measure_pages(address, pages, options.rounds))
        finally:
            server.should_exit = True
            thread.join()
    is_fine = True
    print(f"{'page':45}{'first paint':>12}{'server':>9}{'weight':>10}")
    for page, rows in seen.items():
        first_paint, server_time = (statistics.median(one[place] for one in rows) for place in (0, 1))
        weight = max(one.weight for one in rows) / 1000
        is_fine &= first_paint <= MOST_MS and weight <= MOST_KB
        print(f"{page:45}{first_paint:9.0f} ms{server_time:6.0f} ms{weight:7.1f} KB")
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
