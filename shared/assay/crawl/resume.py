"""A process that starts goes on with the crawls an earlier one left, and starts no slower where there are none."""

import asyncio
import logging

from assay.context import Services
from assay.crawl import job as jobs
from assay.errors import ToolError

log = logging.getLogger("assay")


def resumed(services: Services) -> None:
    """Look beside the calls for what was left, and work on it."""
    if services.works and services.settings.queue_path.exists():
        services.beside["resume"] = asyncio.create_task(_resume(services))


async def _resume(services: Services) -> None:
    try:
        left = await jobs.active(services.table)
    except ToolError as trouble:  # whoever calls a tool will hear of it
        log.warning("what crawls are unfinished cannot be told: %s", trouble.sentence())
        return
    if left:
        from assay.crawl import worker

        worker.ensure(services)
