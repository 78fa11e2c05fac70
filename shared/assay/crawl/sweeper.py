"""Finds crawl jobs without a worker: queues them again, and ends them after repeated failures."""

import json

from assay.context import Services
from assay.crawl import job as jobs
from assay.crawl.crawl_timing import DEFAULT_TIMING, CrawlTiming
from assay.crawl.job import ACTIVE, CrawlJob, JobEnded

DIED = "The crawl was abandoned: its workers died, or none started it. The pages read until then are kept."
LATE = "The crawl exceeded its limit of {hours:g} hours."


async def sweep(services: Services, terms: CrawlTiming = DEFAULT_TIMING) -> int:
    """Recover every job that has not ended; return how many were queued again or ended."""
    moved = 0
    for crawl, _ in await jobs.list_active(services.table):
        job = await jobs.load(services.table, crawl)
        if job is None or job.is_ended:  # the worker that ended it died before removing it from the list
            await services.table.delete(ACTIVE, crawl)
        else:
            moved += await recover_job(services, terms, job) != job
    return moved


async def recover_job(services: Services, terms: CrawlTiming, job: CrawlJob) -> CrawlJob:
    """Return the job; queue it again if there is no heartbeat, or end it after too many attempts."""
    table, now = services.table, services.clock()
    if job.is_ended or now - await jobs.last_heartbeat(table, job) < terms.stuck:
        return job
    tried = await count_logged_pages(services, job)
    if now > job.created + terms.job + terms.stuck:
        words = LATE.format(hours=terms.job / 3600)
        status: jobs.Status = "completed" if tried else "failed"
        return await jobs.end(table, job, status, now, pages=tried, **{"stopped" if tried else "error": words})
    called = 0 if tried > job.called_with else job.called
    if called >= terms.calls:
        return await jobs.end(table, job, "failed", now, pages=tried, error=DIED)
    try:
        job = await jobs.change(table, job, called=called + 1, called_at=now, called_with=tried)
    except JobEnded:
        return await jobs.load(table, job.id) or job
    if services.queue is not None:
        await services.queue.send(json.dumps({"crawl": job.id, "turn": job.turn}))
    return job


async def count_logged_pages(services: Services, job: CrawlJob) -> int:
    """Return the number of pages in the log."""
    page = await services.table.query(jobs.key_of(job.id), "page/", limit=1, descending=True)
    return int(page.items[0].sort.removeprefix("page/")) + 1 if page.items else 0
