"""Public copies of the pages that somebody wants kept, each asked for once."""

from assay.context import Context, Services
from assay.jobs.errand import Errand, Found, Job, Work
from assay.jobs.hosts import Hosts
from assay.jobs.terms import Terms
from assay.providers.wayback import MACHINE
from assay.trust.archive import Archived, archive


def begin(services: Services, terms: Terms) -> Work:
    hosts, signed = Hosts(services, terms), services.settings.key("IA_ACCESS_KEY")
    delay = terms.saving_signed if signed else terms.saving

    async def work(ctx: Context, errand: Errand) -> Found:
        async with hosts.turn(MACHINE, delay=delay, patience=terms.saving_patience):
            return found(await archive(ctx, errand.url, since=errand.armed))

    return work


def found(done: Archived) -> Found:
    """What the archive's answer means for the errand. An older copy is named, and a fresh one is asked for again."""
    told = {"saveStatus": done.http_status} | ({"archivedUrl": done.snapshot_url} if done.snapshot_url else {})
    if done.archived_at:
        told["archivedAt"] = done.archived_at
    if done.ours:
        return Found("well", "archived", told)
    return Found("again", done.status, told, done.reason)


JOB = Job("archive", begin, longest=75.0, at_once=1, again=False)
