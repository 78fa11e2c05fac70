"""The stored record of a crawl: its request, its state and its result."""

from typing import NamedTuple

from assay.services import Services
from assay.work_queue.job_record import Job, JobStore


class CrawlJob(Job):
    """A crawl. Its units of work are the pages that were tried."""

    url: str
    render: bool = False
    max_depth: int
    max_pages: int
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    sitemaps: bool = False

    @property
    def subject(self) -> str:
        return self.url


class Count(NamedTuple):
    """Cumulative counts in a row of the log. `progress` is a percentage and never decreases."""

    tried: int = 0
    crawled: int = 0
    found: int = 1
    progress: int = 0


CRAWLS = JobStore("crawl", CrawlJob, parks_failed=True)


async def count_logged_pages(services: Services, job: CrawlJob) -> int:
    """Return the number of pages in the log."""
    page = await services.table.query(CRAWLS.key_of(job.id), "page/", limit=1, descending=True)
    return int(page.items[0].sort.removeprefix("page/")) + 1 if page.items else 0
