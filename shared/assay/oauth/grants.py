"""Grants: what a person allowed a client, with the family of refresh and access tokens that came of it.

A refresh token is `assayrt_<grant>.<secret>`. Each use replaces it. Its successor is derived from it and a random
value in the grant, so requests that use one token at the same time receive the same successor, and none of them is
logged out. After 60 seconds another use of a replaced token revokes the family, because one of two holders stole it.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import random
import secrets
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.oauth.oauth_errors import OAuthError, invalid_grant
from assay.oauth.principals import Principal
from assay.oauth.scopes import format_scopes
from assay.oauth.secret_values import ACCESS, LONGEST, REFRESH, create_secret, digest
from assay.oauth.token_store import ACCESS_SECONDS, AccessToken, save_token, token_key
from assay.state.json_documents import Document, encode, load
from assay.state.ports import Conflict, TableStore

GRACE_SECONDS = 60
IDLE_SECONDS = 30 * 86_400
LONGEST_SECONDS = 180 * 86_400  # then the person signs in again
MOST_TOKENS = 100  # live access tokens of a grant; the oldest ends first
TRIES = 200  # of writing a grant that others write too


@dataclass(frozen=True)
class Authorization:
    """What a person allowed: the client, the scopes and the audience. `host` is where the client's answers go."""

    principal: Principal
    client: str
    client_name: str
    host: str
    scopes: frozenset[str]
    resource: str

    def to_document(self) -> dict[str, Any]:
        return {
            "principal": self.principal.to_document(),
            "client": self.client,
            "client_name": self.client_name,
            "host": self.host,
            "scopes": sorted(self.scopes),
            "resource": self.resource,
        }


def read_authorization(document: Document) -> Authorization:
    return Authorization(
        Principal.from_document(document["principal"]),
        document["client"],
        document["client_name"],
        document["host"],
        frozenset(document["scopes"]),
        document["resource"],
    )


class TokenPair(NamedTuple):
    """The tokens of one answer of the token endpoint."""

    access: str
    refresh: str
    scopes: frozenset[str]
    grant: str
    allowed: Authorization

    def wire(self) -> dict[str, Any]:
        return {
            "access_token": self.access,
            "token_type": "Bearer",
            "expires_in": ACCESS_SECONDS,
            "refresh_token": self.refresh,
            "scope": format_scopes(self.scopes),
        }

    def __repr__(self) -> str:
        return "TokenPair(…)"


class GrantRevoked(OAuthError):
    """The error for a request that revoked its grant; `revoked` is None if the grant had ended already."""

    def __init__(self, description: str, revoked: Authorization | None) -> None:
        super().__init__("invalid_grant", description)
        self.revoked = revoked


class GrantSummary(NamedTuple):
    """A grant as its owner sees it."""

    key: str
    allowed: Authorization
    created: float


async def create_grant(table: TableStore, allowed: Authorization, now: float, seconds: int = IDLE_SECONDS) -> TokenPair:
    """Store a new grant with its first tokens. Unless it is refreshed before, it ends after `seconds`."""
    handle, secret = secrets.token_urlsafe(24), secrets.token_urlsafe(32)
    refresh, access, key = f"{REFRESH}{handle}.{secret}", create_secret(ACCESS), digest(handle)
    document = {
        "authorization": allowed.to_document(),
        "created": now,
        "current": digest(refresh),
        "previous": "",
        "seed": "",
        "rotated": now,
        "access": [[digest(access), now + ACCESS_SECONDS]],
    }
    await save_token(table, digest(access), _describe(allowed, key), now + ACCESS_SECONDS)
    owner = owner_key(allowed.principal.tenant, allowed.principal.user)
    await table.put(owner, key, encode({"created": now}), until=now + LONGEST_SECONDS)
    await table.put(grant_key(key), "-", encode(document), until=now + seconds)
    return TokenPair(access, refresh, allowed.scopes, key, allowed)


async def refresh_grant(
    table: TableStore, sent: str, client: str, now: float, *, scopes: frozenset[str] | None = None
) -> TokenPair:
    """New tokens for a refresh token. Raises OAuthError; the reuse of an old token revokes the grant."""
    handle, dot, _ = sent.removeprefix(REFRESH).partition(".")
    if not sent.startswith(REFRESH) or not dot or len(sent) > LONGEST:
        raise invalid_grant("The refresh token is not valid.")
    key = digest(handle)
    for attempt in range(TRIES):
        try:
            return await _try_refresh(table, key, sent, client, scopes, now)
        except Conflict:
            await _pause(attempt)
    raise OAuthError("temporarily_unavailable", "Too many requests refresh this token at once.", status=503)


async def _try_refresh(
    table: TableStore, key: str, sent: str, client: str, scopes: frozenset[str] | None, now: float
) -> TokenPair:
    """One try. Raises Conflict if the grant was written meanwhile."""
    item = await table.get(grant_key(key))
    if item is None:
        raise invalid_grant("The refresh token has expired or was revoked.")
    document = json.loads(item.value)
    allowed = read_authorization(document["authorization"])
    if allowed.client != client:
        raise invalid_grant("The refresh token belongs to another client.")
    granted = _choose_scopes(allowed.scopes, scopes)
    successor = _rotate(document, sent, now)
    if successor is None:
        revoked = await revoke_grant(table, key)
        raise GrantRevoked("The refresh token was used before, so its grant is revoked. Sign in again.", revoked)
    access = create_secret(ACCESS)
    dropped = _add_access(document, digest(access), now)
    until = min(now + IDLE_SECONDS, document["created"] + LONGEST_SECONDS)
    # The access token is stored before the grant names it: a revocation in between then deletes it, or makes the
    # write below fail, after which it is deleted here.
    await save_token(table, digest(access), _describe(allowed, key, granted), now + ACCESS_SECONDS)
    try:
        await table.put(grant_key(key), "-", encode(document), until=until, expect=item.version)
    except Conflict:
        await table.delete(token_key(digest(access)))
        raise
    for old in dropped:
        await table.delete(token_key(old))
    return TokenPair(access, successor, granted, key, allowed)


async def find_grant(table: TableStore, sent: str) -> GrantSummary | None:
    """The live grant of a refresh token, whether or not the token is still the current one."""
    key = digest(sent.removeprefix(REFRESH).partition(".")[0])
    document = await load(table, grant_key(key)) if sent.startswith(REFRESH) and len(sent) <= LONGEST else None
    if document is None:
        return None
    return GrantSummary(key, read_authorization(document["authorization"]), document["created"])


def _choose_scopes(allowed: frozenset[str], wanted: frozenset[str] | None) -> frozenset[str]:
    if wanted is not None and not wanted <= allowed:
        raise OAuthError("invalid_scope", "A refresh cannot add scopes.")
    return wanted or allowed


def _rotate(document: Document, sent: str, now: float) -> str | None:
    """The successor of the refresh token, which `document` then expects; None for a token that was used before."""
    hashed = digest(sent)
    if hmac.compare_digest(hashed, document["current"]):
        document["seed"] = secrets.token_urlsafe(24)
        successor = _derive(sent, document["seed"])
        document.update(previous=hashed, current=digest(successor), rotated=now)
        return successor
    if hmac.compare_digest(hashed, document["previous"]) and now - document["rotated"] <= GRACE_SECONDS:
        return _derive(sent, document["seed"])
    return None


def _derive(sent: str, seed: str) -> str:
    """The successor of a refresh token; it takes both the token and the grant's seed to know it."""
    mixed = hmac.new(sent.encode(), seed.encode(), hashlib.sha256).digest()
    return sent.partition(".")[0] + "." + base64.urlsafe_b64encode(mixed).rstrip(b"=").decode()


def _add_access(document: Document, hashed: str, now: float) -> list[str]:
    """Note the new access token; the digests of tokens that are too many."""
    live = [row for row in document["access"] if row[1] > now]
    live.append([hashed, now + ACCESS_SECONDS])
    document["access"] = live[-MOST_TOKENS:]
    return [row[0] for row in live[:-MOST_TOKENS]]


async def revoke_grant(table: TableStore, key: str) -> Authorization | None:
    """Delete the grant with this digest and all its tokens; no token is issued for it afterwards. Return what ended."""
    for attempt in range(TRIES):
        item = await table.get(grant_key(key))
        if item is None:
            return None
        try:
            await table.delete(grant_key(key), expect=item.version)
        except Conflict:
            await _pause(attempt)
            continue
        document = json.loads(item.value)
        for hashed, _ in document["access"]:
            await table.delete(token_key(hashed))
        owner = document["authorization"]["principal"]
        await table.delete(owner_key(owner["tenant"], owner["user"]), key)
        return read_authorization(document["authorization"])
    return None


async def revoke_token(table: TableStore, sent: str, client: str) -> Authorization | None:
    """Revoke the grant of an access or refresh token of this client (RFC 7009). Unknown tokens are ignored."""
    if len(sent) > LONGEST:
        return None
    if sent.startswith(REFRESH):
        key = digest(sent.removeprefix(REFRESH).partition(".")[0])
    else:
        row = await load(table, token_key(digest(sent)))
        if row is None or row["client"] != client:
            return None
        key = row["grant"]
    document = await load(table, grant_key(key))
    if document is None or document["authorization"]["client"] != client:
        return None
    return await revoke_grant(table, key)


async def list_grants(table: TableStore, tenant: str, user: str) -> list[GrantSummary]:
    """The live grants of a person, the 100 first by digest."""
    page = await table.query(owner_key(tenant, user), limit=100)
    rows = [(item.sort, await load(table, grant_key(item.sort))) for item in page.items]
    return [GrantSummary(key, read_authorization(row["authorization"]), row["created"]) for key, row in rows if row]


async def find_own_grant(table: TableStore, tenant: str, user: str, key: str) -> Authorization | None:
    """The grant with this digest, if it is the person's own."""
    if len(key) != 64 or await table.get(owner_key(tenant, user), key) is None:
        return None
    document = await load(table, grant_key(key))
    return None if document is None else read_authorization(document["authorization"])


def _describe(allowed: Authorization, key: str, scopes: frozenset[str] | None = None) -> AccessToken:
    return AccessToken(allowed.principal, scopes or allowed.scopes, allowed.resource, allowed.client, key)


async def _pause(attempt: int) -> None:
    await asyncio.sleep(random.uniform(0, min(0.1, 0.002 * 2 ** min(attempt, 6))))


def grant_key(key: str) -> str:
    """The key of the row of a grant with this digest."""
    return f"oauth/grant/{key}"


def owner_key(tenant: str, user: str) -> str:
    """The key of the rows that name a person's grants."""
    return f"oauth/owner/{digest(f'{tenant}/{user}')}"
