"""When something was published, from whatever an upstream says, as RFC 3339 in UTC."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from assay.text.stated_dates import find_written_date
from assay.text.timestamps import format_utc

UNITS = {
    "s": 1,
    "m": 60,
    "h": 3600,
    "d": 86_400,
    "w": 7 * 86_400,
    "mo": 30 * 86_400,
    "y": 365 * 86_400,
}
WORDS = {
    "sec": "s", "second": "s", "min": "m", "minute": "m", "hr": "h", "hour": "h", "day": "d", "week": "w",
    "month": "mo", "mo": "mo", "year": "y", "yr": "y",
}  # fmt: skip
AGO = re.compile(r"(?:about |over |almost )?(\d{1,5}|an?|one)\s+([a-z]+?)s?\.?\s+ago", re.IGNORECASE)
COMPACT = re.compile(r"(\d{1,5})\s*(s|mo|m|h|d|w|y)(?:\s+ago)?", re.IGNORECASE)
NAMED = {"just now": 0, "now": 0, "today": 0, "yesterday": 86_400}
MONTHS = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]  # strptime's %b would follow the locale
MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", re.IGNORECASE)
DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]{3,9})\.?,?\s+(\d{4})", re.IGNORECASE)
SLASHES = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
MONTH = re.compile(r"(\d{4})-(\d{1,2})")
ISO = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ]+(\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?", re.IGNORECASE
)
WRITTEN_BY_MACHINE = re.compile(  # a day as ISO 8601 or RFC 822 have it, with or without a time
    r"(?P<iso>-?\d{1,5}-\d{1,2}-\d{1,2}(?:[T ].*)?)"
    r"|(?:[^\W\d]{2,10}\.?,?\s*)?\d{1,2}[\s-]+(?P<month>\w{1,10})\.?[\s-]+\d{1,5}(?:\s.*)?"
)
NO_YEAR = re.compile(r"(?<![\d:+-])0\d{3}(?![\d:])")
EARLIEST, LATEST = datetime(1000, 1, 1, tzinfo=UTC), timedelta(days=2)  # tomorrow's paper is dated tomorrow


def rfc3339(value: Any, now: float) -> str | None:
    """`2026-08-01T09:30:00Z`, or None where `value` is no date that can be meant. A time without zone is UTC.

    Takes ISO 8601, RFC 1123, `2026-08-01`, `Aug 1, 2026`, `1 August 2026`, `08/01/2026` (month first), `3 hours ago`,
    `2d`, and seconds or milliseconds since 1970.
    """
    present = datetime.fromtimestamp(now, UTC)
    moment = _moment(value, present)
    if moment is None or not EARLIEST <= moment <= present + LATEST:
        return None
    return format_utc(moment)


def is_impossible(text: str) -> bool:
    """Whether it is written as programs write dates, and names a day or a time that no calendar has."""
    text = " ".join(text[:80].split())
    shape = WRITTEN_BY_MACHINE.fullmatch(text)
    if shape is None:
        return False
    moment = _moment(text, datetime.now(UTC))
    if moment is not None:
        return moment < EARLIEST
    is_english = shape["iso"] or shape["month"][:3].lower() in MONTHS
    return bool(is_english) or not find_written_date(text)  # which knows the months of other languages


def _moment(value: Any, present: datetime) -> datetime | None:
    try:
        moment = _number(value) if isinstance(value, int | float) else _text(value, present)
        if moment is None:
            return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, TypeError, OSError):
        return None


def _number(value: float) -> datetime | None:
    if isinstance(value, bool) or value <= 0:
        return None
    return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)


def _text(value: Any, present: datetime) -> datetime | None:
    if not isinstance(value, str):
        return None
    text = " ".join(value[:80].split())
    for reader in READERS:
        moment = reader(text, present)
        if moment is not None:
            return moment
    return None


def _iso(text: str, _: datetime) -> datetime | None:
    found = ISO.fullmatch(text)
    if found is None:
        return None
    zone = (found[3] or "Z").upper()
    return datetime.fromisoformat(f"{found[1]}T{found[2]}{'+00:00' if zone in ('Z', 'UTC', 'GMT') else zone}")


def _day(text: str, _: datetime) -> datetime | None:
    if found := DAY.fullmatch(text):
        return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC)
    if found := MONTH.fullmatch(text):
        return datetime(int(found[1]), int(found[2]), 1, tzinfo=UTC)
    return None


def _relative(text: str, present: datetime) -> datetime | None:
    if text.lower() in NAMED:
        return present - timedelta(seconds=NAMED[text.lower()])
    if found := AGO.fullmatch(text):
        unit = WORDS.get(found[2].lower())
        count = int(found[1]) if found[1].isdigit() else 1
        return present - timedelta(seconds=count * UNITS[unit]) if unit else None
    if found := COMPACT.fullmatch(text):
        return present - timedelta(seconds=int(found[1]) * UNITS[found[2].lower()])
    return None


def _parse_worded_date(text: str, _: datetime) -> datetime | None:
    if found := MONTH_FIRST.fullmatch(text):
        return _calendar(found[3], found[1], found[2])
    if found := DAY_FIRST.fullmatch(text):
        return _calendar(found[3], found[2], found[1])
    if found := SLASHES.fullmatch(text):
        return datetime(int(found[3]), int(found[1]), int(found[2]), tzinfo=UTC)
    return None


def _calendar(year: str, month: str, day: str) -> datetime | None:
    name = month[:3].lower()
    return datetime(int(year), MONTHS.index(name) + 1, int(day), tzinfo=UTC) if name in MONTHS else None


def _mail(text: str, _: datetime) -> datetime | None:
    if NO_YEAR.search(text):  # which would be read as a year of this century
        return None
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None


READERS: tuple[Callable[[str, datetime], datetime | None], ...] = (_iso, _day, _relative, _parse_worded_date, _mail)
