"""For which tenant the process works at present: what is shared between all is divided by it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# No part of any question: carried in one, it would part equal questions in the cache.
_TENANT: ContextVar[str] = ContextVar("tenant", default="")


def current_tenant() -> str:
    """The tenant whose call this is, "" for work that no call asked for."""
    return _TENANT.get()


@contextmanager
def working_for(tenant: str) -> Iterator[None]:
    token = _TENANT.set(tenant)
    try:
        yield
    finally:
        _TENANT.reset(token)
