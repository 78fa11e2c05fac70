"""The metadata of a client (RFC 7591), checked: it comes from registrations and from documents on the web."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.oauth.oauth_errors import OAuthError, invalid_metadata
from assay.oauth.redirect_uris import check_redirect_uri, is_loopback
from assay.text.plain_text import to_plain_text

AUTHENTICATION_METHODS = ("none", "private_key_jwt")
GRANT_TYPES = (
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
)
MOST_URIS = 20
NAME_LENGTH = 80
KEYS_BYTES = 16_000


@dataclass(frozen=True)
class OAuthClient:
    """A client. `keys` is its JWK set as JSON and `keys_uri` its address, for private_key_jwt; "" without."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    authentication: str = "none"
    keys: str = ""
    keys_uri: str = ""

    def to_document(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "redirect_uris": list(self.redirect_uris),
            "authentication": self.authentication,
            "keys": self.keys,
            "keys_uri": self.keys_uri,
        }


def restore_client(document: Mapping[str, Any]) -> OAuthClient:
    """The client of `to_document`."""
    return OAuthClient(**{**document, "redirect_uris": tuple(document["redirect_uris"])})


def parse_client(identifier: str, metadata: object) -> OAuthClient:
    """The client that the metadata describe. Raises OAuthError with the reason."""
    if not isinstance(metadata, Mapping):
        raise invalid_metadata("The client metadata are not a JSON object.")
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not 0 < len(uris) <= MOST_URIS:
        raise OAuthError("invalid_redirect_uri", f"redirect_uris must be a list of 1 to {MOST_URIS} URIs.")
    _check_types(metadata)
    redirect_uris = tuple(check_redirect_uri(uri) for uri in uris)
    name = to_plain_text(metadata.get("client_name"), NAME_LENGTH)
    method, keys, keys_uri = _read_authentication(metadata)
    return OAuthClient(identifier, name, redirect_uris, method, keys, keys_uri)


def _check_types(metadata: Mapping[str, Any]) -> None:
    """Raises OAuthError for a client that needs grant or response types other than those of this server."""
    for name, known in (("grant_types", GRANT_TYPES), ("response_types", ("code",))):
        listed = metadata.get(name)
        if listed is not None and not (isinstance(listed, list) and set(map(str, listed)) & set(known)):
            raise invalid_metadata(f"{name} must include one of {', '.join(known)}.")


def _read_authentication(metadata: Mapping[str, Any]) -> tuple[str, str, str]:
    """Method, keys and address of keys. A method with a shared secret becomes `none`, as RFC 7591 lets a server do."""
    if metadata.get("token_endpoint_auth_method") != "private_key_jwt":
        return "none", "", ""
    uri = metadata.get("jwks_uri")
    if isinstance(uri, str) and len(uri) <= 2_000 and _is_key_address(uri):
        return "private_key_jwt", "", uri
    keys = metadata.get("jwks")
    text = json.dumps(keys) if isinstance(keys, Mapping) and isinstance(keys.get("keys"), list) else ""
    if not 0 < len(text) <= KEYS_BYTES:
        raise invalid_metadata("private_key_jwt needs jwks_uri or jwks.")
    return "private_key_jwt", text, ""


def _is_key_address(uri: str) -> bool:
    """Whether keys can be fetched there unchanged: https, or a program on the same machine."""
    try:
        return uri.startswith("https://") or is_loopback(uri)
    except ValueError:
        return False
