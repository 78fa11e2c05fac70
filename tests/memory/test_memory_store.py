"""What is remembered is found again, by its owner alone, until it is forgotten or expires."""

import asyncio
import dataclasses

import pytest
from tests.support.table_factories import client, dynamo

from assay.memory.memory_store import RETENTION_SECONDS, MemoryFull, MemoryMissing, MemoryStore

DAY = 86_400


async def list_notes(store, **more):
    return [memory.note for memory, _ in (await store.recall(limit=100, **more)).memories]


async def read_all(store):
    """Every memory, the oldest first."""
    return sorted([memory async for memory in store.iterate_all()], key=lambda memory: (memory.created, memory.id))


async def find(store, **which):
    return [memory async for memory in store.find(**which)]


async def test_another_instance_recalls_what_one_has_saved(memories_of):
    memory, merged = await memories_of().save(
        "Otters hold hands", topic="Otters", urls=["https://a.example/"], tags=["sleep"], session="s1", goal="Rivers"
    )
    assert not merged
    [(found, score)] = (await memories_of().recall(query="otter")).memories
    assert found == memory
    assert score > 0


async def test_the_newest_comes_first_and_pages_cover_all(memories_of, clock):
    store = memories_of()
    for number in range(7):
        clock.now += 1
        await store.save(f"Note {number}", topic="Even" if number % 2 == 0 else "Odd")
    assert await list_notes(store) == [f"Note {number}" for number in range(6, -1, -1)]
    assert await list_notes(store, topic="  EVEN ") == ["Note 6", "Note 4", "Note 2", "Note 0"]
    pages = [await store.recall(limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [[memory.note for memory, _ in page.memories] for page in pages] == [
        ["Note 6", "Note 5", "Note 4"], ["Note 3", "Note 2", "Note 1"], ["Note 0"], []
    ]  # fmt: skip
    assert {page.total for page in pages} == {7}


@pytest.mark.parametrize(
    ("note", "query"),
    [
        ("The otters were sleeping on the rivers", "sleep river otter"),
        ("Die Häuser am Fluss wurden überschwemmt", "haus überschwemmung fluss"),
        ("Les études cliniques ont été publiées", "étude clinique"),
        ("Los ríos crecieron tras las lluvias", "rio lluvia"),
        ("As marés subiram na baía", "maré da baía"),
        ("Исследования показали рост температуры", "исследование температур"),
        ("研究人员观测了湿地的甲烷通量", "湿地甲烷"),
        ("川の水位が上昇した", "水位の上昇"),
        ("การศึกษาใหม่เกี่ยวกับแม่น้ำ", "การศึกษา"),
        ("ارتفعت درجة حرارة البحر", "حرارة البحر"),
        ("The rate was 4.75 percent in 2024", "2024"),
    ],
)
async def test_words_find_a_memory_in_its_own_language(note, query, memories_of):
    store = memories_of()
    await asyncio.gather(store.save(note), store.save("Prime numbers 7"), store.save("Jazz à la carte"))
    assert [memory.note for memory, _ in (await store.recall(query=query)).memories] == [note]


async def test_rare_words_and_more_of_them_rank_higher(memories_of, clock):
    store = memories_of()
    for note in ("River water one", "River water two", "River otters", "A river of tea", "Tea"):
        clock.now += 1
        await store.save(note)
    assert (await list_notes(store, query="river otters"))[0] == "River otters"
    assert await list_notes(store, query="water river") == [
        "River water two", "River water one", "A river of tea", "River otters"
    ]  # fmt: skip
    assert await list_notes(store, query="the and of") == []
    assert await list_notes(store, query="zeppelin") == []


async def test_the_same_note_is_kept_once_with_all_its_provenance(memories_of, clock):
    store = memories_of()
    first, _ = await store.save("Otters  hold hands", topic="Otters", urls=["https://a.example/"], tags=["a"])
    clock.now += DAY
    again, merged = await store.save("otters hold HANDS", topic="otters", urls=["https://b.example/"], tags=["b"])
    other, apart = await store.save("Otters hold hands", topic="Sleep")
    assert (merged, apart) == (True, False)
    assert (again.id, again.note, again.created) == (first.id, "Otters  hold hands", first.created)
    assert (again.urls, again.tags) == (("https://a.example/", "https://b.example/"), ("a", "b"))
    assert again.until == first.until + DAY
    assert other.id != first.id
    assert (await store.recall(query="b")).total == 1


async def test_an_edit_replaces_what_is_given_and_is_found_by_its_new_words(memories_of):
    store = memories_of()
    memory, _ = await store.save("Otters hold hands", topic="Otters", urls=["https://a.example/"], tags=["a"])
    edited = await store.edit(memory.id, note="Beavers build dams", tags=["b"])
    assert (edited.id, edited.topic, edited.urls, edited.tags) == (memory.id, "Otters", memory.urls, ("b",))
    assert await list_notes(store, query="hands") == []
    assert await list_notes(store, query="dam") == ["Beavers build dams"]
    again, merged = await store.save("Otters hold hands", topic="Otters")
    assert not merged
    assert again.id != memory.id
    assert sorted(await list_notes(store)) == ["Beavers build dams", "Otters hold hands"]
    with pytest.raises(MemoryMissing):
        await store.edit("0" * 32, note="Nobody's")


async def test_what_is_forgotten_leaves_no_row(memories_of):
    store = memories_of()
    otter, _ = await store.save("Otters hold hands", topic="Otters", urls=["https://a.example/"])
    await store.save("Beavers build dams", urls=["https://b.example/"])
    await store.save("Herons fish", topic="Otters")
    assert {memory.note for memory in await find(store, topic="otters")} == {"Otters hold hands", "Herons fish"}
    [beavers] = await find(store, url="https://b.example/")
    assert await store.forget([otter.id, "0" * 32]) == 1
    assert await find(store, ids=[otter.id]) == []
    assert await list_notes(store, query="hands") == []
    assert await store.forget(memory.id for memory in [beavers, *await find(store, topic="Otters")]) == 2
    assert (await store._table.query(store._key)).items == []


async def test_a_save_that_was_cut_short_is_finished_by_saving_again(memories_of):
    store = memories_of()
    memory, _ = await store.save("Otters hold hands")
    for shard in (await store._table.query(store._key, "index/")).items:
        await store._table.delete(store._key, shard.sort)  # the process was killed before it wrote the index
    assert await read_all(store) == [memory]
    assert await list_notes(store, query="hands") == []
    again, merged = await store.save("Otters hold hands")
    assert (again.id, merged) == (memory.id, True)
    assert await list_notes(store, query="hands") == ["Otters hold hands"]


async def test_a_deletion_that_was_cut_short_is_finished_by_the_next(memories_of):
    store = memories_of()
    memory, _ = await store.save("Otters hold hands")
    await store._table.delete(store._key, f"memory/{memory.id}")  # and then the process was killed
    assert await list_notes(store, query="hands") == []
    assert await store.forget([memory.id]) == 0
    assert (await store._table.query(store._key)).items == []


@pytest.mark.parametrize(("tenant", "user"), [("acme", "bob"), ("evil", "ada"), ("acme/ada", ""), ("ACME", "ada")])
async def test_nobody_else_sees_counts_edits_or_deletes_it(memories_of, tenant, user):
    memory, _ = await memories_of().save("Otters hold hands", topic="Otters", urls=["https://a.example/"])
    stranger = memories_of(tenant, user)
    assert (await stranger.recall(query="otters")).total == (await stranger.recall()).total == 0
    assert (
        await find(stranger, ids=[memory.id]) == await find(stranger, topic="Otters") == await read_all(stranger) == []
    )
    with pytest.raises(MemoryMissing):
        await stranger.edit(memory.id, note="Mine")
    assert await stranger.forget([memory.id]) == 0
    assert await read_all(memories_of()) == [memory]


async def test_of_fifty_who_save_at_once_nothing_is_lost_and_nothing_is_double(memories_of):
    stores = [memories_of() for _ in range(5)]
    await asyncio.gather(
        *(stores[number % 5].save(f"Note number {number}", tags=["herd"]) for number in range(25)),
        *(stores[number % 5].save("The same", urls=[f"https://a.example/{number % 9}"]) for number in range(25)),
    )
    everything = await read_all(stores[0])
    assert len(everything) == 26
    [same] = [memory for memory in everything if memory.note == "The same"]
    assert set(same.urls) == {f"https://a.example/{number}" for number in range(9)}
    for store in stores:
        assert (await store.recall(query="herd")).total == 25
        assert (await store.recall()).total == 26


async def test_those_who_edit_and_forget_at_once_leave_an_index_that_agrees(memories_of):
    stores = [memories_of() for _ in range(3)]
    saved = [(await stores[0].save(f"Note number {number}"))[0] for number in range(6)]
    await asyncio.gather(
        *(stores[number % 3].edit(memory.id, note=f"Edit {number}") for number, memory in enumerate(saved[:4])),
        *(stores[number].edit(saved[0].id, tags=[f"tag{number}"]) for number in range(3)),
        stores[1].forget([saved[4].id, saved[5].id]),
    )
    rows = await read_all(stores[2])
    assert sorted(memory.note for memory in rows) == ["Edit 0", "Edit 1", "Edit 2", "Edit 3"]
    for store in stores:
        assert sorted(await list_notes(store)) == sorted(memory.note for memory in rows)
        [(tagged, _)] = (await store.recall(query=rows[0].tags[0] if rows[0].tags else "Edit 0", limit=1)).memories
        assert tagged in rows


async def test_a_memory_expires_unless_it_is_saved_again_or_edited(memories_of, clock):
    store = memories_of()
    await store.save("Kept")
    await store.save("Lost")
    clock.now += RETENTION_SECONDS - DAY
    await store.save("Kept")
    clock.now += 2 * DAY
    assert await list_notes(store) == ["Kept"]
    assert (await store.recall(query="lost")).total == 0
    assert [memory.note for memory in await read_all(store)] == ["Kept"]


async def test_a_full_memory_refuses_new_notes_and_keeps_the_old(memories_of, clock):
    store = memories_of(most=2)
    await store.save("One")
    await store.save("Two")
    with pytest.raises(MemoryFull):
        await store.save("Three")
    assert (await store.save("One"))[1]
    assert sorted(await list_notes(store)) == ["One", "Two"]
    clock.now += RETENTION_SECONDS + 1
    await store.save("Three")
    assert await list_notes(store) == ["Three"]


async def test_notes_with_very_many_words_stay_listed_where_the_index_has_no_room_for_them(in_sqlite, clock):
    """Every memory here falls into one row of the index, with words that do not compress."""
    import hashlib

    from assay.memory.memory_index import FEWEST_STEMS, build_shard, build_sort, choose_shard
    from assay.memory.memory_records import Memory

    table = in_sqlite()
    store, now = MemoryStore(table, "acme", "ada", clock=clock), clock()
    memory, _ = await store.save("Otters hold hands")
    number, shard = choose_shard(memory.id), build_shard()
    for at in range(60):
        words = (hashlib.sha256(f"{at} {word}".encode()).hexdigest()[:40] for word in range(FEWEST_STEMS))
        other = Memory(f"{at:032x}", " ".join(words), now, now, now + DAY)
        shard = shard.replace(other.id, other, now)
    assert len(shard.encode()) > 380_000
    while len(shard.encode()) > 379_500:
        shard = shard.replace(shard.entries[0].id, None, now)
    await table.put(store._key, build_sort(number), shard.encode(), until=now + DAY)
    full = " ".join(hashlib.sha256(f"new {word}".encode()).hexdigest()[:12] for word in range(FEWEST_STEMS))
    await store.edit(memory.id, note=full, topic="Otters")
    await store.edit(memory.id, note=f"{full} otters")
    assert await list_notes(store, topic="otters") == [f"{full} otters"]
    await table.close()


async def test_a_full_index_keeps_the_most_frequent_words_of_every_long_note(in_sqlite, clock):
    """Every memory here falls into one row of the index; each has 8,000 words of its own, one of which it repeats."""
    import hashlib

    from assay.memory.memory_index import build_sort, choose_shard
    from assay.memory.memory_records import Memory

    table, now = in_sqlite(), clock()
    store = MemoryStore(table, "acme", "ada", clock=clock)
    memory, _ = await store.save("Otters hold hands")
    number = choose_shard(memory.id)
    identities = [f"{number:08x}{at:024x}" for at in range(10)]
    for identity in identities:
        words = [hashlib.sha256(f"{identity} {word}".encode()).hexdigest()[:7] for word in range(8_000)]
        long = Memory(identity, " ".join([f"frequent{identity}"] * 3 + words)[:65_536], now, now, now + DAY)
        await table.put(store._key, f"memory/{identity}", long.encode(), until=now + DAY)
        await store._shards.update([identity])
    row = await table.get(store._key, build_sort(number))
    assert 200_000 < len(row.value) <= 380_000
    for identity in identities:
        assert [each.id for each, _ in (await store.recall(query=f"frequent{identity}")).memories] == [identity]
    [shard] = [shard for shard in await store._shards.read_all() if len(shard)]
    assert len(shard) == 11
    assert await list_notes(store, query="hands") == ["Otters hold hands"]
    small, _ = await store.save("Beavers build dams")
    assert await list_notes(store, query="dam") == [small.note]
    await table.close()


async def test_a_recall_among_ten_thousand_memories_takes_two_requests_to_dynamodb(in_engine, engine_url, clock):
    table = in_engine()
    store = MemoryStore(table, "acme", "ada", clock=clock)
    await index_many(store, table, 10_000, stored=20)
    await table.close()
    dynamodb, sent = client(engine_url), []
    dynamodb.meta.events.register("before-send.dynamodb", lambda request, **_: sent.append(request.headers))
    table = dynamo(dynamodb, table._name, clock)
    recalled = await MemoryStore(table, "acme", "ada", clock=clock).recall(query="otter", limit=20)
    assert (recalled.total, len(recalled.memories)) == (10_000, 20)
    assert [headers["X-Amz-Target"].partition(b".")[2] for headers in sent] == [b"BatchGetItem"] * 2
    await table.close()


async def index_many(store, table, count, *, stored):
    """Write the index of many memories, and the rows of the newest."""
    from assay.memory.memory_index import SHARDS, build_shard, build_sort, choose_shard
    from assay.memory.memory_records import Memory, build_id

    now = store._clock()
    drafts = [Memory("", f"Otter {number}", now + number, now, now + DAY) for number in range(count)]
    memories = [dataclasses.replace(draft, id=build_id(draft.content, 0)) for draft in drafts]
    await asyncio.gather(*(table.put(store._key, f"memory/{each.id}", each.encode()) for each in memories[-stored:]))
    for number in range(SHARDS):
        shard = build_shard().append_all(each for each in memories if choose_shard(each.id) == number)
        await table.put(store._key, build_sort(number), shard.encode(), until=now + DAY)
