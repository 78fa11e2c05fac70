"""The audit events of this process as a sealed stream: objects in a bucket with object lock, and rows for the webhook.

Each call is written before its answer leaves, because an environment of Lambda may be frozen or ended afterwards. The
table has the head of each stream, so that a deletion of the last objects, or of a whole stream, is detected.
"""

import asyncio
import json
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from typing import Any, NamedTuple

from assay.errors import ToolError
from assay.state import json_documents
from assay.state.audit import Call
from assay.state.audit_seal import Head, seal_line
from assay.state.audit_source import AuditBatch
from assay.state.installation_keys import load_or_create_key
from assay.state.json_documents import Document
from assay.state.ports import Bucket, TableStore
from assay.state.table_rows import delete_rows

log = logging.getLogger("assay")
KEY, STREAMS, OUTBOX = "audit-key", "audit-streams", "audit-outbox"
WAIT_SECONDS = 3.0  # the longest time for which a call waits for its event to be written
BATCH_EVENTS = 200  # of one object; their lines fit a row
SPARE_SECONDS = 7 * 86_400.0  # for which the head of a stream outlives its objects
OUTBOX_SECONDS = 30 * 86_400.0  # after which an event that could not be delivered is dropped
LOST = "audit.lost"


class _Batch(NamedTuple):
    """Sealed lines, and the head of the stream after them. A repeated attempt writes the same bytes."""

    name: str
    body: bytes
    head: Head
    written: int
    lost: int


class AuditStream:
    """An observer that writes sealed events to `bucket`, and to the table if they are delivered to a webhook."""

    def __init__(
        self,
        bucket: Bucket | None,
        table: TableStore,
        *,
        has_webhook: bool,
        retention_seconds: float,
        buffer: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._bucket, self._table, self._clock = bucket, table, clock
        self._has_webhook, self._retention, self._buffer = has_webhook, retention_seconds, buffer
        self._head = Head(secrets.token_hex(8))
        self._waiting: deque[dict[str, Any]] = deque()
        self._lost = 0
        self._key = b""
        self._pending: _Batch | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="audit")

    def __call__(self, call: Call) -> None:
        if len(self._waiting) < self._buffer:
            self._waiting.append(call.event())
        else:
            self._lost += 1
        written: Future[None] = self._thread.submit(lambda: asyncio.run(self._write()))
        wait([written], timeout=WAIT_SECONDS)

    async def _write(self) -> None:
        """Write what waits. After a failure it goes on waiting for the next event."""
        try:
            while self._pending or self._waiting or self._lost:
                if not self._key:
                    self._key = await load_or_create_key(self._table, KEY)
                if not self._head.began:  # first: a stream without a head is evidence of a deletion
                    self._head = self._head._replace(began=self._clock())
                    await self._save_head()
                self._pending = self._pending or self._seal_batch()
                await self._store(self._pending)
        except ToolError as failure:
            log.warning("%d audit events wait, %d are lost: %s", len(self._waiting), self._lost, failure.sentence())

    def _seal_batch(self) -> _Batch:
        head, lines = self._head, []
        events = [self._waiting[number] for number in range(min(BATCH_EVENTS, len(self._waiting)))]
        if lost := self._lost:
            at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")
            events.append({"timestamp": at, "event_type": LOST, "metadata": {"count": lost}})
        for event in events:
            line, head = seal_line([self._key], head, event)
            lines.append(line)
        name = f"{head.stream}/{self._head.number + 1:012}.jsonl"
        return _Batch(name, b"".join(lines), head, len(events) - bool(lost), lost)

    async def _store(self, batch: _Batch) -> None:
        now = self._clock()
        if self._bucket is not None:
            await self._bucket.put(batch.name, batch.body, content_type="application/x-ndjson")
        if self._has_webhook:
            sort = f"{int(now * 1000):015}/{batch.name}"
            await self._table.put(OUTBOX, sort, batch.body, until=now + OUTBOX_SECONDS)
        self._head, self._pending = batch.head, None
        for _ in range(batch.written):
            self._waiting.popleft()
        self._lost -= batch.lost
        await self._save_head()

    async def _save_head(self) -> None:
        head = {"number": self._head.number, "seal": self._head.seal, "began": self._head.began}
        until = self._clock() + self._retention + SPARE_SECONDS if self._retention else None
        await json_documents.save(self._table, STREAMS, self._head.stream, head, until=until)


class AuditOutbox:
    """audit_source.AuditSource over the rows that wait for their delivery."""

    def __init__(self, table: TableStore) -> None:
        self._table = table

    async def read_batch(self, position: Document, most: int, max_bytes: int) -> AuditBatch:
        events: list[dict[str, Any]] = []
        sorts: list[str] = []
        size = 0
        del position  # delivered rows are deleted
        for row in (await self._table.query(OUTBOX, limit=most)).items:
            size += len(row.value)
            if sorts and (size > max_bytes or len(events) >= most):
                break
            sorts.append(row.sort)
            events += [json.loads(line) for line in row.value.splitlines()]
        return AuditBatch(events, {"rows": sorts} if sorts else {})

    async def forget(self, batch: AuditBatch) -> None:
        await delete_rows(self._table, OUTBOX, batch.position["rows"])
