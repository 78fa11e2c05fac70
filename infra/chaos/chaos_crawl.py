"""Crawl while workers are killed and messages are duplicated, and check that no page is lost, doubled or miscounted.

    .venv/bin/python infra/chaos/chaos_crawl.py [--backend sqlite|aws] [--pages 500] [--kills 20]

`aws` is a loopback emulation of DynamoDB, S3 and SQS.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from infra.chaos.deployments import deployment

from assay.bootstrap import build_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.services import Services
from assay.settings import Settings
from assay.state.ports import Queue, QueueMessage
from assay.work_queue.work_timing import WorkTiming
from assay.work_queue.worker import Worker

TIMING = WorkTiming(
    lease=1.0,
    beat=0.2,
    slot=1.0,
    slice=2.0,
    stuck=3.0,
    sweep=1.0,
    pauses=(0.05, 0.2),
    idle=3600.0,
    delay=0.5,
    max_crashes=5,
)
DUPLICATE_SHARE = 0.1  # share of the messages that are sent, or delivered, twice
WORKERS = 2
TEXT = "Page {n} of the river's own book tells of otter {n}, of its stones and of the weir it was born under. "


class DuplicatingQueue:
    """Queue with at-least-once delivery at its worst: messages may be stored or delivered twice."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    async def send(self, body: str, *, delay: float = 0.0) -> None:
        for _ in range(2 if random.random() < DUPLICATE_SHARE else 1):
            await self._queue.send(body, delay=delay)

    async def receive(self, *, visible: float, wait: float = 0.0, most: int = 1) -> list[QueueMessage]:
        messages = await self._queue.receive(visible=visible, wait=wait, most=most)
        for message in messages:
            if random.random() < DUPLICATE_SHARE:
                await self._queue.extend(message.receipt, 0)
        return messages

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)


@dataclass
class Result:
    """Result of the crawl. `faults` is empty on success."""

    seconds: float
    kills: int
    requests: int
    repeats: int  # repeated requests for a page
    status: dict[str, Any]
    faults: list[str] = field(default_factory=list)


@contextmanager
def site(pages: int, seconds: float = 0.005) -> Iterator[tuple[str, Counter[str]]]:
    """Serve pages that link to each other; yield the site's address and its list of requests."""
    requests: Counter[str] = Counter()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            requests[self.path] += 1
            time.sleep(seconds)
            name = self.path.strip("/")
            body = page(int(name), pages) if name.isdigit() and int(name) < pages else None
            self.send_response(200 if body else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # a client that was killed

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def page(n: int, pages: int) -> bytes:
    leads = [each for each in (4 * n + 1, 4 * n + 2, 4 * n + 3, 4 * n + 4) if each < pages] + [n // 4, (n * 7) % pages]
    links = "".join(f'<a href="/{each}">{each}</a> ' for each in leads)
    return f"<title>{n}</title><article><h1>{n}</h1><p>{TEXT.format(n=n) * 3}</p></article><nav>{links}</nav>".encode()


class Workers:
    """Start worker processes and kill them at random."""

    def __init__(self, environ: dict[str, str]) -> None:
        self._environ = environ
        self._running: list[subprocess.Popen[bytes]] = []
        self.kills = 0

    def __enter__(self) -> "Workers":
        for _ in range(WORKERS):
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.kill()
            process.wait()

    def kill_one(self) -> None:
        victim = self._running.pop(random.randrange(len(self._running)))
        victim.kill()
        victim.wait()
        self.kills += 1
        self._start()

    def _start(self) -> None:
        command = [sys.executable, str(Path(__file__)), "--work"]
        self._running.append(subprocess.Popen(command, env=self._environ, stderr=subprocess.DEVNULL))


async def work() -> None:
    services = build_services()
    assert services.queue is not None
    services.queue = DuplicatingQueue(services.queue)
    await Worker(services, services.queue, TIMING).run(forever=True)


async def run_experiment(environ: dict[str, str], pages: int, kills: int, limit: float) -> Result:
    """Crawl a site of `pages` pages while `kills` workers are killed, each at a random moment."""
    services = build_services(Settings.read(environ))
    services.runs_workers, services.observers = False, []
    caller = Caller()
    kill_points = sorted(random.uniform(0, pages * 0.95) for _ in range(kills))
    began = time.monotonic()
    with site(pages) as (url, requests), Workers(environ) as workers:
        started = await invoke(
            "cinder_crawl", {"url": f"{url}/0", "maxDepth": 10, "maxPages": 1000}, Context(services, caller)
        )
        crawl = started.wire["crawlId"]
        while True:
            reply = await invoke("cinder_get_crawl_status", {"id": crawl, "limit": 1}, Context(services, caller))
            if reply.error is not None:
                print(reply.error.text(), file=sys.stderr)
                if not reply.error.retryable or time.monotonic() - began > limit:
                    raise reply.error
                await asyncio.sleep(1)
                continue
            status = reply.wire
            if kill_points and status["pagesCrawled"] >= kill_points[0]:
                kill_points.pop(0)
                workers.kill_one()
            is_over = status["status"] not in ("queued", "running")
            if is_over or time.monotonic() - began > limit:
                break
            await asyncio.sleep(random.uniform(0.01, 0.1))
        faults = [
            *await find_faults(services, crawl, pages, url),
            *(["not all kills were made"] if kill_points else []),
        ]
        page_requests = {path: count for path, count in requests.items() if path != "/robots.txt"}
        result = Result(
            time.monotonic() - began,
            workers.kills,
            sum(page_requests.values()),
            sum(page_requests.values()) - len(page_requests),
            status,
            faults,
        )
    await services.close()
    return result


async def find_faults(services: Services, crawl: str, pages: int, url: str) -> list[str]:
    """Return the faults in the crawl's results."""
    rows, offset, status = [], 0, {}
    while offset is not None:
        arguments = {"id": crawl, "offset": offset, "limit": 100, "includeContent": True}
        status = (
            await invoke("cinder_get_crawl_status", arguments, Context(services, Caller(), allow_large=True))
        ).wire
        rows += status["pages"]
        offset = status.get("nextOffset") if status["pages"] else None
    counts = Counter(row["url"] for row in rows)
    checks = {
        f"the status is {status['status']}": status["status"] == "completed",
        f"pages came twice: {[each for each, count in counts.items() if count > 1][:5]}": len(counts) == len(rows),
        f"{pages - len(counts)} pages are missing": set(counts) == {f"{url}/{n}" for n in range(pages)},
        f"found {status['pagesFound']}, crawled {status['pagesCrawled']}, progress {status['progress']}": (
            status["pagesFound"] == status["pagesCrawled"] == pages and status["progress"] == 100
        ),
        f"failed: {[row for row in rows if row['statusCode'] != 200][:3]}": all(
            row["statusCode"] == 200 for row in rows
        ),
        "content is missing or another page's": all(
            f"otter {row['url'].rpartition('/')[2]}," in row.get("content", "")
            and len(row["content"]) == row["contentLength"]
            for row in rows
        ),
    }
    return [words for words, is_well in checks.items() if not is_well]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--backend", choices=["sqlite", "aws"], default="sqlite")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds")
    options = parser.parse_args()
    if options.work:
        asyncio.run(work())
        return 0
    with tempfile.TemporaryDirectory() as folder, deployment(options.backend, Path(folder)) as environ:
        result = asyncio.run(run_experiment(environ, options.pages, options.kills, options.limit))
    print(json.dumps({**asdict(result), "status": {k: v for k, v in result.status.items() if k != "pages"}}, indent=1))
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
