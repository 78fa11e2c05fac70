"""The endpoints of administration, at the local server: people's data, members, keys, grants, caches, limits, settings."""

import pytest
from infra.benchmarks.console_data import CountingTable, fill_memories
from tests.administration.conftest import KEY

from assay.administration.admin_endpoints import ENDPOINTS
from assay.caller import Caller
from assay.oauth.grants import Authorization, create_grant, list_grants
from assay.oauth.principals import Principal
from assay.own_stores import OwnStores
from assay.sessions.store import SessionStore
from assay.settings import Settings
from assay.workspaces import workspace_store

ADA, BOB = {"tenant_id": "acme", "user_id": "ada"}, {"tenant_id": "burrow", "user_id": "bob"}


@pytest.fixture
def remember(ask, services):
    """`await remember(person, notes…)`: the person consents and saves memories."""

    async def save(person, *notes):
        caller = Caller(person["tenant_id"], person["user_id"])
        await OwnStores(services, caller).consents.decide("memory", granted=True, decided_from="test")
        for note in notes:
            assert (await ask("memory_save", caller, note=note)).wire["status"] == "ok"

    return save


async def test_a_person_s_data_is_exported_page_by_page_and_then_erased(administer, remember, events):
    await remember(ADA, *(f"Otter {number} holds hands." for number in range(5)))
    await remember(BOB, "Badgers dig.")
    notes, after, pages = [], {}, 0
    while True:
        page = await administer("GET", "/admin/data", **ADA, limit=2, **after)
        notes += [item["note"] for item in page["namespaces"].get("memories", [])]
        pages += 1
        if "next" not in page:
            break
        after = {"after": page["next"]}
    assert sorted(notes) == [f"Otter {number} holds hands." for number in range(5)]
    assert pages > 3
    counted = await administer("DELETE", "/admin/data", **ADA, dry_run="true")
    assert (counted["dryRun"], counted["deleted"]["memories"], "receipt" in counted) == (True, 5, False)
    erased = await administer("DELETE", "/admin/data", **ADA)
    assert erased["deleted"]["memories"] == 5
    assert erased["receipt"]["consentsWithdrawn"] == 1
    assert (await administer("GET", "/admin/data", **ADA))["namespaces"]["memories"] == []
    assert len((await administer("GET", "/admin/data", **BOB))["namespaces"]["memories"]) == 1
    kinds = [event["event_type"] for event in events if event["tenant_id"] == "acme"]
    assert kinds.count("data.erasure") == 1
    assert kinds.count("data.export") == pages + 1  # each page, since an export may begin at any place


async def test_an_export_loses_nothing_where_items_are_deleted_between_its_pages(administer, ask, remember):
    await remember(ADA, *(f"Otter {number} holds hands." for number in range(6)))
    found, after, deleted = [], {}, []
    while True:
        page = await administer("GET", "/admin/data", **ADA, limit=2, **after)
        found += [item["item"] for item in page["namespaces"].get("memories", [])]
        if len(found) >= 2 and not deleted:
            deleted = found[:2]
            await ask("memory_forget", Caller("acme", "ada"), ids=deleted, dryRun=False)
        if "next" not in page:
            break
        after = {"after": page["next"]}
    assert len(found) == len(set(found)) == 6
    left = (await administer("GET", "/admin/data", **ADA))["namespaces"]["memories"]
    assert {item["item"] for item in left} == {*found} - {*deleted}


async def test_the_pages_of_an_export_read_what_is_stored_about_once(administer, services):
    ada = Caller("acme", "ada")
    await fill_memories(services.table, ada, 300)
    store = SessionStore(services.table, "acme", "ada")
    for number in range(6):
        session = await store.begin(f"Otters {number}", {"stepNumber": 1, "text": "x"}, completed=False, head={})
        await store.note(session.id, [{"url": f"https://river.example/{place}"} for place in range(100)])
    services.table = table = CountingTable(services.table)
    whole = await administer("GET", "/admin/data", **ADA)
    assert "next" not in whole
    once, table.rows, after = table.rows, 0, {}
    found = {"sessions": [], "memories": []}
    while True:
        page = await administer("GET", "/admin/data", **ADA, limit=50, **after)
        for name, items in found.items():
            items.extend(page["namespaces"].get(name, []))
        if "next" not in page:
            break
        after = {"after": page["next"]}
    assert found == {name: whole["namespaces"][name] for name in found}
    assert table.rows < 1.6 * once


async def test_consent_is_recorded_shown_and_withdrawn(administer, events):
    missing = await administer("GET", "/admin/consent", **ADA, purpose="memory", status=404)
    assert (missing["found"], missing["error"]["kind"]) == (False, "not_found")
    for granted in (True, False):
        decided = await administer(
            "POST", "/admin/consent", **ADA, purpose="memory", granted=granted, terms_version="2026-01"
        )
        assert (decided["granted"], decided["decidedFrom"]) == (granted, "admin_api")
        assert await administer("GET", "/admin/consent", **ADA, purpose="memory") == decided
    history = await administer("GET", "/admin/consents", **ADA)
    assert [row["granted"] for row in history["history"]] == [True, False]
    assert history["consents"] == [decided]
    kinds = [event["event_type"] for event in events if event["event_type"].startswith("consent.")]
    assert kinds == ["consent.grant", "consent.withdraw"]


async def test_members_are_added_listed_and_removed(administer, events):
    river = {"workspace_id": "river"}
    assert await administer("POST", "/admin/workspace/members", **river, **ADA) == {"status": "ok", "changed": True}
    assert (await administer("POST", "/admin/workspace/members", **river, **ADA))["changed"] is False
    await administer("POST", "/admin/workspace/members", **river, **BOB)
    listed = await administer("GET", "/admin/workspace/members", **river)
    assert [member["userId"] for member in listed["members"]] == ["ada", "bob"]
    assert (await administer("DELETE", "/admin/workspace/members", **river, **ADA))["changed"] is True
    assert (await administer("DELETE", "/admin/workspace/members", **river, **ADA))["changed"] is False
    kinds = [event["event_type"] for event in events if event["event_type"].startswith("workspace.")]
    assert kinds == ["workspace.member.add", "workspace.member.add", "workspace.member.remove"]


async def test_a_full_workspace_takes_nobody_else(administer, monkeypatch):
    monkeypatch.setattr(workspace_store, "MAX_MEMBERS", 1)
    river = {"workspace_id": "river"}
    await administer("POST", "/admin/workspace/members", **river, **ADA)
    refused = await administer("POST", "/admin/workspace/members", None, 400, **river, **BOB)
    assert refused["error"]["field"] == "workspace_id"
    assert "1 members of at most 1" in refused["error"]["message"]
    assert (await administer("POST", "/admin/workspace/members", **river, **ADA))["changed"] is False
    assert await administer("POST", "/admin/workspace/members", workspace_id="sea", **BOB)
    await administer("DELETE", "/admin/workspace/members", **river, **ADA)
    assert (await administer("POST", "/admin/workspace/members", **river, **BOB))["changed"] is True


async def test_a_tenant_s_administrator_adds_people_only_where_the_tenant_is_already(
    administer, lend_key, ask, services
):
    chief, river = await lend_key("burrow", "admin"), {"workspace_id": "river"}
    await administer("POST", "/admin/workspace/members", **river, **ADA)
    foreign = await administer("POST", "/admin/workspace/members", chief, 403, **river, user_id="bob")
    unused = await administer("POST", "/admin/workspace/members", chief, 403, workspace_id="x", user_id="bob")
    assert foreign == unused  # so nobody learns which workspaces there are
    await administer("POST", "/admin/workspace/members", **river, **BOB)
    assert (await administer("POST", "/admin/workspace/members", chief, **river, user_id="bea"))["changed"] is True
    listed = await administer("GET", "/admin/workspace/members", chief, **river)
    assert {member["tenantId"] for member in listed["members"]} == {"burrow"}


async def test_keys_are_created_used_listed_and_revoked(administer, http, events):
    made = await administer("POST", "/admin/keys", **ADA, name="laptop", scopes=["core"], expires="90d")
    headers = {"authorization": f"Bearer {made['key']}"}
    assert (await http.get("/tools", headers=headers)).status_code == 200
    for number in range(3):
        await administer("POST", "/admin/keys", **BOB, name=f"key{number}")
    first = await administer("GET", "/admin/keys", limit=2)
    second = await administer("GET", "/admin/keys", limit=2, after=first["next"])
    assert {key["name"] for key in first["keys"] + second["keys"]} == {"laptop", "key0", "key1", "key2"}
    assert [key["name"] for key in (await administer("GET", "/admin/keys", tenant_id="acme"))["keys"]] == ["laptop"]
    assert made["key"] not in str(first) + str(second) + str(events)
    await administer("DELETE", "/admin/keys", id=made["entry"]["id"])
    assert (await http.get("/tools", headers=headers)).status_code == 401
    await administer("DELETE", "/admin/keys", id=made["entry"]["id"], status=404)
    kinds = [event["event_type"] for event in events if event["event_type"].startswith("key.")]
    assert kinds == ["key.create"] * 4 + ["key.revoke"]


async def test_only_the_operator_passes_the_scope_admin_on(administer, lend_key):
    chief = await lend_key("acme", "*", "admin")
    refused = await administer("POST", "/admin/keys", chief, 403, name="x", user_id="ada", scopes=["admin"])
    assert refused["error"]["field"] == "scopes"
    made = await administer("POST", "/admin/keys", **ADA, name="chief", scopes=["admin"])
    assert await administer("GET", "/admin/keys", {"authorization": f"Bearer {made['key']}"})


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"name": "a b"}, "name"),
        ({"name": "x", "scopes": ["reserch"]}, "scope"),
        ({"name": "x", "expires": "soon"}, "expires"),
        ({"name": "x", "tenant_id": "a/b"}, "tenant_id"),
        ({}, "name"),
        ({"name": "x", "scope": ["core"]}, "scope"),
    ],
)
async def test_a_wrong_input_is_named(administer, arguments, field):
    refused = await administer("POST", "/admin/keys", status=400, **ADA | arguments)
    assert refused["error"]["field"] == field


async def test_grants_are_listed_and_revoked_with_their_tokens(administer, services, http, events):
    person = Principal("acme", "ada", frozenset({"tool:*"}), "ada")
    allowed = Authorization(
        person, "client-1", "Otter Reader", "otters.example", person.scopes, "http://127.0.0.1:8787"
    )
    await create_grant(services.table, allowed, services.clock())
    [grant] = (await administer("GET", "/admin/grants", **ADA))["grants"]
    assert (grant["clientName"], grant["host"]) == ("Otter Reader", "otters.example")
    await administer("DELETE", "/admin/grants", **BOB, id=grant["id"], status=404)
    assert (await administer("DELETE", "/admin/grants", **ADA, id=grant["id"]))["client"] == "client-1"
    assert await list_grants(services.table, "acme", "ada") == []
    assert [event["metadata"]["subject"] for event in events if event["event_type"] == "grant.revoke"] == ["client-1"]


async def test_sessions_are_listed_without_content_and_deleted(administer, services):
    step = {"stepNumber": 1, "description": "Otters?", "nextStepNeeded": True}
    for tenant, user in (("acme", "ada"), ("acme", "al"), ("burrow", "bob")):
        sessions = OwnStores(services, Caller(tenant, user)).sessions
        await sessions.begin("secret goal", step, completed=False, head={})
    listed = await administer("GET", "/admin/sessions", tenant_id="acme")
    assert listed["activeSessions"] == 2
    assert "secret goal" not in str(listed)
    [own] = (await administer("GET", "/admin/sessions", **ADA))["sessions"]
    await administer("DELETE", "/admin/session", tenant_id="burrow", id=own["id"], status=404)
    assert (await administer("DELETE", "/admin/session", tenant_id="acme", id=own["id"]))["deleted"] == 1
    flushed = await administer("DELETE", "/admin/sessions", tenant_id="acme")
    assert flushed == {"status": "sessions flushed", "deleted": 1}
    assert (await administer("GET", "/admin/sessions", tenant_id="burrow"))["activeSessions"] == 1


async def test_the_operator_flushes_the_sessions_of_all_tenants(administer, http, lend_key, services):
    step = {"stepNumber": 1, "description": "Otters?", "nextStepNeeded": True}
    for tenant in ("acme", "burrow", "local"):
        await OwnStores(services, Caller(tenant, "x")).sessions.begin("Otters", step, completed=False, head={})
        await http.post("/tools/read_artifact", json={"id": "x"}, headers=await lend_key(tenant, "*"))
    await administer("DELETE", "/admin/sessions", user_id="x", status=400)
    assert (await administer("DELETE", "/admin/sessions"))["deleted"] == 3


async def test_a_flush_of_one_tenant_s_cache_leaves_the_others(administer, ask, site, services, article):
    async def count_fetches(tenant):
        before = len(site.requests)
        assert (await ask("scrape_page", Caller(tenant, "x"), url=article)).error is None
        return len(site.requests) - before

    for tenant in ("acme", "burrow"):
        assert await count_fetches(tenant) > 0
        assert await count_fetches(tenant) == 0
    flushed = await administer("DELETE", "/admin/cache", tenant_id="acme")
    assert (flushed["status"], flushed["deleted"] > 0) == ("cache flushed", True)
    assert await count_fetches("burrow") == 0
    assert await count_fetches("acme") > 0
    assert await count_fetches("acme") == 0
    await administer("DELETE", "/admin/cache")
    assert await count_fetches("burrow") > 0


async def test_a_flush_reaches_what_another_process_holds_in_memory(services, settings, clock, administer):
    from datetime import timedelta

    from assay.bootstrap import local_services

    other = local_services(settings, clock)
    try:
        await other.cache.put("acme/x", {"n": 1}, timedelta(hours=1))
        assert (await other.cache.get("acme/x")).document == {"n": 1}
        clock.forward(1)
        await administer("DELETE", "/admin/cache", tenant_id="acme")
        clock.forward(5)
        assert await other.cache.get("acme/x") is None
    finally:
        await other.close()


async def test_limits_are_shown_with_their_use(administer, services, environ, ask, lend_key):
    limits = {"RATE_LIMIT_PER_TENANT": "100", "MAX_CALLS_PER_DAY": "9", "RATE_LIMIT_GLOBAL": "50"}
    services.settings = Settings.read(environ | limits | {"ASSAY_DAILY_BUDGET_USD": "2"})
    await ask("read_artifact", Caller("acme", "ada"), id="x")
    shown = await administer("GET", "/admin/quotas", **ADA)
    assert {
        row["name"]: (row["allowed"], row["used"]) for row in shown["quotas"] if row["name"] != "global-second"
    } == {
        "tenant-minute": (100, 1),
        "user-day": (9, 1),
    }
    assert (shown["spentTodayUsd"], shown["dailyBudgetUsd"]) == (0, 2)
    again = await administer("GET", "/admin/quotas", await lend_key("acme", "admin"))
    assert {row["name"]: row["used"] for row in again["quotas"]} == {"tenant-minute": 1}  # reading counts nothing


async def test_settings_are_shown_without_secrets(administer, services, environ):
    secret = {"SEARXNG_URL": "http://ada:hunter2@searx.example/", "LLM_API_KEY": "k-hunter3", "ASSAY_API_KEYS": "[]"}
    services.settings = Settings.read(environ | secret)
    shown = {row["variable"]: row for row in (await administer("GET", "/admin/settings"))["settings"]}
    assert shown["ADMIN_API_KEY"]["value"] == shown["BRAVE_API_KEY"]["value"] == "[REDACTED]"
    assert shown["SEARXNG_URL"]["value"] == "http://[REDACTED]@searx.example/"
    assert shown["ASSAY_API_KEYS"]["value"] == "[REDACTED]"
    assert (shown["SESSION_TTL"]["value"], shown["SESSION_TTL"]["isSet"]) == (14_400, False)
    for text in ("hunter", KEY, environ["BRAVE_API_KEY"]):
        assert text not in str(shown)


async def test_a_breaker_is_shown_open_and_closed_again(administer, services):
    from assay.errors import UpstreamFailed

    for _ in range(services.settings.breaker_failures):
        await services.search.breakers.record_failure("brave", UpstreamFailed("down"), trial=False)
    report = await administer("GET", "/admin/providers")
    [brave] = [provider for provider in report["providers"] if provider["name"] == "brave"]
    assert (brave["breaker"], brave["available"], report["status"]) == ("open", False, "degraded")
    assert (await administer("DELETE", "/admin/breaker", provider="brave"))["status"] == "healthy"
    refused = await administer("DELETE", "/admin/breaker", provider="nobody", status=400)
    assert "brave" in refused["error"]["alternatives"]


SAMPLES = {  # inputs that each endpoint accepts, beside the tenant
    "export_data": {"user_id": "ada"},
    "erase_data": {"user_id": "ada"},
    "decide_consent": {"user_id": "ada", "purpose": "memory", "granted": True},
    "read_consent": {"user_id": "ada", "purpose": "memory"},
    "list_consents": {"user_id": "ada"},
    "list_workspaces": {"user_id": "ada"},
    "list_research_sessions": {"user_id": "ada"},
    "list_user_jobs": {"user_id": "ada"},
    "list_audit_events": {"user_id": "ada"},
    "list_members": {"workspace_id": "river"},
    "add_member": {"workspace_id": "river", "user_id": "ada"},
    "remove_member": {"workspace_id": "river", "user_id": "ada"},
    "create_key": {"user_id": "ada", "name": "x"},
    "revoke_key": {"id": "0" * 16},
    "list_grants": {"user_id": "ada"},
    "revoke_grant": {"user_id": "ada", "id": "0" * 64},
    "delete_session": {"id": "0" * 64},
    "close_breaker": {"provider": "brave"},
    "retry_job": {"kind": "crawl", "id": "0" * 32},
    "drop_job": {"kind": "crawl", "id": "0" * 32},
    "retry_dead_letter": {"id": "0" * 32},
    "drop_dead_letter": {"id": "0" * 32},
    "retry_webhook_message": {"id": "0" * 32},
    "drop_webhook_message": {"id": "0" * 32},
}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.command)
async def test_an_administrator_of_one_tenant_does_not_rule_over_another(administer, lend_key, events, endpoint):
    chief, sample = await lend_key("burrow", "admin"), SAMPLES.get(endpoint.tool.name, {})
    if endpoint.reach in ("tenant", "any"):
        refused = await administer(endpoint.method, endpoint.path, chief, 403, **sample, tenant_id="acme")
        assert refused["error"]["field"] == "tenant_id"
    elif endpoint.reach == "operator":
        refused = await administer(endpoint.method, endpoint.path, chief, 403, **sample)
    else:
        return
    assert refused["error"]["kind"] == "forbidden"
    last = events[-1]
    assert (last["event_type"], last["tenant_id"], last["error_code"]) == ("admin.action", "burrow", "forbidden")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.command)
async def test_a_read_only_key_changes_nothing(http, lend_key, endpoint):
    assert endpoint.tool.read_only == (endpoint.method == "GET")
    chief, sample = await lend_key("acme", "admin", read_only=True), SAMPLES.get(endpoint.tool.name, {})
    sent = {"json": sample} if endpoint.method == "POST" else {"params": sample}
    answer = await http.request(endpoint.method, endpoint.path, headers=chief, **sent)
    if endpoint.method != "GET":
        assert (answer.status_code, "read-only" in answer.text) == (403, True)
    else:
        assert "This key is read-only" not in answer.text


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.command)
async def test_the_rest_function_of_lambda_answers_as_the_local_server_does(http, call_lambda, endpoint):
    sample = {"tenant_id": "acme"} if endpoint.reach in ("tenant", "any") else {}
    sample |= SAMPLES.get(endpoint.tool.name, {})
    if endpoint.tool.name in ("create_key", "erase_data"):  # their answers have something new each time
        sample |= {"scopes": ["none"]} if endpoint.tool.name == "create_key" else {"dry_run": True}
    headers = {"x-admin-key": KEY, "x-request-id": "same"}
    query = "&".join(f"{name}={value}" for name, value in sample.items())
    sent = {"json": sample} if endpoint.method == "POST" else {"params": query}
    here = await http.request(endpoint.method, endpoint.path, headers=headers, **sent)
    there = await call_lambda(
        endpoint.method,
        endpoint.path,
        headers,
        query="" if endpoint.method == "POST" else query,
        body=sample if endpoint.method == "POST" else None,
    )
    if endpoint.media_type:
        assert (here.status_code, here.text) == there
        assert here.headers["content-type"] == endpoint.media_type
        return
    times = {"exportedAt", "namespaces", "flushedAt", "deleted", "generatedAt", "changed"}
    answers = [{key: value for key, value in body.items() if key not in times} for body in (here.json(), there[1])]
    assert (here.status_code, answers[0]) == (there[0], answers[1])
