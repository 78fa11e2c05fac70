"""Which provider is asked, and who is asked when it fails: one router for all that has several upstreams."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay import providers
from assay.errors import (
    AuthRequired,
    Blocked,
    ConfigError,
    NotFound,
    PaymentRequired,
    RateLimited,
    ToolError,
    UpstreamFailed,
)
from assay.lenses import Lens, Lenses
from assay.models import Input, WebHit, WebQuery
from assay.net.http import Http
from assay.ports import Table
from assay.providers import Hits, Provider
from assay.search import lensed
from assay.search.breakers import Breakers
from assay.settings import Settings

# Whom an operation asks when nothing is said: those with a key, in this order; else the one that needs none.
PREFERRED = {
    "web": ("brave", "searxng", "google", "serper", "searchapi", "tavily", "exa"),
    "news": ("brave", "searxng"),
    "images": ("brave", "searxng"),
}
KEYLESS = {"web": "duckduckgo"}
TELLING = (AuthRequired, PaymentRequired, RateLimited, Blocked, UpstreamFailed, NotFound)

type Asking = Callable[[Provider], Awaitable[Hits[Any]]]


@dataclass(frozen=True)
class Found[T]:
    """What was found, by whom, and how it came about. `more`: whether the provider says that there is more."""

    hits: list[T]
    provider: str
    attempted: list[str]
    fallback: bool = False
    fallback_reason: str | None = None
    warnings: list[str] = field(default_factory=list)
    latency_ms: int = 0
    more: bool | None = None
    routed: bool = False

    def routing(self) -> dict[str, Any] | None:
        """What `_meta.routing` says; None where there was nothing to route."""
        if not self.routed:
            return None
        told: dict[str, Any] = {
            "cache_hit": False,
            "latency_ms": self.latency_ms,
            "provider_used": self.provider,
            "providers_attempted": self.attempted,
            "fallback": self.fallback,
        }
        return told | ({"fallback_reason": self.fallback_reason} if self.fallback_reason else {})


@dataclass
class _Walk:
    """The way from provider to provider until one has an answer."""

    names: Sequence[str]
    attempted: list[str] = field(default_factory=list)
    failures: list[ToolError] = field(default_factory=list)
    reason: str | None = None
    answer: tuple[str, Hits[Any]] | None = None

    def missed(self, failure: ToolError, reason: str) -> None:
        self.failures.append(failure)
        self.reason = self.reason or reason

    def answered(self, name: str, hits: Hits[Any]) -> bool:
        """Take an answer; true when it holds something, so that nobody else need be asked."""
        if hits or self.answer is None:
            self.answer = (name, hits)
        if not hits:
            self.reason = self.reason or "primary_empty"
        return bool(hits)

    def found(self, latency_ms: int) -> Found[Any]:
        assert self.answer is not None
        name, hits = self.answer
        fallback = name != self.names[0]
        silent = [
            f"{failure.provider or 'a provider'} could not be asked ({failure.kind})." for failure in self.failures
        ]
        return Found(
            list(hits),
            name,
            self.attempted,
            fallback,
            self.reason if fallback else None,
            hits.warnings + silent,
            latency_ms,
            hits.more,
            len(self.names) > 1,
        )


class Router:
    """Asks providers in the operator's order until one has an answer. One a process: it keeps their turns."""

    def __init__(
        self,
        settings: Settings,
        http: Http,
        table: Table,
        *,
        clock: Callable[[], float] = time.time,
        lenses: Lenses | None = None,
    ) -> None:
        self._settings, self._http, self._clock = settings, http, clock
        self.lenses = lenses or Lenses(settings)
        self.breakers = Breakers(table, settings, clock)
        self._sources: dict[str, Provider] = {}

    async def web(self, ask: WebQuery, *, provider: str | None = None, lens: Lens | str | None = None) -> Found[WebHit]:
        """Web results, each checked against the lens and the site. Raises the most telling failure when all fail."""
        lens = self.lenses.find(lens) if isinstance(lens, str) else lens

        async def asking(source: Provider) -> Hits[Any]:
            return await lensed.web(source, ask, lens)

        if lens and not provider:
            provider = lensed.chosen_provider(lens, self._settings)
        return await self._first(self.order("web", provider), "web", asking)

    async def any(self, operation: str, ask: Input, *, provider: str | None = None) -> Found[Any]:
        """The same for an operation that knows no lens."""

        async def asking(source: Provider) -> Hits[Any]:
            await source.turn()
            return await source.ask(operation, ask)

        return await self._first(self.order(operation, provider), operation, asking)

    def order(self, operation: str, provider: str | None = None) -> list[str]:
        """Whom to ask, in turn. Raises ConfigError for a name that is unknown, has no key, or lacks the operation."""
        forced = provider or ("" if self._routes(operation) else self._settings.search_provider)
        if forced:
            return [self._checked(forced.strip().lower(), operation)]
        routes = self._routes(operation)
        for name in routes:
            providers.find(name)
        usable = [name for name in routes or PREFERRED.get(operation, ()) if self._usable(name, operation)]
        if usable:
            return usable
        if routes:
            return [self._checked(routes[0], operation)]
        if operation in KEYLESS:
            return [KEYLESS[operation]]
        raise self._nobody(operation)

    def alternatives(self, operation: str, but: Sequence[str] = ()) -> list[str]:
        """The configured providers that can do it, sorted."""
        return [name for name in providers.names() if name not in but and self._usable(name, operation)]

    async def healthy(self, operation: str, but: Sequence[str] = ()) -> list[str]:
        """Those alternatives that are not resting."""
        return [name for name in self.alternatives(operation, but) if not (await self.breakers.read(name)).open_until]

    async def health(self) -> list[dict[str, Any]]:
        """Every configured provider with the state of its breaker: `{name, offers, breaker, available}`."""
        told = []
        for name in providers.names():
            source = providers.find(name)
            if source.configured(self._settings):
                word = (await self.breakers.read(name)).word(self._clock())
                told.append(
                    {"name": name, "offers": sorted(source.honours), "breaker": word, "available": word != "open"}
                )
        return told

    def source(self, name: str) -> Provider:
        if name not in self._sources:
            self._sources[name] = providers.find(name)(self._http, self._settings, clock=self._clock)
        return self._sources[name]

    async def _first(self, names: list[str], operation: str, asking: Asking) -> Found[Any]:
        """The first answer with something in it, else the first empty one, else the most telling failure."""
        began = time.perf_counter()
        walk = _Walk(names)
        for name in names:
            walk.attempted.append(name)
            refused, trial = await self.breakers.admit(name)
            if refused is not None:
                walk.missed(refused, "circuit_open")
                continue
            try:
                hits = await self._one(name, asking, trial)
            except ToolError as failure:
                walk.missed(failure, "primary_unavailable")
                continue
            if walk.answered(name, hits):
                break
        if walk.answer is None:
            raise await self._most_telling(walk.failures, operation, names)
        return walk.found(round((time.perf_counter() - began) * 1000))

    async def _one(self, name: str, asking: Asking, trial: bool) -> Hits[Any]:
        try:
            hits = await asking(self.source(name))
        except ToolError as failure:
            await self.breakers.failed(name, failure, trial=trial)
            raise
        await self.breakers.answered(name, trial=trial)
        return hits

    async def _most_telling(self, failures: list[ToolError], operation: str, names: Sequence[str]) -> ToolError:
        """The failure whose remedy is plainest, with whom else one could ask."""
        ranks = {kind: rank for rank, kind in enumerate(TELLING)}
        telling = min(failures, key=lambda failure: ranks.get(type(failure), len(ranks)))
        telling.alternatives = tuple(await self.healthy(operation, names))
        return telling

    def _routes(self, operation: str) -> tuple[str, ...]:
        routing = self._settings.search_routing
        return routing.get(operation) or routing.get("default") or ()

    def _usable(self, name: str, operation: str) -> bool:
        source = providers.find(name)
        return source.offers(operation) and source.configured(self._settings)

    def _nobody(self, operation: str) -> ConfigError:
        able = [source for source in map(providers.find, providers.names()) if source.offers(operation)]
        keys = ", ".join(sorted({source.key_name for source in able if source.key_name}))
        return ConfigError(
            f"No provider for {operation} is configured; set one of {keys or 'the providers that can do it'}.",
            action="check_api_key",
            alternatives=self.alternatives(operation),
        )

    def _checked(self, name: str, operation: str) -> str:
        source = providers.find(name)
        if not source.offers(operation):
            raise ConfigError(
                f"{name} cannot be asked for {operation}; use another provider.",
                provider=name,
                field="provider",
                alternatives=self.alternatives(operation, [name]),
            )
        if not source.configured(self._settings):
            raise ConfigError(
                f"{name} is not configured; set {source.needs(self._settings)}, or use another provider.",
                provider=name,
                field="provider",
                action="check_api_key",
                alternatives=self.alternatives(operation, [name]),
            )
        return name
