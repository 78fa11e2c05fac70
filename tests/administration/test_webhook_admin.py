"""Messages of webhooks that could not be delivered: administrators of their tenant list, retry and drop them."""

import pytest

from assay.caller import Caller

BOB = Caller("burrow", "bob")


@pytest.fixture
def park_message(site, clock, queue_event, register, work):
    """`await park_message(caller)`: the receiver fails until the message is parked."""

    async def park(caller):
        url = site.says("/hook", "no", 500, kind="text/plain")
        await queue_event(await register(url, caller), f"event of {caller.user}", caller)
        for _ in range(12):
            await work()
            clock.forward(86_400 / 2)

    return park


async def test_a_parked_message_is_listed_delivered_again_or_dropped(
    administer,
    park_message,
    site,
    work,
    received,
    lend_key,
):
    await park_message(Caller("acme", "ada"))
    await park_message(BOB)
    first = await administer("GET", "/admin/webhook-messages", limit=1)
    second = await administer("GET", "/admin/webhook-messages", limit=1, after=first["next"])
    assert {message["tenantId"] for message in first["messages"] + second["messages"]} == {"acme", "burrow"}
    [own] = (await administer("GET", "/admin/webhook-messages", tenant_id="acme"))["messages"]
    assert (own["state"], own["userId"], bool(own["reason"])) == ("parked", "ada", True)
    chief = await lend_key("burrow", "admin")
    for method, path in (("POST", "/admin/webhook-messages/retry"), ("DELETE", "/admin/webhook-messages")):
        await administer(method, path, chief, 404, id=own["id"])
    site.says("/hook", "fine", kind="text/plain")
    before = len(received())
    assert (await administer("POST", "/admin/webhook-messages/retry", id=own["id"]))["state"] == "waiting"
    await work()
    assert len(received()) == before + 1
    [other] = (await administer("GET", "/admin/webhook-messages", chief))["messages"]
    assert (await administer("DELETE", "/admin/webhook-messages", chief, id=other["id"]))["state"] == "dropped"
    assert (await administer("GET", "/admin/webhook-messages"))["messages"] == []
