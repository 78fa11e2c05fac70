"""Who is asking: a bearer key whose SHA-256 is configured. OAuth will come in by this same seam."""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from assay.context import Caller
from assay.errors import ConfigError, Unauthenticated

NAME = re.compile(r"[A-Za-z0-9._@-]{1,128}")
DIGEST = re.compile(r"[0-9a-f]{64}")
LONGEST = 512  # characters of a key: more is not a key but a load


@dataclass(frozen=True)
class ApiKey:
    """One accepted key. Rotation: two entries of one name, until the old one is taken out."""

    name: str
    digest: str
    caller: Caller


@dataclass(frozen=True)
class KeyRing:
    """All accepted keys; an empty ring opens to nobody."""

    keys: tuple[ApiKey, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.keys)

    def caller(self, shown: str) -> Caller:
        """Who shows this key. Every entry is compared in constant time, the right one last or first alike."""
        digest = hashlib.sha256(shown[:LONGEST].encode(errors="replace")).hexdigest()
        found: Caller | None = None
        for key in self.keys:
            if hmac.compare_digest(digest, key.digest):
                found = key.caller
        if found is None or len(shown) > LONGEST:
            raise Unauthenticated("This key is not known here. Ask the operator for one.")
        return found


def _wrong(reason: str) -> ConfigError:
    return ConfigError(
        f"ASSAY_API_KEYS {reason}. It is a JSON list such as "
        '[{"name":"ada-laptop","sha256":"<64 hex>","tenant":"acme","user":"ada","scopes":["*"]}]; '
        "`assay key` makes an entry.",
        field="ASSAY_API_KEYS",
        action="inform_user",
    )


@lru_cache(maxsize=8)
def ring(text: str) -> KeyRing:
    """The ring that the JSON text describes. Raises ConfigError, which never repeats the text."""
    if not text.strip():
        return KeyRing()
    try:
        entries = json.loads(text)
    except ValueError:
        raise _wrong("is not JSON") from None
    if not isinstance(entries, list):
        raise _wrong("is not a list")
    return KeyRing(tuple(_key(entry, place) for place, entry in enumerate(entries)))


def _key(entry: object, place: int) -> ApiKey:
    if not isinstance(entry, Mapping):
        raise _wrong(f"holds something else than an object at place {place}")
    name, digest = entry.get("name"), entry.get("sha256")
    tenant, user, scopes = entry.get("tenant", name), entry.get("user", name), entry.get("scopes", ["*"])
    for label, value in (("name", name), ("tenant", tenant), ("user", user)):
        if not isinstance(value, str) or not NAME.fullmatch(value):
            raise _wrong(f"lacks a plain {label} at place {place}")
    if not isinstance(digest, str) or not DIGEST.fullmatch(digest.lower()):
        raise _wrong(f"lacks a sha256 of 64 hexadecimal digits at place {place}")
    if not isinstance(scopes, list) or not all(isinstance(scope, str) for scope in scopes):
        raise _wrong(f"has scopes that are no list of words at place {place}")
    return ApiKey(str(name), digest.lower(), Caller(str(tenant), str(user), frozenset(scopes), str(name)))


def bearer(headers: Mapping[str, str]) -> str | None:
    """The key of `Authorization: Bearer …`, from headers with lower-case names."""
    kind, _, key = headers.get("authorization", "").strip().partition(" ")
    return key.strip() if kind.lower() == "bearer" and key.strip() else None


def authenticate(headers: Mapping[str, str], keys: KeyRing) -> Caller:
    """The caller behind the headers. Raises Unauthenticated without a known key; headers are never repeated."""
    shown = bearer(headers)
    if shown is None:
        raise Unauthenticated(
            "Send a key in the header `Authorization`, behind the word `Bearer`. Ask the operator for one."
        )
    return keys.caller(shown)
