"""`Context`, which lives as long as one call: its caller, deadline, budget, cache and progress."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from assay.caller import Caller
from assay.errors import Network, ToolError
from assay.services import Services
from assay.settings import Settings
from assay.state.budget import CallBudget
from assay.state.cache import CacheEntry
from assay.state.json_documents import Document
from assay.state.rate_limit import LimitCounters, Quota, check_quotas, count_call, count_poll
from assay.toolkit.person_form import FormRequired, PersonForm

if TYPE_CHECKING:  # imported by the calls that need them, for fast cold starts
    from assay.consent.consent_gate import ConsentRefusal
    from assay.consent.consent_records import Purpose
    from assay.own_stores import OwnStores
    from assay.scraping.page import Page
    from assay.scraping.scraper import TieredScraper
    from assay.scraping.snapshot_content import PageSnapshot
    from assay.scraping.snapshots import FetchMode
    from assay.search.router import Router
    from assay.state.artifacts import Artifact
    from assay.toolkit.tool import Tool

PAGE_TTL, PARTIAL_PAGE_TTL = timedelta(hours=1), timedelta(minutes=10)
SNAPSHOT_TTL, FAILED_SNAPSHOT_TTL = timedelta(minutes=5), timedelta(seconds=30)
PAGE_VERSION = 3  # increase it when the fields of Page change
MCP_ANSWER_BYTES = 76_000  # with its envelope below 20,000 tokens of four bytes; clients refuse 25,000
PAGE_BYTES = 3_000_000  # of a page of entries, as JSON and as text: half as JSON alone, which no entry point links
type Report = Callable[[float, float | None, str | None], Awaitable[None]]  # progress, total, message
type CountTowardsLimits = Callable[[LimitCounters, Settings, str, str, float], Awaitable[tuple[Quota, ...]]]


@dataclass
class Progress:
    """Steps done and planned of a call."""

    done: int = 0
    planned: int = 0


@dataclass
class Context:
    """One call: its caller, deadline, `_meta` and progress."""

    services: Services
    caller: Caller
    entrypoint: str = "local"
    request_id: str = ""
    deadline: float | None = None  # in seconds of the event loop's clock
    meta: dict[str, Any] = field(default_factory=dict)
    cache_entry: CacheEntry | None = None  # the cache entry that the answer, or its main part, came from
    session: str | None = None
    quotas: list[Quota] = field(default_factory=list)  # the state of the limits; shared by the call and all its parts
    consent_page: str = ""  # address of the page where people consent, "" where there is none
    refusal: str = ""  # why personal data was refused, such as no_consent
    allow_large: bool = False  # the entry point accepts answers of any size
    is_charged: bool = False  # the call was counted when it was accepted
    offers: Callable[[str], bool] = lambda _: True  # whether the caller's connection has the tool of this name
    can_fetch_later: bool = False  # the entry point offers a call that goes on after the deadline
    allowed_cost: int | None = None  # micro-dollars that the person allowed for this call, beyond its limit
    can_ask: bool = False  # the entry point can show a form to the person
    form_responses: Mapping[str, object] = field(default_factory=dict)  # what they answered so far, by key of the form
    answered: dict[str, object] = field(default_factory=dict)  # those of them that the call has used
    report: Report | None = None  # sends a progress notification; None where the client cannot receive one
    progress: Progress = field(default_factory=Progress)  # shared by the call and all its parts

    @cached_property
    def budget(self) -> CallBudget:
        return self.services.ledger.call_budget(self.caller.tenant, self.allowed_cost)

    @property
    def search(self) -> "Router":
        return self.services.search

    @property
    def scrape(self) -> "TieredScraper":
        """The scraper, with fetches and parsing counted in this caller's share."""
        return self.services.scrape.on_behalf_of(f"{self.caller.tenant}/{self.caller.user}")

    @cached_property
    def own(self) -> "OwnStores":
        """The stores of what belongs to the caller."""
        from assay.own_stores import OwnStores

        return OwnStores(self.services, self.caller)

    async def refuse_without_consent(self, purpose: "Purpose") -> "ConsentRefusal | None":
        """Return why this caller's personal data may not be used for the purpose; the audit records it."""
        from assay.consent.consent_gate import find_refusal

        terms = self.services.settings.terms_version
        refusal = await find_refusal(self.own.consents, purpose, page=self.consent_page, terms=terms)
        self.refusal = refusal.status if refusal else ""
        return refusal

    def refuse_unknown_user(self) -> "ConsentRefusal | None":
        """Return why an anonymous caller has no personal data; the audit records it."""
        from assay.consent.consent_gate import ANONYMOUS, refuse_anonymous

        if self.caller.user not in ANONYMOUS:
            return None
        refusal = refuse_anonymous()
        self.refusal = refusal.status
        return refusal

    async def store_artifact(self, body: bytes) -> "Artifact":
        """Store the JSON `body` for 30 minutes as the caller's."""
        from assay.state import artifacts

        services, caller = self.services, self.caller
        return await artifacts.store_for(
            services.table, services.bucket, caller.tenant, caller.user, body, services.clock()
        )

    @property
    def answer_bytes(self) -> int | None:
        """Limit in bytes of an answer, text and JSON together; None is no limit."""
        return MCP_ANSWER_BYTES if self.entrypoint == "mcp" else None

    @property
    def page_bytes(self) -> int:
        """Limit in bytes of a page of entries, text and JSON together."""
        return self.answer_bytes or PAGE_BYTES

    async def charge(self) -> None:
        """Count one call towards the limits, unless it was counted already. Raises QuotaExceeded."""
        if self.is_charged:
            return
        await self._count(count_call)

    async def count_poll(self) -> None:
        """Count one poll for a call in the background, which is no call itself. Raises QuotaExceeded."""
        await self._count(count_poll)

    async def _count(self, count: CountTowardsLimits) -> None:
        services, now = self.services, self.services.clock()
        counted = await count(services.limit_counters, services.settings, self.caller.tenant, self.caller.user, now)
        self.quotas[:] = counted
        check_quotas(counted, now)

    def time_left(self) -> float:
        """Seconds until the deadline; raises Network when it has passed."""
        if self.deadline is None:
            return 3600.0
        import asyncio

        left = self.deadline - asyncio.get_running_loop().time()
        if left <= 0:
            late = Network("The call ran out of time. Ask for less, or call again.", retry_after=5)
            late.out_of_time = True
            raise late
        return left

    def child(self) -> "Context":
        """A context for a part of the call, with its own `_meta` and cache state."""
        return replace(self, meta={}, cache_entry=None)

    async def ask_person(self, form: PersonForm) -> Mapping[str, Any] | None:
        """Return what the person filled in; None if they declined. Only where `can_ask`.

        Raises FormRequired until they have answered; then the call runs again from its beginning, so a tool asks before
        it changes anything.
        """
        if (response := form.read_response(self.form_responses.get(form.key))) is None:
            raise FormRequired(form)
        self.answered[form.key] = self.form_responses[form.key]
        return response.content

    def plan_steps(self, count: int) -> None:
        """Add `count` to the planned steps."""
        self.progress.planned += count

    async def report_step(self, text: str) -> None:
        """Count one step as done and send a progress notification."""
        self.progress.done += 1
        if self.report is not None:
            total = max(self.progress.planned, self.progress.done) if self.progress.planned else None
            await self.report(self.progress.done, total, text)

    async def document(self, tool: "Tool[Any, Any]", arguments: Any) -> Document:
        """The answer of `tool`, from the cache if the tool allows: wire, text, sources, short, empty, routing."""

        async def fresh() -> Document:
            answer = tool.fit_detail(await tool.run(arguments, self), arguments)
            document: Document = answer.to_document(is_stored=tool.cache is not None)
            return document | {"routing": self.meta.get("routing")}

        if tool.cache is None:
            return await fresh()
        began = time.perf_counter()
        document = await self.get_or_compute(
            tool.key(arguments), tool.cache, fresh, keep=lambda document: not document["empty"]
        )
        if (
            routing := document.get("routing")
        ) and "routing" not in self.meta:  # from the cache, or from an equal call in flight
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
        """The cached document `name` of this tenant, or the result of `make`, shared by equal concurrent calls.

        The result is cached for `ttl` if `keep` accepts it.
        """
        key = self._build_cache_key(name)
        entry = await self.services.cache.get(key)
        if entry is not None:
            self.cache_entry = entry
            return entry.document

        async def fresh() -> Document:
            document = await make()
            if keep(document):
                await self.services.cache.put(key, document, ttl(document) if callable(ttl) else ttl)
            return document

        return await self._run_shared(key, fresh)

    async def _run_shared(self, key: str, make: Callable[[], Coroutine[Any, Any, Document]]) -> Document:
        """The result of the one execution under `key`; repeated if the deadline of another caller cut it short."""
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
        """The page at the canonical `url`, cached for an hour. Tools select the part that they return.

        Raises a ToolError when it cannot be read; lasting failures are cached for a while too.
        """
        from assay.scraping.page import Page

        mode: Literal["raw", "read"] = "raw" if raw else "read"

        async def read() -> Document:
            return (await self._read_page(url, mode)).model_dump(exclude_defaults=True)

        name = f"page/{PAGE_VERSION}/{mode}/{_hash_parts(url)}"
        return Page.model_validate(
            await self.get_or_compute(name, _choose_page_ttl, read, keep=lambda page: not page.get("hurried"))
        )

    async def fetch_snapshot(self, url: str, mode: "FetchMode" = "smart", *, markup: bool = False) -> "PageSnapshot":
        """A snapshot of the canonical `url` as its server sends it, whatever the status, cached for minutes.

        `markup` adds the HTML to the text. Raises the errors of `TieredScraper.fetch_snapshot`.
        """
        from assay.scraping.snapshot_content import PageSnapshot

        async def fresh() -> Document:
            snapshot = await self.scrape.fetch_snapshot(url, mode, markup=markup, seconds=self.time_left())
            return snapshot.model_dump(exclude_defaults=True)

        name = f"snapshot/1/{mode}/{markup}/{_hash_parts(url)}"
        return PageSnapshot.model_validate(await self.get_or_compute(name, _choose_snapshot_ttl, fresh))

    async def _read_page(self, url: str, mode: Literal["raw", "read"]) -> "Page":
        """Read the page now, unless a recent attempt failed in a way that lasts."""
        from assay.scraping import failure_cache

        settings = self.services.settings
        rule = (settings.allow_private_ips, settings.allowed_domains)  # these settings can be the cause of a failure
        key = self._build_cache_key(f"page/{PAGE_VERSION}/failed/{_hash_parts(url, *rule)}")
        entry = await self.services.cache.get(key)
        if entry and (failure := failure_cache.restore_error(entry, self.services.clock(), raw=mode == "raw")):
            self.cache_entry = entry
            raise failure
        try:
            return await self.scrape.read(url, mode, seconds=self.time_left())
        except ToolError as failure:
            if not failure.out_of_time and (lasting := failure_cache.get_retention(failure)):
                await self.services.cache.put(key, failure_cache.serialize_error(failure), lasting)
            raise

    def _build_cache_key(self, name: str) -> str:
        isolated = self.services.settings.tenant_isolation
        return f"{self.caller.tenant if isolated else 'everyone'}/{name}"


def _hash_parts(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _choose_page_ttl(page: Document) -> timedelta:
    return PAGE_TTL if page.get("quality", "complete") == "complete" else PARTIAL_PAGE_TTL


def _choose_snapshot_ttl(snapshot: Document) -> timedelta:
    return SNAPSHOT_TTL if snapshot["status"] < 400 and not snapshot.get("warning") else FAILED_SNAPSHOT_TTL
