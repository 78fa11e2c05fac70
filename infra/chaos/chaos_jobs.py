"""Run an archive job whose process is killed once before each of its writes, and check that its results are complete.

    .venv/bin/python infra/chaos/chaos_jobs.py [--backend sqlite|aws] [--items 100] [--of 1]

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
import time
from collections import Counter
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from infra.chaos.archive_server import serve_archive
from infra.chaos.deployments import deployment

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.jobs import due_index, job_report, results_log, watched_urls
from assay.jobs.job_timing import JobTiming
from assay.jobs.runner import run
from assay.net import tls_context
from assay.services import Services
from assay.sessions.session_keys import build_owner, query_all
from assay.sessions.store import SessionStore
from assay.sessions.watchlist import Watched
from assay.sessions.watchlist import watch as watch_session
from assay.settings import Settings

TENANT, USER = "acme", "ada"
PAGE_URL = "http://93.184.215.14/paper/{}"  # a public IP address; only the emulated archive receives it
TIMING = JobTiming(lease=60.0, grace=30.0, saving=0.0, max_crashes=10_000, sessions=60.0)
SECONDS_BETWEEN_PROCESSES = 100.0  # seconds that pass between a death and the next process
CURRENT_ITEM = ContextVar("item", default="-")  # inherited by child tasks
KILLS_PER_POINT = {"archive": 2}  # the second kill may hit the process that replaced the first
PREVIOUS_WRITE = ContextVar("before", default="-")
PRELOADED = (
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


class KillingStore:
    """Table or bucket that kills the process before a change, once at each point."""

    def __init__(self, inner: Any, kill_points: "KillPoints") -> None:
        self._inner, self._kill_points = inner, kill_points

    async def put(self, *args: Any, **kwargs: Any) -> Any:
        await self._kill_points.kill_once("put", self._inner, *args)
        return await self._inner.put(*args, **kwargs)

    async def delete(self, *args: Any, **kwargs: Any) -> Any:
        await self._kill_points.kill_once("delete", self._inner, *args)
        return await self._inner.delete(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class KillPoints:
    """The points at which a process was killed, recorded in a file.

    A point consists of an operation, a kind of row, the item, the count of this combination in the process, and the
    write before it. One of every `of` items has such points, and three quarters of its points are used: a process that
    is killed at the first of two points reaches the second one by another path.
    """

    def __init__(self, path: Path, of: int) -> None:
        self._path, self._of = path, of
        self._past_kills = Counter(path.read_text().splitlines() if path.exists() else ())
        self._counts: Counter[str] = Counter()

    async def kill_once(self, operation: str, store: Any, key: str, sort: Any = "-", value: Any = b"") -> None:
        kind = key.partition("/")[0]
        item = await self._item(store, key, sort, value)
        name, previous = f"{operation} {kind} {item}", PREVIOUS_WRITE.get()
        self._counts[name] += 1
        point = f"{name} {self._counts[name]} {previous}"
        PREVIOUS_WRITE.set(f"{operation}-{kind}")
        if self._past_kills[point] >= KILLS_PER_POINT.get(kind, 1) or (
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
            CURRENT_ITEM.set(sort.rpartition("/")[2])
        elif kind == "due" and (row := value or getattr(await store.get(key, sort), "value", b"")):
            CURRENT_ITEM.set(json.loads(row)["id"])
        return CURRENT_ITEM.get()


def open_services(environ: dict[str, str], later: float = 0.0) -> Services:
    """Open the services of an environment with a clock that is `later` seconds ahead."""

    def clock() -> float:
        return time.time() + later

    settings = Settings.read(environ)
    if not settings.table_name:
        services = local_services(settings, clock)
        services.observers = []
        return services
    from assay.aws.dynamodb_table import DynamoTable
    from assay.aws.s3_bucket import S3Bucket

    stores = DynamoTable(settings.table_name, clock=clock), S3Bucket(settings.bucket_name, clock=clock)
    return Services(settings, *stores, clock=clock)


async def run_one_pass(environ: dict[str, str], kill_points: Path, of: int, later: float) -> bool:
    """Run the job once with a clock that is `later` seconds ahead; return whether nothing is left to do."""
    services = open_services(environ, later)
    points = KillPoints(kill_points, of)
    services.table, services.bucket = KillingStore(services.table, points), KillingStore(services.bucket, points)  # type: ignore[assignment]
    done = await run("archive", services, timing=TIMING)
    rows = await query_all(services.table, due_index.key_of("archive"))
    await services.close()
    return done.done == 0 and not rows


def preload(environ: dict[str, str]) -> None:
    """Do once what each forked process would otherwise do at its start: imports, TLS context, service models."""
    for name in PRELOADED:
        import_module(name)
    tls_context.build_context(tls_context.find_bundle(Settings.read(environ)))
    if "ASSAY_TABLE" in environ:
        import boto3

        for name in ("dynamodb", "s3"):
            boto3.client(name).close()  # fills botocore's cache of service models
    gc.freeze()


def drive(environ: dict[str, str], folder: Path, of: int, limit: float) -> dict[str, int]:
    """Fork processes one after another until one ends with nothing left to do."""
    began, kills, passes = time.monotonic(), 0, 0
    preload(environ)
    while time.monotonic() - began < limit:
        later = SECONDS_BETWEEN_PROCESSES * (passes + 1)
        (folder / "later").write_text(str(later))
        child = os.fork()
        if child == 0:
            is_over = asyncio.run(run_one_pass(environ, folder / "kill_points", of, later))
            os._exit(0 if is_over else 3)
        _, status = os.waitpid(child, 0)
        passes += 1
        if os.WIFSIGNALED(status):
            kills += 1
        elif os.WEXITSTATUS(status) == 0:
            return {"kills": kills, "passes": passes}
        elif os.WEXITSTATUS(status) != 3:
            raise RuntimeError("a pass failed")
    raise RuntimeError(f"not over after {limit:g} seconds, {kills} kills and {passes} passes")


async def begin_session(environ: dict[str, str], items: int) -> str:
    """Create a session with sources to archive."""
    services = open_services(environ)
    store = SessionStore(services.table, TENANT, USER, seconds=90 * 86_400)
    step = {"stepNumber": 1, "description": "look", "timestamp": "2026-11-22T00:00:00Z"}
    session_id = (await store.begin("Otters", step, completed=False, head={})).id
    await store.note(session_id, [{"url": PAGE_URL.format(n), "title": str(n)} for n in range(items)])
    watched = Watched(TENANT, USER, session_id, archive=True)
    await watch_session(services.table, watched, now=time.time())
    await services.close()
    return session_id


async def find_faults(
    environ: dict[str, str], session: str, items: int, captured: Counter[str], later: float
) -> list[str]:
    """Return the faults in the final state."""
    services = open_services(environ, later)
    pages = {PAGE_URL.format(n) for n in range(items)}
    owner = build_owner(TENANT, USER)
    watched = await watched_urls.list_watched(services, Caller(TENANT, USER), ["archive"])
    sources = (await SessionStore(services.table, TENANT, USER, seconds=90 * 86_400).read(session)).sources
    days = {item.sort.split("/")[0] for item in await query_all(services.table, results_log.page_of("archive", owner))}
    reported = [line["url"] for day in days for line in await _read_report(services, owner, day)]
    checks = {
        f"captured twice: {[page for page, count in captured.items() if count > 1][:5]}": set(captured.values()) == {1},
        f"never captured: {sorted(pages - set(captured))[:5]}": set(captured) == pages,
        "items are lost or not done": {e["url"] for e in watched if e["state"] == "done"} == pages,
        "an item has no copy": all("archivedUrl" in each for each in watched),
        f"the reports have {len(reported)} lines of {len(set(reported))} pages": sorted(reported) == sorted(pages),
        "a source lacks the address of its copy": all(source.get("archivedUrl") for source in sources),
        "rows are left in the index of due items": not await query_all(services.table, due_index.key_of("archive")),
        "reports are left to be written": not await results_log.list_stale_pages(services, "archive"),
    }
    await services.close()
    return [words for words, is_well in checks.items() if not is_well]


async def _read_report(services: Services, owner: str, day: str) -> list[dict[str, Any]]:
    body = await services.bucket.get(job_report.report_keys(owner, "archive", day).json)
    return [] if body is None else list(json.loads(body)["items"])


def run_experiment(backend: str, folder: Path, items: int, of: int, limit: float) -> Result:
    """Run the experiment in a new deployment."""
    began = time.monotonic()
    (folder / "later").write_text("0")
    with (
        serve_archive(lambda: time.time() + float((folder / "later").read_text())) as (url, captured),
        deployment(backend, folder) as environ,
    ):
        environ |= {"WAYBACK_BASE_URL": url, "CHROME_PATH": "disabled", "SESSION_TTL": "2160h"}
        session = asyncio.run(begin_session(environ, items))
        command = [sys.executable, str(Path(__file__)), "--drive", str(folder), "--of", str(of), "--limit", str(limit)]
        driver = subprocess.run(command, check=False, env=environ, capture_output=True, text=True)
        if driver.returncode:
            raise RuntimeError(driver.stderr)
        outcome = json.loads(driver.stdout)
        faults = asyncio.run(
            find_faults(environ, session, items, captured, SECONDS_BETWEEN_PROCESSES * outcome["passes"])
        )
    points = Counter(line.rsplit(" ", 3)[0] for line in (folder / "kill_points").read_text().splitlines())
    return Result(
        time.monotonic() - began, outcome["kills"], outcome["passes"], sum(captured.values()), dict(points), faults
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drive", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--backend", choices=["sqlite", "aws"], default="sqlite")
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--of", type=int, default=1)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds")
    options = parser.parse_args()
    if options.drive:
        print(json.dumps(drive(dict(os.environ), options.drive, options.of, options.limit)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        result = run_experiment(options.backend, Path(folder), options.items, options.of, options.limit)
    print(json.dumps(asdict(result), indent=1))
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
