"""Vectors of memories: the exact ones as bytes beside each memory, and their signs in an index that finds the nearest.

One bit for each dimension is enough to choose candidates among 10,000 memories in milliseconds and fits the rows of an
index. Their order then comes from the exact vectors, which are read with the memories anyway.
"""

import base64
import hashlib
import math
import struct
from array import array
from collections.abc import Collection, Mapping, Sequence
from operator import mul
from typing import NamedTuple

from cachetools import LRUCache

from assay.memory.memory_index import ID_BYTES, SHARDS, choose_shard
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import AT_ONCE

HEADER = struct.Struct("<16sIH")  # digest of the model, number of entries, bytes of the signs of each
CACHED = 8  # people; the vectors of one take megabytes
ATTEMPTS = 100  # to write beside other writers


def pack_vector(vector: Sequence[float]) -> str:
    """Return the vector as text, a byte for each dimension; its length is lost, which the cosine does not need."""
    largest = max(map(abs, vector))
    return base64.b64encode(array("b", [round(127 * value / largest) for value in vector]).tobytes()).decode()


def unpack_vector(text: str) -> "array[int]":
    return array("b", base64.b64decode(text))


def compute_cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the similarity, -1 to 1; 0 for vectors of different dimensions."""
    if len(one) != len(other):
        return 0.0
    norms = math.sqrt(sum(map(mul, one, one)) * sum(map(mul, other, other)))
    return sum(map(mul, one, other)) / norms if norms else 0.0


class IndexedVector(NamedTuple):
    """The signs of a vector, as bits of a number; it is forgotten after `until`."""

    until: float
    signs: int


class VectorSnapshot:
    """The vectors of one model, as they were read."""

    def __init__(self, vectors: Mapping[str, IndexedVector]) -> None:
        self.vectors = vectors
        self._ids, self._signs = list(vectors), [known.signs for known in vectors.values()]

    def list_missing(self, identities: Collection[str]) -> list[str]:
        return [identity for identity in identities if identity not in self.vectors]

    def find_nearest(self, vector: Sequence[float], among: Collection[str], limit: int) -> list[str]:
        """Return those of `among` whose vectors are the nearest, the best first."""
        signs = _pack_signs(vector)
        by_distance = sorted((known ^ signs).bit_count() << 20 | at for at, known in enumerate(self._signs))
        nearest: list[str] = []
        for packed in by_distance:
            if len(nearest) == limit:
                break
            if (identity := self._ids[packed & 0xFFFFF]) in among:
                nearest.append(identity)
        return nearest


class VectorCache(LRUCache[tuple[str, str], tuple[tuple[int, ...], VectorSnapshot]]):
    """The vectors of the last people that this process searched for, with the versions of their rows."""

    def __init__(self) -> None:
        super().__init__(CACHED)


class TableVectors:
    """The vector index of one person, in a fixed number of rows. A row of another model counts as empty."""

    def __init__(self, table: TableStore, key: str, cache: VectorCache | None = None) -> None:
        self._table, self._key = table, key
        self._cache = VectorCache() if cache is None else cache  # an empty one is false

    async def load(self, model: str) -> VectorSnapshot:
        rows = await self._table.get_many(self._key, list(map(_build_sort, range(SHARDS))))
        versions = tuple(row.version if row else 0 for row in rows)
        known = self._cache.get((self._key, model))
        if known is None or known[0] != versions:
            parsed = (_parse_row(row.value, model) for row in rows if row)
            known = versions, VectorSnapshot({identity: entry for each in parsed for identity, entry in each.items()})
            self._cache[self._key, model] = known
        return known[1]

    async def replace(
        self, model: str, vectors: Mapping[str, tuple[Sequence[float], float] | None], now: float
    ) -> None:
        """Store these vectors with the times when they expire; None deletes one."""
        shards: dict[int, dict[str, IndexedVector | None]] = {}
        for identity, given in vectors.items():
            entry = None if given is None else IndexedVector(given[1], _pack_signs(given[0]))
            shards.setdefault(choose_shard(identity), {})[identity] = entry
        width = next((-(-len(given[0]) // 8) for given in vectors.values() if given is not None), 0)
        await map_concurrently(
            lambda number: self._replace_row(number, model, shards[number], width, now), shards, limit=AT_ONCE
        )

    async def _replace_row(
        self, number: int, model: str, changes: Mapping[str, IndexedVector | None], width: int, now: float
    ) -> None:
        sort = _build_sort(number)
        for _ in range(ATTEMPTS):
            row = await self._table.get(self._key, sort)
            if row is None and not any(changes.values()):
                return
            known: dict[str, IndexedVector | None] = {**_parse_row(row.value, model)} if row else {}
            merged = {
                identity: entry for identity, entry in {**known, **changes}.items() if entry and entry.until > now
            }
            size = max(width, HEADER.unpack_from(row.value)[2] if row else 0)
            try:
                if merged:
                    until = max(entry.until for entry in merged.values())
                    value = _encode_row(model, merged, size)
                    await self._table.put(self._key, sort, value, until=until, expect=row.version if row else 0)
                elif row:
                    await self._table.delete(self._key, sort, expect=row.version)
            except Conflict:
                continue
            return
        raise Conflict(f"too many concurrent writes to {sort}")


def _build_sort(shard: int) -> str:
    return f"vectors/{shard:02}"


def _digest_model(model: str) -> bytes:
    return hashlib.sha256(model.encode()).digest()[:16]


def _pack_signs(vector: Sequence[float]) -> int:
    return int("".join("1" if value > 0 else "0" for value in vector), 2)


def _encode_row(model: str, vectors: Mapping[str, IndexedVector], width: int) -> bytes:
    parts = [HEADER.pack(_digest_model(model), len(vectors), width)]
    parts += [struct.pack("<16sd", bytes.fromhex(identity), entry.until) for identity, entry in vectors.items()]
    parts += [entry.signs.to_bytes(width, "little") for entry in vectors.values()]
    return b"".join(parts)


def _parse_row(value: bytes, model: str) -> dict[str, IndexedVector]:
    digest, count, width = HEADER.unpack_from(value)
    if digest != _digest_model(model):
        return {}
    begin = HEADER.size + count * (ID_BYTES + 8)
    signs = (int.from_bytes(value[at : at + width], "little") for at in range(begin, begin + count * width, width))
    entries = struct.iter_unpack("<16sd", value[HEADER.size : begin])
    return {identity.hex(): IndexedVector(until, bits) for (identity, until), bits in zip(entries, signs, strict=True)}
