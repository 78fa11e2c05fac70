"""workspace_contribute: with consent and membership only."""

import pytest

from assay.context import Caller, Context

EVE, ANONYMOUS = Caller("acme", "eve"), Caller("acme", "anonymous")


@pytest.fixture
def environ(environ):
    return environ | {"WORKSPACES_ENABLED": "true", "ASSAY_CONSENT": "workspace"}


async def test_consent_comes_before_membership_and_membership_before_content(ask, services, river):
    await ask("workspace_contribute", workspace_id="river", note="Otters hold hands.")
    calls = []
    services.observers.append(calls.append)
    for caller, status in ((ANONYMOUS, "unavailable"), (EVE, "no_consent")):
        for tool, more in (("workspace_read", {}), ("workspace_contribute", {"note": "x"})):
            assert (await ask(tool, caller, workspace_id="river", **more)).wire["status"] == status
    await Context(services, EVE).consents.decide("workspace", granted=True, decided_from="test")
    for workspace in ("river", "sea"):
        answer = (await ask("workspace_read", EVE, workspace_id=workspace)).wire
        assert (answer["status"], answer["contributions"]) == ("not_member", [])
    assert [call.error for call in calls if call.kind == "tool_call"][-2:] == ["not_member"] * 2


@pytest.mark.parametrize("wrong", [{"note": "x" * 4001}, {"note": ""}, {"workspace_id": "a b"}, {"tags": ["x" * 51]}])
async def test_a_limit_is_named(ask, wrong):
    reply = await ask("workspace_contribute", **({"workspace_id": "river", "note": "x"} | wrong))
    assert reply.error.field.partition(".")[0] in wrong
