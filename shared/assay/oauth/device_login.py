"""Logs the command line in at a server (RFC 8628), and keeps the login fresh."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.errors import ConfigError, ToolError, Unauthenticated
from assay.net.provider_client import ProviderClient, ProviderResponse
from assay.oauth.client_registry import COMMAND_LINE
from assay.oauth.server_addresses import RESOURCE_METADATA
from assay.oauth.stored_logins import StoredLogin, load_login, save_login
from assay.settings.parsers import parse_origin

PROVIDER = "assay"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
EARLY = 60.0  # seconds before expiry at which a token is renewed
FIRST_WAIT = 1.0  # seconds before the first question whether the person has decided
SLOWER = 5.0  # seconds that `slow_down` adds to the interval

type Show = Callable[[str, str], None]  # the page to open and the code to compare


class LoginPending(ToolError):
    """The server's answer to a poll: `code` is the one of OAuth."""

    def __init__(self, code: str, description: str) -> None:
        super().__init__(description)
        self.code = code


def parse_server(address: str) -> str:
    """The server of an address such as https://assay.example/mcp. Raises ConfigError."""
    try:
        return str(parse_origin(address.strip().rstrip("/").removesuffix("/mcp")))
    except ValueError as error:
        raise ConfigError(f"{address[:100]!r} is not the address of a server; {error}.", field="server") from None


async def log_in(http: ProviderClient, server: str, show: Show, scopes: str = "") -> StoredLogin:
    """Ask for access, show the code, and wait until the person has decided. Raises ToolError."""
    metadata = await _load_metadata(http, server)
    form = {"client_id": COMMAND_LINE.id, "resource": server} | ({"scope": scopes} if scopes else {})
    started = await _post(http, metadata["device_authorization_endpoint"], form)
    show(str(started.get("verification_uri_complete") or started["verification_uri"]), str(started["user_code"]))
    pause, ends = float(started.get("interval", 5)), time.monotonic() + float(started["expires_in"])
    form = {"grant_type": DEVICE_GRANT, "device_code": started["device_code"], "client_id": COMMAND_LINE.id}
    wait = FIRST_WAIT
    while time.monotonic() < ends:
        await asyncio.sleep(wait)
        try:
            return _to_login(await _post(http, metadata["token_endpoint"], form), metadata)
        except LoginPending as pending:
            if pending.code not in ("authorization_pending", "slow_down"):
                raise Unauthenticated(f"The login failed: {pending.message}") from None
            pause += SLOWER if pending.code == "slow_down" else 0
            wait = pause
    raise Unauthenticated("Nobody confirmed the code in time. Run the command again.")


async def get_access_token(http: ProviderClient, home: Path, server: str) -> str | None:
    """A fresh access token of the stored login; None without a login. Raises ToolError when it has ended."""
    login = load_login(home, server)
    if login is None or time.time() < login.expires - EARLY:
        return login.access if login else None
    form = {"grant_type": "refresh_token", "refresh_token": login.refresh, "client_id": COMMAND_LINE.id}
    endpoints = {
        "token_endpoint": login.token_endpoint,
        "revocation_endpoint": login.revocation_endpoint,
    }
    try:
        renewed = _to_login(await _post(http, login.token_endpoint, form), endpoints)
    except LoginPending:
        raise Unauthenticated(f"The login at {server} has ended. Run `assay login {server}` again.") from None
    save_login(home, server, renewed)
    return renewed.access


async def log_out(http: ProviderClient, home: Path, server: str) -> bool:
    """Revoke and forget the login; whether there was one."""
    login = load_login(home, server)
    if login is None:
        return False
    await _post(http, login.revocation_endpoint, {"token": login.refresh, "client_id": COMMAND_LINE.id})
    save_login(home, server, None)
    return True


async def _load_metadata(http: ProviderClient, server: str) -> dict[str, Any]:
    """The metadata of the authorization server that the server names; it has to be the server itself."""
    resource = (await http.request(PROVIDER, "GET", server + RESOURCE_METADATA)).body
    if server not in resource.get("authorization_servers", ()):
        others = ", ".join(map(str, resource.get("authorization_servers", ())))[:200]
        raise ConfigError(f"People sign in at {others}, not at {server} itself; use a token from there.")
    metadata = (await http.request(PROVIDER, "GET", f"{server}/.well-known/oauth-authorization-server")).body
    endpoints = ("device_authorization_endpoint", "token_endpoint", "revocation_endpoint")
    if metadata.get("issuer") != server or not all(
        str(metadata.get(name, "")).startswith(server + "/") for name in endpoints
    ):
        raise ConfigError(
            f"The metadata of {server} names another server, so no token is sent there. Log in at that server."
        )
    return dict(metadata)


async def _post(http: ProviderClient, address: str, form: dict[str, str]) -> dict[str, Any]:
    got = await http.request(PROVIDER, "POST", address, form=form, refusal=_read_refusal)
    body: dict[str, Any] = got.body
    return body


def _read_refusal(response: ProviderResponse) -> ToolError | None:
    body = response.body
    if response.status < 400 or not isinstance(body, dict) or not isinstance(body.get("error"), str):
        return None
    return LoginPending(body["error"], str(body.get("error_description", "")))


def _to_login(tokens: dict[str, Any], metadata: dict[str, Any]) -> StoredLogin:
    return StoredLogin(
        str(tokens["access_token"]),
        str(tokens["refresh_token"]),
        time.time() + float(tokens["expires_in"]),
        str(metadata["token_endpoint"]),
        str(metadata["revocation_endpoint"]),
    )
