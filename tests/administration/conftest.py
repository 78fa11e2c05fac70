"""A server with a key of the operator, and with administrators of two tenants."""

import json

import httpx
import pytest
import pytest_asyncio
from tests.webhooks.conftest import queue_event, received, register, work  # noqa: F401  fixtures

from assay.entrypoints.http import rest
from assay.entrypoints.http.local_server import create_app
from assay.state.key_store import build_key, save_key

KEY, PREVIOUS = "operator-key-0123456789", "previous-key-0123456789"


@pytest.fixture
def environ(environ):
    features = ("MEMORY_ENABLED", "WORKSPACES_ENABLED", "USER_ANALYTICS_ENABLED")
    keys = {"ADMIN_API_KEY": KEY, "ADMIN_API_KEY_PREV": PREVIOUS, "BRAVE_API_KEY": "BSAsecretsecretsecretsecret"}
    return environ | dict.fromkeys(features, "true") | keys


@pytest.fixture
def events(services):
    """The audit events of the test."""
    found = []
    services.observers.append(lambda call: found.append(call.event()))
    return found


@pytest_asyncio.fixture
async def http(services):
    """A client of the local server, whose callers need a key."""
    services.requires_keys = True
    wire = httpx.ASGITransport(create_app(services), client=("192.0.2.7", 4711))
    async with httpx.AsyncClient(transport=wire, base_url="http://127.0.0.1:8787") as client:
        yield client


@pytest.fixture
def lend_key(services):
    """`await lend_key(tenant, "admin")`: headers with a new key of a user of the tenant."""

    async def lend(tenant, *scopes, user="chief", **options):
        secret, key = build_key(f"{tenant}-key", services.clock(), tenant=tenant, user=user, scopes=scopes, **options)
        await save_key(services.table, key)
        return {"authorization": f"Bearer {secret}"}

    return lend


@pytest.fixture
def administer(http):
    """`await administer("GET", "/admin/keys", tenant_id="acme")`: the JSON answer to the operator."""

    async def call(method, path, headers=None, status=200, **arguments):
        sent = {"json": arguments} if method == "POST" else {"params": arguments}
        answer = await http.request(method, path, headers=headers or {"x-admin-key": KEY}, **sent)
        assert answer.status_code == status, answer.text
        return answer.json()

    return call


@pytest.fixture
def call_lambda(services):
    """`call_lambda("GET", "/admin/keys", headers)`: the status and answer of the REST function."""

    async def call(method, path, headers, query="", body=None):
        event = {
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": query,
            "headers": headers,
            "requestContext": {"http": {"method": method, "path": path, "sourceIp": "192.0.2.8"}, "requestId": "r"},
            "body": None if body is None else json.dumps(body),
        }
        answer = await rest.answer(event, None, services)
        is_json = answer["headers"]["content-type"] == "application/json"
        return answer["statusCode"], json.loads(answer["body"]) if is_json else answer["body"]

    return call
