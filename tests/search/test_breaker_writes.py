"""How often the row of a breaker is written, where many processes share it: DynamoDB takes 1,000 writes a second of a row."""

import asyncio
import random

import pytest
from tests.conftest import Clock

from assay.errors import RateLimited, UpstreamFailed
from assay.local.cipher import Cipher
from assay.local.sqlite_table import SqliteTable
from assay.search.circuit_breakers import KEY, MAX_WRITES, Breakers
from assay.settings import Settings

PROCESSES = 50
FAILURE = UpstreamFailed("it failed", provider="brave")


class SlowTable:
    """A table whose answers come after those of others have been asked for, as from a server. It counts the writes."""

    def __init__(self, table):
        self.table, self.writes = table, 0

    async def get(self, key, sort="-"):
        row = await self.table.get(key, sort)
        await asyncio.sleep(0)
        return row

    async def put(self, *args, **more):
        self.writes += 1
        await asyncio.sleep(0)
        return await self.table.put(*args, **more)

    async def delete(self, *args, **more):
        self.writes += 1
        await asyncio.sleep(0)
        await self.table.delete(*args, **more)

    async def query(self, *args, **more):
        return await self.table.query(*args, **more)


class StoppedClock(Clock):
    """A time of day that only the test moves: the limits are for each second."""

    def __init__(self):
        super().__init__()
        self._began = super().__call__()

    def __call__(self):
        return self._began + self._ahead


@pytest.fixture
def clock():
    return StoppedClock()


@pytest.fixture
async def table(tmp_path, clock):
    table = SqliteTable(tmp_path / "rows", Cipher.of(Settings(home=tmp_path)), clock=clock)
    yield SlowTable(table)
    await table.close()


@pytest.fixture
def processes(table, clock):
    return [Breakers(table, Settings.read({}), clock) for _ in range(PROCESSES)]


async def call(breakers, failure=None):
    """A call that the provider fails, or answers; whether it was admitted."""
    refused, trial = await breakers.admit("brave")
    if refused is None:
        await (
            breakers.record_failure("brave", failure, trial=trial)
            if failure
            else breakers.record_success("brave", trial=trial)
        )
    return refused is None


async def test_a_provider_that_fails_now_and_then_is_written_at_most_ten_times_a_second(processes, table, clock):
    """A fifth of 2,000 calls fails, of which five are made at a time; writes that lose to another count too."""
    chance = random.Random(7)
    for _ in range(400):
        five = chance.sample(processes, 5)
        await asyncio.gather(*(call(each, FAILURE if chance.random() < 0.2 else None) for each in five))
    assert table.writes <= MAX_WRITES * 5
    assert (await processes[0].read("brave")).state(clock()) == "closed"
    before = table.writes
    clock.forward(1.0)
    await call(processes[0], FAILURE)
    assert table.writes == before + 1


async def test_a_provider_that_fails_now_and_then_stays_in_use_and_one_that_fails_always_is_paused(processes, clock):
    """Five hundred calls a second for ten seconds, of which a tenth fails, then all of them."""
    chance = random.Random(7)
    for _ in range(1_000):
        five = chance.sample(processes, 5)
        admitted = await asyncio.gather(*(call(each, FAILURE if chance.random() < 0.1 else None) for each in five))
        assert all(admitted)
        clock.forward(0.01)
    failed = 0
    while any(await asyncio.gather(*(call(each, FAILURE) for each in chance.sample(processes, 5)))):
        failed += 5
        clock.forward(0.01)
    assert failed <= 1_500, "within three seconds: one until the answers are too old, one until all have read it"


@pytest.mark.parametrize("failure", [FAILURE, RateLimited("slow down", provider="brave", retry_after=60)])
async def test_fifty_that_fail_together_open_it_with_a_bounded_number_of_writes(processes, table, clock, failure):
    for _ in range(5):
        await asyncio.gather(*(each.record_failure("brave", failure, trial=False) for each in processes))
    assert table.writes <= 5 * PROCESSES
    assert (await Breakers(table, Settings.read({}), clock).read("brave")).state(clock()) == "open"
    before = table.writes
    await asyncio.gather(*(each.record_failure("brave", failure, trial=False) for each in processes))
    clock.forward(1.0)
    assert [await call(each, failure) for each in processes] == [False] * PROCESSES
    assert table.writes == before


async def test_after_its_rest_fifty_processes_make_one_trial(processes, table, clock):
    for _ in range(5):
        await processes[0].record_failure("brave", FAILURE, trial=False)
    clock.forward(75)
    before = table.writes
    admitted = await asyncio.gather(*(each.admit("brave") for each in processes))
    assert [trial for _, trial in admitted].count(True) == 1
    assert table.writes <= before + PROCESSES
    before = table.writes
    await asyncio.gather(*(each.admit("brave") for each in processes))
    assert table.writes == before


async def test_a_process_that_fails_often_enough_opens_it_in_a_second_that_has_had_its_writes(processes, table, clock):
    for each in processes[1:12]:
        await call(each, FAILURE)
        await call(each)
    assert (await table.get(KEY, "brave")).version
    for _ in range(5):
        await processes[0].record_failure("brave", FAILURE, trial=False)
    assert (await processes[0].read("brave")).state(clock()) == "open"


async def test_a_breaker_without_failures_is_not_listed(processes):
    await call(processes[0], FAILURE)
    assert set(await processes[0].read_all()) == {"brave"}
    await call(processes[0])
    assert await processes[0].read_all() == {}
