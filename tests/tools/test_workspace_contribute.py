"""workspace_contribute: with consent and membership only."""

import pytest

from assay.caller import Caller
from assay.own_stores import OwnStores
from assay.settings import Settings
from assay.workspaces.workspace_store import WorkspaceMembers

EVE, ANONYMOUS, BOB = Caller("acme", "eve"), Caller("acme", "anonymous"), Caller("acme", "bob")


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
    await OwnStores(services, EVE).consents.decide("workspace", granted=True, decided_from="test")
    for workspace in ("river", "sea"):
        answer = (await ask("workspace_read", EVE, workspace_id=workspace)).wire
        assert (answer["status"], answer["contributions"]) == ("not_member", [])
    assert [call.error for call in calls if call.kind == "tool_call"][-2:] == ["not_member"] * 2


@pytest.mark.parametrize(
    "wrong",
    [{"note": "x" * 65_537}, {"note": "é" * 32_769}, {"note": ""}, {"workspace_id": "a b"}, {"tags": ["x" * 51]}],
)
async def test_a_limit_is_named(ask, wrong):
    reply = await ask("workspace_contribute", **({"workspace_id": "river", "note": "x"} | wrong))
    assert reply.error.field.partition(".")[0] in wrong


async def test_a_member_has_a_limit_of_their_own_and_the_error_says_how_to_make_room(ask, services, river):
    services.settings = Settings.read({**services.settings.environ, "WORKSPACE_MAX_CONTRIBUTIONS": "2"})
    await OwnStores(services, BOB).consents.decide("workspace", granted=True, decided_from="test")
    first, _ = [(await ask("workspace_contribute", workspace_id="river", note=note)).wire for note in ("One", "Two")]
    error = (await ask("workspace_contribute", workspace_id="river", note="Three")).error
    assert (error.kind, error.field) == ("validation", "note")
    assert "You have 2 contributions" in error.message
    assert "workspace_withdraw" in error.message
    assert (await ask("workspace_contribute", BOB, workspace_id="river", note="Three")).wire["status"] == "ok"
    await ask("workspace_withdraw", workspace_id="river", id=first["id"])
    assert (await ask("workspace_contribute", workspace_id="river", note="Three")).wire["status"] == "ok"


async def test_contributions_that_expired_or_are_elsewhere_do_not_count(ask, services, river, clock):
    services.settings = Settings.read({**services.settings.environ, "WORKSPACE_MAX_CONTRIBUTIONS": "1"})
    await WorkspaceMembers(services.table, "sea", services.clock).add("local", "local")
    for workspace in ("river", "sea"):
        assert (await ask("workspace_contribute", workspace_id=workspace, note="One")).wire["status"] == "ok"
    clock.forward(services.settings.workspace_seconds + 2)
    assert (await ask("workspace_contribute", workspace_id="river", note="Two")).wire["status"] == "ok"
