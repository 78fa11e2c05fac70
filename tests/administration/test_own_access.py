"""What people do for themselves through the endpoints of administration: the same functions, bound to the person."""

import json
from dataclasses import replace

import pytest

from assay.administration.access_admin import MOST_OWN_KEYS, OWN_KEY_SECONDS
from assay.administration.access_admin import SCANNED as SCANNED_KEYS
from assay.administration.admin_call import AdminCall, Administrator, OwnAccess
from assay.administration.admin_endpoints import ENDPOINTS, run_endpoint
from assay.caller import Caller
from assay.context import Context
from assay.entrypoints.auth import KeyRing, identify_key
from assay.errors import Forbidden, InvalidInput, NotFound, Unauthenticated
from assay.invoke import invoke
from assay.oauth.grants import Authorization, create_grant
from assay.oauth.principals import Principal
from assay.personal_data.audit_events import SCANNED
from assay.state.key_store import build_key, find_key_by_id, revoke_key, save_key
from assay.workspaces.workspace_store import WorkspaceMembers

EVENT = {
    "timestamp": "2026-11-23T09:00:00.000+00:00",
    "event_type": "tool_call",
    "tenant_id": "acme",
    "tool_name": "web_search",
    "duration_ms": 3,
    "success": True,
    "metadata": {"door": "mcp", "cache_hit": False},
}


@pytest.fixture
def own(services):
    """`await own("list-keys", …)`: the wire answer of the endpoint to Ada, who is no administrator."""

    async def run(command, may=frozenset({"*"}), key="", user="ada", read_only=False, **arguments):
        [endpoint] = [one for one in ENDPOINTS if one.command == command]
        person = Administrator(user, "acme", read_only, OwnAccess(user, may, key))
        return (await run_endpoint(endpoint, arguments, AdminCall(services, person, "console"))).wire()

    return run


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.command)
async def test_a_person_reaches_their_own_data_alone(endpoint, own):
    if not endpoint.is_own:
        with pytest.raises(Forbidden):
            await own(endpoint.command)
        return
    assert {"tenant_id", "user_id"} <= set(endpoint.tool.input_schema["properties"])
    for foreign in ({"user_id": "bob"}, {"tenant_id": "burrow"}, {"userId": "bob"}, {"tenantId": "burrow"}):
        with pytest.raises((Forbidden, InvalidInput)):
            await own(endpoint.command, **foreign)
    if not endpoint.tool.read_only:
        with pytest.raises(Forbidden, match="read-only"):
            await own(endpoint.command, read_only=True)


OWN = [endpoint for endpoint in ENDPOINTS if endpoint.is_own]
FOR_EVERY_KEY = {  # consents, which calls need; and keys and grants, of which the key sees those that can do no more
    "read-consent", "list-consents", "decide-consent", "list-keys", "create-key", "revoke-key", "list-grants", "revoke-grant",
}  # fmt: skip
FOR_KEYS_OF_TOOLS = {
    "list-workspaces": {"tool:workspace_read"},
    "list-research-sessions": {"tool:research_export"},
    "list-user-jobs": {"tool:cinder_get_crawl_status", "tool:audit_document", "tool:get_tool_call"},
}


@pytest.mark.parametrize("endpoint", OWN, ids=lambda endpoint: endpoint.command)
async def test_a_key_for_some_tools_rules_over_its_calls_alone(endpoint, own):
    async def is_refused(*scopes, key="0" * 64):
        try:
            await own(endpoint.command, frozenset(scopes), key=key)
        except Forbidden as refusal:
            return "every tool" in str(refusal)
        except (InvalidInput, NotFound):  # of what was sent, or not: the key was accepted
            return False
        return False

    tools = FOR_KEYS_OF_TOOLS.get(endpoint.command, set())
    assert await is_refused("tool:dedupe_rank", "admin") is (endpoint.command not in FOR_EVERY_KEY)
    for scope in tools:
        assert await is_refused(*(tools - {scope})) is True
    if tools:
        assert await is_refused(*tools) is False
    assert await is_refused("tool:*") is False
    assert await is_refused("core", key="") is False  # a person of the identity provider, whatever their role


async def test_a_key_for_some_tools_sees_the_keys_and_grants_that_can_do_no_more_and_revokes_no_others(own, services):
    async def allow(scopes, client):
        principal = Principal("acme", "ada", frozenset({"*"}), "key", "1" * 64)
        allowed = Authorization(
            principal,
            client=client,
            client_name=client,
            host="app.example",
            scopes=scopes,
            resource="https://a.example",
        )
        return (await create_grant(services.table, allowed, services.clock())).grant

    every, some = await allow(frozenset({"tool:*"}), "every"), await allow(frozenset({"core"}), "some")
    for name in ("core", "tool:web_search"):
        await own("create-key", name=name.replace(":", "-"), scopes=[name])
    await own("create-key", name="everything")
    asked = {"may": frozenset({"core"}), "key": "0" * 64}
    assert [key["name"] for key in (await own("list-keys", **asked))["keys"]] == ["core"]
    assert [grant["client"] for grant in (await own("list-grants", **asked))["grants"]] == ["some"]
    with pytest.raises(Forbidden, match="more than your key"):
        await own("revoke-grant", **asked, id=every)
    await own("revoke-grant", **asked, id=some)
    assert [grant["client"] for grant in (await own("list-grants"))["grants"]] == ["every"]
    assert len((await own("list-keys"))["keys"]) == 3


async def test_a_key_for_some_tools_revokes_no_key_that_can_do_more(own, services):
    everything = (await own("create-key", name="everything"))["entry"]
    narrow = (await own("create-key", name="narrow", scopes=["core"]))["entry"]
    with pytest.raises(Forbidden, match="more than"):
        await own("revoke-key", frozenset({"core"}), key="0" * 64, id=everything["id"])
    await own("revoke-key", frozenset({"core"}), key="0" * 64, id=narrow["id"])
    assert [each["name"] for each in (await own("list-keys"))["keys"]] == ["everything"]


async def test_a_key_of_ones_own_can_do_no_more_than_its_owner(own, services):
    created = await own("create-key", frozenset({"core", "admin"}), name="laptop", scopes=["core"], expires="9999d")
    entry = created["entry"]
    assert (entry["tenantId"], entry["userId"], entry["scopes"]) == ("acme", "ada", ["core"])
    key = await find_key_by_id(services.table, entry["id"])
    assert key.expires == key.created + OWN_KEY_SECONDS
    for scopes in (["*"], ["tool:*"], ["scholar"], ["core", "research"], ["admin"]):
        with pytest.raises(Forbidden):
            await own("create-key", frozenset({"core", "admin"}), name="more", scopes=scopes)
    assert [each["name"] for each in (await own("list-keys"))["keys"]] == ["laptop"]
    assert (await own("list-keys", user="bob"))["keys"] == []
    with pytest.raises(NotFound):
        await own("revoke-key", user="bob", id=entry["id"])
    await own("revoke-key", id=entry["id"])
    assert (await own("list-keys"))["keys"] == []


async def test_a_key_of_ones_own_ends_with_the_key_that_it_rests_on(own, services):
    _, parent = build_key("first", services.clock(), tenant="acme", user="ada", scopes=["core"])
    await save_key(services.table, parent)
    created = await own("create-key", key=parent.digest, name="second")
    caller = await identify_key(created["key"], KeyRing(), services)
    assert (caller.tenant, caller.user, caller.scopes) == ("acme", "ada", {"core"})  # no more than the first one
    exported = await own("export-data")
    assert [each.get("parent") for each in exported["namespaces"]["api_keys"]].count(parent.id) == 1
    assert parent.digest not in str(exported)
    third = await own("create-key", key=(await find_key_by_id(services.table, created["entry"]["id"])).digest, name="x")
    await revoke_key(services.table, parent.id)
    services.recent_keys.clear()
    for secret in (created["key"], third["key"]):
        with pytest.raises(Unauthenticated):
            await identify_key(secret, KeyRing(), services)


async def test_a_person_has_a_limited_number_of_keys(own):
    for number in range(MOST_OWN_KEYS):
        await own("create-key", name=f"key-{number}")
    with pytest.raises(InvalidInput, match="Revoke one"):
        await own("create-key", name="another")


async def test_the_number_of_ones_keys_is_limited_however_many_others_there_are(own, services):
    for number in range(MOST_OWN_KEYS):
        await own("create-key", name=f"key-{number}")
    foreign = build_key("foreign", services.clock(), tenant="acme", user="bob")[1]
    for number in range(SCANNED_KEYS):  # their rows come first
        await save_key(services.table, replace(foreign, digest=f"{number:064}"))
    with pytest.raises(InvalidInput, match="Revoke one"):
        await own("create-key", name="another")


async def test_reading_ones_own_data_is_no_event_and_changing_it_is(own, services, events):
    await own("list-keys")
    await own("list-audit-events")
    assert events == []
    await own("decide-consent", purpose="memory", granted=True)
    assert [(event["event_type"], event["metadata"]["door"]) for event in events] == [
        ("consent.grant", "web"),
        ("admin.action", "console"),
    ]


async def test_the_audit_trail_of_a_person_is_read_backwards_page_by_page(own, services):
    for number in range(7):
        for user in ("ada", "bob"):
            ctx = Context(services, Caller("acme", user), entrypoint="mcp", request_id=f"{user}-{number}")
            await invoke("read_artifact", {"id": f"secret-{number}"}, ctx)
    found, after = [], None
    for _ in range(3):
        page = await own("list-audit-events", limit=3, **({"after": after} if after else {}))
        found += page["events"]
        after = page.get("next")
    assert [event["requestId"] for event in found] == [f"ada-{number}" for number in range(6, -1, -1)]
    assert {(event["tool"], event["success"], event["entrypoint"]) for event in found} == {
        ("read_artifact", False, "mcp")
    }
    assert after is None
    errors = (await own("list-audit-events"))["errors"]
    assert len(errors) == 7
    assert all("cause" in error for error in errors)
    for place in ("audit.jsonl:x", "../x:1", "audit.jsonl", "x" * 1_001):
        with pytest.raises(InvalidInput):
            await own("list-audit-events", after=place)


async def test_the_pages_of_a_long_trail_are_bounded(own, services):
    def write(user, number, padding):
        return json.dumps(EVENT | {"user_id": user, "request_id": f"{user}-{number}", "padding": "x" * padding}) + "\n"

    lines = [write("bob", number, 40_000) + write("ada", number, 10) for number in range(3 * SCANNED // 40_000)]
    services.settings.home.mkdir(exist_ok=True)
    (services.settings.home / "audit-000000000001.jsonl").write_text("".join(lines))
    found, pages, after = [], 0, None
    while pages == 0 or after:
        page = await own("list-audit-events", limit=500, **({"after": after} if after else {}))
        found, pages, after = found + page["events"], pages + 1, page.get("next")
    assert [event["requestId"] for event in found] == [f"ada-{number}" for number in range(len(lines) - 1, -1, -1)]
    assert pages >= 3


async def test_administrators_see_no_messages_of_a_persons_errors(administer, services):
    await invoke("read_artifact", {"id": "secret"}, Context(services, Caller("acme", "ada"), entrypoint="mcp"))
    shown = await administer("GET", "/admin/audit-events", tenant_id="acme", user_id="ada")
    assert len(shown["events"]) == len(shown["errors"]) == 1
    assert "cause" not in shown["errors"][0]
    assert "secret" not in str(shown)


async def test_the_workspaces_of_a_person_are_listed(own, services):
    for workspace, user in (("reefs", "ada"), ("dunes", "ada"), ("caves", "bob")):
        await WorkspaceMembers(services.table, workspace).add("acme", user)
    found = await own("list-workspaces")
    assert ([each["workspaceId"] for each in found["workspaces"]], found["isComplete"]) == (["dunes", "reefs"], True)


async def test_missing_settings_say_what_they_would_enable(administer):
    missing = (await administer("GET", "/admin/missing-settings"))["missing"]
    by_variable = {variable: each for each in missing for variable in each["variables"]}
    assert by_variable["EXA_API_KEY"]["kind"] == "provider"
    assert "web" in by_variable["EXA_API_KEY"]["enables"]
    assert "watch" in by_variable["MONITORING_ENABLED"]["enables"]
    assert not {"BRAVE_API_KEY", "MEMORY_ENABLED"} & set(by_variable)  # they are set
