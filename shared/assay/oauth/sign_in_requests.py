"""What a browser is about to allow: kept here, bound to the browser, so that no page can change it on its way."""

import secrets
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay.oauth.client_metadata import OAuthClient, restore_client
from assay.oauth.oauth_errors import OAuthError, invalid_request
from assay.oauth.secret_values import digest
from assay.state.json_documents import load, save
from assay.state.ports import TableStore

REQUEST_SECONDS = 600


@dataclass(frozen=True)
class SignInRequest:
    """A request of a client for an authorization code or for a device, or of a person for a page of their own."""

    kind: str  # "code", "device", "grants", "personal-data" or "console"
    browser: str  # the digest of the cookie
    client: dict[str, Any] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    resource: str = ""
    redirect_uri: str = ""
    state: str = ""
    challenge: str = ""
    device: str = ""  # the digest of the device code
    user_code: str = ""
    own_page: str = ""  # of the console, where the person goes on
    id: str = ""

    def read_client(self) -> OAuthClient:
        return restore_client(self.client)


async def save_request(table: TableStore, request: SignInRequest, now: float) -> SignInRequest:
    """Store the request under a new identifier, which it is returned with."""
    request = replace(request, id=secrets.token_urlsafe(24))
    await save(table, _key(request.id), "-", asdict(request), until=now + REQUEST_SECONDS)
    return request


async def load_request(table: TableStore, identifier: str, cookie: str) -> SignInRequest:
    """The request, if this browser made it. Raises OAuthError."""
    row = await load(table, _key(identifier)) if 0 < len(identifier) <= 100 else None
    if row is None or row["browser"] != digest(cookie):
        raise expired_page()
    return SignInRequest(**{**row, "scopes": tuple(row["scopes"])})


async def move_request(table: TableStore, request: SignInRequest, cookie: str, now: float) -> SignInRequest:
    """Bind the request to the cookie that the browser received when the person signed in."""
    moved = replace(request, browser=digest(cookie))
    await save(table, _key(request.id), "-", asdict(moved), until=now + REQUEST_SECONDS)
    return moved


async def end_request(table: TableStore, request: SignInRequest) -> None:
    await table.delete(_key(request.id))


def expired_page() -> OAuthError:
    return invalid_request("This page has expired, or belongs to another browser. Start again in the application.")


def _key(identifier: str) -> str:
    return f"oauth/request/{digest(identifier)}"
