"""Scheduled job that saves watched pages in the Internet Archive, each once."""

from assay.context import Context
from assay.jobs.host_slots import Hosts
from assay.jobs.job_timing import JobTiming
from assay.jobs.task import ScheduledJob, Task, TaskResult, Work
from assay.providers.wayback import MACHINE
from assay.services import Services
from assay.verification.capture_request import ArchiveResult
from assay.verification.web_archive import archive


def begin(services: Services, timing: JobTiming) -> Work:
    hosts, signed = Hosts(services, timing), services.settings.key("IA_ACCESS_KEY")
    delay = timing.saving_signed if signed else timing.saving

    async def work(ctx: Context, task: Task) -> TaskResult:
        async with hosts.acquire(MACHINE, delay=delay, patience=timing.saving_patience):
            return to_result(await archive(ctx, task.url, since=task.requested_at))

    return work


def to_result(archived: ArchiveResult) -> TaskResult:
    """Convert the archive's answer to a task result. For an older copy the task is retried."""
    fields = {"saveStatus": archived.http_status} | (
        {"archivedUrl": archived.snapshot_url} if archived.snapshot_url else {}
    )
    if archived.archived_at:
        fields["archivedAt"] = archived.archived_at
    if archived.is_own_capture:
        return TaskResult("ok", "archived", fields)
    return TaskResult("retry", archived.status, fields, archived.reason)


JOB = ScheduledJob("archive", begin, max_seconds=75.0, concurrency=1, is_recurring=False)
