"""Starts a crawl."""

import json
import secrets
from collections.abc import Sequence
from typing import Any

from assay.context import Context
from assay.crawl import job as jobs
from assay.crawl.crawl_timing import DEFAULT_TIMING
from assay.crawl.job import CrawlJob
from assay.errors import BrowserUnavailable, ConfigError, InvalidInput, RateLimited

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
        raise InvalidInput(f"maxPages: 1 to {limit} pages are crawled here.", field="maxPages")
    await _check_crawl_limit(ctx)
    job = CrawlJob(
        id=secrets.token_hex(16),
        tenant=ctx.caller.tenant,
        url=url,
        max_pages=max_pages or min(DEFAULT_PAGES, limit),
        include=tuple(include),
        exclude=tuple(exclude),
        created=now,
        until=now + DEFAULT_TIMING.retention,
        **options,
    )
    await jobs.create(services.table, job)
    await services.queue.send(json.dumps({"crawl": job.id, "turn": 0}))
    return job


async def _check_crawl_limit(ctx: Context) -> None:
    limit = ctx.services.settings.crawls_per_tenant
    active = sum(tenant == ctx.caller.tenant for _, tenant in await jobs.list_active(ctx.services.table))
    if active >= limit:
        raise RateLimited(
            f"{active} of your crawls are still running, and the limit is {limit}. Wait for one to end, or cancel one.",
            retry_after=60,
        )
