"""The kinds of jobs, and what the common worker needs of each."""

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, NamedTuple

from assay.services import Services
from assay.work_queue.job_record import JobStore
from assay.work_queue.work_timing import WorkTiming

MODULES = {
    "crawl": "assay.crawl.crawl_kind",
    "audit": "assay.document_audit.audit_kind",
    "tool-call": "assay.entrypoints.call_kind",
    "webhook": "assay.webhooks.webhook_kind",
}


class TimeShare(NamedTuple):
    """The share of one worker: until `until` on the event loop's clock.

    `is_careful` asks to record each unit before working on it, since the last worker may have died on one.
    """

    timing: WorkTiming
    until: float
    is_careful: bool


class JobKind(NamedTuple):
    """A kind of job: where its records are, and how a worker advances one.

    `run_slice` returns the seconds until the next time slice may start, None if the job has ended. `count_units` counts
    the units of work that are done. `name` and `unit` are words for messages; a job that is done as a whole has no
    unit. `list_objects` names the objects that its record alone tells.
    """

    jobs: JobStore[Any]
    run_slice: Callable[[Services, Any, TimeShare], Awaitable[float | None]]
    count_units: Callable[[Services, Any], Awaitable[int]]
    name: str
    unit: str = ""
    list_objects: Callable[[Any], list[str]] = lambda _: []


def find_kind(name: str) -> JobKind:
    """Import the kind of that name only, for fast cold starts."""
    kind: JobKind = import_module(MODULES[name]).KIND
    return kind


def list_kinds() -> list[JobKind]:
    return [find_kind(name) for name in MODULES]
