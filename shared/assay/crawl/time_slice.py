"""A time slice: the work of one worker on one crawl before other crawls get their turn."""

import asyncio
from typing import Any, NamedTuple

from assay.crawl.frontier import Frontier, FrontierEntry
from assay.crawl.job import CRAWLS, CrawlJob
from assay.crawl.page_processor import PageProcessor, failure_reason, has_failed
from assay.crawl.politeness import HostBusy, OriginRules
from assay.scraping.crawl_fetch import CrawlVisit
from assay.services import Services
from assay.work_queue.job_record import JobEnded, Status
from assay.work_queue.work_timing import WorkTiming


class Ending(NamedTuple):
    """How a job ends: its status and the reason."""

    status: Status
    error: str | None = None
    stopped: str | None = None


class TimeSlice:
    """One time slice of `job`, until `until` on the event loop's clock.

    `careful` records each page before reading it, since the last worker may have died on one.
    """

    def __init__(self, services: Services, timing: WorkTiming, job: CrawlJob, *, until: float, careful: bool) -> None:
        self._services, self._timing, self._job = services, timing, job
        self._until, self._careful = until, careful
        self._frontier = Frontier(services.table, job)
        patience = max(timing.slot, until - asyncio.get_running_loop().time())
        self._processor = PageProcessor(services, timing, job, self._frontier, patience)
        self._progress = asyncio.Condition()
        self._ending: Ending | None = None
        self._pause: float | None = None  # seconds before the next slice, if this one ends early

    async def run(self) -> float | None:
        """Run the slice. Return the seconds until the next one may start; None if the job has ended."""
        log = await self._frontier.load()
        for row in log:
            self._processor.traps.add_row(row)
        try:
            rules = await self._processor.rules()
            ending = self._check_robots(log, rules)
            if ending is None:
                if not log:
                    await self._add_first_pages(rules)
                await self._process_pages()
                ending = self._ending or self._check_finished(rules)
        except HostBusy:
            return self._timing.busy
        if ending is None:
            return self._pause or 0.0
        await self._end(ending)
        return None

    def _check_robots(self, log: list[dict[str, Any]], rules: OriginRules) -> Ending | None:
        """Return how the job ends if robots.txt forbids it."""
        start = next((row for row in log if row["depth"] == 1), None)
        if start is not None and has_failed(start):  # the worker that read it died before ending the job
            return Ending("failed", error=failure_reason(start))
        if log:
            return None
        if rules.fault:
            return Ending("failed", error=f"The site may not be crawled: {rules.fault}")
        if not rules.allow(self._job.url):
            reason = "robots.txt disallows the start page. Start at a page that it allows."
            return Ending("failed", error=reason)
        return None

    async def _add_first_pages(self, rules: OriginRules) -> None:
        """Queue the start page, whatever the patterns are, and the pages in the site's sitemaps."""
        use_sitemaps = self._job.sitemaps and self._job.max_depth > 1 and not self._is_slow(rules)
        listed = await self._processor.list_sitemap_urls(rules) if use_sitemaps else []
        await self._frontier.add([(self._job.url, 1)])
        await self._frontier.add([(url, 2) for url in listed])

    async def _process_pages(self) -> None:
        """Read pages until none is left, the page limit is reached or the slice ends."""
        while True:
            await self._run_concurrently()
            if self._is_over or self._frontier.is_full:
                return
            await self._frontier.load()  # found by a worker that died or was considered dead
            if not self._frontier.has_more:
                return

    async def _run_concurrently(self) -> None:
        """Run as many concurrent workers as the host allows until none finds a page. Raises JobEnded."""
        workers = 1 if self._processor.slots.delay else self._services.settings.crawl_per_host
        is_over = False
        try:
            async with asyncio.TaskGroup() as self._group:
                for _ in range(workers):
                    self._group.create_task(self._work())
        except* JobEnded:
            is_over = True
        if is_over:
            raise JobEnded

    async def _work(self) -> None:
        while not self._is_over:
            entry = self._frontier.take()
            if entry is not None:
                await self._process(entry)
                async with self._progress:
                    self._progress.notify_all()
            elif self._frontier.in_progress_count:
                async with self._progress:
                    await self._progress.wait()
            else:
                return

    async def _process(self, entry: FrontierEntry) -> None:
        """Read one page, or delay it if other crawls keep the host busy. Raises JobEnded."""
        job = await CRAWLS.load(self._services.table, self._job.id)
        if job is None or job.is_ended or job.turn > self._job.turn:
            raise JobEnded
        try:
            await self._read(entry)
        except HostBusy:
            self._frontier.requeue(entry)
            self._pause = self._timing.busy

    async def _read(self, entry: FrontierEntry) -> None:
        """Read and log one page, or schedule a retry. Raises HostBusy."""
        visit, retry_after = await self._skip_or_record(entry) or await self._processor.fetch_page(entry)
        if retry_after is not None:
            entry.tries += 1
            self._group.create_task(self._requeue_later(entry, retry_after))
            return
        row = await self._processor.log_page(entry, visit)
        if entry.depth == 1 and has_failed(row):
            self._ending = Ending("failed", error=failure_reason(row))
        if self._processor.slots.delay > self._timing.delay:
            self._pause = self._processor.slots.delay

    async def _skip_or_record(self, entry: FrontierEntry) -> tuple[CrawlVisit, None] | None:
        """Return the result of a page on which too many workers died; for others record the attempt."""
        if not self._careful:
            return None
        if entry.attempts >= self._timing.max_crashes:
            return CrawlVisit(entry.url, 0, error="Skipped: every worker that read it crashed."), None
        await self._frontier.record_attempt(entry)
        return None

    async def _requeue_later(self, entry: FrontierEntry, seconds: float) -> None:
        """Requeue the page after a pause, or at once if the slice ends before."""
        left = max(0.0, self._until - asyncio.get_running_loop().time())
        await asyncio.sleep(min(seconds, left))
        self._frontier.requeue(entry)
        async with self._progress:
            self._progress.notify_all()

    def _check_finished(self, rules: OriginRules) -> Ending | None:
        """Return how the job ends if it is finished, else None."""
        if self._frontier.is_full or not self._frontier.has_more:
            return Ending("completed")
        if self._is_slow(rules):
            limit = self._timing.longest_delay
            reason = f"robots.txt asks for {rules.delay:g} seconds between two pages; {limit:g} are accepted."
            return Ending("completed", stopped=reason)
        return None

    async def _end(self, ending: Ending) -> None:
        table, now, tried = self._services.table, self._services.clock(), self._frontier.count.tried
        reasons = {"error": ending.error, "stopped": ending.stopped}
        await CRAWLS.end(table, self._job, ending.status, now, units=tried, **reasons)

    def _is_slow(self, rules: OriginRules) -> bool:
        return rules.delay > self._timing.longest_delay

    @property
    def _is_over(self) -> bool:
        ended = self._pause is not None or self._ending is not None
        return ended or asyncio.get_running_loop().time() >= self._until
