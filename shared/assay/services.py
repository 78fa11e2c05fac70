"""`Services`: everything that lives as long as the process. They open what they hold on first use."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.settings import Settings
from assay.state.budget import Ledger
from assay.state.cache import Cache
from assay.state.ports import Browser, Bucket, EmbeddingModel, InferenceModel, Model, Queue, TableStore, UploadTarget
from assay.state.rate_limit import LimitCounters
from assay.state.single_flight import SingleFlight

if TYPE_CHECKING:  # imported by the calls that need them, for fast cold starts
    import asyncio

    from cachetools import TTLCache

    from assay.memory.memory_index import ShardCache
    from assay.memory.memory_vectors import VectorCache
    from assay.net.guarded_client import GuardedClient
    from assay.net.provider_client import ProviderClient
    from assay.oauth.client_keys import ClientKeySets
    from assay.oauth.trusted_issuer import TrustedIssuer
    from assay.records.series_catalogue import CatalogueStore
    from assay.scraping.parse_executor import ParseExecutor
    from assay.scraping.scraper import TieredScraper
    from assay.search.router import Router
    from assay.state.audit import Observer
    from assay.state.audit_source import AuditSource
    from assay.state.key_store import StoredKey
    from assay.statistics.call_history import CallHistory
    from assay.statistics.call_statistics import CallStatistics

RECENT_SECONDS = 5  # how long a token may outlive the key that it rests on


@dataclass
class Services:
    """Everything that a process shares between calls. Tests may replace each field."""

    settings: Settings
    table: TableStore
    bucket: Bucket
    clock: Callable[[], float] = time.time
    browser: Browser | None = None
    model: Model | None = None  # the model, unless LLM_BASE_URL names another one
    embedding: EmbeddingModel | None = None  # the embedding model, unless EMBEDDING_BASE_URL names another one
    inference: InferenceModel | None = None  # the inference model on this machine, if one is set
    readers: "ParseExecutor | None" = None  # executor that parses pages; None is this process, unless `reads_apart`
    requires_keys: bool = False  # whether callers need a key although none is configured: the table has some
    reads_apart: bool = False  # whether worker processes parse pages; they start on first use
    queue: Queue | None = None  # the queue of crawls
    upload_target: UploadTarget | None = None  # where large documents are sent; None where no server runs
    runs_workers: bool = False  # whether this process also works on that queue
    background_tasks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)  # they run until the process ends
    audit_source: "AuditSource | None" = None  # what was written by the observers, for the operator's webhook
    observers: list["Observer"] = field(default_factory=list)
    on_close: list[Callable[[], None]] = field(default_factory=list)  # what writes the rest of its data at the end
    flights: SingleFlight = field(default_factory=SingleFlight)
    web_overrides: dict[str, Any] = field(
        default_factory=dict
    )  # arguments for GuardedClient: tests replace the resolver and the dialler

    @cached_property
    def recent_keys(self) -> "TTLCache[str, StoredKey]":
        """Keys of the table that access tokens rest on, by digest, so that a token costs one read as a rule."""
        from cachetools import TTLCache

        return TTLCache(1_000, RECENT_SECONDS)

    @cached_property
    def cache(self) -> Cache:
        return Cache(self.table, self.bucket, self.clock, self.settings.cache_memory_mb * 1024 * 1024)

    @cached_property
    def limit_counters(self) -> LimitCounters:
        return LimitCounters(self.table)

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
    def issuer(self) -> "TrustedIssuer":
        """The issuer of OAUTH_ISSUER_URL."""
        from assay.oauth.trusted_issuer import TrustedIssuer

        return TrustedIssuer(self.settings, self.http, self.table, self.clock)

    @cached_property
    def client_keys(self) -> "ClientKeySets":
        """The keys that OAuth clients sign with."""
        from assay.oauth.client_keys import ClientKeySets

        return ClientKeySets(self.web, self.clock)

    @cached_property
    def search(self) -> "Router":
        from assay.search.router import Router

        return Router(self.settings, self.http, self.table, clock=self.clock)

    @cached_property
    def statistics(self) -> "CallStatistics":
        from assay.statistics.call_statistics import CallStatistics

        return CallStatistics(self.table, self.clock)

    @cached_property
    def call_history(self) -> "CallHistory":
        from assay.statistics.call_history import CallHistory

        return CallHistory(self.table, self.clock)

    @cached_property
    def memory_shards(self) -> "ShardCache":
        from assay.memory.memory_index import ShardCache

        return ShardCache()

    @cached_property
    def memory_vectors(self) -> "VectorCache":
        from assay.memory.memory_vectors import VectorCache

        return VectorCache()

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
        """Close everything that was opened."""
        if self.background_tasks:
            import asyncio

            for task in self.background_tasks.values():
                task.cancel()
            await asyncio.gather(*self.background_tasks.values(), return_exceptions=True)
        await self._finish_writing()
        for port in (self.queue, self.browser, self.model, self.embedding, self.inference):
            if port is not None:
                await port.close()
        for name in ("http", "web"):
            if name in self.__dict__:
                await self.__dict__[name].close()
        if self.readers is not None:
            self.readers.close()
        await self.table.close()

    async def _finish_writing(self) -> None:
        """Write the calls and the events that wait."""
        for finish in self.on_close:
            finish()
        if "call_history" in self.__dict__:
            from assay.state.best_effort_writes import attempt_to_store

            with attempt_to_store("statistics"):
                await self.call_history.flush()
