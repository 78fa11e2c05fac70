"""One pass of a job: all that is due, as far as the time reaches, many at a time and the dangerous alone."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from assay import jobs
from assay.audit import Call
from assay.context import Caller, Context, Services
from assay.crawl.manners import Busy
from assay.errors import ToolError
from assay.jobs import claims, due, journal, live, report
from assay.jobs.claims import DIED, Claim
from assay.jobs.errand import Errand, Found, Job
from assay.jobs.terms import TERMS, Terms
from assay.sessions.told import stamp

UNCHECKED = "unchecked"
BUSY = "Others kept the host busy."
LATE = "It took longer than the {:g} seconds it has."


@dataclass
class Pass:
    """What a pass did. `left`: something due was left for the next one. `reports` are names in the bucket."""

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


async def run(name: str, services: Services, *, terms: Terms = TERMS, seconds: float | None = None) -> Pass:
    """See to what is due of the job, in the `seconds` there are. Raises NotFound for an unknown job, and a ToolError
    where the table or the bucket fails: what was done until then is kept, and the rest is due again.
    """
    began = time.perf_counter()
    job = jobs.find(name)
    done = Pass(name, stamp(services.clock()))
    until = None if seconds is None else asyncio.get_running_loop().time() + seconds - terms.spare
    work = _Run(services, terms, job, done, until)
    await live.gather(services, terms, work.is_late)
    await work.through()
    for mark in await journal.stale(services, name):
        if not _is_past(until, terms.spare / 2):  # whatever is left, the next pass writes
            done.reports += await report.written(services, terms, mark)
    done.seconds = time.perf_counter() - began
    return done


def _is_past(until: float | None, more: float = 0.0) -> bool:
    return until is not None and asyncio.get_running_loop().time() > until + more


class _Run:
    """The middle of a pass."""

    def __init__(self, services: Services, terms: Terms, job: Job, done: Pass, until: float | None) -> None:
        self._services, self._terms, self._job, self._done, self._until = services, terms, job, done, until
        self._work = job.begin(services, terms)
        self._suspects: list[Claim] = []
        self._reading = asyncio.Lock()

    async def through(self) -> None:
        """All that is due now; then, one by one, those over which workers have died."""
        async with aclosing(self._rows()) as rows:
            await self._side_by_side(rows)
        for claim in self._suspects:
            if self.is_late():
                return
            await self._one(claim)

    async def _side_by_side(self, rows: AsyncIterator[Claim]) -> None:
        """The first ToolError that one of the workers meets is raised as it is."""
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
        async for row in due.until(self._services.table, self._job.name, now):
            if claim := await claims.look(self._services, self._terms, self._job.name, row):
                yield claim

    async def _worker(self, rows: AsyncIterator[Claim]) -> None:
        while (claim := await self._next(rows)) is not None:
            await self._one(claim)

    async def _next(self, rows: AsyncIterator[Claim]) -> Claim | None:
        """The next errand that is safe to work on beside others; None where there is none, or no time for it."""
        async with self._reading:
            async for claim in rows:
                if self.is_late():
                    return None
                if not claim.errand.claims:
                    return claim
                self._suspects.append(claim)
            return None

    def is_late(self) -> bool:
        """There is no time to begin anything more."""
        late = _is_past(self._until, -self._job.longest)
        self._done.left = self._done.left or late
        return late

    async def _one(self, claim: Claim) -> None:
        if not await live.is_wanted(self._services, claim.errand):
            await claims.forget(self._services, claim)
            return
        ours = await claims.take(self._services, self._terms, claim)
        if ours is None:
            return
        began = time.perf_counter()
        found = await self._found(ours.errand)
        ended = await claims.end(self._services, self._terms, self._job, ours, found)
        if ended is not None:
            self._count(ended, found)
            self._observe(ended, found, time.perf_counter() - began)

    async def _found(self, errand: Errand) -> Found:
        """What the job finds out; a failure is what is found, too."""
        if errand.claims > self._terms.deaths:
            return Found("never", UNCHECKED, reason=DIED.format(errand.claims - 1))
        caller = Caller(errand.tenant, errand.user)
        deadline = asyncio.get_running_loop().time() + self._job.longest
        ctx = Context(self._services, caller, "schedule", deadline=deadline)
        try:
            async with asyncio.timeout_at(deadline):
                return await self._work(ctx, errand)
        except TimeoutError:
            return Found("again", UNCHECKED, reason=LATE.format(self._job.longest))
        except Busy:
            return Found("wait", reason=BUSY)
        except ToolError as failure:
            told = {"retryAfter": failure.retry_after} if failure.retry_after else {}
            return Found("again" if failure.retryable else "never", UNCHECKED, told, failure.sentence())

    def _count(self, errand: Errand, found: Found) -> None:
        self._done.done += 1
        if found.how == "wait":
            self._done.again += 1
            return
        self._done.outcomes[found.outcome] += 1
        self._done.parked += errand.state == "parked"
        self._done.again += found.how == "again" and errand.state == "due"

    def _observe(self, errand: Errand, found: Found, seconds: float) -> None:
        call = Call(
            at=self._services.clock(),
            tool=self._job.name,
            tenant=errand.tenant,
            user=errand.user,
            door="schedule",
            request_id="",
            seconds=seconds,
            error=None if found.how in ("well", "wait") else found.outcome,
            cached=False,
            query_length=0,
        )
        for observer in self._services.observers:
            observer(call)
