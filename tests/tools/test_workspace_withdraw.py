"""workspace_withdraw: one's own contributions, and nobody else's."""

import pytest

from assay.caller import Caller

BOB = Caller("acme", "bob")


@pytest.fixture
def environ(environ):
    return environ | {"WORKSPACES_ENABLED": "true", "ASSAY_CONSENT": "workspace"}


async def test_only_the_contributor_withdraws_a_finding(ask, river):
    mine = (await ask("workspace_contribute", workspace_id="river", note="Otters hold hands.")).wire
    for caller, identity in ((BOB, mine["id"]), (Caller(), "0" * 32), (Caller(), "no id")):
        refused = await ask("workspace_withdraw", caller, workspace_id="river", id=identity)
        assert (refused.error.kind, refused.error.field) == ("not_found", "id")
    assert (await ask("workspace_read", workspace_id="river")).wire["count"] == 1
    assert (await ask("workspace_withdraw", workspace_id="river", id=mine["id"])).wire["status"] == "ok"
    assert (await ask("workspace_read", workspace_id="river")).wire["count"] == 0
