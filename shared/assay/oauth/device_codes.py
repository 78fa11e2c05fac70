"""Device authorization (RFC 8628): a program without a browser shows a code, which a person enters in a browser."""

import json
import secrets

from assay.oauth.client_metadata import OAuthClient
from assay.oauth.grants import Authorization, TokenPair, create_grant, read_authorization
from assay.oauth.oauth_errors import OAuthError, invalid_grant
from assay.oauth.secret_values import DEVICE, LONGEST, create_secret, digest
from assay.state.json_documents import Document, encode, load, save
from assay.state.ports import Conflict, TableStore

DEVICE_SECONDS = 600
POLL_SECONDS = 5  # between polls; each `slow_down` lengthens it by as much (RFC 8628, section 3.5)
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so that no words arise (RFC 8628, section 6.1)


async def start_device(
    table: TableStore, client: OAuthClient, scopes: frozenset[str], resource: str, now: float
) -> tuple[str, str]:
    """The device code and the user code of a new request."""
    device, letters = create_secret(DEVICE), "".join(secrets.choice(LETTERS) for _ in range(8))
    until = now + DEVICE_SECONDS
    document = {
        "client": client.to_document(),
        "scopes": sorted(scopes),
        "resource": resource,
        "state": "pending",
        "authorization": None,
        "polled": 0.0,
        "interval": POLL_SECONDS,
        "expires": until,
    }
    await save(table, _key(digest(device)), "-", document, until=until)
    await save(table, _user_key(letters), "-", {"device": digest(device)}, until=until)
    return device, f"{letters[:4]}-{letters[4:]}"


async def find_device(table: TableStore, user_code: str) -> tuple[str, Document] | None:
    """The digest of the device code and the request that a user code belongs to, in any spelling."""
    letters = "".join(letter for letter in user_code[:40].upper() if letter in LETTERS)
    row = await load(table, _user_key(letters)) if letters else None
    document = await load(table, _key(row["device"])) if row else None
    return (row["device"], document) if row and document and document["state"] == "pending" else None


async def decide_device(table: TableStore, device: str, allowed: Authorization | None, now: float) -> None:
    """Record the person's decision; None is a refusal. Raises OAuthError if the request has ended."""
    item = await table.get(_key(device))
    document: Document = json.loads(item.value) if item else {}
    if item is None or document["state"] != "pending":
        raise invalid_grant("The device has stopped waiting. Start again there.")
    document["state"] = "denied" if allowed is None else "allowed"
    document["authorization"] = allowed.to_document() if allowed else None
    try:
        await table.put(_key(device), "-", encode(document), until=document["expires"], expect=item.version)
    except Conflict:  # the device polled meanwhile
        await decide_device(table, device, allowed, now)


async def poll_device(table: TableStore, sent: str, client: str, now: float) -> TokenPair:
    """The tokens, once the person has allowed them. Raises OAuthError: authorization_pending, slow_down, …"""
    key = _key(digest(sent))
    item = await table.get(key) if sent.startswith(DEVICE) and len(sent) <= LONGEST else None
    if item is None:
        raise OAuthError("expired_token", "The device code is not known, or has expired.")
    document = json.loads(item.value)
    if document["client"]["id"] != client:
        raise invalid_grant("The device code belongs to another client.")
    if document["state"] == "pending":
        too_soon = now - document["polled"] < document["interval"] - 0.5
        document["polled"] = now
        document["interval"] += POLL_SECONDS if too_soon else 0
        try:
            await table.put(key, "-", encode(document), until=document["expires"], expect=item.version)
        except Conflict:  # the person decided meanwhile: the next poll sees it
            too_soon = False
        code = "slow_down" if too_soon else "authorization_pending"
        raise OAuthError(code, "The person has not decided yet.")
    try:
        await table.delete(key, expect=item.version)
    except Conflict:
        raise invalid_grant("The device code was used before.") from None
    if document["state"] == "denied":
        raise OAuthError("access_denied", "The person refused.")
    return await create_grant(table, read_authorization(document["authorization"]), now)


def _key(device: str) -> str:
    return f"oauth/device/{device}"


def _user_key(letters: str) -> str:
    return f"oauth/user-code/{digest(letters)}"
