"""Work that waits for nobody's call: what is due is seen to, once, by whichever process comes by."""

from importlib import import_module
from typing import TYPE_CHECKING

from assay.errors import NotFound

if TYPE_CHECKING:
    from assay.jobs.task import ScheduledJob

NAMES = ("archive", "link_check")


def find_job(name: str) -> "ScheduledJob":
    """The job of that name, and only that one is imported. Raises NotFound."""
    if name not in NAMES:
        raise NotFound(f"There is no job called {name[:60]!r}; there are {' and '.join(NAMES)}.", field="job")
    job: ScheduledJob = import_module(f"assay.jobs.{name}").JOB
    return job
