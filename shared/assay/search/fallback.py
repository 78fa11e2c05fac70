"""State and result of a provider fail-over: attempts, failures and the first usable answer."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import ToolError
from assay.provider_base.results import Hits


@dataclass(frozen=True)
class SearchResult[T]:
    """The hits, the provider that returned them, and the route to it. `more`: whether the provider reports more."""

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
        """The value of `_meta.routing`; None if only one provider was available."""
        if not self.routed:
            return None
        routing: dict[str, Any] = {
            "cache_hit": False,
            "latency_ms": self.latency_ms,
            "provider_used": self.provider,
            "providers_attempted": self.attempted,
            "fallback": self.fallback,
        }
        return routing | ({"fallback_reason": self.fallback_reason} if self.fallback_reason else {})

    def meta(self) -> dict[str, Any]:
        """The `_meta` fields that describe the search."""
        meta: dict[str, Any] = {}
        if routing := self.routing():
            meta["routing"] = routing
        if self.more is not None:
            meta["more_results_available"] = self.more
        return meta


@dataclass
class FallbackState:
    """The providers that were tried so far, and their outcomes."""

    names: Sequence[str]
    attempted: list[str] = field(default_factory=list)
    failures: list[ToolError] = field(default_factory=list)
    reason: str | None = None
    answer: tuple[str, Hits[Any]] | None = None
    empty: int = 0  # answers without results

    def record_failure(self, failure: ToolError, reason: str) -> None:
        self.failures.append(failure)
        self.reason = self.reason or reason

    def record_answer(self, name: str, hits: Hits[Any]) -> bool:
        """Record an answer; true if it has results, so that no other provider need be tried."""
        if hits or self.answer is None:
            self.answer = (name, hits)
        if not hits:
            self.empty += 1
            self.reason = self.reason or "primary_empty"
        return bool(hits)

    def to_result(self, latency_ms: int, notices: Sequence[str] = ()) -> SearchResult[Any]:
        assert self.answer is not None
        name, hits = self.answer
        fallback = name != self.names[0]
        failed = [f"{failure.provider or 'a provider'} failed ({failure.kind})." for failure in self.failures]
        reason = (self.reason or "primary_slow") if fallback else None
        return SearchResult(
            list(hits),
            name,
            self.attempted,
            fallback,
            reason,
            [*hits.warnings, *failed, *notices],
            latency_ms,
            hits.more,
            len(self.names) > 1,
        )


class BreakerOpen(Exception):
    """The provider's breaker is open, so no request was sent."""

    def __init__(self, refused: ToolError) -> None:
        super().__init__(refused.message)
        self.refused = refused


def collect_answers(state: FallbackState, done: Iterable[tuple[str, asyncio.Task[Hits[Any]]]]) -> bool:
    """Record the finished attempts; true if one of them has results."""
    has_results = False
    for name, task in done:
        try:
            has_results = state.record_answer(name, task.result()) or has_results
        except BreakerOpen as blocked:
            state.record_failure(blocked.refused, "circuit_open")
        except ToolError as failure:
            state.record_failure(failure, "primary_unavailable")
    return has_results
