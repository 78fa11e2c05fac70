"""Measure the pages of the console: time and reads of the server, first paint in headless Chromium, and weight.

    uv run python infra/benchmarks/console.py [--rounds 5] [--page /console/tools ...]
    uv run python infra/benchmarks/console.py --large [--share 0.1] [--dynamodb]

A local server without keys is started on loopback, whose user has one thing of each kind. With --large the store has
what a large deployment has: 10,000 sessions of 200 tenants, a million calls of history, and of the user 50 sessions
(one with 200 steps), 10,000 memories, 1,000 failed jobs and 100 watches; --share makes less of it. With --dynamodb the
rows are in an engine that speaks DynamoDB, and Chromium is left out, since the engine's own time would be measured.

Each round opens every page with an empty cache of the browser; the first round warms the server up and does not count.
Times are medians and the longest in milliseconds, weight is what was transferred, compressed as it was sent, without
what draws charts. Expected on an idle machine: a first paint within 300 ms, 150 KB, and with --large one second of the
server.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

import httpx
import uvicorn
from infra.benchmarks.console_data import Amounts, CountingTable, fill
from tests.conftest import Site
from tests.console.test_every_page import GETS, build_address
from tests.support import belongings, sample_calls
from tests.support.belongings import Belongings
from tests.support.fake_hosts import FakeHosts
from tests.support.local_dynamodb import engine
from tests.support.sample_calls import SampleServices
from tests.support.table_factories import client, create_table, dynamo

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.chromium.browser_process import connect
from assay.chromium.cdp import Pipe
from assay.chromium.launch_options import QUIET, spawn_browser
from assay.entrypoints.http.local_server import create_app
from assay.net.provider_client import ProviderClient
from assay.services import Services
from assay.settings import Settings

CHROMIUM = Path(__file__).parents[2] / ".tools/chromium/bin/chromium-headless-shell"
MOST_MS, MOST_KB, MOST_SERVER_MS = 300, 150, 1_000
CHARTS = ("uplot.js", "uplot.css", "charts.js")  # are not part of the weight
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
        self._charts: set[str] = set()  # the requests for what draws charts
        pipe.listeners[session] = self._note

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Page.loadEventFired":
            self._loaded.set()
        elif method == "Network.requestWillBeSent" and params["request"]["url"].endswith(CHARTS):
            self._charts.add(params["requestId"])
        elif method == "Network.loadingFinished" and params["requestId"] not in self._charts:
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


class ServerMeasurement(NamedTuple):
    """What one request for a page took of the server, and of its store."""

    wall: float  # in milliseconds until the page is complete
    processor: float
    reads: int
    rows: int
    writes: int


def measure_server(
    address: str, pages: list[str], rounds: int, table: CountingTable
) -> dict[str, list[ServerMeasurement]]:
    """The same without a browser. Raises HTTPStatusError for a page that is not shown."""
    seen: dict[str, list[ServerMeasurement]] = {page: [] for page in pages}
    with httpx.Client(base_url=address, timeout=120) as browser:
        for number in range(rounds + 1):
            for page in pages:
                before = table.reads, table.rows, table.writes
                began, processor = time.perf_counter(), time.process_time()
                browser.get(page).raise_for_status()
                times = 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - processor)
                counts = table.reads - before[0], table.rows - before[1], table.writes - before[2]
                if number:
                    seen[page].append(ServerMeasurement(*times, *counts))
    return seen


@contextmanager
def open_stores(has_dynamodb: bool) -> Iterator[Callable[[Site], Services]]:
    """What builds services of the same stores again. Their table counts what is asked of it; no worker changes it."""
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        environ = {"ASSAY_HOME": home, "ALLOW_PRIVATE_IPS": "true", "RATE_LIMIT_PER_TENANT": "100000"}
        dynamodb = client(stack.enter_context(engine())) if has_dynamodb else None
        name = create_table(dynamodb) if dynamodb else ""

        def build(site: Site) -> Services:
            settings = Settings.read(environ | belongings.SETTINGS | sample_calls.environ(site.url))
            services = local_services(settings)
            services.runs_workers, services.http = False, ProviderClient(settings, pause=0)
            table = dynamo(dynamodb, name, services.clock) if dynamodb else services.table
            services.table = CountingTable(table)  # type: ignore[assignment]
            return services

        yield build


async def fill_stores(services: Services, site: Site, amounts: Amounts) -> tuple[Belongings, str]:
    """Fill the stores, with upstreams of this machine; return what the user has, and their longest session."""
    hosts = await FakeHosts().start()
    services.web_overrides |= hosts.seams
    SampleServices(services, site, hosts).answers()
    try:
        return await fill(services, Caller(), amounts)
    finally:
        await services.close()
        await hosts.close()


@contextmanager
def serve(services: Services) -> Iterator[str]:
    """A local server in a thread of its own."""
    server = uvicorn.Server(uvicorn.Config(create_app(services), port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.05)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def choose_pages(ada: Belongings, session: str) -> list[str]:
    """An address of every page, with what the person has, and the largest pages of some."""
    pages = [build_address(page, ada) for page in GETS]
    more = [f"/console/operations?grain={grain}&periods={number}" for grain, number in (("day", 92), ("hour", 72))]
    return [*pages, *more, f"/console/sessions/{session}", "/console/memory", "/console/memory?query=otter+river"]


def report_server(seen: dict[str, list[ServerMeasurement]]) -> bool:
    """Print what the pages took of the server; return whether it is what is expected."""
    print(f"{'page':60}{'p50':>9}{'longest':>11}{'CPU':>9}{'reads':>7}{'rows':>7}{'writes':>7}")
    for page, rows in seen.items():
        wall, longest = statistics.median(one.wall for one in rows), max(one.wall for one in rows)
        processor = statistics.median(one.processor for one in rows)
        reads, stored, writes = (max(one[place] for one in rows) for place in (2, 3, 4))
        print(f"{page[:59]:60}{wall:6.0f} ms{longest:8.0f} ms{processor:6.0f} ms{reads:7}{stored:7}{writes:7}")
    return all(statistics.median(one.wall for one in rows) <= MOST_SERVER_MS for rows in seen.values())


def report_browser(seen: dict[str, list[Measurement]]) -> bool:
    """Print what the pages took in the browser; return whether it is what is expected."""
    is_fine = True
    print(f"{'page':60}{'first paint':>12}{'longest':>11}{'weight':>10}")
    for page, rows in seen.items():
        first_paint, longest = statistics.median(one.first_paint for one in rows), max(one.first_paint for one in rows)
        weight = max(one.weight for one in rows) / 1000
        is_fine &= first_paint <= MOST_MS and weight <= MOST_KB
        print(f"{page[:59]:60}{first_paint:9.0f} ms{longest:8.0f} ms{weight:7.1f} KB")
    return is_fine


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", action="append")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--dynamodb", action="store_true")
    options = parser.parse_args()
    amounts = Amounts().scale(options.share if options.large else 0.0)
    site = Site()
    with closing(site), open_stores(options.dynamodb) as build:
        ada, session = asyncio.run(fill_stores(build(site), site, amounts))
        pages, services = options.page or choose_pages(ada, session), build(site)
        with serve(services) as address:
            table: Any = services.table
            is_fine = report_server(measure_server(address, pages, options.rounds, table))
            if not options.dynamodb:
                is_fine &= report_browser(asyncio.run(measure_pages(address, pages, options.rounds)))
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
