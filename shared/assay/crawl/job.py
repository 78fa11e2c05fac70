"""A crawl's own row: what was asked, how far it is, and how it ended."""

import json
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from assay.state import json_documents
from assay.state.json_documents import Document
from assay.state.ports import Conflict, TableStore

ACTIVE = "crawls/active"  # the jobs that are not at their end, so that a sweeper finds them
AT_ONCE = 200  # rows looked at in one question

type Status = Literal["queued", "running", "completed", "failed", "cancelled"]
ENDED = frozenset({"completed", "failed", "cancelled"})


class CrawlJob(BaseModel):
    """Times are epoch seconds. `turn` grows with every message that carries the job on."""

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
    until: float  # when all of it is forgotten
    status: Status = "queued"
    turn: int = 0
    completed: float | None = None
    pages: int | None = None  # how many are in the log, once no more may come
    error: str | None = None  # why it failed
    stopped: str | None = None  # why it ended before it had seen all
    called: int = 0  # times it was called again in vain
    called_at: float = 0.0
    called_with: int = 0  # pages it then had

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED


class Count(NamedTuple):
    """What a row of the log says of all until there. `progress` is in percent and never falls."""

    tried: int = 0
    crawled: int = 0
    found: int = 1
    progress: int = 0


class JobEnded(Exception):
    """The job came to its end meanwhile, or is another's."""


def key_of(crawl: str) -> str:
    return f"crawl/{crawl}"


async def create(table: TableStore, job: CrawlJob) -> None:
    """Keep a new job and put it on the list of those that are not at their end."""
    await table.put(key_of(job.id), "-", json_documents.encode(job.model_dump()), until=job.until, expect=0)
    await json_documents.save(table, ACTIVE, job.id, {"tenant": job.tenant}, until=job.until)


async def load(table: TableStore, crawl: str) -> CrawlJob | None:
    document = await json_documents.load(table, key_of(crawl))
    return None if document is None else CrawlJob.model_validate(document)


async def change(table: TableStore, job: CrawlJob, **changes: Any) -> CrawlJob:
    """The job with the changes made, as it is then. Raises Over where it has come to its end, which stands."""

    def edit(document: Document | None) -> Document:
        if document is None or document["status"] in ENDED:
            raise JobEnded
        return document | changes

    return CrawlJob.model_validate(await json_documents.update(table, key_of(job.id), "-", edit, until=job.until))


async def end(table: TableStore, job: CrawlJob, status: Status, now: float, *, pages: int, **words: Any) -> CrawlJob:
    """The job at its end. Who comes second finds it ended and changes nothing."""
    try:
        job = await change(table, job, status=status, completed=now, pages=pages, **words)
    except JobEnded:
        job = await load(table, job.id) or job
    await table.delete(ACTIVE, job.id)
    return job


async def active(table: TableStore) -> list[tuple[str, str]]:
    """Job and tenant of all that are not at their end."""
    found: list[tuple[str, str]] = []
    after: str | None = None
    while True:
        page = await table.query(ACTIVE, after=after, limit=AT_ONCE)
        found += [(item.sort, json.loads(item.value)["tenant"]) for item in page.items]
        if page.after is None:
            return found
        after = page.after


class Lease:
    """Whose the job is for a while. Nothing wrong comes of two who believe it is theirs; it only saves them work."""

    def __init__(self, table: TableStore, crawl: str, worker: str) -> None:
        self._table, self._key, self._worker = table, key_of(crawl), worker
        self._version = 0

    async def take(self, now: float, seconds: float, until: float) -> float:
        """0.0 when it is ours now, else the seconds until it may be."""
        item = await self._table.get(self._key, "lease")
        held = json.loads(item.value)["until"] if item else 0.0
        if held > now:
            return float(held) - now
        try:
            await self._put(now + seconds, until, item.version if item else 0)
        except Conflict:
            return seconds
        return 0.0

    async def renew(self, now: float, seconds: float, until: float) -> None:
        """Raises Conflict when another has taken it."""
        await self._put(now + seconds, until, self._version)

    async def leave(self, now: float, until: float) -> None:
        """Give it up at once; another's is left alone."""
        with suppress(Conflict):
            await self._put(now, until, self._version)

    async def _put(self, held: float, until: float, expect: int) -> None:
        value = json_documents.encode({"worker": self._worker, "until": held})
        self._version = await self._table.put(self._key, "lease", value, until=until, expect=expect)


async def last_heartbeat(table: TableStore, job: CrawlJob) -> float:
    """When a worker last said that it lives, or since when the job waits for one; ahead of now while one has it."""
    document = await json_documents.load(table, key_of(job.id), "lease")
    return max(job.created, job.called_at, document["until"] if document else 0.0)
