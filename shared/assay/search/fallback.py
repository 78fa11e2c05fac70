"""The way from provider to provider until one has an answer, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import ToolError
from assay.provider_base.results import Hits


@dataclass(frozen=True)
class SearchResult[T]:
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

    def meta(self) -> dict[str, Any]:
        """What an answer's `_meta` says of its search."""
        told: dict[str, Any] = {}
        if routing := self.routing():
            told["routing"] = routing
        if self.more is not None:
            told["more_results_available"] = self.more
        return told


@dataclass
class FallbackState:
    """Who has been asked so far, and how that went."""

    names: Sequence[str]
    attempted: list[str] = field(default_factory=list)
    failures: list[ToolError] = field(default_factory=list)
    reason: str | None = None
    answer: tuple[str, Hits[Any]] | None = None
    empty: int = 0  # answers with nothing in them

    def record_failure(self, failure: ToolError, reason: str) -> None:
        self.failures.append(failure)
        self.reason = self.reason or reason

    def record_answer(self, name: str, hits: Hits[Any]) -> bool:
        """Take an answer; true when it holds something, so that nobody else need be asked."""
        if hits or self.answer is None:
            self.answer = (name, hits)
        if not hits:
            self.empty += 1
            self.reason = self.reason or "primary_empty"
        return bool(hits)

    def to_result(self, latency_ms: int, remarks: Sequence[str] = ()) -> SearchResult[Any]:
        assert self.answer is not None
        name, hits = self.answer
        fallback = name != self.names[0]
        silent = [
            f"{failure.provider or 'a provider'} could not be asked ({failure.kind})." for failure in self.failures
        ]
        reason = (self.reason or "primary_slow") if fallback else None
        return SearchResult(
            list(hits),
            name,
            self.attempted,
            fallback,
            reason,
            [*hits.warnings, *silent, *remarks],
            latency_ms,
            hits.more,
            len(self.names) > 1,
        )
