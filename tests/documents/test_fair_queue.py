"""Turns start in the order of their caller's running turns, then of arrival, within the bounds of the queue."""

import asyncio
import random

from assay.documents.fair_queue import FairQueue


class Work:
    """Works that hold a turn until they are told to end; `started` has their names in the order of their start."""

    def __init__(self, count, slow=60.0):
        self._queue, self.started, self._ends, self._tasks = FairQueue(count, slow), [], {}, {}

    async def begin(self, *names):
        """Let these works ask for a turn one after the other. The first letter of a name is its caller."""
        for name in names:
            self._ends[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._run(name))
            await rest()

    async def _run(self, name):
        async with self._queue.turn(name[0]):
            self.started.append(name)
            await self._ends[name].wait()

    async def end(self, *names):
        for name in names:
            self._ends[name].set()
            await rest()

    async def cancel(self, *names):
        for name in names:
            self._tasks[name].cancel()
            await rest()

    async def end_all(self):
        while any(not task.done() for task in self._tasks.values()):
            await self.end(*(name for name in self.started if not self._tasks[name].done()))
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)


async def rest():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_caller_without_a_turn_starts_at_once_and_others_wait_in_the_order_of_their_arrival():
    work = Work(2)
    await work.begin("a1", "a2", "a3", "a4", "b1", "b2", "c1")
    assert work.started == ["a1", "a2", "b1", "c1"]
    await work.end("c1", "a1")
    assert work.started[4:] == []  # two quick works are running
    await work.end("b1")
    assert work.started[4:] == ["b2"]  # it came after a3, but its caller had no turn
    await work.end("a2")
    assert work.started[5:] == ["a3"]
    await work.end_all()
    assert work.started[6:] == ["a4"]


async def test_of_callers_with_as_many_turns_the_one_that_waits_longest_starts_first():
    work = Work(1)
    await work.begin("a1", "b1", "c1", "d1", "b2", "a2", "b3", "a3", "c2")
    await work.end("a1", "b1", "c1", "d1")
    assert work.started == ["a1", "b1", "c1", "d1", "a2", "b2", "c2"]
    await work.end_all()
    assert work.started[7:] == ["a3", "b3"]


async def test_whoever_gives_up_waiting_holds_up_nobody():
    work = Work(1)
    await work.begin("a1", "a2", "a3", "b1", "b2")
    await work.cancel("a2", "b2")
    await work.end("b1", "a1")
    assert work.started == ["a1", "b1", "a3"]
    await work.end_all()
    await work.begin("b3")
    assert work.started[3:] == ["b3"]
    await work.end_all()


async def test_the_turns_of_a_caller_and_of_all_are_bounded_also_where_work_is_slow():
    work = Work(2, slow=0.0)
    await work.begin(*(f"a{number}" for number in range(9)))
    assert len(work.started) == 4
    await work.begin(*(f"{caller}0" for caller in "bcdefg"))
    assert len(work.started) == 8
    await work.end("a0")
    assert work.started[8:] == ["f0"]
    await work.end_all()
    assert len(work.started) == 15


async def test_every_work_gets_its_turn_whatever_the_order_of_events():
    for seed in range(30):
        chance, work = random.Random(seed), Work(1 + seed % 3)
        names = [f"{chance.choice('abcd')}{number}" for number in range(40)]
        given_up = set()
        for name in names:
            await work.begin(name)
            running = [each for each in work.started if each not in given_up]
            if chance.random() < 0.3 and running:
                await work.end(chance.choice(running))
            if chance.random() < 0.1 and name not in work.started:
                given_up.add(name)
                await work.cancel(name)
        await work.end_all()
        assert sorted(work.started) == sorted({*names} - given_up)
