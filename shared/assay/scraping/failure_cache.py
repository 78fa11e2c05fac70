"""Failures kept for a while: what a site has refused is not asked for again at once."""

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

LONGEST_WAIT = 90  # seconds a rate limit is believed
OTHERWISE = timedelta(minutes=10)
# Network trouble is not among them: the next call may find the site well again, and is what we advise.
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


def lasting(error: ToolError) -> timedelta | None:
    """How long the failure is kept; None when it is not."""
    if isinstance(error, RateLimited):
        return timedelta(seconds=min(error.retry_after or LONGEST_WAIT, LONGEST_WAIT))
    return next((time for kind, time in LASTING.items() if isinstance(error, kind)), None)


def document(error: ToolError) -> Document:
    return {
        "class": next(each.__name__ for each in type(error).__mro__ if each.__name__ in KNOWN),
        "message": error.message,
        "action": error.suggested_action,
        "provider": error.provider,
        "field": error.field,
        "hint": error.hint,
        "of_body": isinstance(error, ContentEmpty | UnsupportedType),
    }


def again(kept: CacheEntry, now: float, *, raw: bool) -> ToolError | None:
    """The failure that was kept; None where it says nothing of this way to read: raw shows a body that has no text."""
    said = kept.document
    kind = KNOWN.get(said.get("class", ""), UpstreamFailed)
    if raw and said.get("of_body", False):
        return None
    wait = max(1, round(kept.until - now)) if kind is RateLimited else None
    return kind(
        said["message"],
        action=said["action"],
        provider=said["provider"],
        field=said["field"],
        retry_after=wait,
        hint=said.get("hint"),
    )
