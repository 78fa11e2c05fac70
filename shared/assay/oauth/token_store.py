"""Access tokens in the table. Checking one costs a single strongly consistent read; revoking one deletes its row."""

from dataclasses import dataclass
from typing import Any

from assay.oauth.principals import Principal
from assay.oauth.secret_values import ACCESS, LONGEST, digest
from assay.state.json_documents import load, save
from assay.state.ports import TableStore

ACCESS_SECONDS = 3600


@dataclass(frozen=True)
class AccessToken:
    """What an access token allows, and whom. `resource` is the audience (RFC 8707)."""

    principal: Principal
    scopes: frozenset[str]
    resource: str
    client: str
    grant: str

    def to_document(self) -> dict[str, Any]:
        return {
            "principal": self.principal.to_document(),
            "scopes": sorted(self.scopes),
            "resource": self.resource,
            "client": self.client,
            "grant": self.grant,
        }


def is_access_token(sent: str) -> bool:
    """Whether the credential has the form of an access token of this server."""
    return sent.startswith(ACCESS)


async def load_token(table: TableStore, sent: str) -> AccessToken | None:
    """The token, if it is known, neither expired nor revoked."""
    if len(sent) > LONGEST:
        return None
    row = await load(table, token_key(digest(sent)))
    if row is None:
        return None
    principal = Principal.from_document(row["principal"])
    return AccessToken(principal, frozenset(row["scopes"]), row["resource"], row["client"], row["grant"])


async def save_token(table: TableStore, hashed: str, token: AccessToken, until: float) -> None:
    await save(table, token_key(hashed), "-", token.to_document(), until=until)


def token_key(hashed: str) -> str:
    """The key of the row of an access token with this digest."""
    return f"oauth/token/{hashed}"
