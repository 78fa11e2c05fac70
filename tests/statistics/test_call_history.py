"""Calls are added up by hour and day; a range of time is one query, however many calls there were."""

import asyncio
from dataclasses import replace

import pytest
from tests.support.table_factories import FrozenClock, sqlite

from assay.state.audit import Call
from assay.state.budget import ProviderUse
from assay.state.table_rows import query_all
from assay.statistics.call_figures import MOST_NAMES, CallFigures, PeriodFigures, add_periods
from assay.statistics.call_history import (
    MOST_PERIODS,
    PAUSE_SECONDS,
    CallHistory,
    build_history_key,
    find_place,
    read_history,
)
from assay.statistics.merged_rows import list_values, merge_rows
from assay.statistics.summed_rows import SLOTS, SumPlace

NOON = 1_790_000_000 // 86_400 * 86_400 + 43_200.0
HOUR, DAY = 3_600, 86_400
USES = (ProviderUse("brave", 2, 1, 10_000, (0.2, 0.4)), ProviderUse("lens", 1, 0, 0, (0.1,)))
CALL = Call(NOON, "web_search", "acme", "ada", "mcp", "r", 0.3, None, False, 5, cost_usd=0.01, uses=USES)


async def test_calls_of_two_processes_are_added_up_by_hour_day_tool_provider_and_tenant(instances, clock):
    table = instances()
    histories = CallHistory(table, clock), CallHistory(instances(), clock)
    later = replace(CALL, at=NOON + HOUR, tool="answer", tenant="beta", error="blocked", cached=True, seconds=3.0)
    await asyncio.gather(*(each.record(call) for each in histories for call in [CALL] * 10 + [later] * 2))
    await asyncio.gather(*(each.flush() for each in histories))
    hours = await read_history(table, None, "hour", NOON + HOUR, 3)
    assert [figures.add_up().calls for figures in hours.values()] == [0, 20, 4]
    assert list(hours) == [NOON - HOUR, NOON, NOON + HOUR]
    [day] = (await read_history(table, None, "day", NOON, 1)).values()
    assert {name: (each.calls, each.errors, each.cached) for name, each in day.tools.items()} == {
        "web_search": (20, 0, 0),
        "answer": (4, 4, 4),
    }
    assert {name: (each.calls, each.errors, each.cost) for name, each in day.providers.items()} == {
        "brave": (48, 24, 240_000),
        "lens": (24, 0, 0),
    }
    assert {name: each.calls for name, each in day.tenants.items()} == {"acme": 20, "beta": 4}
    assert day.tools["web_search"].asked == {"brave": [40, 200_000], "lens": [20, 0]}
    assert 0.25 <= day.tools["web_search"].estimate_percentile(0.5) <= 0.3
    [of_acme] = (await read_history(table, "acme", "day", NOON, 1)).values()
    assert (list(of_acme.tools), of_acme.tenants) == (["web_search"], {})
    assert (await read_history(table, "gamma", "day", NOON, 1)) == {NOON - 43_200: PeriodFigures()}


async def test_a_process_writes_every_few_seconds_and_when_it_ends(instances, clock):
    table = instances()
    history = CallHistory(table, clock)

    async def count():
        return sum(each.add_up().calls for each in (await read_history(table, "acme", "day", NOON, 1)).values())

    await history.record(CALL)
    await history.record(CALL)
    assert await count() == 1
    clock.now += PAUSE_SECONDS
    await history.record(CALL)
    assert await count() == 3
    await history.record(CALL)
    await history.flush()
    assert await count() == 4


async def test_calls_that_are_written_together_count_like_calls_that_are_written_one_by_one(tmp_path):
    calls = [
        CALL,
        replace(CALL, at=NOON - 0.5, tenant="beta", seconds=40.0, cost_usd=None, uses=()),
        replace(CALL, tool="answer", error="blocked", seconds=0.01, uses=USES[:1]),
        replace(CALL, at=NOON + HOUR / 2, cached=True, uses=()),
        replace(CALL, at=NOON + HOUR, tenant="", seconds=0.5),
        replace(CALL, seconds=0.75),
    ]
    clock = FrozenClock()
    found = []
    for pause in (0.0, PAUSE_SECONDS):
        table = sqlite(tmp_path / str(pause), clock)
        history = CallHistory(table, clock)
        for call in calls:
            await history.record(call)
            clock.now += pause
        await history.flush()
        places = [(tenant, grain) for tenant in (None, "acme", "beta", "") for grain in MOST_PERIODS]
        found.append([await read_history(table, *place, NOON + HOUR, 3) for place in places])
        await table.close()
    assert found[0] == found[1]
    assert all(any(figures.tools for figures in periods.values()) for periods in found[0])


async def test_a_range_ends_where_it_is_asked_to_end(instances, clock):
    table = instances()
    history = CallHistory(table, clock)
    for number in range(5):
        await history.record(replace(CALL, at=NOON + number * DAY))
    await history.flush()
    days = await read_history(table, "acme", "day", NOON + 3 * DAY, 3)
    assert [figures.add_up().calls for figures in days.values()] == [1, 1, 1]
    assert max(days) == NOON - 43_200 + 3 * DAY


def test_a_row_holds_a_bounded_number_of_names():
    total = add_periods(PeriodFigures.from_calls([CALL]).name_tenant(f"t{number}") for number in range(400))
    assert len(total.tenants) == MOST_NAMES + 1
    assert sum(each.calls for each in total.tenants.values()) == 400
    stored = PeriodFigures.decode(total.encode())
    assert stored.encode() == total.encode()
    assert stored.tenants.keys() == total.tenants.keys()


class CountingTable:
    """Counts the queries, and the rows that they return."""

    def __init__(self, table):
        self._table, self.queries, self.rows, self.bytes = table, 0, 0, 0

    async def query(self, *place, **options):
        page = await self._table.query(*place, **options)
        self.queries, self.rows = self.queries + 1, self.rows + len(page.items)
        self.bytes += sum(len(item.value) for item in page.items)
        return page


async def test_a_million_calls_of_fifty_tenants_cost_one_partition_of_few_pages(tmp_path):
    clock = FrozenClock()
    table = sqlite(tmp_path, clock)
    shared = replace_names("tool", 65), replace_names("provider", 40), replace_names("tenant", 50)
    for grain, seconds in (("hour", HOUR), ("day", DAY)):
        each = 1_000_000 // (MOST_PERIODS[grain] * SLOTS * 65) + 1
        row = PeriodFigures(*({name: fill(each) for name in names} for names in shared)).encode()
        for back in range(MOST_PERIODS[grain]):
            key, name, _ = find_place(None, grain, NOON - back * seconds)
            for slot in range(SLOTS):
                await table.put(key, f"{name}/{slot:02}", row)
        counted = CountingTable(table)
        found = await read_history(counted, None, grain, NOON, MOST_PERIODS[grain])
        assert sum(figures.add_up().calls for figures in found.values()) >= 1_000_000
        assert counted.rows == MOST_PERIODS[grain] * SLOTS
        assert counted.queries <= 2
        assert counted.bytes < 8_000_000  # pages of 1 MB in DynamoDB
    assert build_history_key(None, "day") != build_history_key("all", "day")
    await table.close()


async def test_hours_and_days_that_are_over_are_one_row_each_whoever_wrote_them(instances, clock):
    table = instances()
    processes = [CallHistory(instances(), clock) for _ in range(3 * SLOTS)]
    for day in range(4):
        clock.now = NOON + day * DAY
        for each in processes:
            await each.record(replace(CALL, at=clock.now))
    counted = CountingTable(table)
    days = await read_history(counted, "acme", "day", clock.now, 4)
    assert [figures.add_up().calls for figures in days.values()] == [len(processes)] * 4
    assert counted.rows <= 2 + 2 * SLOTS
    assert counted.queries == 1
    late = CallHistory(instances(), clock)  # of a process that stood still for days
    await late.record(replace(CALL, at=NOON))
    assert sum(each.add_up().calls for each in (await read_history(table, None, "day", NOON, 1)).values()) == 25
    hours = await read_history(table, None, "hour", NOON, 1)
    assert hours[NOON].tools["web_search"].asked["brave"] == [50, 250_000]


@pytest.mark.parametrize("fault", ["ends", "is overtaken", "races"])
async def test_a_merger_counts_nothing_twice_or_not_at_all_whatever_happens_meanwhile(fault, instances, clock):
    place = SumPlace("call-history/some/day", "2026-01-01", 9_000.0)
    table = FaultyTable(instances())
    for slot in range(3):
        await table.put(place.key, f"{place.name}/{slot:02}", b"%d" % (slot + 1))

    async def read():
        return await query_all(table, place.key)

    async def merge():
        await merge_rows(table, place, await read(), lambda values: b"%d" % sum(map(int, values)), until=clock.now + 9)

    if fault == "ends":  # between its write and what it deletes
        table.fails = True
        with pytest.raises(OSError, match="ended"):
            await merge()
        table.fails = False
        assert len(await read()) == 4
    elif fault == "is overtaken":
        table.before_delete = lambda: table.put(place.key, f"{place.name}/01", b"12")
        await merge()
        table.before_delete = None
        assert sum(map(int, list_values(await read()))) == 16
        await table.put(place.key, f"{place.name}/01", b"2")
    else:
        await asyncio.gather(merge(), merge())
    assert sum(map(int, list_values(await read()))) == 6
    await merge()
    assert [row.value.partition(b"\n")[2] for row in await read()] == [b"6"]


def test_what_a_page_shows_of_many_names_are_the_most_called_and_the_sum_of_the_others():
    days = [
        PeriodFigures(tenants={f"t{day}-{number}": replace(fill(number), calls=number + 1) for number in range(200)})
        for day in range(5)
    ]
    total = add_periods(days).tenants
    assert len(total) == MOST_NAMES + 1
    assert sum(each.calls for each in total.values()) == 5 * sum(range(201))
    assert total["t4-199"].calls == 200
    assert "t0-0" not in total


class FaultyTable:
    """A table where something happens before rows are deleted."""

    def __init__(self, table):
        self._table, self.fails, self.before_delete = table, False, None
        self.put, self.query = table.put, table.query

    async def delete(self, *place, **options):
        if self.fails:
            raise OSError("ended")
        if self.before_delete:
            await self.before_delete()
        await self._table.delete(*place, **options)


def replace_names(kind, number):
    return [f"{kind}_{each}" for each in range(number)]


def fill(calls):
    asked = {f"provider_{number}": (calls, 5_000 * calls) for number in range(4)}
    return CallFigures(calls, 1, 2, 0.5 * calls, 9.5, 5_000 * calls, (1, 0, 3, 5, calls, 2, 1), asked)
