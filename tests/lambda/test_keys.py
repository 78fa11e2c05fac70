"""Who is let in on Lambda: holders of a key in the ring, and with no ring nobody."""

import json
import time

import pytest

from assay.aws.dynamodb_table import DynamoTable
from assay.state.key_store import build_key, revoke_key, save_key

UNKNOWN = {"id": "0" * 64}  # an artifact nobody has: those let in are told 404


@pytest.mark.parametrize(("name", "recorded"), [("Toolreadartifact", "http_api_post"), ("Mcp", "function_url_post")])
def test_only_a_known_key_opens(name, recorded, run, event):
    function = run(name)
    for key in (None, "", "assay_a-key-that-does-not-open", "x" * 5000):
        answer = function.call(event(recorded, UNKNOWN, key=key))
        assert answer["statusCode"] == 401
        assert answer["headers"]["www-authenticate"].startswith("Bearer")
        assert json.loads(answer["body"])["error"]["kind"] == "auth_required"
    assert function.call(event(recorded, UNKNOWN))["statusCode"] in {400, 404}  # let in, and told what is wrong


@pytest.mark.parametrize(("name", "empty"), [("Toolreadartifact", ""), ("Mcp", "[]")])
def test_an_empty_ring_opens_to_nobody(name, empty, run, event):
    function = run(name, ASSAY_API_KEYS=empty)
    for key in ("assay_a-key-that-opens", None):
        assert function.call(event("function_url_post", UNKNOWN, key=key))["statusCode"] == 401


@pytest.mark.parametrize("name", ["Toolreadartifact", "Mcp"])
def test_a_parameter_that_cannot_be_read_opens_to_nobody(name, run, event):
    answer = run(name, ASSAY_API_KEYS="ssm:/not/there").call(event("function_url_post", UNKNOWN))
    assert answer["statusCode"] == 500
    assert json.loads(answer["body"])["error"]["kind"] == "config"


@pytest.mark.parametrize("name", ["Toolreadartifact", "Mcp"])
def test_an_unreachable_parameter_store_is_an_outage_to_be_retried(name, run, event):
    function = run(name, ASSAY_API_KEYS="ssm:/assay/keys", AWS_ENDPOINT_URL_SSM="http://127.0.0.1:1")
    answer = function.call(event("function_url_post", UNKNOWN))
    assert (answer["statusCode"], answer["headers"]["retry-after"]) == (503, "5")
    assert json.loads(answer["body"])["error"]["retryable"] is True


def test_a_ring_is_turned_without_a_deployment(run, event, cloud, rings):
    name = cloud.parameter(rings("old"))

    def statuses():
        function = run("Toolreadartifact", ASSAY_API_KEYS=f"ssm:{name}")
        return [function.call(event("http_api_post", UNKNOWN, key=key))["statusCode"] for key in ("old", "new")]

    assert statuses() == [404, 401]
    cloud.ssm.put_parameter(Name=name, Value=rings("old", "new"), Type="SecureString", Overwrite=True)
    assert statuses() == [404, 404]
    cloud.ssm.put_parameter(Name=name, Value=rings("new"), Type="SecureString", Overwrite=True)
    assert statuses() == [401, 404]


async def test_a_key_of_the_table_needs_no_parameter_and_is_refused_by_warm_functions_once_revoked(run, event, cloud):
    table = DynamoTable(cloud.table, cloud.dynamodb)
    secret, key = build_key("ada", time.time(), scopes=["tool:read_artifact"])
    await save_key(table, key)
    calls = {"Toolreadartifact": UNKNOWN, "Mcp": {"jsonrpc": "2.0", "id": 1, "method": "ping"}}
    functions = {name: run(name, ASSAY_API_KEYS="ssm:/not/there") for name in calls}

    def read_statuses():
        sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        return [
            function.call(event("function_url_post", calls[name], key=secret, headers=sent))["statusCode"]
            for name, function in functions.items()
        ]

    assert read_statuses() == [404, 200]
    await revoke_key(table, key.id)
    assert read_statuses() == [401, 401]


@pytest.mark.parametrize("name", ["Toolreadartifact", "Mcp", "ServiceInfo"])
def test_behind_a_proxy_with_a_secret_the_functions_serve_only_its_requests(name, run, event):
    function = run(name, ORIGIN_SECRET="of-the-proxy,of-yesterday")
    calls = {"Toolreadartifact": ("http_api_post", UNKNOWN, 404), "ServiceInfo": ("http_api_get", None, 200)}
    recorded, body, status = calls.get(name, ("function_url_post", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, 200))
    kind = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    for secret in (None, "", "other", "of-the-proxy,of-yesterday"):
        headers = kind | ({} if secret is None else {"x-origin-secret": secret})
        answer = function.call(event(recorded, body, headers=headers))
        assert (answer["statusCode"], json.loads(answer["body"])["error"]["kind"]) == (403, "forbidden")
        assert "x-content-type-options" in answer["headers"]
    for secret in ("of-the-proxy", "of-yesterday"):
        assert function.call(event(recorded, body, headers=kind | {"x-origin-secret": secret}))["statusCode"] == status
