"""Run an archive job whose process is killed once before each of its writes, and check that its results are complete.

    .venv/bin/python infra/chaos/chaos_jobs.py [--world sqlite|aws] [--items 100] [--of 1]

`aws` is a loopback emulation of DynamoDB and S3. With `--of 5` the process is killed at every fifth item while others
are in progress. No item may be lost or archived twice.
"""

import argparse
import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zlib import crc32

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from infra.chaos.chaos_crawl import world

from assay.bootstrap import local_services
from assay.context import Caller, Services
from assay.jobs import due_index, job_report, results_log, watched_urls
from assay.jobs.job_timing import JobTiming
from assay.jobs.runner import run
from assay.net import tls_context
from assay.sessions.session_keys import everything, owner_of
from assay.sessions.store import SessionStore
from assay.sessions.watchlist import Watched
from assay.sessions.watchlist import watch as watch_session
from assay.settings import Settings

TENANT, USER = "acme", "ada"
PAGE = "http://93.184.215.14/paper/{}"  # a public IP address; only the emulated archive receives it
TERMS = JobTiming(lease=60.0, grace=30.0, saving=0.0, deaths=10_000, sessions=60.0)
LATER = 100.0  # seconds that pass between a death and the next process
ITEM = ContextVar("item", default="-")  # inherited by child tasks
TIMES = {"archive": 2}  # the second kill may hit the process that replaced the first
BEFORE = ContextVar("before", default="-")
IMPORTED = (
    *(
        "assay.jobs.archive",
        "assay.net.provider_client",
        "assay.net.guarded_client",
        "assay.local",
        "assay.state.audit",
        "assay.state.lazy",
    ),
    *("httpx", "httpcore", "h2.connection", "anyio._backends._asyncio", "anyio.streams.tls", "_strptime"),
    *("encodings.idna", "cryptography.hazmat.primitives.ciphers.aead"),
)


@dataclass
class Result:
    """Result: number of `kills` at different points; `faults` is empty on success."""

    seconds: float
    kills: int
    passes: int
    captures: int
    points: dict[str, int]
    faults: list[str] = field(default_factory=list)


@contextmanager
def archive(now: Callable[[], float]) -> Iterator[tuple[str, Counter[str]]]:
    """Emulate Save Page Now with its index; yield the address and the number of captures of each page."""
    captured: Counter[str] = Counter()
    stamps: dict[str, str] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            at = urlsplit(self.path)
            [page] = parse_qs(at.query).get("url", [""])
            if at.path == "/save/":
                captured[page] += 1
                stamps[page] = time.strftime("%Y%m%d%H%M%S", time.gmtime(now()))
            stamp = stamps.get(page, "")
            copy = f"/web/{stamp}/{page}"
            if at.path == "/save/":
                self._say(b"<html>the copy", **{"content-location": copy})
                return
            kept = {"closest": {"available": True, "url": f"http://web.archive.org{copy}", "timestamp": stamp}}
            self._say(json.dumps({"archived_snapshots": kept if captured[page] else {}}).encode())

        def _say(self, body: bytes, **headers: str) -> None:
            self.send_response(200)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *_: object) -> None:
            pass  # a client that was killed

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", captured
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Deadly:
    """Table or bucket that kills the process before a change, once at each point."""

    def __init__(self, inner: Any, deaths: "Deaths") -> None:
        self._inner, self._deaths = inner, deaths

    async def put(self, *given: Any, **more: Any) -> Any:
        await self._deaths.meet("put", self._inner, *given)
        return await self._inner.put(*given, **more)

    async def delete(self, *given: Any, **more: Any) -> Any:
        await self._deaths.meet("delete", self._inner, *given)
        return await self._inner.delete(*given, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Deaths:
    """The points at which a process has died, in a file. A point is an operation, a kind of row, the item it is for,
    how often that was met in this process, and what was written before it. Of `of` items one has such points, and
    of its points three in four: who dies at the first of two comes to the second by another way.
    """

    def __init__(self, path: Path, of: int) -> None:
        self._path, self._of = path, of
        self._known = Counter(path.read_text().splitlines() if path.exists() else ())
        self._met: Counter[str] = Counter()

    async def meet(self, operation: str, store: Any, key: str, sort: Any = "-", value: Any = b"") -> None:
        kind = key.partition("/")[0]
        item = await self._item(store, key, sort, value)
        name, before = f"{operation} {kind} {item}", BEFORE.get()
        self._met[name] += 1
        point = f"{name} {self._met[name]} {before}"
        BEFORE.set(f"{operation}-{kind}")
        if self._known[point] >= TIMES.get(kind, 1) or (
            item != "-" and (int(item, 16) % self._of or crc32(point.encode()) % 4 == 0)
        ):
            return
        with self._path.open("a") as file:
            file.write(point + "\n")
        os.kill(os.getpid(), signal.SIGKILL)

    async def _item(self, store: Any, key: str, sort: Any, value: Any) -> str:
        """Return the item of the operation, from the row or from earlier operations of the same task."""
        kind = key.partition("/")[0]
        if kind in ("errands", "journal"):
            ITEM.set(sort.rpartition("/")[2])
        elif kind == "due" and (told := value or getattr(await store.get(key, sort), "value", b"")):
            ITEM.set(json.loads(told)["id"])
        return ITEM.get()


def opened(environ: dict[str, str], later: float = 0.0) -> Services:
    """The world of that environment, so many seconds later."""

    def clock() -> float:
        return time.time() + later

    settings = Settings.read(environ)
    if not settings.table_name:
        services = local_services(settings, clock)
        services.observers = []
        return services
    from assay.aws import DynamoTable, S3Bucket

    stores = DynamoTable(settings.table_name, clock=clock), S3Bucket(settings.bucket_name, clock=clock)
    return Services(settings, *stores, clock=clock)


async def passed(environ: dict[str, str], deaths: Path, of: int, later: float) -> bool:
    """One process's pass, so many seconds later; whether there is nothing left to do."""
    services = opened(environ, later)
    marked = Deaths(deaths, of)
    services.table, services.bucket = Deadly(services.table, marked), Deadly(services.bucket, marked)  # type: ignore[assignment]
    done = await run("archive", services, terms=TERMS)
    rows = await everything(services.table, due_index.key_of("archive"))
    await services.close()
    return done.done == 0 and not rows


def warm(environ: dict[str, str]) -> None:
    """Do once what each forked process would otherwise do at its start: imports, TLS context, service models."""
    for name in IMPORTED:
        import_module(name)
    tls_context.context(tls_context.bundle(Settings.read(environ)))
    if "ASSAY_TABLE" in environ:
        import boto3

        for name in ("dynamodb", "s3"):
            boto3.client(name).close()  # fills botocore's cache of service models
    gc.freeze()


def drive(environ: dict[str, str], folder: Path, of: int, limit: float) -> dict[str, int]:
    """Fork processes one after another until one ends with nothing left to do."""
    began, kills, passes = time.monotonic(), 0, 0
    warm(environ)
    while time.monotonic() - began < limit:
        later = LATER * (passes + 1)
        (folder / "later").write_text(str(later))
        child = os.fork()
        if child == 0:
            is_over = asyncio.run(passed(environ, folder / "deaths", of, later))
            os._exit(0 if is_over else 3)
        _, status = os.waitpid(child, 0)
        passes += 1
        if os.WIFSIGNALED(status):
            kills += 1
        elif os.WEXITSTATUS(status) == 0:
            return {"kills": kills, "passes": passes}
        elif os.WEXITSTATUS(status) != 3:
            raise RuntimeError("a pass broke")
    raise RuntimeError(f"not over after {limit:g} seconds, {kills} kills and {passes} passes")


async def begun(environ: dict[str, str], items: int) -> str:
    """Create a session with sources to archive."""
    services = opened(environ)
    desk = SessionStore(services.table, TENANT, USER, seconds=90 * 86_400)
    step = {"stepNumber": 1, "description": "look", "timestamp": "2026-11-22T00:00:00Z"}
    session = (await desk.begin("Otters", step, done=False, head={})).id
    await desk.note(session, [{"url": PAGE.format(n), "title": str(n)} for n in range(items)])
    watched = Watched(TENANT, USER, session, archive=True)
    await watch_session(services.table, watched, now=time.time())
    await services.close()
    return session


async def seen(environ: dict[str, str], session: str, items: int, captured: Counter[str], later: float) -> list[str]:
    """Return the faults in the final state."""
    services = opened(environ, later)
    pages = {PAGE.format(n) for n in range(items)}
    owner = owner_of(TENANT, USER)
    errands = await watched_urls.list_watched(services, Caller(TENANT, USER), ["archive"])
    sources = (await SessionStore(services.table, TENANT, USER, seconds=90 * 86_400).read(session)).sources
    days = {item.sort.split("/")[0] for item in await everything(services.table, results_log.page_of("archive", owner))}
    reported = [line["url"] for day in days for line in await _reported(services, owner, day)]
    checks = {
        f"captured twice: {[page for page, count in captured.items() if count > 1][:5]}": set(captured.values()) == {1},
        f"never captured: {sorted(pages - set(captured))[:5]}": set(captured) == pages,
        "errands are lost or not done": {e["url"] for e in errands if e["state"] == "done"} == pages,
        "an errand has no copy": all("archivedUrl" in each for each in errands),
        f"the reports have {len(reported)} lines of {len(set(reported))} pages": sorted(reported) == sorted(pages),
        "a source was not told of its copy": all(source.get("archivedUrl") for source in sources),
        "rows are left among the due": not await everything(services.table, due_index.key_of("archive")),
        "reports are left to be written": not await results_log.stale(services, "archive"),
    }
    await services.close()
    return [words for words, is_well in checks.items() if not is_well]


async def _reported(services: Services, owner: str, day: str) -> list[dict[str, Any]]:
    body = await services.bucket.get(job_report.names(owner, "archive", day).json)
    return [] if body is None else list(json.loads(body)["items"])


def archived(world_name: str, folder: Path, items: int, of: int, limit: float) -> Result:
    """Run the experiment in a new world."""
    began = time.monotonic()
    (folder / "later").write_text("0")
    with (
        archive(lambda: time.time() + float((folder / "later").read_text())) as (url, captured),
        world(world_name, folder) as environ,
    ):
        environ |= {"WAYBACK_BASE_URL": url, "CHROME_PATH": "disabled", "SESSION_TTL": "2160h"}
        session = asyncio.run(begun(environ, items))
        command = [sys.executable, str(Path(__file__)), "--drive", str(folder), "--of", str(of), "--limit", str(limit)]
        told = subprocess.run(command, check=False, env=environ, capture_output=True, text=True)
        if told.returncode:
            raise RuntimeError(told.stderr)
        done = json.loads(told.stdout)
        faults = asyncio.run(seen(environ, session, items, captured, LATER * done["passes"]))
    points = Counter(line.rsplit(" ", 3)[0] for line in (folder / "deaths").read_text().splitlines())
    return Result(time.monotonic() - began, done["kills"], done["passes"], sum(captured.values()), dict(points), faults)


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--drive", type=Path, help=argparse.SUPPRESS)
    asked.add_argument("--world", choices=["sqlite", "aws"], default="sqlite")
    asked.add_argument("--items", type=int, default=100)
    asked.add_argument("--of", type=int, default=1)
    asked.add_argument("--limit", type=float, default=300.0, help="seconds")
    given = asked.parse_args()
    if given.drive:
        print(json.dumps(drive(dict(os.environ), given.drive, given.of, given.limit)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        result = archived(given.world, Path(folder), given.items, given.of, given.limit)
    print(json.dumps(asdict(result), indent=1))
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
