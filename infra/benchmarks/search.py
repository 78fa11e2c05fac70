"""Measure the CPU time that routing and result processing add to the bare provider request, and the waiting time of
fifty concurrent calls when the first provider is down.

    uv run python infra/benchmarks/search.py [--calls 300]

A loopback process serves ten results without delay. Three paths are measured in turn, call by call, so that load
affects all alike: the bare request through the provider client; the router with circuit breaker, lens and
de-duplication; the whole tool with cache, audit and text.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.models.common import WebQuery
from assay.services import Services
from assay.settings import Settings

RESULTS = [
    {
        "title": f"Otters &amp; rivers, part {number}",
        "url": f"https://www.site{number}.example/articles/2026/otters-{number}?utm_source=feed",
        "content": "Otters <b>hold hands</b> while they sleep so that the river does not part them. " * 3,
        "publishedDate": "2026-07-01T09:30:00",
        "engine": "x",
    }
    for number in range(10)
]
BODY = json.dumps({"query": "otters", "results": RESULTS}).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        self.wfile.write(f"{head}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY)

    def log_message(self, *_: object) -> None:
        pass


def upstream() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


async def milliseconds(call: Callable[[], Awaitable[object]]) -> float:
    """Return the CPU time of this process for one call."""
    began = time.process_time()
    await call()
    return (time.process_time() - began) * 1000


async def measure_paths(services: Services, calls: int) -> dict[str, list[float]]:
    source = services.search.source("searxng")
    params = {"q": "otters", "format": "json", "categories": "general", "safesearch": 1, "pageno": 1}
    number = 0

    async def bare_request() -> None:
        answer = (await source.exchange("GET", "/search", params=params)).body
        assert len(answer["results"]) == 10

    async def router() -> None:
        outcome = await services.search.web(WebQuery(query=f"otters {number}", num_results=10))
        assert len(outcome.hits) == 10

    async def tool() -> None:
        arguments = {"query": f"otters {number}", "num_results": 10}
        reply = await invoke("web_search", arguments, Context(services, Caller()))
        assert reply.wire["resultCount"] == 10

    costs: dict[str, list[float]] = {"bare": [], "router": [], "tool": []}
    for number in range(calls + 20):
        for name, call in (("bare", bare_request), ("router", router), ("tool", tool)):
            cost = await milliseconds(call)
            if number >= 20:  # the first calls import modules and open connections
                costs[name].append(cost)
    return costs


async def time_fifty_calls(services: Services, provider: str | None = None) -> float:
    """Return the p95 in milliseconds of fifty different concurrent queries."""
    costs = []

    async def one(number: int) -> None:
        began = time.perf_counter()
        assert (await services.search.web(WebQuery(query=f"rivers {number}"), provider=provider)).hits
        costs.append((time.perf_counter() - began) * 1000)

    await asyncio.gather(*(one(number) for number in range(50)))
    return statistics.quantiles(costs, n=20)[18]


async def measure(port: int, calls: int) -> tuple[dict[str, list[float]], list[float]]:
    """Measure CPU time by path, and p95 of fifty calls: second provider only, first failing, its breaker open."""
    with tempfile.TemporaryDirectory() as home:
        environ = {"ASSAY_HOME": str(Path(home) / "home"), "SEARXNG_URL": f"http://127.0.0.1:{port}"}
        services = local_services(Settings.read(environ))
        costs = await measure_paths(services, calls)
        await services.close()
        down = {"BRAVE_API_KEY": "x", "BRAVE_BASE_URL": "http://127.0.0.1:9", "ASSAY_HOME": str(Path(home) / "other")}
        services = local_services(Settings.read(environ | down))
        waits = [
            await time_fifty_calls(services, "searxng"),
            await time_fifty_calls(services),
            await time_fifty_calls(services),
        ]
        await services.close()
    return costs, waits


def main(calls: int) -> None:
    child = subprocess.Popen([sys.executable, __file__, "--upstream"], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        costs, waits = asyncio.run(measure(int(child.stdout.readline()), calls))
    finally:
        child.terminate()
        child.wait(10)
    medians = {name: statistics.median(times) for name, times in costs.items()}
    for name, times in costs.items():
        over = "" if name == "bare" else f"  {medians[name] - medians['bare']:5.2f} ms over the bare request"
        print(f"{name:7} median {medians[name]:5.2f} ms CPU, p95 {statistics.quantiles(times, n=20)[18]:5.2f} ms{over}")
    print(
        "fifty at once, p95: {:.0f} ms of the second alone, {:.0f} ms as the first goes down, {:.0f} ms after".format(
            *waits
        )
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--upstream", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    upstream() if asked.upstream else main(asked.calls)
