"""Audit events: one for each call and each decision on consent, sent to observers. They never contain the arguments."""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import mask_credentials, may_have_credentials
from assay.state.caller_address import get_caller_address
from assay.state.trace_context import Trace, get_current_trace

if TYPE_CHECKING:
    from assay.state.budget import ProviderUse

type EventKind = Literal[
    "tool_call",
    "auth.failure",
    "consent.grant",
    "consent.withdraw",
    "data.export",
    "data.erasure",
    "workspace.member.add",
    "workspace.member.remove",
    "key.create",
    "key.revoke",
    "grant.create",
    "grant.revoke",
    "admin.action",
    "auth.admin_key_prev_used",
]


@dataclass(frozen=True)
class Call:
    """One tool call; or a failed authentication, a decision on consent, an export or erasure, whose `tool` is "none".

    `at` is in epoch seconds, `seconds` is the duration; of the query the length in characters is recorded,
    and where the operator wants it a SHA-256 digest.
    """

    at: float
    tool: str
    tenant: str
    user: str
    entrypoint: str
    request_id: str
    seconds: float
    error: str | None
    cached: bool
    query_length: int
    query_hash: str | None = None
    provider: str | None = None
    cost_usd: float | None = None
    not_stored: tuple[str, ...] = ()
    kind: EventKind = "tool_call"
    purpose: str | None = None  # of a consent
    workspace: str | None = None  # whose members changed
    subject: str | None = None  # the id of a key, or the client of a grant
    session: str | None = None  # the id of the research session
    uses: tuple["ProviderUse", ...] = ()  # for statistics; no part of the event
    trace: Trace | None = field(default_factory=get_current_trace)
    source_ip: str | None = field(default_factory=get_caller_address)

    def event(self) -> dict[str, Any]:
        """The event as JSON, with everything masked that looks like a credential."""
        event = self._build_event()
        if may_have_credentials(_list_texts(event)):
            event = _mask(event)
        if self.query_hash:
            event["metadata"]["query_hash"] = self.query_hash
        return event

    def _build_event(self) -> dict[str, Any]:
        return {
            "timestamp": datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds"),
            "event_type": self.kind,
            "tenant_id": self.tenant,
            "user_id": self.user,
            **({"session_id": self.session} if self.session else {}),
            "request_id": self.request_id,
            "pod_id": name_instance(),
            **({"source_ip": self.source_ip} if self.source_ip else {}),
            **(self.trace.describe() if self.trace else {}),
            "tool_name": self.tool,
            "duration_ms": round(self.seconds * 1000),
            "success": self.error is None,
            **({"error_code": self.error} if self.error else {}),
            "metadata": {
                "door": self.entrypoint,
                "cache_hit": self.cached,
                "query_length": self.query_length,
                **({"provider": self.provider} if self.provider else {}),
                **({"cost_usd": self.cost_usd} if self.cost_usd else {}),
                **({"not_stored": list(self.not_stored)} if self.not_stored else {}),
                **({"purpose": self.purpose} if self.purpose else {}),
                **({"workspace": self.workspace} if self.workspace else {}),
                **({"subject": self.subject} if self.subject else {}),
            },
        }


@cache
def name_instance() -> str:
    """The random name of this process among those that write events."""
    return secrets.token_hex(8)


def _list_texts(event: dict[str, Any]) -> list[str]:
    """The values of the event that are text, and those of its metadata."""
    metadata = event["metadata"]
    values = [*event.values(), *metadata.values(), *metadata.get("not_stored", ())]
    return [value for value in values if isinstance(value, str)]


def _mask(value: Any) -> Any:
    """Mask credentials in all texts of the value."""
    match value:
        case str():
            return mask_credentials(value)
        case dict():
            return {name: _mask(each) for name, each in value.items()}
        case list():
            return [_mask(each) for each in value]
    return value


type Observer = Callable[[Call], None]


def emit_event(
    observers: Iterable[Observer],
    kind: EventKind,
    tenant: str,
    user: str,
    at: float,
    *,
    entrypoint: str = "cli",
    purpose: str | None = None,
    workspace: str | None = None,
    subject: str | None = None,
    error: str | None = None,
    request_id: str = "",
) -> None:
    """Send an event that is about a person and not a call."""
    call = Call(
        at=at,
        tool="none",
        tenant=tenant,
        user=user,
        entrypoint=entrypoint,
        request_id=request_id,
        seconds=0.0,
        error=error,
        cached=False,
        query_length=0,
        kind=kind,
        purpose=purpose,
        workspace=workspace,
        subject=subject,
    )
    for observer in observers:
        observer(call)


class CallCounters:
    """An observer that counts calls by tool since the process started."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.errors: Counter[tuple[str, str]] = Counter()
        self.cached: Counter[str] = Counter()
        self.seconds: Counter[str] = Counter()
        self.not_stored: Counter[str] = Counter()

    def __call__(self, call: Call) -> None:
        self.calls[call.tool] += 1
        self.seconds[call.tool] += call.seconds  # type: ignore[assignment]  # Counter also adds floats
        self.cached[call.tool] += call.cached
        self.not_stored.update(call.not_stored)
        if call.error:
            self.errors[call.tool, call.error] += 1
