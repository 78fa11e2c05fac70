"""The figures of the calls of an hour or a day, by tool, provider and tenant, which can be added up."""

import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, Self

from assay.state.audit import Call
from assay.state.budget import MILLION, ProviderUse
from assay.statistics.latency_histogram import count_durations, estimate_percentile
from assay.text.json_encoding import encode_json

MOST_NAMES = 300  # tools, providers or tenants of one period; the calls of more are counted under `OTHERS`
OTHERS = ""  # no name of a tool, provider or tenant


@dataclass(slots=True)
class CallFigures:
    """Calls of a tool or tenant, or requests to a provider. Costs are in micro-dollars.

    `durations` counts them by `latency_histogram.BOUNDS`, without the zeros at its end. `asked` has the requests to
    each provider and their cost, where the figures are those of a tool.
    """

    calls: int = 0
    errors: int = 0
    cached: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    cost: int = 0
    durations: Sequence[int] = field(default_factory=list)
    asked: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @classmethod
    def from_calls(cls, calls: Collection[Call]) -> Self:
        """The figures of these calls."""
        seconds = [call.seconds for call in calls]
        asked: dict[str, list[int]] = {}
        for call in calls:
            _add_asked(asked, {use.provider: (use.requests, use.cost) for use in call.uses})
        return cls(
            calls=len(calls),
            errors=sum(call.error is not None for call in calls),
            cached=sum(call.cached for call in calls),
            seconds=sum(seconds),
            longest=max(seconds, default=0.0),
            cost=sum(round((call.cost_usd or 0.0) * MILLION) for call in calls),
            durations=_trim(count_durations(seconds)),
            asked=asked,
        )

    @classmethod
    def from_uses(cls, uses: Collection[ProviderUse]) -> Self:
        """The figures of what calls asked of a provider."""
        durations = [seconds for use in uses for seconds in use.durations]
        return cls(
            calls=sum(use.requests for use in uses),
            errors=sum(use.failures for use in uses),
            seconds=sum(durations),
            longest=max(durations, default=0.0),
            cost=sum(use.cost for use in uses),
            durations=_trim(count_durations(durations)),
        )

    @classmethod
    def from_json(cls, fields: list[Any]) -> Self:
        return cls(*fields)

    def to_json(self) -> list[Any]:
        numbers = [self.calls, self.errors, self.cached, round(self.seconds, 3), round(self.longest, 3), self.cost]
        return [*numbers, self.durations, self.asked]

    def __add__(self, other: "CallFigures") -> "CallFigures":
        return add_figures((self, other))

    def estimate_percentile(self, share: float) -> float:
        """Estimate how many seconds this share of the calls lasted at most."""
        return estimate_percentile(self.durations, self.longest, share)


@dataclass(frozen=True)
class PeriodFigures:
    """The calls of an hour or a day by tool and by tenant, and the requests by provider."""

    tools: Mapping[str, CallFigures] = field(default_factory=dict)
    providers: Mapping[str, CallFigures] = field(default_factory=dict)
    tenants: Mapping[str, CallFigures] = field(default_factory=dict)

    @classmethod
    def from_calls(cls, calls: Iterable[Call]) -> Self:
        """The figures of these calls by tool and by provider. It is many times quicker than adding them one by one."""
        by_tool: dict[str, list[Call]] = defaultdict(list)
        by_provider: dict[str, list[ProviderUse]] = defaultdict(list)
        for call in calls:
            by_tool[call.tool].append(call)
            for use in call.uses:
                by_provider[use.provider].append(use)
        return cls(
            {tool: CallFigures.from_calls(each) for tool, each in by_tool.items()},
            {provider: CallFigures.from_uses(each) for provider, each in by_provider.items()},
        )

    def name_tenant(self, tenant: str) -> "PeriodFigures":
        """The same with their sum as the figures of the tenant, unless its name is empty."""
        return replace(self, tenants={tenant: self.add_up()} if tenant else {})

    @classmethod
    def decode(cls, *values: bytes) -> Self:
        """The sum of these rows."""
        sums: tuple[dict[str, list[Any]], ...] = ({}, {}, {})
        for value in values:
            for total, part in zip(sums, json.loads(zlib.decompress(value)), strict=True):
                _add_rows(total, part)
        return cls(*({name: CallFigures.from_json(each) for name, each in part.items()} for part in sums))

    def encode(self) -> bytes:
        """The figures as a row, compressed since DynamoDB bills reads and writes by size."""
        parts = [{name: each.to_json() for name, each in part.items()} for part in self.list_parts()]
        return zlib.compress(encode_json(parts))

    def __add__(self, other: "PeriodFigures") -> "PeriodFigures":
        return PeriodFigures(*map(_merge, self.list_parts(), other.list_parts()))

    def add_up(self) -> CallFigures:
        """The sum over tools."""
        return add_figures(self.tools.values())

    def limit_names(self) -> "PeriodFigures":
        """The same with few names: those with the most calls, and `OTHERS`."""
        return PeriodFigures(*map(_limit, self.list_parts()))

    def list_parts(self) -> tuple[Mapping[str, CallFigures], ...]:
        """The figures by tool, by provider and by tenant."""
        return self.tools, self.providers, self.tenants


def add_figures(figures: Iterable[CallFigures]) -> CallFigures:
    """The sum of the figures. It is many times quicker than adding them one by one."""
    rows = list(figures)
    asked: dict[str, list[int]] = {}
    for row in rows:
        _add_asked(asked, row.asked)
    return CallFigures(
        sum(row.calls for row in rows),
        sum(row.errors for row in rows),
        sum(row.cached for row in rows),
        sum(row.seconds for row in rows),
        max((row.longest for row in rows), default=0.0),
        sum(row.cost for row in rows),
        list(map(sum, zip_longest(*(row.durations for row in rows), fillvalue=0))),
        asked,
    )


def add_periods(periods: Iterable[PeriodFigures]) -> PeriodFigures:
    """The sum of the periods, with few names: those with the most calls, and `OTHERS`."""
    parts = zip(*(period.list_parts() for period in periods), strict=True)
    return PeriodFigures(*map(_add_by_name, parts)).limit_names()


def _add_by_name(parts: Iterable[Mapping[str, CallFigures]]) -> dict[str, CallFigures]:
    rows: dict[str, list[CallFigures]] = {}
    for part in parts:
        for name, figures in part.items():
            rows.setdefault(name, []).append(figures)
    return {name: add_figures(each) for name, each in rows.items()}


def _limit(part: Mapping[str, CallFigures]) -> Mapping[str, CallFigures]:
    if len(part) <= MOST_NAMES:
        return part
    names = sorted(part.keys() - {OTHERS}, key=lambda name: -part[name].calls)
    kept = {name: part[name] for name in names[:MOST_NAMES]}
    return kept | {OTHERS: add_figures(part[name] for name in part.keys() - kept.keys())}


def _merge(one: Mapping[str, CallFigures], other: Mapping[str, CallFigures]) -> dict[str, CallFigures]:
    merged = dict(one)
    for given, figures in other.items():
        name = given if given in merged or len(merged) < MOST_NAMES else OTHERS
        known = merged.get(name)
        merged[name] = figures if known is None else known + figures
    return merged


def _add_rows(total: dict[str, list[Any]], part: dict[str, list[Any]]) -> None:
    """Add up figures as JSON in place: a page reads a hundred thousand of them."""
    for name, row in part.items():
        known = total.get(name)
        if known is None:
            total[name] = row
            continue
        for place in (0, 1, 2, 3, 5):
            known[place] += row[place]
        known[4] = max(known[4], row[4])
        if len(known[6]) < len(row[6]):
            known[6], row[6] = row[6], known[6]
        for place, count in enumerate(row[6]):
            known[6][place] += count
        _add_asked(known[7], row[7])


def _add_asked(total: dict[str, list[int]], asked: Mapping[str, Sequence[int]]) -> None:
    """Add up requests and costs by provider in place."""
    for name, (requests, cost) in asked.items():
        if (known := total.get(name)) is None:
            total[name] = [requests, cost]
        else:
            known[0] += requests
            known[1] += cost


def _trim(counts: list[int]) -> list[int]:
    while counts and not counts[-1]:
        counts.pop()
    return counts
