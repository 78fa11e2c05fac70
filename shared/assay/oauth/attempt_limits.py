"""Limits on what an address may try before anyone has signed in: counters in the table, shared by all instances."""

from typing import NamedTuple

from assay.oauth.oauth_errors import OAuthError
from assay.oauth.secret_values import digest
from assay.state.ports import TableStore
from assay.state.rate_limit import group_address


class AttemptLimit(NamedTuple):
    """At most `each` attempts per address and `everyone` from all addresses in a period of `seconds`.

    The second is far above ordinary use: it bounds what the table holds, and must not let a few lock out all others.
    """

    name: str
    each: int
    everyone: int
    seconds: int


REGISTRATION = AttemptLimit("register", 200, 5_000, 3600)  # hosted assistants register all users from few addresses
SIGN_IN = AttemptLimit("sign-in", 20, 20_000, 300)
AUTHORIZATION = AttemptLimit("authorize", 120, 50_000, 300)
DOCUMENT_FETCH = AttemptLimit("document", 30, 5_000, 300)
DEVICE_START = AttemptLimit("device", 20, 5_000, 300)
CONSENT_DECISION = AttemptLimit("consent", 60, 20_000, 300)
DEVICE_CODE_ENTRY = AttemptLimit("user-code", 15, 1_000, 300)


async def count_attempt(table: TableStore, limit: AttemptLimit, address: str, now: float) -> None:
    """Count one attempt. Raises OAuthError with status 429 above a limit."""
    period = int(now // limit.seconds)
    until = (period + 2) * limit.seconds
    # The address is counted first: one that exceeds its own limit does not use up that of everyone.
    scopes = ((digest(group_address(address)), limit.each), ("everyone", limit.everyone))
    for scope, allowed in scopes:
        if await table.add(f"oauth/attempts/{limit.name}/{scope}", str(period), until=until) > allowed:
            wait = int(limit.seconds - now % limit.seconds) + 1
            raise OAuthError(
                "temporarily_unavailable", f"Too many requests. Wait {wait} seconds.", status=429, retry_after=wait
            )
