"""Signing in through an OpenID Connect provider that the operator configured (authorization code, PKCE, nonce)."""

import base64
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from assay.errors import ConfigError, ToolError
from assay.oauth.oauth_errors import OAuthError
from assay.oauth.pkce import build_challenge
from assay.oauth.principals import Principal, to_name
from assay.oauth.secret_values import digest
from assay.oauth.signed_tokens import InvalidToken, check_claims, verify_token
from assay.oauth.trusted_issuer import check_address, fetch_json
from assay.settings import Settings
from assay.settings.parsers import parse_issuer
from assay.state.json_documents import save
from assay.state.ports import Conflict, TableStore

if TYPE_CHECKING:
    from assay.net.provider_client import ProviderClient

PROVIDER = "identity-provider"
LOGIN_SECONDS = 600
ALL_TOOLS = frozenset({"tool:*"})


def is_configured(settings: Settings) -> bool:
    """Whether people can sign in through a provider."""
    return bool(settings.key("ASSAY_OIDC_ISSUER"))


@dataclass(frozen=True)
class IdentityProvider:
    """The provider of ASSAY_OIDC_ISSUER. `callback` is the address to which it sends people back."""

    settings: Settings
    http: "ProviderClient"
    table: TableStore
    callback: str

    async def start(self, request: str, browser: str, now: float) -> str:
        """The address at the provider to send the browser to. `request` is what continues afterwards."""
        metadata = await self._metadata()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        row = {"request": request, "browser": browser, "nonce": nonce, "verifier": verifier}
        await save(self.table, _key(state), "-", row, until=now + LOGIN_SECONDS)
        query = urlencode(
            {
                "response_type": "code",
                "client_id": self.settings.key("ASSAY_OIDC_CLIENT_ID"),
                "redirect_uri": self.callback,
                "scope": "openid email profile",
                "state": state,
                "nonce": nonce,
                "code_challenge": build_challenge(verifier),
                "code_challenge_method": "S256",
            }
        )
        address = check_address(metadata.get("authorization_endpoint"), self.issuer)
        return f"{address}{'&' if '?' in address else '?'}{query}"

    async def load_keys(self) -> dict[str, Any]:
        """The provider's key set."""
        metadata = await self._metadata()
        return await fetch_json(self.http, check_address(metadata.get("jwks_uri"), self.issuer))

    async def finish(self, answer: Mapping[str, str], browser: str, now: float) -> tuple[str, Principal]:
        """The request that continues, and the person. Raises OAuthError, or ToolError for a failing provider."""
        row = await self._take_state(answer.get("state", ""), browser)
        if answer.get("iss", self.issuer) != self.issuer:  # RFC 9207: another provider's answer
            raise OAuthError("access_denied", "The answer is of another identity provider.", status=403)
        if "error" in answer or not answer.get("code"):
            raise OAuthError("access_denied", "The identity provider refused the sign-in.", status=403)
        metadata = await self._metadata()
        tokens = await self._redeem(metadata, answer["code"], row["verifier"])
        keys = await self.load_keys()
        client = self.settings.key("ASSAY_OIDC_CLIENT_ID")
        try:
            claims = verify_token(str(tokens.get("id_token", "")), keys)
            check_claims(claims, issuer=self.issuer, audiences={client}, now=now)
        except InvalidToken as refusal:
            raise OAuthError("access_denied", f"The ID token is not valid: {refusal}.", status=403) from None
        is_for_other = isinstance(claims.get("aud"), list) and claims.get("azp", client) != client
        if claims.get("nonce") != row["nonce"] or is_for_other or not claims.get("sub"):
            raise OAuthError("access_denied", "The ID token was made for another sign-in.", status=403)
        return row["request"], read_person(claims, self.settings)

    @property
    def issuer(self) -> str:
        """The provider's identifier. Raises ConfigError."""
        issuer = self.settings.key("ASSAY_OIDC_ISSUER")
        try:
            return str(parse_issuer(issuer))
        except ValueError as error:
            raise _invalid("ASSAY_OIDC_ISSUER", str(error)) from None

    async def _take_state(self, state: str, browser: str) -> dict[str, Any]:
        """The stored sign-in of this state, which is used up."""
        stale = OAuthError("access_denied", "This sign-in has expired, or belongs to another browser.", status=403)
        item = await self.table.get(_key(state)) if 0 < len(state) <= 100 else None
        row: dict[str, Any] = json.loads(item.value) if item else {}
        if item is None or row["browser"] != browser:
            raise stale
        try:
            await self.table.delete(_key(state), expect=item.version)
        except Conflict:
            raise stale from None
        return row

    async def _metadata(self) -> dict[str, Any]:
        metadata = await fetch_json(self.http, f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
        if metadata.get("issuer") != self.issuer:
            raise _invalid("ASSAY_OIDC_ISSUER", "set it to the issuer that the provider's metadata name")
        return metadata

    async def _redeem(self, metadata: Mapping[str, Any], code: str, verifier: str) -> dict[str, Any]:
        """The provider's tokens for its code."""
        client, secret = (self.settings.key(f"ASSAY_OIDC_CLIENT_{name}") for name in ("ID", "SECRET"))
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.callback,
            "code_verifier": verifier,
            "client_id": client,
        }
        headers = {}
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        if secret and "client_secret_basic" in methods:
            pair = f"{quote(client, safe='')}:{quote(secret, safe='')}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        elif secret:
            form["client_secret"] = secret
        try:
            got = await self.http.request(
                PROVIDER,
                "POST",
                check_address(metadata.get("token_endpoint"), self.issuer),
                form=form,
                headers=headers,
                cap=256 * 1024,
            )
        except ToolError as failure:
            sentence = f"The identity provider did not confirm the sign-in: {failure.sentence()}"
            raise OAuthError("access_denied", sentence, status=502) from None
        return got.body if isinstance(got.body, dict) else {}


def read_person(claims: Mapping[str, Any], settings: Settings) -> Principal:
    """The person that the ID token names. Raises OAuthError for one who may not sign in."""
    mail = str(claims.get("email") or "").lower()
    if claims.get("email_verified") not in (True, "true"):  # some providers send it as text
        mail = ""
    if not is_allowed(mail, settings):
        raise OAuthError("access_denied", "This account may not use the server. Ask its operator.", status=403)
    claim = settings.key("ASSAY_OIDC_TENANT_CLAIM")
    tenant = claims.get(claim) if claim else mail.rpartition("@")[2]
    if not isinstance(tenant, str) or not tenant:
        raise OAuthError("access_denied", "The identity provider does not name the tenant.", status=403)
    roles = read_roles(claims, settings)
    scopes = list_role_scopes(roles, settings)
    if not scopes:
        raise OAuthError("access_denied", "This account has no role that may use the server.", status=403)
    return Principal(to_name(tenant), to_name(claims["sub"]), scopes, mail, roles=roles)


def is_allowed(mail: str, settings: Settings) -> bool:
    """Whether ASSAY_OIDC_ALLOWED lists the verified mail address, its domain, or everybody; nobody if it is empty."""
    allowed = {one.strip().lower() for one in settings.key("ASSAY_OIDC_ALLOWED").split(",") if one.strip()}
    return "*" in allowed or bool(mail and ({mail, "@" + mail.rpartition("@")[2]} & allowed))


def list_account_scopes(mail: str, roles: Iterable[str], settings: Settings) -> frozenset[str]:
    """What an account may do today; nothing if it is not accepted any more."""
    if not is_configured(settings) or not is_allowed(mail, settings):
        return frozenset()
    return list_role_scopes(roles, settings)


def read_roles(claims: Mapping[str, Any], settings: Settings) -> tuple[str, ...]:
    """The person's roles that ASSAY_OIDC_ROLES names; none where no role claim is configured."""
    value = claims.get(settings.key("ASSAY_OIDC_ROLE_CLAIM") or "")
    roles = value if isinstance(value, list) else [value]
    mapping = _parse_role_mapping(settings)
    return tuple(role for role in roles if isinstance(role, str) and role in mapping)


def list_role_scopes(roles: Iterable[str], settings: Settings) -> frozenset[str]:
    """The scopes that these roles have today; all tools where no role claim is configured."""
    if not settings.key("ASSAY_OIDC_ROLE_CLAIM"):
        return ALL_TOOLS
    mapping = _parse_role_mapping(settings)
    return frozenset(scope for role in roles for scope in mapping.get(role, ()))


def _parse_role_mapping(settings: Settings) -> dict[str, list[str]]:
    try:
        mapping: dict[str, list[str]] = json.loads(settings.key("ASSAY_OIDC_ROLES") or "{}")
        is_valid = all(isinstance(scopes, list) and all(map(_is_text, scopes)) for scopes in mapping.values())
    except (ValueError, AttributeError):
        is_valid = False
    if not is_valid:
        raise _invalid("ASSAY_OIDC_ROLES", 'set it to an object such as {"readers": ["core"]}')
    return mapping


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _invalid(variable: str, reason: str) -> ConfigError:
    return ConfigError(f"{variable} is not valid; {reason}.", field=variable, action="inform_user")


def _key(state: str) -> str:
    return f"oauth/sso/{digest(state)}"
