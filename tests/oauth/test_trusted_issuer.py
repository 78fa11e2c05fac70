"""Access tokens of an operator's issuer, at the doors of MCP and of the HTTPS tools."""

import base64
import dataclasses
import hmac
import json
import time

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from tests.oauth.issuers import KEYS, Issuer

from assay.entrypoints.http import http_api
from assay.entrypoints.mcp import stateless_server
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.settings import Settings


@pytest.fixture
def issuer(site):
    return Issuer(site)


@pytest.fixture
def environ(environ, site):
    return environ | {"ASSAY_API_KEYS": "", "OAUTH_ISSUER_URL": site.url + "/issuer", "OAUTH_AUDIENCE": "assay"}


@pytest.fixture
def configure(services):
    def change(**variables):
        services.settings = Settings.read({**services.settings.environ, **variables})
        services.__dict__.pop("issuer", None)

    return change


@pytest.fixture
def call(services):
    """The answer of a tool to a call with this token."""

    async def post(token, **headers):
        event = {
            "headers": {"host": "127.0.0.1:8787", "authorization": f"Bearer {token}"} | headers,
            "body": json.dumps({"format": "wrong"}),
        }
        return await http_api.answer("format_bibliography", event, None, services)

    return post


def is_accepted(answer):
    """The call came through to the tool, which refuses the argument."""
    return answer["statusCode"] == 400


@pytest.mark.parametrize("algorithm", sorted(KEYS))
async def test_a_signed_token_is_accepted(call, issuer, algorithm):
    assert is_accepted(await call(issuer.sign(algorithm)))
    assert is_accepted(await call(issuer.sign(algorithm)))
    assert [one.path for one in issuer.site.requests].count("/issuer/keys") == 1


async def test_the_caller_is_whom_the_token_names(services, issuer):
    headers = {"host": "127.0.0.1", "authorization": "Bearer " + issuer.sign(scope="core json", scp=["crawl"])}
    caller = await http_api.authenticate_headers(headers, services, "https", "1")
    assert (caller.tenant, caller.user, caller.has_token) == ("acme", "ada", True)
    assert caller.scopes == {"tool:*"}  # scopes are not enforced
    other = {"authorization": "Bearer " + issuer.sign(tenant_id=None, sub="auth0|a/../b")}
    caller = await http_api.authenticate_headers(other, services, "https", "1")
    assert caller.tenant == "default"
    assert caller.user.startswith("id-")


def forge(header, claims, signature=b"x"):
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def public_key_as_secret(issuer):
    signed, _, _ = forge({"alg": "HS256", "kid": "rsa"}, issuer.claims()).rpartition(".")
    code = hmac.digest(KEYS["RS256"].as_pem(private=False), signed.encode(), "sha256")
    return f"{signed}.{base64.urlsafe_b64encode(code).rstrip(b'=').decode()}"


NOW = int(time.time())
FORGED = {
    "expired": lambda issuer: issuer.sign(exp=NOW - 120),
    "without an expiry": lambda issuer: issuer.sign(exp=None),
    "with a text as expiry": lambda issuer: forge({"alg": "RS256", "kid": "rsa"}, issuer.claims(exp="never")),
    "with an expiry that is not a number": lambda issuer: issuer.sign(exp=float("nan")),
    "not valid yet": lambda issuer: issuer.sign(nbf=int(time.time()) + 600),
    "issued in the future": lambda issuer: issuer.sign(iat=int(time.time()) + 600),
    "of another audience": lambda issuer: issuer.sign(aud="other"),
    "of several other audiences": lambda issuer: issuer.sign(aud=["other", "assay2"]),
    "without an audience": lambda issuer: issuer.sign(aud=None),
    "of another issuer": lambda issuer: issuer.sign(iss="https://evil.example"),
    "of nearly the same issuer": lambda issuer: issuer.sign(iss=issuer.url + "/"),
    "not signed": lambda issuer: forge({"alg": "none"}, issuer.claims(), b""),
    "signed with the public key": public_key_as_secret,
    "signed by a stranger": lambda issuer: issuer.sign(key=RSAKey.generate_key(2048, {"kid": "rsa"})),
    "signed by a stranger who sends the key": lambda issuer: forge(
        {"alg": "RS256", "jwk": RSAKey.generate_key(2048).as_dict(private=False)}, issuer.claims()
    ),
    "with an unknown key": lambda issuer: issuer.sign(key=RSAKey.generate_key(2048, {"kid": "new"})),
    "with the key of another algorithm": lambda issuer: forge(
        {"alg": "ES256", "kid": "rsa"}, issuer.claims(), b"x" * 64
    ),
    "with a critical extension": lambda issuer: forge(
        {"alg": "RS256", "kid": "rsa", "crit": ["x"], "x": 1}, issuer.claims()
    ),
    "too long": lambda issuer: issuer.sign(extra="x" * 9_000),
    "nonsense": lambda _: "eyJ.eyJ.x",
    "nonsense in base64": lambda _: "eyJhbGciOiJSUzI1NiJ9.W10.x",
}


@pytest.mark.parametrize("kind", sorted(FORGED))
async def test_a_token_is_refused_that_is(call, issuer, kind):
    token = FORGED[kind](issuer)
    answer = await call(token)
    assert answer["statusCode"] == 401
    assert token not in answer["body"]
    challenge = answer["headers"]["www-authenticate"]
    assert 'error="invalid_token"' in challenge
    assert 'resource_metadata="http://127.0.0.1:8787/.well-known/oauth-protected-resource"' in challenge


async def test_clocks_may_disagree_by_a_minute(call, issuer):
    now = int(time.time())
    assert is_accepted(await call(issuer.sign(exp=now - 40)))
    assert is_accepted(await call(issuer.sign(nbf=now + 40, iat=now + 40)))


async def test_a_key_set_without_identifiers_serves_too(call, issuer):
    key = RSAKey.generate_key(2048)
    assert "kid" not in key.as_dict()
    issuer.publish([KEYS["ES256"], key])
    token = jwt.encode({"alg": "RS256"}, issuer.claims(), key, algorithms=["RS256"])
    assert is_accepted(await call(token))


async def test_rotated_keys_are_fetched_once_a_minute_at_most(call, issuer, services):
    assert is_accepted(await call(issuer.sign()))
    rotated = RSAKey.generate_key(2048, {"kid": "new"})
    issuer.publish([rotated])
    services.issuer.keys._tried -= 61
    assert is_accepted(await call(issuer.sign(key=rotated)))
    before = len(issuer.site.requests)
    for number in range(5):
        answer = await call(forge({"alg": "RS256", "kid": f"unknown-{number}"}, issuer.claims()))
        assert answer["statusCode"] == 401
    assert len(issuer.site.requests) == before


async def test_an_issuer_that_cannot_be_reached_is_an_outage_and_no_refusal(call, issuer, services):
    issuer.site.says("/issuer/.well-known/openid-configuration", "", 503)
    answer = await call(issuer.sign())
    assert answer["statusCode"] >= 500
    issuer.publish(KEYS.values())
    services.issuer.keys._tried -= 61
    assert is_accepted(await call(issuer.sign()))
    issuer.site.says("/issuer/.well-known/openid-configuration", "", 503)
    services.issuer.keys._tried -= 7_200
    services.issuer.keys._fetched -= 7_200
    assert is_accepted(await call(issuer.sign()))  # with the keys of two hours ago


async def test_metadata_of_another_issuer_are_refused(call, issuer):
    issuer.publish(KEYS.values(), issuer="https://evil.example")
    assert (await call(issuer.sign()))["statusCode"] >= 500


async def test_an_issuer_without_metadata_has_its_keys_at_the_usual_place(call, issuer):
    page = issuer.site.pages.pop("/issuer/keys")
    del issuer.site.pages["/issuer/.well-known/openid-configuration"]
    issuer.site.pages["/issuer/.well-known/jwks.json"] = page
    assert is_accepted(await call(issuer.sign()))


async def test_a_revoked_token_is_refused(call, issuer, services):
    token, other = issuer.sign(jti="1"), issuer.sign(jti="2")
    assert is_accepted(await call(token))
    await services.issuer.revoke(token, {"assay"})
    assert (await call(token))["statusCode"] == 401
    assert is_accepted(await call(other))


async def test_without_a_configured_audience_the_token_must_name_the_endpoint(call, issuer, configure):
    configure(OAUTH_AUDIENCE="")
    assert is_accepted(await call(issuer.sign(aud=["http://127.0.0.1:8787", "x"])))
    assert (await call(issuer.sign(aud="assay")))["statusCode"] == 401
    assert (await call(issuer.sign(aud="http://127.0.0.1:8787"), host="evil.example"))["statusCode"] == 401


async def test_enforced_scopes_are_all_named_at_once(call, issuer, configure):
    configure(ENFORCE_SCOPES="true", REQUIRED_SCOPES="assay.use Team:Read")
    answer = await call(issuer.sign(scope="profile"))
    assert answer["statusCode"] == 403
    challenge = answer["headers"]["www-authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="Team:Read assay.use profile tool:*"' in challenge
    assert is_accepted(await call(issuer.sign(scope="assay.use", scp=["Team:Read", "tool:format_bibliography"])))
    assert is_accepted(await call(issuer.sign()))  # no scope claim: as documented
    answer = await call(issuer.sign(scope="assay.use Team:Read json"))
    assert answer["statusCode"] == 403
    assert 'scope="Team:Read assay.use json tool:format_bibliography"' in answer["headers"]["www-authenticate"]
    assert (await call(issuer.sign(scope="*")))["statusCode"] == 403


async def test_mcp_answers_a_narrow_token_with_the_scope_to_ask_for(services, issuer, configure):
    configure(ENFORCE_SCOPES="true")
    call = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": "format_bibliography", "arguments": {}},
    }
    event = {
        "headers": {
            "host": "localhost:8787",
            "authorization": "Bearer " + issuer.sign(scope="json"),
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-11-25",
        },
        "requestContext": {"http": {"method": "POST"}},
        "body": json.dumps(call),
    }
    answer = await stateless_server.handle_event(event, None, services, ToolCatalogue())
    assert answer["statusCode"] == 403
    assert json.loads(answer["body"])["id"] == 7
    assert answer["headers"]["www-authenticate"] == (
        'Bearer error="insufficient_scope", '
        'resource_metadata="http://localhost:8787/.well-known/oauth-protected-resource/mcp", '
        'scope="json tool:format_bibliography"'
    )


async def test_a_token_in_the_address_or_the_body_is_no_token(services, issuer):
    event = {
        "headers": {"host": "127.0.0.1"},
        "rawQueryString": "access_token=" + issuer.sign(),
        "body": json.dumps({"access_token": issuer.sign()}),
    }
    assert (await http_api.answer("format_bibliography", event, None, services))["statusCode"] == 401


async def test_on_a_function_url_no_metadata_are_named_that_it_does_not_have(services):
    services.settings = dataclasses.replace(services.settings, on_lambda=True)
    for host, place in (
        ("x.lambda-url.eu-west-1.on.aws", ""),
        ("x.execute-api.eu-west-1.amazonaws.com", "https://x.execute"),
    ):
        answer = await http_api.answer("format_bibliography", {"headers": {"host": host}}, None, services)
        assert (place or "resource_metadata") in answer["headers"]["www-authenticate"] or not place
        assert ("resource_metadata" in answer["headers"]["www-authenticate"]) == bool(place)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ASSAY_PUBLIC_URL", "http://assay.example"),
        ("ASSAY_PUBLIC_URL", "https://assay.example/path"),
        ("ASSAY_PUBLIC_URL", "assay.example"),
        ("ASSAY_PUBLIC_URL", "https://u@assay.example"),
        ("OAUTH_ISSUER_URL", "http://issuer.example"),
        ("OAUTH_ISSUER_URL", "https://issuer.example/?x"),
        ("JWKS_REFRESH_INTERVAL", "soon"),
    ],
)
def test_settings_that_would_weaken_it_are_refused(environ, variable, value):
    from assay.errors import ConfigError

    with pytest.raises(ConfigError):
        Settings.read(environ | {variable: value})
