"""The function for health, catalogue and OpenAPI on Lambda."""

import json

import pytest

from assay.administration.admin_endpoints import ENDPOINTS
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
    routes = {"/v1/calls/{id}"} | {route.path for route in ROUTES} | {endpoint.path for endpoint in ENDPOINTS}
    assert set(document["paths"]) == {f"/tools/{name}" for name in listed} | routes


@pytest.mark.parametrize(
    ("path", "status"), [("/health/live", 200), ("/health/ready", 200), ("/tools", 401), ("/openapi.json", 401)]
)
def test_without_a_key_it_shows_health_and_nothing_else(path, status, run, event):
    assert run("ServiceInfo").call(event("http_api_get", path=path, key=None))["statusCode"] == status


def test_it_answers_the_preflight_of_every_route(run, event):
    origin = {"origin": "https://app.example", "access-control-request-method": "POST"}
    function = run("ServiceInfo", ALLOWED_ORIGINS="https://app.example")
    for path in ("/tools/web_search", "/mcp", "/v1/scrape", "/tools"):
        answer = function.call(event("http_api_get", path=path, method="OPTIONS", key=None, headers=origin))
        assert answer["statusCode"] == 204
        assert answer["headers"]["access-control-allow-origin"] == "https://app.example"
        assert answer["headers"]["x-content-type-options"] == "nosniff"


def test_it_is_not_ready_where_state_cannot_be_kept(run, event):
    answer = run("ServiceInfo", ASSAY_TABLE="no-such-table").call(event("http_api_get", path="/health/ready"))
    assert answer["statusCode"] == 503
    assert json.loads(answer["body"])["status"] == "unhealthy"
