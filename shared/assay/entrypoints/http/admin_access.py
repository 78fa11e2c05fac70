"""Who may administer: the holder of the operator's key, and callers whose key or token has the scope admin."""

import hashlib
import hmac
from collections.abc import Mapping

from assay.administration.admin_call import Administrator
from assay.entrypoints.auth import KeyRing, bearer
from assay.entrypoints.http import http_api
from assay.entrypoints.resource_server import challenge_for_scope, requires_authentication
from assay.errors import ConfigError, InsufficientScope, QuotaExceeded, Unauthenticated
from assay.oauth.scopes import ADMIN
from assay.services import Services
from assay.settings import Settings
from assay.state.audit import emit_event
from assay.state.key_store import is_stored_key
from assay.state.rate_limit import LimitRule, count_request, group_address

HEADER = "x-admin-key"
MIN_KEY_LENGTH = 16
MAX_KEY_LENGTH = 512
FAILURES = 10  # wrong keys a minute and address
CALLS = 120  # calls a minute of an administrator; the console polls every ten seconds
OPERATOR = "operator"


def read_admin_keys(settings: Settings) -> tuple[str, str]:
    """The operator's key and the previous one, "" where unset. Raises ConfigError for a short one."""
    keys = settings.key("ADMIN_API_KEY"), settings.key("ADMIN_API_KEY_PREV")
    for name, key in zip(("ADMIN_API_KEY", "ADMIN_API_KEY_PREV"), keys, strict=True):
        if key and not MIN_KEY_LENGTH <= len(key) <= MAX_KEY_LENGTH:
            raise ConfigError(
                f"{name} must have {MIN_KEY_LENGTH} to {MAX_KEY_LENGTH} characters, such as those that "
                "`openssl rand -hex 24` prints.",
                field=name,
                action="inform_user",
            )
    return keys


def is_enabled(services: Services, headers: Mapping[str, str]) -> bool:
    """Whether the routes of administration exist: there is a key of the operator, or a caller can have the scope."""
    if any(read_admin_keys(services.settings)):
        return True
    sent = bearer(headers)
    return is_stored_key(sent) or requires_authentication(services, http_api.keys_of(services) or KeyRing())


async def identify_administrator(
    headers: Mapping[str, str], services: Services, *, path: str, address: str, request_id: str
) -> Administrator:
    """The administrator that the headers authenticate. Raises Unauthenticated, InsufficientScope or QuotaExceeded."""
    if HEADER in headers:
        administrator = await _check_key(headers[HEADER], services, address, request_id)
    else:
        administrator = await _check_scope(headers, services, path, request_id)
    rule = LimitRule(
        "admin-minute", f"admin-calls/{administrator.tenant or '*'}/{administrator.name}", CALLS, 60, "an administrator"
    )
    await count_request(services.limit_counters, rule, services.clock())
    return administrator


async def _check_key(sent: str, services: Services, address: str, request_id: str) -> Administrator:
    hashed = hashlib.sha256(group_address(address).encode()).hexdigest()[:32]
    rule = LimitRule("admin-failures", f"admin-failures/{hashed}", FAILURES, 60, "wrong keys of an IP address")
    now = services.clock()
    await count_request(services.limit_counters, rule._replace(allowed=FAILURES - 1), now, 0)
    current, previous = read_admin_keys(services.settings)
    is_current, is_previous = _is_equal(sent, current), _is_equal(sent, previous)
    if not is_current and not is_previous:
        failure = Unauthenticated("The key in X-Admin-Key is not valid. Ask the operator for it.")
        _record(services, "auth.failure", request_id, "admin_key_invalid")
        try:
            await count_request(services.limit_counters, rule, now)
        except QuotaExceeded:
            failure.retry_after = 60
        raise failure
    if not is_current:
        _record(services, "auth.admin_key_prev_used", request_id)
    return Administrator(OPERATOR)


def _is_equal(sent: str, key: str) -> bool:
    """Whether a configured key was sent; the time tells nothing about it, not even its length."""
    digests = (hashlib.sha256(text.encode(errors="replace")).digest() for text in (sent[: MAX_KEY_LENGTH + 1], key))
    return hmac.compare_digest(*digests) and bool(key)


def _record(services: Services, kind: str, request_id: str, error: str | None = None) -> None:
    emit_event(
        services.observers,
        kind,  # type: ignore[arg-type]
        "*",
        OPERATOR if error is None else "none",
        services.clock(),
        entrypoint="admin_api",
        error=error,
        request_id=request_id,
    )


async def _check_scope(headers: Mapping[str, str], services: Services, path: str, request_id: str) -> Administrator:
    caller = await http_api.authenticate_headers(headers, services, "admin_api", request_id, path)
    if ADMIN in caller.scopes:
        return Administrator(caller.user, caller.tenant, caller.read_only)
    failure = InsufficientScope(
        "This needs the scope admin. `assay key create NAME --scope admin` makes a key that has it.",
        scopes=sorted({*caller.scopes, ADMIN}),
    )
    challenge_for_scope(failure, caller, services, headers, path)
    http_api.record_refusal(failure, services, "admin_api", request_id)
    raise failure
