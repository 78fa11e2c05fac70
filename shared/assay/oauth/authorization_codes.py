"""Authorization codes: short-lived, single use, bound to client, redirect URI and PKCE challenge."""

import json
from dataclasses import dataclass

from assay.oauth.grants import Authorization, GrantRevoked, TokenPair, create_grant, read_authorization, revoke_grant
from assay.oauth.oauth_errors import OAuthError, invalid_grant
from assay.oauth.pkce import is_verified
from assay.oauth.secret_values import CODE, LONGEST, create_secret, digest
from assay.state.json_documents import Document, encode, save
from assay.state.ports import Conflict, TableStore

CODE_SECONDS = 120
MEMORY_SECONDS = 3600  # how long a used code is remembered, so that its reuse revokes what came of it


@dataclass(frozen=True)
class CodeExchange:
    """What a client sends to exchange a code."""

    code: str
    client: str
    redirect_uri: str
    verifier: str
    resource: str = ""


async def create_code(
    table: TableStore, allowed: Authorization, *, redirect_uri: str, challenge: str, now: float
) -> str:
    """A code for what the person allowed."""
    code = create_secret(CODE)
    document = {
        "authorization": allowed.to_document(),
        "redirect_uri": redirect_uri,
        "challenge": challenge,
        "expires": now + CODE_SECONDS,
        "grant": "",
    }
    await save(table, code_key(code), "-", document, until=now + MEMORY_SECONDS)
    return code


async def redeem_code(table: TableStore, sent: CodeExchange, now: float) -> TokenPair:
    """The tokens for a code. Raises OAuthError; a code that is used again revokes its grant."""
    item = await table.get(code_key(sent.code)) if 0 < len(sent.code) <= LONGEST else None
    if item is None:
        raise invalid_grant("The code is not valid.")
    document = json.loads(item.value)
    allowed = read_authorization(document["authorization"])
    _check(document, allowed, sent)
    if document["grant"]:
        revoked = await revoke_grant(table, document["grant"])
        raise GrantRevoked("The code was used before, so its tokens are revoked. Sign in again.", revoked)
    if now > document["expires"]:
        raise invalid_grant("The code has expired.")
    pair = await create_grant(table, allowed, now)
    used = encode(document | {"grant": pair.grant})
    try:
        await table.put(code_key(sent.code), "-", used, until=now + MEMORY_SECONDS, expect=item.version)
    except Conflict:  # another request used it meanwhile: revoke what both received
        await revoke_grant(table, pair.grant)
        return await redeem_code(table, sent, now)
    return pair


def _check(document: Document, allowed: Authorization, sent: CodeExchange) -> None:
    """Raises OAuthError unless the code was issued to this client, for this redirect URI and this challenge."""
    if allowed.client != sent.client:
        raise invalid_grant("The code belongs to another client.")
    if sent.redirect_uri != document["redirect_uri"]:
        raise invalid_grant("redirect_uri is not the one of the authorization request.")
    if not is_verified(document["challenge"], sent.verifier):
        raise invalid_grant("code_verifier does not match the code_challenge.")
    if sent.resource and sent.resource != allowed.resource:
        raise OAuthError("invalid_target", "resource is not the one of the authorization request.")


def code_key(code: str) -> str:
    return f"oauth/code/{digest(code)}"
