"""Records what a piece of work sends to which service, so that its answer can say so."""

import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from assay.state.context_values import ContextValue

MAX_TEXTS = 5_000  # of one record
MAX_CHARS, MAX_BODY_CHARS = 600, 6_000  # of a recorded text, of all texts of a request
OWN = re.compile(r"key|token|secret|mail|^(?:select|rows|per-page|cursor|sort|order|page)$", re.IGNORECASE)

type Outgoing = dict[str, dict[str, None]]  # texts by service, in the order of their first request

# A context variable, because requests leave through unrelated functions.
_RECORD: ContextVar[Outgoing | None] = ContextVar("outgoing_requests", default=None)


def record_outgoing() -> ContextValue[Outgoing]:
    """Collect the requests that are made inside this context."""
    return ContextValue(_RECORD, {})


def note_request(service: str, path: str, params: Mapping[str, Any] | None = None, body: Any = None) -> None:
    """Record a request: its path, its parameters without those of the operator, and its body."""
    record = _RECORD.get()
    if record is None or sum(map(len, record.values())) >= MAX_TEXTS:
        return
    given = [f"{name}={value}" for name, value in (params or {}).items() if value is not None and not OWN.search(name)]
    text = " ".join([path, *given])[:MAX_CHARS]
    parts = [part[:MAX_CHARS] for part in _iter_texts(body)]
    record.setdefault(service, {})[" | ".join([text, *parts])[:MAX_BODY_CHARS]] = None


def _iter_texts(body: Any) -> Iterator[str]:
    """The texts in a JSON body, without the names of its fields."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, Mapping):
        for value in body.values():
            yield from _iter_texts(value)
    elif isinstance(body, list | tuple):
        for value in body:
            yield from _iter_texts(value)
