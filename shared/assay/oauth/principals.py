"""Who signed in: what codes, sessions and grants record of a person."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Self

NAME = re.compile(r"[A-Za-z0-9._@-]{1,128}")


@dataclass(frozen=True)
class Principal:
    """A person of a tenant with the scopes that they may pass on.

    `key` is the digest of the API key they showed; `roles` are those that the identity provider named.
    """

    tenant: str
    user: str
    scopes: frozenset[str]
    name: str = ""
    key: str = ""
    roles: tuple[str, ...] = ()

    def to_document(self) -> dict[str, Any]:
        return {
            "tenant": self.tenant,
            "user": self.user,
            "scopes": sorted(self.scopes),
            "name": self.name,
            "key": self.key,
            "roles": list(self.roles),
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Self:
        return cls(
            document["tenant"],
            document["user"],
            frozenset(document["scopes"]),
            document["name"],
            document["key"],
            tuple(document.get("roles", ())),  # rows of earlier releases have none
        )


def to_name(value: object) -> str:
    """The value as the name of a tenant or user: as it is, or a digest if it has other characters than names have."""
    text = str(value)
    return text if NAME.fullmatch(text) else "id-" + hashlib.sha256(text.encode()).hexdigest()[:40]
