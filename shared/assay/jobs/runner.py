"""Runs a job: all due tasks within the time limit, concurrently; tasks that crashed workers run alone."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from assay.caller import Caller
from assay.context import Context
from assay.crawl.politeness import HostBusy
from assay.errors import ToolError
from assay.jobs import due_index, job_registry, job_report, leases, results_log, session_sync
from assay.jobs.job_timing import DEFAULT_TIMING, JobTiming
from assay.jobs.leases import CRASHED, Claim
from assay.jobs.task import ScheduledJob, Task, TaskResult
from assay.services import Services
from assay.sessions.session_views import format_time
from assay.state.audit import Call

UNCHECKED = "unchecked"
BUSY = "The host was busy with other requests."
TIMED_OUT = "It exceeded its limit of {:g} seconds."


@dataclass
class RunSummary:
    """The result of a run. `has_more_due`: due tasks remain for the next run. `reports` are keys in the bucket."""

    job: str
    began: str
    done: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    retried: int = 0
    parked: int = 0
    has_more_due: bool = False
    reports: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def wire(self) -> dict[str, Any]:
        return {
            "job": self.job,
            "beganAt": self.began,
            "seconds": round(self.seconds, 3),
            "done": self.done,
            "outcomes": dict(sorted(self.outcomes.items())),
            "toTryAgain": self.retried,
            "parked": self.parked,
            "leftForNextTime": self.has_more_due,
            "reports": self.reports,
        }


async def run(
    name: str, services: Services, *, timing: JobTiming = DEFAULT_TIMING, seconds: float | None = None
) -> RunSummary:
    """Run the due tasks of a job within `seconds`.

    Raises NotFound for an unknown job, and ToolError if the table or the bucket fails; completed tasks stay so and the
    rest remains due.
    """
    began = time.perf_counter()
    job = job_registry.find_job(name)
    summary = RunSummary(name, format_time(services.clock()))
    until = None if seconds is None else asyncio.get_running_loop().time() + seconds - timing.spare
    if not job.is_enabled(services.settings):
        return summary
    current = _Run(services, timing, job, summary, until)
    await session_sync.create_session_tasks(services, timing, current.is_out_of_time)
    await current.run_all()
    for mark in await results_log.list_stale_pages(services, name):
        if not _is_past(until, timing.spare / 2):  # the next run writes the remaining ones
            summary.reports += await job_report.write_report(services, timing, mark) or ()
    summary.seconds = time.perf_counter() - began
    return summary


def _is_past(until: float | None, more: float = 0.0) -> bool:
    return until is not None and asyncio.get_running_loop().time() > until + more


class _Run:
    """The state of a run."""

    def __init__(
        self, services: Services, timing: JobTiming, job: ScheduledJob, summary: RunSummary, until: float | None
    ) -> None:
        self._services, self._timing, self._job, self._summary, self._until = services, timing, job, summary, until
        self._work = job.begin(services, timing)
        self._suspects: list[Claim] = []
        self._reading = asyncio.Lock()

    async def run_all(self) -> None:
        """Run all due tasks; then, one by one, those on which workers have crashed."""
        async with aclosing(self._iter_claims()) as claims:
            await self._run_concurrently(claims)
        for claim in self._suspects:
            if self.is_out_of_time():
                return
            await self._process(claim)

    async def _run_concurrently(self, claims: AsyncIterator[Claim]) -> None:
        """Run the workers; the first ToolError is raised unchanged."""
        failure: ToolError | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._job.concurrency):
                    group.create_task(self._worker(claims))
        except* ToolError as failures:
            failure = next(each for each in failures.exceptions if isinstance(each, ToolError))
        if failure:
            raise failure

    async def _iter_claims(self) -> AsyncGenerator[Claim]:
        now = self._services.clock()
        async for row in due_index.iter_due_rows(self._services.table, self._job.name, now):
            if claim := await leases.load_claim(self._services, self._timing, self._job.name, row):
                yield claim

    async def _worker(self, claims: AsyncIterator[Claim]) -> None:
        while (claim := await self._next(claims)) is not None:
            await self._process(claim)

    async def _next(self, claims: AsyncIterator[Claim]) -> Claim | None:
        """Return the next task that may run concurrently; None if there is none, or no time for it."""
        async with self._reading:
            async for claim in claims:
                if self.is_out_of_time():
                    return None
                if not claim.task.claims:
                    return claim
                self._suspects.append(claim)
            return None

    def is_out_of_time(self) -> bool:
        """Whether no time is left to start another task."""
        late = _is_past(self._until, -self._job.max_seconds)
        self._summary.has_more_due = self._summary.has_more_due or late
        return late

    async def _process(self, claim: Claim) -> None:
        is_wanted = self._job.is_wanted or session_sync.is_wanted
        if not await is_wanted(self._services, claim.task):
            await leases.delete_task(self._services, claim)
            return
        claimed = await leases.claim_task(self._services, self._timing, claim)
        if claimed is None:
            return
        began = time.perf_counter()
        result = await self._run_task(claimed.task)
        ended = await leases.complete_task(self._services, self._timing, self._job, claimed, result)
        if ended is not None:
            self._count(ended, result)
            self._observe(ended, result, time.perf_counter() - began)

    async def _run_task(self, task: Task) -> TaskResult:
        """Run the task; a failure becomes a result."""
        if task.claims > self._timing.max_crashes:
            return TaskResult("failed", UNCHECKED, reason=CRASHED.format(task.claims - 1))
        caller = Caller(task.tenant, task.user)
        deadline = asyncio.get_running_loop().time() + self._job.max_seconds
        ctx = Context(self._services, caller, "schedule", deadline=deadline)
        try:
            async with asyncio.timeout_at(deadline):
                return await self._work(ctx, task)
        except TimeoutError:
            return TaskResult("retry", UNCHECKED, reason=TIMED_OUT.format(self._job.max_seconds))
        except HostBusy:
            return TaskResult("deferred", reason=BUSY)
        except ToolError as failure:
            fields = {"retryAfter": failure.retry_after} if failure.retry_after else {}
            return TaskResult("retry" if failure.retryable else "failed", UNCHECKED, fields, failure.sentence())

    def _count(self, task: Task, result: TaskResult) -> None:
        self._summary.done += 1
        if result.status == "deferred":
            self._summary.retried += 1
            return
        self._summary.outcomes[result.outcome] += 1
        self._summary.parked += task.state == "parked"
        self._summary.retried += result.status == "retry" and task.state == "due"

    def _observe(self, task: Task, result: TaskResult, seconds: float) -> None:
        call = Call(
            at=self._services.clock(),
            tool=self._job.name,
            tenant=task.tenant,
            user=task.user,
            entrypoint="schedule",
            request_id="",
            seconds=seconds,
            error=None if result.status in ("ok", "deferred") else result.outcome,
            cached=False,
            query_length=0,
        )
        for observer in self._services.observers:
            observer(call)
