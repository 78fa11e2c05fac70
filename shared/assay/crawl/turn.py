"""A turn: what one worker does for one crawl before it gives others theirs."""

import asyncio
import secrets
from typing import Any, NamedTuple

from assay.context import Services
from assay.crawl import job as jobs
from assay.crawl import sitemaps
from assay.crawl.frontier import Entry, Frontier
from assay.crawl.job import Job, Over
from assay.crawl.manners import Robots, Rules, Slots
from assay.crawl.patterns import compiled
from assay.crawl.scope import Scope
from assay.crawl.terms import Terms
from assay.crawl.traps import Traps, signature_of
from assay.errors import Network, ToolError
from assay.net.web import Fetched
from assay.scraping.visits import Visit

TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
ASIDE_SECONDS = 20.0


class Ending(NamedTuple):
    """How a job ends: its status, and the words for it."""

    status: jobs.Status
    error: str | None = None
    stopped: str | None = None


class Turn:
    """One turn of `job`, until `until` of the loop's clock. `careful` notes each page before it is read: the last
    worker may have died over one.
    """

    def __init__(self, services: Services, terms: Terms, job: Job, *, until: float, careful: bool) -> None:
        self._services, self._terms, self._job = services, terms, job
        self._until, self._careful = until, careful
        self._scope = Scope(job.url, compiled(job.include), compiled(job.exclude))
        self._frontier = Frontier(services.table, job)
        self._slots = Slots(services.table, services.clock, terms, services.settings.crawl_per_host, job.id)
        self._robots = Robots(services.table, job, self._asked, terms)
        self._traps = Traps()
        self._news = asyncio.Condition()
        self._ending: Ending | None = None
        self._spent = False  # the turn is over though there is time

    async def run(self) -> float | None:
        """The seconds after which the next turn may begin; None when the job is at its end."""
        log = await self._frontier.load()
        for row in log:
            self._traps.note(row)
        rules = await self._robots.of(self._job.url)
        self._slots.delay = min(rules.delay, self._terms.longest_delay)
        ending = self._barred(log, rules)
        if ending is None:
            if not log:
                await self._begin(rules)
            await self._walked()
            ending = self._ending or self._finished(rules)
        if ending is None:
            return self._slots.delay if self._slots.delay > self._terms.delay else 0.0
        await self._end(ending)
        return None

    def _barred(self, log: list[dict[str, Any]], rules: Rules) -> Ending | None:
        """How the job ends before anything is read."""
        if log:  # a worker that died could not say how it fares
            return Ending("failed", error=_why(log[0])) if _has_failed(log[0]) else None
        if rules.fault:
            return Ending("failed", error=f"The site may not be crawled: {rules.fault}")
        if not rules.allow(self._job.url):
            words = "robots.txt does not let robots read the start page. Begin at one that it lets them read."
            return Ending("failed", error=words)
        return None

    async def _begin(self, rules: Rules) -> None:
        """The start page, whatever the patterns say, and what the site's own sitemaps name."""
        named: list[str] = []
        if self._job.sitemaps and self._job.max_depth > 1 and not self._is_slow(rules):
            default = self._job.url.split("/", 3)
            places = rules.sitemaps or ("/".join([*default[:3], "sitemap.xml"]),)
            within = [place for place in places if self._scope.holds(place)]
            named = await sitemaps.pages_of(within, self._asked, self._scope.admits, self._job.max_pages)
        await self._frontier.admit([(self._job.url, 1)])
        await self._frontier.admit([(url, 2) for url in named if rules.allow(url)])

    async def _asked(self, url: str) -> Fetched:
        """What the site says of itself."""
        async with self._slots.held(self._scope.site.name, self._patience):
            return await self._services.web.fetch(
                url, cap=sitemaps.MOST_BYTES, seconds=ASIDE_SECONDS, within=self._scope.holds
            )

    async def _walked(self) -> None:
        """Read pages until none is left, as many are read as may be, or the turn is over."""
        while True:
            await self._side_by_side()
            if self._is_over or self._frontier.is_full:
                return
            await self._frontier.load()  # what a worker found that died, or was thought dead
            if not self._frontier.has_more:
                return

    async def _side_by_side(self) -> None:
        """As many walkers as the host bears, until none finds more. Raises Over."""
        walkers = 1 if self._slots.delay else self._services.settings.crawl_per_host
        is_over = False
        try:
            async with asyncio.TaskGroup() as self._group:
                for _ in range(walkers):
                    self._group.create_task(self._walk())
        except* Over:
            is_over = True
        if is_over:
            raise Over

    async def _walk(self) -> None:
        while not self._is_over:
            entry = self._frontier.take()
            if entry is not None:
                await self._read(entry)
                async with self._news:
                    self._news.notify_all()
            elif self._frontier.in_hand:
                async with self._news:
                    await self._news.wait()
            else:
                return

    async def _read(self, entry: Entry) -> None:
        """Read one page and log it, or put it off."""
        job = await jobs.load(self._services.table, self._job.id)
        if job is None or job.ended or job.turn > self._job.turn:
            raise Over
        if self._careful:
            if entry.deaths >= self._terms.deaths:
                await self._log(entry, Visit(entry.url, 0, error="Left out: each worker that read it broke down."))
                return
            await self._frontier.mark(entry)
        visit, seconds = await self._visited(entry)
        if seconds is None:
            await self._log(entry, visit)
            return
        entry.tries += 1
        self._group.create_task(self._later(entry, seconds))

    async def _later(self, entry: Entry, seconds: float) -> None:
        """Give the page back after a pause; at the turn's end it is back at once."""
        left = max(0.0, self._until - asyncio.get_running_loop().time())
        await asyncio.sleep(min(seconds, left))
        self._frontier.give_back(entry)
        async with self._news:
            self._news.notify_all()

    async def _visited(self, entry: Entry) -> tuple[Visit, float | None]:
        """What stands at the address; with the seconds after which to ask again, where that may help."""
        try:
            async with self._slots.held(self._scope.site.name, self._patience):
                visit = await self._services.scrape.visit(entry.url, render=self._job.render, within=self._may_lead_to)
        except ToolError as failure:
            visit = Visit(entry.url, 0, error=failure.sentence(), retry_after=failure.retry_after)
            may_pass = isinstance(failure, Network) and failure.retryable
        else:
            may_pass = visit.status in TRANSIENT
        return visit, self._second_try(entry, visit) if may_pass else None

    def _second_try(self, entry: Entry, visit: Visit) -> float | None:
        if entry.tries >= len(self._terms.pauses):
            return None
        wanted = visit.retry_after or 0
        return None if wanted > self._terms.longest_pause else max(self._terms.pauses[entry.tries], float(wanted))

    async def _log(self, entry: Entry, visit: Visit) -> None:
        """Keep the content, mean to read what the page links, and log the page: the log comes last, so that a worker
        which dies before leaves a page to be read again.
        """
        if not visit.leads and not self._scope.holds(visit.url):  # a browser follows where it is led
            visit = Visit(entry.url, visit.status, leads=visit.url)
        row = _row(entry, visit)
        if visit.page is not None and not visit.leads:
            row |= self._signed(entry, visit.page.content)
            if visit.url != entry.url:
                await self._frontier.alias(visit.url)
            await asyncio.gather(self._keep(row["body"], visit.page.content), self._follow(entry, visit))
        await self._frontier.log(entry, row)
        if self._frontier.count.tried == 1 and _has_failed(row):
            self._ending = Ending("failed", error=_why(row))
        self._spent = self._spent or self._slots.delay > self._terms.delay

    def _signed(self, entry: Entry, content: str) -> dict[str, Any]:
        """What the log says of the content."""
        signature = signature_of(content)
        name = f"crawl/{self._job.id}/{entry.key}-{secrets.token_hex(4)}"  # no other worker writes there
        told: dict[str, Any] = {"length": len(content), "body": name, "signature": signature}
        if near := self._traps.like(entry.url, signature):
            told["near"] = near
        return told

    async def _keep(self, name: str, content: str) -> None:
        body = content.encode()
        await self._services.bucket.put(name, body, content_type="text/markdown", until=self._job.until)

    async def _follow(self, entry: Entry, visit: Visit) -> None:
        """Mean to read what the page links, as far as there is room: of ten thousand links few are looked at."""
        late = self._traps.is_trap(entry.url)
        room = self._frontier.room(late=late) if entry.depth < self._job.max_depth else 0
        wanted: dict[str, str] = {}
        for url in visit.links:
            if len(wanted) >= room:
                break
            key = self._frontier.news(url) if self._scope.admits(url) else ""
            if key and key not in wanted and (await self._robots.of(url)).allow(url):
                wanted[key] = url
        await self._frontier.admit([(url, entry.depth + 1) for url in wanted.values()], late=late)

    def _may_lead_to(self, url: str) -> bool:
        return self._scope.holds(url) and not self._robots.known_to_refuse(url)

    def _finished(self, rules: Rules) -> Ending | None:
        """How the job ends, if it does."""
        if self._frontier.is_full or not self._frontier.has_more:
            return Ending("completed")
        if self._is_slow(rules):
            most = self._terms.longest_delay
            return Ending(
                "completed",
                stopped=f"robots.txt asks for {rules.delay:g} seconds between two pages; {most:g} are borne here.",
            )
        if self._services.clock() > self._job.created + self._terms.job:
            return Ending("completed", stopped=f"It took longer than the {self._terms.job / 3600:g} hours it has.")
        return None

    async def _end(self, ending: Ending) -> None:
        tried = self._frontier.count.tried
        await jobs.end(
            self._services.table,
            self._job,
            ending.status,
            self._services.clock(),
            pages=tried,
            error=ending.error,
            stopped=ending.stopped,
        )

    def _is_slow(self, rules: Rules) -> bool:
        return rules.delay > self._terms.longest_delay

    @property
    def _patience(self) -> float:
        """How long to wait for a host that others ask."""
        return max(self._terms.slot, self._until - asyncio.get_running_loop().time())

    @property
    def _is_over(self) -> bool:
        return self._spent or self._ending is not None or asyncio.get_running_loop().time() >= self._until


def _row(entry: Entry, visit: Visit) -> dict[str, Any]:
    row: dict[str, Any] = {"status": visit.status}
    if visit.page is not None and visit.page.title:
        row["title"] = visit.page.title[:500]
    if visit.url != entry.url:
        row["final"] = visit.url
    if visit.leads:
        row["leads"] = visit.leads
        row["error"] = f"It redirects to {visit.leads}, which is not followed."
    elif visit.error:
        row["error"] = visit.error[:500]
    return row


def _has_failed(row: dict[str, Any]) -> bool:
    return not 0 < row["status"] < 400 or "leads" in row


def _why(row: dict[str, Any]) -> str:
    if "leads" in row:
        return (
            f"The start page leads to {row['leads']}, which is another site or closed to robots. Begin there instead."
        )
    return f"The start page could not be read: {row.get('error') or row['status']}"
