"""Leases on tasks: each is claimed for a while and completed once."""

from typing import NamedTuple

from assay.jobs import due_index, results_log
from assay.jobs.due_index import Row
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import ScheduledJob, Task, TaskResult, load_task
from assay.services import Services
from assay.sessions.session_views import format_time
from assay.state.ports import Conflict

CRASHED = "Workers crashed on it {} times; watch it again to retry."
EXHAUSTED = "It failed {} times in a row. {} Watch it again to retry."


class Claim(NamedTuple):
    """A task that this worker holds until its due time."""

    task: Task
    version: int


async def load_claim(services: Services, timing: JobTiming, job: str, row: Row) -> Claim | None:
    """Return the task that the row belongs to, unclaimed; remove an orphaned row."""
    stored = await load_task(services.table, job, row.owner, row.id)
    if stored and stored[0].due_key == row.sort:
        return Claim(*stored)
    if row.time < services.clock() - timing.grace:  # its writer died before or after the task was written
        if stored and stored[0].finding:
            await results_log.record_result(services, timing, stored[0])
        await due_index.remove(services.table, job, row.sort)
    return None


async def claim_task(services: Services, timing: JobTiming, claim: Claim) -> Claim | None:
    """Claim the task; return None if another worker was first."""
    task, now = claim.task, services.clock()
    attempt = task.model_copy(update={"claims": task.claims + 1})
    try:
        claimed = Claim(*await due_index.reschedule(services, attempt, claim.version, now + timing.lease))
    except Conflict:
        return None
    await due_index.remove(services.table, task.job, task.due_key)
    return claimed


async def complete_task(
    services: Services, timing: JobTiming, job: ScheduledJob, claim: Claim, result: TaskResult
) -> Task | None:
    """Store the result and the next due time, then update the log and the sessions.

    Return None if the claim had expired and another worker has the task.
    """
    now, current = services.clock(), claim
    while True:
        ended = apply_result(timing, job, current.task, result, now)
        moment = next_time(timing, ended, result, now)
        if ended.finding and result.status != "deferred":
            ended.finding["nextAt"] = None if moment is None else format_time(moment)
        keep = None if moment is not None else now + timing.retention
        try:
            task, _ = await due_index.reschedule(services, ended, current.version, moment, keep=keep)
            break
        except Conflict:
            stored = await load_task(services.table, job.name, claim.task.owner, claim.task.id)
            if stored is None or stored[0].due_key != claim.task.due_key:
                return None
            current = Claim(*stored)  # another caller began to watch it; this worker still completes it
    if result.status != "deferred":
        await results_log.record_result(services, timing, task)
    await due_index.remove(services.table, task.job, claim.task.due_key)
    return task


async def delete_task(services: Services, claim: Claim) -> None:
    """Delete a task that nothing refers to; a task that changed meanwhile stays."""
    try:
        await services.table.delete(claim.task.key, claim.task.id, expect=claim.version)
    except Conflict:
        return
    await due_index.remove(services.table, claim.task.job, claim.task.due_key)


def apply_result(timing: JobTiming, job: ScheduledJob, task: Task, result: TaskResult, now: float) -> Task:
    """Return the task with the result applied."""
    if result.status == "deferred":
        return task.model_copy(update={"claims": 0, "reason": result.reason})
    changed = {
        "claims": 0,
        "finding": {"outcome": result.outcome, "endedAt": now, **result.fields},
        "previous_outcome": task.finding["outcome"] if task.finding else None,
        "reason": result.reason,
    }
    if result.status == "ok":
        return task.model_copy(update={**changed, "tries": 0, "state": "due" if job.is_recurring else "done"})
    tries = task.tries + 1
    if result.status == "retry" and tries <= len(timing.pauses):
        return task.model_copy(update={**changed, "tries": tries})
    reason = result.reason if result.status == "failed" else EXHAUSTED.format(tries, result.reason or "")
    return task.model_copy(update={**changed, "tries": tries, "state": "parked", "reason": reason})


def next_time(timing: JobTiming, ended: Task, result: TaskResult, now: float) -> float | None:
    if ended.state != "due":
        return None
    if result.status == "deferred":
        return now + timing.busy
    if result.status == "retry":
        return now + max(timing.pauses[ended.tries - 1], float(result.fields.get("retryAfter", 0)))
    return now + ended.every
