"""Jobs that nobody works on any more: they are called again, and given up when no call helps."""

import json

from assay.context import Services
from assay.crawl import job as jobs
from assay.crawl.crawl_timing import TERMS, CrawlTiming
from assay.crawl.job import ACTIVE, CrawlJob, JobEnded

DIED = "It was given up: its workers died, or none took it up. The pages read until then are kept."
LATE = "It took longer than the {hours:g} hours it has."


async def sweep(services: Services, terms: CrawlTiming = TERMS) -> int:
    """Look after every job that is not at its end; how many were called again or given up."""
    moved = 0
    for crawl, _ in await jobs.active(services.table):
        job = await jobs.load(services.table, crawl)
        if job is None or job.is_ended:  # who ended it died before it could take it off the list
            await services.table.delete(ACTIVE, crawl)
        else:
            moved += await looked_after(services, terms, job) != job
    return moved


async def looked_after(services: Services, terms: CrawlTiming, job: CrawlJob) -> CrawlJob:
    """The job as it is; called again where no worker gave a sign of life, or ended where no call helped."""
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
    """How many pages stand in the log."""
    page = await services.table.query(jobs.key_of(job.id), "page/", limit=1, descending=True)
    return int(page.items[0].sort.removeprefix("page/")) + 1 if page.items else 0
