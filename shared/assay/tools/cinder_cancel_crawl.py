"""Stop a crawl."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.models.common import AlsoNamed, Input, Output
from assay.toolkit.tool import tool


class CinderCancelCrawlInput(Input):
    id: Annotated[
        str,
        AlsoNamed("crawlId"),
        Field(min_length=1, max_length=200, description="crawlId that cinder_crawl returned."),
    ]


class CinderCancelCrawlOutput(Output):
    crawl_id: Annotated[str, Field(description="Pass it to cinder_get_crawl_status or cinder_cancel_crawl.")]
    status: Annotated[str, Field(description="cancelled, or the state in which the crawl had ended.")]
    pages_found: Annotated[int, Field(description="Pages tried or waiting to be tried.")]
    pages_crawled: Annotated[int, Field(description="Pages fetched with a status below 400.")]


@tool(toolsets=("crawl",), read_only=False, destructive=True, open_world=False)
async def cinder_cancel_crawl(ask: CinderCancelCrawlInput, ctx: Context) -> CinderCancelCrawlOutput:
    """Stop a crawl. cinder_get_crawl_status still returns the pages it has read. A crawl that has ended stays
    as it is."""
    from assay.crawl import crawl_report
    from assay.crawl.job import CRAWLS, count_logged_pages

    services = ctx.services
    job = await crawl_report.find_job(services, ctx.caller, ask.id)
    if not job.is_ended:
        tried = await count_logged_pages(services, job)
        job = await CRAWLS.end(services.table, job, "cancelled", services.clock(), units=tried)
    count = await crawl_report.count(services, job)
    return CinderCancelCrawlOutput(
        crawl_id=job.id, status=job.status, pages_found=count.found, pages_crawled=count.crawled
    )
