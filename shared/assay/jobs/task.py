"""An errand: one address that one job sees to for one person; and what a job is."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from assay.context import Context, Services
from assay.jobs.job_timing import EVERY, JobTiming
from assay.sessions.session_keys import everything, owner_of
from assay.state.ports import TableStore

type State = Literal["due", "done", "parked"]


class Task(BaseModel):
    """Times are epoch seconds. `place` is the one row among the due that speaks for it, "" where none does.

    `finding` is what was found out last: outcome, checkedAt, and what else the job tells. `was` is the outcome before.
    """

    job: str
    tenant: str
    user: str
    url: str
    armed: float  # since when what is done counts
    watched: bool = False  # somebody asked for it; otherwise it is here for the sake of its sessions
    sessions: tuple[str, ...] = ()
    every: float = EVERY
    state: State = "due"
    place: str = ""
    claims: int = 0  # by workers of whom nothing more was heard
    tries: int = 0  # in a row that failed
    finding: dict[str, Any] | None = None
    was: str | None = None
    reason: str | None = None  # why it is parked, or is to be tried again

    @property
    def id(self) -> str:
        return hashlib.sha256(self.url.encode()).hexdigest()

    @property
    def owner(self) -> str:
        return owner_of(self.tenant, self.user)

    @property
    def key(self) -> str:
        return key_of(self.job, self.owner)

    @property
    def due(self) -> float | None:
        """When it is to be seen to; None where it is over."""
        return float(self.place.partition("/")[0]) if self.place else None


@dataclass(frozen=True)
class TaskResult:
    """How an errand went.

    `well`: it is done, until next time. `again`: it failed for now. `never`: it will always fail. `wait`: it was not
    tried. `outcome` is a word for reports; `told` is kept with it, in the words of answers; `reason` is a sentence.
    """

    how: Literal["well", "again", "never", "wait"]
    outcome: str = ""
    told: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None


type Work = Callable[[Context, Task], Awaitable[TaskResult]]


class ScheduledJob(NamedTuple):
    """`begin` makes what the work of one pass shares. `longest` is in seconds; `again` whether a done errand comes
    again."""

    name: str
    begin: Callable[[Services, JobTiming], Work]
    longest: float
    at_once: int
    again: bool


def key_of(job: str, owner: str) -> str:
    return f"errands/{job}/{owner}"


async def load(table: TableStore, job: str, owner: str, id_: str) -> tuple[Task, int] | None:
    """The errand and its version."""
    item = await table.get(key_of(job, owner), id_)
    return None if item is None else (Task.model_validate(json.loads(item.value)), item.version)


async def of_owner(table: TableStore, job: str, owner: str) -> dict[str, tuple[Task, int]]:
    """All errands of one person with their versions, by address."""
    items = await everything(table, key_of(job, owner))
    found = [(Task.model_validate(json.loads(item.value)), item.version) for item in items]
    return {errand.url: (errand, version) for errand, version in found}
