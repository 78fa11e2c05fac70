"""Clients that sign what they send (private_key_jwt)."""

import json
import time
import uuid

import pytest
import pytest_asyncio
from joserfc import jwt
from joserfc.jwk import ECKey
from tests.oauth.browsers import CALLBACK, Client

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
KEY = ECKey.generate_key("P-256", {"kid": "1"})
KEYS = {"keys": [KEY.as_dict(private=False)]}


def sign(identifier, key=KEY, **changes):
    now = int(time.time())
    claims = {
        "iss": identifier,
        "sub": identifier,
        "aud": "http://127.0.0.1:8787",
        "exp": now + 60,
        "jti": uuid.uuid4().hex,
    }
    claims = {name: value for name, value in (claims | changes).items() if value is not None}
    return jwt.encode({"alg": "ES256", "kid": key.kid}, claims, key, algorithms=["ES256"])


@pytest_asyncio.fixture(params=["registered", "by the address of its keys", "by its document"])
async def signing_client(request, connect, site):
    client = Client(await connect("192.0.2.9"))
    site.says("/keys", json.dumps(KEYS), kind="application/json")
    keys = {"jwks": KEYS} if request.param == "registered" else {"jwks_uri": site.url + "/keys"}
    metadata = {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "private_key_jwt"} | keys
    await client.register(**metadata)
    if request.param == "by its document":
        client.id = client.query["client_id"] = site.url + "/client.json"
        site.says("/client.json", json.dumps({"client_id": client.id} | metadata), kind="application/json")
    return client


@pytest.fixture
def code(browser, signing_client):
    async def get():
        page = await browser.open("/oauth/authorize", **signing_client.query)
        page = page if "Allow access?" in page.text else await browser.sign_in(page)
        return (await browser.allow(page))["code"]

    return get


async def test_a_client_proves_who_it_is(signing_client, code):
    proof = {"client_assertion_type": ASSERTION, "client_assertion": sign(signing_client.id)}
    issued = await signing_client.exchange(await code(), **proof)
    assert issued.status_code == 200
    again = await signing_client.refresh(issued.json()["refresh_token"], **proof)
    assert (again.status_code, again.json()["error"]) == (401, "invalid_client")  # the assertion was used
    proof["client_assertion"] = sign(signing_client.id, aud="http://127.0.0.1:8787/oauth/token")
    assert (await signing_client.refresh(issued.json()["refresh_token"], client_id="", **proof)).status_code == 200


async def test_a_client_that_does_not_prove_it_is_refused(signing_client, code):
    me, now, issued = signing_client.id, int(time.time()), await code()
    for proof in (
        {},
        {"client_assertion": sign(me)},
        {"client_assertion_type": ASSERTION, "client_assertion": ""},
        {"client_assertion_type": ASSERTION, "client_assertion": "a.b.c"},
        {
            "client_assertion_type": ASSERTION,
            "client_assertion": sign(me, key=ECKey.generate_key("P-256", {"kid": "1"})),
        },
        {"client_assertion_type": ASSERTION, "client_assertion": sign(me, aud="https://other.example")},
        {"client_assertion_type": ASSERTION, "client_assertion": sign(me, sub="other")},
        {"client_assertion_type": ASSERTION, "client_assertion": sign("other", sub=me)},
        {"client_assertion_type": ASSERTION, "client_assertion": sign(me, jti=None)},
        {"client_assertion_type": ASSERTION, "client_assertion": sign(me, exp=now - 120)},
        {"client_assertion_type": ASSERTION, "client_assertion": sign(me, exp=now + 86_400)},
        {"client_assertion_type": ASSERTION, "client_assertion": sign(me, exp=None)},
    ):
        refused = await signing_client.exchange(issued, **proof)
        assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client"), proof
    assert (
        await signing_client.exchange(issued, client_assertion_type=ASSERTION, client_assertion=sign(me))
    ).status_code == 200


async def test_keys_that_cannot_be_fetched_prove_nothing(browser, connect, site, canary, clock):
    client = await Client(await connect("192.0.2.9")).register(
        token_endpoint_auth_method="private_key_jwt", jwks_uri=site.url + "/keys"
    )
    code = (await browser.allow(await browser.sign_in(await browser.open("/oauth/authorize", **client.query))))["code"]
    proof = {"client_assertion_type": ASSERTION}
    for body, more in (
        (b"", {"status": 404}),
        (b"[" * 10_000, {}),
        (b"[]", {}),
        (b"x" * 10_000_000, {}),
        (b"", {"status": 302, "headers": {"location": canary.url}}),
    ):
        site.says("/keys", body, kind="application/json", **more)
        clock.forward(3)  # seconds between fetches that fail
        refused = await client.exchange(code, client_assertion=sign(client.id), **proof)
        assert refused.json()["error"] == "invalid_client"
    assert canary.requests == []
    assert len([one for one in site.requests if one.path == "/keys"]) == 5


@pytest_asyncio.fixture
async def rotating_client(connect, site, clock):
    """`prove(key)`: the error of a client with keys at an address, "invalid_grant" once its assertion is accepted."""
    site.says("/keys", json.dumps(KEYS), kind="application/json", headers={"cache-control": "public, max-age=600"})
    client = await Client(await connect("192.0.2.9")).register(
        token_endpoint_auth_method="private_key_jwt", jwks_uri=site.url + "/keys"
    )

    async def prove(key=KEY):
        proof = {"client_assertion_type": ASSERTION, "client_assertion": sign(client.id, key, exp=clock() + 60)}
        return (await client.refresh("assayrt_x.y", **proof)).json()["error"]

    return prove


def count_key_requests(site):
    return len([one for one in site.requests if one.path == "/keys"])


async def test_keys_at_an_address_are_fetched_again_when_they_expire(rotating_client, site, clock):
    for seconds, fetches in ((0, 1), (0, 1), (599, 1), (2, 2), (0, 2)):
        clock.forward(seconds)
        assert await rotating_client() == "invalid_grant"
        assert count_key_requests(site) == fetches
    site.says("/keys", "", status=404)
    clock.forward(601)
    assert await rotating_client() == "invalid_client"  # the client withdrew its keys


async def test_an_unknown_key_causes_one_fetch_a_minute(rotating_client, site, clock):
    assert await rotating_client() == "invalid_grant"
    rotated = ECKey.generate_key("P-256", {"kid": "2"})
    clock.forward(61)
    for _ in range(3):
        assert await rotating_client(rotated) == "invalid_client"
    assert count_key_requests(site) == 2
    site.says("/keys", json.dumps({"keys": [rotated.as_dict(private=False)]}), kind="application/json")
    assert await rotating_client(rotated) == "invalid_client"
    clock.forward(61)
    assert await rotating_client(rotated) == "invalid_grant"
    assert count_key_requests(site) == 3
    assert await rotating_client() == "invalid_client"  # the old key has gone
