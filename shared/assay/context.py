"""Two lifetimes: Services live as long as the process, a Context as long as a call."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import Network, ToolError
from assay.settings import Settings
from assay.state.budget import CallBudget, Ledger
from assay.state.cache import Cache, CacheEntry
from assay.state.json_documents import Document
from assay.state.ports import Browser, Bucket, Model, Queue, TableStore
from assay.state.single_flight import SingleFlight

if TYPE_CHECKING:  # what only some calls need is imported by those calls
    import asyncio

    from assay.net.guarded_client import GuardedClient
    from assay.net.provider_client import ProviderClient
    from assay.records.series_catalogue import CatalogueStore
    from assay.scraping.page import Page
    from assay.scraping.parse_executor import ParseExecutor
    from assay.scraping.scraper import TieredScraper
    from assay.scraping.snapshot_content import PageSnapshot
    from assay.scraping.snapshots import FetchMode
    from assay.search.router import Router
    from assay.sessions.store import SessionStore
    from assay.state.audit import Observer
    from assay.toolkit.tool import Tool

PAGE_KEPT, PART_KEPT = timedelta(hours=1), timedelta(minutes=10)  # a page read whole, and one read in part
LOOK_KEPT, FAULT_KEPT = timedelta(minutes=5), timedelta(seconds=30)  # a page looked at, and what was wrong with one
PAGE_VERSION = 3  # another shape of Page is another number
MCP_ANSWER_BYTES = 96_000  # clients refuse answers of 25,000 tokens, which they count as four bytes each
ANYONE = frozenset({"*"})
type Report = Callable[[float, float | None, str | None], Awaitable[None]]  # progress, total, what is being done


@dataclass(frozen=True)
class Caller:
    """Who asks. Scopes: `*`, `tool:*`, `tool:<name>`, or a toolset's name."""

    tenant: str = "local"
    user: str = "local"
    scopes: frozenset[str] = ANYONE
    name: str = ""


@dataclass
class Services:
    """All that a process keeps between calls. Everything here is a seam."""

    settings: Settings
    table: TableStore
    bucket: Bucket
    clock: Callable[[], float] = time.time
    browser: Browser | None = None
    model: Model | None = None  # where none is named by its address
    readers: "ParseExecutor | None" = None  # who reads pages; None is this process, unless it `reads_apart`
    reads_apart: bool = False  # whether pages are read by processes of their own, made when a page first needs one
    queue: Queue | None = None  # what waits to be worked on
    runs_workers: bool = False  # whether this process works on what waits there, beside its calls
    background_tasks: dict[str, "asyncio.Task[None]"] = field(
        default_factory=dict
    )  # what runs beside the calls, until the end
    observers: list["Observer"] = field(default_factory=list)
    flights: SingleFlight = field(default_factory=SingleFlight)
    web_overrides: dict[str, Any] = field(default_factory=dict)  # tests give a resolver and a dialler of their own

    @cached_property
    def cache(self) -> Cache:
        return Cache(self.table, self.bucket, self.clock, self.settings.cache_memory_mb * 1024 * 1024)

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger(self.table, self.settings, self.clock)

    @cached_property
    def http(self) -> "ProviderClient":
        from assay.net.provider_client import ProviderClient

        return ProviderClient(self.settings)

    @cached_property
    def web(self) -> "GuardedClient":
        from assay.net.guarded_client import GuardedClient

        return GuardedClient(self.settings, **self.web_overrides)

    @cached_property
    def search(self) -> "Router":
        from assay.search.router import Router

        return Router(self.settings, self.http, self.table, clock=self.clock)

    @cached_property
    def catalogues(self) -> "CatalogueStore":
        from assay.records.series_catalogue import CatalogueStore

        return CatalogueStore(self.cache, self.flights, self.clock)

    @cached_property
    def scrape(self) -> "TieredScraper":
        from assay.scraping.scraper import TieredScraper

        if self.readers is None and self.reads_apart:
            from assay.scraping.parse_executor import create_executor

            self.readers = create_executor(self.settings.readers)
        return TieredScraper(self.settings, self.web, self.http, self.browser, clock=self.clock, readers=self.readers)

    async def close(self) -> None:
        """Close what was opened, and only that."""
        if self.background_tasks:
            import asyncio

            for task in self.background_tasks.values():
                task.cancel()
            await asyncio.gather(*self.background_tasks.values(), return_exceptions=True)
        for port in (self.queue, self.browser, self.model):
            if port is not None:
                await port.close()
        for name in ("http", "web"):
            if name in self.__dict__:
                await self.__dict__[name].close()
        if self.readers is not None:
            self.readers.close()
        await self.table.close()


@dataclass
class Progress:
    """How far a call has come."""

    done: int = 0
    planned: int = 0


@dataclass
class Context:
    """One call: who asks, until when, and what the answer's `_meta` will say beside it."""

    services: Services
    caller: Caller
    door: str = "local"
    request_id: str = ""
    deadline: float | None = None  # of the loop's clock
    meta: dict[str, Any] = field(default_factory=dict)
    cache_entry: CacheEntry | None = None  # what came from the cache, when the answer or its main part did
    session: str | None = None
    allow_large: bool = False  # the door carries an answer of any size
    report: Report | None = None  # where the door can carry progress
    progress: Progress = field(default_factory=Progress)  # of the call and of all its parts

    @cached_property
    def budget(self) -> CallBudget:
        return self.services.ledger.purse(self.caller.tenant)

    @property
    def search(self) -> "Router":
        return self.services.search

    @property
    def scrape(self) -> "TieredScraper":
        """Pages are fetched and read in this caller's share."""
        return self.services.scrape.on_behalf_of(f"{self.caller.tenant}/{self.caller.user}")

    @property
    def sessions(self) -> "SessionStore":
        """The caller's own research sessions."""
        from assay.sessions.store import SessionStore

        kept = self.services.settings
        return SessionStore(
            self.services.table,
            self.caller.tenant,
            self.caller.user,
            clock=self.services.clock,
            seconds=kept.session_seconds,
            steps=kept.session_max_steps,
            watch=kept.watch_sessions,
        )

    @property
    def answer_bytes(self) -> int | None:
        """The most bytes of an answer, its text and its JSON together; None where the caller takes any."""
        return MCP_ANSWER_BYTES if self.door == "mcp" else None

    def time_left(self) -> float:
        """Seconds until the deadline; raises Network when it has passed."""
        if self.deadline is None:
            return 3600.0
        import asyncio

        left = self.deadline - asyncio.get_running_loop().time()
        if left <= 0:
            late = Network("Out of time. Ask for less, or call again.", retry_after=5)
            late.out_of_time = True
            raise late
        return left

    def child(self) -> "Context":
        """The same call for a part of its work: that a part came from the cache is not said of the whole."""
        return replace(self, meta={}, cache_entry=None)

    def plan_steps(self, count: int) -> None:
        """So many steps more are known to lie ahead."""
        self.progress.planned += count

    async def report_step(self, text: str) -> None:
        """Report that a step is done, of the planned ones where there are any."""
        self.progress.done += 1
        if self.report is not None:
            total = max(self.progress.planned, self.progress.done) if self.progress.planned else None
            await self.report(self.progress.done, total, text)

    async def document(self, tool: "Tool[Any, Any]", given: Any) -> Document:
        """What `tool` answers to `given`, kept for as long as the tool says: wire, text, sources, short, empty."""

        async def fresh() -> Document:
            answer = await tool.run(given, self)
            return {
                "wire": answer.wire(),
                "text": answer.markdown(),
                "sources": [source.model_dump(exclude_none=True) for source in answer.sources()],
                "short": answer.in_short(),
                "empty": answer.is_empty(),
                "routing": self.meta.get("routing"),
            }

        if tool.cache is None:
            return await fresh()
        began = time.perf_counter()
        document = await self.get_or_compute(
            tool.key(given), tool.cache, fresh, keep=lambda document: not document["empty"]
        )
        if (routing := document.get("routing")) and "routing" not in self.meta:  # kept, or another call has asked
            latency = round((time.perf_counter() - began) * 1000)
            self.meta["routing"] = {"cache_hit": True, "latency_ms": latency} if self.cache_entry else routing
        return document

    async def get_or_compute(
        self,
        name: str,
        ttl: timedelta | Callable[[Document], timedelta],
        make: Callable[[], Coroutine[Any, Any, Document]],
        keep: Callable[[Document], bool] = lambda _: True,
    ) -> Document:
        """The document kept under `name` for this tenant, or a fresh one, made once however many ask at a time."""
        key = self._key(name)
        kept = await self.services.cache.get(key)
        if kept is not None:
            self.cache_entry = kept
            return kept.document

        async def fresh() -> Document:
            document = await make()
            if keep(document):
                await self.services.cache.put(key, document, ttl(document) if callable(ttl) else ttl)
            return document

        return await self._share(key, fresh)

    async def _share(self, key: str, make: Callable[[], Coroutine[Any, Any, Document]]) -> Document:
        """The result of the one execution under `key`; what another caller's deadline ended early is made again."""
        led = False

        async def lead() -> Document:
            nonlocal led
            led = True
            return await make()

        while True:
            try:
                document = await self.services.flights.run(key, lead)
            except ToolError as failure:
                if led or not failure.out_of_time:
                    raise
            else:
                if led or not document.get("hurried"):
                    return document
            self.time_left()  # raises where this caller has no time left either

    async def page(self, url: str, *, raw: bool = False) -> "Page":
        """The page at the canonical `url`, kept an hour, whatever part of it each tool shows.

        Raises a ToolError where it cannot be read; most of these are kept for a while too.
        """
        from assay.scraping.page import Page

        mode: Literal["raw", "read"] = "raw" if raw else "read"

        async def read() -> Document:
            return (await self._read(url, mode)).model_dump(exclude_defaults=True)

        name = f"page/{PAGE_VERSION}/{mode}/{_digest(url)}"
        return Page.model_validate(
            await self.get_or_compute(name, _page_kept, read, keep=lambda page: not page.get("hurried"))
        )

    async def look(self, url: str, manner: "FetchMode" = "smart", *, markup: bool = False) -> "PageSnapshot":
        """The page at the canonical `url` as its server shows it, whatever the status, kept for minutes.

        `markup` keeps its HTML beside the text. Raises what Ladder.look raises.
        """
        from assay.scraping.snapshot_content import PageSnapshot

        async def fresh() -> Document:
            look = await self.scrape.look(url, manner, markup=markup, seconds=self.time_left())
            return look.model_dump(exclude_defaults=True)

        name = f"look/1/{manner}/{markup}/{_digest(url)}"
        return PageSnapshot.model_validate(await self.get_or_compute(name, _look_kept, fresh))

    async def _read(self, url: str, mode: Literal["raw", "read"]) -> "Page":
        """The page as it is now, unless it was refused lately, in whatever mode it was asked for."""
        from assay.scraping import failure_cache

        settings = self.services.settings
        rule = (settings.allow_private_ips, settings.allowed_domains)  # a failure may be of the rule's making
        key = self._key(f"page/{PAGE_VERSION}/failed/{_digest(url, *rule)}")
        kept = await self.services.cache.get(key)
        if kept and (failure := failure_cache.restore_error(kept, self.services.clock(), raw=mode == "raw")):
            self.cache_entry = kept
            raise failure
        try:
            return await self.scrape.read(url, mode, seconds=self.time_left())
        except ToolError as failure:
            if not failure.out_of_time and (lasting := failure_cache.retention(failure)):
                await self.services.cache.put(key, failure_cache.serialize_error(failure), lasting)
            raise

    def _key(self, name: str) -> str:
        isolated = self.services.settings.tenant_isolation
        return f"{self.caller.tenant if isolated else 'everyone'}/{name}"


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _page_kept(page: Document) -> timedelta:
    return PAGE_KEPT if page.get("quality", "complete") == "complete" else PART_KEPT


def _look_kept(look: Document) -> timedelta:
    return LOOK_KEPT if look["status"] < 400 and not look.get("warning") else FAULT_KEPT
