"""REST: which tool an address names, and what it is given."""

import json

import httpx
import pytest

from assay.entrypoints.http import rest
from assay.entrypoints.http.local_server import create_app
from assay.toolkit import tool_registry


@pytest.fixture
async def client(services):
    transport = httpx.ASGITransport(create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8787") as client:
        yield client


def event(method, path, body=None, query=""):
    return {
        "rawPath": path,
        "rawQueryString": query,
        "headers": {},
        "requestContext": {"http": {"method": method, "path": path}},
        "body": None if body is None else json.dumps(body),
    }


@pytest.mark.parametrize("route", rest.ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_leads_to_a_tool(route):
    result, named = rest.match_route(route.method, route.path.replace("{id}", "a%20b"))
    assert result == route
    assert named == ({"id": "a b"} if "{id}" in route.path else {})
    assert route.tool in tool_registry.tool_names()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nothing", 404),
        ("POST", "/v1/crawl/", 404),
        ("GET", "/v1/crawl/a/b", 404),
        ("PUT", "/v1/crawl", 405),
        ("POST", "/v1/crawl/abc", 405),
    ],
)
async def test_what_is_not_there_is_reported_with_what_is(services, client, method, path, status):
    on_lambda = await rest.answer(event(method, path), None, services)
    here = await client.request(method, path)
    assert on_lambda["statusCode"] == here.status_code == status
    assert json.loads(on_lambda["body"])["error"]["message"] == here.json()["error"]["message"]
    assert "/v1/crawl" in here.json()["error"]["message"] or "use POST" in here.json()["error"]["message"]
    if status == 405:
        methods = "POST" if path == "/v1/crawl" else "DELETE, GET"
        assert on_lambda["headers"]["allow"] == here.headers["allow"] == methods


@pytest.mark.parametrize(
    ("path", "methods"), [("/tools/web_search", "POST"), ("/feeds/x", "GET, HEAD"), ("/tools", "GET, HEAD")]
)
async def test_a_refusal_of_a_method_names_the_methods_in_its_header(client, path, methods):
    refused = await client.put(path)
    assert (refused.status_code, refused.headers["allow"]) == (405, methods)
    assert methods in refused.json()["error"]["message"]


def test_a_query_becomes_arguments():
    output = event("GET", "/v1/crawl/x", query="limit=5&tag=a&tag=b&tag=c&empty=")
    assert rest.arguments(output, {"id": "x"}) == {"limit": "5", "tag": ["a", "b", "c"], "empty": "", "id": "x"}


@pytest.mark.parametrize("body", [[], "text", 5])
def test_a_body_that_is_not_an_object_is_left_to_the_tool_to_refuse(body):
    assert rest.arguments(event("POST", "/v1/crawl", body), {}) == body


async def test_what_stands_in_the_path_is_not_sent_twice(services):
    answer = await rest.answer(event("GET", "/v1/crawl/x", query="id=y"), None, services)
    assert answer["statusCode"] == 400
    assert json.loads(answer["body"])["error"]["field"] == "id"
