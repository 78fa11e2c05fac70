"""Periods of statistics as upstreams write them: the days they cover, and their frequency."""

import calendar
import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Literal, NamedTuple

from assay.text.short_text_cache import cache_short

type Rhythm = Literal["annual", "semiannual", "quarterly", "monthly", "weekly", "daily"]

PERIOD = re.compile(
    r"(?P<year>\d{4})"
    r"(?:-?A1?|-?S(?P<half>[12])|-?Q(?P<quarter>[1-4])|-?W(?P<week>\d{2})"
    r"|(?:-|-?M)(?P<month>\d{2})(?:(?:-|D)(?P<day>\d{2}))?)?",
    re.ASCII,
)


class Span(NamedTuple):
    """A period's first and last day, and its frequency."""

    first: date
    last: date
    rhythm: Rhythm


@cache_short(4096)
def parse_span(text: str) -> Span | None:
    """The days of `2024`, `2024-S1`, `2024-Q3`, `2024Q3`, `2024-07`, `2024M07`, `2024-W05`, `2024-07-15`; else None."""
    found = PERIOD.fullmatch(text.strip().partition("T")[0])
    if found is None:
        return None
    year, half, quarter, week, month, day = (int(part) if part else 0 for part in found.groups())
    try:
        if day:
            return Span(date(year, month, day), date(year, month, day), "daily")
        if week:
            monday = date.fromisocalendar(year, week, 1)
            return Span(monday, monday + timedelta(days=6), "weekly")
        if half:
            return _parse_months(year, 6 * half - 5, 6, "semiannual")
        if quarter:
            return _parse_months(year, 3 * quarter - 2, 3, "quarterly")
        return _parse_months(year, month, 1, "monthly") if found["month"] else _parse_months(year, 1, 12, "annual")
    except (ValueError, OverflowError):
        return None


def _parse_months(year: int, first: int, count: int, rhythm: Rhythm) -> Span:
    last = first + count - 1
    return Span(date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1]), rhythm)


def find_first_day(text: str) -> date:
    """The first day of a valid date, month or year: 1 January for `2024`."""
    found = parse_span(text)
    assert found is not None
    return found.first


def find_last_day(text: str) -> date:
    """The last day of a valid date, month or year: 31 December for `2024`."""
    found = parse_span(text)
    assert found is not None
    return found.last


def format_period(day: date, rhythm: Rhythm) -> str:
    """The period that contains the day: `2024`, `2024-S2`, `2024-Q3`, `2024-07`, `2024-W28`, the day."""
    week = day.isocalendar()
    forms: dict[Rhythm, str] = {
        "annual": f"{day.year:04}",
        "semiannual": f"{day.year:04}-S{(day.month + 5) // 6}",
        "quarterly": f"{day.year:04}-Q{(day.month + 2) // 3}",
        "monthly": f"{day.year:04}-{day.month:02}",
        "weekly": f"{week.year:04}-W{week.week:02}",
        "daily": day.isoformat(),
    }
    return forms[rhythm]


def select_period[T](
    points: Iterable[T], period: Callable[[T], str], *, since: str | None, until: str | None, most: int
) -> list[T]:
    """At most `most` points whose period overlaps the bounds: newest first; with `since` oldest first.

    Points with an unreadable period are left out, since they cannot be placed in time.
    """
    first = find_first_day(since) if since else date.min
    last = find_last_day(until) if until else date.max
    alike: dict[str, list[T]] = {}
    for point in points:
        alike.setdefault(period(point), []).append(point)
    dated = [(when, text) for text in alike if (when := parse_span(text))]
    inside = [(when.last, when.first, text) for when, text in dated if when.last >= first and when.first <= last]
    inside.sort(key=lambda one: one[:2], reverse=not since)
    found: list[T] = []
    for _, _, text in inside:
        if len(found) >= most:
            break
        found += alike[text]
    return found[:most]
