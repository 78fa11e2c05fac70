"""The figures of one tool's calls, which can be added up."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self

from assay.state.audit import Call
from assay.statistics.latency_histogram import BOUNDS, count_durations, estimate_percentile
from assay.text.timestamps import format_utc

MAX_PROVIDERS = 60  # names in one row, so that a row stays small
MAX_DAYS = 31


class DayFigures(NamedTuple):
    """The calls of one day (UTC)."""

    calls: int = 0
    errors: int = 0
    cached: int = 0
    seconds: float = 0.0
    dollars: float = 0.0

    def add(self, other: "DayFigures") -> "DayFigures":
        return DayFigures(
            self.calls + other.calls,
            self.errors + other.errors,
            self.cached + other.cached,
            round(self.seconds + other.seconds, 4),
            round(self.dollars + other.dollars, 6),
        )


NO_CALLS = DayFigures()


@dataclass
class ToolFigures:
    """Calls of one tool. `durations` counts them by `BOUNDS`, the longer ones last; times are in epoch seconds."""

    calls: int = 0
    cached: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    dollars: float = 0.0
    first: float = math.inf
    last: float = 0.0
    errors: Counter[str] = field(default_factory=Counter)  # by kind
    providers: Counter[str] = field(default_factory=Counter)  # asked, by name
    durations: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    days: dict[str, DayFigures] = field(default_factory=dict)  # the last `MAX_DAYS` with calls

    @classmethod
    def from_call(cls, call: Call) -> Self:
        """The figures of one call."""
        day = datetime.fromtimestamp(call.at, UTC).date().isoformat()
        cost = call.cost_usd or 0.0
        return cls(
            calls=1,
            cached=int(call.cached),
            seconds=call.seconds,
            longest=call.seconds,
            dollars=cost,
            first=call.at,
            last=call.at,
            errors=Counter([call.error] if call.error else None),
            providers=Counter(call.provider.split(",") if call.provider else None),
            durations=count_durations([call.seconds]),
            days={day: DayFigures(1, int(call.error is not None), int(call.cached), call.seconds, cost)},
        )

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        counters = {name: Counter(document[name]) for name in ("errors", "providers")}
        days = {day: DayFigures(*figures) for day, figures in document.get("days", {}).items()}
        return cls(**{**document, **counters, "days": days})

    def to_json(self) -> dict[str, Any]:
        days = {day: list(figures) for day, figures in self.days.items()}
        return vars(self) | {"seconds": round(self.seconds, 4), "longest": round(self.longest, 4), "days": days}

    def __add__(self, other: "ToolFigures") -> "ToolFigures":
        errors, providers, days = self.errors, self.providers, dict(self.days)
        if other.errors:
            errors = errors + other.errors
        if other.providers:
            providers = Counter(dict((providers + other.providers).most_common(MAX_PROVIDERS)))
        for day, figures in other.days.items():
            days[day] = days.get(day, NO_CALLS).add(figures)
        return ToolFigures(
            calls=self.calls + other.calls,
            cached=self.cached + other.cached,
            seconds=self.seconds + other.seconds,
            longest=max(self.longest, other.longest),
            dollars=self.dollars + other.dollars,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            errors=errors,
            providers=providers,
            durations=list(map(sum, zip(self.durations, other.durations, strict=True))),
            days=dict(sorted(days.items())[-MAX_DAYS:]),
        )

    def estimate_percentile(self, share: float) -> float:
        """Estimate how many seconds this share of the calls lasted at most, from the histogram."""
        return estimate_percentile(self.durations, self.longest, share)

    def summarize(self) -> dict[str, Any]:
        """The figures as callers see them."""
        failed = self.errors.total()
        return {
            "totalCalls": self.calls,
            "successCalls": self.calls - failed,
            "errorCalls": failed,
            "errorsByKind": dict(sorted(self.errors.items())),
            "cacheHits": self.cached,
            "avgLatencyMs": round(self.seconds / self.calls * 1000) if self.calls else 0,
            "p95LatencyMs": round(self.estimate_percentile(0.95) * 1000),
            "firstCalled": format_utc(self.first) if self.calls else None,
            "lastCalled": format_utc(self.last) if self.calls else None,
        }


def add_up(figures: Mapping[str, ToolFigures]) -> ToolFigures:
    """The sum over tools."""
    return sum(figures.values(), ToolFigures())
