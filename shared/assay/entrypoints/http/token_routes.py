"""The endpoints that clients call themselves: tokens, registration, revocation, device authorization."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from starlette.routing import Route

from assay.entrypoints.http import http_api
from assay.entrypoints.http.authorization_routes import require_provider
from assay.entrypoints.http.grant_events import record_grant
from assay.entrypoints.http.metadata_routes import require_base
from assay.entrypoints.http.plain_routes import build_route
from assay.entrypoints.http.sign_in_visit import FORM_BYTES, get_address, read_form
from assay.entrypoints.resource_server import find_owner
from assay.oauth.attempt_limits import DEVICE_START, count_attempt
from assay.oauth.authorization_codes import CodeExchange, redeem_code
from assay.oauth.client_assertions import check_assertion
from assay.oauth.client_metadata import GRANT_TYPES, OAuthClient
from assay.oauth.client_registry import COMMAND_LINE, find_client, register_client
from assay.oauth.device_codes import DEVICE_SECONDS, POLL_SECONDS, poll_device, start_device
from assay.oauth.grants import (
    GrantRevoked,
    TokenPair,
    create_grant,
    find_grant,
    refresh_grant,
    revoke_grant,
    revoke_token,
)
from assay.oauth.identity_assertions import read_assertion
from assay.oauth.oauth_errors import OAuthError, invalid_client, invalid_metadata, invalid_request
from assay.oauth.scopes import check_client_scopes, parse_scopes
from assay.oauth.server_addresses import list_audiences, parse_resource
from assay.oauth.signed_tokens import InvalidToken, is_signed_token, read_unverified
from assay.oauth.token_store import ACCESS_SECONDS
from assay.services import Services

HEADERS = {"cache-control": "no-store", "pragma": "no-cache"}


@dataclass
class ClientCall:
    """A form that a client sent to one of the endpoints."""

    form: dict[str, str]
    services: Services
    base: str
    address: str

    @property
    def now(self) -> float:
        return self.services.clock()

    async def authenticate(self) -> OAuthClient:
        """The client of the call, authenticated in the way that it registered. Raises OAuthError."""
        identifier = self.form.get("client_id") or _read_assertion_subject(self.form.get("client_assertion", ""))
        if not identifier:
            raise invalid_client("client_id is missing.")
        services = self.services
        client = await find_client(
            identifier, services.table, services.web, services.settings, address=self.address, now=self.now
        )
        if client.authentication == "private_key_jwt":
            audiences = list_audiences(f"{self.base}/oauth/token", self.base)
            await check_assertion(
                self.form, client, audiences, table=services.table, key_sets=services.client_keys, now=self.now
            )
        return client


def _read_assertion_subject(assertion: str) -> str:
    """The client that an assertion claims to be of; its signature is checked with that client's keys afterwards."""
    subject = read_unverified(assertion).get("sub")
    return subject if isinstance(subject, str) else ""


def token_routes(services: Callable[[], Services]) -> list[Route]:
    """The routes for clients."""

    def build(path: str, answer: Callable[[ClientCall], Awaitable[dict[str, Any]]]) -> Route:
        async def handle(request: Request) -> Response:
            world = services()
            base = require_base(request, world)
            call = ClientCall(await read_form(request), world, base, get_address(request, world.settings))
            return JSONResponse(await answer(call), headers=HEADERS)

        return build_route(path, handle, "POST")

    async def register(request: Request) -> Response:
        world = services()
        require_base(request, world)
        return await register_from(request, world)

    return [
        build("/oauth/token", issue_tokens),
        build("/oauth/revoke", revoke),
        build("/oauth/device_authorization", authorize_device),
        build_route("/oauth/register", register, "POST"),
    ]


async def register_from(request: Request, services: Services) -> Response:
    """Register a client (RFC 7591)."""
    body = await request.body()
    try:
        metadata = json.loads(body) if len(body) <= FORM_BYTES else None
    except (ValueError, RecursionError):
        metadata = None
    if not isinstance(metadata, dict):
        raise invalid_metadata("Send the client metadata as one small JSON object.")
    now = services.clock()
    client = await register_client(services.table, metadata, get_address(request, services.settings), now)
    asked = metadata.get("grant_types")
    grants = [one for one in GRANT_TYPES if one in asked] if isinstance(asked, list) else list(GRANT_TYPES[:2])
    document = {
        "client_id": client.id,
        "client_id_issued_at": int(now),
        "client_name": client.name,
        "redirect_uris": list(client.redirect_uris),
        "token_endpoint_auth_method": client.authentication,
        "grant_types": grants,
        "response_types": ["code"],
    }
    return JSONResponse(document, 201, headers=HEADERS)


async def issue_tokens(call: ClientCall) -> dict[str, Any]:
    """The token endpoint."""
    grant_type = call.form.get("grant_type", "")
    if not grant_type:
        raise invalid_request("grant_type is missing.")
    if grant_type not in GRANT_TYPES:
        raise OAuthError("unsupported_grant_type", f"grant_type must be one of {', '.join(GRANT_TYPES)}.")
    client = await call.authenticate()
    if grant_type == GRANT_TYPES[3]:
        return await _accept_assertion(call, client)
    issue = {GRANT_TYPES[0]: _redeem, GRANT_TYPES[1]: _refresh, GRANT_TYPES[2]: _poll}[grant_type]
    try:
        pair = await issue(call, client)
    except GrantRevoked as failure:
        record_grant(call.services, "grant.revoke", failure.revoked)
        raise
    if issue is not _refresh:
        record_grant(call.services, "grant.create", pair.allowed)
    return pair.wire()


async def _accept_assertion(call: ClientCall, client: OAuthClient) -> dict[str, Any]:
    """Enterprise-managed authorization: no refresh token, because the identity provider decides each time anew."""
    provider = require_provider(call.services, call.base)
    scopes = parse_scopes(call.form["scope"]) if call.form.get("scope") else None
    allowed = await read_assertion(
        call.form.get("assertion", ""), client, provider, base=call.base, scopes=scopes, now=call.now
    )
    answer = (await create_grant(call.services.table, allowed, call.now, ACCESS_SECONDS)).wire()
    record_grant(call.services, "grant.create", allowed)
    return {name: value for name, value in answer.items() if name != "refresh_token"}


async def _redeem(call: ClientCall, client: OAuthClient) -> TokenPair:
    form = call.form
    exchange = CodeExchange(
        form.get("code", ""),
        client.id,
        form.get("redirect_uri", ""),
        form.get("code_verifier", ""),
        _read_resource(call),
    )
    return await redeem_code(call.services.table, exchange, call.now)


async def _refresh(call: ClientCall, client: OAuthClient) -> TokenPair:
    sent, table = call.form.get("refresh_token", ""), call.services.table
    found = await find_grant(table, sent)
    keys = http_api.keys_of(call.services)
    if found and await find_owner(found.allowed.principal, keys, call.services) is None:
        revoked = await revoke_grant(table, found.key)
        raise GrantRevoked("The person who signed in may not use the server any more.", revoked)
    resource = _read_resource(call)
    if found and resource and resource != found.allowed.resource:
        raise OAuthError("invalid_target", "resource is not the one of the authorization request.")
    scopes = parse_scopes(call.form["scope"]) if call.form.get("scope") else None
    return await refresh_grant(table, sent, client.id, call.now, scopes=scopes)


async def _poll(call: ClientCall, client: OAuthClient) -> TokenPair:
    return await poll_device(call.services.table, call.form.get("device_code", ""), client.id, call.now)


def _read_resource(call: ClientCall) -> str:
    """The resource parameter in its exact form, "" without one. Raises OAuthError for one that is not ours."""
    sent = call.form.get("resource", "")
    resource = parse_resource(sent, call.base)
    if resource is None:
        raise OAuthError("invalid_target", "resource is not an address of this server.")
    return resource if sent else ""


async def revoke(call: ClientCall) -> dict[str, Any]:
    """The revocation endpoint (RFC 7009). Unknown tokens are no error."""
    token, services = call.form.get("token", ""), call.services
    if not token:
        raise invalid_request("token is missing.")
    if services.settings.issuer_url and is_signed_token(token):
        with suppress(InvalidToken):  # it is not accepted anyway
            await services.issuer.revoke(token, list_audiences(f"{call.base}/mcp", call.base))
        return {}
    client = await call.authenticate()
    record_grant(services, "grant.revoke", await revoke_token(services.table, token, client.id))
    return {}


async def authorize_device(call: ClientCall) -> dict[str, Any]:
    """The device authorization endpoint (RFC 8628)."""
    table = call.services.table
    await count_attempt(table, DEVICE_START, call.address, call.now)
    client = await call.authenticate()
    resource = parse_resource(call.form.get("resource", ""), call.base)
    if resource is None:
        raise OAuthError("invalid_target", "resource is not an address of this server.")
    scopes = parse_scopes(call.form.get("scope", ""))
    check_client_scopes(scopes, client.id, COMMAND_LINE.id)
    device, user_code = await start_device(table, client, scopes, resource, call.now)
    page = f"{call.base}/oauth/device"
    return {
        "device_code": device,
        "user_code": user_code,
        "verification_uri": page,
        "verification_uri_complete": f"{page}?user_code={user_code}",
        "expires_in": DEVICE_SECONDS,
        "interval": POLL_SECONDS,
    }
