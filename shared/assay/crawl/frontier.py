"""The frontier of a crawl: the pages to read, each once, and the append-only log of the pages tried.

The log is authoritative: a page is done when it has a row in the log. A worker must have read all earlier rows to
append the next one, so two workers that both hold the job cannot log a page twice, and positions in the log never
change.
"""

import asyncio
import json
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from assay.crawl import scope
from assay.crawl.job import CRAWLS, Count, CrawlJob
from assay.state import json_documents
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import query_all

MAX_WRITES = 16  # concurrent writes


@dataclass
class FrontierEntry:
    """A page to read. Entries with `late` are read after all others; an alias was read under another URL."""

    key: str
    url: str
    depth: int
    n: int  # position among the pages found
    late: bool = False
    alias: bool = False
    attempts: int = 0  # of all workers, counted once a worker has died
    tries: int = 0  # of this worker


class Frontier:
    """One worker's view of a job's frontier. Call `load` first."""

    def __init__(self, table: TableStore, job: CrawlJob) -> None:
        self._table, self._job = table, job
        self.count = Count()
        self._entries: dict[str, FrontierEntry] = {}
        self._planned = [0, 0]  # number of regular and of late entries to read
        self._done: set[str] = set()
        self._in_progress: set[str] = set()  # taken and not yet logged
        self._queues: tuple[deque[FrontierEntry], deque[FrontierEntry]] = (deque(), deque())  # late entries are second
        self._logging = asyncio.Lock()

    async def load(self) -> list[dict[str, Any]]:
        """Load all stored entries and return the log; entries in progress stay so."""
        log, rows = await asyncio.gather(self._rows("page/"), self._rows("url/"))
        self._done = {row["key"] for row in log}
        if log:
            self.count = Count(**log[-1]["count"])
        for queue in self._queues:
            queue.clear()
        for row in sorted(rows, key=lambda row: row["n"]):
            entry = self._entries.setdefault(row["key"], FrontierEntry(**row))
            self._queue(entry)
        self._recount()
        return log

    async def add(self, links: Iterable[tuple[str, int]], *, late: bool = False) -> None:
        """Add these URLs, each with its depth, up to the page budget."""
        free_slots = self.count_free_slots(late=late)
        fresh: list[FrontierEntry] = []
        for url, depth in links:
            key = scope.key_of(url)
            if len(fresh) < free_slots and key not in self._entries:
                self._entries[key] = FrontierEntry(key, url, depth, len(self._entries), late)
                self._planned[late] += 1
                fresh.append(self._entries[key])
        for start in range(0, len(fresh), MAX_WRITES):
            group = fresh[start : start + MAX_WRITES]
            await map_concurrently(self._store_entry, group)
            for entry in group:
                self._queue(entry)

    def count_free_slots(self, *, late: bool = False) -> int:
        """Return how many more pages may be added."""
        return 0 if self.is_full else self._job.max_pages - self._planned[late]

    def find_new_key(self, url: str) -> str:
        """Return the key of an unknown page; "" for a known one."""
        key = scope.key_of(url)
        return "" if key in self._entries else key

    async def add_alias(self, url: str) -> None:
        """Record `url` as an alias of a page that was read under another URL."""
        key = scope.key_of(url)
        if key not in self._entries:
            self._entries[key] = FrontierEntry(key, url, 0, len(self._entries), alias=True)
            await self._store_entry(self._entries[key])
            self._queue(self._entries[key])

    def take(self) -> FrontierEntry | None:
        """Return the next page; None if there is none at present, or the page limit is in progress."""
        if self.count.tried + len(self._in_progress) >= self._job.max_pages:
            return None
        for queue in self._queues:
            if queue:
                entry = queue.popleft()
                self._in_progress.add(entry.key)
                return entry
        return None

    def requeue(self, entry: FrontierEntry) -> None:
        """Return an entry to the queue for another attempt."""
        self._in_progress.discard(entry.key)
        self._queue(entry)

    async def record_attempt(self, entry: FrontierEntry) -> None:
        """Record the attempt before a worker reads the page, so that a page that crashes workers is recognised."""
        entry.attempts += 1
        await json_documents.save(self._table, self._key, f"url/{entry.key}", _row(entry), until=self._job.until)

    async def log(self, entry: FrontierEntry, row: dict[str, Any]) -> bool:
        """Append the page's row to the log. Return False if another worker has logged the page."""
        try:
            async with self._logging:
                return await self._log(entry, row)
        finally:
            self._in_progress.discard(entry.key)

    @property
    def is_full(self) -> bool:
        """Whether the caller's page limit is reached."""
        return self.count.tried >= self._job.max_pages

    @property
    def has_more(self) -> bool:
        """Whether pages are waiting."""
        return any(self._queues)

    @property
    def in_progress_count(self) -> int:
        return len(self._in_progress)

    async def _log(self, entry: FrontierEntry, row: dict[str, Any]) -> bool:
        while entry.key not in self._done:
            count = self._add_to_count(row["status"])
            logged = {"key": entry.key, "url": entry.url, "depth": entry.depth, **row, "count": count._asdict()}
            try:
                await self._create(f"page/{self.count.tried:06}", logged)
            except Conflict:
                await self.load()
                continue
            self.count = count
            self._done.add(entry.key)
            return True
        return False

    def _add_to_count(self, status: int) -> Count:
        before, tried = self.count, self.count.tried + 1
        found = max(before.found, tried, min(sum(self._planned), self._job.max_pages))
        progress = max(before.progress, min(99, 100 * tried // found))
        return Count(tried, before.crawled + (0 < status < 400), found, progress)

    async def _store_entry(self, entry: FrontierEntry) -> None:
        """Write the entry, or load the one that another worker has written for the page."""
        try:
            await self._create(f"url/{entry.key}", _row(entry))
        except Conflict:
            stored = await json_documents.load(self._table, self._key, f"url/{entry.key}")
            for name, value in (stored or {}).items():
                setattr(entry, name, value)
            self._recount()

    def _recount(self) -> None:
        is_late = [entry.late for entry in self._entries.values() if not entry.alias]
        self._planned = [len(is_late) - sum(is_late), sum(is_late)]

    def _queue(self, entry: FrontierEntry) -> None:
        if not (entry.alias or entry.key in self._done or entry.key in self._in_progress):
            self._queues[entry.late].append(entry)

    async def _create(self, sort: str, row: dict[str, Any]) -> None:
        await self._table.put(self._key, sort, json_documents.encode(row), until=self._job.until, expect=0)

    async def _rows(self, prefix: str) -> list[dict[str, Any]]:
        return [json.loads(row.value) for row in await query_all(self._table, self._key, prefix)]

    @property
    def _key(self) -> str:
        return CRAWLS.key_of(self._job.id)


def _row(entry: FrontierEntry) -> dict[str, Any]:
    row = asdict(entry)
    del row["tries"]
    return row
