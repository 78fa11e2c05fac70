"""Runs a job: all due tasks within the time limit, concurrently; tasks that crashed workers run alone."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from assay.context import Caller, Context, Services
from assay.crawl.politeness import HostBusy
from assay.errors import ToolError
from assay.jobs import due_index, job_registry, job_report, leases, results_log, session_sync
from assay.jobs.job_timing import DEFAULT_TIMING, JobTiming
from assay.jobs.leases import DIED, Claim
from assay.jobs.task import ScheduledJob, Task, TaskResult
from assay.sessions.session_views import stamp
from assay.state.audit import Call

UNCHECKED = "unchecked"
BUSY = "The host was busy with other requests."
LATE = "It exceeded its limit of {:g} seconds."


@dataclass
class RunSummary:
    """The result of a run. `left`: due tasks remain for the next run. `reports` are keys in the bucket."""

    job: str
    began: str
    done: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    again: int = 0
    parked: int = 0
    left: bool = False
    reports: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def wire(self) -> dict[str, Any]:
        return {
            "job": self.job,
            "beganAt": self.began,
            "seconds": round(self.seconds, 3),
            "done": self.done,
            "outcomes": dict(sorted(self.outcomes.items())),
            "toTryAgain": self.again,
            "parked": self.parked,
            "leftForNextTime": self.left,
            "reports": self.reports,
        }


async def run(
    name: str, services: Services, *, terms: JobTiming = DEFAULT_TIMING, seconds: float | None = None
) -> RunSummary:
    """Run the due tasks of a job within `seconds`.

    Raises NotFound for an unknown job, and ToolError if the table or the bucket fails; completed tasks stay so and the
    rest remains due.
    """
    began = time.perf_counter()
    job = job_registry.find_job(name)
    done = RunSummary(name, stamp(services.clock()))
    until = None if seconds is None else asyncio.get_running_loop().time() + seconds - terms.spare
    work = _Run(services, terms, job, done, until)
    await session_sync.gather(services, terms, work.is_out_of_time)
    await work.run_all()
    for mark in await results_log.stale(services, name):
        if not _is_past(until, terms.spare / 2):  # the next run writes the remaining ones
            done.reports += await job_report.write_report(services, terms, mark)
    done.seconds = time.perf_counter() - began
    return done


def _is_past(until: float | None, more: float = 0.0) -> bool:
    return until is not None and asyncio.get_running_loop().time() > until + more


class _Run:
    """The state of a run."""

    def __init__(
        self, services: Services, terms: JobTiming, job: ScheduledJob, done: RunSummary, until: float | None
    ) -> None:
        self._services, self._terms, self._job, self._done, self._until = services, terms, job, done, until
        self._work = job.begin(services, terms)
        self._suspects: list[Claim] = []
        self._reading = asyncio.Lock()

    async def run_all(self) -> None:
        """Run all due tasks; then, one by one, those on which workers have crashed."""
        async with aclosing(self._rows()) as rows:
            await self._side_by_side(rows)
        for claim in self._suspects:
            if self.is_out_of_time():
                return
            await self._one(claim)

    async def _side_by_side(self, rows: AsyncIterator[Claim]) -> None:
        """Run the workers; the first ToolError is raised unchanged."""
        failure: ToolError | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._job.at_once):
                    group.create_task(self._worker(rows))
        except* ToolError as failures:
            failure = next(each for each in failures.exceptions if isinstance(each, ToolError))
        if failure:
            raise failure

    async def _rows(self) -> AsyncGenerator[Claim]:
        now = self._services.clock()
        async for row in due_index.until(self._services.table, self._job.name, now):
            if claim := await leases.load_claim(self._services, self._terms, self._job.name, row):
                yield claim

    async def _worker(self, rows: AsyncIterator[Claim]) -> None:
        while (claim := await self._next(rows)) is not None:
            await self._one(claim)

    async def _next(self, rows: AsyncIterator[Claim]) -> Claim | None:
        """Return the next task that may run concurrently; None if there is none, or no time for it."""
        async with self._reading:
            async for claim in rows:
                if self.is_out_of_time():
                    return None
                if not claim.errand.claims:
                    return claim
                self._suspects.append(claim)
            return None

    def is_out_of_time(self) -> bool:
        """Whether no time is left to start another task."""
        late = _is_past(self._until, -self._job.longest)
        self._done.left = self._done.left or late
        return late

    async def _one(self, claim: Claim) -> None:
        if not await session_sync.is_wanted(self._services, claim.errand):
            await leases.delete_task(self._services, claim)
            return
        ours = await leases.claim_task(self._services, self._terms, claim)
        if ours is None:
            return
        began = time.perf_counter()
        found = await self._run_task(ours.errand)
        ended = await leases.complete_task(self._services, self._terms, self._job, ours, found)
        if ended is not None:
            self._count(ended, found)
            self._observe(ended, found, time.perf_counter() - began)

    async def _run_task(self, errand: Task) -> TaskResult:
        """Run the task; a failure becomes a result."""
        if errand.claims > self._terms.deaths:
            return TaskResult("never", UNCHECKED, reason=DIED.format(errand.claims - 1))
        caller = Caller(errand.tenant, errand.user)
        deadline = asyncio.get_running_loop().time() + self._job.longest
        ctx = Context(self._services, caller, "schedule", deadline=deadline)
        try:
            async with asyncio.timeout_at(deadline):
                return await self._work(ctx, errand)
        except TimeoutError:
            return TaskResult("again", UNCHECKED, reason=LATE.format(self._job.longest))
        except HostBusy:
            return TaskResult("wait", reason=BUSY)
        except ToolError as failure:
            told = {"retryAfter": failure.retry_after} if failure.retry_after else {}
            return TaskResult("again" if failure.retryable else "never", UNCHECKED, told, failure.sentence())

    def _count(self, errand: Task, found: TaskResult) -> None:
        self._done.done += 1
        if found.how == "wait":
            self._done.again += 1
            return
        self._done.outcomes[found.outcome] += 1
        self._done.parked += errand.state == "parked"
        self._done.again += found.how == "again" and errand.state == "due"

    def _observe(self, errand: Task, found: TaskResult, seconds: float) -> None:
        call = Call(
            at=self._services.clock(),
            tool=self._job.name,
            tenant=errand.tenant,
            user=errand.user,
            entrypoint="schedule",
            request_id="",
            seconds=seconds,
            error=None if found.how in ("well", "wait") else found.outcome,
            cached=False,
            query_length=0,
        )
        for observer in self._services.observers:
            observer(call)
