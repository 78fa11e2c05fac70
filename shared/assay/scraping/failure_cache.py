"""Negative caching: retention, serialisation and restoration of failures."""

from collections.abc import Mapping
from datetime import timedelta

from assay.errors import (
    AuthRequired,
    Blocked,
    BrowserUnavailable,
    ContentEmpty,
    CorruptDocument,
    InvalidInput,
    NotFound,
    PaymentRequired,
    RateLimited,
    ToolError,
    UnsupportedType,
    UpstreamFailed,
)
from assay.state.cache import CacheEntry
from assay.state.json_documents import Document

LONGEST_WAIT = 90  # seconds; maximum retention of a rate limit
OTHERWISE = timedelta(minutes=10)
# Network errors are not cached: they are temporary, and the error advises a retry.
LASTING: Mapping[type[ToolError], timedelta] = {
    InvalidInput: timedelta(hours=4),
    Blocked: timedelta(minutes=30),
    AuthRequired: timedelta(minutes=30),
    NotFound: OTHERWISE,
    PaymentRequired: OTHERWISE,
    ContentEmpty: OTHERWISE,
    BrowserUnavailable: OTHERWISE,
    UpstreamFailed: OTHERWISE,
}
KNOWN: Mapping[str, type[ToolError]] = {
    kind.__name__: kind for kind in (*LASTING, RateLimited, CorruptDocument, UnsupportedType)
}


def get_retention(error: ToolError) -> timedelta | None:
    """How long the failure is cached; None if it is not."""
    if isinstance(error, RateLimited):
        return timedelta(seconds=min(error.retry_after or LONGEST_WAIT, LONGEST_WAIT))
    return next((time for kind, time in LASTING.items() if isinstance(error, kind)), None)


def serialize_error(error: ToolError) -> Document:
    """Encode the error as a JSON document."""
    return {
        "class": next(each.__name__ for each in type(error).__mro__ if each.__name__ in KNOWN),
        "message": error.message,
        "action": error.suggested_action,
        "provider": error.provider,
        "field": error.field,
        "hint": error.hint,
        "of_body": isinstance(error, ContentEmpty | UnsupportedType),
    }


def restore_error(entry: CacheEntry, now: float, *, raw: bool) -> ToolError | None:
    """Decode a cached failure; None if it does not apply to raw mode, which can return a body without text."""
    fields = entry.document
    kind = KNOWN.get(fields.get("class", ""), UpstreamFailed)
    if raw and fields.get("of_body", False):
        return None
    wait = max(1, round(entry.until - now)) if kind is RateLimited else None
    return kind(
        fields["message"],
        action=fields["action"],
        provider=fields["provider"],
        field=fields["field"],
        retry_after=wait,
        hint=fields.get("hint"),
    )
