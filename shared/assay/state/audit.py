"""Audit events: one for each call and each decision on consent, sent to observers. They never contain the arguments."""

import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TextIO

from assay.state.trace_context import Trace, get_current_trace

log = logging.getLogger("assay")


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

    `at` is in epoch seconds, `seconds` is the duration; of the query only the length in characters is recorded.
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
    provider: str | None = None
    cost_usd: float | None = None
    not_stored: tuple[str, ...] = ()
    kind: EventKind = "tool_call"
    purpose: str | None = None  # of a consent
    workspace: str | None = None  # whose members changed
    subject: str | None = None  # the id of a key, or the client of a grant
    trace: Trace | None = field(default_factory=get_current_trace)

    def event(self) -> dict[str, Any]:
        """The event as JSON."""
        return {
            "timestamp": datetime.fromtimestamp(self.at, UTC).isoformat(timespec="milliseconds"),
            "event_type": self.kind,
            "tenant_id": self.tenant,
            "user_id": self.user,
            "request_id": self.request_id,
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


class AuditFile:
    """An observer that appends JSON lines to a file, which is rotated above `max_bytes`."""

    def __init__(self, path: Path, max_bytes: int = 100 * 1024 * 1024) -> None:
        self._path = path
        self._max_bytes = max_bytes

    def __call__(self, call: Call) -> None:
        line = json.dumps(call.event(), ensure_ascii=False) + "\n"
        try:
            self._write(line)
        except OSError as failure:  # a full disk must not fail the call
            log.warning("The audit file %s cannot be written: %s", self._path, failure)

    def _write(self, line: str) -> None:
        try:
            file = self._open()
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = self._open()
        with file:
            file.write(line)
            full = file.tell() > self._max_bytes
        if full:
            self._path.replace(self._path.with_suffix(".1.jsonl"))

    def _open(self) -> TextIO:
        """Open the file with mode 0600, also if an earlier version created it with another mode."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        if os.fstat(descriptor).st_mode & 0o077:
            self._path.chmod(0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8")
