"""The desk on Lambda: open about being alive, closed about the rest."""

import json

import pytest

from assay.entrypoints.http.rest import ROUTES
from assay.toolkit import tool_registry


async def test_it_shows_what_the_local_server_shows(run, event, local):
    function = run("ServiceInfo")
    for path in ("/health/live", "/health/ready", "/tools", "/openapi.json"):
        answer = function.call(event("http_api_get", path=path))
        here = await local.get(path)
        assert answer["statusCode"] == here.status_code == 200, answer
        assert json.loads(answer["body"]) == here.json()
    document = json.loads(function.call(event("http_api_get", path="/openapi.json"))["body"])
    listed = {card["name"] for card in json.loads(function.call(event("http_api_get", path="/tools"))["body"])["tools"]}
    assert listed < set(tool_registry.tool_names())  # nothing is configured there
    assert set(document["paths"]) == {f"/tools/{name}" for name in listed} | {route.path for route in ROUTES}


@pytest.mark.parametrize("path", ["/health/ready", "/tools", "/openapi.json"])
def test_it_shows_strangers_only_that_it_lives(path, run, event):
    function = run("ServiceInfo")
    assert function.call(event("http_api_get", path=path, key=None))["statusCode"] == 401
    assert function.call(event("http_api_get", path="/health/live", key=None))["statusCode"] == 200


def test_it_is_not_ready_where_state_cannot_be_kept(run, event):
    answer = run("ServiceInfo", ASSAY_TABLE="no-such-table").call(event("http_api_get", path="/health/ready"))
    assert answer["statusCode"] == 503
    assert json.loads(answer["body"])["status"] == "unhealthy"
