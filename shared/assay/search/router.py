"""Which provider is asked, and who is asked when it fails: one router for all that has several upstreams."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import AuthRequired, Blocked, NotFound, PaymentRequired, RateLimited, ToolError, UpstreamFailed
from assay.models.common import Input, WebHit, WebQuery
from assay.models.search_queries import ImageHit, ImageQuery, NewsHit, NewsQuery, Place, PlaceQuery
from assay.net.provider_client import WAIT_DEFAULT, ProviderClient
from assay.net.throttle import BURST_SECONDS
from assay.provider_base import provider
from assay.provider_base.provider import FilteredWebQuery, LocalQueueFull, Provider
from assay.provider_base.results import Hits
from assay.search import filtered_search
from assay.search.circuit_breakers import Breakers
from assay.search.distributed_throttle import reserver
from assay.search.fallback import FallbackState, SearchResult
from assay.search.images import images
from assay.search.lenses import Lens, Lenses
from assay.search.news import news, outlet_of
from assay.search.places import places
from assay.search.provider_order import Order
from assay.settings import Settings
from assay.state.ports import TableStore
from assay.text.stopwords import without

TELLING = (AuthRequired, PaymentRequired, RateLimited, Blocked, UpstreamFailed, NotFound)
SHORT = 2  # seconds of Retry-After that are worth waiting where nobody else can be asked
THINNED = ("web", "news", "images")  # asked again in fewer words where they find little

type Asking[Ask: Input] = Callable[[Provider, Ask], Awaitable[Hits[Any]]]


class Router:
    """Asks providers in the operator's order until one has an answer. One a process: it keeps their turns."""

    def __init__(
        self,
        settings: Settings,
        http: ProviderClient,
        table: TableStore,
        *,
        clock: Callable[[], float] = time.time,
        lenses: Lenses | None = None,
    ) -> None:
        self._settings, self._http, self._clock, self._table = settings, http, clock, table
        self.lenses = lenses or Lenses(settings)
        self.breakers = Breakers(table, settings, clock)
        self._order = Order(settings)
        self._sources: dict[str, Provider] = {}

    async def web(
        self,
        ask: WebQuery,
        *,
        provider: str | None = None,
        lens: Lens | str | None = None,
        single_pass: bool = False,
    ) -> SearchResult[WebHit]:
        """Web results, each checked against the lens and the site. Raises the most telling failure when all fail.

        With `single_pass` the first answer is taken as it is, however little is in it.
        """
        lens = self.lenses.find(lens) if isinstance(lens, str) else lens

        async def asking(source: Provider, ask: WebQuery) -> Hits[Any]:
            return await filtered_search.web(source, ask, lens)

        async def retrying(source: Provider, ask: WebQuery) -> Hits[Any]:
            return await filtered_search.web(source, ask, lens, most_parts=1)

        if lens and not provider:
            provider = filtered_search.chosen_provider(lens, self._settings)
        return await self._first("web", provider, ask, asking, retrying, single_pass=single_pass)

    async def page(
        self, ask: FilteredWebQuery, *, provider: str | None = None, lens: Lens | None = None
    ) -> SearchResult[WebHit]:
        """One page of web results, as long as the provider makes it for the price of one request. Raises as `web`."""

        async def asking(source: Provider, ask: FilteredWebQuery) -> Hits[Any]:
            return await filtered_search.web(source, ask.model_copy(update={"num_results": source.page_size}), lens)

        return await self._first("web", provider, ask, asking)

    async def news(self, ask: NewsQuery, *, provider: str | None = None) -> SearchResult[NewsHit]:
        """Articles, each of the asked outlet. Raises InvalidInput where that is no domain, and as `web` does."""
        outlet_of(ask)
        return await self._first("news", provider, ask, news)

    async def images(self, ask: ImageQuery, *, provider: str | None = None) -> SearchResult[ImageHit]:
        return await self._first("images", provider, ask, images)

    async def local(self, ask: PlaceQuery, *, provider: str | None = None) -> SearchResult[Place]:
        return await self._first("local", provider, ask, places)

    async def any(self, operation: str, ask: Input, *, provider: str | None = None) -> SearchResult[Any]:
        """The same for an operation that needs no more than to be asked."""

        async def asking(source: Provider, ask: Input) -> Hits[Any]:
            await source.wait_for_slot()
            return await source.ask(operation, ask)

        return await self._first(operation, provider, ask, asking)

    async def by[Ask: Input](
        self, operation: str, ask: Ask, asking: Asking[Ask], *, provider: str | None = None
    ) -> SearchResult[Any]:
        """The same for an operation that is asked in a way of its own, turns included."""
        return await self._first(operation, provider, ask, asking)

    def order(self, operation: str, provider: str | None = None) -> list[str]:
        """Whom to ask, in turn. Raises ConfigError for a name that is unknown, has no key, or lacks the operation."""
        return self._order.names(operation, provider)

    def second_opinions(self, operation: str) -> list[str]:
        """Who may be asked, in turn, after an index of another kind has found nothing. Raises as `order`."""
        return list(self._second_opinions(self.order(operation), 1))

    def alternatives(self, operation: str, but: Sequence[str] = ()) -> list[str]:
        """The configured providers that can do it, sorted."""
        return self._order.alternatives(operation, but)

    async def healthy(self, operation: str, but: Sequence[str] = ()) -> list[str]:
        """Those alternatives that are not resting."""
        return [name for name in self.alternatives(operation, but) if not (await self.breakers.read(name)).open_until]

    async def others(self, operation: str, but: Sequence[str]) -> list[str]:
        """Those who could be asked next, by name, those that know all subjects first."""
        return self._order.general_first(operation, await self.healthy(operation, but))

    async def health(self) -> list[dict[str, Any]]:
        """Every configured provider with the state of its breaker: `{name, offers, breaker, available}`."""
        told = []
        for name in provider.provider_names():
            source = provider.find_provider(name)
            if source.is_configured(self._settings) and source.supported_filters:
                word = (await self.breakers.read(name)).word(self._clock())
                told.append(
                    {
                        "name": name,
                        "offers": sorted(source.supported_filters),
                        "breaker": word,
                        "available": word != "open",
                    }
                )
        return told

    def source(self, name: str) -> Provider:
        if name not in self._sources:
            source = self._sources[name] = provider.find_provider(name)(self._http, self._settings, clock=self._clock)
            source.pace.reserve = reserver(self._table, name, self._clock)
        return self._sources[name]

    async def _first[Ask: Input](
        self,
        operation: str,
        provider: str | None,
        ask: Ask,
        asking: Asking[Ask],
        retrying: Asking[Ask] | None = None,
        *,
        single_pass: bool = False,
    ) -> SearchResult[Any]:
        """The first answer with something in it, else the first empty one, else the most telling failure.

        With SEARCH_HEDGE_MS the next provider is asked, too, when the one before it is as slow as that.
        """
        began, names = time.perf_counter(), self.order(operation, provider)
        walk, left = FallbackState(names), deque(names)
        retry = None if single_pass or operation not in THINNED else _Retry(retrying or asking)
        running: dict[asyncio.Task[Hits[Any]], str] = {}
        hedge = self._settings.search_hedge_ms / 1000 or None
        try:
            while left or running:
                if left:
                    name = left.popleft()
                    walk.attempted.append(name)
                    one = self._one(name, ask, asking, retry, alone=not left)
                    running[asyncio.create_task(one)] = name
                done, _ = await asyncio.wait(
                    running, timeout=hedge if left else None, return_when=asyncio.FIRST_COMPLETED
                )
                if _collect(walk, ((running.pop(task), task) for task in done)):
                    break
                if walk.empty:
                    left = deque(() if single_pass else self._second_opinions(left, walk.empty))
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
        if walk.answer is None:
            raise await self._most_actionable(walk.failures, operation, names)
        remarks = self._order.notices(operation, provider)
        return walk.to_result(round((time.perf_counter() - began) * 1000), remarks)

    def _second_opinions(self, left: Iterable[str], empty: int) -> Iterable[str]:
        """Who may still be asked after `empty` answers with nothing in them: see SEARCH_SECOND_OPINION."""
        policy = self._settings.search_second_opinion
        if policy == "all":
            return left
        if policy == "none" or empty > 1:
            return ()
        return [name for name in left if not provider.find_provider(name).price]

    async def _one[Ask: Input](
        self, name: str, ask: Ask, asking: Asking[Ask], retry: "_Retry[Ask] | None", *, alone: bool
    ) -> Hits[Any]:
        """One provider's answer, if it does not rest; asked in fewer words once more where it finds little."""
        refused, trial = await self.breakers.admit(name)
        if refused is not None:
            raise _BreakerOpen(refused)
        source = self.source(name)
        try:
            hits = await (_retry_rate_limited(source, ask, asking) if alone else asking(source, ask))
        except ToolError as failure:
            await self.breakers.record_failure(name, failure, trial=trial)
            raise
        finally:
            source.pace.settle()
        await self.breakers.record_success(name, trial=trial)
        return await self._retry_without_stopwords(hits, source, ask, retry) if retry else hits

    async def _retry_without_stopwords[Ask: Input](
        self, hits: Hits[Any], source: Provider, ask: Ask, retry: "_Retry[Ask]"
    ) -> Hits[Any]:
        """The longer of two lists where the first is thin and the question has words to spare."""
        wanted = getattr(ask, "num_results", 0)
        if retry.is_spent or len(hits) > self._settings.search_thin_threshold or len(hits) >= wanted:
            return hits
        if getattr(ask, "page", 0):  # the last page of a list is short
            return hits
        shorter = without(getattr(ask, "query", ""), getattr(ask, "language", None))
        if shorter is None:
            return hits
        retry.is_spent = True
        try:
            again = await retry.asking(source, ask.model_copy(update={"query": shorter}))
        except ToolError as failure:
            hits.warnings.append(f"{source.name} found little, and could not be asked again ({failure.kind}).")
            return hits
        if len(again) <= len(hits):
            return hits
        again.warnings.append(f"{source.name} found little and was asked again without small words: {shorter}")
        return again

    async def _most_actionable(self, failures: list[ToolError], operation: str, names: Sequence[str]) -> ToolError:
        """The failure whose remedy is plainest, with whom else one could ask."""
        ranks = {kind: rank for rank, kind in enumerate(TELLING)}
        telling = min(failures, key=lambda failure: ranks.get(type(failure), len(ranks)))
        telling.alternatives = tuple(await self.healthy(operation, names))
        return telling


@dataclass
class _Retry[Ask: Input]:
    """The one question in fewer words that a call may ask, whoever finds little first."""

    asking: Asking[Ask]
    is_spent: bool = False


class _BreakerOpen(Exception):
    """The breaker has refused: nobody was asked."""

    def __init__(self, refused: ToolError) -> None:
        super().__init__(refused.message)
        self.refused = refused


def _collect(walk: FallbackState, done: Iterable[tuple[str, asyncio.Task[Hits[Any]]]]) -> bool:
    """Take what those who were asked have answered; true when there is an answer with something in it."""
    enough = False
    for name, task in done:
        try:
            enough = walk.record_answer(name, task.result()) or enough
        except _BreakerOpen as resting:
            walk.record_failure(resting.refused, "circuit_open")
        except ToolError as failure:
            walk.record_failure(failure, "primary_unavailable")
    return enough


async def _retry_rate_limited[Ask: Input](source: Provider, ask: Ask, asking: Asking[Ask]) -> Hits[Any]:
    """The answer of the last who can be asked: a limit by the second is waited for instead of told to the caller."""
    loop = asyncio.get_running_loop()
    until = loop.time() + source.queue_seconds
    while True:
        try:
            return await asking(source, ask)
        except LocalQueueFull:
            raise
        except RateLimited as refused:
            wait = _worth_waiting(refused, source)
            if wait is None or loop.time() + wait > until:
                raise
            source.pace.slow_down(wait)


def _worth_waiting(refused: RateLimited, source: Provider) -> float | None:
    if refused.retry_after and refused.retry_after <= SHORT:
        return float(refused.retry_after)
    # It did not say for how long; but where requests came in a hurry, the hurry may be what it refused.
    return BURST_SECONDS if refused.retry_after == WAIT_DEFAULT and source.pace.is_hurried else None
