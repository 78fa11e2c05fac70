"""A task: one URL that one job processes for one user; and the definition of a job."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from assay.context import Context
from assay.jobs.job_timing import DEFAULT_INTERVAL, JobTiming
from assay.services import Services
from assay.sessions.session_keys import build_owner
from assay.settings import Settings
from assay.state.ports import TableStore
from assay.state.table_rows import query_all

type State = Literal["due", "done", "parked"]


class Task(BaseModel):
    """Times are epoch seconds. `due_key` is the sort key of the task's row in the due index, "" if it has none.

    `finding` is the last result: outcome, checkedAt and job-specific fields. `previous_outcome` is the one before it.
    """

    job: str
    tenant: str
    user: str
    url: str
    requested_at: float  # when it was last requested; only later results count
    watched: bool = False  # a user requested it; otherwise only its sessions need it
    sessions: tuple[str, ...] = ()
    every: float = DEFAULT_INTERVAL
    state: State = "due"
    due_key: str = ""
    claims: int = 0  # attempts by workers that did not report back
    tries: int = 0  # failures in a row
    finding: dict[str, Any] | None = None
    previous_outcome: str | None = None
    reason: str | None = None  # why it is parked or will be retried

    @property
    def id(self) -> str:
        return hashlib.sha256(self.url.encode()).hexdigest()

    @property
    def owner(self) -> str:
        return build_owner(self.tenant, self.user)

    @property
    def key(self) -> str:
        return key_of(self.job, self.owner)

    @property
    def due(self) -> float | None:
        """The time when it is due; None if it has ended."""
        return float(self.due_key.partition("/")[0]) if self.due_key else None


@dataclass(frozen=True)
class TaskResult:
    """The result of a task.

    `ok`: done until next time. `retry`: failed temporarily. `failed`: failed for good. `deferred`: not tried. `outcome`
    is a word for reports; `fields` holds further fields in the wire format; `reason` is a sentence.
    """

    status: Literal["ok", "retry", "failed", "deferred"]
    outcome: str = ""
    fields: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None


type Work = Callable[[Context, Task], Awaitable[TaskResult]]


class ScheduledJob(NamedTuple):
    """`begin` creates what the tasks of one run share. Completed tasks of a recurring job are due again.

    A task that is not wanted is deleted instead of run; by default, one that no user and no live session watches.
    """

    name: str
    begin: Callable[[Services, JobTiming], Work]
    max_seconds: float
    concurrency: int
    is_recurring: bool
    is_wanted: Callable[[Services, Task], Awaitable[bool]] | None = None
    is_enabled: Callable[[Settings], bool] = lambda _: True


def key_of(job: str, owner: str) -> str:
    return f"errands/{job}/{owner}"


async def load_task(table: TableStore, job: str, owner: str, id_: str) -> tuple[Task, int] | None:
    """Return the task and its version."""
    item = await table.get(key_of(job, owner), id_)
    return None if item is None else (Task.model_validate(json.loads(item.value)), item.version)


async def load_tasks_by_owner(table: TableStore, job: str, owner: str) -> dict[str, tuple[Task, int]]:
    """Return all tasks of one user with their versions, by URL."""
    items = await query_all(table, key_of(job, owner))
    tasks = [(Task.model_validate(json.loads(item.value)), item.version) for item in items]
    return {task.url: (task, version) for task, version in tasks}
