"""Artifacts: large answers, stored for 30 minutes under their SHA-256 digest and read in pages."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from assay.errors import NotFound
from assay.state.owned_data import record_owner
from assay.state.ports import Bucket, TableStore
from assay.state.table_rows import hash_names
from assay.text.digest import SUMMARY_BYTES, shorten
from assay.text.json_encoding import encode_json
from assay.text.truncate import cut

SECONDS = 30 * 60
KIND = "artifact"  # in the index of what a person owns
READ_MORE = "\n\nread_artifact pages the whole answer; so does the resource."
SHORT_TEXT = 300  # characters; shorter texts of an answer are included beside the link
SCHEME = "research://artifact/"
IDENTITY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Artifact:
    """A stored answer."""

    id: str
    size: int  # bytes
    until: float  # epoch second

    @property
    def uri(self) -> str:
        return SCHEME + self.id


def build_name(tenant: str, identity: str) -> str:
    """Return the name of the object of an artifact."""
    # With the tenant in the name, a known digest gives no access to the text of another tenant.
    return f"artifact/{hashlib.sha256(tenant.encode()).hexdigest()[:32]}/{identity}"


def build_owners_key(tenant: str, identity: str) -> str:
    """Return the key of the rows that name the people of the tenant who have this artifact."""
    return f"artifact-owners/{hash_names(tenant, identity)}"


async def store_for(table: TableStore, bucket: Bucket, tenant: str, user: str, body: bytes, now: float) -> Artifact:
    """Store the JSON `body` as this person's. Others of the tenant may have the same one."""
    name, until = hashlib.sha256(body).hexdigest(), now + SECONDS
    await record_owner(table, tenant, user, KIND, name, until=until)
    await table.put(build_owners_key(tenant, name), hash_names(tenant, user), b"{}", until=until)
    return await store(bucket, tenant, body, now)


async def store(bucket: Bucket, tenant: str, body: bytes, now: float) -> Artifact:
    """Store the JSON `body` for 30 minutes from `now`. Equal bodies have equal ids."""
    artifact = Artifact(hashlib.sha256(body).hexdigest(), len(body), now + SECONDS)
    await bucket.put(build_name(tenant, artifact.id), body, content_type="application/json", until=artifact.until)
    return artifact


def build_link(
    wire: Mapping[str, Any], text: str, short: tuple[str, Mapping[str, Any]], artifact: Artifact
) -> dict[str, Any]:
    """The JSON that replaces the answer `wire`: link, summary, and the answer's numbers, flags and short texts."""
    summary, extras = short
    until = datetime.fromtimestamp(artifact.until, UTC)
    link = {
        "linked": True,
        "resource": artifact.uri,
        "bytes": artifact.size,
        "mimeType": "application/json",
        "summary": shorten(summary or text, SUMMARY_BYTES) + READ_MORE,
        "expiresAt": f"{until:%Y-%m-%dT%H:%M:%SZ}",
    }
    return {name: value for name, value in wire.items() if _is_short(value)} | dict(extras) | link


def cut_text(text: str, room: int, artifact: Artifact) -> str:
    """The beginning of an answer's text, at most `room` bytes as JSON, ending with how to read the rest."""
    note = (
        f"\n\nstructuredContent has the whole answer, and read_artifact pages it, or read the resource {artifact.uri}"
    )
    limit, shortened = room, text + note
    while (size := measure_json(shortened)) > room:
        limit = min(limit * room // size, limit - 100)
        shortened = cut(text, limit).text + note
    return shortened


def measure_answer(wire: Mapping[str, Any], text: str | None) -> int:
    """The bytes of an answer over MCP, which has it as JSON and as text; without a text of its own as JSON twice."""
    body = encode_json(wire)
    return len(body) + measure_json(body.decode() if text is None else text)


def measure_json(text: str) -> int:
    """The size in bytes of the text as a JSON string."""
    return len(encode_json(text))


def _is_short(value: Any) -> bool:
    return len(value) <= SHORT_TEXT if isinstance(value, str) else isinstance(value, int | float)


async def read(bucket: Bucket, tenant: str, identity: str) -> str:
    """The text of an artifact, by id or URI. Raises NotFound when it is unknown, expired or another tenant's."""
    identity = identity.removeprefix(SCHEME)
    body = await bucket.get(build_name(tenant, identity)) if IDENTITY.fullmatch(identity) else None
    if body is None:
        raise NotFound(
            f"The artifact {identity[:70]!r} does not exist; artifacts expire after 30 minutes. Call the tool again.",
            field="id",
        )
    return body.decode()
