"""Enterprise-managed authorization: an identity provider grants a client access with a signed assertion."""

import time
import uuid

import pytest
import pytest_asyncio
from joserfc.jwk import RSAKey
from tests.oauth.browsers import Client
from tests.oauth.test_client_authentication import ASSERTION, KEYS, sign
from tests.oauth.test_identity_provider import Provider

BASE = "http://127.0.0.1:8787"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


@pytest.fixture
def environ(environ, site):
    return environ | {
        "ASSAY_OIDC_ISSUER": site.url + "/issuer",
        "ASSAY_OIDC_CLIENT_ID": "assay",
        "ASSAY_OIDC_ALLOWED": "@acme.example",
    }


@pytest.fixture
def provider(site):
    return Provider(site)


@pytest_asyncio.fixture
async def agent(connect):
    """A client of the company, which authenticates."""
    client = Client(await connect("192.0.2.9"))
    return await client.register(token_endpoint_auth_method="private_key_jwt", jwks=KEYS)


@pytest.fixture
def ask(agent, provider):
    """The answer to an assertion with these claims."""

    async def post(*, header=None, key=None, more=None, **claims):
        known = {
            "aud": BASE,
            "client_id": agent.id,
            "email": "ada@acme.example",
            "email_verified": True,
            "jti": uuid.uuid4().hex,
            "resource": f"{BASE}/mcp",
            "scope": "core json",
        }
        header = {"typ": "oauth-id-jag+jwt"} | (header or {})
        form = {
            "grant_type": GRANT,
            "assertion": provider.sign(header=header, key=key, **(known | claims)),
            "client_assertion_type": ASSERTION,
            "client_assertion": sign(agent.id),
        } | (more or {})
        return await agent.http.post("/oauth/token", data=form)

    return post


async def test_an_assertion_is_exchanged_for_a_token_without_a_refresh_token(ask, call_tool, browser):
    answer = await ask()
    assert answer.status_code == 200, answer.text
    token = answer.json()
    assert token["scope"] == "core json"
    assert "refresh_token" not in token
    assert (await call_tool(token["access_token"])).status_code == 403
    assert (await call_tool(token["access_token"], "metadata_extract")).status_code == 200
    server = (await browser.open("/.well-known/oauth-authorization-server")).json()
    assert GRANT in server["grant_types_supported"]
    assert server["authorization_grant_profiles_supported"] == ["urn:ietf:params:oauth:grant-profile:id-jag"]
    narrower = (await ask(more={"scope": "json"})).json()
    assert narrower["scope"] == "json"


REFUSED = {
    "another audience": {"aud": "https://other.example"},
    "another client": {"client_id": "other"},
    "another issuer": {"iss": "https://evil.example"},
    "another resource": {"resource": "https://other.example/mcp"},
    "no subject": {"sub": None},
    "no identifier": {"jti": None},
    "a stranger": {"email": "eve@evil.example"},
    "a mail that may not be verified": {"email_verified": None},
    "an expired one": {"exp": int(time.time()) - 120},
    "an unknown scope": {"scope": "admin"},
    "an ID token": {"header": {"typ": "JWT"}},
    "an access token": {"header": {"typ": "at+jwt"}},
    "a stranger's signature": {"key": RSAKey.generate_key(2048, {"kid": "rsa"})},
    "no proof of the client": {"more": {"client_assertion": ""}},
}


@pytest.mark.parametrize("kind", sorted(REFUSED))
async def test_an_assertion_is_refused_with(ask, kind):
    answer = await ask(**REFUSED[kind])
    assert answer.status_code in (400, 401)
    assert "access_token" not in answer.json()


async def test_an_assertion_is_used_once(ask):
    jti = uuid.uuid4().hex
    assert (await ask(jti=jti)).status_code == 200
    assert (await ask(jti=jti)).json()["error"] == "invalid_grant"


async def test_a_public_client_cannot_use_assertions(ask, client, agent):
    answer = await ask(client_id=client.id, more={"client_id": client.id, "client_assertion": ""})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


async def test_an_assertion_is_no_access_token(services, provider, connect, environ):
    from assay.settings import Settings

    services.settings = Settings.read(environ | {"OAUTH_ISSUER_URL": provider.url})
    http = await connect()
    for header, status in (({"typ": "oauth-id-jag+jwt"}, 401), ({"typ": "at+jwt"}, 200)):
        token = provider.sign(header=header, aud=BASE)
        answer = await http.get("/tools", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == status
