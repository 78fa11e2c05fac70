"""Whether the links that somebody cares about still lead anywhere."""

from assay.context import Context, Services
from assay.errors import ToolError
from assay.jobs.host_slots import Hosts
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import ScheduledJob, Task, TaskResult, Work
from assay.verification.archived_copies import find_archived_copies
from assay.verification.link_status import Link, check_link

TOO_MANY = {429, 503}
COPY_SECONDS = 5.0  # for the look at what the archive has of a dead page
HOPELESS = "Its address is none that may be asked."


def begin(services: Services, terms: JobTiming) -> Work:
    hosts = Hosts(services, terms)

    async def work(ctx: Context, errand: Task) -> TaskResult:
        async with hosts.turn(errand.url) as turn:
            link = await check_link(ctx, errand.url)
            if link.status in TOO_MANY:
                hosts.slow_down(turn)
        if link.is_dead and not link.status and not await _resolves(ctx, terms):
            link = link._replace(outcome="unreachable")  # no name is known here now: that says nothing of this one
        return to_result(link, await _copy(ctx, errand, link))

    return work


def to_result(link: Link, copy: str | None = None) -> TaskResult:
    """What the link's outcome means for the errand. A link that could not be checked is to be checked again."""
    told = {
        "linkOutcome": link.outcome,
        "httpStatus": link.status or None,
        "linkFailure": link.failure,
        "finalUrl": link.final_url if link.final_url != link.url else None,
        "verified": link.is_live,
        "verifiedAt": link.checked_at,
    } | ({"archivedUrl": copy} if copy else {})
    if link.outcome != "unreachable":
        return TaskResult("well", link.outcome, told)
    if link.failure == "ssrf_blocked":
        return TaskResult("never", link.outcome, told, HOPELESS)
    return TaskResult("again", link.outcome, told, link.describe())


async def _resolves(ctx: Context, terms: JobTiming) -> bool:
    """Whether names that are surely there are found."""
    for name in terms.canary_hosts:
        try:
            await ctx.services.web.gate.reach(name, 443)
        except ToolError:
            continue
        return True
    return False


async def _copy(ctx: Context, errand: Task, link: Link) -> str | None:
    """Where a dead page can still be read; the answer of last time is good enough."""
    if not link.is_dead:
        return None
    known = (errand.finding or {}).get("archivedUrl")
    return known or (await find_archived_copies(ctx, [link.url], seconds=COPY_SECONDS)).found.get(link.url)


JOB = ScheduledJob("link_check", begin, longest=30.0, at_once=16, again=True)
