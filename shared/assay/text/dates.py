"""Parses the publication dates that upstreams return into RFC 3339 timestamps in UTC."""

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
NAMED_OFFSETS = {"just now": 0, "now": 0, "today": 0, "yesterday": 86_400}
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
]  # strptime's %b depends on the locale
MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", re.IGNORECASE)
DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+([a-z]{3,9})\.?,?\s+(\d{4})", re.IGNORECASE)
SLASHES = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
MONTH = re.compile(r"(\d{4})-(\d{1,2})")
ISO = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ]+(\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?", re.IGNORECASE
)
MACHINE_FORMAT = re.compile(  # a day in ISO 8601 or RFC 822 format, with or without a time
    r"(?P<iso>-?\d{1,5}-\d{1,2}-\d{1,2}(?:[T ].*)?)"
    r"|(?:[^\W\d]{2,10}\.?,?\s*)?\d{1,2}[\s-]+(?P<month>\w{1,10})\.?[\s-]+\d{1,5}(?:\s.*)?"
)
LEADING_ZERO_YEAR = re.compile(r"(?<![\d:+-])0\d{3}(?![\d:])")
EARLIEST, MAX_AHEAD = datetime(1000, 1, 1, tzinfo=UTC), timedelta(days=2)  # a publication may carry tomorrow's date


def rfc3339(value: Any, now: float) -> str | None:
    """Return `2026-08-01T09:30:00Z`, or None if `value` is no plausible date. A time without zone is UTC.

    Accepts ISO 8601, RFC 1123, `2026-08-01`, `Aug 1, 2026`, `1 August 2026`, `08/01/2026` (month first), `3 hours ago`,
    `2d`, and seconds or milliseconds since 1970.
    """
    present = datetime.fromtimestamp(now, UTC)
    moment = _parse_moment(value, present)
    if moment is None or not EARLIEST <= moment <= present + MAX_AHEAD:
        return None
    return format_utc(moment)


def is_impossible(text: str) -> bool:
    """Return whether the text has a machine date format but names a day or time that does not exist."""
    text = " ".join(text[:80].split())
    shape = MACHINE_FORMAT.fullmatch(text)
    if shape is None:
        return False
    moment = _parse_moment(text, datetime.now(UTC))
    if moment is not None:
        return moment < EARLIEST
    is_english = shape["iso"] or shape["month"][:3].lower() in MONTHS
    return bool(is_english) or not find_written_date(text)  # which supports month names of other languages


def _parse_moment(value: Any, present: datetime) -> datetime | None:
    try:
        moment = _from_epoch(value) if isinstance(value, int | float) else _from_text(value, present)
        if moment is None:
            return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, TypeError, OSError):
        return None


def _from_epoch(value: float) -> datetime | None:
    if isinstance(value, bool) or value <= 0:
        return None
    return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)


def _from_text(value: Any, present: datetime) -> datetime | None:
    if not isinstance(value, str):
        return None
    text = " ".join(value[:80].split())
    for reader in PARSERS:
        moment = reader(text, present)
        if moment is not None:
            return moment
    return None


def _parse_iso(text: str, _: datetime) -> datetime | None:
    match = ISO.fullmatch(text)
    if match is None:
        return None
    zone = (match[3] or "Z").upper()
    return datetime.fromisoformat(f"{match[1]}T{match[2]}{'+00:00' if zone in ('Z', 'UTC', 'GMT') else zone}")


def _parse_day(text: str, _: datetime) -> datetime | None:
    if match := DAY.fullmatch(text):
        return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    if match := MONTH.fullmatch(text):
        return datetime(int(match[1]), int(match[2]), 1, tzinfo=UTC)
    return None


def _parse_relative(text: str, present: datetime) -> datetime | None:
    if text.lower() in NAMED_OFFSETS:
        return present - timedelta(seconds=NAMED_OFFSETS[text.lower()])
    if match := AGO.fullmatch(text):
        unit = WORDS.get(match[2].lower())
        count = int(match[1]) if match[1].isdigit() else 1
        return present - timedelta(seconds=count * UNITS[unit]) if unit else None
    if match := COMPACT.fullmatch(text):
        return present - timedelta(seconds=int(match[1]) * UNITS[match[2].lower()])
    return None


def _parse_worded_date(text: str, _: datetime) -> datetime | None:
    if match := MONTH_FIRST.fullmatch(text):
        return _calendar(match[3], match[1], match[2])
    if match := DAY_FIRST.fullmatch(text):
        return _calendar(match[3], match[2], match[1])
    if match := SLASHES.fullmatch(text):
        return datetime(int(match[3]), int(match[1]), int(match[2]), tzinfo=UTC)
    return None


def _calendar(year: str, month: str, day: str) -> datetime | None:
    name = month[:3].lower()
    return datetime(int(year), MONTHS.index(name) + 1, int(day), tzinfo=UTC) if name in MONTHS else None


def _parse_rfc1123(text: str, _: datetime) -> datetime | None:
    if LEADING_ZERO_YEAR.search(text):  # parsedate_to_datetime would read it as a year of this century
        return None
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None


PARSERS: tuple[Callable[[str, datetime], datetime | None], ...] = (
    _parse_iso,
    _parse_day,
    _parse_relative,
    _parse_worded_date,
    _parse_rfc1123,
)
