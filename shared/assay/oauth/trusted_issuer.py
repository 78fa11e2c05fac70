"""Access tokens that an issuer of the operator's signs (RFC 9068): verified here, without a call to the issuer."""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.errors import NotFound, UpstreamFailed
from assay.oauth.key_sets import KeySet, KeySetCache
from assay.oauth.principals import Principal, to_name
from assay.oauth.scopes import ADMIN
from assay.oauth.signed_tokens import ACCESS_TYPES, InvalidToken, UnknownKey, check_claims, verify_token
from assay.settings import Settings
from assay.state.json_documents import save
from assay.state.ports import TableStore

if TYPE_CHECKING:  # imported by the calls that need it, for fast cold starts
    from assay.net.provider_client import ProviderClient

PROVIDER = "token-issuer"
METADATA_BYTES = 256 * 1024
EVERYTHING = frozenset({"tool:*"})


@dataclass
class TrustedIssuer:
    """The issuer of OAUTH_ISSUER_URL. One per process, which keeps its keys in memory."""

    settings: Settings
    http: "ProviderClient"
    table: TableStore
    clock: Callable[[], float]

    @cached_property
    def keys(self) -> KeySetCache:
        return KeySetCache(self._fetch_keys, self.settings.jwks_seconds)

    async def verify(self, sent: str, audiences: Collection[str]) -> Principal:
        """Who the token stands for. Raises InvalidToken, or ToolError when the issuer's keys cannot be fetched."""
        claims = await self._read_claims(sent, audiences)
        if (jti := claims.get("jti")) is not None and await self.table.get(self._revocation_key(jti)) is not None:
            raise InvalidToken("it was revoked")
        return Principal(
            to_name(claims.get("tenant_id") or "default"),
            to_name(claims.get("sub") or "anonymous"),
            self._read_scopes(claims),
        )

    async def revoke(self, sent: str, audiences: Collection[str]) -> None:
        """Refuse this token, by its `jti`, from now on. Raises InvalidToken for one that is not valid anyway."""
        claims = await self._read_claims(sent, audiences)
        if (jti := claims.get("jti")) is not None:
            await save(self.table, self._revocation_key(jti), "-", {}, until=float(claims["exp"]) + 120)

    async def _read_claims(self, sent: str, audiences: Collection[str]) -> dict[str, Any]:
        try:
            claims = verify_token(sent, await self.keys.get(), ACCESS_TYPES)
        except UnknownKey:  # the issuer may have rotated its keys
            claims = verify_token(sent, await self.keys.get(renew=True), ACCESS_TYPES)
        configured = self.settings.issuer_audience
        accepted = {configured} if configured else set(audiences)
        check_claims(claims, issuer=self.settings.issuer_url, audiences=accepted, now=self.clock())
        return claims

    def _read_scopes(self, claims: Mapping[str, Any]) -> frozenset[str]:
        """The scopes of `scope` and `scp`; all tools where scopes are not enforced or the token has neither claim."""
        if not self.settings.enforce_scopes or ("scope" not in claims and "scp" not in claims):
            return EVERYTHING | frozenset(self.settings.required_scopes) - {ADMIN}
        words: set[str] = set()
        for value in (claims.get("scope"), claims.get("scp")):
            words |= set(value.split()) if isinstance(value, str) else set()
            words |= {one for one in value if isinstance(one, str)} if isinstance(value, list) else set()
        return frozenset(words - {"*"})

    async def _fetch_keys(self) -> KeySet:
        issuer = self.settings.issuer_url.rstrip("/")
        address = f"{issuer}/.well-known/jwks.json"
        try:
            metadata = await fetch_json(self.http, f"{issuer}/.well-known/openid-configuration")
        except NotFound:
            metadata = {"issuer": self.settings.issuer_url, "jwks_uri": address}
        if metadata.get("issuer") != self.settings.issuer_url:
            raise UpstreamFailed("The metadata at OAUTH_ISSUER_URL names another issuer.", provider=PROVIDER)
        return await fetch_json(self.http, check_address(metadata.get("jwks_uri"), self.settings.issuer_url))

    def _revocation_key(self, jti: object) -> str:
        text = f"{self.settings.issuer_url}\0{jti}"
        return f"oauth/revoked/{hashlib.sha256(text.encode()).hexdigest()}"


def check_address(address: object, issuer: str) -> str:
    """An address in an issuer's metadata; https, unless the issuer itself is not. Raises UpstreamFailed."""
    schemes = ("https://",) if issuer.startswith("https://") else ("https://", "http://")
    if not isinstance(address, str) or not address.startswith(schemes):
        raise UpstreamFailed("The issuer's metadata lacks an https address.", provider=PROVIDER)
    return address


async def fetch_json(http: "ProviderClient", url: str) -> dict[str, Any]:
    """The JSON object at an address of a configured issuer. Raises ToolError."""
    got = await http.request(PROVIDER, "GET", url, cap=METADATA_BYTES, seconds=5.0)
    if not isinstance(got.body, dict):
        raise UpstreamFailed("The issuer's answer is not a JSON object.", provider=PROVIDER)
    return got.body
