"""Stop a crawl."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.models import AlsoNamed, Input, Output
from assay.tool import tool


class Ask(Input):
    id: Annotated[
        str, AlsoNamed("crawlId"), Field(min_length=1, max_length=200, description="crawlId of cinder_crawl.")
    ]


class Answer(Output):
    crawl_id: str
    status: str
    pages_found: int
    pages_crawled: int


@tool(toolsets=("crawl",), read_only=False, open_world=False)
async def cinder_cancel_crawl(ask: Ask, ctx: Context) -> Answer:
    """Stop a crawl. What it has read stays readable by cinder_get_crawl_status. One at its end is left as it is."""
    from assay.crawl import job as jobs
    from assay.crawl import report, sweeper

    services = ctx.services
    job = await report.found(services, ctx.caller, ask.id)
    if not job.ended:
        tried = await sweeper.logged(services, job)
        job = await jobs.end(services.table, job, "cancelled", services.clock(), pages=tried)
    count = await report.count(services, job)
    return Answer(crawl_id=job.id, status=job.status, pages_found=count.found, pages_crawled=count.crawled)
