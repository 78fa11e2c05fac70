"""Retry-After: how long a server asks us to wait."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MOST = 3600  # seconds; who asks for more is not waited for anyway


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> int | None:
    """Whole seconds from 0 to 3600, None where the header is absent or junk. Names of headers are lower case."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return min(MOST, int(value[:12]))
    try:
        when = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    wait = (when - (now or datetime.now(UTC))).total_seconds()
    return max(0, min(MOST, round(wait)))
