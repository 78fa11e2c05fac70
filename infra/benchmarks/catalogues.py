"""Measure searches for series in a large catalogue, warm and from storage, and the requests of fifty equal calls.

    uv run python infra/benchmarks/catalogues.py [--entries 7000] [--rounds 30]

A loopback server imitates Eurostat with `--entries` datasets. Every query is new, so that no result is cached. The warm
figures cover the whole call and the catalogue search alone. Times are median and maximum in milliseconds; CPU time is
reported as well, since it depends less on the load of the machine.
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import Reply, invoke
from assay.records.series_catalogue import SeriesCatalogue
from assay.services import Services
from assay.settings import Settings

SUBJECTS = ("Unemployment", "Gross domestic product", "Consumer price index", "Population on 1 January", "Imports")
BREAKDOWNS = ("by sex and age", "by NUTS 2 region", "at current prices", "by citizenship", "by economic activity")
FREQUENCIES = (
    ("monthly data", "1995-01", "2026-09"),
    ("quarterly data", "1995-Q1", "2026-Q2"),
    ("annual data", "1975", "2025"),
)
LATENCY = 0.1  # seconds for each upstream response


def build_table_of_contents(entries: int) -> bytes:
    """Build a table of contents with the given number of datasets."""
    rng = random.Random(7)
    lines = ["title\tcode\ttype\tlast update of data\tlast table structure change\tdata start\tdata end\tvalues"]
    for number in range(entries):
        frequency, since, until = rng.choice(FREQUENCIES)
        title = f"{rng.choice(SUBJECTS)} {rng.choice(BREAKDOWNS)} in sector {number} - {frequency}"
        lines.append(
            f'"    {title}"\t"set_{number}_x"\t"dataset"\t"01.10.2026"\t"01.10.2026"\t"{since}"\t"{until}"\t99'
        )
    return "\n".join(lines).encode()


class Upstream:
    """Serves the table of contents and one cube for every code after a delay; counts requests."""

    def __init__(self, entries: int) -> None:
        body, upstream = build_table_of_contents(entries), self
        self.request_count = 0
        time_axis = {"category": {"index": {"2025": 0}}}
        cube = {"label": "x", "id": ["time"], "size": [1], "dimension": {"time": time_axis}, "value": {"0": 1.5}}

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                upstream.request_count += 1
                time.sleep(LATENCY)
                payload = body if "/toc/" in self.path else json.dumps(cube).encode()
                self.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(payload)}\r\n\r\n".encode() + payload)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


async def search_catalogue(services: Services, **arguments: object) -> Reply:
    reply = await invoke("econ_search", arguments | {"provider": "eurostat"}, Context(services, Caller()))
    assert reply.error is None, reply.text
    return reply


def build_query(number: int) -> str:
    return f"unemployment sex sector {number} data"


def report(name: str, wall: list[float], processor: list[float]) -> None:
    print(f"{name:<44}{statistics.median(wall):8.1f}{max(wall):9.1f}{statistics.median(processor):12.1f}")


def drop_memory(services: Services) -> None:
    """Build services as a new process would: catalogues in storage, none in memory."""
    for name in ("catalogues", "cache"):
        services.__dict__.pop(name, None)


async def measure_calls(name: str, numbers: range, services: Services, before: Callable[[], object]) -> None:
    wall, processor = [], []
    for number in numbers:
        before()
        began, busy = time.perf_counter(), time.process_time()
        await search_catalogue(services, query=build_query(number))
        wall.append((time.perf_counter() - began) * 1000)
        processor.append((time.process_time() - busy) * 1000)
    report(name, wall, processor)


def measure_search(entries: int, rounds: int) -> None:
    rows = [line.split("\t") for line in build_table_of_contents(entries).decode().splitlines()[1:]]
    catalogue = SeriesCatalogue([{"seriesId": row[1].strip('"'), "title": row[0].strip('" ')} for row in rows], 0.0)
    wall, processor = [], []
    for number in range(rounds):
        began, busy = time.perf_counter(), time.process_time()
        catalogue.search(build_query(number), 5)
        wall.append((time.perf_counter() - began) * 1000)
        processor.append((time.process_time() - busy) * 1000)
    report("the search alone", wall, processor)


async def main(entries: int, rounds: int) -> None:
    upstream = Upstream(entries)
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.read({"ASSAY_HOME": home, "EUROSTAT_BASE_URL": upstream.url})
        services = local_services(settings)
        try:
            print(f"{entries} entries, {rounds} rounds; milliseconds {'median':>13}{'slowest':>9}{'processor':>12}")
            began = time.perf_counter()
            await search_catalogue(services, query="gross domestic product")
            first_call = (time.perf_counter() - began) * 1000
            print(f"{'the first call ever (upstream 100 ms)':<44}{first_call:8.1f}")
            await measure_calls("a whole call, warm", range(rounds), services, lambda: None)
            await measure_calls(
                "a whole call in another process, from store", range(500, 505), services, lambda: drop_memory(services)
            )
            measure_search(entries, rounds)
            catalogue_requests = upstream.request_count
            await asyncio.gather(*(search_catalogue(services, series_id="set_1_x") for _ in range(50)))
            print(f"requests for the catalogue in total: {catalogue_requests}")
            print(f"requests for fifty equal calls at once: {upstream.request_count - catalogue_requests}")
        finally:
            await services.close()
            upstream.close()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--entries", type=int, default=7_000)
    options.add_argument("--rounds", type=int, default=30)
    given = options.parse_args()
    asyncio.run(main(given.entries, given.rounds))
