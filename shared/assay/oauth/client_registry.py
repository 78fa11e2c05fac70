"""Clients: registered ones (RFC 7591) in the table, documents on the web, and the command line's own."""

import hashlib
import secrets
from typing import TYPE_CHECKING

from assay.oauth.attempt_limits import DOCUMENT_FETCH, REGISTRATION, count_attempt
from assay.oauth.client_documents import fetch_client, is_document_address
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
DOCUMENT_SECONDS = 3600  # how long a metadata document is kept
COMMAND_LINE = OAuthClient("assay-cli", "Assay command line", ())


async def register_client(table: TableStore, metadata: object, address: str, now: float) -> OAuthClient:
    """Register a client. Raises OAuthError for invalid metadata, or when the address registers too many."""
    await count_attempt(table, REGISTRATION, address, now)
    client = parse_client(f"assay-client-{secrets.token_urlsafe(24)}", metadata)
    await save(table, client_key(client.id), "-", client.to_document(), until=now + UNUSED_SECONDS)
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
    document = await load(table, client_key(identifier))
    if document is not None:
        return restore_client(document)
    if not is_document:
        raise invalid_client("The client is not known. Register it again.")
    await count_attempt(table, DOCUMENT_FETCH, address, now)
    client = await fetch_client(identifier, web)
    await save(table, client_key(identifier), "-", client.to_document(), until=now + DOCUMENT_SECONDS)
    return client


async def keep_client(table: TableStore, client: OAuthClient, now: float) -> None:
    """Let a registered client that someone signed in with live longer."""
    if client.id.startswith("assay-client-"):
        await save(table, client_key(client.id), "-", client.to_document(), until=now + USED_SECONDS)


def client_key(identifier: str) -> str:
    return f"oauth/client/{hashlib.sha256(identifier.encode()).hexdigest()}"
