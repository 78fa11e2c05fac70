"""Compare pages per second and memory of crawls with Assay and with Scrapy + trafilatura on the same local sites.

    uv run python infra/benchmarks/crawl.py SCRAPY_PYTHON [--pages 500] [--hosts 4] [--delay-ms 20] [--rounds 3]

SCRAPY_PYTHON is the python of a virtual environment with scrapy and trafilatura. Both crawl `hosts` sites of `pages`
pages each on loopback ports, with `at-once` concurrent requests to each and no pauses, and convert each page to
markdown: Assay stores it encrypted in its table and bucket as usual; Scrapy writes lines of JSON.
"""

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__)
SHARED = HERE.parents[2] / "shared"
SENTENCES = [
    "The river rose in the night and left a line of reeds along the wall.",
    "Nobody had counted the otters since the bridge was built.",
    "A stone lies in the hand like a promise that somebody else made.",
    "The survey lists forty sites, of which eleven were visited twice.",
    "Boats are tied up two by two, and the children know each of them by name.",
    "What the map calls a lake is a field for nine months of the year.",
]
SPIDER = """
import json, sys, time
import scrapy, trafilatura
from scrapy.crawler import CrawlerProcess

starts, at_once, out = json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

class Sites(scrapy.Spider):
    name = "sites"
    start_urls = starts
    def parse(self, response):
        text = trafilatura.extract(response.text, url=response.url, output_format="markdown", include_links=True)
        yield {"url": response.url, "status": response.status, "content": text}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse)

process = CrawlerProcess({
    "ROBOTSTXT_OBEY": False, "CONCURRENT_REQUESTS": at_once * len(starts), "CONCURRENT_REQUESTS_PER_DOMAIN": at_once,
    "CONCURRENT_REQUESTS_PER_IP": 0, "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "DOWNLOAD_DELAY": 0,
    "FEEDS": {out: {"format": "jsonlines"}}, "DOWNLOAD_SLOTS": {},
})
process.crawl(Sites)
began = time.monotonic()
process.start()
print(json.dumps({"seconds": time.monotonic() - began}))
"""


def page(n: int, pages: int) -> bytes:
    """Return an article of about 9 KB; every page is reachable from the first within ten links."""
    paragraphs = "".join(
        f"<p>{' '.join(SENTENCES[(n * 7 + place + step * 5) % 6] for step in range(5))} Stone {n * 31 + place}.</p>"
        for place in range(16)
    )
    leads = [each for each in range(4 * n + 1, 4 * n + 5) if each < pages] + [n // 4, (n * 7) % pages, (n * 13) % pages]
    links = "".join(f'<li><a href="/p/{each}">Survey {each}</a></li>' for each in leads)
    menu = "".join(f'<li><a href="/p/{each}">Entry {each}</a></li>' for each in range(10))
    text = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Survey {n}</title>
<meta name="author" content="Ada Brook"><meta property="article:published_time" content="2025-03-04"></head><body>
<header><nav><ul>{menu}</ul></nav></header><main><article><h1>Survey {n}</h1>{paragraphs}</article></main>
<aside><ul>{links}</ul></aside><footer><p>All rights reserved</p></footer></body></html>"""
    return text.encode()


async def serve(hosts: int, pages: int, delay: float) -> None:
    """Serve the sites on free ports until killed; print the ports."""
    bodies = [page(n, pages) for n in range(pages)]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode()
                await asyncio.sleep(delay)
                name = path.rpartition("/")[2]
                is_page = path.startswith("/p/") and name.isdigit() and int(name) < pages
                body, status = (bodies[int(name)], b"200 OK") if is_page else (b"", b"404 No")
                head = b"HTTP/1.1 %s\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: %d\r\n\r\n"
                writer.write(head % (status, len(body)) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    servers = [await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512) for _ in range(hosts)]
    print(json.dumps([server.sockets[0].getsockname()[1] for server in servers]), flush=True)
    await asyncio.gather(*(server.serve_forever() for server in servers))


@contextmanager
def sites(hosts: int, pages: int, delay: float) -> Iterator[list[str]]:
    command = [sys.executable, str(HERE), "--serve", json.dumps([hosts, pages, delay])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield [f"http://127.0.0.1:{port}/p/0" for port in json.loads(process.stdout.readline())]
    finally:
        process.kill()
        process.wait()


async def crawl(starts: list[str], pages: int) -> None:
    """Crawl the sites with Assay; print duration and memory use."""
    from assay.bootstrap import local_services
    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke
    from assay.scraping.parse_executor import ProcessExecutor
    from assay.settings import Settings
    from assay.work_queue.work_timing import WorkTiming
    from assay.work_queue.worker import Worker

    services = local_services(Settings.read())
    services.runs_workers, services.readers = False, ProcessExecutor(os.cpu_count() or 1)
    assert services.queue is not None
    began = time.monotonic()
    crawls = []
    for url in starts:
        arguments = {"url": url, "maxDepth": 10, "maxPages": pages}
        crawls.append((await invoke("cinder_crawl", arguments, Context(services, Caller()))).wire["crawlId"])
    working = asyncio.create_task(Worker(services, services.queue, WorkTiming(idle=0.05)).run())
    memory: list[int] = []
    while not working.done():
        memory.append(memory_in_use())
        await asyncio.wait({working}, timeout=0.5)
    seconds = time.monotonic() - began
    done = 0
    for each in crawls:
        status = (await invoke("cinder_get_crawl_status", {"id": each, "limit": 1}, Context(services, Caller()))).wire
        done += status["pagesCrawled"] if status["status"] == "completed" else 0
    await services.close()
    print(json.dumps({"seconds": seconds, "pages": done, "memory": memory}))


def memory_in_use() -> int:
    """Return the memory of this process and its reader processes in MB."""
    mine = [os.getpid(), *(int(each) for each in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())]
    return sum(_resident_memory(process) for process in mine) // 1024


def _resident_memory(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")), 0)


def run_assay(starts: list[str], options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    environ = os.environ | {
        "ASSAY_HOME": str(folder / "home"),
        "ALLOW_PRIVATE_IPS": "true",
        "CRAWL_PER_HOST": str(options.at_once),
        "PYTHONPATH": str(SHARED),
    }
    command = [sys.executable, str(HERE), "--crawl", json.dumps([starts, options.pages])]
    process = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    outcome: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return outcome


def run_scrapy(starts: list[str], options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    out, spider = folder / "out.jsonl", folder / "spider.py"
    spider.write_text(SPIDER)
    command = [options.scrapy, str(spider), json.dumps(starts), str(options.at_once), str(out)]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    pages = sum(1 for line in out.read_text().splitlines() if json.loads(line)["content"])
    return {**json.loads(process.stdout.splitlines()[-1]), "pages": pages}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scrapy", nargs="?", metavar="SCRAPY_PYTHON")
    for name, value in (("pages", 500), ("hosts", 4), ("rounds", 3), ("at-once", 16)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--delay-ms", type=float, default=20.0)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--crawl", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(*json.loads(options.serve)))
    elif options.crawl:
        asyncio.run(crawl(*json.loads(options.crawl)))
    else:
        compare(options)


def children_cpu_seconds() -> float:
    """Return the CPU seconds of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(options: argparse.Namespace) -> None:
    ratios, total = [], options.pages * options.hosts
    for each in range(options.rounds):
        speeds = {}
        for name, run in (("assay", run_assay), ("scrapy", run_scrapy)):
            with (
                tempfile.TemporaryDirectory() as folder,
                sites(options.hosts, options.pages, options.delay_ms / 1000) as starts,
            ):
                cpu = children_cpu_seconds()
                outcome = run(starts, options, Path(folder))
                cpu = 1000 * (children_cpu_seconds() - cpu) / outcome["pages"]
            speeds[name] = outcome["pages"] / outcome["seconds"]
            completeness = "all pages" if outcome["pages"] >= total else f"ONLY {outcome['pages']} pages"
            memory = outcome.get("memory")
            quarters = [memory[len(memory) * part // 4 - (part == 4)] for part in (1, 2, 3, 4)] if memory else None
            memory_note = f", MB by quarter {quarters}" if quarters else ""
            print(
                f"{each + 1} {name:7} {speeds[name]:6.1f} pages/s, {cpu:5.1f} ms CPU a page,"
                f" {completeness}{memory_note}",
                flush=True,
            )
        ratios.append(speeds["assay"] / speeds["scrapy"])
    print(f"ratio {statistics.median(ratios):.2f} (median of {', '.join(f'{ratio:.2f}' for ratio in ratios)})")


if __name__ == "__main__":
    main()
