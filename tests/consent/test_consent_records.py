"""Consents: what a person decided counts until they decide otherwise, and no decision is lost."""

import asyncio

import pytest

from assay.consent.consent_gate import find_refusal
from assay.consent.consent_records import PURPOSES
from assay.errors import ConfigError
from assay.settings import Settings
from assay.settings.parsers import PURPOSES as SETTABLE

YEARS = 366 * 86_400


async def test_nothing_is_granted_until_it_is(consents_of):
    consents = consents_of()
    assert [await consents.is_granted(purpose) for purpose in PURPOSES] == [False] * 4
    await consents.decide("memory", granted=True, decided_from="cli", terms_version="2026-01")
    assert await consents_of().is_granted("memory")
    assert not await consents.is_granted("analytics")


async def test_the_latest_decision_counts_and_all_are_kept_for_years(consents_of, clock):
    consents = consents_of()
    await consents.decide("memory", granted=True, decided_from="cli", terms_version="2026-01")
    clock.now += 60
    await consents.decide("memory", granted=False, decided_from="admin_api")
    clock.now += 5 * YEARS
    assert not await consents.is_granted("memory")
    history = [decision.wire() for decision in await consents_of().read_history()]
    assert [(each["granted"], each["decidedFrom"], each.get("termsVersion")) for each in history] == [
        (True, "cli", "2026-01"),
        (False, "admin_api", None),
    ]
    assert history[0]["decidedAt"] < history[1]["decidedAt"]


async def test_the_same_decision_again_is_no_new_one_but_new_terms_are(consents_of, clock):
    consents = consents_of()
    first = await consents.decide("memory", granted=True, decided_from="cli", terms_version="1")
    clock.now += 60
    assert await consents.decide("memory", granted=True, decided_from="cli", terms_version="1") == first
    await consents.decide("memory", granted=True, decided_from="cli", terms_version="2")
    assert [decision.terms_version for decision in await consents.read_history()] == ["1", "2"]


@pytest.mark.parametrize(("tenant", "user"), [("acme", "bob"), ("evil", "ada"), ("acme/ada", ""), ("ACME", "ada")])
async def test_one_persons_consent_is_nobody_elses(consents_of, tenant, user):
    await consents_of().decide("memory", granted=True, decided_from="cli")
    stranger = consents_of(tenant, user)
    assert not await stranger.is_granted("memory")
    assert await stranger.read_history() == []
    await stranger.decide("memory", granted=False, decided_from="cli")
    assert await consents_of().is_granted("memory")


async def test_of_fifty_who_decide_at_once_no_decision_is_lost(consents_of):
    stores = [consents_of() for _ in range(4)]
    terms = [f"terms {number}" for number in range(50)]
    await asyncio.gather(
        *(
            stores[number % 4].decide("memory", granted=True, decided_from="cli", terms_version=version)
            for number, version in enumerate(terms)
        )
    )
    assert sorted(decision.terms_version for decision in await stores[0].read_history()) == sorted(terms)


async def test_the_setting_grants_only_where_nobody_decided(consents_of):
    setting = {"granted_by_setting": frozenset({"memory", "analytics"})}
    ada = consents_of(**setting)
    await ada.decide("analytics", granted=False, decided_from="cli")
    assert await ada.is_granted("memory")
    assert not await ada.is_granted("analytics")
    assert [decision.decided_from for decision in await consents_of().read_history()] == ["cli", "setting"]
    await ada.decide("memory", granted=False, decided_from="cli")
    assert not await ada.is_granted("memory")


async def test_each_decision_is_audited_once(consents_of):
    events = []
    consents = consents_of(observers=[lambda call: events.append(call.event())])
    for granted in (True, True, False):
        await consents.decide("memory", granted=granted, decided_from="cli")
    assert [(each["event_type"], each["tenant_id"], each["user_id"]) for each in events] == [
        ("consent.grant", "acme", "ada"),
        ("consent.withdraw", "acme", "ada"),
    ]
    assert [each["metadata"]["purpose"] for each in events] == ["memory", "memory"]


@pytest.mark.parametrize(
    ("tenant", "user", "status", "way"),
    [
        ("local", "local", "no_consent", "`assay consent grant memory` on this machine"),
        ("acme", "ada", "no_consent", "`assay consent grant memory --tenant acme --user ada`"),
        ("acme", "anonymous", "unavailable", "key of your own"),
    ],
)
async def test_a_refusal_says_how_to_consent(consents_of, tenant, user, status, way):
    refusal = await find_refusal(consents_of(tenant, user), "memory")
    assert refusal.status == status
    assert way in refusal.reason


def test_the_setting_is_for_one_persons_machine():
    assert Settings.read({"ASSAY_CONSENT": "Memory, analytics"}).consent == {"memory", "analytics"}
    assert frozenset(PURPOSES) == SETTABLE
    with pytest.raises(ConfigError, match="analytics, memory"):
        Settings.read({"ASSAY_CONSENT": "all"})
    for shared in ("ASSAY_TABLE", "AWS_LAMBDA_FUNCTION_NAME"):
        with pytest.raises(ConfigError, match="one person's machine"):
            Settings.read({"ASSAY_CONSENT": "memory", shared: "x"})
