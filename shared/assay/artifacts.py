"""Large answers kept aside for half an hour, named by their digest, read in pages."""

import hashlib
import re
from dataclasses import dataclass

from assay.errors import NotFound
from assay.ports import Bucket

SECONDS = 30 * 60
SCHEME = "research://artifact/"
IDENTITY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Artifact:
    id: str
    size: int  # bytes
    until: float  # epoch second

    @property
    def uri(self) -> str:
        return SCHEME + self.id


def _name(tenant: str, identity: str) -> str:
    # The tenant is in the name, so that knowing a digest does not open another tenant's text.
    return f"artifact/{hashlib.sha256(tenant.encode()).hexdigest()[:32]}/{identity}"


async def store(bucket: Bucket, tenant: str, body: bytes, now: float) -> Artifact:
    """Keep the JSON `body`; equal bodies have equal ids."""
    artifact = Artifact(hashlib.sha256(body).hexdigest(), len(body), now + SECONDS)
    await bucket.put(_name(tenant, artifact.id), body, content_type="application/json", until=artifact.until)
    return artifact


async def read(bucket: Bucket, tenant: str, identity: str) -> str:
    """The text of an artifact, by id or URI. Raises NotFound when it is unknown, expired or another tenant's."""
    identity = identity.removeprefix(SCHEME)
    body = await bucket.get(_name(tenant, identity)) if IDENTITY.fullmatch(identity) else None
    if body is None:
        raise NotFound(
            f"There is no artifact {identity[:70]!r}; they are kept 30 minutes. Ask the tool again.", field="id"
        )
    return body.decode()
