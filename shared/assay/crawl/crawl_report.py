"""Reports on a crawl: its progress, and its pages in the order of the log."""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from assay.caller import Caller
from assay.crawl.crawl_kind import KIND
from assay.crawl.job import CRAWLS, Count, CrawlJob, count_logged_pages
from assay.errors import NotFound
from assay.models.common import Output
from assay.services import Services
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Bucket
from assay.text.timestamps import format_utc
from assay.work_queue import sweeper
from assay.work_queue.job_record import Status
from assay.work_queue.work_timing import DEFAULT_TIMING

ID = re.compile(r"[0-9a-f]{32}")
CONTENT_CHARS = 4_000_000  # per response
BODIES = 10  # read concurrently


class CrawledPage(Output):
    """A page that was tried. `status_code` is 0 without a response; `content_length` counts characters of Markdown."""

    url: str
    title: str | None = None
    status_code: Annotated[int, Field(description="HTTP status; 0 if there was no response.")]
    content_length: Annotated[int | None, Field(description="Characters of the page's markdown.")] = None
    depth: Annotated[int, Field(description="Links followed from the start page, which has depth 1.")]
    final_url: Annotated[str | None, Field(description="URL after redirects.")] = None
    error: Annotated[str | None, Field(description="Why the page was not read.")] = None
    near_duplicate_of: Annotated[
        str | None, Field(description="URL of a page of this crawl with nearly the same text.")
    ] = None
    content: Annotated[str | None, Field(description="Markdown; present if includeContent is set.")] = None
    truncated: Annotated[bool | None, Field(description="Whether the text was cut.")] = None
    excluded_links: Annotated[
        list[str] | None,
        Field(description="Up to ten links that robots.txt excludes, as a rule none that an earlier page has."),
    ] = None
    unread_links: Annotated[
        list[str] | None, Field(description="The same for links to a host whose robots.txt cannot be fetched.")
    ] = None
    nofollow: Annotated[bool | None, Field(description="Whether the page asks robots not to follow its links.")] = None


async def find_job(services: Services, caller: Caller, crawl: str) -> CrawlJob:
    """Load the caller's job and recover it if it is stuck. Raises NotFound, also for another tenant's job."""
    job = await CRAWLS.load(services.table, crawl) if ID.fullmatch(crawl) else None
    if job is None or job.tenant != caller.tenant:
        raise NotFound(
            "No such crawl, or its seven days of retention have passed. Start one with cinder_crawl.", field="id"
        )
    current: CrawlJob = await sweeper.recover_job(services, KIND, DEFAULT_TIMING, job)
    return current


async def count(services: Services, job: CrawlJob) -> Count:
    """Return the job's counts, from the last row of its log."""
    tried = job.units if job.units is not None else await count_logged_pages(services, job)
    rows = await _rows(services, job, tried - 1, 1) if tried else []
    last = Count(**rows[0]["count"]) if rows else Count()
    return last._replace(progress=100) if job.status == "completed" else last


async def load_pages(
    services: Services, job: CrawlJob, tried: int, offset: int, limit: int, *, content: bool
) -> list[CrawledPage]:
    """Return up to `limit` pages from `offset` on; fewer if their content reaches `CONTENT_CHARS`."""
    rows = await _rows(services, job, offset, min(limit, tried - offset))
    if not content:
        return [_page(row) for row in rows]
    shown: list[CrawledPage] = []
    remaining = CONTENT_CHARS
    for start in range(0, len(rows), BODIES):
        group = rows[start : start + BODIES]
        for row, text in zip(group, await _contents(services.bucket, group), strict=True):
            if shown and len(text) > remaining:
                return shown
            shown.append(_page(row, text[:remaining], cut=len(text) > remaining))
            remaining -= len(text)
    return shown


def build_notices(job: CrawlJob, rows: Sequence[CrawledPage]) -> list[str]:
    """Return notices about the crawl's result that matter before its pages are used."""
    from assay.crawl.traps import REPEATS, shape_of

    notices = [job.stopped] if job.stopped else []
    if any(page.excluded_links for page in rows):
        notices.append("robots.txt excludes links of these pages (excludedLinks), which were not read.")
    if any(page.unread_links for page in rows):
        notices.append(
            "Links of these pages were not read, because the robots.txt of their host cannot be fetched (unreadLinks)."
        )
    alike = [page.url for page in rows if page.near_duplicate_of]
    shapes = sorted({shape_of(url).rstrip("?") for url in alike})
    if len(alike) >= REPEATS:
        notices.append(f"{len(alike)} of these pages nearly repeat others: {', '.join(shapes[:5])}.")
    return notices


def moment(seconds: float) -> str:
    return format_utc(seconds)


async def _rows(services: Services, job: CrawlJob, offset: int, limit: int) -> list[dict[str, Any]]:
    """Return the log rows from `offset` on."""
    if limit <= 0:
        return []
    after = f"page/{offset - 1:06}" if offset else None
    page = await services.table.query(CRAWLS.key_of(job.id), "page/", after=after, limit=limit)
    return [json.loads(item.value) for item in page.items]


async def _contents(bucket: Bucket, rows: Sequence[dict[str, Any]]) -> list[str]:
    bodies = await map_concurrently(lambda row: _body(bucket, row.get("body")), rows)
    return [(body or b"").decode() for body in bodies]


async def _body(bucket: Bucket, name: str | None) -> bytes | None:
    return await bucket.get(name) if name else None


def _page(row: dict[str, Any], content: str | None = None, *, cut: bool = False) -> CrawledPage:
    return CrawledPage(
        url=row["url"],
        title=row.get("title"),
        status_code=row["status"],
        content_length=row.get("length"),
        depth=row["depth"],
        final_url=row.get("final"),
        error=row.get("error"),
        near_duplicate_of=row.get("near"),
        content=content if "length" in row else None,
        truncated=True if cut or row.get("cut") else None,
        excluded_links=row.get("excluded"),
        unread_links=row.get("unread"),
        nofollow=row.get("nofollow"),
    )


__all__ = ["Count", "CrawlJob", "CrawledPage", "Status", "build_notices", "count", "find_job", "load_pages", "moment"]
