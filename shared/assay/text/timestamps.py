"""RFC 3339 timestamps in UTC, to the second."""

from datetime import UTC, datetime


def format_utc(moment: float | datetime) -> str:
    """Format epoch seconds or an aware datetime as `2026-08-01T09:30:00Z`."""
    if not isinstance(moment, datetime):
        moment = datetime.fromtimestamp(moment, UTC)
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
