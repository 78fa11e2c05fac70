"""What a Table owes us, whoever keeps it."""

import asyncio

import pytest

from assay.state import json_documents
from assay.state.ports import ROW_BYTES, Conflict, ValueTooLarge

MANY = 50


async def test_what_is_put_is_got(table):
    version = await table.put("key", "sort", b"\x00\xff value")
    item = await table.get("key", "sort")
    assert item == ("sort", b"\x00\xff value", version)
    assert await table.get("key", "another") is None
    assert await table.get("another", "sort") is None


async def test_many_rows_are_got_in_the_order_asked_and_absent_ones_are_none(table, clock):
    for number in range(230):
        await table.put("k", f"{number:03}", b"%d" % number)
    await table.put("k", "past", b"x", until=clock() + 10)
    clock.now += 11
    await table.put("other", "absent", b"x")
    sorts = ["007", "past", "absent", *(f"{number:03}" for number in range(229, 99, -1))]
    rows = await table.get_many("k", sorts)
    assert rows[1:3] == [None, None]
    assert [row.value for row in (rows[0], *rows[3:])] == [b"7", *(b"%d" % number for number in range(229, 99, -1))]
    assert rows[0] == await table.get("k", "007")
    assert await table.get_many("k", []) == []


async def test_many_large_rows_are_got_although_one_answer_does_not_hold_them(table):
    for number in range(50):
        await table.put("k", str(number), bytes([number]) * 360_000)
    rows = await table.get_many("k", [str(number) for number in range(50)])
    assert [row.value[0] for row in rows] == list(range(50))


async def test_an_empty_value_is_a_value(table):
    await table.put("key", "-", b"")
    assert (await table.get("key")).value == b""


async def test_a_later_write_stands_and_has_a_later_version(table):
    first = await table.put("key", "sort", b"one")
    second = await table.put("key", "sort", b"two")
    assert second > first
    assert await table.get("key", "sort") == ("sort", b"two", second)


async def test_expecting_nothing_writes_once(table):
    await table.put("key", "sort", b"one", expect=0)
    with pytest.raises(Conflict):
        await table.put("key", "sort", b"two", expect=0)
    assert (await table.get("key", "sort")).value == b"one"


async def test_expecting_a_version_writes_over_that_version_only(table):
    first = await table.put("key", "sort", b"one")
    second = await table.put("key", "sort", b"two", expect=first)
    for stale in (first, second + 1):
        with pytest.raises(Conflict):
            await table.put("key", "sort", b"three", expect=stale)
    assert await table.get("key", "sort") == ("sort", b"two", second)


async def test_expecting_a_version_of_an_absent_row_is_a_conflict(table):
    with pytest.raises(Conflict):
        await table.put("key", "sort", b"value", expect=1)
    assert await table.get("key", "sort") is None


async def test_a_recreated_row_does_not_meet_an_old_version(table):
    old = await table.put("key", "sort", b"one")
    await table.delete("key", "sort")
    await table.put("key", "sort", b"two", expect=0)
    with pytest.raises(Conflict):
        await table.put("key", "sort", b"three", expect=old)


async def test_deleting_removes_the_row_and_an_absent_row_does_no_harm(table):
    await table.put("key", "one", b"1")
    await table.put("key", "two", b"2")
    await table.delete("key", "one")
    await table.delete("key", "one")
    assert await table.get("key", "one") is None
    assert (await table.get("key", "two")).value == b"2"


async def test_deleting_with_a_version_deletes_that_version_only(table):
    first = await table.put("key", "sort", b"one")
    second = await table.put("key", "sort", b"two")
    for stale in (first, 0):
        with pytest.raises(Conflict):
            await table.delete("key", "sort", expect=stale)
    await table.delete("key", "sort", expect=second)
    assert await table.get("key", "sort") is None
    with pytest.raises(Conflict):
        await table.delete("key", "sort", expect=second)
    await table.delete("key", "sort", expect=0)


async def sorts(table, key, prefix="", **options):
    return [item.sort for item in (await table.query(key, prefix, **options)).items]


async def test_a_query_gives_the_rows_under_a_prefix_in_order(table):
    for sort in ("b/2", "a/1", "b/10", "b", "c", "b/1"):
        await table.put("key", sort, sort.encode())
    await table.put("another", "b/0", b"")
    page = await table.query("key", "b/")
    assert [(item.sort, item.value) for item in page.items] == [("b/1", b"b/1"), ("b/10", b"b/10"), ("b/2", b"b/2")]
    assert page.after is None
    assert [item.version for item in page.items] == [(await table.get("key", item.sort)).version for item in page.items]
    assert await sorts(table, "key") == ["a/1", "b", "b/1", "b/10", "b/2", "c"]
    assert await sorts(table, "key", "b/", descending=True) == ["b/2", "b/10", "b/1"]
    assert await sorts(table, "key", "nothing") == []


@pytest.mark.parametrize("descending", [False, True])
async def test_pages_follow_each_other_without_gap_or_repetition(table, descending):
    names = [f"s{number:02}" for number in range(25)]
    for sort in [*names, "r", "t"]:
        await table.put("key", sort, b"")
    seen, after = [], None
    for _ in range(3):
        page = await table.query("key", "s", after=after, limit=10, descending=descending)
        seen += [item.sort for item in page.items]
        after = page.after
    assert after is None
    assert seen == sorted(names, reverse=descending)


async def test_a_page_that_takes_all_is_the_last(table):
    for sort in ("a", "b"):
        await table.put("key", sort, b"")
    assert (await table.query("key", limit=2)).after is None
    assert (await table.query("key", limit=1)).after == "a"


async def test_a_page_may_begin_where_no_row_is_any_more(table):
    for sort in ("s1", "s2", "s3"):
        await table.put("key", sort, b"")
    await table.delete("key", "s2")
    assert await sorts(table, "key", "s", after="s2") == ["s3"]
    assert await sorts(table, "key", "s", after="s2", descending=True) == ["s1"]


async def test_a_page_may_begin_outside_the_prefix(table):
    for sort in ("a", "s1", "s2", "z"):
        await table.put("key", sort, b"")
    assert await sorts(table, "key", "s", after="a") == ["s1", "s2"]
    assert await sorts(table, "key", "s", after="z") == []
    assert await sorts(table, "key", "s", after="a", descending=True) == []
    assert await sorts(table, "key", "s", after="z", descending=True) == ["s2", "s1"]


async def test_names_of_every_script_are_ordered_by_their_bytes(table):
    names = [
        "a",
        "A",
        "ab",
        "a\x7f",
        "a\uffff",
        "a\U0010ffff",
        "a\U0010ffffz",
        "b",
        "é",
        "e\u0301",
        "\ud7ff",
        "\ue000",
        "\U0001f600",
    ]
    names += ["中文", "中", "a/%_*", "a'\"; --", " ", "\u200d", "\x01", "ﬀ"]
    for sort in names:
        await table.put("ключ 🔑", sort, sort.encode())
    ordered = sorted(names, key=str.encode)
    assert await sorts(table, "ключ 🔑") == ordered
    assert await sorts(table, "ключ 🔑", descending=True) == ordered[::-1]
    for prefix in names:
        assert await sorts(table, "ключ 🔑", prefix) == [sort for sort in ordered if sort.startswith(prefix)]
    assert (await table.get("ключ 🔑", "中文")).value == "中文".encode()


async def test_an_expired_row_is_as_good_as_absent(table, clock):
    live = await table.put("key", "live", b"", until=clock.now + 100)
    version = await table.put("key", "gone", b"old", until=clock.now + 10)
    assert (await table.get("key", "gone")).value == b"old"
    clock.now += 11
    assert await table.get("key", "gone") is None
    assert await sorts(table, "key") == ["live"]
    with pytest.raises(Conflict):
        await table.put("key", "gone", b"new", expect=version)
    with pytest.raises(Conflict):
        await table.delete("key", "gone", expect=version)
    await table.delete("key", "gone", expect=0)
    assert (await table.get("key", "live")).version == live


async def test_an_expired_row_gives_way_to_a_new_one(table, clock):
    version = await table.put("key", "sort", b"old", until=clock.now + 10)
    clock.now += 11
    assert await table.put("key", "sort", b"new", expect=0) > version
    clock.now += 1000
    assert (await table.get("key", "sort")).value == b"new"


async def test_a_later_write_renews_when_the_row_expires(table, clock):
    version = await table.put("key", "sort", b"one", until=clock.now + 10)
    version = await table.put("key", "sort", b"two", until=clock.now + 100, expect=version)
    clock.now += 50
    assert (await table.get("key", "sort")).value == b"two"
    await table.put("key", "sort", b"three", expect=version)
    clock.now += 1000
    assert (await table.get("key", "sort")).value == b"three"


async def test_expired_rows_do_not_shorten_a_page(table, clock):
    for number in range(40):
        await table.put("key", f"s{number:02}", b"", until=clock.now + (1000 if number % 10 == 9 else 10))
    clock.now += 11
    page = await table.query("key", limit=3)
    assert [item.sort for item in page.items] == ["s09", "s19", "s29"]
    assert await sorts(table, "key", after=page.after, limit=3) == ["s39"]


async def test_a_counter_counts_and_is_not_a_row(table):
    assert [await table.add("key", "sort", amount) for amount in (1, 5, -2)] == [1, 6, 4]
    assert await table.add("key", "another") == 1
    assert await table.get("key", "sort") is None
    assert await sorts(table, "key") == []
    await table.put("key", "sort", b"row", expect=0)
    assert await table.add("key", "sort") == 5


async def test_a_counter_keeps_its_first_expiry_and_then_begins_again(table, clock):
    start = clock.now
    assert await table.add("key", "sort", until=start + 10) == 1
    clock.now = start + 5
    assert await table.add("key", "sort", until=start + 15) == 2
    clock.now = start + 11
    assert await table.add("key", "sort", 7, until=start + 21) == 7
    assert await table.add("key", "sort", until=start + 31) == 8
    clock.now = start + 22
    assert await table.add("key", "sort") == 1
    clock.now += 10_000
    assert await table.add("key", "sort") == 2


async def test_a_value_of_nearly_400_kb_fits_and_more_is_refused(table):
    limit = ROW_BYTES - len("key" + "sort")
    large = bytes(range(256)) * (limit // 256 + 1)
    await table.put("key", "sort", large[:limit])
    assert (await table.get("key", "sort")).value == large[:limit]
    assert [len(item.value) for item in (await table.query("key")).items] == [limit]
    with pytest.raises(ValueTooLarge):
        await table.put("key", "sort", large[: limit + 1])
    with pytest.raises(ValueTooLarge):
        await table.put("key", "sört", large[:limit])


async def test_a_query_gives_more_than_one_answer_of_the_service_holds(table):
    for number in range(6):
        await table.put("key", f"s{number}", bytes([number]) * 300_000)
    page = await table.query("key", limit=5)
    assert [(item.sort, item.value[:1], len(item.value)) for item in page.items] == [
        (f"s{number}", bytes([number]), 300_000) for number in range(5)
    ]
    assert await sorts(table, "key", after=page.after) == ["s5"]


@pytest.mark.parametrize(
    ("key", "sort"),
    [
        ("", "s"),
        ("k", ""),
        ("k\0", "s"),
        ("#k", "s"),
        ("k", "\0s"),
        ("k" * 1025, "s"),
        ("k", "s" * 901),
        ("é" * 513, "s"),
        ("k", "é" * 451),
        ("k", "\ud800"),
    ],
)
async def test_names_that_no_store_takes_are_refused(table, key, sort):
    for refused in (table.put(key, sort, b""), table.get(key, sort), table.delete(key, sort), table.add(key, sort)):
        with pytest.raises(ValueError):  # TooLarge is one too, and either way it is the caller's mistake
            await refused


async def test_the_longest_names_are_taken(table):
    key, sort = "é" * 512, "s" * 900
    await table.put(key, sort, b"value")
    assert await sorts(table, key, "s") == [sort]
    assert await table.add(key, sort) == 1


async def test_many_who_put_where_nothing_is_have_one_winner(honest_table):
    puts = [honest_table.put("key", "sort", str(number).encode(), expect=0) for number in range(MANY)]
    outcomes = await asyncio.gather(*puts, return_exceptions=True)
    [winner] = [number for number, outcome in enumerate(outcomes) if not isinstance(outcome, Conflict)]
    assert await honest_table.get("key", "sort") == ("sort", str(winner).encode(), outcomes[winner])


async def test_many_who_change_a_row_lose_no_update(honest_table):
    async def writes(writer):
        for number in range(3):
            await json_documents.update(
                honest_table, "key", "sort", lambda old, number=number: {**(old or {}), f"{writer}-{number}": 1}
            )

    await asyncio.gather(*(writes(writer) for writer in range(MANY)))
    document = await json_documents.load(honest_table, "key", "sort")
    assert document == {f"{writer}-{number}": 1 for writer in range(MANY) for number in range(3)}


async def test_many_who_count_lose_no_step(honest_table, clock):
    counts = await asyncio.gather(*(honest_table.add("key", "sort", until=clock.now + 10) for _ in range(MANY)))
    assert sorted(counts) == list(range(1, MANY + 1))
    clock.now += 11
    counts = await asyncio.gather(*(honest_table.add("key", "sort", until=clock.now + 10) for _ in range(MANY)))
    assert sorted(counts) == list(range(1, MANY + 1))


async def test_many_who_delete_one_version_have_one_winner(honest_table):
    version = await honest_table.put("key", "sort", b"")
    deletes = [honest_table.delete("key", "sort", expect=version) for _ in range(MANY)]
    outcomes = await asyncio.gather(*deletes, return_exceptions=True)
    assert outcomes.count(None) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == MANY - 1
