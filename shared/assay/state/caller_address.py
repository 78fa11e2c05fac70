"""The IP address that the current call comes from, for its audit events."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

SIGNS = re.compile(r"[0-9A-Fa-f.:]{2,45}")  # the module ipaddress would take a tenth of a cold start
# A context variable, because audit events are made far from the entry points.
_ADDRESS: ContextVar[str | None] = ContextVar("caller_address", default=None)


def get_caller_address() -> str | None:
    """The address; None where it is unknown, or this machine's own."""
    return _ADDRESS.get()


def note_caller_address(address: str) -> None:
    """Note the address for the rest of this context. What is no address, or this machine's own, counts as unknown."""
    is_foreign = SIGNS.fullmatch(address) and not address.startswith("127.") and address != "::1"
    _ADDRESS.set(address.lower() if is_foreign else None)


@contextmanager
def within_address(address: str) -> Iterator[None]:
    """Note the address inside this context."""
    token = _ADDRESS.set(None)
    try:
        note_caller_address(address)
        yield
    finally:
        _ADDRESS.reset(token)
