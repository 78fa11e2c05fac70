"""Identity assertions (ID-JAG): the identity provider itself grants a client access for a person (RFC 7523).

A company that manages its people's access at its identity provider so decides there, and nobody sees a consent page.
"""

import hashlib

from assay.oauth.client_metadata import OAuthClient
from assay.oauth.client_registry import COMMAND_LINE
from assay.oauth.grants import Authorization
from assay.oauth.identity_provider import IdentityProvider, read_person
from assay.oauth.oauth_errors import OAuthError, invalid_client, invalid_grant
from assay.oauth.scopes import check_client_scopes, narrow, parse_scopes
from assay.oauth.server_addresses import parse_resource
from assay.oauth.signed_tokens import InvalidToken, check_claims, verify_token
from assay.state.ports import Conflict

TYPES = frozenset({"oauth-id-jag+jwt"})


async def read_assertion(
    sent: str,
    client: OAuthClient,
    provider: IdentityProvider,
    *,
    base: str,
    scopes: frozenset[str] | None,
    now: float,
) -> Authorization:
    """What the assertion grants to this client; `scopes` may narrow it. Raises OAuthError. It is then used up."""
    if client.authentication == "none":
        raise invalid_client("Identity assertions are for clients that authenticate (private_key_jwt).")
    try:
        claims = verify_token(sent, await provider.load_keys(), TYPES)
        check_claims(claims, issuer=provider.issuer, audiences={base}, now=now)
    except InvalidToken as refusal:
        raise invalid_grant(f"The assertion is not valid: {refusal}.") from None
    if claims.get("client_id") != client.id or not claims.get("sub") or not claims.get("jti"):
        raise invalid_grant("The assertion is for another client, or lacks sub or jti.")
    resource = parse_resource(str(claims.get("resource") or ""), base)
    if resource is None:
        raise OAuthError("invalid_target", "The assertion is for a resource of another server.")
    try:
        person = read_person(claims, provider.settings)
    except OAuthError as refusal:
        raise invalid_grant(refusal.description) from None
    asserted = parse_scopes(str(claims.get("scope") or ""))
    check_client_scopes(asserted | (scopes or frozenset()), client.id, COMMAND_LINE.id)
    granted = narrow(asserted, person.scopes)
    granted = granted if scopes is None else narrow(scopes, granted)
    if not granted:
        raise OAuthError("invalid_scope", "The assertion grants none of these scopes.")
    used = hashlib.sha256(f"{provider.issuer}\0{claims['jti']}".encode()).hexdigest()
    try:
        await provider.table.put(f"oauth/identity-assertion/{used}", "-", b"1", until=claims["exp"] + 120, expect=0)
    except Conflict:
        raise invalid_grant("The assertion was used before.") from None
    return Authorization(person, client.id, client.name, "an identity provider", granted, resource)
