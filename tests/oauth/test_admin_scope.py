"""The scope admin: only the client that comes with the server obtains it, for a person who has it, on request."""

import pytest
from tests.oauth.browsers import KEY
from tests.oauth.issuers import Issuer

from assay.entrypoints.http import admin_api
from assay.settings import Settings
from assay.state.key_store import build_key, save_key

DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.fixture
def log_in(browser, client, services):
    """`await log_in(scope, key)`: the token of `assay login`, after the person allowed it; the consent page."""

    async def connect(scope, key):
        form = {"client_id": "assay-cli", "resource": "http://127.0.0.1:8787"} | ({"scope": scope} if scope else {})
        started = (await client.http.post("/oauth/device_authorization", data=form)).json()
        page = await browser.submit(
            "/oauth/device", await browser.open("/oauth/device"), user_code=started["user_code"]
        )
        page = await browser.sign_in(page, key)
        await browser.submit("/oauth/consent", page, decision="allow")
        form = {"grant_type": DEVICE_GRANT, "device_code": started["device_code"], "client_id": "assay-cli"}
        return (await client.http.post("/oauth/token", data=form)).json(), page

    return connect


@pytest.fixture
def create_admin_key(services):
    async def create():
        secret, key = build_key("chief", services.clock(), tenant="acme", scopes=["*", "admin"])
        await save_key(services.table, key)
        return secret

    return create


async def administer(client, token):
    return (await client.http.get("/admin/keys", headers={"authorization": f"Bearer {token}"})).status_code


async def test_the_command_line_obtains_it_for_a_person_who_has_it(client, log_in, create_admin_key):
    token, page = await log_in("admin", await create_admin_key())
    assert "Administer the data, keys and settings of the whole tenant" in page.text
    assert token["scope"] == "admin"
    assert await administer(client, token["access_token"]) == 200


async def test_it_is_not_granted_unless_it_is_asked_for(client, log_in, create_admin_key):
    token, page = await log_in("", await create_admin_key())
    assert "Administer" not in page.text
    assert token["scope"] == "tool:*"
    assert await administer(client, token["access_token"]) == 403


async def test_a_person_without_it_cannot_pass_it_on(log_in):
    answer, page = await log_in("admin", KEY)  # its scope is *
    assert page.status_code == 403
    assert answer["error"] == "authorization_pending"
    answer, _ = await log_in("admin tool:*", KEY)
    assert answer["scope"] == "tool:*"


async def test_a_client_that_registered_itself_cannot_ask_for_it(browser, client):
    await client.register(grant_types=["authorization_code", DEVICE_GRANT])
    page = await browser.open("/oauth/authorize", **(client.query | {"scope": "admin tool:*"}))
    assert "invalid_scope" in page.text
    form = {"client_id": client.id, "scope": "admin"}
    answer = await client.http.post("/oauth/device_authorization", data=form)
    assert answer.json()["error"] == "invalid_scope"


@pytest.mark.parametrize("path", ["oauth-authorization-server", "oauth-protected-resource"])
async def test_no_metadata_invite_clients_to_ask_for_it(client, path):
    assert "admin" not in (await client.http.get(f"/.well-known/{path}")).json()["scopes_supported"]


@pytest.mark.parametrize(
    ("variables", "scope", "status"),
    [
        ({"ENFORCE_SCOPES": "true"}, "admin", 200),
        ({"ENFORCE_SCOPES": "true"}, "tool:*", 403),
        ({}, "admin", 403),  # where scopes are not enforced, tokens name none that count
        ({"REQUIRED_SCOPES": "admin"}, "core", 403),
        ({"REQUIRED_SCOPES": "admin", "ENFORCE_SCOPES": "true"}, None, 403),
    ],
)
async def test_a_token_of_a_trusted_issuer_administers_if_scopes_are_enforced_and_it_names_it(
    services, site, environ, variables, scope, status
):
    issuer = Issuer(site)
    trusted = {"OAUTH_ISSUER_URL": site.url + "/issuer", "OAUTH_AUDIENCE": "assay"}
    services.settings = Settings.read(environ | trusted | variables)
    token = issuer.sign(scope=scope) if scope else issuer.sign()
    event = {
        "rawPath": "/admin/keys",
        "headers": {"host": "127.0.0.1:8787", "authorization": f"Bearer {token}"},
        "requestContext": {"http": {"method": "GET", "path": "/admin/keys"}},
    }
    assert (await admin_api.answer(event, None, services))["statusCode"] == status
