"""Nobody uninvited: keys, where they come from, and what they say of a caller."""

import hashlib
import json

import pytest

from assay.caller import Caller
from assay.entrypoints.auth import ring
from assay.entrypoints.http import http_api
from assay.entrypoints.http.local_server import refuse_open
from assay.entrypoints.resource_server import identify_caller
from assay.errors import ConfigError, Unauthenticated


def entry(key: str, **more: object) -> dict[str, object]:
    return {
        "name": "ada-laptop",
        "sha256": hashlib.sha256(key.encode()).hexdigest(),
        "tenant": "acme",
        "user": "ada",
    } | more


def keys(*entries: object) -> str:
    return json.dumps(list(entries))


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@pytest.fixture
def authenticate(services):
    async def identify(headers, accepted):
        return await identify_caller(headers, services, "https", accepted)

    return identify


async def test_a_key_says_who_calls_and_how_far_it_reaches(authenticate):
    caller = await authenticate(bearer("right"), ring(keys(entry("right", scopes=["tool:web_search"]))))
    assert caller == Caller("acme", "ada", frozenset({"tool:web_search"}), "ada-laptop")


async def test_both_keys_work_while_one_replaces_the_other(authenticate):
    accepted = ring(keys(entry("old"), entry("new")))
    assert await authenticate(bearer("old"), accepted) == await authenticate(bearer("new"), accepted)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"authorization": "Bearer wrong"},
        {"authorization": "Bearer right,Bearer right"},
        {"authorization": "Basic right"},
        {"authorization": "right"},
        {"authorization": "Bearer right\ud800"},
        {"authorization": "Bearer " + "x" * 100_000},
        {"x-api-key": "right"},
    ],
)
async def test_anything_but_a_known_key_is_refused_and_never_repeated(authenticate, headers):
    with pytest.raises(Unauthenticated) as refused:
        await authenticate(headers, ring(keys(entry("right"))))
    assert "right" not in refused.value.text()
    assert len(refused.value.text()) < 1000


async def test_an_empty_ring_opens_to_nobody(authenticate):
    with pytest.raises(Unauthenticated):
        await authenticate(bearer(""), ring(""))


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "{}",
        '"key"',
        "[1]",
        '[{"name":"x"}]',
        '[{"name":"x","sha256":"abc"}]',
        json.dumps([entry("k") | {"name": "a/b"}]),
        json.dumps([entry("k") | {"tenant": "a:b"}]),
        json.dumps([entry("k") | {"scopes": "all"}]),
    ],
)
def test_a_ring_that_cannot_be_read_is_an_error_that_does_not_print_it(text):
    with pytest.raises(ConfigError) as wrong:
        ring(text)
    assert wrong.value.field == "ASSAY_API_KEYS"
    assert hashlib.sha256(b"k").hexdigest() not in wrong.value.message


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "assay.example"])
def test_a_server_without_keys_listens_nowhere_but_here(host, services):
    with pytest.raises(ConfigError, match="assay key"):
        refuse_open(host, services)


def test_a_public_address_without_keys_is_refused_on_loopback_too(services, settings):
    import dataclasses

    services.settings = dataclasses.replace(settings, public_url="https://assay.example")
    with pytest.raises(ConfigError, match="unset ASSAY_PUBLIC_URL"):
        refuse_open("127.0.0.1", services)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.0.0.9"])
def test_loopback_needs_no_key(host, services):
    refuse_open(host, services)


async def test_on_lambda_no_keys_means_nobody(services, settings):
    import dataclasses

    services.settings = dataclasses.replace(settings, on_lambda=True)
    response = await http_api.answer("scrape_page", {"body": "{}"}, None, services)
    assert response["statusCode"] == 401
    assert response["headers"]["www-authenticate"] == "Bearer"
