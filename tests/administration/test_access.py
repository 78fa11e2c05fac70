"""Who may administer: the operator's key and its predecessor, and keys and tokens with the scope admin."""

import pytest
from tests.administration.conftest import KEY, PREVIOUS

from assay.administration.admin_endpoints import ENDPOINTS
from assay.entrypoints.http.admin_access import CALLS
from assay.oauth.grants import Authorization, create_grant
from assay.oauth.principals import Principal
from assay.oauth.scopes import narrow
from assay.settings import Settings

BASE = "http://127.0.0.1:8787"


@pytest.fixture
def grant(services):
    """`await grant(tenant, person_scopes, token_scopes)`: headers with an access token."""

    async def give(tenant, owned, allowed):
        from assay.entrypoints.auth import get_key_digest
        from assay.state.key_store import build_key, save_key

        secret, key = build_key("ada", services.clock(), tenant=tenant, scopes=owned)
        await save_key(services.table, key)
        person = Principal(tenant, "ada", frozenset(owned), "ada", get_key_digest(secret))
        allowed = Authorization(person, "assay-cli", "CLI", "a program", frozenset(allowed), BASE)
        return {"authorization": f"Bearer {(await create_grant(services.table, allowed, services.clock())).access}"}

    return give


async def test_the_operator_s_key_is_accepted_and_audited(administer, events):
    assert (await administer("GET", "/admin/keys"))["keys"] == []
    assert [(e["event_type"], e["tenant_id"], e["user_id"], e["metadata"]["subject"]) for e in events] == [
        ("admin.action", "*", "operator", "list_keys")
    ]


async def test_the_previous_key_is_accepted_and_its_use_audited(administer, events):
    await administer("GET", "/admin/keys", {"x-admin-key": PREVIOUS})
    assert [event["event_type"] for event in events] == ["auth.admin_key_prev_used", "admin.action"]


@pytest.mark.parametrize("sent", ["", "x", KEY[:-1], KEY + "x", KEY.upper(), "é", "x" * 10_000])
async def test_any_other_key_is_refused_and_audited_without_it(http, events, sent):
    answer = await http.get("/admin/keys", headers={"x-admin-key": sent.encode("latin-1")})
    assert answer.status_code == 401
    assert [(event["event_type"], event["error_code"]) for event in events] == [("auth.failure", "admin_key_invalid")]
    assert not sent or len(sent) < 3 or sent not in answer.text + str(events)


async def test_guessing_is_slowed_down_and_does_not_lock_out_another_address(http, call_lambda):
    statuses = [(await http.get("/admin/keys", headers={"x-admin-key": "wrong"})).status_code for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    assert (await http.get("/admin/keys", headers={"x-admin-key": KEY})).status_code == 429
    assert (await call_lambda("GET", "/admin/keys", {"x-admin-key": KEY}))[0] == 200


async def test_calls_of_an_administrator_are_limited(http):
    answers = [await http.get("/admin/else", headers={"x-admin-key": KEY}) for _ in range(CALLS + 1)]
    assert [answer.status_code for answer in answers] == [404] * CALLS + [429]
    assert int(answers[-1].headers["retry-after"]) > 0


async def test_without_any_way_to_authenticate_there_are_no_routes(services, environ, http):
    services.settings = Settings.read(environ | {"ADMIN_API_KEY": "", "ADMIN_API_KEY_PREV": ""})
    services.requires_keys = False
    for endpoint in ENDPOINTS:
        answer = await http.request(endpoint.method, endpoint.path)
        assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "not_found"), endpoint.path


async def test_a_short_key_of_the_operator_is_an_error_of_configuration(services, environ, http):
    services.settings = Settings.read(environ | {"ADMIN_API_KEY": "short"})
    answer = await http.get("/admin/keys", headers={"x-admin-key": "short"})
    assert answer.json()["error"]["field"] == "ADMIN_API_KEY"


@pytest.mark.parametrize("scopes", [("*",), ("tool:*",), ("tool:admin",), ("core", "research")])
async def test_no_other_scope_covers_admin(http, lend_key, scopes):
    answer = await http.get("/admin/keys", headers=await lend_key("acme", *scopes))
    assert (answer.status_code, answer.json()["error"]["kind"]) == (403, "forbidden")


async def test_the_scope_admin_covers_no_tool(http, lend_key):
    answer = await http.post("/tools/read_artifact", json={"id": "x"}, headers=await lend_key("acme", "admin"))
    assert answer.status_code == 403


async def test_a_token_administers_if_person_and_token_have_the_scope(http, grant):
    accepted = await http.get("/admin/keys", headers=await grant("acme", ["*", "admin"], ["admin"]))
    assert accepted.status_code == 200, accepted.text
    lacking = await http.get("/admin/keys", headers=await grant("acme", ["*", "admin"], ["tool:*"]))
    assert lacking.status_code == 403
    assert 'error="insufficient_scope"' in lacking.headers["www-authenticate"]
    assert "admin" in lacking.headers["www-authenticate"]
    assert (await http.get("/admin/keys", headers=await grant("acme", ["*"], ["admin"]))).status_code == 403


@pytest.mark.parametrize(
    ("wanted", "owned", "granted"),
    [
        ({"tool:*"}, {"*", "admin"}, {"tool:*"}),
        ({"tool:*"}, {"core", "admin"}, {"core"}),
        ({"admin"}, {"*"}, set()),
        ({"admin", "core"}, {"*", "admin"}, {"admin", "core"}),
        ({"*"}, {"admin"}, set()),
    ],
)
def test_admin_is_granted_only_where_it_is_asked_for_and_owned(wanted, owned, granted):
    assert narrow(frozenset(wanted), frozenset(owned)) == granted


@pytest.mark.parametrize("method", ["PUT", "PATCH", "POST"])
async def test_another_method_is_refused_with_those_that_there_are(http, method):
    answer = await http.request(method, "/admin/settings", headers={"x-admin-key": KEY})
    assert (answer.status_code, "GET" in answer.json()["error"]["message"]) == (405, True)


async def test_an_unknown_path_names_the_routes_to_administrators_alone(http):
    known = await http.get("/admin/else", headers={"x-admin-key": KEY})
    assert (known.status_code, "/admin/keys" in known.text) == (404, True)
    assert (await http.get("/admin/else")).status_code == 401
