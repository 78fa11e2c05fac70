"""Start a crawl of a site."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, field_validator, model_validator

from assay.context import Context
from assay.errors import Network
from assay.models.common import Cleared, Input, Output
from assay.text.timestamps import format_utc
from assay.toolkit.tool import FollowedJob, tool

if TYPE_CHECKING:
    from assay.crawl.job import CrawlJob


class CinderCrawlInput(Input):
    url: Annotated[str, Field(min_length=1, max_length=8_192, description="http(s) URL of the start page.")]
    render: Annotated[bool, Field(description="Render pages in a browser; slower.")] = False
    max_depth: Annotated[
        int, Field(alias="maxDepth", ge=1, le=10, description="Link depth; 1 reads the start page only.")
    ] = 2
    max_pages: Annotated[
        Cleared[Annotated[int, Field(ge=1, le=1000)]],
        Field(alias="maxPages", description="Maximum number of pages to try; 100 if unset."),
    ] = None
    include_patterns: Annotated[
        tuple[str, ...],
        Field(
            alias="includePatterns",
            description="RE2 regular expressions; only pages whose path and query match one are crawled.",
        ),
    ] = ()
    exclude_patterns: Annotated[
        tuple[str, ...],
        Field(
            alias="excludePatterns",
            description="RE2 regular expressions of pages to skip, even if they match includePatterns.",
        ),
    ] = ()
    sitemaps: Annotated[bool, Field(description="Also crawl the pages listed in the site's sitemaps.")] = False

    @model_validator(mode="before")
    @classmethod
    def _null_is_unset(cls, given: Any) -> Any:
        known = {info.alias or name for name, info in cls.model_fields.items()}
        return {name: value for name, value in given.items() if value is not None or name not in known}

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        from assay.net.urls import canonicalize_url

        return canonicalize_url(url)

    @field_validator("include_patterns", "exclude_patterns")
    @classmethod
    def _are_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        from assay.crawl.url_patterns import compile_patterns

        compile_patterns(patterns)
        return patterns


class CinderCrawlOutput(Output):
    crawl_id: Annotated[str, Field(description="Pass it to cinder_get_crawl_status or cinder_cancel_crawl.")]
    url: Annotated[str, Field(description="Start page.")]
    status: Annotated[str, Field(description="queued, running, completed, failed or cancelled.")]
    pages_found: Annotated[int, Field(description="Pages tried or waiting to be tried.")]
    pages_crawled: Annotated[int, Field(description="Pages fetched with a status below 400.")]
    created_at: Annotated[str, Field(description="RFC 3339, UTC.")]
    max_pages: Annotated[int, Field(description="Maximum number of pages that are tried.")]
    max_depth: Annotated[int, Field(description="Maximum link depth.")]
    expires_at: Annotated[str, Field(description="When it is deleted, RFC 3339, UTC.")]


async def refresh_answer(ctx: Context, crawl: str, _: Mapping[str, Any]) -> dict[str, Any]:
    """Build the answer for a crawl that has gone on."""
    from assay.crawl import crawl_report
    from assay.tool_calls.call_answer import build_answer

    job = await crawl_report.find_job(ctx.services, ctx.caller, crawl)
    count = await crawl_report.count(ctx.services, job)
    return build_answer(build_output(job, count.found, count.crawled).to_document(), {}, is_heavy=False)


def build_output(job: "CrawlJob", pages_found: int, pages_crawled: int) -> CinderCrawlOutput:
    return CinderCrawlOutput(
        crawl_id=job.id,
        url=job.url,
        status=job.status,
        pages_found=pages_found,
        pages_crawled=pages_crawled,
        created_at=format_utc(job.created),
        max_pages=job.max_pages,
        max_depth=job.max_depth,
        expires_at=format_utc(job.until),
    )


@tool(toolsets=("crawl",), read_only=False, idempotent=False, follows=FollowedJob("crawl", "crawlId", refresh_answer))
async def cinder_crawl(ask: CinderCrawlInput, ctx: Context) -> CinderCrawlOutput:
    """Crawl a site politely in the background: all pages linked on the start page's host. Returns a crawlId at
    once, for cinder_get_crawl_status. For one page use cinder_scrape."""
    from assay.crawl.start import start_crawl
    from assay.work_queue import resume

    with suppress(Network):  # the crawl itself reports a host that does not answer
        await ctx.services.web.check(ask.url)
    job = await start_crawl(
        ctx,
        ask.url,
        max_pages=ask.max_pages,
        include=ask.include_patterns,
        exclude=ask.exclude_patterns,
        render=ask.render,
        max_depth=ask.max_depth,
        sitemaps=ask.sitemaps,
    )
    resume.ensure_worker(ctx.services)
    return build_output(job, 1, 0)
