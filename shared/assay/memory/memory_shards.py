"""The index of one person's memories in its rows, which follow the rows of the memories."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from assay.memory.memory_index import (
    SHARDS,
    Shard,
    ShardCache,
    build_shard,
    build_sort,
    choose_shard,
)
from assay.memory.memory_records import Memory
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Conflict, TableItem, TableStore, ValueTooLarge
from assay.state.table_rows import AT_ONCE

ATTEMPTS = 100  # to write beside other writers

type ReadEach = Callable[[Sequence[str]], Awaitable[Sequence[Memory | None]]]


class TableShards:
    """The index of one person, of which a request reads all rows. `read_each` reads the rows of memories by id."""

    def __init__(
        self, table: TableStore, key: str, cache: ShardCache, clock: Callable[[], float], read_each: ReadEach
    ) -> None:
        self._table, self._key, self._cache, self._clock, self._read_each = table, key, cache, clock, read_each

    async def read_all(self) -> list[Shard]:
        rows = await self._table.get_many(self._key, list(map(build_sort, range(SHARDS))))
        return [self._parse(number, row) for number, row in enumerate(rows)]

    async def update(self, identities: Sequence[str]) -> None:
        """Bring the entries of these memories up to date with their rows."""
        shards: dict[int, list[str]] = {}
        for identity in identities:
            shards.setdefault(choose_shard(identity), []).append(identity)
        await map_concurrently(lambda number: self._update_shard(number, shards[number]), shards, limit=AT_ONCE)

    async def _update_shard(self, number: int, identities: Sequence[str]) -> None:
        """Bring the entries of these memories, which are all of this shard, up to date with their rows.

        The shard is read before the rows: if another writer changed it since, the rows are read again. So the last
        writer leaves what the rows say.
        """
        sort = build_sort(number)
        for attempt in range(ATTEMPTS):
            row = await self._table.get(self._key, sort)
            shard, now = self._parse(number, row), self._clock()
            memories = dict(zip(identities, await self._read_each(identities), strict=True))
            for identity, memory in memories.items():
                shard = shard.replace(identity, memory, now)
            try:
                await self._put(sort, iterate_smaller(shard, memories, now), row.version if row else 0)
            except Conflict:
                await pause(attempt)
            else:
                return
        raise Conflict(f"too many concurrent writes to {sort}")

    async def _put(self, sort: str, shards: Iterator[Shard], version: int) -> None:
        """Store the first of the shards that fits a row."""
        for shard in shards:
            if not len(shard):
                if version:
                    await self._table.delete(self._key, sort, expect=version)
                return
            with suppress(ValueTooLarge):
                await self._table.put(self._key, sort, shard.encode(), until=max(shard.until), expect=version)
                return
        raise ValueTooLarge(f"{sort} has too many memories")

    def _parse(self, number: int, row: TableItem | None) -> Shard:
        if row is not None:
            return self._cache.parse(self._key, number, row.version, row.value)
        self._cache.drop(self._key, number)
        return build_shard()


def iterate_smaller(shard: Shard, changed: Mapping[str, Memory | None], now: float) -> Iterator[Shard]:
    """Yield the shard, then with ever fewer words of the memories that have the most, as long as these have many.

    The last one has no words of the changed memories, which are then found by topic, source and id only.
    """
    yield shard
    yield from shard.iterate_smaller()
    for identity, memory in changed.items():
        shard = shard.replace(identity, memory, now, most_stems=0)
    yield shard


async def pause(attempt: int) -> None:
    """Wait before a further attempt to write, so that concurrent writers spread out."""
    await asyncio.sleep(random.uniform(0, min(0.2, 0.002 * 2**attempt)))
