"""The cache: in memory, compressed in the table, and in the bucket for documents that cost more in a row."""

import hashlib
import json
import logging
import math
import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple, Protocol

from cachetools import TLRUCache

from assay.errors import ConfigError, ToolError
from assay.state.best_effort_writes import attempt_to_store
from assay.state.clock_skew import is_ahead
from assay.state.json_documents import Document, encode, load, update
from assay.state.ports import Bucket, TableStore

log = logging.getLogger("assay")
# DynamoDB charges a write per KB. Compressed, 186 pages of all kinds cost 5.4 units instead of 14.1, with zstd 5.6.
# From about this size on, an object in S3 is cheaper than a row.
COMPRESSED_ROW_BYTES = 16_000
COMPRESSION = 4  # level of zlib; level 6 costs as many units and takes 1.6 times as long


class CacheEntry(NamedTuple):
    """A cached document with its times of storage and expiry (epoch seconds)."""

    document: Document
    stored: float
    until: float

    def meta(self, now: float) -> dict[str, Any]:
        """The `_meta` of an answer that came from the cache."""
        age, lifetime = max(0.0, now - self.stored), self.until - self.stored
        share = age / lifetime if lifetime > 0 else 1.0
        freshness = "fresh" if share < 0.5 else "aging" if share < 0.8 else "expiring"
        return {"cached": True, "ageSeconds": int(age), "maxAgeSeconds": int(lifetime), "freshness": freshness}


def build_fresh_meta(ttl: timedelta) -> dict[str, Any]:
    """The `_meta` of an answer that was just computed and is cached for `ttl`."""
    return {"cached": False, "ageSeconds": 0, "maxAgeSeconds": int(ttl.total_seconds()), "freshness": "fresh"}


class KeyDeleter(Protocol):
    """A table that can delete rows by key prefix (the local one)."""

    async def delete_keys(self, prefix: str) -> list[str]: ...


def build_body_name(key: str) -> str:
    """The name of a large document in the bucket."""
    return f"cache/{hashlib.sha256(key.encode()).hexdigest()}"


async def clear(table: KeyDeleter, bucket: Bucket, owner: str = "") -> int:
    """Delete all cached documents, or those of one owner; returns their number."""
    keys = await table.delete_keys(f"cache/{owner}/" if owner else "cache/")
    for key in keys:
        await bucket.delete(build_body_name(key.removeprefix("cache/")))
    return len(keys)


PARTITION = "cache-flush"
EVERYONE = "*"
FLUSH_SECONDS = 5.0  # for which the times of flushes are used without reading them again
REMEMBERED_SECONDS = 32 * 86_400  # longer than any document is cached
MOST_PARTITION = 1_000  # owners that are remembered; with more, everything is flushed


class Cache:
    """Documents by key, with recent ones in memory. Keys begin with their owner and a slash.

    A flush is a time in the table: documents that were stored before count as absent in all instances.
    """

    def __init__(self, table: TableStore, bucket: Bucket, clock: Callable[[], float], memory_bytes: int) -> None:
        self._table = table
        self._bucket = bucket
        self._clock = clock
        self._memory: TLRUCache[str, tuple[CacheEntry, int]] = TLRUCache(
            memory_bytes,
            ttu=lambda _key, entry, _now: entry[0].until,
            timer=clock,
            getsizeof=lambda entry: entry[1],
        )
        self._flushes: dict[str, float] = {}  # time of the last flush by owner
        self._flushes_read = -math.inf

    async def get(self, key: str) -> CacheEntry | None:
        """The entry, None if it is absent or expired. Raises ConfigError where it cannot be decrypted."""
        remembered = self._memory.get(key)
        try:
            entry = remembered[0] if remembered else await self._load(key)
            if entry is None or is_ahead(entry.stored, self._clock()):  # of an unknown age
                return None
            return None if await self._is_flushed(key, entry) else entry
        except ConfigError:  # written with another encryption key: the operator has to act
            raise
        except ToolError:
            log.warning("The cache cannot be read.", exc_info=True)
            return None

    async def flush(self, owner: str = EVERYONE) -> float:
        """Let every document of the owner, or of all, count as absent; return the time before which it does."""
        now = self._clock()

        def add(known: Document | None) -> Document:
            flushes = {name: at for name, at in (known or {}).items() if at > now - REMEMBERED_SECONDS} | {owner: now}
            return flushes if len(flushes) <= MOST_PARTITION else {EVERYONE: now}

        self._flushes = await update(self._table, PARTITION, "-", add, until=now + REMEMBERED_SECONDS)
        self._flushes_read = now
        return now

    async def _is_flushed(self, key: str, entry: CacheEntry) -> bool:
        now = self._clock()
        if not 0 <= now - self._flushes_read < FLUSH_SECONDS:
            self._flushes = await load(self._table, PARTITION) or {}
            self._flushes_read = now
        return entry.stored <= max(self._flushes.get(EVERYONE, 0.0), self._flushes.get(key.partition("/")[0], 0.0))

    async def _load(self, key: str) -> CacheEntry | None:
        item = await self._table.get(f"cache/{key}")
        if item is None:
            return None
        body = _decompress(item.value)
        row = json.loads(body)
        if "name" in row:
            stored = await self._bucket.get(row["name"])
            if stored is None:
                return None
            body = _decompress(stored)
            row = json.loads(body)
        entry = CacheEntry(row["document"], row["stored"], row["until"])
        self._remember(key, entry, len(body))
        return entry if entry.until > self._clock() else None

    async def put(self, key: str, document: Document, ttl: timedelta) -> CacheEntry:
        """Store the document for `ttl`. If the write fails, the document is still cached in memory."""
        now = self._clock()
        entry = CacheEntry(document, now, now + ttl.total_seconds())
        body = encode({"document": document, "stored": entry.stored, "until": entry.until})
        self._remember(key, entry, len(body))
        with attempt_to_store("cache"):
            await self._store(key, zlib.compress(body, COMPRESSION), entry)
        return entry

    async def _store(self, key: str, body: bytes, entry: CacheEntry) -> None:
        if len(body) > COMPRESSED_ROW_BYTES:
            name = build_body_name(key)
            await self._bucket.put(name, body, content_type="application/zlib", until=entry.until)
            await self._table.put(f"cache/{key}", "-", encode({"name": name}), until=entry.until)
        else:
            await self._table.put(f"cache/{key}", "-", body, until=entry.until)

    def _remember(self, key: str, entry: CacheEntry, size: int) -> None:
        if size <= self._memory.maxsize // 4:  # a large document would evict all others
            self._memory[key] = entry, size


def _decompress(stored: bytes) -> bytes:
    """The JSON of a stored document; earlier versions stored it uncompressed."""
    return stored if stored.startswith(b"{") else zlib.decompress(stored)
