"""Starts the background crawl worker of a process, for new crawls and for those of an earlier process."""

import asyncio
import logging

from assay.errors import ToolError
from assay.services import Services

log = logging.getLogger("assay")


def ensure_worker(services: Services) -> None:
    """Start the background worker if this process runs one."""
    if services.runs_workers:
        from assay.crawl import worker

        worker.ensure(services)


def resume_crawls(services: Services) -> None:
    """Look for unfinished crawls in the background and continue them."""
    if services.runs_workers and services.settings.queue_path.exists():
        services.background_tasks["resume"] = asyncio.create_task(_resume(services))


async def _resume(services: Services) -> None:
    from assay.crawl import job as jobs  # imported here, since start-up does not wait for it

    try:
        left = await jobs.list_active(services.table)
    except ToolError as trouble:  # the next tool call reports the failure
        log.warning("cannot look for unfinished crawls: %s", trouble.sentence())
        return
    if left:
        ensure_worker(services)
