"""Stores the memories of one person. The row of a memory is authoritative; its index entry follows each change."""

import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import batched, islice

from assay.memory.memory_index import ShardCache, digest_label, digest_topic
from assay.memory.memory_meaning import MemoryMeaning
from assay.memory.memory_records import Memory, MemoryFull, MemoryMissing, Recalled, build_id, parse_memory
from assay.memory.memory_search import fuse_ranks, list_live, list_newest, rank_by_words
from assay.memory.memory_shards import ATTEMPTS, TableShards, pause
from assay.memory.memory_vectors import TableVectors, VectorCache
from assay.state.concurrent_map import gather_all
from assay.state.ports import Conflict, EmbeddingModel, TableStore, ValueTooLarge, VectorIndex
from assay.state.table_rows import STEP, delete_rows, hash_names, iterate_rows, query_all, query_fitting

RETENTION_SECONDS = 90 * 86_400
MAX_MEMORIES = 10_000
ROW, INDEX_ROWS = "memory/", ("index/", "vectors/")  # begin the names of rows
NEAREST = 30  # memories that a search by meaning finds
ADDED = 32  # memories without a vector that a search embeds


type Fits = Callable[[Memory], bool]


def accept(_: Memory) -> bool:
    return True


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
        self._key = build_memory_key(tenant, user)
        self._shards = TableShards(table, self._key, cache or ShardCache(), clock, self._read_each)
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

        Raises MemoryFull for a new memory where the most are kept, ValueTooLarge if it does not fit a row.
        """
        now = self._clock()
        draft = Memory(
            "", note, now, now, now + self._seconds, topic, tuple(urls), tuple(dict.fromkeys(tags)), session, goal
        )
        shards, vector = await gather_all(self._shards.read_all(), self.meaning.embed(draft.meaning))
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
            await gather_all(self._shards.update([identity]), self.meaning.index([memory]))
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
        """Replace what is given of the memory. Raises MemoryMissing, ValueTooLarge if it does not fit a row."""
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
        await gather_all(self._shards.update([identity]), self.meaning.index([memory]))
        return memory

    async def recall(
        self, *, query: str = "", topic: str | None = None, limit: int = 20, offset: int = 0, fits: Fits = accept
    ) -> Recalled:
        """Return the memories that match the words best, or without words the newest.

        The page ends before a memory that does not fit; the first one has to.
        """
        wanted = None if topic is None else digest_topic(topic)
        if query and self.meaning.name:
            return await self._recall_by_meaning(query, wanted, limit, offset, fits)
        shards, now = await self._shards.read_all(), self._clock()
        found: list[tuple[str, float | None]]
        if query:
            found = [*rank_by_words(shards, query, wanted, now)]
        else:
            found = [(identity, None) for identity in list_newest(shards, wanted, now)]
        shown, following = await self._read_page(found, offset, limit, fits)
        by_words = frozenset(memory.id for memory, _ in shown) if query else frozenset()
        return Recalled(shown, len(found), by_words, next_offset=following)

    async def _read_page(
        self,
        ranked: Sequence[tuple[str, float | None]],
        offset: int,
        limit: int,
        fits: Fits,
        known: dict[str, Memory | None] | None = None,
    ) -> tuple[list[tuple[Memory, float | None]], int | None]:
        """Return the memories of the page that exist, and where the next page begins. `known` were read before."""
        shown: list[tuple[Memory, float | None]] = []
        read, end = dict(known or {}), min(offset + limit, len(ranked))
        for at in range(offset, end):
            identity, score = ranked[at]
            if identity not in read:
                step = [each for each, _ in ranked[at : min(at + STEP, end)] if each not in read]
                read |= zip(step, await self._read_each(step), strict=True)
            if (memory := read[identity]) is None:
                continue
            if not fits(memory):
                return shown, at
            shown.append((memory, score))
        return shown, end if end < len(ranked) else None

    async def _recall_by_meaning(self, query: str, topic: int | None, limit: int, offset: int, fits: Fits) -> Recalled:
        """Search by words and by meaning; while the vectors are read, so is the index, and the query is embedded."""
        now = self._clock()
        shards, vectors, vector = await gather_all(
            self._shards.read_all(), self.meaning.load(), self.meaning.embed_query(query)
        )
        by_words = dict(rank_by_words(shards, query, topic, now))
        failure = "" if vector else self.meaning.failure
        live = list_live(shards, topic, now)
        missing = vectors.list_missing(live)
        nearest = vectors.find_nearest(vector, live, NEAREST) if vector else []
        # What the page shows is among the nearest and, as these move others down, the best by words from before its
        # place to its end. So one more request reads most pages.
        likely = islice(by_words, max(0, offset - NEAREST), offset + min(limit, STEP))
        wanted = list(dict.fromkeys([*nearest, *likely]))
        memories, _ = await gather_all(self._read_each(wanted), self._add_vectors(missing[:ADDED] if vector else []))
        known: dict[str, Memory | None] = dict(zip(wanted, memories, strict=True))
        similarities = self.meaning.compare(vector, [memory for each in nearest if (memory := known[each])])
        ranked = fuse_ranks(list(by_words), list(similarities))
        shown, following = await self._read_page(ranked, offset, limit, fits, known)
        return Recalled(shown, len(ranked), frozenset(by_words), similarities, len(missing), failure, following)

    async def _add_vectors(self, identities: Sequence[str]) -> None:
        """Embed memories that have no vector of the model, because the endpoint failed or the model changed."""
        memories = [memory for memory in await self._read_each(identities) if memory is not None]
        done = [memory for memory in memories if self.meaning.is_current(memory)]
        due = [memory for memory in memories if not self.meaning.is_current(memory)]
        for memory, vector in zip(due, await self.meaning.embed_all([each.meaning for each in due]), strict=False):
            if not vector:
                continue

            def attach(found: Memory | None, former: Memory = memory, vector: str = vector) -> Memory:
                if found is None or found.meaning != former.meaning:
                    raise MemoryMissing(former.id)
                return replace(found, vector=vector, model=self.meaning.name)

            with suppress(MemoryMissing, Conflict, ValueTooLarge):  # forgotten or edited meanwhile, or no room for it
                done.append(await self._write(memory.id, attach))
        await self.meaning.index(done)

    async def find(
        self, *, ids: Collection[str] | None = None, topic: str | None = None, url: str | None = None
    ) -> AsyncGenerator[Memory]:
        """Yield the memories with one of these ids, or of this topic, or from this source, the newest first."""
        if ids is not None:
            identities = list(dict.fromkeys(ids))
        else:
            wanted = None if topic is None else digest_topic(topic)
            shards = await self._shards.read_all()
            identities = list_newest(shards, wanted, self._clock())
            if url is not None:
                source = digest_label(url)
                rest_on_it = {entry.id for shard in shards for entry in shard.entries if source in entry.urls}
                identities = [identity for identity in identities if identity in rest_on_it]
        for batch in batched(identities, STEP, strict=False):
            for memory in await self._read_each(batch):
                if memory is not None:
                    yield memory

    async def forget(self, identities: Iterable[str]) -> int:
        """Delete these memories; return how many there were."""
        distinct, count = list(dict.fromkeys(identities)), 0
        for batch in batched(distinct, STEP, strict=False):
            sorts = [ROW + identity for identity in batch]
            count += sum(row is not None for row in await self._table.get_many(self._key, sorts))
            await delete_rows(self._table, self._key, sorts)
        await self._shards.update(distinct)
        await self.meaning.forget(distinct)
        return count

    async def erase(self) -> int:
        """Delete every memory and the index; return how many memories there were.

        Memories are deleted while they are listed, so that a repeated call goes on where one was interrupted.
        """
        erased: list[str] = []
        async for rows in iterate_rows(self._table, self._key, ROW):
            await delete_rows(self._table, self._key, [row.sort for row in rows])
            erased += [row.sort.removeprefix(ROW) for row in rows]
        await self.meaning.forget(erased)
        await delete_rows(self._table, self._key, [row.sort for row in await query_all(self._table, self._key)])
        return len(erased)

    async def iterate_all(self) -> AsyncGenerator[Memory]:
        """Yield every memory, in the order of ids."""
        async for rows in iterate_rows(self._table, self._key, ROW):
            for row in rows:
                yield parse_memory(row.value)

    async def read_part(self, *, after: str | None, fits: Fits = accept) -> tuple[list[Memory], str | None]:
        """Return the memories with ids after this one up to one that does not fit, and the id to go on after.

        Each memory that is there all the time is in one of the parts, whatever is saved or deleted between them.
        """
        place = None if after is None else ROW + after
        found, last = await query_fitting(self._table, self._key, ROW, parse=parse_memory, fits=fits, after=place)
        return found, None if last is None else last.removeprefix(ROW)

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
                await pause(attempt)
            else:
                return memory
        raise Conflict(f"too many concurrent writes to the memory {identity}")
