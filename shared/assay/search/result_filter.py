"""What a searcher wants of every result, and which results have it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from assay.models.common import TimeRange, WebHit
from assay.provider_base.provider import DAY, SECONDS, Provider
from assay.text.url_text import belongs

WINDOWS: tuple[TimeRange, ...] = ("day", "week", "month", "year")
NEAR = 0.95  # of an age in days that a window of time must have to stand for it: 31 days are a month, too

type Mode = Literal["fast", "balanced", "deep"]


@dataclass(frozen=True)
class ResultFilter:
    """A question and what its results must be. Domains are `host` or `host/path`; `days` is the greatest age."""

    query: str
    mode: Mode = "balanced"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    days: float | None = None

    @property
    def whole_days(self) -> int | None:
        return None if self.days is None else math.ceil(self.days)

    @property
    def window(self) -> TimeRange | None:
        """The shortest window of time that loses nothing; None without an age, or beyond a year."""
        if self.days is None:
            return None
        seconds = self.days * DAY * NEAR
        return next((window for window in WINDOWS if SECONDS[window] >= seconds), None)

    def filtered_by(self, source: type[Provider]) -> bool:
        """Whether results without a date may be believed to be young enough, since the provider has looked."""
        if self.days is None or source.supports_max_age:
            return True
        fits = self.window is not None and SECONDS[self.window] * NEAR <= self.days * DAY
        return fits and "time_range" in source.supported_filters["web"]


class FilteredResults(NamedTuple):
    """Results that are as wished, those whose text must be seen first, and how many had no date to go by."""

    good: list[WebHit]
    unsure: list[WebHit]
    undated: int


def filter_results(hits: Iterable[WebHit], wish: ResultFilter, now: float, *, undated_too: bool) -> FilteredResults:
    """The hits in their order; those that lack a phrase are `unsure` until their page is read."""
    good: list[WebHit] = []
    unsure: list[WebHit] = []
    undated = 0
    for hit in hits:
        if not _is_inside(hit.url, wish):
            continue
        if wish.days is not None:
            age = _age(hit.published_at, now)
            undated += age is None and not undated_too
            if (age is None and not undated_too) or (age is not None and age > wish.days * DAY):
                continue
        told = " ".join([hit.title, hit.snippet, *(hit.extra_snippets or ())])
        (good if contains_all(told, wish.phrases) else unsure).append(hit)
    return FilteredResults(good, unsure, undated)


def contains_all(text: str, phrases: Iterable[str]) -> bool:
    """Whether every phrase stands in the text, whatever its case and its spaces."""
    folded = _fold(text)
    return all(_fold(phrase) in folded for phrase in phrases)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_inside(url: str, wish: ResultFilter) -> bool:
    return (not wish.include or belongs(url, wish.include)) and not (wish.exclude and belongs(url, wish.exclude))


def _age(published: str | None, now: float) -> float | None:
    """Seconds since then; a date without a time of day counts until its day is over."""
    if not published:
        return None
    try:
        when = datetime.fromisoformat(published)
    except ValueError:
        return None
    age = now - when.timestamp()
    return age - DAY if (when.hour, when.minute, when.second) == (0, 0, 0) else age
