"""A call ends before its front door hangs up, with words instead of a dead line."""

import json
import threading
import time

import pytest
from tests.support.lambda_context import FakeLambdaContext

from assay.entrypoints.http.apigateway_event import seconds_of


def with_age(event, ago, now):
    event["requestContext"]["timeEpoch"] = int((now - ago) * 1000)
    return event


@pytest.mark.parametrize(
    ("recorded", "timeout", "waited", "left"),
    [
        ("http_api_post", 65, 0, 29),
        ("http_api_post", 65, 3, 26),  # a cold start was part of the API's thirty seconds
        ("http_api_post", 10, 0, 9),
        ("http_api_post", 65, 4000, 29),  # a recorded event, or a clock that is far off
        ("http_api_post", 65, -5, 29),
        ("function_url_post", 120, 3, 119),
    ],
)
def test_the_front_door_sets_the_deadline(recorded, timeout, waited, left, event):
    now = 1_800_000_000.0
    request = with_age(event(recorded), waited, now)
    assert seconds_of(request, FakeLambdaContext(timeout), lambda: now) == pytest.approx(left)


def test_an_upstream_that_hangs_costs_the_deadline_and_no_more(run, event, site):
    freed = threading.Event()
    site.says("/searxng/search", "{}", before=lambda: freed.wait(120))
    function = run("Toolwebsearch", AWS_LAMBDA_FUNCTION_TIMEOUT="4")
    began = time.monotonic()
    try:
        answer = function.call(event("http_api_post", {"query": "otters that never come"}))
    finally:
        freed.set()
    assert time.monotonic() - began < 90
    assert answer["statusCode"] == 504, answer
    assert json.loads(answer["body"])["error"]["retryable"] is True
    site.says("/searxng/search", '{"results": []}', kind="application/json")
    assert function.call(event("http_api_post", {"query": "otters at last"}))["statusCode"] == 200
