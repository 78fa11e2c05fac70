"""Whose turn it is at a provider that takes only so many requests a second."""

import asyncio
import time

import pytest
import pytest_asyncio
from tests.support.upstream import answer

from assay.local.cipher import Cipher
from assay.local.sqlite_table import SqliteTable
from assay.models.common import WebQuery
from assay.models.search_queries import PlaceQuery
from assay.net.throttle import BURST_SECONDS, QueueTooLong, Throttle
from assay.search.distributed_throttle import make_reserve
from assay.search.router import Router
from assay.settings import Settings

FOUND = {"type": "search", "web": {"results": [{"title": "T", "url": "https://t.example/"}]}}
LIMITS = {
    "x_ratelimit_policy": "1;w=1, 15000;w=2592000",
    "x_ratelimit_remaining": "0, 100",
    "x_ratelimit_reset": "1, 9",
}


@pytest_asyncio.fixture
async def table(tmp_path):
    table = SqliteTable(tmp_path / "rows", Cipher.of(Settings(home=tmp_path)))
    yield table
    await table.close()


@pytest.fixture
def slow(upstream):
    """Makes the upstream refuse what comes less than a second after what it last let in, with the headers given."""

    def make_throttle(**headers):
        last = -BURST_SECONDS

        class Turns(list):
            def __bool__(self):
                return True

            def pop(self, _):
                nonlocal last
                now = asyncio.get_running_loop().time()
                if now - last < 0.95:
                    output = {"error": {"code": "RATE_LIMITED"}} if "x_ratelimit_policy" in headers else {}
                    return answer(output, 429, **headers)
                last = now
                return answer(FOUND, **({} if "retry_after" in headers else headers))

        upstream._first = Turns()

    return make_throttle


@pytest.fixture
def router(upstream, http, table):
    environ = {
        "BRAVE_API_KEY": "k",
        "BRAVE_BASE_URL": upstream.url,
        "SERPER_API_KEY": "k",
        "SERPER_BASE_URL": upstream.url,
    }
    return lambda: Router(Settings.read(environ), http, table)


async def burst(router, name, count=5):
    asking = (router.web(WebQuery(query=f"cats {n}"), provider=name) for n in range(count))
    return await asyncio.gather(*asking, return_exceptions=True)


@pytest.mark.parametrize("headers", [LIMITS, {"retry_after": "1"}, {}], ids=["pace told", "wait told", "nothing told"])
async def test_a_burst_of_five_is_answered_by_an_upstream_of_one_a_second(slow, router, headers):
    slow(**headers)
    asking = router()
    results = await burst(asking, "brave")
    assert [len(one.hits) for one in results] == [1] * 5
    assert (await asking.breakers.read("brave")).open_until == 0


async def test_where_the_pace_is_never_disclosed_is_refused_even_once(slow, router, upstream):
    slow(**LIMITS)
    await burst(router(), "brave", 3)
    assert len(upstream.requests) == 3


async def find_shortest(work):
    """The seconds of the shortest of three runs, because a loaded machine may stop any of them."""
    took = []
    for _ in range(3):
        began = asyncio.get_running_loop().time()
        await work()
        took.append(asyncio.get_running_loop().time() - began)
    return min(took)


async def test_a_fast_plan_is_not_held_up(upstream, router):
    async def ask_often():
        assert len(await burst(router(), "brave", 30)) == 30

    upstream.says(FOUND, x_ratelimit_policy="50;w=1")
    assert await find_shortest(ask_often) < 15 * BURST_SECONDS  # one a second takes 29


@pytest.mark.parametrize("headers", [{"x_ratelimit_policy": "50;w=1"}, {}], ids=["fast", "nothing told"])
async def test_one_call_of_several_requests_waits_for_nobody(upstream, router, headers):
    upstream.says(
        {"type": "search", "locations": {"results": [{"id": "a"}]}, "results": [{"id": "a", "title": "T"}]}, **headers
    )

    async def ask():
        assert (await router().local(PlaceQuery(query="cafés"))).hits

    assert await find_shortest(ask) < 1.5 * BURST_SECONDS  # one a second takes 2


async def test_two_processes_share_one_pace(slow, router):
    slow(**LIMITS)
    one, other = router(), router()
    await burst(one, "brave", 1)
    await burst(other, "brave", 1)
    results = await asyncio.gather(burst(one, "brave", 2), burst(other, "brave", 2))
    assert [len(hit.hits) for half in results for hit in half] == [1] * 4


async def test_a_limit_that_lasts_is_reported_at_once(upstream, router):
    upstream.says({}, status=429, retry_after="300")
    [refused] = await burst(router(), "serper", 1)
    assert refused.retry_after == 300
    assert len(upstream.requests) == 1


async def test_a_limit_of_unknown_length_is_not_a_reason_to_ask_again_where_nothing_hurried(upstream, router):
    upstream.says({}, status=429)
    await burst(router(), "serper", 1)
    assert len(upstream.requests) == 1


async def test_the_three_requests_for_places_keep_the_pace_too(upstream, router):
    body = {"type": "search", "locations": {"results": [{"id": "a"}]}, "results": [{"id": "a", "title": "T"}]}
    upstream.says(body, x_ratelimit_policy="4;w=1")
    began = asyncio.get_running_loop().time()
    result = await router().local(PlaceQuery(query="cafés"))
    assert [place.name for place in result.hits] == ["T"]
    assert asyncio.get_running_loop().time() - began >= 0.45


async def test_who_would_wait_too_long_is_told_how_long():
    pace = Throttle()
    pace.interval = 10.0
    await pace.wait(5)
    with pytest.raises(QueueTooLong) as queue:
        await pace.wait(5)
    assert 9 < queue.value.seconds <= 10


async def test_who_waits_hears_of_a_new_pace():
    pace = Throttle()
    pace.interval = 60.0
    await pace.wait(0)
    waiting = [asyncio.create_task(pace.wait(600)) for _ in range(3)]
    await asyncio.sleep(0)
    pace.interval = 0.01
    async with asyncio.timeout(60):
        await asyncio.gather(*waiting)


async def test_turns_come_in_order_whoever_leaves():
    pace, order = Throttle(), []
    pace.interval = 0.05

    async def turn(name):
        await pace.wait(10)
        order.append(name)

    tasks = [asyncio.create_task(turn(name)) for name in range(6)]
    await asyncio.sleep(0.01)
    tasks[2].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [0, 1, 3, 4, 5]


async def test_who_leaves_leaves_no_gap():
    pace = Throttle()
    pace.interval = 10.0
    waiting = [asyncio.create_task(pace.wait(600)) for _ in range(6)]  # the first has its turn at once
    await asyncio.sleep(0)
    waiting[2].cancel()
    await asyncio.gather(waiting[2], return_exceptions=True)
    with pytest.raises(QueueTooLong) as queue:
        await pace.wait(0)
    assert queue.value.seconds <= 50
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_a_slot_too_far_away_is_not_taken(table):
    now = time.time()
    reserve = make_reserve(table, "brave", lambda: now)
    assert [await reserve(2.0, 5.0) for _ in range(3)] == pytest.approx([0.0, 2.0, 4.0], abs=1e-3)
    for _ in range(2):
        with pytest.raises(QueueTooLong):
            await reserve(2.0, 5.0)
    assert await reserve(2.0, 6.1) == pytest.approx(6.0, abs=1e-3)


async def test_slots_of_many_at_once_are_each_their_own(table):
    now = time.time()
    reserve = make_reserve(table, "brave", lambda: now)
    waits = await asyncio.gather(*(reserve(1.0, 60.0) for _ in range(6)))
    assert sorted(waits) == pytest.approx([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], abs=1e-3)
