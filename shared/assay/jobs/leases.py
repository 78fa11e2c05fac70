"""Leases on tasks: each is claimed for a while and completed once."""

from typing import NamedTuple

from assay.context import Services
from assay.jobs import due_index, results_log
from assay.jobs.due_index import Row
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import ScheduledJob, Task, TaskResult, load
from assay.sessions.session_views import stamp
from assay.state.ports import Conflict

DIED = "Workers crashed on it {} times; watch it again to retry."
TIRED = "It failed {} times in a row. {} Watch it again to retry."


class Claim(NamedTuple):
    """A task that this worker holds until its place is due."""

    errand: Task
    version: int


async def load_claim(services: Services, terms: JobTiming, job: str, row: Row) -> Claim | None:
    """Return the task that the row belongs to, unclaimed; remove an orphaned row."""
    found = await load(services.table, job, row.owner, row.id)
    if found and found[0].place == row.sort:
        return Claim(*found)
    if row.time < services.clock() - terms.grace:  # its writer died before or after the task was written
        if found and found[0].finding:
            await results_log.note(services, terms, found[0])
        await due_index.remove(services.table, job, row.sort)
    return None


async def claim_task(services: Services, terms: JobTiming, claim: Claim) -> Claim | None:
    """Claim the task; return None if another worker was first."""
    errand, now = claim.errand, services.clock()
    taken = errand.model_copy(update={"claims": errand.claims + 1})
    try:
        ours = Claim(*await due_index.move(services, taken, claim.version, now + terms.lease))
    except Conflict:
        return None
    await due_index.remove(services.table, errand.job, errand.place)
    return ours


async def complete_task(
    services: Services, terms: JobTiming, job: ScheduledJob, claim: Claim, found: TaskResult
) -> Task | None:
    """Store the result and the next due time, then update the log and the sessions.

    Return None if the claim had expired and another worker has the task.
    """
    now, ours = services.clock(), claim
    while True:
        ended = apply_result(terms, job, ours.errand, found, now)
        moment = next_time(terms, ended, found, now)
        if ended.finding and found.how != "wait":
            ended.finding["nextAt"] = None if moment is None else stamp(moment)
        keep = None if moment is not None else now + terms.kept
        try:
            errand, _ = await due_index.move(services, ended, ours.version, moment, keep=keep)
            break
        except Conflict:
            anew = await load(services.table, job.name, claim.errand.owner, claim.errand.id)
            if anew is None or anew[0].place != claim.errand.place:
                return None
            ours = Claim(*anew)  # another caller began to watch it; this worker still completes it
    if found.how != "wait":
        await results_log.note(services, terms, errand)
    await due_index.remove(services.table, errand.job, claim.errand.place)
    return errand


async def delete_task(services: Services, claim: Claim) -> None:
    """Delete a task that nothing refers to; a task that changed meanwhile stays."""
    try:
        await services.table.delete(claim.errand.key, claim.errand.id, expect=claim.version)
    except Conflict:
        return
    await due_index.remove(services.table, claim.errand.job, claim.errand.place)


def apply_result(terms: JobTiming, job: ScheduledJob, errand: Task, found: TaskResult, now: float) -> Task:
    """Return the task with the result applied."""
    if found.how == "wait":
        return errand.model_copy(update={"claims": 0, "reason": found.reason})
    was = errand.finding["outcome"] if errand.finding else None
    finding = {"outcome": found.outcome, "endedAt": now, **found.told}
    changed = {"claims": 0, "finding": finding, "was": was, "reason": found.reason}
    if found.how == "well":
        state = "due" if job.again else "done"
        return errand.model_copy(update={**changed, "tries": 0, "state": state})
    tries = errand.tries + 1
    if found.how == "again" and tries <= len(terms.pauses):
        return errand.model_copy(update={**changed, "tries": tries})
    reason = found.reason if found.how == "never" else TIRED.format(tries, found.reason or "")
    return errand.model_copy(update={**changed, "tries": tries, "state": "parked", "reason": reason})


def next_time(terms: JobTiming, ended: Task, found: TaskResult, now: float) -> float | None:
    if ended.state != "due":
        return None
    if found.how == "wait":
        return now + terms.busy
    if found.how == "again":
        return now + max(terms.pauses[ended.tries - 1], float(found.told.get("retryAfter", 0)))
    return now + ended.every
