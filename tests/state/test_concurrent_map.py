"""Concurrent calls: bounded, in order, cancelled at the time limit and at the first failure."""

import asyncio

import pytest

from assay.errors import NotFound
from assay.state.concurrent_map import Unfinished, gather_all, map_concurrently, map_until


class ConcurrencyGauge:
    """Counts running calls, and lists those that were cancelled."""

    def __init__(self):
        self.running, self.most, self.cancelled = 0, 0, []

    async def run(self, item, turns=3):
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            for _ in range(turns):
                await asyncio.sleep(0)
            return item * 10
        except asyncio.CancelledError:
            self.cancelled.append(item)
            raise
        finally:
            self.running -= 1


async def test_results_come_in_the_order_of_the_items_and_no_more_calls_run_than_the_limit():
    gauge = ConcurrencyGauge()
    assert await map_concurrently(lambda item: gauge.run(item, turns=9 - item), range(9), limit=3) == [
        10 * item for item in range(9)
    ]
    assert gauge.most == 3


async def test_without_a_limit_all_calls_run_at_once_and_nothing_is_the_result_of_nothing():
    gauge = ConcurrencyGauge()
    await map_concurrently(gauge.run, range(7))
    assert gauge.most == 7
    assert await map_concurrently(gauge.run, []) == []


async def test_items_of_one_group_have_their_own_limit():
    gauges = {"a": ConcurrencyGauge(), "b": ConcurrencyGauge()}

    async def run(item):
        return await gauges[item[0]].run(1)

    await map_until(run, ["a1", "a2", "a3", "b1"], seconds=None, limit=4, group_by=lambda item: item[0])
    assert (gauges["a"].most, gauges["b"].most) == (1, 1)


async def test_calls_that_are_late_are_cancelled_and_the_others_keep_their_results():
    gauge, never = ConcurrencyGauge(), asyncio.Event()

    async def run(item):
        if item == 1:
            try:
                await never.wait()
            finally:
                gauge.cancelled.append(item)
        return item

    first, late, third = await map_until(run, [0, 1, 2], seconds=0.05)
    assert (first, third) == (0, 2)
    assert isinstance(late, Unfinished)
    assert gauge.cancelled == [1]


async def test_no_time_at_all_leaves_calls_unfinished_instead_of_waiting():
    assert isinstance((await map_until(asyncio.sleep, [3600], seconds=-1))[0], Unfinished)


async def test_the_first_failure_is_raised_as_it_is_and_ends_the_other_calls():
    gauge = ConcurrencyGauge()

    async def run(item):
        if item == 2:
            raise NotFound("no")
        return await gauge.run(item, turns=10_000)

    with pytest.raises(NotFound, match="no"):
        await map_concurrently(run, range(4))
    assert (gauge.running, sorted(gauge.cancelled)) == (0, [0, 1, 3])


async def test_a_cancelled_caller_ends_its_calls():
    gauge = ConcurrencyGauge()
    caller = asyncio.create_task(map_concurrently(lambda item: gauge.run(item, turns=10_000), range(3)))
    for _ in range(5):
        await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert sorted(gauge.cancelled) == [0, 1, 2]


async def test_different_calls_run_together():
    async def reply(answer):
        await asyncio.sleep(0)
        return answer

    assert await gather_all(reply(1), reply("two")) == [1, "two"]
