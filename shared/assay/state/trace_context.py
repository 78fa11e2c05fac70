"""W3C Trace Context: the trace that a call belongs to, from the caller's `traceparent` and `tracestate` or new.

A malformed traceparent starts a new trace, as the recommendation requires; its tracestate is then ignored too. Baggage
is neither read nor forwarded.
"""

import logging
import re
import secrets
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from assay.state.context_values import ContextValue

TRACEPARENT = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
STATE_KEY = r"(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})"
STATE_MEMBER = re.compile(STATE_KEY + r"=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]")
MOST_MEMBERS, MOST_STATE_CHARS = 32, 512
LONGEST_PARENT = 200  # characters; versions after 00 may add fields
SAMPLED = 1


@dataclass(frozen=True)
class Trace:
    """The span of a call in a trace. Ids are hexadecimal; `parent` is the caller's span, "" at the root of a trace."""

    trace_id: str
    span_id: str
    parent: str = ""
    flags: int = 0
    state: str = ""

    def describe(self) -> dict[str, str]:
        """The ids as logs and audit events show them."""
        parent = {"parent_span_id": self.parent} if self.parent else {}
        return {"trace_id": self.trace_id, "span_id": self.span_id, **parent}

    def build_headers(self) -> dict[str, str]:
        """The headers that continue the trace in another service."""
        state = {"tracestate": self.state} if self.state else {}
        return {"traceparent": f"00-{self.trace_id}-{self.span_id}-{self.flags:02x}", **state}


# A context variable, because outgoing requests, logs and audit events are far from the entry points.
_TRACE: ContextVar[Trace | None] = ContextVar("trace", default=None)


def get_current_trace() -> Trace | None:
    """The trace of the current call; None outside of calls."""
    return _TRACE.get()


def within_trace(trace: Trace) -> ContextValue[Trace]:
    """Make this the current trace inside this context."""
    return ContextValue(_TRACE, trace)


def continue_trace(sent: Mapping[str, Any]) -> ContextValue[Trace]:
    """Continue the trace that headers or `_meta` name inside this context, or start a new one."""
    return within_trace(parse_trace(sent.get("traceparent"), sent.get("tracestate")) or start_trace())


def ensure_trace() -> ContextValue[Trace]:
    """The current trace, or a new one inside this context."""
    return within_trace(get_current_trace() or start_trace())


def add_trace_ids(record: logging.LogRecord) -> bool:
    """Add the ids of the current trace to the record. A logging filter that lets every record pass."""
    if (trace := get_current_trace()) is not None:
        vars(record).update(trace.describe())
    return True


def start_trace() -> Trace:
    """Return the root of a new trace, which is not sampled."""
    return Trace(_generate_id(16), _generate_id(8))


def parse_trace(traceparent: object, tracestate: object = None) -> Trace | None:
    """Return the span of this call in the caller's trace; None for an absent or malformed traceparent."""
    if not isinstance(traceparent, str) or len(traceparent) > LONGEST_PARENT:
        return None
    found = TRACEPARENT.fullmatch(traceparent.strip(" \t"))
    if found is None:
        return None
    version, trace_id, parent, flags, more = found.groups()
    if version == "ff" or (version == "00" and more) or not int(trace_id, 16) or not int(parent, 16):
        return None
    return Trace(trace_id, _generate_id(8), parent, int(flags, 16) & SAMPLED, parse_state(tracestate))


def parse_state(tracestate: object) -> str:
    """Return the tracestate without empty members; "" if it is malformed, repeats a key or is too long."""
    if not isinstance(tracestate, str) or len(tracestate) > 2 * MOST_STATE_CHARS:
        return ""
    members = [member for part in tracestate.split(",") if (member := part.strip(" \t"))]
    keys = {member.partition("=")[0] for member in members}
    is_sound = all(STATE_MEMBER.fullmatch(member) for member in members) and len(keys) == len(members)
    text = ",".join(members)
    return text if is_sound and len(members) <= MOST_MEMBERS and len(text) <= MOST_STATE_CHARS else ""


def _generate_id(size: int) -> str:
    """Random bytes in hexadecimal, not all zero."""
    while True:
        identity = secrets.token_hex(size)
        if int(identity, 16):
            return identity
