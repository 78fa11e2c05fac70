"""Scheduled job that saves watched pages in the Internet Archive, each once."""

from assay.context import Context, Services
from assay.jobs.host_slots import Hosts
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import ScheduledJob, Task, TaskResult, Work
from assay.providers.wayback import MACHINE
from assay.verification.web_archive import ArchiveResult, archive


def begin(services: Services, terms: JobTiming) -> Work:
    hosts, signed = Hosts(services, terms), services.settings.key("IA_ACCESS_KEY")
    delay = terms.saving_signed if signed else terms.saving

    async def work(ctx: Context, errand: Task) -> TaskResult:
        async with hosts.turn(MACHINE, delay=delay, patience=terms.saving_patience):
            return to_result(await archive(ctx, errand.url, since=errand.armed))

    return work


def to_result(done: ArchiveResult) -> TaskResult:
    """Convert the archive's answer to a task result. For an older copy the task is retried."""
    fields = {"saveStatus": done.http_status} | ({"archivedUrl": done.snapshot_url} if done.snapshot_url else {})
    if done.archived_at:
        fields["archivedAt"] = done.archived_at
    if done.ours:
        return TaskResult("well", "archived", fields)
    return TaskResult("again", done.status, fields, done.reason)


JOB = ScheduledJob("archive", begin, longest=75.0, at_once=1, again=False)
