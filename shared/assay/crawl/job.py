"""The stored record of a crawl: its request, its state and its result."""

import json
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from assay.state import json_documents
from assay.state.json_documents import Document
from assay.state.ports import Conflict, TableStore

ACTIVE = "crawls/active"  # jobs that have not ended, for the sweeper
PAGE_ROWS = 200  # rows per query

type Status = Literal["queued", "running", "completed", "failed", "cancelled"]
ENDED = frozenset({"completed", "failed", "cancelled"})


class CrawlJob(BaseModel):
    """Times are epoch seconds. `turn` is incremented with every message that continues the job."""

    id: str
    tenant: str
    url: str
    render: bool = False
    max_depth: int
    max_pages: int
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    sitemaps: bool = False
    created: float
    until: float  # when all of its data expires
    status: Status = "queued"
    turn: int = 0
    completed: float | None = None
    pages: int | None = None  # number of log entries, set when the log is final
    error: str | None = None  # why it failed
    stopped: str | None = None  # why it ended before all pages were read
    requeues: int = 0  # since a page was last logged
    requeued_at: float = 0.0
    pages_at_requeue: int = 0

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED


class Count(NamedTuple):
    """Cumulative counts in a row of the log. `progress` is a percentage and never decreases."""

    tried: int = 0
    crawled: int = 0
    found: int = 1
    progress: int = 0


class JobEnded(Exception):
    """The job has ended, or another worker has taken it."""


def key_of(crawl: str) -> str:
    return f"crawl/{crawl}"


async def create(table: TableStore, job: CrawlJob) -> None:
    """Store a new job and add it to the list of active jobs."""
    await table.put(key_of(job.id), "-", json_documents.encode(job.model_dump()), until=job.until, expect=0)
    await json_documents.save(table, ACTIVE, job.id, {"tenant": job.tenant}, until=job.until)


async def load(table: TableStore, crawl: str) -> CrawlJob | None:
    document = await json_documents.load(table, key_of(crawl))
    return None if document is None else CrawlJob.model_validate(document)


async def change(table: TableStore, job: CrawlJob, **changes: Any) -> CrawlJob:
    """Apply `changes` to the stored job and return it. Raises JobEnded if the job has ended."""

    def edit(document: Document | None) -> Document:
        if document is None or document["status"] in ENDED:
            raise JobEnded
        return document | changes

    return CrawlJob.model_validate(await json_documents.update(table, key_of(job.id), "-", edit, until=job.until))


async def end(table: TableStore, job: CrawlJob, status: Status, now: float, *, pages: int, **reasons: Any) -> CrawlJob:
    """End the job. If it has ended already, return it unchanged."""
    try:
        job = await change(table, job, status=status, completed=now, pages=pages, **reasons)
    except JobEnded:
        job = await load(table, job.id) or job
    await table.delete(ACTIVE, job.id)
    return job


async def list_active(table: TableStore) -> list[tuple[str, str]]:
    """Return the job and tenant of every job that has not ended."""
    active: list[tuple[str, str]] = []
    after: str | None = None
    while True:
        page = await table.query(ACTIVE, after=after, limit=PAGE_ROWS)
        active += [(item.sort, json.loads(item.value)["tenant"]) for item in page.items]
        if page.after is None:
            return active
        after = page.after


class Lease:
    """A lease on a job. Two workers with the same job do no harm; the lease only avoids duplicate work."""

    def __init__(self, table: TableStore, crawl: str, worker: str) -> None:
        self._table, self._key, self._worker = table, key_of(crawl), worker
        self._version = 0

    async def take(self, now: float, seconds: float, until: float) -> float:
        """Take the lease. Return 0.0 on success, else the seconds until it may be free."""
        item = await self._table.get(self._key, "lease")
        leased_until = json.loads(item.value)["until"] if item else 0.0
        if leased_until > now:
            return float(leased_until) - now
        try:
            await self._put(now + seconds, until, item.version if item else 0)
        except Conflict:
            return seconds
        return 0.0

    async def renew(self, now: float, seconds: float, until: float) -> None:
        """Extend the lease. Raises Conflict if another worker has taken it."""
        await self._put(now + seconds, until, self._version)

    async def release(self, now: float, until: float) -> None:
        """Release the lease if this worker still has it."""
        with suppress(Conflict):
            await self._put(now, until, self._version)

    async def _put(self, leased_until: float, until: float, expect: int) -> None:
        value = json_documents.encode({"worker": self._worker, "until": leased_until})
        self._version = await self._table.put(self._key, "lease", value, until=until, expect=expect)


async def last_heartbeat(table: TableStore, job: CrawlJob) -> float:
    """Return the last heartbeat of a worker, or the time since which the job waits for one; in the future if leased."""
    document = await json_documents.load(table, key_of(job.id), "lease")
    return max(job.created, job.requeued_at, document["until"] if document else 0.0)
