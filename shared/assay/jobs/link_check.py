"""Whether the links that somebody cares about still lead anywhere."""

from assay.context import Context, Services
from assay.errors import ToolError
from assay.jobs.errand import Errand, Found, Job, Work
from assay.jobs.hosts import Hosts
from assay.jobs.terms import Terms
from assay.trust.copies import copies
from assay.trust.links import Link, check

TOO_MANY = {429, 503}
COPY_SECONDS = 5.0  # for the look at what the archive has of a dead page
HOPELESS = "Its address is none that may be asked."


def begin(services: Services, terms: Terms) -> Work:
    hosts = Hosts(services, terms)

    async def work(ctx: Context, errand: Errand) -> Found:
        async with hosts.turn(errand.url) as turn:
            link = await check(ctx, errand.url)
            if link.status in TOO_MANY:
                hosts.slow_down(turn)
        if link.is_dead and not link.status and not await _resolves(ctx, terms):
            link = link._replace(outcome="unreachable")  # no name is known here now: that says nothing of this one
        return found(link, await _copy(ctx, errand, link))

    return work


def found(link: Link, copy: str | None = None) -> Found:
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
        return Found("well", link.outcome, told)
    if link.failure == "ssrf_blocked":
        return Found("never", link.outcome, told, HOPELESS)
    return Found("again", link.outcome, told, link.told())


async def _resolves(ctx: Context, terms: Terms) -> bool:
    """Whether names that are surely there are found."""
    for name in terms.landmarks:
        try:
            await ctx.services.web.gate.reach(name, 443)
        except ToolError:
            continue
        return True
    return False


async def _copy(ctx: Context, errand: Errand, link: Link) -> str | None:
    """Where a dead page can still be read; the answer of last time is good enough."""
    if not link.is_dead:
        return None
    known = (errand.finding or {}).get("archivedUrl")
    return known or (await copies(ctx, [link.url], seconds=COPY_SECONDS)).found.get(link.url)


JOB = Job("link_check", begin, longest=30.0, at_once=16, again=True)
