"""The limits of a job of any kind: hours and time slices. They end a job that would otherwise continue forever."""

from typing import Any

from assay.services import Services
from assay.work_queue.job_kinds import JobKind
from assay.work_queue.job_record import Job, Status
from assay.work_queue.work_timing import WorkTiming


def find_exceeded_limit(kind: JobKind, timing: WorkTiming, job: Job, now: float) -> str | None:
    """Return a sentence about the limit that the job has exceeded; None within all limits."""
    if now > job.created + timing.job:
        return f"The {kind.name} exceeded its limit of {timing.job / 3600:g} hours."
    if job.turn >= timing.max_turns:
        return f"The {kind.name} exceeded its limit of {timing.max_turns:,} time slices."
    return None


async def end_at_limit(services: Services, kind: JobKind, job: Any, reason: str) -> Any:
    """End the job, as completed with the units that are done, or as failed without any; return it."""
    units = await kind.count_units(services, job)
    status: Status = "completed" if units else "failed"
    reasons = {"stopped" if units else "error": reason}
    return await kind.jobs.end(services.table, job, status, services.clock(), units=units, **reasons)
