"""When a process works on crawls beside its calls: once one is begun, or was left by an earlier process."""

import asyncio
import logging

from assay.context import Services
from assay.errors import ToolError

log = logging.getLogger("assay")


def ensure(services: Services) -> None:
    """Have this process work on crawls beside its calls, if it is one that does; others need not know how."""
    if services.runs_workers:
        from assay.crawl import worker

        worker.ensure(services)


def resume_crawls(services: Services) -> None:
    """Look beside the calls for what was left, and work on it."""
    if services.runs_workers and services.settings.queue_path.exists():
        services.background_tasks["resume"] = asyncio.create_task(_resume(services))


async def _resume(services: Services) -> None:
    from assay.crawl import job as jobs  # here, since no start waits for it

    try:
        left = await jobs.active(services.table)
    except ToolError as trouble:  # whoever calls a tool will hear of it
        log.warning("what crawls are unfinished cannot be told: %s", trouble.sentence())
        return
    if left:
        ensure(services)
