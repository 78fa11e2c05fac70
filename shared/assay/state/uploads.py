"""Uploads: documents too large for a request, which callers send to an address of their own and then name by id.

An upload belongs to one person: others who know its id find nothing.
"""

import json
import re
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass

from assay.errors import ConfigError, InvalidInput, NotFound
from assay.state.event_loop import run_blocking
from assay.state.ports import Bucket, TableStore, UploadAddress, UploadTarget
from assay.state.rate_limit import LimitCounters, LimitRule, count_request
from assay.state.table_rows import hash_names, query_all

MAX_BYTES = 50_000_000  # of the largest document that is read
ADDRESS_SECONDS, SECONDS = 15 * 60, 86_400  # how long an address takes the document, and how long it is kept
IDENTITY = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Upload:
    """A document that a person sends: `parts` objects, and times in epoch seconds."""

    id: str
    filename: str
    content_type: str
    size: int
    parts: int
    until: float


def build_uploads_key(tenant: str, user: str) -> str:
    """Return the key of the rows of a person's uploads."""
    return f"upload/{hash_names(tenant, user)}"


def list_object_names(tenant: str, user: str, upload: Upload) -> list[str]:
    """Return the names of the objects of an upload."""
    return [f"{build_uploads_key(tenant, user)}/{upload.id}/{number}" for number in range(upload.parts)]


async def list_uploads(table: TableStore, tenant: str, user: str) -> list[Upload]:
    """Return the uploads of a person, whether or not the documents have been sent."""
    rows = await query_all(table, build_uploads_key(tenant, user))
    return [Upload(**json.loads(row.value)) for row in rows]


@dataclass(frozen=True)
class UploadStore:
    """The uploads of one person. `target` is None where nothing takes any."""

    table: TableStore
    bucket: Bucket
    target: UploadTarget | None
    tenant: str
    user: str
    clock: Callable[[], float]

    async def open(
        self, filename: str, content_type: str, size: int, counters: LimitCounters, per_day: int
    ) -> tuple[Upload, UploadAddress, float]:
        """Return a new upload, the address to send it to, and when that address ends.

        Raises QuotaExceeded if the person has opened `per_day` of them today, ConfigError without a target.
        """
        if self.target is None:
            raise ConfigError(
                "Uploads need a server, and none runs here. Start `assay serve`, or pass the document itself.",
                action="inform_user",
            )
        now = self.clock()
        if per_day:
            counted = f"uploads-of-user/{self.tenant}/{self.user}"
            rule = LimitRule("uploads-day", counted, per_day, 86_400, "the user's uploads")
            await count_request(counters, rule, now)
        parts = -(-size // self.target.part_bytes)
        upload = Upload(secrets.token_hex(16), filename, content_type, size, parts, now + SECONDS)
        row = build_uploads_key(self.tenant, self.user), upload.id
        await self.table.put(*row, json.dumps(asdict(upload)).encode(), until=upload.until)
        ends = now + ADDRESS_SECONDS
        address = await self.target.open(
            "/".join(row), row=row, size=size, content_type=content_type, ends=ends, until=upload.until
        )
        return upload, address, ends

    async def read(self, identity: str, max_bytes: int = MAX_BYTES) -> tuple[Upload, bytes]:
        """Return the upload and its document.

        Raises NotFound for an unknown or expired one, and until all of it was sent; InvalidInput above `max_bytes`.
        """
        key = build_uploads_key(self.tenant, self.user)
        row = await self.table.get(key, identity) if IDENTITY.fullmatch(identity) else None
        if row is None:
            raise NotFound(
                f"The upload {identity[:40]!r} does not exist; they expire after a day. Open one with create_upload.",
                field="upload_id",
            )
        upload = Upload(**json.loads(row.value))
        if upload.size > max_bytes:
            raise InvalidInput(f"The upload has {upload.size:,} bytes (limit {max_bytes:,}).", field="upload_id")
        body = bytearray()
        for name in list_object_names(self.tenant, self.user, upload):
            if (part := await self.bucket.get(name)) is None:
                raise NotFound(
                    "The document of this upload has not been sent, or not completely. Send it with PUT to the "
                    "address that create_upload returned.",
                    field="upload_id",
                )
            body += part
        return upload, bytes(body)

    async def read_text(self, identity: str, max_bytes: int = MAX_BYTES) -> str:
        """Return the text of an upload, in whatever encoding it was sent. Raises what `read` raises."""
        from assay.text.decode import decode

        _, body = await self.read(identity, max_bytes)
        return await run_blocking(decode, body)
