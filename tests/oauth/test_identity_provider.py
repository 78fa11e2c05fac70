"""Signing in through an OpenID Connect provider, which runs on loopback."""

import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from joserfc.jwk import RSAKey
from tests.oauth.issuers import KEYS, Issuer

from assay.oauth.pkce import build_challenge
from assay.settings import Settings

CLIENT_ID = "assay-at-provider"


class Provider(Issuer):
    """An issuer that signs people in: it answers the authorization request and redeems its code."""

    def __init__(self, site):
        super().__init__(site)
        endpoints = {"authorization_endpoint": self.url + "/login", "token_endpoint": self.url + "/token"}
        self.publish(KEYS.values(), **endpoints)
        self.endpoints = endpoints

    def answer(self, location, **changes):
        """The query of the redirect back to the server, after the person has signed in with these claims."""
        self.query = dict(parse_qsl(urlsplit(location).query))
        person = {"aud": CLIENT_ID, "email": "ada@acme.example", "email_verified": True, "nonce": self.query["nonce"]}
        self.says_token(id_token=self.sign(**(person | changes)))
        return {"code": "provider-code", "state": self.query["state"]}

    def says_token(self, status=200, **tokens):
        self.site.says("/issuer/token", json.dumps(tokens), status, kind="application/json")

    @property
    def redeemed(self):
        """The form that the server sent to the token endpoint last."""
        return [dict(parse_qsl(one.body.decode())) for one in self.site.requests if one.path == "/issuer/token"][-1]


@pytest.fixture
def environ(environ, site):
    return environ | {
        "ASSAY_API_KEYS": "",
        "ASSAY_OIDC_ISSUER": site.url + "/issuer",
        "ASSAY_OIDC_CLIENT_ID": CLIENT_ID,
        "ASSAY_OIDC_CLIENT_SECRET": "se cret:%",
        "ASSAY_OIDC_ALLOWED": "@acme.example, guest@other.example",
    }


@pytest.fixture
def configure(services):
    def change(**variables):
        services.settings = Settings.read({**services.settings.environ, **variables})

    return change


@pytest.fixture
def provider(site):
    return Provider(site)


@pytest.fixture
def begin(browser, client):
    """The address at the provider that the sign-in page leads to."""

    async def open_page():
        page = await browser.open("/oauth/authorize", **client.query)
        assert "Your Assay key" not in page.text
        link = page.text.partition('<a href="')[2].partition('"')[0]
        return (await browser.open(link)).headers["location"]

    return open_page


async def test_a_person_of_the_organization_signs_in_and_calls_a_tool(begin, browser, client, provider, call_tool):
    location = await begin()
    back = await browser.open("/oauth/callback", **provider.answer(location))
    assert "ada@acme.example" in back.text
    assert "Allow access?" in back.text
    token = (await client.exchange((await browser.allow(back))["code"])).json()
    assert (await call_tool(token["access_token"])).status_code == 200
    assert provider.query["redirect_uri"] == "http://127.0.0.1:8787/oauth/callback"
    assert provider.query["code_challenge"] == build_challenge(provider.redeemed["code_verifier"])
    assert "secret" not in location
    [basic] = [one.headers["authorization"] for one in provider.site.requests if one.path == "/issuer/token"]
    assert basic.startswith("Basic ")


async def test_tenant_and_scopes_come_from_claims(begin, browser, client, provider, configure, services):
    configure(
        ASSAY_OIDC_TENANT_CLAIM="org",
        ASSAY_OIDC_ROLE_CLAIM="groups",
        ASSAY_OIDC_ROLES='{"readers": ["core"], "crawlers": ["crawl"], "admins": ["tool:*"]}',
    )
    claims = {"org": "acme research", "groups": ["readers", "crawlers", "others"]}
    back = await browser.open("/oauth/callback", **provider.answer(await begin(), **claims))
    token = (await client.exchange((await browser.allow(back))["code"])).json()
    assert token["scope"] == "core crawl"
    from assay.oauth.token_store import load_token

    principal = (await load_token(services.table, token["access_token"])).principal
    assert principal.tenant.startswith("id-")  # a name with a space
    assert principal.user == "ada"


async def test_a_person_who_is_no_longer_allowed_is_logged_out(begin, browser, client, provider, configure, call_tool):
    back = await browser.open("/oauth/callback", **provider.answer(await begin()))
    token = (await client.exchange((await browser.allow(back))["code"])).json()
    assert (await client.refresh(token["refresh_token"])).status_code == 200
    assert "Account and keys" in (await browser.open("/console/account")).text
    assert (await call_tool(token["access_token"])).status_code == 200
    configure(ASSAY_OIDC_ALLOWED="bob@acme.example")
    assert (await call_tool(token["access_token"])).status_code == 401
    assert "Account and keys" not in (await browser.open("/console/account")).text
    assert (await client.refresh(token["refresh_token"])).json()["error"] == "invalid_grant"


REFUSED = {
    "another nonce": {"nonce": "x"},
    "no nonce": {"nonce": None},
    "another audience": {"aud": "other"},
    "another audience's token": {"aud": [CLIENT_ID, "other"], "azp": "other"},
    "another issuer": {"iss": "https://evil.example"},
    "an expired token": {"exp": 1},
    "a stranger's mail": {"email": "eve@evil.example"},
    "a look-alike domain": {"email": "eve@acme.example.evil.example"},
    "a mail that is not verified": {"email_verified": False},
    "a mail that is not verified, as text": {"email_verified": "false"},
    "a mail without a word on its verification": {"email_verified": None},
    "no mail": {"email": None},
    "no subject": {"sub": None},
    "a stranger's signature": {"key": RSAKey.generate_key(2048, {"kid": "rsa"})},
}


@pytest.mark.parametrize("kind", sorted(REFUSED))
async def test_a_sign_in_is_refused_with(begin, browser, provider, kind):
    back = await browser.open("/oauth/callback", **provider.answer(await begin(), **REFUSED[kind]))
    assert back.status_code == 403
    assert "Allow access?" not in back.text
    assert "organization" in (await browser.open("/console/account")).text  # nobody is signed in


async def test_an_answer_is_for_its_own_browser_once_and_of_the_right_provider(begin, browser, provider, connect):
    from tests.oauth.browsers import Browser

    answer = provider.answer(await begin())
    victim = Browser(await connect())
    await victim.open("/console/account")
    assert (await victim.open("/oauth/callback", **answer)).status_code == 403  # login CSRF
    assert (await browser.open("/oauth/callback", **answer | {"state": "x"})).status_code == 403
    assert (await browser.open("/oauth/callback", code="provider-code")).status_code == 403
    mixed = await browser.open("/oauth/callback", **answer, iss="https://evil.example")  # mix-up
    assert mixed.status_code == 403
    assert (await browser.open("/oauth/callback", **answer)).status_code == 403  # the state is used up
    done = provider.answer(await begin())
    assert (await browser.open("/oauth/callback", **done)).status_code == 200
    assert (await browser.open("/oauth/callback", **done)).status_code == 403


async def test_a_provider_that_fails_is_reported_without_its_words(begin, browser, provider):
    answer = provider.answer(await begin())
    provider.says_token(400, error="<script>alert(1)</script>")
    failed = await browser.open("/oauth/callback", **answer)
    assert failed.status_code == 502
    assert "<script" not in failed.text
    refused = await browser.open("/oauth/callback", error="access_denied", state=parse_state(await begin()))
    assert refused.status_code == 403
    provider.publish(KEYS.values(), issuer="https://evil.example", **provider.endpoints)
    page = await browser.open("/console/account")
    link = page.text.partition('<a href="')[2].partition('"')[0]
    assert (await browser.open(link)).status_code == 400


def parse_state(location):
    return dict(parse_qsl(urlsplit(location).query))["state"]


async def test_nobody_may_sign_in_until_the_operator_says_who(begin, browser, provider, configure):
    configure(ASSAY_OIDC_ALLOWED="")
    assert (await browser.open("/oauth/callback", **provider.answer(await begin()))).status_code == 403
    configure(ASSAY_OIDC_ALLOWED="*")
    assert (await browser.open("/oauth/callback", **provider.answer(await begin()))).status_code == 200


async def test_without_a_role_that_is_mapped_nobody_signs_in(begin, browser, provider, configure):
    configure(ASSAY_OIDC_ROLE_CLAIM="groups", ASSAY_OIDC_ROLES='{"readers": ["core"]}')
    for groups in (None, [], ["others"], {"x": 1}, "reader"):
        back = await browser.open("/oauth/callback", **provider.answer(await begin(), groups=groups))
        assert back.status_code == 403
    configure(ASSAY_OIDC_ROLE_CLAIM="groups", ASSAY_OIDC_ROLES="[")
    assert (await browser.open("/oauth/callback", **provider.answer(await begin()))).status_code == 400


async def test_mail_that_is_not_verified_names_neither_tenant_nor_person(begin, browser, provider, configure):
    configure(ASSAY_OIDC_ALLOWED="*")
    claims = {"email_verified": None, "tid": "acme"}
    assert (await browser.open("/oauth/callback", **provider.answer(await begin(), **claims))).status_code == 403
    configure(ASSAY_OIDC_ALLOWED="*", ASSAY_OIDC_TENANT_CLAIM="tid")
    back = await browser.open("/oauth/callback", **provider.answer(await begin(), **claims))
    assert "You are signed in as ada of acme" in back.text
    assert "acme.example" not in back.text


async def test_the_scopes_of_roles_are_read_anew_at_calls_and_refreshes(
    begin, browser, client, provider, configure, call_tool
):
    configure(ASSAY_OIDC_ROLE_CLAIM="groups", ASSAY_OIDC_ROLES='{"writers": ["tool:*"]}')
    back = await browser.open("/oauth/callback", **provider.answer(await begin(), groups=["writers"]))
    token = (await client.exchange((await browser.allow(back))["code"])).json()
    assert "insufficient_scope" not in (await call_tool(token["access_token"])).text
    configure(ASSAY_OIDC_ROLES='{"writers": ["crawl"]}')
    assert (await call_tool(token["access_token"])).status_code == 403
    token = (await client.refresh(token["refresh_token"])).json()
    assert (await call_tool(token["access_token"])).status_code == 403
    configure(ASSAY_OIDC_ROLES='{"readers": ["core"]}')
    assert (await call_tool(token["access_token"])).status_code == 401
    assert (await client.refresh(token["refresh_token"])).json()["error"] == "invalid_grant"


async def test_a_key_made_with_an_account_can_do_what_the_account_may_today_and_ends_with_it(
    begin, browser, provider, configure, call_tool
):
    configure(ASSAY_OIDC_ROLE_CLAIM="groups", ASSAY_OIDC_ROLES='{"writers": ["tool:*"]}')
    await browser.open("/oauth/callback", **provider.answer(await begin(), groups=["writers"]))
    page = await browser.open("/console/account")
    created = await browser.submit("/console/account/keys", page, name="laptop", scopes="tool:*", expires="7d")
    key = created.text.partition('<code id="secret">')[2].partition("<")[0]
    assert "scopes do not cover" not in (await call_tool(key)).text
    configure(ASSAY_OIDC_ROLES='{"writers": ["crawl"]}')
    assert "scopes do not cover" in (await call_tool(key)).text
    for name, ended in (("ROLES", '{"readers": ["core"]}'), ("ALLOWED", "@other.example")):
        configure(ASSAY_OIDC_ROLES='{"writers": ["tool:*"]}')
        assert (await call_tool(key)).status_code == 200
        configure(**{f"ASSAY_OIDC_{name}": ended})
        assert (await call_tool(key)).status_code == 401
