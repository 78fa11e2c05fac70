"""Scheduled job that checks watched links."""

from assay.context import Context, Services
from assay.errors import ToolError
from assay.jobs.host_slots import Hosts
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import ScheduledJob, Task, TaskResult, Work
from assay.verification.archived_copies import find_archived_copies
from assay.verification.link_status import Link, check_link

TOO_MANY = {429, 503}
COPY_SECONDS = 5.0  # for the look-up of an archived copy of a dead page
HOPELESS = "Its URL may not be requested."


def begin(services: Services, terms: JobTiming) -> Work:
    hosts = Hosts(services, terms)

    async def work(ctx: Context, errand: Task) -> TaskResult:
        async with hosts.turn(errand.url) as turn:
            link = await check_link(ctx, errand.url)
            if link.status in TOO_MANY:
                hosts.slow_down(turn)
        if link.is_dead and not link.status and not await _resolves(ctx, terms):
            link = link._replace(outcome="unreachable")  # DNS fails at present, which says nothing about this link
        return to_result(link, await _copy(ctx, errand, link))

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
        return TaskResult("well", link.outcome, fields)
    if link.failure == "ssrf_blocked":
        return TaskResult("never", link.outcome, fields, HOPELESS)
    return TaskResult("again", link.outcome, fields, link.describe())


async def _resolves(ctx: Context, terms: JobTiming) -> bool:
    """Return whether DNS resolves names that are known to exist."""
    for name in terms.canary_hosts:
        try:
            await ctx.services.web.gate.reach(name, 443)
        except ToolError:
            continue
        return True
    return False


async def _copy(ctx: Context, errand: Task, link: Link) -> str | None:
    """Return the archived copy of a dead page; the copy found last time is reused."""
    if not link.is_dead:
        return None
    known = (errand.finding or {}).get("archivedUrl")
    return known or (await find_archived_copies(ctx, [link.url], seconds=COPY_SECONDS)).found.get(link.url)


JOB = ScheduledJob("link_check", begin, longest=30.0, at_once=16, again=True)
