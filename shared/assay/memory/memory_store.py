"""Stores the memories of one person. The row of a memory is authoritative; its index entry follows each change."""

import asyncio
import random
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

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
from assay.memory.memory_meaning import MemoryMeaning
from assay.memory.memory_records import Memory, MemoryFull, MemoryMissing, Recalled, build_id, parse_memory
from assay.memory.memory_search import fuse_ranks, list_live, list_newest, rank_by_words
from assay.memory.memory_vectors import TableVectors, VectorCache
from assay.state.concurrent_map import gather_all, map_concurrently
from assay.state.ports import Conflict, EmbeddingModel, TableItem, TableStore, ValueTooLarge, VectorIndex
from assay.state.table_rows import AT_ONCE, delete_rows, hash_names, query_all

RETENTION_SECONDS = 90 * 86_400
MAX_MEMORIES = 10_000
ATTEMPTS = 100  # to write beside other writers
ROW = "memory/"
NEAREST = 30  # memories that a search by meaning finds
ADDED = 32  # memories without a vector that a search embeds


def build_memory_key(tenant: str, user: str) -> str:
    """Return the key of the rows of a person's memories and their index."""
    return "memory/" + hash_names(tenant, user)


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
        embedding: EmbeddingModel | None = None,
        vectors: VectorIndex | None = None,
        vector_cache: VectorCache | None = None,
    ) -> None:
        """`embedding` finds memories by meaning, with `vectors` (default: rows of the table) as the index."""
        self._table, self._clock, self._seconds, self._most = table, clock, seconds, most
        self._cache = cache or ShardCache()
        self._key = build_memory_key(tenant, user)
        self.meaning = MemoryMeaning(embedding, vectors or TableVectors(table, self._key, vector_cache), clock)

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
        shards, vector = await gather_all(self._read_shards(), self.meaning.embed(draft.meaning))
        draft = replace(draft, vector=vector, model=self.meaning.name if vector else "")
        is_full = sum(until > now for shard in shards for until in shard.until) >= self._most
        for attempt in range(ATTEMPTS):
            identity = build_id(draft.content, attempt)
            known = await self._read(identity)
            if known is not None and known.content != draft.content:
                continue  # it was edited since
            if known is None and is_full:
                raise MemoryFull
            memory = await self._write(identity, lambda found: found.merge(draft) if found else None, draft)
            await gather_all(self._index(identity), self.meaning.index([memory]))
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

        former = await self._read(identity)
        if former is None:
            raise MemoryMissing(identity)
        meaning = replace(former, **changes).meaning  # type: ignore[arg-type]
        vector = await self.meaning.embed(meaning)

        def apply(found: Memory | None) -> Memory:
            if found is None:
                raise MemoryMissing(identity)
            edited = replace(found, **changes, updated=now, until=now + self._seconds)  # type: ignore[arg-type]
            is_current = bool(vector) and edited.meaning == meaning  # not if another writer edited it meanwhile
            return replace(edited, vector=vector if is_current else "", model=self.meaning.name if is_current else "")

        memory = await self._write(identity, apply)
        await gather_all(self._index(identity), self.meaning.index([memory]))
        return memory

    async def recall(self, *, query: str = "", topic: str | None = None, limit: int = 20, offset: int = 0) -> Recalled:
        """Return the memories that match the words best, or without words the newest."""
        wanted = None if topic is None else digest_topic(topic)
        if query and self.meaning.name:
            return await self._recall_by_meaning(query, wanted, limit, offset)
        shards, now = await self._read_shards(), self._clock()
        found: list[tuple[str, float | None]]
        if query:
            found = [*rank_by_words(shards, query, wanted, now)]
        else:
            found = [(identity, None) for identity in list_newest(shards, wanted, now)]
        page = found[offset : offset + limit]
        memories = await self._read_each([identity for identity, _ in page])
        shown = [(memory, score) for memory, (_, score) in zip(memories, page, strict=True) if memory is not None]
        return Recalled(shown, len(found), frozenset(memory.id for memory, _ in shown) if query else frozenset())

    async def _recall_by_meaning(self, query: str, topic: int | None, limit: int, offset: int) -> Recalled:
        """Search by words and by meaning; while the vectors are read, so is the index, and the query is embedded."""
        now = self._clock()
        shards, vectors, vector = await gather_all(
            self._read_shards(), self.meaning.load(), self.meaning.embed_query(query)
        )
        by_words = dict(rank_by_words(shards, query, topic, now))
        live = list_live(shards, topic, now)
        missing = vectors.list_missing(live)
        nearest = vectors.find_nearest(vector, live, NEAREST) if vector else []
        # What a page can show is among the nearest and the best by words up to its end, so one more request reads it.
        wanted = list(dict.fromkeys([*islice(by_words, offset + limit), *nearest]))
        memories, _ = await gather_all(self._read_each(wanted), self._add_vectors(missing[:ADDED] if vector else []))
        known = {memory.id: memory for memory in memories if memory}
        similarities = self.meaning.compare(vector, [known[each] for each in nearest if each in known])
        ranked = fuse_ranks(list(by_words), list(similarities))
        shown = [(known[each], score) for each, score in ranked[offset : offset + limit] if each in known]
        failure = self.meaning.failure
        return Recalled(shown, len(ranked), frozenset(by_words), similarities, len(missing), failure)

    async def _add_vectors(self, identities: Sequence[str]) -> None:
        """Embed memories that have no vector of the model, because the endpoint failed or the model changed."""
        memories = [memory for memory in await self._read_each(identities) if memory is not None]
        done = [memory for memory in memories if self.meaning.is_current(memory)]
        due = [memory for memory in memories if not self.meaning.is_current(memory)]
        for memory, vector in zip(due, await self.meaning.embed_all([each.meaning for each in due]), strict=False):

            def attach(found: Memory | None, former: Memory = memory, vector: str = vector) -> Memory:
                if found is None or found.meaning != former.meaning:
                    raise MemoryMissing(former.id)
                return replace(found, vector=vector, model=self.meaning.name)

            with suppress(MemoryMissing, Conflict):  # forgotten or edited meanwhile
                done.append(await self._write(memory.id, attach))
        await self.meaning.index(done)

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
        await self.meaning.forget(distinct)
        return sum(row is not None for row in existing)

    async def erase(self) -> int:
        """Delete every memory and the index; return how many memories there were."""
        rows = await query_all(self._table, self._key)
        await self.meaning.forget([row.sort.removeprefix(ROW) for row in rows if row.sort.startswith(ROW)])
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
    await asyncio.sleep(random.uniform(0, min(0.2, 0.002 * 2**attempt)))  # spreads out concurrent writers
