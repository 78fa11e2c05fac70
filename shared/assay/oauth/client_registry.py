"""Clients: registered ones (RFC 7591) in the table, documents on the web, and the command line's own."""

import hashlib
import secrets
from typing import TYPE_CHECKING

from assay.oauth.attempt_limits import DOCUMENT_FETCH, REGISTRATION, count_attempt
from assay.oauth.client_documents import DocumentUnavailable, fetch_client, is_document_address
from assay.oauth.client_metadata import OAuthClient, parse_client, restore_client
from assay.oauth.oauth_errors import invalid_client
from assay.oauth.secret_values import LONGEST
from assay.settings import Settings
from assay.state.json_documents import load, save
from assay.state.ports import TableStore

if TYPE_CHECKING:  # imported by the requests that need it, for fast cold starts
    from assay.net.guarded_client import GuardedClient

UNUSED_SECONDS = 86_400  # a registration that nobody uses expires after a day
USED_SECONDS = 180 * 86_400
DOCUMENT_SECONDS = 3600  # after which a metadata document is fetched again
STALE_SECONDS = 7 * 86_400  # how long it counts while it cannot be fetched, so that an outage logs nobody out
COMMAND_LINE = OAuthClient("assay-cli", "Assay command line", ())


async def register_client(table: TableStore, metadata: object, address: str, now: float) -> OAuthClient:
    """Register a client. Raises OAuthError for invalid metadata, or when the address registers too many."""
    await count_attempt(table, REGISTRATION, address, now)
    client = parse_client(f"assay-client-{secrets.token_urlsafe(24)}", metadata)
    await _save(table, client, now, UNUSED_SECONDS)
    return client


async def find_client(
    identifier: str,
    table: TableStore,
    web: "GuardedClient",
    settings: Settings,
    *,
    address: str,
    now: float,
) -> OAuthClient:
    """The client with this identifier. Raises OAuthError for an unknown or expired one.

    `address` is that of the caller: it may cause a limited number of fetches of documents.
    """
    if identifier == COMMAND_LINE.id:
        return COMMAND_LINE
    is_document = is_document_address(identifier, settings)
    if not is_document and len(identifier) > LONGEST:
        raise invalid_client("The client is not known. Register it again.")
    row = await load(table, client_key(identifier))
    if row is not None and (not is_document or now < row["fetched"] + DOCUMENT_SECONDS):
        return restore_client(row["client"])
    if not is_document:
        raise invalid_client("The client is not known. Register it again.")
    await count_attempt(table, DOCUMENT_FETCH, address, now)
    try:
        client = await fetch_client(identifier, web)
    except DocumentUnavailable:
        if row is None:
            raise
        return restore_client(row["client"])
    await _save(table, client, now, STALE_SECONDS)
    return client


async def keep_client(table: TableStore, client: OAuthClient, now: float) -> None:
    """Let a registered client that someone signed in with live longer."""
    if client.id.startswith("assay-client-"):
        await _save(table, client, now, USED_SECONDS)


async def _save(table: TableStore, client: OAuthClient, now: float, seconds: int) -> None:
    row = {"client": client.to_document(), "fetched": now}
    await save(table, client_key(client.id), "-", row, until=now + seconds)


def client_key(identifier: str) -> str:
    return f"oauth/client/{hashlib.sha256(identifier.encode()).hexdigest()}"
