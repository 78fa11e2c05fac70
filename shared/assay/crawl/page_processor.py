"""Processes one page of a crawl: fetches it, stores its content, queues its links and logs it."""

import asyncio
import secrets
from typing import Any

from assay.crawl import sitemaps
from assay.crawl.frontier import Frontier, FrontierEntry
from assay.crawl.job import CrawlJob
from assay.crawl.politeness import HostSlots, OriginRules, Robots
from assay.crawl.scope import Scope
from assay.crawl.traps import Traps, signature_of
from assay.crawl.url_patterns import compile_patterns
from assay.errors import Network, ToolError
from assay.net.guarded_client import Fetched
from assay.scraping.crawl_fetch import CrawlVisit
from assay.services import Services
from assay.work_queue.work_timing import WorkTiming

TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
MAX_KNOWN_LINKS = 20_000  # links
MAX_SKIPPED = 10  # links of a page that are reported as not read, for each of the two reasons in robots.txt
SITE_FILE_SECONDS = 20.0  # for robots.txt and sitemaps


class PageProcessor:
    """Processes the pages of `job`. `patience` is how long, in seconds, to wait for a busy host."""

    def __init__(
        self, services: Services, timing: WorkTiming, job: CrawlJob, frontier: Frontier, patience: float
    ) -> None:
        self._services, self._timing, self._job, self._frontier = services, timing, job, frontier
        self._patience = patience
        self._pages = services.scrape.on_behalf_of(f"{job.tenant}/crawl")
        self.scope = Scope(job.url, compile_patterns(job.include), compile_patterns(job.exclude))
        self.slots = HostSlots(services.table, services.clock, timing, services.settings.crawl_per_host, job.id)
        self.traps = Traps()
        self._robots = Robots(services.table, job, self._fetch_site_file, timing)
        self._known_links: set[str] = set()  # links that need no second check

    async def rules(self) -> OriginRules:
        """Return the robots.txt rules of the start page's origin and apply its crawl delay. Raises HostBusy."""
        rules = await self._robots.load_rules(self._job.url)
        self.slots.delay = min(rules.delay, self._timing.longest_delay)
        return rules

    async def list_sitemap_urls(self, rules: OriginRules) -> list[str]:
        """Return the allowed pages in the site's sitemaps. Raises HostBusy."""
        origin = self._job.url.split("/", 3)[:3]
        sitemap_urls = [
            place for place in rules.sitemaps or ("/".join([*origin, "sitemap.xml"]),) if self.scope.is_on_site(place)
        ]
        pages = await sitemaps.list_sitemap_pages(
            sitemap_urls, self._fetch_site_file, self.scope.allows_page, self._job.max_pages
        )
        return [url for url in pages if rules.allow(url)]

    async def fetch_page(self, entry: FrontierEntry) -> tuple[CrawlVisit, float | None]:
        """Fetch the page; also return the seconds after which to retry, if a retry may help. Raises HostBusy."""
        async with self.slots.acquire(self.scope.site.name, self._patience):
            try:
                visit = await self._pages.visit(entry.url, render=self._job.render, within=self._may_redirect_to)
            except ToolError as failure:
                visit = CrawlVisit(entry.url, 0, error=failure.sentence(), retry_after=failure.retry_after)
                may_pass = isinstance(failure, Network) and failure.retryable
            else:
                may_pass = visit.status in TRANSIENT
        return visit, self._retry_delay(entry, visit) if may_pass else None

    async def log_page(self, entry: FrontierEntry, visit: CrawlVisit) -> dict[str, Any]:
        """Store the content, queue the links and log the page; return its row. Raises HostBusy.

        The log entry is written last: if the worker dies before it, the page is read again.
        """
        if not visit.leads and not self.scope.is_on_site(visit.url):  # a browser follows redirects itself
            visit = CrawlVisit(entry.url, visit.status, leads=visit.url)
        row = _row(entry, visit)
        if visit.page is not None and not visit.leads:
            content = visit.page.content
            row |= self._describe_content(entry, content)
            if visit.url != entry.url:
                await self._frontier.add_alias(visit.url)
            _, skipped = await asyncio.gather(
                self._store_content(row["body"], content), self._queue_links(entry, visit)
            )
            row |= {reason: links for reason, links in skipped.items() if links}
        await self._frontier.log(entry, row)
        return row

    def _retry_delay(self, entry: FrontierEntry, visit: CrawlVisit) -> float | None:
        if entry.tries >= len(self._timing.pauses):
            return None
        requested = float(visit.retry_after or 0)
        return None if requested > self._timing.longest_pause else max(self._timing.pauses[entry.tries], requested)

    def _describe_content(self, entry: FrontierEntry, content: str) -> dict[str, Any]:
        """Return the content fields of the log row."""
        signature = signature_of(content)
        name = f"crawl/{self._job.id}/{entry.key}-{secrets.token_hex(4)}"  # no other worker writes this key
        fields: dict[str, Any] = {"length": len(content), "body": name, "signature": signature}
        if near := self.traps.add_page(entry.url, signature):
            fields["near"] = near
        return fields

    async def _store_content(self, name: str, content: str) -> None:
        body = content.encode()
        await self._services.bucket.put(name, body, content_type="text/markdown", until=self._job.until)

    async def _queue_links(self, entry: FrontierEntry, visit: CrawlVisit) -> dict[str, list[str]]:
        """Queue the page's links within the budget. Only as many links are checked as are needed.

        Return some that robots.txt excludes, and some that are not read because it cannot be fetched.
        """
        late = self.traps.is_trap(entry.url)
        free_slots = self._frontier.count_free_slots(late=late) if entry.depth < self._job.max_depth else 0
        links: dict[str, str] = {}
        skipped: dict[str, list[str]] = {"excluded": [], "unread": []}
        for url in visit.links:
            if len(links) >= free_slots:
                break
            if url in self._known_links:  # most links of a page are also on the previous page
                continue
            if len(self._known_links) < MAX_KNOWN_LINKS:
                self._known_links.add(url)
            key = self._frontier.find_new_key(url) if self.scope.allows_page(url) else ""
            if not key or key in links:
                continue
            rules = await self._robots.load_rules(url)
            found = skipped["unread" if rules.fault else "excluded"]
            if rules.allow(url):
                links[key] = url
            elif len(found) < MAX_SKIPPED:
                found.append(url)
        await self._frontier.add([(url, entry.depth + 1) for url in links.values()], late=late)
        return skipped

    def _may_redirect_to(self, url: str) -> bool:
        return self.scope.is_on_site(url) and not self._robots.is_known_to_refuse(url)

    async def _fetch_site_file(self, url: str) -> Fetched:
        """Fetch robots.txt or a sitemap. Raises HostBusy."""
        async with self.slots.acquire(self.scope.site.name, self._patience):
            return await self._services.web.fetch(
                url, cap=sitemaps.MAX_BYTES, seconds=SITE_FILE_SECONDS, within=self.scope.is_on_site
            )


def has_failed(row: dict[str, Any]) -> bool:
    """Return whether the page of this row could not be read."""
    return not 0 < row["status"] < 400 or "leads" in row


def failure_reason(row: dict[str, Any]) -> str:
    """Return the reason why a crawl fails whose start page has this row."""
    if "leads" in row:
        return f"The start page leads to {row['leads']}: another site, or disallowed. Start the crawl there."
    return f"The start page could not be read: {row.get('error') or row['status']}"


def _row(entry: FrontierEntry, visit: CrawlVisit) -> dict[str, Any]:
    row: dict[str, Any] = {"status": visit.status}
    if visit.page is not None and visit.page.title:
        row["title"] = visit.page.title[:500]
    if visit.page is not None and visit.page.truncated:
        row["cut"] = True
    if visit.nofollow:
        row["nofollow"] = True
    if visit.url != entry.url:
        row["final"] = visit.url
    if visit.leads:
        row["leads"] = visit.leads
        row["error"] = f"It redirects to {visit.leads}, which is not followed."
    elif visit.error:
        row["error"] = visit.error[:500]
    return row
