"""Crawls as a kind of job for the common worker."""

from assay.crawl.job import CRAWLS, CrawlJob, count_logged_pages
from assay.crawl.time_slice import TimeSlice
from assay.services import Services
from assay.work_queue.job_kinds import JobKind, TimeShare


async def run_slice(services: Services, job: CrawlJob, share: TimeShare) -> float | None:
    return await TimeSlice(services, share.timing, job, until=share.until, careful=share.is_careful).run()


KIND = JobKind(CRAWLS, run_slice, count_logged_pages, "crawl", "page")
