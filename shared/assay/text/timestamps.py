"""Moments as RFC 3339 in UTC, to the second."""

from datetime import UTC, datetime


def format_utc(moment: float | datetime) -> str:
    """`2026-08-01T09:30:00Z` of epoch seconds or of a moment with a time zone."""
    if not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
