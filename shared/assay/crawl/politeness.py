"""Politeness of crawls: robots.txt (RFC 9309), crawl delay, and concurrent requests per host."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.crawl.job import CRAWLS, CrawlJob
from assay.errors import ToolError
from assay.net.guarded_client import Fetched
from assay.net.urls import ParsedUrl, parse_url
from assay.state import json_documents
from assay.state.clock_skew import is_ahead
from assay.state.ports import Conflict, TableItem, TableStore, ValueTooLarge
from assay.text.robots_txt import RobotsGroup, find_group, find_sitemaps
from assay.work_queue.work_timing import WorkTiming

NAME = "Assay"  # product token in robots.txt
LONGEST_SLOT = 3_600.0  # seconds; more than a request and the longest delay after it take
POLL = 0.02, 0.25  # seconds between two attempts to take a slot: first, longest


class HostBusy(Exception):
    """All slots of the host are in use by other crawls."""


class OriginRules(NamedTuple):
    """The robots.txt rules of an origin. `fault` says why nothing may be read; `delay` is in seconds."""

    group: RobotsGroup = RobotsGroup()
    sitemaps: tuple[str, ...] = ()
    fault: str = ""

    def allow(self, url: str) -> bool:
        return not self.fault and self.group.allows(url)

    @property
    def delay(self) -> float:
        return (self.group.crawl_delay_ms or 0) / 1000


class Robots:
    """The robots.txt of each origin of a job, fetched once per job and stored for later workers."""

    def __init__(
        self, table: TableStore, job: CrawlJob, fetch: Callable[[str], Awaitable[Fetched]], timing: WorkTiming
    ) -> None:
        self._table, self._job, self._fetch, self._timing = table, job, fetch, timing
        self._rules: dict[str, OriginRules] = {}

    async def load_rules(self, url: str) -> OriginRules:
        at = parse_url(url)
        origin = f"{at.scheme}://{at.authority}"
        if origin not in self._rules:
            self._rules[origin] = await self._store(at, origin)
        return self._rules[origin]

    def is_known_to_refuse(self, url: str) -> bool:
        """Return whether the cached rules disallow the URL; used for redirect targets, without a fetch."""
        at = parse_url(url)
        rules = self._rules.get(f"{at.scheme}://{at.authority}")
        return rules is not None and not rules.allow(url)

    async def _store(self, at: ParsedUrl, origin: str) -> OriginRules:
        sort = f"robots/{at.scheme}/{at.port}/{at.host}"
        row = await json_documents.load(self._table, CRAWLS.key_of(self._job.id), sort)
        if row is not None:
            return OriginRules(RobotsGroup(tuple(row["lines"])), tuple(row["sitemaps"]))
        rules = parse_rules(await self._fetch_with_retry(f"{origin}/robots.txt"))
        if not rules.fault:
            row = {"lines": rules.group.rules, "sitemaps": rules.sitemaps}
            with suppress(ValueTooLarge):  # the next worker fetches it again
                await json_documents.save(self._table, CRAWLS.key_of(self._job.id), sort, row, until=self._job.until)
        return rules

    async def _fetch_with_retry(self, url: str) -> Fetched | ToolError:
        """Fetch with retries; return the response or the error."""
        for pause in (*self._timing.pauses, None):
            try:
                response: Fetched | ToolError = await self._fetch(url)
            except ToolError as failure:
                response = failure
            may_retry = response.retryable if isinstance(response, ToolError) else response.status >= 500
            if not may_retry or pause is None:
                break
            await asyncio.sleep(pause)
        return response


def parse_rules(response: Fetched | ToolError) -> OriginRules:
    """Parse robots.txt. Per RFC 9309 a missing file allows everything and an unavailable one nothing."""
    if isinstance(response, ToolError):
        return OriginRules(fault=f"its robots.txt cannot be fetched. {response.sentence()}")
    if response.status >= 500 or response.status == 429:
        return OriginRules(fault=f"its robots.txt cannot be fetched (HTTP {response.status}).")
    if response.status >= 300:
        return OriginRules()
    return OriginRules(find_group(NAME, response.body), tuple(find_sitemaps(response.body)[:20]))


class ReleasedSlot(NamedTuple):
    """A released slot: the version of its row and when it is free again."""

    version: int
    until: float


@dataclass
class HostSlots:
    """The request slots of each host, shared by all crawls and stored as rows with an expiry time."""

    table: TableStore
    clock: Callable[[], float]
    timing: WorkTiming
    limit: int
    crawl: str
    delay: float = 0.0  # seconds from the end of one request to the next
    _held: set[str] = field(default_factory=set)
    _released: dict[str, ReleasedSlot] = field(default_factory=dict)

    @asynccontextmanager
    async def acquire(self, host: str, patience: float) -> AsyncIterator[None]:
        """Hold one slot of the host during a request. Raises HostBusy if none is free within `patience` seconds."""
        key = f"crawl-host/{host}"
        sort, version = await self._take_slot(key, patience)
        try:
            yield
        finally:
            now = self.clock()
            row = json_documents.encode({"crawl": "", "until": now + self.delay})
            with suppress(Conflict):
                version = await self.table.put(key, sort, row, until=now + self.timing.retention, expect=version)
                self._released[sort] = ReleasedSlot(version, now + self.delay)
            self._held.discard(sort)

    async def _take_slot(self, key: str, patience: float) -> tuple[str, int]:
        """Take a slot; return its sort key and version."""
        loop = asyncio.get_running_loop()
        pause, until = POLL[0], loop.time() + patience
        while True:
            for number in range(1 if self.delay else self.limit):  # with a crawl delay, a host has a single slot
                if (version := await self._take_if_free(key, sort := f"slot/{number}")) is not None:
                    return sort, version
            if loop.time() >= until:
                raise HostBusy
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, POLL[1])

    async def _take_if_free(self, key: str, sort: str) -> int | None:
        """Take the slot and return its version; return None if it is in use."""
        if sort in self._held:
            return None
        self._held.add(sort)
        version = None
        try:
            version = await self._put(key, sort)
        finally:
            if version is None:
                self._held.discard(sort)
        return version

    async def _put(self, key: str, sort: str) -> int | None:
        """Take the slot if it is free. A slot that this worker released last needs a single conditional write."""
        now = self.clock()
        if (released := self._released.pop(sort, None)) and released.until <= now:
            version = await self._write_slot(key, sort, released.version, now)
            if version is not None:
                return version
        item = await self.table.get(key, sort)
        if item is not None and not self._is_free(item, now):
            return None
        return await self._write_slot(key, sort, item.version if item else 0, now)

    async def _write_slot(self, key: str, sort: str, expect: int, now: float) -> int | None:
        row = json_documents.encode({"crawl": self.crawl, "until": now + self.timing.slot})
        try:
            return await self.table.put(key, sort, row, until=now + self.timing.retention, expect=expect)
        except Conflict:
            return None

    def _is_free(self, item: TableItem, now: float) -> bool:
        """Return whether the slot has expired, or belongs to a dead worker of this job."""
        row = json.loads(item.value)
        is_past = row["until"] <= now or is_ahead(row["until"], now, LONGEST_SLOT)
        return bool(is_past or row["crawl"] == self.crawl)
