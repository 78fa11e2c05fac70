"""Clients that authenticate with a signed assertion (private_key_jwt, RFC 7523)."""

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from assay.errors import ToolError
from assay.oauth.client_metadata import OAuthClient
from assay.oauth.oauth_errors import invalid_client
from assay.oauth.signed_tokens import PLAIN_TYPES, InvalidToken, check_claims, verify_token
from assay.state.ports import Conflict, TableStore

if TYPE_CHECKING:
    from assay.net.guarded_client import GuardedClient

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
TYPES = PLAIN_TYPES | {"client-authentication+jwt"}
LONGEST_LIFE = 900  # seconds
KEYS_BYTES = 64 * 1024


async def check_assertion(
    form: Mapping[str, str],
    client: OAuthClient,
    audiences: Collection[str],
    *,
    table: TableStore,
    web: "GuardedClient",
    now: float,
) -> None:
    """Raises OAuthError unless the client signed the assertion for this server, now and for the first time."""
    if form.get("client_assertion_type") != ASSERTION_TYPE:
        raise invalid_client("The client must authenticate with a client_assertion (private_key_jwt).")
    try:
        claims = verify_token(form.get("client_assertion", ""), await _load_keys(client, web), TYPES)
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


async def _load_keys(client: OAuthClient, web: "GuardedClient") -> dict[str, Any]:
    """The client's key set; its address comes from the client, so it is fetched with the guarded client."""
    if client.keys:
        keys: dict[str, Any] = json.loads(client.keys)
        return keys
    try:
        fetched = await web.fetch(
            client.keys_uri, accept="application/json", cap=KEYS_BYTES, over_cap="refuse", seconds=5.0, max_redirects=0
        )
        keys = json.loads(fetched.body)
    except (ToolError, ValueError, RecursionError):
        raise invalid_client("The client's keys cannot be fetched.") from None
    if fetched.status != 200 or not isinstance(keys, dict):
        raise invalid_client("The client's keys cannot be fetched.")
    return keys
