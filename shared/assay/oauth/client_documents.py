"""Client id metadata documents: a client whose identifier is the https address of its own metadata."""

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from assay.errors import Network, ToolError
from assay.oauth.client_metadata import OAuthClient, parse_client
from assay.oauth.oauth_errors import OAuthError, invalid_client
from assay.oauth.redirect_uris import PLAIN
from assay.settings import Settings
from assay.text.url_parts import LOOPBACK, split_url

if TYPE_CHECKING:  # imported by the requests that need it, for fast cold starts
    from assay.net.guarded_client import GuardedClient

LONGEST = 500
DOCUMENT_BYTES = 16 * 1024
FETCH_SECONDS = 5.0


def is_document_address(identifier: str, settings: Settings) -> bool:
    """Whether a client identifier is the address of a metadata document."""
    if len(identifier) > LONGEST or not PLAIN.fullmatch(identifier) or "#" in identifier:
        return False
    try:
        parts = split_url(identifier)
        _ = parts.port
    except ValueError:
        return False
    # http is for tests on loopback: the setting is refused on Lambda.
    is_test = settings.allow_private_ips and parts.scheme == "http" and parts.hostname in LOOPBACK
    has_dots = any(unquote(segment) in (".", "..") for segment in parts.path.split("/"))
    return (
        (parts.scheme == "https" or is_test)
        and bool(parts.hostname)
        and "@" not in parts.netloc
        and len(parts.path) > 1
        and not has_dots
    )


class DocumentUnavailable(OAuthError):
    """The document cannot be fetched now, which says nothing about the client."""

    def __init__(self, description: str) -> None:
        super().__init__("temporarily_unavailable", description, status=503, retry_after=30)


async def fetch_client(identifier: str, web: "GuardedClient") -> OAuthClient:
    """The client that the document at `identifier` describes. Raises OAuthError, also for a document of another client.

    Nothing of the document is fetched further: no logo, no redirect.
    """
    metadata = _parse_document(await _fetch_document(identifier, web))
    if metadata.get("client_id") != identifier:
        raise invalid_client("The client's metadata document names another client_id than its own address.")
    if "client_secret" in metadata:
        raise invalid_client("The client's metadata document contains a client_secret.")
    try:
        return parse_client(identifier, metadata)
    except OAuthError as failure:
        raise invalid_client(f"The client's metadata document is not valid: {failure.description}") from None


async def _fetch_document(identifier: str, web: "GuardedClient") -> bytes:
    try:
        fetched = await web.fetch(
            identifier,
            accept="application/json",
            cap=DOCUMENT_BYTES,
            over_cap="refuse",
            seconds=FETCH_SECONDS,
            max_redirects=0,
        )
    except Network as failure:
        raise DocumentUnavailable(f"The client's metadata document cannot be fetched: {failure.sentence()}") from None
    except ToolError as failure:
        raise invalid_client(f"The client's metadata document cannot be fetched: {failure.sentence()}") from None
    if fetched.status >= 500 or fetched.status == 429:
        raise DocumentUnavailable("The client's metadata document is not available now.")
    if fetched.status != 200 or fetched.truncated:
        raise invalid_client("The client's metadata document is not available, redirects, or is too large.")
    if fetched.content_type != "application/json" and not fetched.content_type.endswith("+json"):
        raise invalid_client("The client's metadata document is not JSON.")
    return fetched.body


def _parse_document(body: bytes) -> dict[str, Any]:
    try:
        metadata = json.loads(body)
    except (ValueError, RecursionError):
        metadata = None
    if not isinstance(metadata, dict):
        raise invalid_client("The client's metadata document is not a JSON object.")
    return metadata
