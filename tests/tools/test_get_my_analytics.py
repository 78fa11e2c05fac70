"""get_my_analytics: the caller's own calls, counted with consent only."""

import pytest

from assay.caller import Caller
from assay.own_stores import OwnStores

ADA, BOB = Caller("acme", "ada"), Caller("acme", "bob")


@pytest.fixture
def environ(environ):
    return environ | {"USER_ANALYTICS_ENABLED": "true"}


async def consent(services, caller, *, granted):
    await OwnStores(services, caller).consents.decide("analytics", granted=granted, decided_from="test")


async def test_calls_are_counted_from_consent_to_withdrawal(ask, services, clock):
    await ask("format_bibliography", ADA, sources=[{"url": "https://a.example/", "title": "A"}])
    assert (await ask("get_my_analytics", ADA)).wire["status"] == "no_consent"
    await consent(services, ADA, granted=True)
    assert (await ask("get_my_analytics", ADA)).wire["status"] == "empty"
    clock.forward(1)
    await ask("format_bibliography", ADA, sources=[{"url": "https://a.example/", "title": "A"}])
    assert (await ask("format_bibliography", ADA, sources=1)).error is not None
    await ask("no_such_tool", ADA)
    found = (await ask("get_my_analytics", ADA)).wire["analytics"]
    assert found["toolCounts"] == {"format_bibliography": 2, "get_my_analytics": 1}
    assert (found["totalCalls"], found["recentTools"][0]) == (3, "format_bibliography")
    assert found["firstSeen"] < found["lastSeen"]
    await consent(services, ADA, granted=False)
    await ask("format_bibliography", ADA, sources=[{"url": "https://a.example/", "title": "A"}])
    assert (await ask("get_my_analytics", ADA)).wire["status"] == "no_consent"
    await consent(services, ADA, granted=True)
    assert (await ask("get_my_analytics", ADA)).wire["analytics"]["totalCalls"] == 4


async def test_nobody_sees_the_numbers_of_others(ask, services):
    for caller in (ADA, BOB):
        await consent(services, caller, granted=True)
    await ask("get_my_analytics", ADA)
    assert (await ask("get_my_analytics", BOB)).wire["status"] == "empty"
    assert (await ask("get_my_analytics", Caller("acme", "anonymous"))).wire["status"] == "unavailable"
