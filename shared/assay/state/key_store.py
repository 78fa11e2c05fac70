"""API keys in the table: one row a key, under the SHA-256 of the key, which itself is stored nowhere.

Checking a key costs one strongly consistent read. A revoked key has no row, so it is refused everywhere at once.
"""

import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, Self

from assay.errors import InvalidInput, NotFound
from assay.state.best_effort_writes import attempt_to_store
from assay.state.json_documents import Document, encode, save
from assay.state.ports import Conflict, TableItem, TableStore
from assay.state.table_rows import query_all

KEY_PREFIX = "assaykey_"  # tells keys of the table from other credentials, and lets scanners recognize them
PARTITION = "api-keys"
KEY_LENGTH = len(KEY_PREFIX) + 43
ID_LENGTH = 16  # characters of the digest that name a key
NAME = re.compile(r"[A-Za-z0-9._@-]{1,128}")
SCOPE = re.compile(r"\*|tool:\*|(tool:)?[a-z0-9_]{1,64}")
USE_SECONDS = 3600  # the last use of a key is recorded once an hour at most


class KeyAccount(NamedTuple):
    """The account of the identity provider with which a person made a key."""

    name: str
    roles: tuple[str, ...]


@dataclass(frozen=True)
class StoredKey:
    """A key of the table without its secret. Times are in epoch seconds; `expires` and `used` may be None."""

    digest: str
    name: str
    tenant: str
    user: str
    scopes: frozenset[str]
    read_only: bool = False
    created: float = 0.0
    expires: float | None = None
    used: float | None = None
    parent: str = ""  # the digest of the key that its owner had signed in with; the key is worth nothing without that
    account: KeyAccount | None = None  # the account that its owner had signed in with; the key is worth no more

    @property
    def id(self) -> str:
        return self.digest[:ID_LENGTH]

    def to_document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "tenant": self.tenant,
            "user": self.user,
            "scopes": sorted(self.scopes),
            "readOnly": self.read_only,
            "created": self.created,
            "expires": self.expires,
            "used": self.used,
            **({"parent": self.parent} if self.parent else {}),
            **({"account": self.account} if self.account else {}),
        }

    @classmethod
    def from_item(cls, item: TableItem) -> Self:
        row: Document = json.loads(item.value)
        account = row.get("account")
        return cls(
            item.sort,
            row["name"],
            row["tenant"],
            row["user"],
            frozenset(row["scopes"]),
            row["readOnly"],
            row["created"],
            row["expires"],
            row["used"],
            row.get("parent", ""),
            KeyAccount(account[0], tuple(account[1])) if account else None,
        )


def is_stored_key(sent: str | None) -> bool:
    """Whether the credential has the form of a key of the table."""
    return sent is not None and sent.startswith(KEY_PREFIX)


def build_key(
    name: str,
    now: float,
    *,
    tenant: str | None = None,
    user: str | None = None,
    scopes: Iterable[str] = (),
    read_only: bool = False,
    seconds: float | None = None,
    parent: str = "",
    account: KeyAccount | None = None,
) -> tuple[str, StoredKey]:
    """A new secret, and the key that accepts it for `seconds` or for ever. Raises InvalidInput."""
    secret = KEY_PREFIX + secrets.token_urlsafe(32)
    allowed = frozenset(scopes) or frozenset({"*"})
    for field, value in (("name", name), ("tenant", tenant or name), ("user", user or name)):
        if not NAME.fullmatch(value):
            raise InvalidInput(f"The {field} has 1 to 128 letters, digits and . _ @ - only.", field=field)
    for scope in allowed:
        if not SCOPE.fullmatch(scope):
            raise InvalidInput(
                "A scope is `*`, `tool:*`, `tool:<name>`, the name of a toolset or `admin`.", field="scope"
            )
    expires = None if seconds is None else now + seconds
    return secret, StoredKey(
        sha256(secret.encode()).hexdigest(),
        name,
        tenant or name,
        user or name,
        allowed,
        read_only,
        now,
        expires,
        parent=parent,
        account=account,
    )


async def save_key(table: TableStore, key: StoredKey) -> None:
    await save(table, PARTITION, key.digest, key.to_document(), until=key.expires)


async def check_key(table: TableStore, sent: str, now: float) -> StoredKey | None:
    """The key that was sent, if it is known, neither expired nor revoked. Records the use of the key."""
    item = await table.get(PARTITION, sha256(sent[: KEY_LENGTH + 1].encode(errors="replace")).hexdigest())
    if item is None:
        return None
    key = StoredKey.from_item(item)
    if key.used is None or now - key.used >= USE_SECONDS:
        with attempt_to_store("key"):
            await _record_use(table, key, item.version, now)
    return key


async def _record_use(table: TableStore, key: StoredKey, version: int, now: float) -> None:
    document = key.to_document() | {"used": now}
    try:
        await table.put(PARTITION, key.digest, encode(document), until=key.expires, expect=version)
    except Conflict:  # another call recorded it, or the key was revoked meanwhile
        return


async def find_key(table: TableStore, digest: str) -> StoredKey | None:
    """The live key with this digest."""
    item = await table.get(PARTITION, digest)
    return None if item is None else StoredKey.from_item(item)


async def list_keys(table: TableStore) -> list[StoredKey]:
    """All live keys, the oldest first."""
    keys = [StoredKey.from_item(item) for item in await query_all(table, PARTITION)]
    return sorted(keys, key=lambda key: (key.created, key.digest))


async def has_keys(table: TableStore) -> bool:
    """Whether any key of the table is live."""
    return bool((await table.query(PARTITION, limit=1)).items)


async def find_key_by_id(table: TableStore, identifier: str) -> StoredKey | None:
    """The live key with this id."""
    if re.fullmatch(rf"[0-9a-f]{{{ID_LENGTH}}}", identifier):
        for item in (await table.query(PARTITION, identifier, limit=1)).items:
            return StoredKey.from_item(item)
    return None


async def revoke_key(table: TableStore, identifier: str) -> StoredKey:
    """Delete the key with this id. Raises NotFound."""
    key = await find_key_by_id(table, identifier)
    if key is None:
        raise NotFound("No key has this id. `assay key list` shows the ids.", field="id")
    await table.delete(PARTITION, key.digest)
    return key
