"""Measure scholarly searches when every index takes 100 ms to answer, and the requests of fifty equal calls.

    uv run python infra/benchmarks/scholarship.py [--calls 30] [--latency 100]

One loopback process serves all indexes with the given latency: ten works without a PDF, so that all ten are looked up
at Unpaywall, and their retractions at Crossref. Reports the wall time of whole calls with new queries. The first call,
which includes imports and connections, is reported separately.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.services import Services
from assay.settings import Settings

WORDS = "Otters hold hands while they sleep so that the river does not part them"


def work(number: int) -> dict[str, Any]:
    return {
        "id": f"https://openalex.org/W{2_000_000 + number}",
        "doi": f"https://doi.org/10.1234/otters.{number}",
        "display_name": f"Otters and their stones, part {number}",
        "publication_year": 2020,
        "publication_date": "2020-03-01",
        "cited_by_count": number,
        "authorships": [{"author": {"display_name": f"Author {one}"}} for one in range(8)],
        "primary_location": {"landing_page_url": "https://river.example/", "source": {"display_name": "River Letters"}},
        "open_access": {"is_oa": None},
        "abstract_inverted_index": {word: list(range(at, 200, 14)) for at, word in enumerate(WORDS.split())},
    }


def edge(number: int, end: str) -> dict[str, Any]:
    paper = {"title": f"Otters, part {number}", "externalIds": {"DOI": f"10.1234/otters.{number}"}, "year": 2020}
    return {"intents": ["background"], "isInfluential": False, end: paper}


def answer(path: str) -> Any:
    if path == "/openalex/works":
        return {"meta": {"count": 10}, "results": [work(number) for number in range(10)]}
    if path.startswith("/openalex/works/"):
        return work(99)
    if path == "/crossref/works":
        return {"message": {"items": [{"DOI": f"10.1234/otters.{number}"} for number in range(10)]}}
    if path.startswith("/unpaywall/"):
        copy = {"url_for_pdf": "https://repo.example/x.pdf", "host_type": "repository"}
        return {"is_oa": True, "best_oa_location": copy, "oa_locations": [copy]}
    end = "citingPaper" if path.endswith("citations") else "citedPaper"
    return {"data": [edge(number, end) for number in range(10)]}


async def serve(latency: float) -> None:
    counts: dict[str, int] = {}

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = urlsplit(head.split(b" ")[1].decode()).path
                body = json.dumps(counts if path == "/requests" else answer(path)).encode()
                if path != "/requests":
                    index = path.split("/")[1]
                    counts[index] = counts.get(index, 0) + 1
                    await asyncio.sleep(latency)
                response_head = (
                    f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
                )
                writer.write(response_head.encode() + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(one, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


async def time_call(services: Services, tool: str, arguments: dict[str, Any], shown: str) -> float:
    began = time.perf_counter()
    reply = await invoke(tool, arguments, Context(services, Caller()))
    assert reply.error is None, reply.error
    assert len(reply.wire[shown]) == 10
    return (time.perf_counter() - began) * 1000


def count_requests(port: int) -> dict[str, int]:
    """Return the number of requests to each index so far."""
    counts: dict[str, int] = httpx.get(f"http://127.0.0.1:{port}/requests").json()
    return counts


async def count_requests_of_fifty(
    services: Services, port: int, tool: str, arguments: dict[str, Any]
) -> dict[str, int]:
    """Return the requests to each index for fifty equal concurrent calls."""
    before = count_requests(port)
    await asyncio.gather(*(invoke(tool, arguments, Context(services, Caller())) for _ in range(50)))
    return {name: count - before.get(name, 0) for name, count in count_requests(port).items()}


async def measure_calls(port: int, calls: int) -> None:
    names = ("openalex", "crossref", "unpaywall", "semanticscholar")
    environ = {f"{name.upper()}_BASE_URL": f"http://127.0.0.1:{port}/{name}" for name in names}
    environ |= {"OPENALEX_EMAIL": "bench@example.org", "SEMANTIC_SCHOLAR_API_KEY": "x"}
    cases = {
        "academic_search": ("academic_search", {"num_results": 10}, "query", "otters {}", "papers"),
        "citation_graph, openalex": ("citation_graph", {"provider": "openalex"}, "paper", "10.1234/seed.{}", "citedBy"),
        "citation_graph, semanticscholar": ("citation_graph", {}, "paper", "10.1234/seed.s{}", "citedBy"),
    }
    with tempfile.TemporaryDirectory() as home:
        services = local_services(Settings.read(environ | {"ASSAY_HOME": str(Path(home) / "home")}))
        for name, (tool, fixed, field, pattern, shown) in cases.items():
            waits = [
                await time_call(services, tool, fixed | {field: pattern.format(n)}, shown) for n in range(calls + 1)
            ]
            first, *rest = waits
            p95 = statistics.quantiles(rest, n=20)[18]
            print(f"{name:33} median {statistics.median(rest):4.0f} ms, p95 {p95:4.0f} ms, first {first:4.0f} ms")
        print(
            "fifty equal academic_search:",
            await count_requests_of_fifty(services, port, "academic_search", {"query": "fifty"}),
        )
        print(
            "fifty equal citation_graph: ",
            await count_requests_of_fifty(services, port, "citation_graph", {"paper": "10.1234/fifty"}),
        )
        await services.close()


def main(calls: int, latency: float) -> None:
    command = [sys.executable, __file__, "--upstream", "--latency", str(latency)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        asyncio.run(measure_calls(int(child.stdout.readline()), calls))
    finally:
        child.terminate()
        child.wait(10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=30)
    parser.add_argument("--latency", type=float, default=100, help="milliseconds")
    parser.add_argument("--upstream", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    asyncio.run(serve(given.latency / 1000)) if given.upstream else main(given.calls, given.latency)
