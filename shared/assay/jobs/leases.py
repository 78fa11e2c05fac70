"""Whose an errand is: taken for a while, ended with what was found, and never lost or ended twice."""

from typing import NamedTuple

from assay.context import Services
from assay.jobs import due_index, results_log
from assay.jobs.due_index import Row
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import ScheduledJob, Task, TaskResult, load
from assay.sessions.session_views import stamp
from assay.state.ports import Conflict

DIED = "Workers died over it {} times; watch it anew to have it tried again."
TIRED = "It failed {} times in a row. {} Watch it anew to have it tried again."


class Claim(NamedTuple):
    """An errand that is ours until its place is due."""

    errand: Task
    version: int


async def look(services: Services, terms: JobTiming, job: str, row: Row) -> Claim | None:
    """The errand that the row speaks for, not yet claimed; a row that speaks for none is cleared away."""
    found = await load(services.table, job, row.owner, row.id)
    if found and found[0].place == row.sort:
        return Claim(*found)
    if row.time < services.clock() - terms.grace:  # who wrote the row died before it counted, or after it did
        if found and found[0].finding:
            await results_log.note(services, terms, found[0])
        await due_index.remove(services.table, job, row.sort)
    return None


async def take(services: Services, terms: JobTiming, claim: Claim) -> Claim | None:
    """The claim made; None where another was first."""
    errand, now = claim.errand, services.clock()
    taken = errand.model_copy(update={"claims": errand.claims + 1})
    try:
        ours = Claim(*await due_index.move(services, taken, claim.version, now + terms.lease))
    except Conflict:
        return None
    await due_index.remove(services.table, errand.job, errand.place)
    return ours


async def end(services: Services, terms: JobTiming, job: ScheduledJob, claim: Claim, found: TaskResult) -> Task | None:
    """Write what was found and when the errand is due again, then tell the journal and the sessions of it.

    None where the claim had lapsed and another has the errand: then it is theirs to tell.
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
            ours = Claim(*anew)  # somebody else began to want it; it is still ours to end
    if found.how != "wait":
        await results_log.note(services, terms, errand)
    await due_index.remove(services.table, errand.job, claim.errand.place)
    return errand


async def forget(services: Services, claim: Claim) -> None:
    """End an errand that nobody wants any more. One that was changed meanwhile stays."""
    try:
        await services.table.delete(claim.errand.key, claim.errand.id, expect=claim.version)
    except Conflict:
        return
    await due_index.remove(services.table, claim.errand.job, claim.errand.place)


def apply_result(terms: JobTiming, job: ScheduledJob, errand: Task, found: TaskResult, now: float) -> Task:
    """The errand as it is after that."""
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
