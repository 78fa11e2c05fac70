"""Members alone read and contribute; a removed one nothing from the next moment on."""

import asyncio

import pytest

from assay.workspaces.workspace_store import RETENTION_SECONDS, NotMember


async def list_notes(store, **more):
    return [contribution.note for contribution in (await store.read(**more)).contributions]


async def test_a_member_reads_what_another_shared_with_its_provenance(workspace_of, members, clock):
    await members.add("acme", "ada")
    await members.add("beta", "bob")
    shared = await workspace_of().contribute("Otters hold hands", url="https://a.example/", tags=["sleep", "sleep"])
    [found] = (await workspace_of("bob", "beta").read()).contributions
    assert found == shared
    assert (found.tenant, found.user, found.created, found.tags) == ("acme", "ada", clock.now, ("sleep",))


@pytest.mark.parametrize(
    ("user", "tenant", "name"), [("eve", "acme", "river"), ("ada", "beta", "river"), ("ada", "acme", "sea")]
)
async def test_others_neither_read_nor_contribute(workspace_of, members, user, tenant, name):
    await members.add("acme", "ada")
    shared = await workspace_of().contribute("Otters hold hands")
    stranger = workspace_of(user, tenant, name)
    for refused in (stranger.read, lambda: stranger.contribute("x")):
        with pytest.raises(NotMember):
            await refused()
    assert not await stranger.withdraw(shared.id)
    assert await list_notes(workspace_of()) == ["Otters hold hands"]


async def test_a_removed_member_sees_nothing_and_can_still_withdraw(workspace_of, members):
    await members.add("acme", "ada")
    await members.add("acme", "bob")
    store = workspace_of()
    shared = await store.contribute("Otters hold hands")
    assert await members.remove("acme", "ada")
    assert not await members.remove("acme", "ada")
    with pytest.raises(NotMember):
        await store.read()
    assert await list_notes(workspace_of("bob")) == ["Otters hold hands"]
    assert await store.withdraw(shared.id)
    assert await list_notes(workspace_of("bob")) == []


async def test_pages_cover_all_from_the_newest_on_and_contributions_expire(workspace_of, members, clock):
    await members.add("acme", "ada")
    store = workspace_of()
    for number in range(5):
        clock.now += 1
        await store.contribute(f"Note {number}")
    first = await store.read(limit=3)
    second = await store.read(limit=3, after=first.after)
    assert second.after is None
    notes = [each.note for page in (first, second) for each in page.contributions]
    assert notes == [f"Note {number}" for number in range(4, -1, -1)]
    clock.now += RETENTION_SECONDS + 1
    assert await list_notes(store) == []


async def test_fifty_writers_lose_nothing(workspace_of, members):
    await members.add("acme", "ada")
    stores = [workspace_of() for _ in range(5)]
    await asyncio.gather(*(stores[number % 5].contribute(f"Note {number}") for number in range(50)))
    assert sorted(await list_notes(stores[0], limit=100)) == sorted(f"Note {number}" for number in range(50))
