"""The router: selects a provider for each operation and falls back to the next one when it fails."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import AuthRequired, Blocked, NotFound, PaymentRequired, RateLimited, ToolError, UpstreamFailed
from assay.models.common import Input, WebHit, WebQuery
from assay.models.search_queries import ImageHit, ImageQuery, NewsHit, NewsQuery, Place, PlaceQuery
from assay.net.provider_client import ProviderClient
from assay.provider_base.provider import FilteredWebQuery, Provider
from assay.provider_base.provider_lookup import find_provider
from assay.provider_base.provider_manifest import describe_provider, describe_providers
from assay.provider_base.results import Hits
from assay.search import filtered_search
from assay.search.circuit_breakers import CLOSED, Breakers
from assay.search.distributed_throttle import make_reserve
from assay.search.fallback import BreakerOpen, FallbackState, SearchResult, collect_answers
from assay.search.images import search_images
from assay.search.lenses import Lens, Lenses
from assay.search.news import parse_outlet, search_news
from assay.search.places import search_places
from assay.search.provider_order import Order
from assay.search.rate_limit_retry import Operation, retry_rate_limited
from assay.settings import Settings
from assay.state.ports import TableStore
from assay.text.stopwords import remove_stopwords

# Errors that the caller or the operator can act upon come first.
ERROR_PRIORITY = (AuthRequired, PaymentRequired, RateLimited, Blocked, UpstreamFailed, NotFound)
RETRIED_WITHOUT_STOPWORDS = ("web", "news", "images")


class Router:
    """Tries providers in the configured order until one has results.

    Use one router per process, since it holds the providers' throttles.
    """

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
        query: WebQuery,
        *,
        provider: str | None = None,
        lens: Lens | str | None = None,
        single_pass: bool = False,
    ) -> SearchResult[WebHit]:
        """Web results, each checked against the lens and the site.

        With `single_pass` the first answer is returned even if it has few results. If all providers fail, raises
        the error that the caller can best act upon.
        """
        lens = self.lenses.find(lens) if isinstance(lens, str) else lens

        async def perform(source: Provider, query: WebQuery) -> Hits[Any]:
            return await filtered_search.search_web(source, query, lens)

        async def perform_retry(source: Provider, query: WebQuery) -> Hits[Any]:
            return await filtered_search.search_web(source, query, lens, max_parts=1)

        if lens and not provider:
            provider = filtered_search.find_preferred_provider(lens, self._settings)
        return await self._run_with_fallback("web", provider, query, perform, perform_retry, single_pass=single_pass)

    async def page(
        self, query: FilteredWebQuery, *, provider: str | None = None, lens: Lens | None = None
    ) -> SearchResult[WebHit]:
        """One page of web results, as many as the provider returns for the price of one request. Raises as `web`."""

        async def perform(source: Provider, query: FilteredWebQuery) -> Hits[Any]:
            return await filtered_search.search_web(
                source, query.model_copy(update={"num_results": source.page_size}), lens
            )

        return await self._run_with_fallback("web", provider, query, perform)

    async def news(self, query: NewsQuery, *, provider: str | None = None) -> SearchResult[NewsHit]:
        """News articles of the requested outlet. Raises InvalidInput if `news_source` is not a domain, and as `web`."""
        parse_outlet(query)
        return await self._run_with_fallback("news", provider, query, search_news)

    async def images(self, query: ImageQuery, *, provider: str | None = None) -> SearchResult[ImageHit]:
        return await self._run_with_fallback("images", provider, query, search_images)

    async def local(self, query: PlaceQuery, *, provider: str | None = None) -> SearchResult[Place]:
        return await self._run_with_fallback("local", provider, query, search_places)

    async def run_operation(self, operation: str, query: Input, *, provider: str | None = None) -> SearchResult[Any]:
        """The result of an operation whose answers need no further processing. Raises as `web`."""

        async def perform(source: Provider, query: Input) -> Hits[Any]:
            await source.wait_for_slot()
            return await source.ask(operation, query)

        return await self._run_with_fallback(operation, provider, query, perform)

    async def run_with[Ask: Input](
        self, operation: str, query: Ask, perform: Operation[Ask], *, provider: str | None = None
    ) -> SearchResult[Any]:
        """The result of an operation that `perform` performs, including its wait for a slot. Raises as `web`."""
        return await self._run_with_fallback(operation, provider, query, perform)

    def order(self, operation: str, provider: str | None = None) -> list[str]:
        """The providers to try, in order. Raises ConfigError if `provider` is unknown, not configured or unsuitable."""
        return self._order.names(operation, provider)

    def second_opinions(self, operation: str) -> list[str]:
        """The providers to try, in order, after another kind of index returned no results. Raises as `order`."""
        return list(self._choose_second_opinions(self.order(operation), 1))

    def alternatives(self, operation: str, but: Sequence[str] = ()) -> list[str]:
        """The configured providers that support the operation, sorted by name."""
        return self._order.alternatives(operation, but)

    async def healthy(self, operation: str, but: Sequence[str] = ()) -> list[str]:
        """The alternatives whose breaker is closed."""
        return [name for name in self.alternatives(operation, but) if not (await self.breakers.read(name)).open_until]

    async def others(self, operation: str, but: Sequence[str]) -> list[str]:
        """The providers that could be tried next: general ones first, then by name."""
        return self._order.general_first(operation, await self.healthy(operation, but))

    async def health(self) -> list[dict[str, Any]]:
        """Every configured provider with the state of its breaker: `{name, offers, breaker, available}`."""
        entries, breakers = [], await self.breakers.read_all()
        for source in describe_providers():
            name = source.name
            if source.is_configured(self._settings) and source.supported_filters:
                state = breakers.get(name, CLOSED).state(self._clock())
                entries.append(
                    {
                        "name": name,
                        "offers": sorted(source.supported_filters),
                        "breaker": state,
                        "available": state != "open",
                    }
                )
        return entries

    def source(self, name: str) -> Provider:
        """The provider of this name, created on first use."""
        if name not in self._sources:
            source = self._sources[name] = find_provider(name)(self._http, self._settings, clock=self._clock)
            source.throttle.reserve = make_reserve(self._table, name, self._clock)
        return self._sources[name]

    async def _run_with_fallback[Ask: Input](
        self,
        operation: str,
        provider: str | None,
        query: Ask,
        perform: Operation[Ask],
        perform_retry: Operation[Ask] | None = None,
        *,
        single_pass: bool = False,
    ) -> SearchResult[Any]:
        """The first answer with results, else the first empty answer; raises if every provider fails.

        If SEARCH_HEDGE_MS is set, the next provider is started when the previous one takes longer than that.
        """
        started, names = time.perf_counter(), self.order(operation, provider)
        state = FallbackState(names)
        retry = None if single_pass or operation not in RETRIED_WITHOUT_STOPWORDS else _Retry(perform_retry or perform)

        async def attempt(name: str, is_last: bool) -> Hits[Any]:
            return await self._try_provider(name, query, perform, retry, is_last=is_last)

        await self._race(state, deque(names), attempt, single_pass=single_pass)
        if state.answer is None:
            raise await self._choose_failure(state.failures, operation, names)
        notices = self._order.notices(operation, provider)
        return state.to_result(round((time.perf_counter() - started) * 1000), notices)

    async def _race(
        self,
        state: FallbackState,
        remaining: deque[str],
        attempt: Callable[[str, bool], Coroutine[Any, Any, Hits[Any]]],
        *,
        single_pass: bool,
    ) -> None:
        """Start one attempt after the other until one has results or all have ended; `state` records them."""
        running: dict[asyncio.Task[Hits[Any]], str] = {}
        hedge = self._settings.search_hedge_ms / 1000 or None
        try:
            while remaining or running:
                if remaining:
                    name = remaining.popleft()
                    state.attempted.append(name)
                    running[asyncio.create_task(attempt(name, not remaining))] = name
                done, _ = await asyncio.wait(
                    running, timeout=hedge if remaining else None, return_when=asyncio.FIRST_COMPLETED
                )
                if collect_answers(state, ((running.pop(task), task) for task in done)):
                    break
                if state.empty:
                    remaining = deque(() if single_pass else self._choose_second_opinions(remaining, state.empty))
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def _choose_second_opinions(self, remaining: Iterable[str], empty: int) -> Iterable[str]:
        """The providers that SEARCH_SECOND_OPINION allows to try after `empty` answers without results."""
        policy = self._settings.search_second_opinion
        if policy == "all":
            return remaining
        if policy == "none" or empty > 1:
            return ()
        return [name for name in remaining if not describe_provider(name).price]

    async def _try_provider[Ask: Input](
        self, name: str, query: Ask, perform: Operation[Ask], retry: "_Retry[Ask] | None", *, is_last: bool
    ) -> Hits[Any]:
        """One provider's answer, retried without stop words if it has few results. Raises BreakerOpen."""
        refused, trial = await self.breakers.admit(name)
        if refused is not None:
            raise BreakerOpen(refused)
        source = self.source(name)
        try:
            hits = await (retry_rate_limited(source, query, perform) if is_last else perform(source, query))
        except ToolError as failure:
            await self.breakers.record_failure(name, failure, trial=trial)
            raise
        finally:
            source.throttle.settle()
        await self.breakers.record_success(name, trial=trial)
        return await self._retry_without_stopwords(hits, source, query, retry) if retry else hits

    async def _retry_without_stopwords[Ask: Input](
        self, hits: Hits[Any], source: Provider, query: Ask, retry: "_Retry[Ask]"
    ) -> Hits[Any]:
        """The longer of two answers, if the first has few results and the query has stop words to remove."""
        requested = getattr(query, "num_results", 0)
        if retry.is_spent or len(hits) > self._settings.search_thin_threshold or len(hits) >= requested:
            return hits
        if getattr(query, "page", 0):  # a later page may be short because it is the last
            return hits
        shorter = remove_stopwords(getattr(query, "query", ""), getattr(query, "language", None))
        if shorter is None:
            return hits
        retry.is_spent = True
        try:
            again = await retry.perform(source, query.model_copy(update={"query": shorter}))
        except ToolError as failure:
            hits.warnings.append(f"{source.name} returned few results, and the retry failed ({failure.kind}).")
            return hits
        if len(again) <= len(hits):
            return hits
        again.warnings.append(
            f"{source.name} returned few results; the query was retried without stop words: {shorter}"
        )
        return again

    async def _choose_failure(self, failures: list[ToolError], operation: str, names: Sequence[str]) -> ToolError:
        """The failure with the highest priority, with the alternatives that could be tried."""
        ranks = {kind: rank for rank, kind in enumerate(ERROR_PRIORITY)}
        chosen = min(failures, key=lambda failure: ranks.get(type(failure), len(ranks)))
        chosen.alternatives = tuple(await self.healthy(operation, names))
        return chosen


@dataclass
class _Retry[Ask: Input]:
    """The retry without stop words, which each call may use once, for any of its providers."""

    perform: Operation[Ask]
    is_spent: bool = False
