"""The tenant of the current call, for fair sharing of resources between tenants."""

from contextvars import ContextVar

from assay.state.context_values import ContextValue

# A context variable, because a parameter would become part of cache keys.
_TENANT: ContextVar[str] = ContextVar("tenant", default="")


def current_tenant() -> str:
    """The tenant of the current call; "" outside of calls."""
    return _TENANT.get()


def working_for(tenant: str) -> ContextValue[str]:
    """Set the current tenant inside this context."""
    return ContextValue(_TENANT, tenant)
