"""Clients that authenticate with a signed assertion (private_key_jwt, RFC 7523)."""

import hashlib
from collections.abc import Collection, Mapping
from typing import Any

from assay.errors import ToolError
from assay.oauth.client_keys import ClientKeySets
from assay.oauth.client_metadata import OAuthClient
from assay.oauth.oauth_errors import invalid_client
from assay.oauth.signed_tokens import PLAIN_TYPES, InvalidToken, UnknownKey, check_claims, verify_token
from assay.state.ports import Conflict, TableStore

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
TYPES = PLAIN_TYPES | {"client-authentication+jwt"}
LONGEST_LIFE = 900  # seconds


async def check_assertion(
    form: Mapping[str, str],
    client: OAuthClient,
    audiences: Collection[str],
    *,
    table: TableStore,
    key_sets: ClientKeySets,
    now: float,
) -> None:
    """Raises OAuthError unless the client signed the assertion for this server, now and for the first time."""
    if form.get("client_assertion_type") != ASSERTION_TYPE:
        raise invalid_client("The client must authenticate with a client_assertion (private_key_jwt).")
    try:
        claims = await _read_claims(form.get("client_assertion", ""), client, key_sets)
        check_claims(claims, issuer=client.id, audiences=audiences, now=now)
    except InvalidToken as refusal:
        raise invalid_client(f"The client_assertion is not valid: {refusal}.") from None
    if claims.get("sub") != client.id or claims["exp"] > now + LONGEST_LIFE or not claims.get("jti"):
        raise invalid_client("The client_assertion lacks sub or jti, or is valid for too long.")
    used = hashlib.sha256(f"{client.id}\0{claims['jti']}".encode()).hexdigest()
    try:
        await table.put(f"oauth/assertion/{used}", "-", b"1", until=claims["exp"] + 120, expect=0)
    except Conflict:
        raise invalid_client("The client_assertion was used before.") from None


async def _read_claims(sent: str, client: OAuthClient, key_sets: ClientKeySets) -> dict[str, Any]:
    """The claims, signed with a key of the client. Raises InvalidToken, or OAuthError if its keys cannot be fetched."""
    try:
        try:
            return verify_token(sent, await key_sets.read(client), TYPES)
        except UnknownKey:  # the client may have rotated its keys
            return verify_token(sent, await key_sets.read(client, renew=True), TYPES)
    except ToolError:
        raise invalid_client("The client's keys cannot be fetched.") from None
