"""Scheduled job that checks watched links."""

from assay.context import Context
from assay.jobs.host_slots import Hosts
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import ScheduledJob, Task, TaskResult, Work
from assay.services import Services
from assay.verification.archived_copies import find_archived_copies
from assay.verification.link_status import Link, check_link

TOO_MANY = {429, 503}
COPY_SECONDS = 5.0  # for the look-up of an archived copy of a dead page
REFUSED = "Its URL may not be requested."


def begin(services: Services, timing: JobTiming) -> Work:
    hosts = Hosts(services, timing)

    async def work(ctx: Context, task: Task) -> TaskResult:
        async with hosts.acquire(task.url) as slots:
            link = await check_link(ctx, task.url)
            if link.status in TOO_MANY:
                hosts.slow_down(slots)
        return to_result(link, await _copy(ctx, task, link))

    return work


def to_result(link: Link, copy: str | None = None) -> TaskResult:
    """Convert the link status to a task result. A link that could not be checked is retried."""
    fields = {
        "linkOutcome": link.outcome,
        "httpStatus": link.status or None,
        "linkFailure": link.failure,
        "finalUrl": link.final_url if link.final_url != link.url else None,
        "verified": link.is_live,
        "verifiedAt": link.checked_at,
    } | ({"archivedUrl": copy} if copy else {})
    if link.outcome != "unreachable":
        return TaskResult("ok", link.outcome, fields)
    if link.failure == "ssrf_blocked":
        return TaskResult("failed", link.outcome, fields, REFUSED)
    return TaskResult("retry", link.outcome, fields, link.describe())


async def _copy(ctx: Context, task: Task, link: Link) -> str | None:
    """Return the archived copy of a dead page; the copy found last time is reused."""
    if not link.is_dead:
        return None
    known = (task.finding or {}).get("archivedUrl")
    return known or (await find_archived_copies(ctx, [link.url], seconds=COPY_SECONDS)).found.get(link.url)


JOB = ScheduledJob("link_check", begin, max_seconds=30.0, concurrency=16, is_recurring=True)
