"""Bearer keys (RFC 6750): those whose SHA-256 digests are configured, and those of the table."""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from assay.caller import Caller
from assay.errors import Misconfigured, Unauthenticated
from assay.oauth.scopes import narrow
from assay.services import Services
from assay.state.key_store import StoredKey, check_key, find_key, is_stored_key

NAME = re.compile(r"[A-Za-z0-9._@-]{1,128}")
DIGEST = re.compile(r"[0-9a-f]{64}")
MAX_KEY_LENGTH = 512  # characters; limits the work of hashing


@dataclass(frozen=True)
class ApiKey:
    """One accepted key. Two keys may have the same name, which allows rotation without downtime."""

    name: str
    digest: str
    caller: Caller


@dataclass(frozen=True)
class KeyRing:
    """All accepted keys; an empty ring accepts none."""

    keys: tuple[ApiKey, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.keys)

    def find_digest(self, digest: str) -> Caller | None:
        """The caller whose key has this digest; None if it was removed."""
        return next((key.caller for key in self.keys if key.digest == digest), None)

    def caller(self, sent: str) -> Caller:
        """The caller with this key. Compares every entry in constant time. Raises Unauthenticated."""
        digest = hashlib.sha256(sent[:MAX_KEY_LENGTH].encode(errors="replace")).hexdigest()
        caller: Caller | None = None
        for key in self.keys:
            if hmac.compare_digest(digest, key.digest):
                caller = key.caller
        if caller is None or len(sent) > MAX_KEY_LENGTH:
            raise _invalid_key()
        return caller


def _invalid_key() -> Unauthenticated:
    return Unauthenticated("The key is not valid. Ask the operator for one.")


async def identify_key(sent: str, keys: KeyRing, services: Services) -> Caller:
    """The caller with this key of the ring or of the table. Raises Unauthenticated."""
    if not is_stored_key(sent):
        return keys.caller(sent)
    key = await check_key(services.table, sent, services.clock())
    caller = None if key is None else await _find_caller(key, keys, services)
    if caller is None:
        raise _invalid_key()
    return caller


async def find_key_owner(digest: str, keys: KeyRing, services: Services) -> Caller | None:
    """The caller whose key has this digest; None if it expired, or was removed more than seconds ago."""
    owner = keys.find_digest(digest)
    if owner is not None:
        return owner
    stored = services.recent_keys.get(digest) or await find_key(services.table, digest)
    if stored is None:
        return None
    services.recent_keys.setdefault(digest, stored)
    return await _find_caller(stored, keys, services)


async def _find_caller(key: StoredKey, keys: KeyRing, services: Services) -> Caller | None:
    """The caller with this key; None if the key or account that it rests on is not accepted any more."""
    scopes, is_read_only = key.scopes, key.read_only
    if key.parent:
        parent = await find_key_owner(key.parent, keys, services)
        if parent is None:
            return None
        scopes, is_read_only = narrow(scopes, parent.scopes), is_read_only or parent.read_only
    if key.account is not None:
        from assay.oauth import identity_provider  # for fast cold starts

        owned = identity_provider.list_account_scopes(*key.account, services.settings)
        if not owned:
            return None
        scopes = narrow(scopes, owned)
    return Caller(key.tenant, key.user, scopes, key.name, read_only=is_read_only)


def _invalid(reason: str) -> Misconfigured:
    return Misconfigured(
        f"ASSAY_API_KEYS {reason}. Set it to a JSON list such as "
        '[{"name":"ada-laptop","sha256":"<64 hex>","tenant":"acme","user":"ada","scopes":["*"]}]; '
        "`assay key` makes an entry.",
        field="ASSAY_API_KEYS",
    )


@lru_cache(maxsize=8)
def ring(text: str) -> KeyRing:
    """Parse the JSON of ASSAY_API_KEYS. Raises Misconfigured, whose message never contains the text."""
    if not text.strip():
        return KeyRing()
    try:
        entries = json.loads(text)
    except ValueError:
        raise _invalid("is not JSON") from None
    if not isinstance(entries, list):
        raise _invalid("is not a list")
    return KeyRing(tuple(_key(entry, place) for place, entry in enumerate(entries)))


def _key(entry: object, place: int) -> ApiKey:
    if not isinstance(entry, Mapping):
        raise _invalid(f"has an entry that is not an object at index {place}")
    name, digest = entry.get("name"), entry.get("sha256")
    tenant, user, scopes = entry.get("tenant", name), entry.get("user", name), entry.get("scopes", ["*"])
    for label, value in (("name", name), ("tenant", tenant), ("user", user)):
        if not isinstance(value, str) or not NAME.fullmatch(value):
            raise _invalid(f"lacks a valid {label} at index {place}")
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest.lower()):
        raise _invalid(f"lacks a sha256 of 64 hexadecimal digits at index {place}")
    if not isinstance(scopes, list) or not all(isinstance(scope, str) for scope in scopes):
        raise _invalid(f"has scopes that are not a list of strings at index {place}")
    read_only = entry.get("readOnly", False)
    if not isinstance(read_only, bool):
        raise _invalid(f"has a readOnly that is neither true nor false at index {place}")
    caller = Caller(str(tenant), str(user), frozenset(scopes), str(name), read_only=read_only)
    return ApiKey(str(name), digest.lower(), caller)


def get_key_digest(key: str) -> str:
    """The SHA-256 of a key, as the ring holds it."""
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def bearer(headers: Mapping[str, str]) -> str | None:
    """The key of `Authorization: Bearer …`, from headers with lower-case names."""
    kind, _, key = headers.get("authorization", "").strip().partition(" ")
    return key.strip() if kind.lower() == "bearer" and key.strip() else None
