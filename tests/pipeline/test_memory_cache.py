"""The memory cache keeps what was used last, within its bytes."""

from datetime import timedelta

import pytest

from assay.state.cache import Cache

KIB = 1024


class CountingTable:
    """A table in memory that counts reads of documents: a read means that the memory cache had nothing."""

    def __init__(self):
        self.rows, self.reads = {}, []

    async def get(self, key, sort="-"):
        if key.startswith("cache/"):
            self.reads.append(key)
        return self.rows.get(key)

    async def put(self, key, sort, value, *, until=None):
        from assay.state.ports import TableItem

        self.rows[key] = TableItem(sort, value, 1)


@pytest.fixture
def table():
    return CountingTable()


@pytest.fixture
def cache(table, clock):
    return Cache(table, None, clock, 64 * KIB)


async def fill(cache, count, size=4 * KIB):
    for number in range(count):
        await cache.put(f"k{number}", {"text": "x" * size}, timedelta(hours=1))


async def test_a_full_cache_still_remembers_what_comes_next(cache, table):
    await fill(cache, 200)
    assert (await cache.get("k199")).document["text"]
    assert table.reads == []


async def test_what_was_not_used_for_longest_goes_first(cache, table):
    await fill(cache, 14)
    await cache.get("k0")
    await cache.put("big", {"text": "x" * 12 * KIB}, timedelta(hours=1))
    table.reads.clear()
    await cache.get("k0")
    assert table.reads == []
    await cache.get("k1")
    assert table.reads == ["cache/k1"]


async def test_an_answer_larger_than_the_memory_is_read_from_the_table(cache, table):
    await cache.put("giant", {"text": "x" * 100 * KIB}, timedelta(hours=1))
    assert (await cache.get("giant")).document["text"]
    assert table.reads == ["cache/giant"]


async def test_what_is_kept_in_memory_ends_when_its_time_is_up(cache, table, clock):
    await cache.put("k", {"text": "x"}, timedelta(seconds=60))
    clock.forward(61)
    assert await cache.get("k") is None
