"""The endpoints of administration in DynamoDB, by the REST function of Lambda."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.administration.conftest import KEY
from tests.administration.test_endpoints import SAMPLES
from tests.support.table_instances import in_engine  # noqa: F401  a fixture

from assay.administration.admin_endpoints import ENDPOINTS

ABSENT = {  # what the samples name does not exist
    "read_consent", "revoke_key", "revoke_grant", "delete_session", "retry_job", "drop_job", "retry_dead_letter",
    "drop_dead_letter", "retry_webhook_message", "drop_webhook_message",
}  # fmt: skip


@pytest.fixture
async def deployment(services, in_engine):  # noqa: F811  a fixture
    local, services.table = services.table, in_engine()
    services.settings = replace(services.settings, table_name="assay", rate_limit_per_tenant=100)
    yield services
    await services.table.close()
    services.table = local


async def test_every_endpoint_answers(deployment, call_lambda):
    found = {}
    for endpoint in sorted(ENDPOINTS, key=lambda endpoint: endpoint.tool.name in ABSENT):
        sample = {"tenant_id": "acme"} if endpoint.reach in ("tenant", "any") else {}
        sample |= SAMPLES.get(endpoint.tool.name, {})
        query = "&".join(f"{name}={value}" for name, value in sample.items())
        sent = {"body": sample} if endpoint.method == "POST" else {"query": query}
        found[endpoint.tool.name], _ = await call_lambda(endpoint.method, endpoint.path, {"x-admin-key": KEY}, **sent)
    expected = {endpoint.tool.name: 404 if endpoint.tool.name in ABSENT else 200 for endpoint in ENDPOINTS}
    assert found == expected | {"read_consent": 200}  # another endpoint recorded it


async def test_a_flush_of_the_cache_counts_at_once_and_deletes_nothing(deployment, call_lambda, clock):
    for tenant in ("acme", "burrow"):
        await deployment.cache.put(f"{tenant}/x", {"n": 1}, timedelta(hours=1))
    clock.forward(1)
    status, flushed = await call_lambda("DELETE", "/admin/cache", {"x-admin-key": KEY}, query="tenant_id=acme")
    assert (status, "deleted" in flushed) == (200, False)
    assert await deployment.cache.get("acme/x") is None
    assert (await deployment.cache.get("burrow/x")).document == {"n": 1}
    await deployment.cache.put("acme/x", {"n": 2}, timedelta(hours=1))
    assert (await deployment.cache.get("acme/x")).document == {"n": 2}
