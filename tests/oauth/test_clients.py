"""Clients: redirect URIs, registrations, metadata documents."""

import json

import pytest

from assay.oauth import client_registry
from assay.oauth.attempt_limits import REGISTRATION
from assay.oauth.client_registry import find_client, keep_client, register_client
from assay.oauth.oauth_errors import OAuthError
from assay.oauth.redirect_uris import check_redirect_uri, is_registered
from assay.state.rate_limit import group_address


@pytest.mark.parametrize(
    "uri",
    [
        "https://claude.ai/api/mcp/auth_callback",
        "https://app.example:8443/cb?x=1",
        "http://127.0.0.1:1234/cb",
        "http://localhost/cb",
        "http://[::1]:7/cb",
        "cursor://anysphere.cursor-retrieval/oauth/callback",
        "com.example.app:/cb",
    ],
)
def test_ordinary_redirect_uris_are_accepted(uri):
    assert check_redirect_uri(uri) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "",
        None,
        7,
        "x" * 2_001,
        "https://app.example/cb#fragment",
        "https://app.example/a/../cb",
        "https://app.example/a/%2e%2e/cb",
        "https://app.example/%2E/cb",
        "https://user@app.example/cb",
        "https://app.example@evil.example/cb",
        "https://app%2eexample/cb",
        "https://App.example/cb",
        "https:///cb",
        "https://app.example:x/cb",
        "https://app.example\\@evil.example/cb",
        "https://app.example/c b",
        "https://app.example/\ncb",
        "https://аpp.example/cb",
        "http://app.example/cb",
        "http://127.0.0.1.evil.example/cb",
        "http://[::1/cb",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "blob:https://x",
        "//app.example/cb",
        "/cb",
    ],
)
def test_odd_redirect_uris_are_refused(uri):
    with pytest.raises(OAuthError):
        check_redirect_uri(uri)


@pytest.mark.parametrize(
    "uri",
    [
        "https://app.example.evil.example/cb",
        "https://app.example/cb/",
        "https://app.example/cb?x=1",
        "https://app.example:443/cb",
        "https://app.example/CB",
        "http://app.example/cb",
        "https://app.example/cb/../cb",
        "http://127.0.0.1:99/other",
        "http://localhost:99/cb",
        "https://127.0.0.1:99/cb",
        "http://127.0.0.1:99/cb?x=1",
        "http://127.0.0.1:99@evil.example/cb",
        "",
    ],
)
def test_a_look_alike_does_not_match(uri):
    assert not is_registered(uri, ("https://app.example/cb", "http://127.0.0.1:5000/cb"))


def test_the_port_of_a_loopback_address_is_ignored():
    assert is_registered("http://127.0.0.1:99/cb", ("http://127.0.0.1:5000/cb",))
    assert is_registered("http://[::1]:99/cb", ("http://[::1]/cb",))
    assert is_registered("https://app.example/cb", ("https://app.example/cb",))


METADATA = {"client_name": "Otter", "redirect_uris": ["https://app.example/cb"]}


async def test_ten_thousand_registrations_from_one_address_leave_the_table_bounded(services, clock):
    accepted = refused = 0
    for number in range(10_000):
        try:
            await register_client(services.table, METADATA, f"2001:db8::{number:x}", clock())
            accepted += 1
        except OAuthError as failure:
            assert (failure.status, failure.retry_after is not None) == (429, True)
            refused += 1
    assert accepted <= 2 * REGISTRATION.each  # an hour may end meanwhile
    assert accepted + refused == 10_000
    await register_client(services.table, METADATA, "192.0.2.7", clock())


async def test_unused_registrations_expire_and_used_ones_stay(services, clock, web):
    unused, used = [await register_client(services.table, METADATA, "192.0.2.7", clock()) for _ in range(2)]
    await keep_client(services.table, used, clock())
    clock.forward(client_registry.UNUSED_SECONDS + 1)
    assert await web(used.id) == used
    with pytest.raises(OAuthError) as refused:
        await web(unused.id)
    assert (refused.value.code, refused.value.status) == ("invalid_client", 401)


def test_addresses_of_one_subscriber_count_together():
    assert group_address("2001:db8::1") == group_address("2001:db8::ffff:1")
    assert group_address("::ffff:192.0.2.7") == group_address("192.0.2.7") != group_address("192.0.2.8")
    assert len(group_address("x" * 5_000)) == 100


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uris": []},
        {"redirect_uris": "https://app.example/cb"},
        {"redirect_uris": ["https://app.example/cb"] * 21},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"grant_types": ["password"]},
        {"response_types": ["token"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": ["x" * 20_000]}},
        {"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "file:///etc/passwd"},
        {
            "token_endpoint_auth_method": "private_key_jwt",
            "jwks_uri": "http://app.example/keys",
        },  # anyone can replace it
        {"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": "http://[app.example/keys"},
    ],
)
async def test_invalid_metadata_are_refused(services, clock, changes):
    with pytest.raises(OAuthError) as refused:
        await register_client(services.table, METADATA | changes, "192.0.2.7", clock())
    assert refused.value.code in ("invalid_redirect_uri", "invalid_client_metadata")


async def test_markup_and_hidden_characters_in_a_name_are_removed(services, clock):
    name = "Otter<script>alert(1)</script>\u202e\u200b" + "x" * 500
    client = await register_client(services.table, METADATA | {"client_name": name}, "192.0.2.7", clock())
    assert client.name.startswith("Otter")
    assert "script" not in client.name
    assert len(client.name) <= 80
    assert not {"\u202e", "\u200b"} & set(client.name)


@pytest.fixture
def web(services, clock):
    async def find(identifier, address="192.0.2.7"):
        return await find_client(
            identifier, services.table, services.web, services.settings, address=address, now=clock()
        )

    return find


def publish(site, path="/client.json", kind="application/json", **changes):
    url = site.url + path
    return site.says(path, json.dumps({"client_id": url} | METADATA | changes), kind=kind)


async def test_a_metadata_document_names_a_client_and_is_kept_for_a_while(site, web, clock):
    url = publish(site)
    client = await web(url)
    assert (client.id, client.name, client.redirect_uris) == (url, "Otter", ("https://app.example/cb",))
    assert await web(url) == client
    assert len(site.requests) == 1
    clock.forward(client_registry.DOCUMENT_SECONDS + 1)
    await web(url)
    assert len(site.requests) == 2


async def test_an_outage_of_the_document_logs_nobody_out(site, web, clock):
    url = publish(site)
    client = await web(url)
    clock.forward(client_registry.DOCUMENT_SECONDS + 1)
    site.says("/client.json", "", 503)
    assert await web(url) == client
    with pytest.raises(OAuthError) as unknown:
        await web(site.url + "/client.json?other")
    assert (unknown.value.code, unknown.value.status) == ("temporarily_unavailable", 503)
    publish(site, client_id="https://evil.example/x")  # a document that answers and lies is no outage
    with pytest.raises(OAuthError) as refused:
        await web(url)
    assert refused.value.code == "invalid_client"
    clock.forward(client_registry.STALE_SECONDS)
    site.says("/client.json", "", 503)
    with pytest.raises(OAuthError):
        await web(url)


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "https://claude.ai/oauth/client.json"},
        {"client_id": None},
        {"client_secret": "x"},
        {"redirect_uris": ["https://app.example/a/../cb"]},
        {"kind": "text/html"},
    ],
)
async def test_a_document_that_lies_is_refused(site, web, changes):
    with pytest.raises(OAuthError) as refused:
        await web(publish(site, **changes))
    assert refused.value.code == "invalid_client"


async def test_a_document_that_redirects_is_huge_or_missing_is_refused(site, web, canary):
    site.says("/moved.json", b"", 302, headers={"location": canary.url + "/client.json"})
    site.says("/huge.json", b'{"client_id": "' + b"x" * 10_000_000 + b'"}', kind="application/json")
    site.says("/deep.json", b"[" * 10_000, kind="application/json")
    for path in ("/moved.json", "/huge.json", "/deep.json", "/missing.json"):
        with pytest.raises(OAuthError) as refused:
            await web(site.url + path)
        assert refused.value.code == "invalid_client"
    assert canary.requests == []


async def test_a_document_inside_the_network_is_not_fetched(services, clock, canary):
    import dataclasses

    from assay.net.guarded_client import GuardedClient

    strict = dataclasses.replace(services.settings, allow_private_ips=False)
    guarded = GuardedClient(strict)
    addresses = (canary.url + "/client.json", f"https://127.0.0.1:{canary.url.rpartition(':')[2]}/client.json")
    for identifier in (*addresses, "https://169.254.169.254/latest", "https://localhost/x"):
        with pytest.raises(OAuthError):
            await find_client(identifier, services.table, guarded, strict, address="192.0.2.7", now=clock())
    await guarded.close()
    assert canary.requests == []


@pytest.mark.parametrize(
    "identifier",
    [
        "",
        "x" * 100_000,
        "https://claude.ai",
        "https://claude.ai/a/../b",
        "https://u@claude.ai/x",
        "https://claude.ai/#x",
    ],
)
async def test_other_identifiers_are_unknown(web, identifier):
    with pytest.raises(OAuthError, match="not known"):
        await web(identifier)


async def test_an_address_may_cause_a_limited_number_of_fetches(site, web):
    statuses = []
    for number in range(40):
        try:
            await web(f"{site.url}/missing-{number}.json")
        except OAuthError as failure:
            statuses.append(failure.status)
    assert statuses.count(429) >= 5
    assert await web(publish(site), address="192.0.2.8")
