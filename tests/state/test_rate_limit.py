"""Limits on calls: exactly as many pass as are allowed, however many call at once and from wherever."""

import asyncio
from dataclasses import replace

import pytest
from tests.support.table_factories import sqlite

from assay.errors import DependencyUnavailable, QuotaExceeded
from assay.settings import Settings
from assay.state.rate_limit import LimitCounters, check_address, check_quotas, count_call, read_quotas

LIMITS = {
    "RATE_LIMIT_PER_TENANT": ("tenant-minute", 60),
    "DAILY_QUOTA_PER_TENANT": ("tenant-day", 86_400),
    "MAX_CALLS_PER_DAY": ("user-day", 86_400),
    "RATE_LIMIT_GLOBAL": ("global-second", 1),
}


@pytest.fixture
def table(honest_table):
    """Counters only `add`, which test_table.py asks of every store."""
    return honest_table


async def call(table, settings, clock, tenant="acme", user="ada"):
    """Whether the call passes."""
    counters = table if isinstance(table, LimitCounters) else LimitCounters(table)
    try:
        check_quotas(await count_call(counters, settings, tenant, user, clock()), clock())
    except QuotaExceeded:
        return False
    return True


@pytest.mark.parametrize("variable", LIMITS)
async def test_of_fifty_at_once_exactly_the_allowed_number_passes(honest_table, clock, variable):
    settings = Settings.read({variable: "20"})
    passed = await asyncio.gather(*(call(honest_table, settings, clock) for _ in range(50)))
    assert sum(passed) == 20
    clock.now += LIMITS[variable][1]
    passed = await asyncio.gather(*(call(honest_table, settings, clock) for _ in range(50)))
    assert sum(passed) == 20


@pytest.mark.parametrize("variable", LIMITS)
@pytest.mark.parametrize("allowed", [3, 22])
async def test_of_fifty_at_once_in_five_processes_exactly_the_allowed_number_passes_over_shards(
    honest_table, clock, variable, allowed
):
    settings = Settings.read({variable: str(allowed), "RATE_LIMIT_SHARDS": "4"})
    processes = [LimitCounters(honest_table) for _ in range(5)]
    passed = await asyncio.gather(*(call(processes[number % 5], settings, clock) for number in range(50)))
    assert sum(passed) == allowed
    [quota] = await read_quotas(processes[0], settings, "acme", "ada", clock())
    assert (quota.counted, quota.left) == (allowed, 0)
    clock.now += LIMITS[variable][1]
    passed = await asyncio.gather(*(call(processes[number % 5], settings, clock) for number in range(50)))
    assert sum(passed) == allowed


class RecordingTable:
    """A table that records the keys whose counters change."""

    def __init__(self, table):
        self._table, self.keys = table, []

    async def add(self, key, *arguments, **options):
        self.keys.append(key)
        return await self._table.add(key, *arguments, **options)


async def test_shards_spread_the_writes_for_one_write_a_call_and_none_for_a_flood_above_the_limit(table, clock):
    settings = Settings.read({"RATE_LIMIT_PER_TENANT": "400", "RATE_LIMIT_SHARDS": "4"})
    counters = LimitCounters(recording := RecordingTable(table))
    assert all([await call(counters, settings, clock) for _ in range(100)])
    assert len(recording.keys) == 100
    shares = [recording.keys.count(key) for key in ("calls/acme", *(f"calls/acme/#{shard}" for shard in (1, 2, 3)))]
    assert sum(shares) == 100
    assert max(shares) < 60
    low = Settings.read({"RATE_LIMIT_PER_TENANT": "4", "RATE_LIMIT_SHARDS": "4"})
    assert not await call(counters, low, clock)
    recording.keys.clear()
    assert not any([await call(counters, low, clock) for _ in range(50)])
    assert recording.keys == []


async def test_two_processes_share_the_limit(tmp_path, clock):
    tables = [sqlite(tmp_path, clock), sqlite(tmp_path, clock)]
    settings = Settings.read({"RATE_LIMIT_PER_TENANT": "20"})
    passed = await asyncio.gather(*(call(tables[number % 2], settings, clock) for number in range(50)))
    for table in tables:
        await table.close()
    assert sum(passed) == 20


async def test_calls_above_the_limit_of_a_minute_do_not_use_up_the_day(honest_table, clock):
    settings = Settings.read({"RATE_LIMIT_PER_TENANT": "10", "DAILY_QUOTA_PER_TENANT": "15"})
    clock.now -= clock.now % 86_400
    assert [await call(honest_table, settings, clock) for _ in range(30)].count(True) == 10
    clock.now += 60
    assert [await call(honest_table, settings, clock) for _ in range(30)].count(True) == 5
    clock.now += 60
    with pytest.raises(QuotaExceeded, match="15 calls a day for the tenant") as refusal:
        check_quotas(await count_call(LimitCounters(honest_table), settings, "acme", "ada", clock.now), clock.now)
    assert (refusal.value.limit, refusal.value.retry_after) == ("tenant-day", 86_400 - 120)


async def test_a_limit_counts_those_that_it_is_for(table, clock):
    settings = Settings.read({"RATE_LIMIT_PER_TENANT": "2", "MAX_CALLS_PER_DAY": "1"})
    callers = [("acme", "ada"), ("acme", "ada"), ("acme", "bob"), ("acme", "cy"), ("other", "ada")]
    passed = [await call(table, settings, clock, *caller) for caller in callers]
    assert passed == [True, False, True, False, True]
    assert all([await call(table, Settings.read({}), clock) for _ in range(3)])


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("192.0.2.7", "192.0.2.8", False),
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.7:1024", "192.0.2.7:1025", True),  # some proxies append the port
        ("192.0.2.7:1024", "192.0.2.7", True),
        ("[2001:db8::1]:1024", "[2001:db8::2]:1025", True),
    ],
)
async def test_addresses_are_counted_by_network(table, clock, first, second, is_same):
    settings = Settings.read({"RATE_LIMIT_PER_IP": "1"})
    await check_address(LimitCounters(table), settings, first, clock())
    try:
        await check_address(LimitCounters(table), settings, second, clock())
    except QuotaExceeded as refusal:
        assert is_same
        assert first not in refusal.text()
    else:
        assert not is_same


class FailingTable:
    """A table whose counters fail while `fails`."""

    def __init__(self, table):
        self._table, self.fails = table, True

    async def add(self, *arguments, **options):
        if self.fails:
            raise DependencyUnavailable("dynamodb is busy (ThrottlingException).", provider="dynamodb")
        return await self._table.add(*arguments, **options)


async def test_while_the_table_fails_a_tenth_of_each_limit_passes_in_each_process(table, clock):
    settings = Settings.read({"RATE_LIMIT_PER_TENANT": "50", "DAILY_QUOTA_PER_TENANT": "80"})
    clock.now -= clock.now % 86_400
    failing = FailingTable(table)
    processes = [LimitCounters(failing), LimitCounters(failing)]
    assert [[await call(each, settings, clock) for _ in range(20)].count(True) for each in processes] == [5, 5]
    assert [await call(processes[0], settings, clock, tenant="other") for _ in range(20)].count(True) == 5
    clock.now += 60
    assert [await call(processes[0], settings, clock) for _ in range(20)].count(True) == 3  # eight a day
    failing.fails = False
    assert [await call(processes[0], settings, clock) for _ in range(60)].count(True) == 50


class ThrottledTable(FailingTable):
    """A table that refuses to count (`refuses` 1) or to take back (-1)."""

    refuses = 0

    async def add(self, key, sort, amount=1, **options):
        self.fails = amount == self.refuses
        return await super().add(key, sort, amount, **options)


@pytest.mark.parametrize("refuses", [1, -1])
async def test_calls_are_taken_back_where_they_were_counted(table, clock, refuses):
    """Otherwise a table that throttles now and then would give calls away, or a process keep a negative count."""
    settings = Settings.read({"RATE_LIMIT_PER_TENANT": "5"})
    throttled = ThrottledTable(table)
    throttled.refuses = refuses
    counters = LimitCounters(throttled)
    for _ in range(20):
        await call(counters, settings, clock)
    throttled.refuses = 0
    [quota] = await read_quotas(counters, settings, "acme", "ada", clock())
    assert quota.counted >= 0
    throttled.refuses = 1
    assert [await call(counters, settings, clock) for _ in range(20)].count(True) <= 1


async def test_a_tool_answers_while_the_table_fails(services, ask):
    services.settings = replace(services.settings, rate_limit_per_tenant=100)
    services.limit_counters = LimitCounters(FailingTable(services.table))
    reply = await ask("dedupe_rank", docs=[{"id": "a", "text": "otters"}])
    assert reply.error is None, reply.error
