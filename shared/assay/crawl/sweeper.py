"""Finds crawl jobs without a worker: queues them again, and ends them after repeated failures."""

import json

from assay.crawl import job as jobs
from assay.crawl.crawl_timing import DEFAULT_TIMING, CrawlTiming
from assay.crawl.job import ACTIVE, CrawlJob, JobEnded
from assay.services import Services

ABANDONED = "The crawl was abandoned: its workers died, or none started it. The pages read until then are kept."
TOO_LONG = "The crawl exceeded its limit of {hours:g} hours."


async def sweep(services: Services, timing: CrawlTiming = DEFAULT_TIMING) -> int:
    """Recover every job that has not ended; return how many were queued again or ended."""
    changed = 0
    for crawl, _ in await jobs.list_active(services.table):
        job = await jobs.load(services.table, crawl)
        if job is None or job.is_ended:  # the worker that ended it died before removing it from the list
            await services.table.delete(ACTIVE, crawl)
        else:
            changed += await recover_job(services, timing, job) != job
    return changed


async def recover_job(services: Services, timing: CrawlTiming, job: CrawlJob) -> CrawlJob:
    """Return the job; queue it again if there is no heartbeat, or end it after too many attempts."""
    table, now = services.table, services.clock()
    if job.is_ended or now - await jobs.last_heartbeat(table, job) < timing.stuck:
        return job
    tried = await count_logged_pages(services, job)
    if now > job.created + timing.job + timing.stuck:
        reason = TOO_LONG.format(hours=timing.job / 3600)
        status: jobs.Status = "completed" if tried else "failed"
        return await jobs.end(table, job, status, now, pages=tried, **{"stopped" if tried else "error": reason})
    requeues = 0 if tried > job.pages_at_requeue else job.requeues
    if requeues >= timing.max_requeues:
        return await jobs.end(table, job, "failed", now, pages=tried, error=ABANDONED)
    try:
        job = await jobs.change(table, job, requeues=requeues + 1, requeued_at=now, pages_at_requeue=tried)
    except JobEnded:
        return await jobs.load(table, job.id) or job
    if services.queue is not None:
        await services.queue.send(json.dumps({"crawl": job.id, "turn": job.turn}))
    return job


async def count_logged_pages(services: Services, job: CrawlJob) -> int:
    """Return the number of pages in the log."""
    page = await services.table.query(jobs.key_of(job.id), "page/", limit=1, descending=True)
    return int(page.items[0].sort.removeprefix("page/")) + 1 if page.items else 0
