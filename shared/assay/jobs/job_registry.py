"""The registry of scheduled jobs."""

from importlib import import_module
from typing import TYPE_CHECKING

from assay.errors import NotFound

if TYPE_CHECKING:
    from assay.jobs.task import ScheduledJob

LINK_JOBS = ("archive", "link_check")  # their tasks are watched URLs
NAMES = (*LINK_JOBS, "query_watch")


def find_job(name: str) -> "ScheduledJob":
    """Import and return the job of that name. Raises NotFound."""
    if name not in NAMES:
        raise NotFound(f"Unknown job {name[:60]!r}; available: {', '.join(NAMES)}.", field="job")
    job: ScheduledJob = import_module(f"assay.jobs.{name}").JOB
    return job
