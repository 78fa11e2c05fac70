"""Verifies the audit streams in the bucket with object lock against their seals and their heads in the table."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.aws.audit_stream import KEY, LOST, STREAMS
from assay.aws.service_calls import ServiceCalls
from assay.state.audit_seal import parse_line
from assay.state.concurrent_map import map_concurrently
from assay.state.installation_keys import load_or_create_key
from assay.state.json_documents import Document
from assay.state.ports import TableStore
from assay.state.table_rows import query_all

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

AT_ONCE, MAX_PROBLEMS = 16, 20


class _Version(NamedTuple):
    """A version of an object; `id` is "" for a marker that hides the others."""

    id: str
    digest: str


class _Objects:
    """The objects of a bucket with all of their versions."""

    def __init__(self, name: str) -> None:
        import boto3  # only operators list versions, who also need its profiles

        self._name = name
        self._remote: ServiceCalls[S3Client] = ServiceCalls("s3", boto3.client("s3"))

    async def list_streams(self) -> dict[str, dict[str, list[_Version]]]:
        """The versions of each object, the newest first, by stream and name."""
        return await self._remote.ask(self._list)

    def _list(self, s3: "S3Client") -> dict[str, dict[str, list[_Version]]]:
        found: dict[str, dict[str, list[_Version]]] = {}
        for page in s3.get_paginator("list_object_versions").paginate(Bucket=self._name):
            for each in page.get("Versions", []):
                objects = found.setdefault(each["Key"].partition("/")[0], {})
                objects.setdefault(each["Key"], []).append(_Version(each["VersionId"], each["ETag"]))
            for marker in page.get("DeleteMarkers", []):
                objects = found.setdefault(marker["Key"].partition("/")[0], {})
                objects.setdefault(marker["Key"], []).append(_Version("", ""))
        return found

    async def read(self, name: str, version: str) -> bytes:
        def get(s3: "S3Client") -> bytes:
            with s3.get_object(Bucket=self._name, Key=name, VersionId=version)["Body"] as body:
                return body.read()

        return await self._remote.ask(get)

    async def close(self) -> None:
        await self._remote.close()


async def verify_streams(bucket: str, table: TableStore, *, now: float, retention_seconds: float) -> dict[str, Any]:
    """Verify all streams and return the report."""
    keys = [await load_or_create_key(table, KEY)]
    objects = _Objects(bucket)
    try:
        heads = {row.sort: json.loads(row.value) for row in await query_all(table, STREAMS)}
        streams = await objects.list_streams()  # after the heads: each of their events has its object
        heads |= await _load_new_heads(table, streams.keys() - heads.keys())
        oldest = now - retention_seconds if retention_seconds else 0.0
        checks = [_StreamCheck(keys, name, heads.get(name), oldest) for name in sorted(streams.keys() | heads.keys())]
        for check in checks:
            await check.read(objects, streams.get(check.stream, {}))
    finally:
        await objects.close()
    problems = [problem for check in checks for problem in check.problems]
    return {
        "intact": not problems,
        "streams": len(checks),
        "events": sum(check.events for check in checks),
        "lost": sum(check.lost for check in checks),
        "problems": problems[:MAX_PROBLEMS],
    }


async def _load_new_heads(table: TableStore, streams: Iterable[str]) -> dict[str, Document]:
    """Load the heads of streams that began meanwhile, as at their beginning: their events were not all listed."""
    rows = await map_concurrently(lambda stream: table.get(STREAMS, stream), streams, limit=AT_ONCE)
    return {row.sort: json.loads(row.value) | {"number": 0, "seal": ""} for row in rows if row is not None}


class _StreamCheck:
    """What was read of a stream so far. Objects of a stream that began before `oldest` may have expired."""

    def __init__(self, keys: Sequence[bytes], stream: str, head: Document | None, oldest: float) -> None:
        self.stream, self._keys, self._head = stream, keys, head
        self._may_expire = head is not None and head["began"] < oldest
        self.events = self.lost = self._number = 0
        self._seal = ""
        self.problems: list[str] = []

    async def read(self, objects: _Objects, versions: dict[str, list[_Version]]) -> None:
        written: list[tuple[str, str]] = []
        for name, each in sorted(versions.items()):
            kept = [version for version in each if version.id]
            if len(kept) < len(each) and not self._may_expire:
                self.problems.append(f"{name} was deleted; its versions are verified as far as they are left.")
            if len({version.digest for version in kept}) > 1:
                self.problems.append(f"{name} was overwritten; its first version is verified.")
            if kept:
                written.append((name, kept[-1].id))
        for start in range(0, len(written), AT_ONCE):
            some = written[start : start + AT_ONCE]
            bodies = await map_concurrently(lambda each: objects.read(*each), some, limit=AT_ONCE)
            for (name, _), body in zip(some, bodies, strict=True):
                for count, line in enumerate(body.splitlines(keepends=True), 1):
                    self._follow(f"{name}, line {count}", line)
        self._finish()

    def _follow(self, place: str, line: bytes) -> None:
        self.events += 1
        event = parse_line(self._keys, line)
        if event is None or event["stream"] != self.stream:
            self.problems.append(f"{place}: the line was changed, or not written by this installation.")
            return
        number, begins = event["number"], not self._seal
        if (number, event["prev_hash"]) != (self._number + 1, self._seal) and not (begins and self._may_expire):
            self.problems.append(f"{place}: event {number} follows event {self._number}: events are missing.")
        self._number, self._seal = number, event["hash"]
        if event.get("event_type") == LOST:
            self.lost += event["metadata"]["count"]

    def _finish(self) -> None:
        head = self._head
        if head is None:
            self.problems.append(f"{self.stream}: the table has no head, so events at the end may have been deleted.")
        elif self._number < head["number"] and not (self._may_expire and not self.events):
            self.problems.append(f"{self.stream} ends with event {self._number}, but {head['number']} were written.")
        elif self._number == head["number"] and self._seal != head["seal"]:
            self.problems.append(f"{self.stream}: event {self._number} is another one than was written.")
