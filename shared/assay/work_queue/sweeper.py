"""Finds jobs without a worker: queues them again, and ends them after repeated failures."""

from typing import Any

from assay.services import Services
from assay.work_queue.job_kinds import JobKind, list_kinds
from assay.work_queue.job_limits import end_at_limit, find_exceeded_limit
from assay.work_queue.job_record import JobEnded, list_sort
from assay.work_queue.work_timing import DEFAULT_TIMING, WorkTiming

ABANDONED = "The {kind} was abandoned: its workers stopped, or none started it."
KEPT = " The {unit}s done until then are kept."


async def sweep(services: Services, timing: WorkTiming = DEFAULT_TIMING) -> int:
    """Recover every job that has not ended; return how many were queued again or ended."""
    changed = 0
    for kind in list_kinds():
        for name, tenant in await kind.jobs.list_active(services.table):
            job = await kind.jobs.load(services.table, name)
            if job is None or job.is_ended:  # the worker that ended it died before removing it from the list
                await services.table.delete(kind.jobs.active_key, list_sort(tenant, name))
            else:
                changed += await recover_job(services, kind, timing, job) != job
    return changed


async def recover_job(services: Services, kind: JobKind, timing: WorkTiming, job: Any) -> Any:
    """Return the job; queue it again if there is no heartbeat, or end it after too many attempts."""
    jobs, table, now = kind.jobs, services.table, services.clock()
    if job.is_ended or now - await jobs.last_heartbeat(table, job) < timing.stuck:
        return job
    if limit := find_exceeded_limit(kind, timing, job, now):
        return await end_at_limit(services, kind, job, limit)
    units = await kind.count_units(services, job)
    requeues = 0 if units > job.units_at_requeue else job.requeues
    if requeues >= timing.max_requeues:
        reason = ABANDONED.format(kind=kind.name) + (KEPT.format(unit=kind.unit) if kind.unit else "")
        return await jobs.end(table, job, "failed", now, units=units, error=reason)
    try:
        job = await jobs.change(table, job, requeues=requeues + 1, requeued_at=now, units_at_requeue=units)
    except JobEnded:
        return await jobs.load(table, job.id) or job
    if services.queue is not None:
        await services.queue.send(jobs.build_message(job.id, job.turn))
    return job
