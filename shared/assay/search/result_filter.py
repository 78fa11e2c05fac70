"""Filters that search results must pass: domains, required phrases and age."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from assay.models.common import TimeRange, WebHit
from assay.provider_base.provider import DAY, SECONDS, Provider
from assay.text.url_text import is_in_domains

WINDOWS: tuple[TimeRange, ...] = ("day", "week", "month", "year")
MIN_COVERAGE = 0.95  # of an age in days that a time window must cover to replace it: 31 days count as a month

type Mode = Literal["fast", "balanced", "deep"]


@dataclass(frozen=True)
class ResultFilter:
    """A query and the filters of its results. Domains are `host` or `host/path`; `days` is the maximum age."""

    query: str
    mode: Mode = "balanced"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    days: float | None = None

    @property
    def whole_days(self) -> int | None:
        """The maximum age, rounded up."""
        return None if self.days is None else math.ceil(self.days)

    @property
    def window(self) -> TimeRange | None:
        """The shortest time window that excludes no wanted result; None without a maximum age, or beyond a year."""
        if self.days is None:
            return None
        seconds = self.days * DAY * MIN_COVERAGE
        return next((window for window in WINDOWS if SECONDS[window] >= seconds), None)

    def is_applied_by(self, source: type[Provider]) -> bool:
        """Whether the provider itself filters by age, so that results without a date can be accepted."""
        if self.days is None or source.supports_max_age:
            return True
        fits = self.window is not None and SECONDS[self.window] * MIN_COVERAGE <= self.days * DAY
        return fits and "time_range" in source.supported_filters["web"]


class FilteredResults(NamedTuple):
    """Results that pass, results whose page text must be checked first, and the number dropped for lack of a date."""

    good: list[WebHit]
    unsure: list[WebHit]
    undated: int


def filter_results(
    hits: Iterable[WebHit], criteria: ResultFilter, now: float, *, include_undated: bool
) -> FilteredResults:
    """The hits in order; those whose title and snippets lack a phrase are `unsure` until their page is read."""
    good: list[WebHit] = []
    unsure: list[WebHit] = []
    undated = 0
    for hit in hits:
        if not _is_inside(hit.url, criteria):
            continue
        if criteria.days is not None:
            age = _measure_age(hit.published_at, now)
            undated += age is None and not include_undated
            if (age is None and not include_undated) or (age is not None and age > criteria.days * DAY):
                continue
        text = " ".join([hit.title, hit.snippet, *(hit.extra_snippets or ())])
        (good if contains_all(text, criteria.phrases) else unsure).append(hit)
    return FilteredResults(good, unsure, undated)


def contains_all(text: str, phrases: Iterable[str]) -> bool:
    """Whether the text contains every phrase, ignoring case and whitespace."""
    folded = _fold(text)
    return all(_fold(phrase) in folded for phrase in phrases)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_inside(url: str, criteria: ResultFilter) -> bool:
    return (not criteria.include or is_in_domains(url, criteria.include)) and not (
        criteria.exclude and is_in_domains(url, criteria.exclude)
    )


def _measure_age(published: str | None, now: float) -> float | None:
    """Seconds since publication; a date without a time of day means the end of that day."""
    if not published:
        return None
    try:
        when = datetime.fromisoformat(published)
    except ValueError:
        return None
    age = now - when.timestamp()
    return age - DAY if (when.hour, when.minute, when.second) == (0, 0, 0) else age
