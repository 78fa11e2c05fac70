"""HTTPS: events in, responses out; nothing a stranger sends is a 500."""

import base64
import dataclasses
import json
import time

import pytest
from tests.support.lambda_context import FakeLambdaContext
from tests.support.processor_time import assert_quick_call

from assay.entrypoints.http.http_api import answer


def event(body: str | None, **more: object) -> dict[str, object]:
    return {"version": "2.0", "headers": {"content-type": "application/json"}, "body": body} | more


async def test_an_answer_is_json_that_nobody_may_keep(services, article):
    response = await answer("scrape_page", event(json.dumps({"url": article})), None, services)
    assert response["statusCode"] == 200
    assert response["headers"]["content-type"] == "application/json"
    assert response["headers"]["cache-control"] == "no-store"
    assert "Otters" in json.loads(response["body"])["content"]


async def test_a_body_in_base64_is_the_same_body(services, article):
    body = base64.b64encode(json.dumps({"url": article}).encode()).decode()
    response = await answer("scrape_page", event(body, isBase64Encoded=True), None, services)
    assert response["statusCode"] == 200


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        "{",
        "[]",
        '"x"',
        "5",
        "null",
        '{"url": NaN}',
        '{"url": "http://127.0.0.1/", "url": 5}',
        '{"url": "\\u0000"}',
        '{"url": "\\ud800"}',
        "\ud800",
        "[" * 100_000,
        '{"a":' * 50_000,
        json.dumps({"url": "x" * 501}),
        '{"url": {"$gt": ""}}',
        "\ufeff{}",
    ],
)
async def test_a_malformed_question_is_the_callers_fault_and_soon_reported(services, body):
    response = await assert_quick_call(lambda: answer("scrape_page", event(body), None, services), 1)
    assert response["statusCode"] == 400
    error = json.loads(response["body"])["error"]
    assert error["kind"] == "validation"
    assert "Traceback" not in response["body"]
    assert len(response["body"]) < 1300


@pytest.mark.parametrize("body", ["%%%", "e30", "e3\n0=", "=", "ê"])
async def test_base64_that_is_invalid_is_reported(services, body):
    response = await answer("scrape_page", event(body, isBase64Encoded=True), None, services)
    assert response["statusCode"] == 400
    assert json.loads(response["body"])["error"]["field"] == "body"


async def test_a_body_over_ten_megabytes_is_too_large(services):
    response = await answer("scrape_page", event(json.dumps({"url": "x" * 11_000_000})), None, services)
    assert response["statusCode"] == 413


@pytest.mark.parametrize("headers", [None, {}, {"x-request-id": "a b\nc"}, {"X-Request-Id": "x" * 500}])
async def test_headers_may_be_missing_or_odd(services, article, headers):
    response = await answer("scrape_page", event(json.dumps({"url": article}), headers=headers), None, services)
    assert response["statusCode"] == 200
    assert "\n" not in response["headers"]["x-request-id"]


async def test_a_request_id_comes_back(services, article):
    request = event(json.dumps({"url": article}), headers={"X-Request-Id": "trace-7"})
    response = await answer("scrape_page", request, None, services)
    assert response["headers"]["x-request-id"] == "trace-7"


async def test_an_unknown_tool_is_404(services):
    response = await answer("nothing_of_ours", event("{}"), None, services)
    assert response["statusCode"] == 404


async def test_a_refusal_says_when_to_come_back(services, settings, site):
    url = site.says("/busy", "later", status=429, headers={"retry-after": "17"})
    response = await answer("scrape_page", event(json.dumps({"url": url})), None, services)
    assert response["statusCode"] == 429
    assert response["headers"]["retry-after"] == "17"
    assert json.loads(response["body"])["error"]["retryAfterSeconds"] == 17


async def test_the_time_lambda_leaves_is_the_deadline(services, site, article, settings):
    import threading

    release = threading.Event()
    site.pages["/otters"].before = lambda: release.wait(120)
    began = time.monotonic()
    response = await answer("scrape_page", event(json.dumps({"url": article})), FakeLambdaContext(1.2), services)
    release.set()
    assert response["statusCode"] == 504
    assert time.monotonic() - began < 90


async def test_a_key_is_wanted_where_keys_are_configured(services, settings, article):
    import hashlib

    ring = json.dumps([{"name": "a", "sha256": hashlib.sha256(b"right").hexdigest()}])
    services.settings = dataclasses.replace(settings, api_keys=ring)
    request = json.dumps({"url": article})
    for headers, status in (
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer right"}, 200),
    ):
        response = await answer("scrape_page", event(request, headers=headers), None, services)
        assert response["statusCode"] == status
        if not headers:  # the sentence is not taken for a credential
            assert "in the header `Authorization`, after the word `Bearer`" in response["body"]
