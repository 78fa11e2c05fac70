"""The stored record of a job, whatever its kind: its state, its lease, and the list of jobs that have not ended."""

import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from assay.state import json_documents
from assay.state.clock_skew import is_ahead
from assay.state.json_documents import Document
from assay.state.owned_data import record_owner
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import hash_names, query_all

type Status = Literal["queued", "running", "completed", "failed", "cancelled"]
ENDED = frozenset({"completed", "failed", "cancelled"})


class Job(BaseModel):
    """Times are epoch seconds. `turn` is incremented with every message that continues the job."""

    id: str
    tenant: str
    user: str = ""  # of the tenant, who started it
    created: float
    until: float  # when all of its data expires
    status: Status = "queued"
    turn: int = 0
    due: float = 0.0  # before that time no time slice starts
    completed: float | None = None
    units: int | None = None  # number of units of work that are done, set when the job has ended
    error: str | None = None  # why it failed
    stopped: str | None = None  # why it ended before all of its work was done
    requeues: int = 0  # since a unit was last done
    requeued_at: float = 0.0
    units_at_requeue: int = 0

    @property
    def is_ended(self) -> bool:
        return self.status in ENDED

    @property
    def subject(self) -> str:
        """What it works on, in words of the person who started it."""
        return ""

    @property
    def planned_units(self) -> int | None:
        """The number of units of work that it has, if that is known before its end."""
        return None


class JobEnded(Exception):
    """The job has ended, or another worker has taken it."""


def build_job_id(now: float) -> str:
    """A new id that nobody can guess. Ids sort in the order of their times, so that the index of a person's does."""
    return f"{int(now * 1000):012x}{secrets.token_hex(10)}"


def list_sort(tenant: str, job: str) -> str:
    """The sort key of a job in the lists of its kind, where the jobs of a tenant are together."""
    return f"{hash_names(tenant)}/{job}"


def find_listed_id(sort: str) -> str:
    """The id of the job with this sort key in a list."""
    return sort.rpartition("/")[2]


@dataclass(frozen=True)
class JobStore[J: Job]:
    """The stored jobs of one kind, such as "crawl". With `parks_failed`, those that failed are listed for a retry."""

    kind: str
    model: type[J]
    parks_failed: bool = False

    @property
    def active_key(self) -> str:
        """The key of the list of jobs that have not ended, for the sweeper."""
        return f"{self.kind}s/active"

    @property
    def parked_key(self) -> str:
        """The key of the list of jobs that failed."""
        return f"{self.kind}s/parked"

    def key_of(self, job: str) -> str:
        return f"{self.kind}/{job}"

    def build_message(self, job: str, turn: int) -> str:
        """The message that continues the job."""
        return json.dumps({self.kind: job, "turn": turn})

    async def record(self, table: TableStore, job: J) -> None:
        """Store a new job that no worker has to advance."""
        if job.user:
            await record_owner(table, job.tenant, job.user, self.kind, job.id, until=job.until)
        await table.put(self.key_of(job.id), "-", json_documents.encode(job.model_dump()), until=job.until, expect=0)

    async def create(self, table: TableStore, job: J) -> None:
        """Add a new job to the list of active jobs and store it."""
        await self.list_job(table, self.active_key, job)  # first: a job that is not listed would never be resumed
        await self.record(table, job)

    async def load(self, table: TableStore, job: str) -> J | None:
        document = await json_documents.load(table, self.key_of(job))
        return None if document is None else self.model.model_validate(document)

    async def change(self, table: TableStore, job: J, **changes: Any) -> J:
        """Apply `changes` to the stored job and return it. Raises JobEnded if the job has ended."""

        def edit(document: Document | None) -> Document:
            if document is None or document["status"] in ENDED:
                raise JobEnded
            return document | changes

        key = self.key_of(job.id)
        return self.model.model_validate(await json_documents.update(table, key, "-", edit, until=job.until))

    async def end(self, table: TableStore, job: J, status: Status, now: float, *, units: int, **reasons: Any) -> J:
        """End the job. If it has ended already, return it unchanged."""
        try:
            job = await self.change(table, job, status=status, completed=now, units=units, **reasons)
        except JobEnded:
            job = await self.load(table, job.id) or job
        if self.parks_failed and job.status == "failed":
            await self.list_job(table, self.parked_key, job)
        await table.delete(self.active_key, list_sort(job.tenant, job.id))
        return job

    async def reopen(self, table: TableStore, job: J, now: float) -> J:
        """Let a job that failed continue; the caller sends the message of its turn. It can be repeated."""
        fresh = {"status": "queued", "turn": job.turn + 1, "requeues": 0, "requeued_at": now}
        fresh |= dict.fromkeys(("completed", "units", "error", "stopped"))

        def edit(document: Document | None) -> Document:
            if document is None or document["status"] not in ("failed", "queued"):
                raise JobEnded
            return document | fresh

        key = self.key_of(job.id)
        job = self.model.model_validate(await json_documents.update(table, key, "-", edit, until=job.until))
        await self.list_job(table, self.active_key, job)
        return job

    async def list_job(self, table: TableStore, key: str, job: J) -> None:
        """Add the job to the list `key` of its kind: the active or the parked ones."""
        document = {"tenant": job.tenant}
        await json_documents.save(table, key, list_sort(job.tenant, job.id), document, until=job.until)

    async def list_active(self, table: TableStore) -> list[tuple[str, str]]:
        """Return the id and tenant of every job that has not ended."""
        rows = await query_all(table, self.active_key)
        return [(find_listed_id(row.sort), json.loads(row.value)["tenant"]) for row in rows]

    async def count_active(self, table: TableStore, tenant: str) -> int:
        """Count the tenant's jobs that have not ended; other tenants' jobs cost no reads."""
        return len(await query_all(table, self.active_key, list_sort(tenant, "")))

    async def last_heartbeat(self, table: TableStore, job: J) -> float:
        """Return the last heartbeat of a worker, or the time since which the job waits; in the future if leased."""
        document = await json_documents.load(table, self.key_of(job.id), "lease")
        return max(job.created, job.requeued_at, job.due, document["until"] if document else 0.0)


class Lease:
    """A lease on a job. Two workers with the same job do no harm; the lease only avoids duplicate work."""

    def __init__(self, table: TableStore, key: str, worker: str) -> None:
        self._table, self._key, self._worker = table, key, worker
        self._version = 0

    async def take(self, now: float, seconds: float, until: float) -> float:
        """Take the lease. Return 0.0 on success, else the seconds until it may be free."""
        item = await self._table.get(self._key, "lease")
        leased_until = json.loads(item.value)["until"] if item else 0.0
        if leased_until > now and not is_ahead(leased_until, now, seconds):
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
