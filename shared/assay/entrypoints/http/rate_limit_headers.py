"""Headers that tell callers their limits (draft-ietf-httpapi-ratelimit-headers), and whose address a request has."""

from collections.abc import Iterable, Mapping

from assay.settings import Settings
from assay.state.rate_limit import Quota


def format_quotas(quotas: Iterable[Quota], now: float) -> dict[str, str]:
    """`RateLimit-Policy` with the limits, `RateLimit` with what is left of them and the seconds until they reset."""
    if not (listed := list(quotas)):
        return {}
    policies = (f'"{quota.rule.name}";q={quota.rule.allowed};w={quota.rule.seconds}' for quota in listed)
    states = (f'"{quota.rule.name}";r={quota.left};t={quota.compute_wait(now)}' for quota in listed)
    return {"ratelimit-policy": ", ".join(policies), "ratelimit": ", ".join(states)}


def find_address(peer: str, headers: Mapping[str, str], settings: Settings) -> str:
    """The address of the caller: the peer, or behind a trusted proxy the address that the proxy appended.

    The first addresses of X-Forwarded-For are the caller's own claim.
    """
    forwarded = headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    return forwarded if settings.trust_proxy and forwarded else peer
