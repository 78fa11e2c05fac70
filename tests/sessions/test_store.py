"""What a research session promises, on both stores and from any instance."""

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from assay.errors import SessionNotFound
from assay.local.cipher import Cipher
from assay.local.sqlite_table import SqliteTable
from assay.sessions import session_index
from assay.sessions.session_keys import build_index_key, build_key
from assay.sessions.store import SessionFull, SessionStore
from assay.state.table_rows import query_all

HOURS = 3600
SHARED = Path(__file__).parents[2] / "shared"


def step(number, **more):
    return {"stepNumber": number, "description": f"Step {number}", "timestamp": "2026-01-01T00:00:00Z", **more}


def source(number, **more):
    return {"url": f"https://river.example/{number}", **more}


async def begin_session(store, goal="Otters"):
    return await store.begin(goal, step(1), completed=False, head={})


async def add_step(store, session, number, **more):
    return await store.add(session, step(number, **more), completed=False, head={})


async def test_another_instance_reads_what_one_has_written(store_of):
    here, there = store_of(), store_of()
    session = (await begin_session(here)).id
    await here.add(session, step(2), completed=True, head={"summary": "So far", "estimate": 3})
    await there.note(session, [source(1, title="One")])
    research = await there.read(session)
    assert research == await here.read(session)
    assert [each["stepNumber"] for each in research.steps] == [1, 2]
    assert (research.goal, research.summary, research.estimate) == ("Otters", "So far", 3)
    assert research.completed is not None
    assert research.sources == [source(1, title="One", metAfterStep=2)]


async def test_a_restart_loses_nothing(in_sqlite, clock):
    first = in_sqlite()
    session = (await begin_session(SessionStore(first, "acme", "ada", clock=clock))).id
    await SessionStore(first, "acme", "ada", clock=clock).note(session, [source(1)])
    await first.close()
    second = in_sqlite()
    research = await SessionStore(second, "acme", "ada", clock=clock).read(session)
    assert (len(research.steps), research.sources) == (1, [source(1, metAfterStep=1)])
    await second.close()


async def test_of_many_who_write_at_once_nobody_loses_anything(store_of):
    desks = [store_of() for _ in range(8)]
    session = (await begin_session(desks[0])).id
    await asyncio.gather(
        *(add_step(store, session, 2 + number, branchId=f"b{number}") for number, store in enumerate(desks)),
        *(store.note(session, [source(number), source(99, title="Same")]) for number, store in enumerate(desks)),
    )
    research = await desks[0].read(session)
    assert sorted(each["stepNumber"] for each in research.steps) == list(range(1, 10))
    assert {each["url"] for each in research.sources} == {f"https://river.example/{n}" for n in [*range(8), 99]}


@pytest.mark.parametrize(
    ("tenant", "user"), [("acme", "bob"), ("evil", "ada"), ("acme/ada", ""), ("acme", "ada\x01"), ("ACME", "ada")]
)
async def test_another_persons_session_is_reported_in_the_words_of_one_that_never_was(store_of, tenant, user):
    session = (await begin_session(store_of())).id
    stranger = store_of(tenant, user)
    outputs = []
    for unknown in (session, "00000000-0000-4000-8000-000000000000"):
        for asking in (stranger.read(unknown), add_step(stranger, unknown, 2), stranger.finish(unknown)):
            with pytest.raises(SessionNotFound) as missing:
                await asking
            outputs.append(missing.value.text())
    assert len(set(outputs)) == 1
    await stranger.note(session, [source(1)])
    assert (await store_of().read(session)).sources == []


async def test_a_session_lasts_four_hours_from_its_last_use(store_of, clock):
    store = store_of()
    session = (await begin_session(store)).id
    for use in (
        store.read(session),
        add_step(store, session, 2),
        store.note(session, [source(1)]),
        store.read(session),
    ):
        clock.now += 4 * HOURS - 2
        await use
    clock.now += 4 * HOURS + 2
    with pytest.raises(SessionNotFound, match="Sessions last 4 hours from last activity"):
        await store.read(session)


async def test_a_session_in_use_for_days_keeps_its_first_rows(store_of, clock):
    store = store_of()
    session = (await begin_session(store)).id
    await store.note(session, [source(1)], [{"at": clock.now, "kind": "blocked"}])
    for _ in range(20):
        clock.now += 3 * HOURS
        research = await store.read(session)
    assert (len(research.steps), len(research.sources)) == (1, 1)
    assert len(await store.outcomes(session)) == 1


async def test_what_an_idle_session_leaves_behind_expires_too(store_of, clock):
    store = store_of()
    session = (await begin_session(store)).id
    await store.note(session, [source(1)])
    clock.now += 13 * HOURS
    assert await query_all(store.table, build_key("acme", "ada", session)) == []
    assert await session_index.count(store.table, "acme") == 0


async def test_the_fifty_first_session_takes_the_place_of_the_one_longest_unused(store_of, clock):
    ada, bob, other = store_of(most=5), store_of(user="bob", most=5), store_of("other")
    foreign = (await begin_session(other)).id
    sessions = []
    for _ in range(5):
        clock.now += 1
        sessions.append((await begin_session(ada)).id)
    clock.now += 1
    await ada.read(sessions[0])
    clock.now += 1
    await begin_session(bob)
    with pytest.raises(SessionNotFound):
        await ada.read(sessions[1])
    for session in (sessions[0], *sessions[2:]):
        await ada.read(session)
    await other.read(foreign)
    assert await query_all(ada.table, build_key("acme", "ada", sessions[1])) == []


async def test_however_many_begin_at_once_fifty_are_left(store_of):
    desks = [store_of() for _ in range(4)]
    await asyncio.gather(*(begin_session(desks[number % 4]) for number in range(54)))
    assert await session_index.count(desks[0].table, "acme") == 50


async def test_two_hundred_steps_fit_however_many_write_them(store_of):
    desks = [store_of(steps=10) for _ in range(3)]
    session = (await begin_session(desks[0])).id
    went = await asyncio.gather(
        *(add_step(desks[number % 3], session, 2 + number) for number in range(14)), return_exceptions=True
    )
    assert sum(isinstance(one, SessionFull) for one in went) == 5
    assert len((await desks[0].read(session)).steps) == 10


async def test_a_source_met_twice_is_one_and_tells_what_both_told(store_of, clock):
    store = store_of()
    session = (await begin_session(store)).id
    await store.note(session, [source(1, title="Found", relevance="search", foundInStep=2), source(2)])
    clock.now += 5
    await store.note(session, [source(3), source(1, title="Read", relevance="scraped", author="Ada", foundInStep=7)])
    await store.note(session, [source(1, title="Again", relevance="search", date="2026")])
    sources = (await store.read(session)).sources
    assert [each["url"][-1] for each in sources] == ["1", "2", "3"]
    assert sources[0] == source(1, title="Read", relevance="scraped", foundInStep=2, author="Ada", date="2026")


async def test_a_session_keeps_a_bounded_number_of_sources(store_of):
    store = store_of(sources=20)
    session = (await begin_session(store)).id
    for start in range(0, 60, 10):
        await store.note(session, [source(number) for number in range(start, start + 10)])
    await store.note(session, [source(3, title="Known")])
    sources = (await store.read(session)).sources
    assert len(sources) == 20
    assert source(3, title="Known", metAfterStep=1) in sources


async def test_of_the_outcomes_the_last_two_hundred_stay(in_sqlite, clock):
    table = in_sqlite()
    store = SessionStore(table, "acme", "ada", clock=clock)
    session = (await begin_session(store)).id
    for number in range(230):
        await store.note(
            session, [], [{"at": clock.now + number, "kind": "network", "url": f"https://x.example/{number}"}]
        )
    outcomes = await store.outcomes(session)
    assert [one["url"].rpartition("/")[2] for one in outcomes] == [str(number) for number in range(30, 230)]
    await table.close()


async def test_a_tenants_sessions_can_be_erased_whole_or_by_person(store_of):
    ada, bob = store_of(), store_of(user="bob")
    mine, his = (await begin_session(ada)).id, (await begin_session(bob)).id
    assert await session_index.erase(ada.table, "acme", "ada") == 1
    with pytest.raises(SessionNotFound):
        await ada.read(mine)
    assert (await bob.read(his)).id == his
    assert await session_index.erase(ada.table, "acme") == 1
    assert await session_index.erase(ada.table, "acme") == 0
    assert await query_all(ada.table, build_index_key("acme")) == []


async def test_no_row_names_a_person_or_a_session(in_sqlite, tmp_path, clock):
    table = in_sqlite()
    session = (await begin_session(SessionStore(table, "acme-corp", "ada-lovelace", clock=clock), "A secret goal")).id
    await table.close()
    written = b"".join(path.read_bytes() for path in (tmp_path / "home").iterdir())
    for word in (session, "acme-corp", "ada-lovelace", "secret goal", "Step 1"):
        assert word.encode() not in written


class DeletingTable:
    """A table that deletes the sessions of a tenant when a step is written, as another process may."""

    def __init__(self, table):
        self._table = table

    def __getattr__(self, name):
        return getattr(self._table, name)

    async def put(self, key, sort, *rest, **more):
        await self._table.put(key, sort, *rest, **more)
        if sort.startswith("step/"):
            await session_index.erase(self._table, "acme")


async def test_a_step_of_a_session_that_is_deleted_meanwhile_leaves_nothing(store_of):
    store = store_of()
    session = (await begin_session(store)).id
    table, store.table = store.table, DeletingTable(store.table)
    with pytest.raises(SessionNotFound):
        await add_step(store, session, 2)
    assert not await store.note(session, [source(1)], [{"at": 0.0, "kind": "blocked"}])
    assert await query_all(table, build_key("acme", "ada", session)) == []


class InterruptingTable:
    """A table beside which another process deletes the sessions of a tenant, before its operation of this number."""

    def __init__(self, table, number):
        self._table, self._left = table, number

    def __getattr__(self, name):
        operation = getattr(self._table, name)

        async def interrupt(*names, **more):
            self._left -= 1
            if self._left == -1:
                await session_index.erase(self._table, "acme")
            return await operation(*names, **more)

        return interrupt

    @property
    def was_interrupted(self):
        return self._left < 0


async def list_rows(table, session):
    index = await query_all(table, build_index_key("acme"))
    return [row.sort for row in [*index, *await query_all(table, build_key("acme", "ada", session))]]


@pytest.mark.parametrize(
    "use",
    [
        lambda store, session: store.note(session, [source(1), source(2)], [{"at": 0.0, "kind": "blocked"}]),
        lambda store, session: add_step(store, session, 2),
        lambda store, session: store.read(session),
        lambda store, session: store.finish(session),
    ],
)
@pytest.mark.parametrize("renews", [False, True])
async def test_a_session_that_is_deleted_at_any_moment_of_its_use_leaves_nothing(store_of, clock, use, renews):
    table, number = store_of().table, 0
    while True:
        store = store_of()
        session = (await begin_session(store)).id
        for hours in (3, 3.5) if renews else (0,):
            await store.note(session, [source(1)])
            clock.now += hours * HOURS
        store.table = interrupting = InterruptingTable(table, number)
        with suppress(SessionNotFound):
            await use(store, session)
        if not interrupting.was_interrupted:
            break
        assert (number, await list_rows(table, session)) == (number, [])
        number += 1
    assert number > 3


async def test_a_step_half_written_is_not_a_step_too_many(store_of):
    """Who dies between the step and the head has recorded the step: the next one stands behind it."""
    store = store_of()
    session = (await begin_session(store)).id
    await store.table.put(build_key("acme", "ada", session), "step/00002", json.dumps(step(2)).encode())
    research = await add_step(store, session, 3)
    assert [each["stepNumber"] for each in research.steps] == [1, 2, 3]


WRITER = """
import asyncio, sys
from pathlib import Path
from assay.local.cipher import Cipher
from assay.local.sqlite_table import SqliteTable
from assay.sessions.store import SessionStore

async def main():
    desk = SessionStore(SqliteTable(Path(sys.argv[1]), Cipher(bytes(range(32)))), "acme", "ada")
    step = lambda n: {"stepNumber": n, "description": "x", "timestamp": "t"}
    session = (await desk.begin("Otters", step(1), completed=False, head={})).id
    print(session, flush=True)
    for number in range(2, 200):
        await desk.add(session, step(number), completed=False, head={})
        await desk.note(session, [{"url": f"https://river.example/{number}"}])
        print(number, flush=True)

asyncio.run(main())
"""


async def test_who_is_killed_has_lost_nothing_that_was_acknowledged(tmp_path):
    place = tmp_path / "home" / "rows.sqlite3"
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(place), stdout=asyncio.subprocess.PIPE, env={"PYTHONPATH": str(SHARED)}
    )
    session = (await writer.stdout.readline()).decode().strip()
    for _ in range(12):
        done = int(await writer.stdout.readline())
    writer.kill()
    await writer.communicate()
    table = SqliteTable(place, Cipher(bytes(range(32))))
    store = SessionStore(table, "acme", "ada")
    research = await store.read(session)
    numbers = [each["stepNumber"] for each in research.steps]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= done
    assert len(research.sources) >= done - 1
    research = await add_step(store, session, 200)
    assert research.steps[-1]["stepNumber"] == 200
    await table.close()
