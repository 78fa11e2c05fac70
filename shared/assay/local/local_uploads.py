"""One-time addresses at the local server, to which callers send documents."""

import hashlib
import json
import secrets
from collections.abc import AsyncIterable
from typing import NamedTuple

from assay.errors import InvalidInput, NotFound
from assay.state.ports import Bucket, Conflict, TableStore, UploadAddress

PATH = "/uploads/"
PART_BYTES = 1024 * 1024  # a body is in memory one part at a time


class ExpectedBody(NamedTuple):
    """What an address takes: `row` is the row of the upload, `until` when its objects expire."""

    name: str
    row: tuple[str, str]
    size: int
    content_type: str
    until: float


class LocalUploads:
    """ports.UploadTarget at the server with this address. The table has digests of the secret paths."""

    part_bytes = PART_BYTES

    def __init__(self, table: TableStore, address: str) -> None:
        self._table, self._address = table, address.rstrip("/")

    async def open(
        self, name: str, *, row: tuple[str, str], size: int, content_type: str, ends: float, until: float
    ) -> UploadAddress:
        secret = secrets.token_hex(32)
        expected = ExpectedBody(name, row, size, content_type, until)
        await self._table.put(_build_key(secret), "-", json.dumps(expected).encode(), until=ends)
        return UploadAddress(f"{self._address}{PATH}{secret}", {"content-type": content_type})


async def take_address(table: TableStore, secret: str) -> ExpectedBody:
    """Use up the address. Raises NotFound if it is unknown, used or expired, or its upload was erased."""
    key = _build_key(secret)
    if (found := await table.get(key)) is not None:
        expected = ExpectedBody(*json.loads(found.value))
        try:
            await table.delete(key, expect=found.version)
        except Conflict:  # another request has taken it
            found = None
    if found is None or await table.get(*expected.row) is None:
        raise NotFound("This address accepts no upload: it is unknown, was used, or has expired. Open another upload.")
    return expected


async def store_body(
    table: TableStore, bucket: Bucket, expected: ExpectedBody, content_type: str, pieces: AsyncIterable[bytes]
) -> None:
    """Store the body in parts, one in memory at a time; nothing of a body that does not arrive whole.

    Raises InvalidInput for another type or size, NotFound if the upload was erased meanwhile.
    """
    if content_type.partition(";")[0].strip().lower() != expected.content_type:
        raise InvalidInput(
            f"This address accepts only the type {expected.content_type}. Send that type, or open another upload.",
            field="type",
        )
    try:
        await _store_parts(bucket, expected, pieces)
        await _check_row(table, expected)
    except BaseException:  # also when the client has gone
        for number in range(-(-expected.size // PART_BYTES)):
            await bucket.delete(f"{expected.name}/{number}")
        raise


async def _check_row(table: TableStore, expected: ExpectedBody) -> None:
    if await table.get(*expected.row) is None:
        raise NotFound("The upload was erased while its document was sent. Nothing of it is stored.")


async def _store_parts(bucket: Bucket, expected: ExpectedBody, pieces: AsyncIterable[bytes]) -> None:
    part, count, number = bytearray(), 0, 0
    async for piece in pieces:
        count += len(piece)
        if count > expected.size:
            break
        part += piece
        while len(part) >= PART_BYTES:
            await _put(bucket, expected, number, bytes(part[:PART_BYTES]))
            del part[:PART_BYTES]
            number += 1
    if count != expected.size:
        raise InvalidInput(
            f"This address accepts exactly {expected.size:,} bytes. Send them, or open another upload.", field="size"
        )
    if part:
        await _put(bucket, expected, number, bytes(part))


async def _put(bucket: Bucket, expected: ExpectedBody, number: int, part: bytes) -> None:
    await bucket.put(f"{expected.name}/{number}", part, content_type=expected.content_type, until=expected.until)


def _build_key(secret: str) -> str:
    return f"upload-address/{hashlib.sha256(secret.encode()).hexdigest()}"
