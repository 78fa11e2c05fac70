"""The tenant of the current call, for fair sharing of resources between tenants."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# A context variable, because a parameter would become part of cache keys.
_TENANT: ContextVar[str] = ContextVar("tenant", default="")


def current_tenant() -> str:
    """The tenant of the current call; "" outside of calls."""
    return _TENANT.get()


@contextmanager
def working_for(tenant: str) -> Iterator[None]:
    """Set the current tenant inside this context."""
    token = _TENANT.set(tenant)
    try:
        yield
    finally:
        _TENANT.reset(token)
