"""Starts the background worker of a process, for new jobs and for those of an earlier process."""

import asyncio
import logging

from assay.errors import ToolError
from assay.services import Services

log = logging.getLogger("assay")


def ensure_worker(services: Services) -> None:
    """Start the background worker if this process runs one."""
    if services.runs_workers:
        from assay.work_queue import worker

        worker.ensure(services)


def resume_jobs(services: Services) -> None:
    """Look for unfinished jobs in the background and continue them."""
    if services.runs_workers and services.settings.queue_path.exists():
        services.background_tasks["resume"] = asyncio.create_task(_resume(services))


async def _resume(services: Services) -> None:
    from assay.work_queue.job_kinds import list_kinds  # imported here, since start-up does not wait for it

    try:
        left = [active for kind in list_kinds() for active in await kind.jobs.list_active(services.table)]
    except ToolError as trouble:  # the next tool call reports the failure
        log.warning("cannot look for unfinished jobs: %s", trouble.sentence())
        return
    if left:
        ensure_worker(services)
