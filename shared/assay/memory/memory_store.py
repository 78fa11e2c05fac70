"""Stores the memories of one person. The row of a memory is authoritative; its index entry follows each change."""

import random
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from assay.memory.memory_index import (
    MAX_STEMS,
    SHARDS,
    Shard,
    ShardCache,
    build_shard,
    build_sort,
    choose_shard,
    digest_label,
    digest_topic,
)
from assay.memory.memory_records import Memory, build_id, parse_memory
from assay.memory.memory_search import list_newest, rank_by_words
from assay.state.concurrent_map import map_concurrently
from assay.state.ports import Conflict, TableItem, TableStore, ValueTooLarge
from assay.state.table_rows import AT_ONCE, delete_rows, hash_names, query_all

RETENTION_SECONDS = 90 * 86_400
MAX_MEMORIES = 10_000
ATTEMPTS = 100  # to write beside other writers
ROW = "memory/"


def build_memory_key(tenant: str, user: str) -> str:
    """Return the key of the rows of a person's memories and their index."""
    return "memory/" + hash_names(tenant, user)


class MemoryFull(Exception):
    """The person has as many memories as are kept."""


class MemoryMissing(Exception):
    """The person has no memory with this id."""


@dataclass(frozen=True)
class Recalled:
    """A page of memories, each with its score if words were searched. `total` is the number on all pages."""

    memories: Sequence[tuple[Memory, float | None]]
    total: int


class MemoryStore:
    """The memories of one user of one tenant; other people's memories are not visible."""

    def __init__(
        self,
        table: TableStore,
        tenant: str,
        user: str,
        *,
        clock: Callable[[], float] = time.time,
        seconds: int = RETENTION_SECONDS,
        most: int = MAX_MEMORIES,
        cache: ShardCache | None = None,
    ) -> None:
        self._table, self._clock, self._seconds, self._most = table, clock, seconds, most
        self._cache = cache or ShardCache()
        self._key = build_memory_key(tenant, user)

    async def save(
        self,
        note: str,
        *,
        topic: str = "",
        urls: Iterable[str] = (),
        tags: Iterable[str] = (),
        session: str = "",
        goal: str = "",
    ) -> tuple[Memory, bool]:
        """Store the memory; return it, and whether it was merged with one of the same note and topic.

        Raises MemoryFull for a new memory where the most are kept.
        """
        now = self._clock()
        draft = Memory(
            "", note, now, now, now + self._seconds, topic, tuple(urls), tuple(dict.fromkeys(tags)), session, goal
        )
        is_full = sum(until > now for shard in await self._read_shards() for until in shard.until) >= self._most
        for attempt in range(ATTEMPTS):
            identity = build_id(draft.content, attempt)
            known = await self._read(identity)
            if known is not None and known.content != draft.content:
                continue  # it was edited since
            if known is None and is_full:
                raise MemoryFull
            memory = await self._write(identity, lambda found: found.merge(draft) if found else None, draft)
            await self._index(identity)
            return memory, known is not None
        raise Conflict("every id of this memory is taken")

    async def edit(
        self,
        identity: str,
        *,
        note: str | None = None,
        topic: str | None = None,
        urls: Iterable[str] | None = None,
        tags: Iterable[str] | None = None,
    ) -> Memory:
        """Replace what is given of the memory. Raises MemoryMissing."""
        now = self._clock()
        changes = {
            name: value if isinstance(value, str) else tuple(dict.fromkeys(value))
            for name, value in (("note", note), ("topic", topic), ("urls", urls), ("tags", tags))
            if value is not None
        }

        def apply(found: Memory | None) -> Memory:
            if found is None:
                raise MemoryMissing(identity)
            return replace(found, **changes, updated=now, until=now + self._seconds)  # type: ignore[arg-type]

        memory = await self._write(identity, apply)
        await self._index(identity)
        return memory

    async def recall(self, *, query: str = "", topic: str | None = None, limit: int = 20, offset: int = 0) -> Recalled:
        """Return the memories that match the words best, or without words the newest."""
        shards = await self._read_shards()
        now, wanted = self._clock(), None if topic is None else digest_topic(topic)
        found: list[tuple[str, float | None]]
        if query:
            found = [*rank_by_words(shards, query, wanted, now)]
        else:
            found = [(identity, None) for identity in list_newest(shards, wanted, now)]
        page = found[offset : offset + limit]
        memories = await self._read_each([identity for identity, _ in page])
        shown = [(memory, score) for memory, (_, score) in zip(memories, page, strict=True) if memory is not None]
        return Recalled(shown, len(found))

    async def find(
        self, *, ids: Collection[str] | None = None, topic: str | None = None, url: str | None = None
    ) -> list[Memory]:
        """Return the memories with one of these ids, or of this topic, or from this source, the newest first."""
        if ids is not None:
            identities = list(dict.fromkeys(ids))
        else:
            wanted = None if topic is None else digest_topic(topic)
            shards = await self._read_shards()
            identities = list_newest(shards, wanted, self._clock())
            if url is not None:
                source = digest_label(url)
                rest_on_it = {entry.id for shard in shards for entry in shard.entries if source in entry.urls}
                identities = [identity for identity in identities if identity in rest_on_it]
        return [memory for memory in await self._read_each(identities) if memory is not None]

    async def forget(self, identities: Iterable[str]) -> int:
        """Delete these memories; return how many there were."""

        distinct = list(dict.fromkeys(identities))
        existing = await self._table.get_many(self._key, [ROW + identity for identity in distinct])
        await delete_rows(self._table, self._key, [ROW + identity for identity in distinct])
        shards: dict[int, list[str]] = {}
        for identity in distinct:
            shards.setdefault(choose_shard(identity), []).append(identity)
        await map_concurrently(lambda number: self._update_shard(number, shards[number]), shards, limit=AT_ONCE)
        return sum(row is not None for row in existing)

    async def erase(self) -> int:
        """Delete every memory and the index; return how many memories there were."""
        rows = await query_all(self._table, self._key)
        await delete_rows(self._table, self._key, (row.sort for row in rows))
        return sum(row.sort.startswith(ROW) for row in rows)

    async def read_all(self) -> list[Memory]:
        """Return every memory, the oldest first."""
        rows = await query_all(self._table, self._key, ROW)
        return sorted((parse_memory(row.value) for row in rows), key=lambda memory: (memory.created, memory.id))

    async def _read(self, identity: str) -> Memory | None:
        row = await self._table.get(self._key, ROW + identity)
        return None if row is None else parse_memory(row.value)

    async def _read_each(self, identities: Iterable[str]) -> list[Memory | None]:
        rows = await self._table.get_many(self._key, [ROW + identity for identity in identities])
        return [None if row is None else parse_memory(row.value) for row in rows]

    async def _write(
        self, identity: str, change: Callable[[Memory | None], Memory | None], draft: Memory | None = None
    ) -> Memory:
        """Change the row of the memory, or write the draft where `change` returns None; repeat beside other writers."""
        for attempt in range(ATTEMPTS):
            row = await self._table.get(self._key, ROW + identity)
            memory = change(None if row is None else parse_memory(row.value)) or draft
            assert memory is not None
            memory = replace(memory, id=identity)
            try:
                await self._table.put(
                    self._key, ROW + identity, memory.encode(), until=memory.until, expect=row.version if row else 0
                )
            except Conflict:
                await _pause(attempt)
            else:
                return memory
        raise Conflict(f"too many concurrent writes to the memory {identity}")

    async def _index(self, identity: str) -> None:
        await self._update_shard(choose_shard(identity), [identity])

    async def _update_shard(self, number: int, identities: Sequence[str]) -> None:
        """Bring the entries of these memories up to date with their rows.

        The shard is read before the rows: if another writer changed it since, the rows are read again. So the last
        writer leaves what the rows say.
        """
        sort, most_stems = build_sort(number), MAX_STEMS
        for attempt in range(ATTEMPTS):
            row = await self._table.get(self._key, sort)
            shard = self._parse(number, row)
            memories = await self._read_each(identities)
            for identity, memory in zip(identities, memories, strict=True):
                shard = shard.replace(identity, memory, self._clock(), most_stems=most_stems)
            try:
                await self._put_shard(sort, shard, row.version if row else 0)
            except ValueTooLarge:
                most_stems = 0  # the row is full of others' words: the memory is found by topic, source and id only
            except Conflict:
                await _pause(attempt)
            else:
                return
        raise Conflict(f"too many concurrent writes to {sort}")

    async def _put_shard(self, sort: str, shard: Shard, version: int) -> None:
        if len(shard):
            until = max(shard.until)
            await self._table.put(self._key, sort, shard.encode(), until=until, expect=version)
        elif version:
            await self._table.delete(self._key, sort, expect=version)

    async def _read_shards(self) -> list[Shard]:
        rows = await self._table.get_many(self._key, list(map(build_sort, range(SHARDS))))
        return [self._parse(number, row) for number, row in enumerate(rows)]

    def _parse(self, number: int, row: TableItem | None) -> Shard:
        if row is not None:
            return self._cache.parse(self._key, number, row.version, row.value)
        self._cache.drop(self._key, number)
        return build_shard()


async def _pause(attempt: int) -> None:
    import asyncio

    await asyncio.sleep(random.uniform(0, min(0.2, 0.002 * 2**attempt)))  # spreads out concurrent writers
