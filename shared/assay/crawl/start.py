"""Starts a crawl."""

from collections.abc import Sequence
from typing import Any

from assay.context import Context
from assay.crawl.job import CRAWLS, CrawlJob
from assay.errors import BrowserUnavailable, ConfigError, InvalidInput, RateLimited
from assay.work_queue.job_record import build_job_id
from assay.work_queue.work_timing import DEFAULT_TIMING

DEFAULT_PAGES = 100


async def start_crawl(
    ctx: Context, url: str, *, max_pages: int | None, include: Sequence[str], exclude: Sequence[str], **options: Any
) -> CrawlJob:
    """Create a job that waits for a worker.

    Raises InvalidInput for a URL that may not be crawled, and RateLimited if the tenant has reached its limit of
    crawls.
    """
    services, now = ctx.services, ctx.services.clock()
    if services.queue is None:
        raise ConfigError("Crawls need a queue: set ASSAY_QUEUE.", field="ASSAY_QUEUE", action="inform_user")
    if options.get("render") and services.browser is None:
        raise BrowserUnavailable("No browser is available to render pages. Crawl with render: false.")
    limit = services.settings.crawl_max_pages
    if (max_pages or 0) > limit:
        raise InvalidInput(f"maxPages: 1 to {limit} are allowed here.", field="maxPages")
    await _check_crawl_limit(ctx)
    job = CrawlJob(
        id=build_job_id(now),
        tenant=ctx.caller.tenant,
        user=ctx.caller.user,
        url=url,
        max_pages=max_pages or min(DEFAULT_PAGES, limit),
        include=tuple(include),
        exclude=tuple(exclude),
        created=now,
        until=now + DEFAULT_TIMING.retention,
        **options,
    )
    await CRAWLS.create(services.table, job)
    await services.queue.send(CRAWLS.build_message(job.id, 0))
    return job


async def _check_crawl_limit(ctx: Context) -> None:
    limit = ctx.services.settings.crawls_per_tenant
    active = await CRAWLS.count_active(ctx.services.table, ctx.caller.tenant)
    if active >= limit:
        raise RateLimited(
            f"{active} of your crawls are still running, and the limit is {limit}. Wait for one to end, or cancel one.",
            retry_after=60,
        )
