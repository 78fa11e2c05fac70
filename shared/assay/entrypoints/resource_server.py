"""Authenticates callers: by a key of the key ring, an access token of this server, or a token of a configured issuer.

Tokens are accepted in the header only, and only those that were issued for this server (RFC 8707). A refusal says in
WWW-Authenticate where a client learns how to sign in (RFC 9728).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assay.caller import Caller
from assay.entrypoints.auth import KeyRing, bearer, find_key_owner, identify_key
from assay.errors import Forbidden, InsufficientScope, ToolError, Unauthenticated
from assay.oauth.principals import Principal
from assay.oauth.scopes import DEFAULT, narrow
from assay.oauth.server_addresses import RESOURCE_METADATA, RESOURCE_PATHS, find_base_url, is_covered, list_audiences
from assay.oauth.token_store import is_access_token, load_token
from assay.services import Services


@dataclass(frozen=True)
class ProtectedEndpoint:
    """The endpoint that a request is sent to: its address, and the address of its server; "" where they are unknown."""

    base: str
    path: str

    @property
    def address(self) -> str:
        return self.base + self.path


def find_endpoint(services: Services, headers: Mapping[str, str], path: str) -> ProtectedEndpoint:
    """The endpoint that a request for this path is sent to: the innermost protected resource, or the whole server."""
    base = find_base_url(services.settings, headers.get("host", ""))
    return ProtectedEndpoint(
        base or "", max((one for one in RESOURCE_PATHS if is_covered(path, one)), key=len, default="")
    )


def requires_authentication(services: Services, keys: KeyRing) -> bool:
    """Whether callers must say who they are: always on Lambda, elsewhere as soon as there is a way to do it."""
    settings = services.settings
    configured = keys or services.requires_keys or settings.on_lambda
    return bool(configured or settings.issuer_url or settings.key("ASSAY_OIDC_ISSUER"))


async def identify_caller(headers: Mapping[str, str], services: Services, path: str, keys: KeyRing) -> Caller:
    """The caller that the headers authenticate. Raises ToolError, whose message never contains the headers."""
    endpoint, sent = find_endpoint(services, headers, path), bearer(headers)
    try:
        return await _identify(sent, services, endpoint, keys)
    except (Unauthenticated, Forbidden) as failure:
        add_challenge(failure, endpoint, was_sent=sent is not None)
        raise


async def _identify(sent: str | None, services: Services, endpoint: ProtectedEndpoint, keys: KeyRing) -> Caller:
    if sent is None:
        raise Unauthenticated("Send a key in the header `Authorization`, after the word `Bearer`, or sign in.")
    if is_access_token(sent):
        return await _check_token(sent, services, endpoint, keys)
    if services.settings.issuer_url:
        from assay.oauth.signed_tokens import is_signed_token

        if is_signed_token(sent):
            return await _check_signed_token(sent, services, endpoint)
    return await identify_key(sent, keys, services)


async def _check_token(sent: str, services: Services, endpoint: ProtectedEndpoint, keys: KeyRing) -> Caller:
    token = await load_token(services.table, sent)
    if token is None:
        raise Unauthenticated("The access token is unknown, expired or revoked. Sign in again.")
    if not endpoint.base or not is_covered(endpoint.address, token.resource):
        raise Unauthenticated("The access token was issued for another resource. Sign in for this one.")
    owner = await find_owner(token.principal, keys, services)
    if owner is None:
        raise Unauthenticated(
            "The key or account that this sign-in was made with is no longer accepted. Sign in again."
        )
    return replace(owner, scopes=narrow(token.scopes, owner.scopes), has_token=True)


async def find_owner(principal: Principal, keys: KeyRing, services: Services) -> Caller | None:
    """The person who signed in as they are today; None if their key, account or role is not accepted any more."""
    if principal.key:
        return await find_key_owner(principal.key, keys, services)
    from assay.oauth import identity_provider

    scopes = identity_provider.list_account_scopes(principal.name, principal.roles, services.settings)
    return Caller(principal.tenant, principal.user, scopes, principal.name) if scopes else None


async def _check_signed_token(sent: str, services: Services, endpoint: ProtectedEndpoint) -> Caller:
    from assay.oauth.signed_tokens import InvalidToken

    audiences = list_audiences(endpoint.address, endpoint.base) if endpoint.base else frozenset()
    try:
        principal = await services.issuer.verify(sent, audiences)
    except InvalidToken as refusal:
        raise Unauthenticated(f"The access token is not valid: {refusal}. Sign in again.") from None
    required = frozenset(services.settings.required_scopes)
    if services.settings.enforce_scopes and not required <= principal.scopes:
        needed = required | principal.scopes
        if not any(scope.startswith("tool:") for scope in needed):
            needed |= {DEFAULT}
        raise InsufficientScope("The access token lacks required scopes.", scopes=sorted(needed))
    name = hashlib.sha256(sent.encode()).hexdigest()[:12]  # tells clients of one person apart
    return Caller(principal.tenant, principal.user, principal.scopes, name, has_token=True)


def add_challenge(failure: ToolError, endpoint: ProtectedEndpoint, *, was_sent: bool = True) -> None:
    """Tell the client in WWW-Authenticate where to sign in, and for which scopes."""
    parts = []
    scope = DEFAULT
    if isinstance(failure, InsufficientScope):
        parts.append('error="insufficient_scope"')
        scope = " ".join(failure.scopes)
    elif failure.status == 401 and was_sent:
        parts.append('error="invalid_token"')
    elif failure.status != 401:
        return
    if endpoint.base:
        parts.append(f'resource_metadata="{endpoint.base}{RESOURCE_METADATA}{endpoint.path}"')
        parts.append(f'scope="{scope}"')
    failure.challenge = f"Bearer {', '.join(parts)}" if parts else "Bearer"


def challenge_for_scope(
    failure: ToolError | None, caller: Caller, services: Services, headers: Mapping[str, str], path: str
) -> None:
    """Tell a client with a token which scopes it lacks, so that it can ask for them; a key cannot be widened so."""
    if isinstance(failure, InsufficientScope) and caller.has_token:
        add_challenge(failure, find_endpoint(services, headers, path))
